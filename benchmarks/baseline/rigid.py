"""Rigid bodies with joints solved one after the other: three ways of Fig. 12 and Table 1.

Body 0 is the world. A held body has inverse mass 0 and follows ``path``. State and joints are flat float64 arrays.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np

from tendril.solver.jit import helper, kernel
from tendril.solver.lie.so3 import minus, plus
from tendril.solver.lie.vec3 import add3, cross3, load3, scale3, store3, sub3, times3

from .rows import COLUMNS, SPHERICAL, load4, scalar_row, vector_rows

SCALAR, VECTOR, BLOCK = 0, 1, 2
U0, U1, U2, U3, U4, U6 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 6))
WIDTH = np.uint64(COLUMNS)


class Bodies(NamedTuple):
    """N bodies: x, v, w, inverse_inertia (3N,), q (4N,), mass (N,) with 0 for held ones, and joints between them."""

    x: np.ndarray
    q: np.ndarray
    v: np.ndarray
    w: np.ndarray
    inverse_mass: np.ndarray
    inertia: np.ndarray
    inverse_inertia: np.ndarray
    x_old: np.ndarray
    q_old: np.ndarray
    x_free: np.ndarray
    q_free: np.ndarray
    kinds: np.ndarray  # (J,)
    ends: np.ndarray  # (J, 2) uint64
    geometry: np.ndarray  # (14 J,)
    lam: np.ndarray  # (6 J,)
    c: np.ndarray  # (6,) scratch
    jac: np.ndarray  # (72,)
    system: np.ndarray  # (42,)
    force: np.ndarray  # (6N,)
    led: np.ndarray  # (1,) number of the body that follows the path, 0 for none
    path: np.ndarray  # (substeps + 1, 7)
    gravity: np.ndarray


@helper
def store4(a, o, q):
    for k in range(4):
        a[o + np.uint64(k)] = q[k]


@kernel
def push(n, column, amount, row, b, linear):
    """Move body n by W ∇Cᵀ Δλ of one row; ``linear``: the quaternion as published, q + ½ ω q, normalised."""
    o = row * WIDTH + column
    w = b.inverse_mass[n] * amount
    for k in range(U3):
        b.x[n * U3 + k] += w * b.jac[o + k]
    turn = scale3(amount, times3(load3(b.inverse_inertia, n * U3), load3(b.jac, o + U3)))
    q = load4(b.q, n * U4)
    if linear:
        h = scale3(0.5, turn)
        s = (
            q[0] - h[0] * q[1] - h[1] * q[2] - h[2] * q[3], q[1] + h[0] * q[0] + h[2] * q[2] - h[1] * q[3],
            q[2] + h[1] * q[0] + h[0] * q[3] - h[2] * q[1], q[3] + h[2] * q[0] + h[1] * q[1] - h[0] * q[2],
        )  # fmt: skip
        f = 1.0 / math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3])
        store4(b.q, n * U4, (f * s[0], f * s[1], f * s[2], f * s[3]))
    else:
        store4(b.q, n * U4, plus(q, turn))


@helper
def weighted(n, column, row, other, b):
    """The share of one body in J W Jᵀ [row, other]."""
    o, e = row * WIDTH + column, other * WIDTH + column
    s = 0.0
    for k in range(U3):
        s += b.jac[o + k] * b.jac[e + k] * b.inverse_mass[n]
        s += b.jac[o + U3 + k] * b.jac[e + U3 + k] * b.inverse_inertia[n * U3 + k]
    return s


@kernel
def solve_rows_alone(j, n1, n2, b):
    """(56) row by row; every row is evaluated at the places the row before has left."""
    row, rows = U0, U1
    while row < rows:
        rows = vector_rows(b.kinds[j], j, b.x, b.q, n1, n2, b.geometry, b.c, b.jac)
        s = weighted(n1, U0, row, row, b) + weighted(n2, U6, row, row, b)
        amount = -b.c[row] / s
        b.lam[U6 * np.uint64(j) + row] += amount
        push(n1, U0, amount, row, b, False)
        push(n2, U6, amount, row, b, False)
        row += U1


@kernel
def solve_block(j, n1, n2, b):
    """(124): all rows of a joint at once, by Cholesky's method."""
    rows = vector_rows(b.kinds[j], j, b.x, b.q, n1, n2, b.geometry, b.c, b.jac)
    a = b.system
    for i in range(rows):
        for k in range(i + U1):
            a[i * U6 + k] = weighted(n1, U0, i, k, b) + weighted(n2, U6, i, k, b)
    for i in range(rows):
        for k in range(i + U1):
            s = a[i * U6 + k]
            for e in range(k):
                s -= a[i * U6 + e] * a[k * U6 + e]
            a[i * U6 + k] = math.sqrt(s) if i == k else s / a[k * U6 + k]
    for i in range(rows):
        s = -b.c[i]
        for e in range(i):
            s -= a[i * U6 + e] * b.c[e]
        b.c[i] = s / a[i * U6 + i]
    for r in range(rows):
        i = rows - U1 - r
        s = b.c[i]
        for e in range(i + U1, rows):
            s -= a[e * U6 + i] * b.c[e]
        b.c[i] = s / a[i * U6 + i]
    for k in range(WIDTH):  # ∇Cᵀ Δλ as one row, so that each body moves once
        s = 0.0
        for i in range(rows):
            s += b.jac[i * WIDTH + k] * b.c[i]
        b.jac[k] = s
    for i in range(rows):
        b.lam[U6 * np.uint64(j) + i] += b.c[i]
    push(n1, U0, 1.0, U0, b, False)
    push(n2, U6, 1.0, U0, b, False)


@kernel
def solve_scalars(j, n1, n2, b):
    """Turn, then place, each as one scalar."""
    for place in range(0 if b.kinds[j] != SPHERICAL else 1, 2):
        c = scalar_row(place == 0, b.kinds[j], j, b.x, b.q, n1, n2, b.geometry, b.jac)
        if c > 0.0:
            amount = -c / (weighted(n1, U0, U0, U0, b) + weighted(n2, U6, U0, U0, b))
            b.lam[U6 * np.uint64(j) + np.uint64(place)] += amount
            push(n1, U0, amount, U0, b, True)
            push(n2, U6, amount, U0, b, True)


@kernel
def predict(b, dt, sample):
    """(46), (48); the led body goes where its path wants it."""
    for i in range(np.uint64(b.inverse_mass.shape[0])):
        p, q, w = load3(b.x, i * U3), load4(b.q, i * U4), load3(b.w, i * U3)
        store3(b.x_old, i * U3, p)
        store4(b.q_old, i * U4, q)
        if b.inverse_mass[i] > 0.0:
            v = add3(load3(b.v, i * U3), scale3(dt, load3(b.gravity, U0)))
            store3(b.x, i * U3, add3(p, scale3(dt, v)))
            torque = cross3(times3(load3(b.inertia, i * U3), w), w)
            w = add3(w, scale3(dt, times3(load3(b.inverse_inertia, i * U3), torque)))
            store4(b.q, i * U4, plus(q, scale3(dt, w)))
        elif b.led[0] == i and i > 0:
            for k in range(3):
                b.x[i * U3 + np.uint64(k)] = b.path[sample, k]
            for k in range(4):
                b.q[i * U4 + np.uint64(k)] = b.path[sample, 3 + k]
        store3(b.x_free, i * U3, load3(b.x, i * U3))
        store4(b.q_free, i * U4, load4(b.q, i * U4))


@kernel
def residuals(mode, b):
    """Norms of (51) and (52), with the gradients that the method itself uses; of |C| for scalars."""
    for k in range(b.force.shape[0]):
        b.force[k] = 0.0
    constraint = 0.0
    for j in range(b.kinds.shape[0]):
        n1, n2 = b.ends[j, 0], b.ends[j, 1]
        rows = U2
        if mode != SCALAR:
            rows = vector_rows(b.kinds[j], j, b.x, b.q, n1, n2, b.geometry, b.c, b.jac)
        for i in range(rows):
            o = i * WIDTH
            if mode == SCALAR:
                o = U0
                if i == 0 and b.kinds[j] == SPHERICAL:
                    continue
                b.c[i] = scalar_row(i == 0, b.kinds[j], j, b.x, b.q, n1, n2, b.geometry, b.jac)
            constraint += b.c[i] * b.c[i]
            amount = b.lam[U6 * np.uint64(j) + i]
            for k in range(U6):
                b.force[n1 * U6 + k] += b.jac[o + k] * amount
                b.force[n2 * U6 + k] += b.jac[o + U6 + k] * amount
    primal = 0.0
    for i in range(np.uint64(b.inverse_mass.shape[0])):
        if b.inverse_mass[i] == 0.0:
            continue
        move = scale3(1.0 / b.inverse_mass[i], sub3(load3(b.x, i * U3), load3(b.x_free, i * U3)))
        turn = times3(load3(b.inertia, i * U3), minus(load4(b.q, i * U4), load4(b.q_free, i * U4)))
        e, f = sub3(move, load3(b.force, i * U6)), sub3(turn, load3(b.force, i * U6 + U3))
        primal += e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + f[0] * f[0] + f[1] * f[1] + f[2] * f[2]
    return math.sqrt(primal), math.sqrt(constraint)


@numba.njit(error_model="numpy", nogil=True)
def run(mode, b, dt, first, count, iterations, out):
    """Advance ``count`` substeps from sample ``first``; fill out (count, 2) with residuals unless it is empty."""
    for s in range(count):
        predict(b, dt, first + s + 1)
        for k in range(b.lam.shape[0]):
            b.lam[k] = 0.0
        for _ in range(iterations):
            for j in range(b.kinds.shape[0]):
                n1, n2 = b.ends[j, 0], b.ends[j, 1]
                if mode == SCALAR:
                    solve_scalars(j, n1, n2, b)
                elif mode == VECTOR:
                    solve_rows_alone(j, n1, n2, b)
                else:
                    solve_block(j, n1, n2, b)
        for i in range(np.uint64(b.inverse_mass.shape[0])):
            store3(b.v, i * U3, scale3(1.0 / dt, sub3(load3(b.x, i * U3), load3(b.x_old, i * U3))))
            store3(b.w, i * U3, scale3(1.0 / dt, minus(load4(b.q, i * U4), load4(b.q_old, i * U4))))
        if out.shape[0] > 0:
            out[s, 0], out[s, 1] = residuals(mode, b)
