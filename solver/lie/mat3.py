"""3×3 tiles as row-major 9-tuples, and their place in flat arrays.

Offsets are ``np.uint64``: that removes the code for negative indices. Never mix them with ``int64`` in arithmetic,
Numba would promote the sum to float64.
"""

import numpy as np

from ..jit import helper

U1, U2, U3, U4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
U5, U6, U7, U8 = np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@helper
def load9(a, o):
    """Load the tile a[o … o+8]."""
    return (a[o], a[o + U1], a[o + U2], a[o + U3], a[o + U4], a[o + U5], a[o + U6], a[o + U7], a[o + U8])


@helper
def store9(a, o, m):
    """Store the tile m at a[o … o+8]."""
    a[o] = m[0]
    a[o + U1] = m[1]
    a[o + U2] = m[2]
    a[o + U3] = m[3]
    a[o + U4] = m[4]
    a[o + U5] = m[5]
    a[o + U6] = m[6]
    a[o + U7] = m[7]
    a[o + U8] = m[8]


@helper
def add9(a, b):
    """A + B."""
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@helper
def sub9(a, b):
    """A − B."""
    return (
        a[0] - b[0],
        a[1] - b[1],
        a[2] - b[2],
        a[3] - b[3],
        a[4] - b[4],
        a[5] - b[5],
        a[6] - b[6],
        a[7] - b[7],
        a[8] - b[8],
    )


@helper
def scale9(s, a):
    """s A."""
    return (s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5], s * a[6], s * a[7], s * a[8])


@helper
def transpose9(a):
    """Aᵀ."""
    return (a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8])


@helper
def mul9(a, b):
    """A B."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@helper
def mul_transpose9(a, b):
    """A Bᵀ."""
    return mul9(a, transpose9(b))


@helper
def mul_transpose_lower9(a, b):
    """A Bᵀ where that is symmetric: 0 stands above the diagonal."""
    return (
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2], 0.0, 0.0,
        a[3] * b[0] + a[4] * b[1] + a[5] * b[2], a[3] * b[3] + a[4] * b[4] + a[5] * b[5], 0.0,
        a[6] * b[0] + a[7] * b[1] + a[8] * b[2], a[6] * b[3] + a[7] * b[4] + a[8] * b[5],
        a[6] * b[6] + a[7] * b[7] + a[8] * b[8],
    )  # fmt: skip


@helper
def mirror9(a):
    """The symmetric tile of which a has the lower triangle."""
    return (a[0], a[3], a[6], a[3], a[4], a[7], a[6], a[7], a[8])


@helper
def transpose_mul9(a, b):
    """Aᵀ B."""
    return mul9(transpose9(a), b)


@helper
def apply9(a, v):
    """A v."""
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
        a[6] * v[0] + a[7] * v[1] + a[8] * v[2],
    )


@helper
def transpose_apply9(a, v):
    """Aᵀ v."""
    return (
        a[0] * v[0] + a[3] * v[1] + a[6] * v[2],
        a[1] * v[0] + a[4] * v[1] + a[7] * v[2],
        a[2] * v[0] + a[5] * v[1] + a[8] * v[2],
    )


@helper
def scale_columns9(a, d):
    """A diag(d)."""
    return (
        a[0] * d[0],
        a[1] * d[1],
        a[2] * d[2],
        a[3] * d[0],
        a[4] * d[1],
        a[5] * d[2],
        a[6] * d[0],
        a[7] * d[1],
        a[8] * d[2],
    )


@helper
def diagonal9(d):
    """diag(d)."""
    return (d[0], 0.0, 0.0, 0.0, d[1], 0.0, 0.0, 0.0, d[2])


@helper
def outer9(u, v):
    """u vᵀ."""
    return (
        u[0] * v[0], u[0] * v[1], u[0] * v[2],
        u[1] * v[0], u[1] * v[1], u[1] * v[2],
        u[2] * v[0], u[2] * v[1], u[2] * v[2],
    )  # fmt: skip


@helper
def hat9(v):
    """v̂, the cross-product matrix (paper eq. 2)."""
    return (0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0)


@helper
def hat_mul9(v, a):
    """v̂ A: the columns of A crossed from the left by v."""
    return (
        v[1] * a[6] - v[2] * a[3], v[1] * a[7] - v[2] * a[4], v[1] * a[8] - v[2] * a[5],
        v[2] * a[0] - v[0] * a[6], v[2] * a[1] - v[0] * a[7], v[2] * a[2] - v[0] * a[8],
        v[0] * a[3] - v[1] * a[0], v[0] * a[4] - v[1] * a[1], v[0] * a[5] - v[1] * a[2],
    )  # fmt: skip
