"""Exact elimination of a tree of connectors in one linear pass (paper section 8, for any tree instead of one rod).

A connector (rod element, joint) carries m pairs of rows (place and turn, 3 + 3) on n local nodes. Two of them are its
ends, *child* and *parent*; the rest belong to it alone. Leaves first, each connector is eliminated from

    [ T    V Ŵ ] [ Δλ ]   [ b ]        T = α̃ + Σ_j J_j W_j J_jᵀ     (own nodes, child and parent)
    [ Ŵ Vᵀ  Ŵ  ] [ f  ] = [ Δx − d ]   b = −C − α̃ λ − U d_child − V d_parent

where Ŵ (6×6) is the effective inverse mass of an end, with all that hangs on it already eliminated, d its
displacement without further force, and f the force that the connectors still to come put on it (nodes of its own have
a Ŵ and d of their own, too). Hence

    T = L D Lᵀ,  Y = L⁻¹ V Ŵ,  z = L⁻¹ b
    Ŵ ← Ŵ − Yᵀ D⁻¹ Y,   d ← d + Yᵀ D⁻¹ z                      (on the way to the root)
    Δλ = L⁻ᵀ D⁻¹ (z − Y f),   f_j += J_jᵀ Δλ                   (on the way back)

and finally Δx = d + W f at every node, eq. (57), with its own W and d: internal forces keep momentum to rounding.
Without fill, exact for any mass ratio, and the same code serves the velocity solve (65), (66).

Scratch of a connector with R = 2m tile rows, at ``of`` in ``factor``: tiles of L below the diagonal by rows
(R(R+1)/2 tiles; a diagonal tile holds M and D⁻¹ of ``factor_tile``), Y (R×2 tiles), z (R×3).
Scratch of a node: ``effective`` 27 (tiles Ŵpp, Ŵpθ, Ŵθθ), ``shift`` 6 (d), ``force`` 6 (f).
"""

import numpy as np

from ..jit import helper
from ..lie.mat3 import (
    add9,
    apply9,
    diagonal9,
    load9,
    mirror9,
    mul9,
    mul_transpose9,
    mul_transpose_lower9,
    scale9,
    scale_columns9,
    store9,
    sub9,
    transpose9,
    transpose_apply9,
)
from ..lie.vec3 import accumulate3, add3, load3, store3, sub3, times3
from .tiles import factor_tile, lower_apply, lower_mul, lower_transpose_apply, mul_lower_transpose

U0, U1, U2, U3, U4, U6 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(6)
U9, U18, U27 = np.uint64(9), np.uint64(18), np.uint64(27)

FIXED = np.uint64(0)  # the end does not move: inverse mass 0
SINGLE = np.uint64(1)  # nothing was eliminated into the end yet: its inverse mass is diagonal
LOADED = np.uint64(2)  # the end carries others: its effective inverse mass is dense


@helper
def clear_right_side(m, of, factor):
    """z = 0."""
    rows = U2 * m
    oz = of + (rows * (rows + U1) // U2 + U2 * rows) * U9
    for r in range(U3 * rows):
        factor[oz + r] = 0.0


@helper
def tile_at(r, s):
    """Offset of tile (r, s), s ≤ r, in the packed lower triangle."""
    return (r * (r + U1) // U2 + s) * U9


@helper
def begin(m, row, of, c, lam, alpha, scale, factor):
    """Start T with α̃ = scale·α on the diagonal and z with b = −C − α̃ λ."""
    rows = U2 * m
    oz = of + (rows * (rows + U1) // U2 + U2 * rows) * U9
    for r in range(rows):
        for s in range(r):
            store9(factor, of + tile_at(r, s), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        o = row + r * U3
        a = (scale * alpha[o], scale * alpha[o + U1], scale * alpha[o + U2])
        store9(factor, of + tile_at(r, r), diagonal9(a))
        b = add3(load3(c, o), times3(a, load3(lam, o)))
        store3(factor, oz + r * U3, (-b[0], -b[1], -b[2]))


@helper
def add_tile(factor, o, t):
    """Add a tile to factor[o …]."""
    store9(factor, o, add9(load9(factor, o), t))


@helper
def add_single(m, n, j, oj, of, jac, w, wr, keep, factor):
    """Add J_j W J_jᵀ of a node with diagonal inverse mass (w, wr) to T; where ``keep``, also store V W in Y."""
    rows = U2 * m
    oy = of + rows * (rows + U1) // U2 * U9
    for g in range(m):
        o = oj + (g * n + j) * U27
        xa = scale9(w, load9(jac, o))
        xb = scale_columns9(load9(jac, o + U9), wr)
        xd = scale_columns9(load9(jac, o + U18), wr)
        rv, ru = U2 * g, U2 * g + U1
        for h in range(g):
            p = oj + (h * n + j) * U27
            b, d = load9(jac, p + U9), load9(jac, p + U18)
            sv, su = U2 * h, U2 * h + U1
            add_tile(factor, of + tile_at(rv, sv), add9(mul_transpose9(xa, load9(jac, p)), mul_transpose9(xb, b)))
            add_tile(factor, of + tile_at(rv, su), mul_transpose9(xb, d))
            add_tile(factor, of + tile_at(ru, sv), mul_transpose9(xd, b))
            add_tile(factor, of + tile_at(ru, su), mul_transpose9(xd, d))
        b, d = load9(jac, o + U9), load9(jac, o + U18)
        low = add9(mul_transpose_lower9(xa, load9(jac, o)), mul_transpose_lower9(xb, b))
        add_tile(factor, of + tile_at(rv, rv), low)
        add_tile(factor, of + tile_at(ru, rv), mul_transpose9(xd, b))
        add_tile(factor, of + tile_at(ru, ru), mul_transpose_lower9(xd, d))
        if keep:
            store9(factor, oy + rv * U18, xa)
            store9(factor, oy + rv * U18 + U9, xb)
            store9(factor, oy + ru * U18, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
            store9(factor, oy + ru * U18 + U9, xd)


@helper
def add_loaded(m, n, j, oj, of, jac, node, effective, keep, factor):
    """Add J_j Ŵ J_jᵀ of a node with dense effective inverse mass to T; where ``keep``, also store V Ŵ in Y."""
    rows = U2 * m
    oy = of + rows * (rows + U1) // U2 * U9
    wpp = load9(effective, node * U27)
    wpt = load9(effective, node * U27 + U9)
    wtt = load9(effective, node * U27 + U18)
    wtp = transpose9(wpt)
    for g in range(m):
        o = oj + (g * n + j) * U27
        a, b, d = load9(jac, o), load9(jac, o + U9), load9(jac, o + U18)
        rv, ru = U2 * g, U2 * g + U1
        xvp = add9(mul9(a, wpp), mul9(b, wtp))
        xvt = add9(mul9(a, wpt), mul9(b, wtt))
        xup = mul9(d, wtp)
        xut = mul9(d, wtt)
        for h in range(g):
            p = oj + (h * n + j) * U27
            ah, bh, dh = load9(jac, p), load9(jac, p + U9), load9(jac, p + U18)
            sv, su = U2 * h, U2 * h + U1
            add_tile(factor, of + tile_at(rv, sv), add9(mul_transpose9(xvp, ah), mul_transpose9(xvt, bh)))
            add_tile(factor, of + tile_at(rv, su), mul_transpose9(xvt, dh))
            add_tile(factor, of + tile_at(ru, sv), add9(mul_transpose9(xup, ah), mul_transpose9(xut, bh)))
            add_tile(factor, of + tile_at(ru, su), mul_transpose9(xut, dh))
        low = add9(mul_transpose_lower9(xvp, a), mul_transpose_lower9(xvt, b))
        add_tile(factor, of + tile_at(rv, rv), low)
        add_tile(factor, of + tile_at(ru, rv), add9(mul_transpose9(xup, a), mul_transpose9(xut, b)))
        add_tile(factor, of + tile_at(ru, ru), mul_transpose_lower9(xut, d))
        if keep:
            store9(factor, oy + rv * U18, xvp)
            store9(factor, oy + rv * U18 + U9, xvt)
            store9(factor, oy + ru * U18, xup)
            store9(factor, oy + ru * U18 + U9, xut)


@helper
def subtract_shift(m, n, j, oj, of, jac, node, shift, factor):
    """z −= J_j d_j."""
    rows = U2 * m
    oz = of + (rows * (rows + U1) // U2 + U2 * rows) * U9
    dp, dt = load3(shift, node * U6), load3(shift, node * U6 + U3)
    for g in range(m):
        o = oj + (g * n + j) * U27
        rv = oz + U2 * g * U3
        dv = add3(apply9(load9(jac, o), dp), apply9(load9(jac, o + U9), dt))
        store3(factor, rv, sub3(load3(factor, rv), dv))
        store3(factor, rv + U3, sub3(load3(factor, rv + U3), apply9(load9(jac, o + U18), dt)))


@helper
def factorize(m, of, keep, factor, panel):
    """Factor T = L D Lᵀ in place, z ← L⁻¹ z and, where ``keep``, Y ← L⁻¹ Y. Return whether all pivots are positive.

    ``panel``: scratch of R tiles for the column being eliminated, L D.
    """
    rows = U2 * m
    oy = of + rows * (rows + U1) // U2 * U9
    oz = oy + U2 * rows * U9
    good = True
    for k in range(rows):
        od = of + tile_at(k, k)
        t = factor_tile(load9(factor, od))
        good = good and t[3] > 0.0 and t[4] > 0.0 and t[5] > 0.0
        inverse = (t[3], t[4], t[5])
        store3(factor, od, (t[0], t[1], t[2]))
        store3(factor, od + U3, inverse)
        z = lower_apply(t, load3(factor, oz + k * U3))
        store3(factor, oz + k * U3, z)
        if keep:
            y1 = lower_mul(t, load9(factor, oy + k * U18))
            y2 = lower_mul(t, load9(factor, oy + k * U18 + U9))
            store9(factor, oy + k * U18, y1)
            store9(factor, oy + k * U18 + U9, y2)
        for r in range(k + U1, rows):
            o = of + tile_at(r, k)
            p = mul_lower_transpose(load9(factor, o), t)
            low = scale_columns9(p, inverse)
            store9(panel, r * U9, p)
            store9(factor, o, low)
            store3(factor, oz + r * U3, sub3(load3(factor, oz + r * U3), apply9(low, z)))
            if keep:
                store9(factor, oy + r * U18, sub9(load9(factor, oy + r * U18), mul9(low, y1)))
                store9(factor, oy + r * U18 + U9, sub9(load9(factor, oy + r * U18 + U9), mul9(low, y2)))
            for s in range(k + U1, r):
                e = of + tile_at(r, s)
                store9(
                    factor, e, sub9(load9(factor, e), mul_transpose9(p, load9(factor, of + tile_at(s, k))))
                )
            e = of + tile_at(r, r)
            store9(factor, e, sub9(load9(factor, e), mul_transpose_lower9(p, low)))
    return good


@helper
def hand_on(m, of, node, effective, shift, factor):
    """Load the parent with the eliminated connector: Ŵ ← Ŵ − Yᵀ D⁻¹ Y, d ← d + Yᵀ D⁻¹ z."""
    rows = U2 * m
    oy = of + rows * (rows + U1) // U2 * U9
    oz = oy + U2 * rows * U9
    wpp = load9(effective, node * U27)
    wpt = load9(effective, node * U27 + U9)
    wtt = load9(effective, node * U27 + U18)
    dp, dt = load3(shift, node * U6), load3(shift, node * U6 + U3)
    for r in range(rows):
        inverse = load3(factor, of + tile_at(r, r) + U3)
        y1t = transpose9(load9(factor, oy + r * U18))
        y2 = load9(factor, oy + r * U18 + U9)
        y2t = transpose9(y2)
        s1, s2 = scale_columns9(y1t, inverse), scale_columns9(y2t, inverse)
        z = load3(factor, oz + r * U3)
        wpp = sub9(wpp, mul_transpose_lower9(s1, y1t))
        wpt = sub9(wpt, mul_transpose9(s1, y2t))
        wtt = sub9(wtt, mul_transpose_lower9(s2, y2t))
        dp = add3(dp, apply9(s1, z))
        dt = add3(dt, apply9(s2, z))
    store9(effective, node * U27, mirror9(wpp))
    store9(effective, node * U27 + U9, wpt)
    store9(effective, node * U27 + U18, mirror9(wtt))
    store3(shift, node * U6, dp)
    store3(shift, node * U6 + U3, dt)


@helper
def forward(m, of, factor):
    """z ← L⁻¹ z with the factors there are: for another right side."""
    rows = U2 * m
    oz = of + (rows * (rows + U1) // U2 + U2 * rows) * U9
    for k in range(rows):
        z = lower_apply(load3(factor, of + tile_at(k, k)), load3(factor, oz + k * U3))
        store3(factor, oz + k * U3, z)
        for r in range(k + U1, rows):
            o = oz + r * U3
            store3(factor, o, sub3(load3(factor, o), apply9(load9(factor, of + tile_at(r, k)), z)))


@helper
def hand_shift_on(m, of, node, shift, factor):
    """d ← d + Yᵀ D⁻¹ z: the part of ``hand_on`` that another right side changes."""
    rows = U2 * m
    oy = of + rows * (rows + U1) // U2 * U9
    oz = oy + U2 * rows * U9
    for r in range(rows):
        e = times3(load3(factor, of + tile_at(r, r) + U3), load3(factor, oz + r * U3))
        accumulate3(shift, node * U6, transpose_apply9(load9(factor, oy + r * U18), e))
        accumulate3(shift, node * U6 + U3, transpose_apply9(load9(factor, oy + r * U18 + U9), e))


@helper
def substitute(m, row, of, keep, fp, ft, factor, lam, delta):
    """Solve Δλ = L⁻ᵀ D⁻¹ (z − Y f) for the force f = (fp, ft) on the parent; λ += Δλ; out ``delta`` (R, 3)."""
    rows = U2 * m
    oy = of + rows * (rows + U1) // U2 * U9
    oz = oy + U2 * rows * U9
    for i in range(rows):
        r = rows - U1 - i
        od = of + tile_at(r, r)
        e = load3(factor, oz + r * U3)
        if keep:
            e = sub3(e, apply9(load9(factor, oy + r * U18), fp))
            e = sub3(e, apply9(load9(factor, oy + r * U18 + U9), ft))
        e = times3(load3(factor, od + U3), e)
        for k in range(r + U1, rows):
            e = sub3(e, transpose_apply9(load9(factor, of + tile_at(k, r)), load3(delta, k * U3)))
        e = lower_transpose_apply(load3(factor, od), e)
        store3(delta, r * U3, e)
        accumulate3(lam, row + r * U3, e)


@helper
def add_force(m, n, j, oj, jac, delta, node, force):
    """f_j += J_jᵀ Δλ."""
    fp, ft = load3(force, node * U6), load3(force, node * U6 + U3)
    for g in range(m):
        o = oj + (g * n + j) * U27
        dv, du = load3(delta, g * U6), load3(delta, g * U6 + U3)
        fp = add3(fp, transpose_apply9(load9(jac, o), dv))
        ft = add3(ft, add3(transpose_apply9(load9(jac, o + U9), dv), transpose_apply9(load9(jac, o + U18), du)))
    store3(force, node * U6, fp)
    store3(force, node * U6 + U3, ft)
