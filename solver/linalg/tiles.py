"""A symmetric positive definite 3×3 tile factored as M⁻¹ diag(d) M⁻ᵀ, without a square root."""

from ..jit import helper


@helper
def factor_tile(a):
    """Factor A = L D Lᵀ; return M = L⁻¹ (its three entries below the diagonal) and D⁻¹.

    M is unit lower triangular: rows (1), (m21, 1), (m31, m32, 1). A non-positive pivot shows in D⁻¹.
    """
    d1 = 1.0 / a[0]
    l21, l31 = a[3] * d1, a[6] * d1
    d2 = 1.0 / (a[4] - l21 * a[3])
    s32 = a[7] - l31 * a[3]
    l32 = s32 * d2
    d3 = 1.0 / (a[8] - l31 * a[6] - l32 * s32)
    return (-l21, l21 * l32 - l31, -l32, d1, d2, d3)


@helper
def lower_apply(m, v):
    """M v, with m as ``factor_tile`` returns it."""
    return (v[0], m[0] * v[0] + v[1], m[1] * v[0] + m[2] * v[1] + v[2])


@helper
def lower_transpose_apply(m, v):
    """Mᵀ v."""
    return (v[0] + m[0] * v[1] + m[1] * v[2], v[1] + m[2] * v[2], v[2])


@helper
def lower_mul(m, a):
    """M A."""
    return (
        a[0], a[1], a[2],
        m[0] * a[0] + a[3], m[0] * a[1] + a[4], m[0] * a[2] + a[5],
        m[1] * a[0] + m[2] * a[3] + a[6], m[1] * a[1] + m[2] * a[4] + a[7], m[1] * a[2] + m[2] * a[5] + a[8],
    )  # fmt: skip


@helper
def mul_lower_transpose(a, m):
    """A Mᵀ."""
    return (
        a[0], m[0] * a[0] + a[1], m[1] * a[0] + m[2] * a[1] + a[2],
        a[3], m[0] * a[3] + a[4], m[1] * a[3] + m[2] * a[4] + a[5],
        a[6], m[0] * a[6] + a[7], m[1] * a[6] + m[2] * a[7] + a[8],
    )  # fmt: skip
