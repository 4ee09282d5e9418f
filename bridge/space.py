"""Matrices and rotations of Blender as plain arrays: rigid motion, scale, mirror and shear told apart."""

from __future__ import annotations

import numpy as np

FLAT = 1.0e-9  # a scale below this, in Blender units, is no scale
SLANT = 1.0e-4  # cosine between axes, or relative difference of scales, that still counts as none


def array(matrix) -> np.ndarray:
    """Return a Blender matrix or vector as float64."""
    return np.array(matrix, dtype=np.float64)


def scales(matrix: np.ndarray) -> np.ndarray:
    """Return the lengths (3,) of the axes of a 4×4 matrix."""
    return np.linalg.norm(matrix[:3, :3], axis=0)


def is_flat(matrix: np.ndarray) -> bool:
    """Tell whether a matrix presses space flat, so that there is no way back."""
    return bool(scales(matrix).min() < FLAT or abs(np.linalg.det(matrix[:3, :3])) < FLAT**3)


def is_sheared(matrix: np.ndarray) -> bool:
    """Tell whether the axes of a matrix are not at right angles."""
    axes = matrix[:3, :3] / scales(matrix)
    gram = axes.T @ axes
    return bool(np.abs(gram - np.diag(np.diag(gram))).max() > SLANT)


def is_uneven(matrix: np.ndarray) -> bool:
    """Tell whether a matrix scales some directions more than others."""
    stretch = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    return bool(stretch[0] - stretch[-1] > SLANT * stretch[0])


def rotation_part(matrix: np.ndarray) -> np.ndarray:
    """Return the proper rotation (3, 3) nearest to a 4×4 matrix; a mirror is taken out by turning all axes round."""
    left, _, right = np.linalg.svd(matrix[:3, :3])
    rotation = left @ right
    return rotation if np.linalg.det(rotation) > 0.0 else -rotation


def axes_frame(matrix: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) that keeps the direction of the z axis, whatever scale and mirror do to the others."""
    z = matrix[:3, 2] / np.linalg.norm(matrix[:3, 2])
    x = matrix[:3, 0] - z * (z @ matrix[:3, 0])
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """Return the unit quaternion w x y z of a rotation matrix (3, 3), w ≥ 0."""
    m = rotation
    pick = np.array([m.trace(), m[0, 0], m[1, 1], m[2, 2]]).argmax()
    if pick == 0:
        q = np.array([1.0 + m.trace(), m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    else:
        i = pick - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.empty(4)
        q[0] = m[k, j] - m[j, k]
        q[1 + i] = 1.0 + m[i, i] - m[j, j] - m[k, k]
        q[1 + j] = m[j, i] + m[i, j]
        q[1 + k] = m[k, i] + m[i, k]
    q = q / np.linalg.norm(q)
    return -q if q[0] < 0.0 else q


def rotation_matrix(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrix (3, 3) of a unit quaternion w x y z."""
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def carried(matrices: np.ndarray, position: np.ndarray, rotation: np.ndarray, unit: float):
    """Carry a frame along with an object: positions (k, 3) m and rotations (k, 4).

    ``matrices`` (k, 4, 4) are the object's world matrices in Blender units, ``position`` (3,) m and ``rotation`` (4,)
    the frame at the first of them. Motion k is D = M_k M_0⁻¹; signs of the quaternions are kept continuous.
    """
    back = np.linalg.inv(matrices[0])
    frame = rotation_matrix(rotation)
    positions = np.empty((len(matrices), 3))
    rotations = np.empty((len(matrices), 4))
    before = np.asarray(rotation, dtype=np.float64)
    for index, matrix in enumerate(matrices):
        motion = matrix @ back
        positions[index] = (motion[:3, :3] @ (position / unit) + motion[:3, 3]) * unit
        q = quaternion(rotation_part(motion) @ frame)
        before = -q if q @ before < 0.0 else q
        rotations[index] = before
    positions[0], rotations[0] = position, rotation  # the start is exact, not M M⁻¹
    return positions, rotations
