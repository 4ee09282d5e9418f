"""The one kernel of all joints: constraint vector C, Jacobian and compliance of six rows between two nodes.

Derivation. The joint frame fixed to node i has origin p̄ᵢ = pᵢ + Rᵢ rᵢᴶ and axes R̄ᵢ = Rᵢ Rᵢᴶ (paper eqs. 69, 70). All
that is measured is body 2 relative to body 1: a positive angle turns body 2 about +z of body 1, a positive slide moves
body 2 along it. Perturbations θᵢ act on the right of Rᵢ; eqs. 20–28 give every block. With y = R₁ᵀ(p̄₂ − p₁) and
R_Δ = R̄₁ᵀR̄₂:

* Place, all three rows locked (fixed, hinge, ball; eqs. 71, 72, 75): C = p̄₁ − p̄₂ in the world, which is linear in p.
      ∂p₁ = I,    ∂θ₁ = −R₁ r̂₁,    ∂p₂ = −I,    ∂θ₂ = R₂ r̂₂.
* Place otherwise (slider; eqs. 79, 80, errata of 173, 174): C = R̄₁ᵀ(p̄₂ − p̄₁), in body 1's joint frame.
      ∂p₁ = −R̄₁ᵀ,    ∂θ₁ = R₁ᴶᵀ ŷ,    ∂p₂ = R̄₁ᵀ,    ∂θ₂ = −R̄₁ᵀ R₂ r̂₂.
* Turn, all three rows alike (fixed, slider, ball): φ = R̄₂ ⊟ R̄₁ = log R_Δ, one sign throughout (errata of eqs. 73,
  81); of the two logarithms φ and φ − 2π φ/|φ| the one nearer to the target, so that a drive may pass half a turn.
      ∂θ₁ = −Γ⁻¹(φ)ᵀ R₁ᴶᵀ,    ∂θ₂ = Γ⁻¹(φ) R₂ᴶᵀ.
* Turn otherwise (hinge): swing vector and twist of R_Δ, see ``limits``. A rotation vector will not do: its x and y
  change sign when the angle passes π, so a lock on them would throw the hinge about. The swing vector of a hinge stays
  near 0 at any angle, and the twist is unwrapped to the branch nearest to the angle at the end of the last substep, so
  that it counts turns. No λ outlives a substep, so none is carried across the flip. With δ = R̄₁ᵀR₂ θ₂ − R₁ᴶᵀ θ₁ and
  G the derivative of (s, τ) by δ:
      ∂θ₁ = −G R₁ᴶᵀ,    ∂θ₂ = G R̄₁ᵀ R₂.

The limits of a ball take rows from its springs: see ``ball``; motors: see ``drives``. A row that does nothing has
Jacobian 0, value 0 and compliance 1. In the damping solve (paper section 4.4) rows have the compliance 1/damping (times
1/Δt for the caller), 0 for locks and acting limits, and as value minus the speed of the target, so that the row is
J v + c.
"""

import math

import numpy as np

from ..jit import helper, kernel
from ..lie.mat3 import IDENTITY, apply9, mul9, scale9, store9, transpose9, transpose_apply9, transpose_mul9
from ..lie.so3 import (
    gamma_inverse,
    log,
    matrix,
    quaternion_conjugate_mul,
    quaternion_mul,
    rotate,
    rotate_inverse,
)
from ..lie.vec3 import add3, cross3, dot3, load3, scale3, store3, sub3
from .arrays import (
    ARM_1,
    ARM_2,
    BALL_LIMITED,
    BALL_LIMITS,
    DAMPING,
    DATA_STRIDE,
    DRIVE_FLIPS,
    DRIVE_SIDE,
    DRIVEN,
    DRIVES,
    FLAG_STRIDE,
    HINGE_ANGLE,
    LOCKS,
    LOWER,
    NODE_1,
    NODE_2,
    PLAIN,
    ROW_VALUE,
    STIFFNESS,
    SWING_TWIST,
    TARGET_OFFSET,
    TARGET_STRIDE,
    TIME_STEP,
    TURN_1,
    TURN_2,
    TURN_STRIDE,
    UPPER,
    WEIGHT,
    WORLD_PLACE,
)
from .ball import NINE, NODE_TILES, TURN_TILE, clear_row, limit_ball
from .drives import settle_drives
from .limits import DAMPED, INACTIVE, TWO_PI, rough_twist, settle_row, swing_rows, twist_angle, unwrap

U0, U1, U2, U3, U4, U5, U6 = (np.uint64(i) for i in range(7))


@helper
def load4(a, o):
    """Load the quaternion a[o … o+3]."""
    return (a[o], a[o + U1], a[o + U2], a[o + U3])


@helper
def mul_hat9(m, r):
    """M r̂, whose rows are those of M crossed with r."""
    a = cross3((m[0], m[1], m[2]), r)
    b = cross3((m[3], m[4], m[5]), r)
    c = cross3((m[6], m[7], m[8]), r)
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@helper
def place_rows(world, p1, m1, r1, local_1, p2, m2, r2):
    """C and ∂p₁, ∂θ₁, ∂p₂, ∂θ₂ of the place rows (header); R₁, R₂ and R₁ᴶ come as tiles."""
    origin_2 = add3(p2, apply9(m2, r2))
    arm_2 = mul_hat9(m2, r2)
    if world:
        value = sub3(add3(p1, apply9(m1, r1)), origin_2)
        return value, IDENTITY, scale9(-1.0, mul_hat9(m1, r1)), scale9(-1.0, IDENTITY), arm_2
    to_joint = transpose9(mul9(m1, local_1))
    y = transpose_apply9(m1, sub3(origin_2, p1))
    value = transpose_apply9(local_1, sub3(y, r1))
    turn_1, turn_2 = mul_hat9(transpose9(local_1), y), scale9(-1.0, mul9(to_joint, arm_2))
    return value, scale9(-1.0, to_joint), turn_1, to_joint, turn_2


@helper
def nearest_log(q, target):
    """Of the two rotation vectors of q shorter than 2π, the one nearer to ``target``."""
    t = log(q)
    angle = math.sqrt(dot3(t, t))
    if angle > 1e-3:
        other = scale3(1.0 - TWO_PI / angle, t)
        here, there = sub3(t, target), sub3(other, target)
        if dot3(there, there) < dot3(here, here):
            return other
    return t


@helper
def turn_rows(hinged, idle, relative, angle, target, left_1, left_2, local_q2):
    """C, ∂θ₁ and ∂θ₂ of the turn rows (header); ``angle``: the hinge's at the end of the last substep.

    ``idle``: the hinge's angle does nothing; it is taken for 0.
    """
    if hinged:
        swing, gradient = swing_rows(relative)
        twist = 0.0 if idle else unwrap(twist_angle(relative), angle)
        value = (swing[0], swing[1], twist)
        return value, scale9(-1.0, mul9(gradient, left_1)), mul9(gradient, left_2)
    value = nearest_log(relative, target)
    inverse = gamma_inverse(value)
    return value, scale9(-1.0, mul9(transpose9(inverse), left_1)), mul9(inverse, transpose9(matrix(local_q2)))


@kernel
def evaluate_joint(
    x, q, joint_data, joint_flags, index, sample, targets, turns,
    lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
):  # fmt: skip
    """Evaluate the six rows of joint ``index`` at the present state; return whether one of them is damped.

    x (3 a node, m, world), q (4 a node); joint_data, joint_flags, targets, turns: see ``arrays``; ``sample``: that of
    the substep's end; lam[lam_offset …]: the six λ so far (0 in the first iteration). ``index`` and all offsets are
    ``np.uint64``.

    out c[c_offset …]: six values; jac[jac_offset …]: for each node ∂place/∂p, ∂place/∂θ, ∂turn/∂θ, row-major 3×3;
    alpha[alpha_offset …]: six compliances, m/N and rad/(N·m). ``velocity``: rows of the damping solve (header).
    """
    d, f = index * DATA_STRIDE, index * FLAG_STRIDE
    node_1, node_2 = joint_flags[f + NODE_1], joint_flags[f + NODE_2]
    q1, q2 = load4(q, node_1 * U4), load4(q, node_2 * U4)
    local_q1, local_q2 = load4(joint_data, d + TURN_1), load4(joint_data, d + TURN_2)
    m1, m2, local_1 = matrix(q1), matrix(q2), matrix(local_q1)
    t = joint_flags[f + TARGET_OFFSET] + np.uint64(sample) * joint_flags[f + TARGET_STRIDE]
    t_before = t - joint_flags[f + TARGET_STRIDE] if sample > 0 else t

    value, a1, b1, a2, b2 = place_rows(
        joint_flags[f + WORLD_PLACE] != U0,
        load3(x, node_1 * U3), m1, load3(joint_data, d + ARM_1), local_1,
        load3(x, node_2 * U3), m2, load3(joint_data, d + ARM_2),
    )  # fmt: skip
    store3(c, c_offset, value)
    store9(jac, jac_offset, a1)
    store9(jac, jac_offset + NINE, b1)
    store9(jac, jac_offset + NODE_TILES, a2)
    store9(jac, jac_offset + NODE_TILES + NINE, b2)

    relative = quaternion_conjugate_mul(quaternion_mul(q1, local_q1), quaternion_mul(q2, local_q2))
    left_1, left_2 = transpose9(local_1), mul9(transpose9(local_1), transpose_mul9(m1, m2))
    value, d1, d2 = turn_rows(
        joint_flags[f + SWING_TWIST] != U0, joint_flags[f + PLAIN] != U0 and joint_flags[f + LOCKS + U5] == U0,
        relative, turns[index * TURN_STRIDE + HINGE_ANGLE], load3(targets, t + U3), left_1, left_2, local_q2,
    )  # fmt: skip
    store3(c, c_offset + U3, value)
    store9(jac, jac_offset + TURN_TILE, d1)
    store9(jac, jac_offset + NODE_TILES + TURN_TILE, d2)

    if joint_flags[f + PLAIN] != U0:
        lock_rows(joint_flags, f, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity)
        return False
    if joint_flags[f + DRIVEN] != U0 and not velocity:
        settle_drives(
            joint_data, d, joint_flags, f, targets, t, sample, turns, index * TURN_STRIDE,
            lam, lam_offset, c, c_offset, alpha, alpha_offset,
        )  # fmt: skip
    damped = settle_rows(
        joint_data, d, joint_flags, f, targets, t, t_before, turns, index * TURN_STRIDE + DRIVE_SIDE,
        lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
    )  # fmt: skip
    if joint_flags[f + BALL_LIMITED] != U0:
        limit_ball(
            joint_data, d, relative, value, targets, t, t_before, left_1, left_2, d1, d2,
            turns, index * TURN_STRIDE + BALL_LIMITS,
            lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
        )  # fmt: skip
    return damped


@helper
def lock_rows(flags, f, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity):
    """What ``settle_rows`` does where every row is locked or does nothing."""
    for i in range(6):
        row = np.uint64(i)
        locked = flags[f + LOCKS + row] != U0
        alpha[alpha_offset + row] = 0.0 if locked else 1.0
        if velocity or not locked:
            c[c_offset + row] = 0.0
        if locked:
            continue
        o = jac_offset + (row * U3 if row < U3 else TURN_TILE + (row - U3) * U3)
        for j in range(2):
            for e in range(3):
                jac[o + np.uint64(j) * NODE_TILES + np.uint64(e)] = 0.0
                if row < U3:
                    jac[o + np.uint64(j) * NODE_TILES + NINE + np.uint64(e)] = 0.0


@kernel
def settle_rows(
    data, d, flags, f, targets, t, t_before, turns, sides,
    lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
):  # fmt: skip
    """Turn the six raw values in ``c`` into what each row does now; return whether one is damped.

    Drives have settled their rows in the position solve; in the damping solve they keep their limits, which are in
    ``turns[sides]``. For a row without a drive, it holds λ of the last substep.
    """
    damped = False
    step = data[d + TIME_STEP]
    for i in range(6):
        row = np.uint64(i)
        if flags[f + LOCKS + row] != U0:
            alpha[alpha_offset + row] = 0.0
            if velocity:
                c[c_offset + row] = 0.0
            continue
        if flags[f + DRIVES + row] != U0 and (not velocity or abs(turns[sides + row]) == 2.0):
            if velocity:
                c[c_offset + row], alpha[alpha_offset + row] = 0.0, 0.0
            continue
        multiplier = lam[lam_offset + row]
        guess = turns[sides + row] if multiplier == 0.0 and not velocity else multiplier
        value, compliance, mode = settle_row(
            c[c_offset + row],
            targets[t + row],
            (targets[t + row] - targets[t_before + row]) / step,
            data[d + LOWER + row],
            data[d + UPPER + row],
            data[d + STIFFNESS + row],
            data[d + DAMPING + row],
            data[d + WEIGHT + row],
            multiplier,
            guess,
            step,
            velocity,
        )
        c[c_offset + row] = value
        alpha[alpha_offset + row] = compliance
        if mode == INACTIVE:
            clear_row(jac, jac_offset, row)
        elif mode == DAMPED:
            damped = True
    return damped


@kernel
def update_turns(x, q, joint_data, joint_flags, index, sample, lam, lam_offset, turns):
    """Remember, at the end of substep ``sample``, the angle of a hinge, the λ of limits, and values of driven rows."""
    d, f = index * DATA_STRIDE, index * FLAG_STRIDE
    if joint_flags[f + PLAIN] == U0:
        for i in range(6):
            row = np.uint64(i)
            if joint_flags[f + DRIVES + row] == U0:
                turns[index * TURN_STRIDE + DRIVE_SIDE + row] = lam[lam_offset + row]
    if joint_flags[f + SWING_TWIST] != U0:
        turn_1 = quaternion_mul(load4(q, joint_flags[f + NODE_1] * U4), load4(joint_data, d + TURN_1))
        turn_2 = quaternion_mul(load4(q, joint_flags[f + NODE_2] * U4), load4(joint_data, d + TURN_2))
        o = index * TURN_STRIDE + HINGE_ANGLE
        turns[o] = unwrap(rough_twist(quaternion_conjugate_mul(turn_1, turn_2)), turns[o])
    if joint_flags[f + DRIVEN] != U0:
        remember_rows(x, q, joint_data, joint_flags, index, sample, turns)


@kernel
def remember_rows(x, q, joint_data, joint_flags, index, sample, turns):
    """Keep the values of the six rows of a driven joint at the end of substep ``sample`` (only hinges have turns)."""
    d, f = index * DATA_STRIDE, index * FLAG_STRIDE
    node_1, node_2 = joint_flags[f + NODE_1], joint_flags[f + NODE_2]
    q1, q2 = load4(q, node_1 * U4), load4(q, node_2 * U4)
    turn_1 = quaternion_mul(q1, load4(joint_data, d + TURN_1))
    origin_1 = add3(load3(x, node_1 * U3), rotate(q1, load3(joint_data, d + ARM_1)))
    origin_2 = add3(load3(x, node_2 * U3), rotate(q2, load3(joint_data, d + ARM_2)))
    turns[index * TURN_STRIDE + DRIVE_FLIPS] = 0.0
    o = index * TURN_STRIDE + ROW_VALUE + (U6 if sample % 2 else U0)
    store3(turns, o, rotate_inverse(turn_1, sub3(origin_2, origin_1)))
    if joint_flags[f + SWING_TWIST] != U0:
        relative = quaternion_conjugate_mul(turn_1, quaternion_mul(q2, load4(joint_data, d + TURN_2)))
        swing, _ = swing_rows(relative)
        twist = unwrap(twist_angle(relative), turns[index * TURN_STRIDE + HINGE_ANGLE])
        store3(turns, o + U3, (swing[0], swing[1], twist))
