"""Constraints of joints between two rigid bodies, as vectors (the paper) and as scalars (Müller et al. 2020).

A joint has a frame on each body: an arm r and a turn Rᴶ in the body's axes. ``geometry`` holds 14 numbers a joint: arm
and turn on body 1, arm and turn on body 2.
"""

from __future__ import annotations

import math

import numpy as np

from tendril.solver.jit import helper, kernel
from tendril.solver.lie.mat3 import (
    add9,
    apply9,
    hat9,
    mul9,
    outer9,
    scale9,
    transpose9,
    transpose_apply9,
    transpose_mul9,
)  # fmt: skip
from tendril.solver.lie.series import inverse_gamma_c
from tendril.solver.lie.so3 import log, matrix, quaternion_conjugate_mul, quaternion_mul
from tendril.solver.lie.vec3 import add3, cross3, dot3, load3, scale3, store3, sub3

REVOLUTE, SPHERICAL, PRISMATIC, PLANAR = 0, 1, 2, 3
GEOMETRY = 14
COLUMNS = 12  # of a row of the Jacobian: place and turn of body 1, then of body 2
U0, U1, U2, U3, U4, U6 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 6))
TURN_1, ARM_2, TURN_2 = np.uint64(3), np.uint64(7), np.uint64(10)
STRIDE, WIDTH = np.uint64(GEOMETRY), np.uint64(COLUMNS)
ZERO = (0.0, 0.0, 0.0)
# Rows of place and turn that each kind has, as [first, last): place in the world or in body 1's joint frame, turn.
PLACE_FIRST, PLACE_LAST, TURN_LAST = (0, 0, 0, 2), (3, 3, 2, 3), (2, 0, 3, 2)


@helper
def load4(a, o):
    return a[o], a[o + U1], a[o + U2], a[o + U3]


@helper
def element(m, i, k):
    """M[i, k] of a tile, for numbers i and k known at run time."""
    r = (m[0], m[1], m[2]) if i == 0 else ((m[3], m[4], m[5]) if i == 1 else (m[6], m[7], m[8]))
    return r[0] if k == 0 else (r[1] if k == 1 else r[2])


@helper
def component(v, i):
    return v[0] if i == 0 else (v[1] if i == 1 else v[2])


@helper
def put(jac, row, column, m, i):
    """Write row i of a tile into a row of the Jacobian."""
    o = row * WIDTH + column
    for k in range(3):
        jac[o + np.uint64(k)] = element(m, i, k)


@kernel
def vector_rows(kind, j, x, q, n1, n2, geometry, c, jac):
    """Fill C and ∇C of (72), (75), (79), or of a plane and its normal; return how many rows there are."""
    g = np.uint64(j) * STRIDE
    p1, p2 = load3(x, n1 * U3), load3(x, n2 * U3)
    q1, q2 = load4(q, n1 * U4), load4(q, n2 * U4)
    m1, m2 = matrix(q1), matrix(q2)
    r1, r2 = load3(geometry, g), load3(geometry, g + ARM_2)
    t1, t2 = load4(geometry, g + TURN_1), load4(geometry, g + TURN_2)
    l1, l2 = matrix(t1), matrix(t2)
    o2 = add3(p2, apply9(m2, r2))
    arm_2 = mul9(m2, hat9(r2))
    one = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    if kind in (REVOLUTE, SPHERICAL):
        value = sub3(add3(p1, apply9(m1, r1)), o2)
        a1, b1, a2, b2 = one, scale9(-1.0, mul9(m1, hat9(r1))), scale9(-1.0, one), arm_2
    else:
        y = transpose_apply9(m1, sub3(o2, p1))
        frame = transpose9(mul9(m1, l1))
        value = transpose_apply9(l1, sub3(y, r1))
        a1, b1 = scale9(-1.0, frame), transpose_mul9(l1, hat9(y))
        a2, b2 = frame, scale9(-1.0, mul9(frame, arm_2))
    row = U0
    for i in range(PLACE_FIRST[kind], PLACE_LAST[kind]):
        c[row] = component(value, i)
        put(jac, row, U0, a1, i)
        put(jac, row, U3, b1, i)
        put(jac, row, U6, a2, i)
        put(jac, row, np.uint64(9), b2, i)
        row += U1
    if TURN_LAST[kind] == 0:
        return row
    e = log(quaternion_conjugate_mul(quaternion_mul(q2, t2), quaternion_mul(q1, t1)))  # R̄₁ ⊟ R̄₂
    s = inverse_gamma_c(dot3(e, e))
    even = add9(one, scale9(s, add9(outer9(e, e), scale9(-dot3(e, e), one))))
    d1 = mul9(add9(even, scale9(0.5, hat9(e))), transpose9(l1))
    d2 = scale9(-1.0, mul9(add9(even, scale9(-0.5, hat9(e))), transpose9(l2)))
    for i in range(TURN_LAST[kind]):
        c[row] = component(e, i)
        for k in range(COLUMNS):
            jac[row * WIDTH + np.uint64(k)] = 0.0
        put(jac, row, U3, d1, i)
        put(jac, row, np.uint64(9), d2, i)
        row += U1
    return row


@helper
def place_gap(kind, p1, m1, r1, l1, p2, m2, r2):
    """Δr of Müller et al.: the gap p̄₁ − p̄₂, for a slider across its axis, for a plane along its normal."""
    gap = sub3(add3(p1, apply9(m1, r1)), add3(p2, apply9(m2, r2)))
    if kind in (PRISMATIC, PLANAR):
        axis = apply9(m1, (l1[2], l1[5], l1[8]))
        along = scale3(dot3(axis, gap), axis)
        return along if kind == PLANAR else sub3(gap, along)
    return gap


@helper
def turn_gap(kind, q1, m1, t1, l1, q2, m2, t2, l2):
    """Δφ of Müller et al., world axes: what body 1 would have to turn by; a₁ × a₂, or 2 Im(q₂ q₁⁻¹)."""
    if kind == PRISMATIC:
        b1, b2 = quaternion_mul(q1, t1), quaternion_mul(q2, t2)
        d = quaternion_mul(b2, (b1[0], -b1[1], -b1[2], -b1[3]))
        s = 2.0 if d[0] >= 0.0 else -2.0
        return s * d[1], s * d[2], s * d[3]
    return cross3(apply9(m1, (l1[2], l1[5], l1[8])), apply9(m2, (l2[2], l2[5], l2[8])))


@kernel
def scalar_row(turn, kind, j, x, q, n1, n2, geometry, jac):
    """C = |Δr| or |Δφ| and its gradient as Müller et al. take it; 0 where the gap is 0 and so has no direction."""
    g = np.uint64(j) * STRIDE
    q1, q2 = load4(q, n1 * U4), load4(q, n2 * U4)
    m1, m2 = matrix(q1), matrix(q2)
    t1, t2 = load4(geometry, g + TURN_1), load4(geometry, g + TURN_2)
    l1, l2 = matrix(t1), matrix(t2)
    for k in range(COLUMNS):
        jac[np.uint64(k)] = 0.0
    r1, r2 = load3(geometry, g), load3(geometry, g + ARM_2)
    if turn:
        gap = turn_gap(kind, q1, m1, t1, l1, q2, m2, t2, l2)
    else:
        gap = place_gap(kind, load3(x, n1 * U3), m1, r1, l1, load3(x, n2 * U3), m2, r2)
    size = math.sqrt(dot3(gap, gap))
    if size == 0.0:
        return 0.0
    n = scale3(1.0 / size, gap)
    if turn:
        store3(jac, U3, scale3(-1.0, transpose_apply9(m1, n)))
        store3(jac, np.uint64(9), transpose_apply9(m2, n))
    else:
        store3(jac, U0, n)
        store3(jac, U3, cross3(r1, transpose_apply9(m1, n)))
        store3(jac, U6, scale3(-1.0, n))
        store3(jac, np.uint64(9), scale3(-1.0, cross3(r2, transpose_apply9(m2, n))))
    return size
