"""Strains of a rod element and their Jacobian (paper 6.3.2, 6.3.3 and Appendix G).

On an element with nodes j = 1 … n, local rotation vectors θ_j = R_j ⊟ R_1 and basis φ_j:

    θ(ξ) = Σ φ_j θ_j              R(ξ) = R_1 ⊞ θ(ξ)             (99), (100)
    v = R(ξ)ᵀ p′                  u = Γ(θ) θ′                   (101), (103)

with ′ = d/ds = (1/l) d/dξ. The constraint of a Gauss point is C = (v − v*, u − u*), where v*, u* are the strains of
the shape that is free of stress (v* = e₃, u* = 0 for a straight rod).

With G_j = Γ⁻¹(θ_j), H = Σ φ_j G_jᵀ, H′ = Σ φ′_j G_jᵀ and K = ∂(Γ(θ)θ′)/∂θ:

    ∂v/∂p_j = φ′_j R(ξ)ᵀ
    ∂v/∂θ_j = v̂ φ_j Γ G_j         ∂v/∂θ_1 = v̂ (exp(θ)ᵀ − Γ H)
    ∂u/∂θ_j = (φ_j K + φ′_j Γ) G_j     ∂u/∂θ_1 = −K H − Γ H′

The shortest logarithm would turn over where two nodes of an element pass half a turn, as they do where a limp rod hangs
from a level clamp: the frames in between would point backwards, and the energy of that comes from nowhere. So θ_j is
the one of two logarithms on whose way the rod looks along its chord, see ``local_turn``.
"""

import math

import numpy as np

from ..jit import helper
from ..lie.mat3 import (
    ZERO,
    add9,
    apply9,
    hat9,
    hat_mul9,
    load9,
    mul9,
    scale9,
    store9,
    sub9,
    transpose9,
    transpose_apply9,
)
from ..lie.series import gamma_a, gamma_a_slope, gamma_b, gamma_b_slope
from ..lie.so3 import contracted_derivative, exp, gamma_inverse, hat_polynomial, matrix, minus, quaternion_mul, rotate
from ..lie.vec3 import add3, dot3, load3, scale3, store3, sub3

U1, U2, U3, U4, U6, U9 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(6), np.uint64(9)
U12, U18, U27 = np.uint64(12), np.uint64(18), np.uint64(27)
TWO_PI = 2.0 * math.pi
BACKWARDS = 0.1  # share of the chord that the frame halfway has to look back along


@helper
def load4(a, o):
    """Load the quaternion a[o … o+3]."""
    return (a[o], a[o + U1], a[o + U2], a[o + U3])


@helper
def local_turn(q1, q2, chord):
    """θ = R_2 ⊟ R_1, or θ − 2π θ/|θ| where half of that turn rather than half of θ takes d3 towards ``chord`` (world).

    The two differ halfway by half a turn about n = R_1 θ/|θ|, which turns over what of d3 is across n. Below one radian
    the other is never meant (and at 2π Γ⁻¹ is singular). A twist has nothing across n, nor has what little a twisted
    rod bends any say: it stays the shorter one.
    """
    t = minus(q2, q1)
    x = dot3(t, t)
    if x > 1.0:
        angle = math.sqrt(x)
        axis = scale3(1.0 / angle, rotate(q1, t))
        middle = rotate(quaternion_mul(q1, exp(scale3(0.5, t))), (0.0, 0.0, 1.0))
        across = dot3(middle, chord) - dot3(axis, middle) * dot3(axis, chord)
        if across < -BACKWARDS * math.sqrt(dot3(chord, chord)):
            return scale3(1.0 - TWO_PI / angle, t)
    return t


@helper
def element_strain(x, q, node, last, m, inverse_length, basis, table, rest, row, c, jac, oj, work):
    """Evaluate C and its Jacobian at all Gauss points of one element.

    ``x``, ``q``: positions (3 a node) and rotations (4 a node); ``node``: first node, those behind it follow, but the
    last is ``last`` (a ring comes back to its first); ``m``: order = Gauss points.
    ``basis`` at ``table``: (m, 2, n) φ and dφ/dξ. ``rest`` at ``row``: (m, 6) v*, u*.
    out ``c`` at ``row``: (m, 6). out ``jac`` at ``oj``: tiles (m, n, 3) of ∂v/∂p, ∂v/∂θ, ∂u/∂θ.
    ``work``: (n, 12) scratch for θ_j and G_j.
    """
    n = m + U1
    q1 = load4(q, node * U4)
    for j in range(U1, n):
        i = last if j == m else node + j
        t = local_turn(q1, load4(q, i * U4), sub3(load3(x, i * U3), load3(x, node * U3)))
        store3(work, j * U12, t)
        store9(work, j * U12 + U3, gamma_inverse(t))
    for g in range(m):
        phi = table + g * U2 * n
        slope = phi + n
        theta = (0.0, 0.0, 0.0)
        bend = (0.0, 0.0, 0.0)  # θ′
        tangent = scale3(basis[slope] * inverse_length, load3(x, node * U3))  # p′
        h = ZERO  # Hᵀ
        hp = ZERO  # H′ᵀ
        for j in range(U1, n):
            f, fp = basis[phi + j], basis[slope + j] * inverse_length
            t = load3(work, j * U12)
            gj = load9(work, j * U12 + U3)
            theta = add3(theta, scale3(f, t))
            bend = add3(bend, scale3(fp, t))
            i = last if j == m else node + j
            tangent = add3(tangent, scale3(fp, load3(x, i * U3)))
            h = add9(h, scale9(f, gj))
            hp = add9(hp, scale9(fp, gj))
        xx = dot3(theta, theta)
        a, b = gamma_a(xx), gamma_b(xx)
        gamma = hat_polynomial(theta, xx, -a, b)
        k = contracted_derivative(theta, bend, a, b, gamma_a_slope(xx, a, b), gamma_b_slope(xx, a, b))
        turn = exp(theta)
        frame = matrix(quaternion_mul(q1, turn))
        frame_t = transpose9(frame)
        v = transpose_apply9(frame, tangent)
        # u = Γ θ′
        u = (
            gamma[0] * bend[0] + gamma[1] * bend[1] + gamma[2] * bend[2],
            gamma[3] * bend[0] + gamma[4] * bend[1] + gamma[5] * bend[2],
            gamma[6] * bend[0] + gamma[7] * bend[1] + gamma[8] * bend[2],
        )
        o = row + g * U6
        c[o] = v[0] - rest[o]
        c[o + U1] = v[1] - rest[o + U1]
        c[o + U2] = v[2] - rest[o + U2]
        c[o + U3] = u[0] - rest[o + U3]
        c[o + U4] = u[1] - rest[o + U4]
        c[o + U4 + U1] = u[2] - rest[o + U4 + U1]

        o = oj + g * n * U27
        store9(jac, o, scale9(basis[slope] * inverse_length, frame_t))
        ht, hpt = transpose9(h), transpose9(hp)
        store9(jac, o + U9, hat_mul9(v, sub9(transpose9(matrix(turn)), mul9(gamma, ht))))
        store9(jac, o + U18, scale9(-1.0, add9(mul9(k, ht), mul9(gamma, hpt))))
        for j in range(U1, n):
            f, fp = basis[phi + j], basis[slope + j] * inverse_length
            gj = load9(work, j * U12 + U3)
            gg = mul9(gamma, gj)
            o += U27
            store9(jac, o, scale9(fp, frame_t))
            store9(jac, o + U9, hat_mul9(v, scale9(f, gg)))
            store9(jac, o + U18, add9(scale9(f, mul9(k, gj)), scale9(fp, gg)))


@helper
def chain_strain(x, q, node, last, inverse_length, rest, row, c, jac, oj):
    """Evaluate C and its Jacobian of a link of order 0, the chain of rigid bodies (89), (90), (93).

    v = ½ (R₁ᵀ + R₂ᵀ)(p₂ − p₁)/l, u = (R₂ ⊟ R₁)/l; gradients (176), (177), (179). Arguments as ``element_strain``.
    """
    q1, q2 = load4(q, node * U4), load4(q, last * U4)
    r1, r2 = transpose9(matrix(q1)), transpose9(matrix(q2))
    way = scale3(inverse_length, sub3(load3(x, last * U3), load3(x, node * U3)))
    v1, v2 = apply9(r1, way), apply9(r2, way)
    turn = minus(q2, q1)
    inverse = scale9(inverse_length, gamma_inverse(turn))
    for e in range(3):
        c[row + np.uint64(e)] = 0.5 * (v1[e] + v2[e]) - rest[row + np.uint64(e)]
        c[row + np.uint64(3 + e)] = inverse_length * turn[e] - rest[row + np.uint64(3 + e)]
    place = scale9(0.5 * inverse_length, add9(r1, r2))
    store9(jac, oj, scale9(-1.0, place))
    store9(jac, oj + U9, scale9(0.5, hat9(v1)))
    store9(jac, oj + U18, scale9(-1.0, transpose9(inverse)))
    store9(jac, oj + U27, place)
    store9(jac, oj + U27 + U9, scale9(0.5, hat9(v2)))
    store9(jac, oj + U27 + U18, inverse)
