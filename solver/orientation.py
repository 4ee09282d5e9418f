"""Rotations as NumPy arrays, for what is done once before the solve. The kernels have their own in ``lie``.

Quaternions are ``w x y z``; every function takes stacks: any leading axes.
"""

from __future__ import annotations

import numpy as np


def quaternion_from_matrix(matrices: np.ndarray) -> np.ndarray:
    """Return unit quaternions (…, 4), w ≥ 0, of rotation matrices (…, 3, 3).

    Of the four ways to divide, the one with the largest divisor is taken (Shepperd), so it is good at every angle.
    """
    m = np.asarray(matrices, dtype=np.float64)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    x = m[..., 2, 1] - m[..., 1, 2]
    y = m[..., 0, 2] - m[..., 2, 0]
    z = m[..., 1, 0] - m[..., 0, 1]
    xy = m[..., 0, 1] + m[..., 1, 0]
    xz = m[..., 0, 2] + m[..., 2, 0]
    yz = m[..., 1, 2] + m[..., 2, 1]
    # The four rows are 4·q·(w, x, y, z): parallel to q, and the longest of them loses no digits.
    rows = np.stack(
        [
            np.stack([1.0 + xx + yy + zz, x, y, z], axis=-1),
            np.stack([x, 1.0 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([y, xy, 1.0 - xx + yy - zz, yz], axis=-1),
            np.stack([z, xz, yz, 1.0 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    squares = np.sum(rows * rows, axis=-1)
    best = np.argmax(squares, axis=-1)[..., None, None]
    chosen = np.take_along_axis(rows, best, axis=-2)[..., 0, :]
    chosen = chosen / np.sqrt(np.sum(chosen * chosen, axis=-1, keepdims=True))
    return np.where(chosen[..., :1] < 0.0, -chosen, chosen)


def matrix_from_quaternion(quaternions: np.ndarray) -> np.ndarray:
    """Return rotation matrices (…, 3, 3) of unit quaternions (…, 4)."""
    q = np.asarray(quaternions, dtype=np.float64)
    w, x, y, z = (q[..., i] for i in range(4))
    entries = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in entries], axis=-2)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return the vectors (…, n) divided by their lengths."""
    v = np.asarray(vectors, dtype=np.float64)
    scaled = v / np.max(np.abs(v), axis=-1, keepdims=True)
    return scaled / np.sqrt(np.sum(scaled * scaled, axis=-1, keepdims=True))


def shortest_turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the matrices (…, 3, 3) of the smallest rotations that turn unit vectors ``start`` into ``end``.

    R = I + k̂ + k̂² / (1 + c) with k = start × end, c = start · end; for opposite vectors half a turn about the axis
    perpendicular to both that comes first in x, y, z.
    """
    a, b = np.broadcast_arrays(np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64))
    # Two mirrors, first along a + b's normal plane: R = (I − 2 n nᵀ)(I − 2 a aᵀ), n = (a + b)/|a + b|.
    total = a + b
    square = np.sum(total * total, axis=-1)
    opposite = square < 1.0e-20
    if np.any(opposite):
        axis = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
        across = unit(axis - np.sum(axis * a, axis=-1, keepdims=True) * a)
        total = np.where(opposite[..., None], across, total)
        square = np.sum(total * total, axis=-1)
    identity = np.eye(3)
    first = identity - 2.0 * a[..., :, None] * a[..., None, :]
    second = identity - 2.0 * total[..., :, None] * total[..., None, :] / square[..., None, None]
    return second @ first
