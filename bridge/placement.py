"""Where objects are in every frame: what the world's motion means in an object's own channels."""

from __future__ import annotations

import bpy
import numpy as np

from mathutils import Quaternion

from . import keys, space

RIGID = 1.0e-3  # how far a motion may be from rigid, relative: beyond it no keys can show it


class WriteError(Exception):
    """A result that cannot be written: ``object_name`` names the object, ``sentence`` says what to do."""

    def __init__(self, object_name: str, sentence: str):
        super().__init__(f"{object_name}: {sentence}" if object_name else sentence)
        self.object_name = object_name
        self.sentence = sentence


def depsgraph_of(scene):
    """Return the evaluated depsgraph of ``scene``: that of the window's view layer, else of the scene's first one."""
    layer = bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]
    layer.update()
    return layer.depsgraph


def depth(object, below=()) -> int:
    """Return how long the longest chain of objects is that ``object`` follows: these are placed before it."""
    ahead = [other for other in keys.followed(object) if other not in below]  # no end of going round in circles
    return max((1 + depth(other, (*below, object)) for other in ahead), default=0)


def is_moving(object) -> bool:
    """Say whether anything may move ``object`` from frame to frame; never wrongly no."""
    if object is None:
        return False
    data = object.animation_data
    animated = data is not None and (data.action is not None or len(data.drivers) or len(data.nla_tracks))
    if animated or len(object.constraints) or object.rigid_body is not None:
        return True
    if object.parent is not None and object.parent_type != "OBJECT":
        return True
    if object.parent is not None and object.parent.type in {"CURVE", "ARMATURE", "LATTICE"}:
        return True
    return is_moving(object.parent)


def parent_space(object, depsgraph) -> np.ndarray:
    """Return the matrix (4, 4) that carries an object's own channels into the world, now."""
    parent = object.parent
    if parent is None:
        return np.eye(4)
    if object.parent_type == "OBJECT" and parent.type != "CURVE":
        return space.array(parent.evaluated_get(depsgraph).matrix_world) @ space.array(object.matrix_parent_inverse)
    evaluated = object.evaluated_get(depsgraph)
    return space.array(evaluated.matrix_world) @ np.linalg.inv(space.array(evaluated.matrix_basis))


def sample(scene, frames, spaces):
    """Yield progress 0…1 while the scene is played; return the matrices of every function in ``spaces``.

    ``spaces`` maps a name to (function of the depsgraph that returns a 4×4 matrix, whether it moves at all).
    The frame that the scene stood at is left for the caller to restore.
    """
    still = {name for name, (_, moves) in spaces.items() if not moves}
    matrices = {name: np.empty((1 if name in still else len(frames), 4, 4)) for name in spaces}
    if len(still) == len(spaces):
        frames = frames[:1]
    for index, frame in enumerate(frames):
        scene.frame_set(int(frame))
        depsgraph = depsgraph_of(scene)
        for name, (function, _) in spaces.items():
            if index == 0 or name not in still:
                matrices[name][index] = function(depsgraph)
        yield (index + 1) / len(frames)
    return matrices


def rotation_matrices(quaternions: np.ndarray) -> np.ndarray:
    """Return rotation matrices (…, 3, 3) of unit quaternions w x y z (…, 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, dtype=np.float64), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rigid_matrices(positions: np.ndarray, quaternions: np.ndarray) -> np.ndarray:
    """Return the matrices (…, 4, 4) of frames at ``positions`` (…, 3) turned by ``quaternions`` (…, 4)."""
    matrices = np.zeros((*np.shape(positions)[:-1], 4, 4))
    matrices[..., :3, :3] = rotation_matrices(quaternions)
    matrices[..., :3, 3] = positions
    matrices[..., 3, 3] = 1.0
    return matrices


def channel_matrices(name, world, motion, parents):
    """Return the object's own matrices B (n, 4, 4) with Q B = D M₀ in every frame.

    ``world`` (4, 4) is M₀, ``motion`` (n, 4, 4) D(t), ``parents`` (n or 1, 4, 4) Q(t). Refuses what turning and moving
    cannot show: a parent that stretches or is stretched unevenly.
    """
    start = np.linalg.inv(parents[0]) @ world
    change = np.linalg.inv(parents) @ motion @ parents[0]
    gram = np.swapaxes(change[:, :3, :3], -1, -2) @ change[:, :3, :3]
    if np.abs(gram - np.eye(3)).max() > RIGID:
        raise WriteError(
            name, "Its parent is scaled unevenly or changes size, so that keys cannot show its motion. Clear the "
            "parent (Alt P, Keep Transformation), or apply the parent's scale (Ctrl A)"
        )
    return change @ start


def channels(object, matrices: np.ndarray):
    """Return location (n, 3) and rotation (n, 3 or 4) keys of ``object`` that give it ``matrices`` (n, 4, 4).

    Scale stays as it is, sign for sign; the delta transforms are taken out. Rotations are in the object's own mode,
    each one the nearest to the one before.
    """
    signs = np.where(space.array(object.scale) * space.array(object.delta_scale) < 0.0, -1.0, 1.0)
    axes = matrices[:, :3, :3] * (signs / np.maximum(space.scales(matrices[0]), space.FLAT))
    gram = np.swapaxes(axes, -1, -2) @ axes
    if np.abs(gram - np.eye(3)).max() > RIGID:
        raise WriteError(
            object.name, "Its constraints or its parent slant or stretch it. Apply its transforms (Ctrl A)"
        )
    mode = object.rotation_mode
    deltas = np.eye(3)
    if mode == "QUATERNION":
        deltas = space.array(object.delta_rotation_quaternion.normalized().to_matrix())
    elif mode != "AXIS_ANGLE":
        deltas = space.array(object.delta_rotation_euler.to_matrix())
    locations = matrices[:, :3, 3] - space.array(object.delta_location)
    turns = quaternions(deltas.T @ axes)
    if mode == "QUATERNION":
        return locations, continuous(turns, space.array(object.rotation_quaternion))
    if mode == "AXIS_ANGLE":
        return locations, axis_angles(turns, space.array(object.rotation_axis_angle))
    return locations, eulers(turns, mode, object.rotation_euler.copy())


def quaternions(rotations: np.ndarray) -> np.ndarray:
    """Return unit quaternions w x y z (n, 4) of rotation matrices (n, 3, 3)."""
    r = np.asarray(rotations)
    trace = np.einsum("nii->n", r)
    twist = np.stack([r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], axis=1)
    # the matrix 4 q qᵀ: its column with the largest diagonal is the quaternion, to a factor
    outer = np.empty((len(r), 4, 4))
    outer[:, 0, 0] = 1.0 + trace
    outer[:, 0, 1:] = outer[:, 1:, 0] = twist
    outer[:, 1:, 1:] = r + np.swapaxes(r, 1, 2) + (1.0 - trace)[:, None, None] * np.eye(3)
    pick = np.einsum("nii->ni", outer).argmax(axis=1)
    q = outer[np.arange(len(r)), pick]
    q /= np.linalg.norm(q, axis=1)[:, None]
    return np.where(q[:, :1] < 0.0, -q, q)


def continuous(turns: np.ndarray, before) -> np.ndarray:
    """Return the same rotations with the sign of each quaternion nearest to the one before it."""
    chain = np.concatenate([np.asarray(before)[None], turns])
    dots = np.einsum("ij,ij->i", chain[1:], chain[:-1])
    return turns * np.cumprod(np.where(dots < 0.0, -1.0, 1.0))[:, None]


def eulers(turns, order, before) -> np.ndarray:
    """Return Euler angles (n, 3), each triple the nearest to the one before, over any number of turns."""
    angles = np.empty((len(turns), 3))
    for index, turn in enumerate(turns):
        before = Quaternion(turn).to_euler(order, before)
        angles[index] = before
    return angles


def axis_angles(turns: np.ndarray, before) -> np.ndarray:
    """Return angle and axis (n, 4), w x y z as in Blender, the angle unwrapped and the axis never flipping.

    Where nothing is turned any axis will do: the one that comes next.
    """
    sines = np.linalg.norm(turns[:, 1:], axis=1)
    turned = np.flatnonzero(sines > 1.0e-7)
    result = np.empty((len(turns), 4))
    angle, axis = float(before[0]), normalised_axis(before[1:])
    for index, turn in enumerate(turns):
        known = turned[min(int(np.searchsorted(turned, index)), len(turned) - 1)] if len(turned) else None
        new = axis if known is None else turns[known, 1:] / sines[known]
        new = -new if new @ axis < 0.0 else new
        new_angle = 2.0 * np.arctan2(turn[1:] @ new, turn[0])
        angle = new_angle + 2.0 * np.pi * round((angle - new_angle) / (2.0 * np.pi))
        axis = new
        result[index] = angle, *axis
    return result


def normalised_axis(axis) -> np.ndarray:
    """Return ``axis`` (3,) at length one; Blender's default, y, where it has no length."""
    axis = np.asarray(axis, dtype=np.float64)
    length = np.linalg.norm(axis)
    return axis / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
