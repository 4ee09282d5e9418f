"""Geometric stiffness: how the forces of the last substep turn with the nodes they act on.

The Hessian that XPBD neglects in (53) is K = −Σ λ ∇²C. Only its part on the turns of single nodes is kept, and only
where it is positive, so that every node's inertia stays a 3×3 matrix of its own and linear momentum is untouched:

* a joint pulls with the force f (body frame) at the arm r:  K = s (I − r̂ r̂ᵀ),  s = ½ (f·r + |f| |r|).
  For f along r this is exact, the pendulum's stiffness; for f against r (an inverted pendulum) it is zero.
* a rod element under tension T: written with shear strains σ and turns θ as coordinates, ∫ ½ T v₃ |θ⊥|² + T σ·θ⊥ ds.
  The second term ties σ to θ, and is at most ½ c GA |σ|² + ½ T²/(c GA) |θ⊥|²: the first part the shear stiffness has
  to spare, the second joins K, for c = ½. Lumped like the mass, node j gets
  K = diag(1, 1, 0) φ̄_j Σ_g t (1 + t α̃₃ + 2 t α̃₁),  t = max(−λ₃, 0) = T l w_g Δt²,  so t α̃₃ = v₃ − 1, t α̃₁ = T/GA.

Units are those of λ: force · Δt². Follows the idea of "Stable Constrained Dynamics" (Tournier et al. 2015) for SO(3).
"""

import math

import numpy as np

from .jit import helper
from .joints.arrays import ARM_1, ARM_2, DATA_STRIDE, FLAG_STRIDE, TURN_1, WORLD_PLACE
from .lie.mat3 import ZERO, add9, diagonal9, load9, outer9, store9
from .lie.so3 import rotate, rotate_inverse
from .lie.vec3 import dot3, load3, scale3
from .model import HOLD_TURN
from .rods.strain import load4

U0, U1, U2, U3, U4, U6, U9 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 6, 9))


@helper
def start_inertia(i, inertia, turn_weight):
    """Begin with the body's own inertia, a diagonal tile."""
    o = i * U9
    for e in range(U9):
        turn_weight[o + e] = 0.0
    turn_weight[o] = inertia[i * U3]
    turn_weight[o + U4] = inertia[i * U3 + U1]
    turn_weight[o + np.uint64(8)] = inertia[i * U3 + U2]


@helper
def add_arm_stiffness(i, f, r, turn_weight):
    """K = s (I − r̂ r̂ᵀ) of a force f at the arm r, both in node i's frame."""
    rr = dot3(r, r)
    if rr <= 0.0:
        return
    s = 0.5 * (dot3(f, r) + math.sqrt(dot3(f, f) * rr))
    along = scale3(-s / rr, r)
    k = add9(diagonal9((s, s, s)), outer9(along, r))
    store9(turn_weight, i * U9, add9(load9(turn_weight, i * U9), k))


@helper
def add_joint_stiffness(q, node_1, node_2, held, joint_data, joint_flags, index, lam, row, turn_weight):
    """Add what a joint's place rows pull with to the inertia of its two nodes, where they can turn."""
    d, fl = index * DATA_STRIDE, index * FLAG_STRIDE
    force = load3(lam, row)
    q1, q2 = load4(q, node_1 * U4), load4(q, node_2 * U4)
    if joint_flags[fl + WORLD_PLACE] == U0:  # rows p̄₂ − p̄₁ in body 1's joint frame: the force on body 1 is −R̄₁ λ
        force = scale3(-1.0, rotate(q1, rotate(load4(joint_data, d + TURN_1), force)))
    if (held[node_1] & HOLD_TURN) == 0:
        add_arm_stiffness(node_1, rotate_inverse(q1, force), load3(joint_data, d + ARM_1), turn_weight)
    if (held[node_2] & HOLD_TURN) == 0:
        add_arm_stiffness(node_2, rotate_inverse(q2, scale3(-1.0, force)), load3(joint_data, d + ARM_2), turn_weight)


@helper
def add_rod_stiffness(node, last, m, basis, table, lam, row, compliance, dt, turn_weight):
    """Add an element's tension to the inertia of its nodes."""
    n = m + U1
    tension = 0.0
    for g in range(m):
        o = row + g * U6
        t = max(-lam[o + U2], 0.0)
        tension += t * (1.0 + t * (compliance[o + U2] + 2.0 * compliance[o]) / (dt * dt))
    for j in range(n):
        k = tension * basis[table + U2 * m * n + j]
        i = last if j == m else node + j
        turn_weight[i * U9] += k
        turn_weight[i * U9 + U4] += k


@helper
def turn_weight(i, weight, inertia):
    """(inertia + K)⁻¹ of node i as a tile, by cofactors; 0 where the turn is held."""
    if weight[i * U4 + U1] <= 0.0:
        return ZERO
    a = load9(inertia, i * U9)
    c0, c1, c2 = a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6]
    s = 1.0 / (a[0] * c0 + a[1] * c1 + a[2] * c2)
    return (
        s * c0, s * (a[2] * a[7] - a[1] * a[8]), s * (a[1] * a[5] - a[2] * a[4]),
        s * c1, s * (a[0] * a[8] - a[2] * a[6]), s * (a[2] * a[3] - a[0] * a[5]),
        s * c2, s * (a[1] * a[6] - a[0] * a[7]), s * (a[0] * a[4] - a[1] * a[3]),
    )  # fmt: skip
