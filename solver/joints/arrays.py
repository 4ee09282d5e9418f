"""Joints as flat arrays: the layout the kernels read, and how it is filled from ``scene.Joint``s.

Per joint, ``DATA_STRIDE`` floats in ``joint_data`` and ``FLAG_STRIDE`` unsigned integers in ``joint_flags`` (offsets
below, ``np.uint64`` because kernels add them to offsets). Targets lie in one flat array, six numbers a sample; a
target that does not move has one sample and stride 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .types import JOINT_TYPES, LOCKED

# joint_data
ARM_1 = np.uint64(0)  # r₁ᴶ, joint frame's origin in node 1's frame, m
TURN_1 = np.uint64(3)  # R₁ᴶ as a quaternion
ARM_2 = np.uint64(7)
TURN_2 = np.uint64(10)
LOWER = np.uint64(14)  # six bounds, −inf where unlimited
UPPER = np.uint64(20)
STIFFNESS = np.uint64(26)  # six, N/m and N·m/rad
DAMPING = np.uint64(32)  # six, N·s/m and N·m·s/rad
WEIGHT = np.uint64(38)  # six, ρ of limits.limit_side: the inertia a row feels at the start, kg and kg·m²
SWING_LIMIT = np.uint64(44)  # rad, inf where unlimited
TWIST_LOWER = np.uint64(45)  # rad, of a ball; a hinge has them in LOWER[5], UPPER[5]
TWIST_UPPER = np.uint64(46)
TIME_STEP = np.uint64(47)  # Δt, s
MAXIMUM = np.uint64(48)  # six, Δt² times the most a drive can do, inf where unbounded
DATA_STRIDE = np.uint64(54)

# joint_flags
LOCKS = np.uint64(0)  # six, 1 where the row is locked
WORLD_PLACE = np.uint64(6)  # 1: place rows are p̄₁ − p̄₂; 0: R̄₁ᵀ(p̄₂ − p̄₁)
SWING_TWIST = np.uint64(7)  # 1: turn rows are swing vector and unwrapped twist; 0: rotation vector
NODE_1 = np.uint64(8)
NODE_2 = np.uint64(9)
TARGET_OFFSET = np.uint64(10)
TARGET_STRIDE = np.uint64(11)  # 6 where the target moves, else 0
SPEED_OFFSET = np.uint64(12)  # of the motors' speeds, in targets too
SPEED_STRIDE = np.uint64(13)
PLAIN = np.uint64(14)  # 1: every row is locked or does nothing
BALL_LIMITED = np.uint64(15)  # 1: there is a swing limit, or a twist limit of a ball
DRIVEN = np.uint64(16)  # 1: some row has a drive
DRIVES = np.uint64(17)  # six: 0, MOTOR or BOUNDED
FLAG_STRIDE = np.uint64(23)

MOTOR = 1  # a row that keeps a speed
BOUNDED = 2  # a row whose spring has a maximum

# turns, the state of a joint
HINGE_ANGLE = np.uint64(0)  # twist at the end of the last substep, over all turns, to 0.01 rad
BALL_LIMITS = np.uint64(1)  # which limits of a ball act: 1 swing, 2 twist, 3 both
DRIVE_CHANGED = np.uint64(2)  # 1: a drive's side is no longer what it was
DRIVE_SIDE = np.uint64(3)  # six, see drives: 0, ±1 at its maximum, ±2 at a limit; λ of a row without a drive
ROW_VALUE = np.uint64(9)  # twice six values of the rows of a driven joint: at the end of even and of odd samples
DRIVE_FLIPS = np.uint64(21)  # how often a drive has changed its side in this substep
TURN_STRIDE = np.uint64(22)


class JointArrays(NamedTuple):
    """What ``joint_arrays`` returns; ``turns`` is state, the rest is constant."""

    joint_data: np.ndarray  # (joints·DATA_STRIDE,) float64
    joint_flags: np.ndarray  # (joints·FLAG_STRIDE,) uint64
    targets: np.ndarray  # flat float64
    turns: np.ndarray  # (joints·TURN_STRIDE,) float64


class JointValues(NamedTuple):
    """What the artist reads of one joint: body 2 relative to body 1, in body 1's joint frame."""

    place: np.ndarray  # (3,) m; the slide of a slider is place[2]
    turn: np.ndarray  # (3,) rad, shortest rotation vector
    swing: float  # rad, 0 … π
    twist: float  # rad; over all turns for hinges, else −π … π


def joint_arrays(
    joints, nodes_1, nodes_2, positions, rotations, settings, inverse_mass=None, inverse_inertia=None
) -> JointArrays:
    """Lay out joints between nodes at their start.

    ``joints``: validated ``scene.Joint``s. ``nodes_1``, ``nodes_2``: node of each partner; the world is node 0.
    ``positions`` (N, 3) m and ``rotations`` (N, 4): the nodes at the start. ``inverse_mass`` (N,) and
    ``inverse_inertia`` (N, 3), body frame: for the first guess of which limits will act.
    """
    count = len(joints)
    data = np.zeros((count, int(DATA_STRIDE)))
    flags = np.zeros((count, int(FLAG_STRIDE)), dtype=np.uint64)
    targets, used = [np.zeros(0)], 0
    for index, joint in enumerate(joints):
        nodes = int(nodes_1[index]), int(nodes_2[index])
        _fill_frames(data[index], joint, nodes, positions, rotations)
        _fill_rows(data[index], flags[index], joint, settings)
        locks = flags[index, int(LOCKS) : int(LOCKS) + 6]
        data[index, int(WEIGHT) : int(WEIGHT) + 6] = _weights(
            data[index], locks, nodes, rotations, inverse_mass, inverse_inertia
        )
        flags[index, int(NODE_1)], flags[index, int(NODE_2)] = nodes
        for values, offset, stride in (
            (joint.target, TARGET_OFFSET, TARGET_STRIDE), (joint.speed, SPEED_OFFSET, SPEED_STRIDE),
        ):  # fmt: skip
            series = np.ascontiguousarray(values, dtype=np.float64)
            flags[index, int(offset)] = used
            flags[index, int(stride)] = 6 if series.ndim == 2 else 0
            targets.append(series.ravel())
            used += series.size
    return JointArrays(data.ravel(), flags.ravel(), np.concatenate(targets), np.zeros(count * int(TURN_STRIDE)))


def joint_values(index, positions, rotations, joint_data, joint_flags, turns) -> JointValues:
    """Read joint ``index`` off the nodes ``positions`` (N, 3) and ``rotations`` (N, 4), in plain NumPy."""
    data = np.asarray(joint_data).reshape(-1, int(DATA_STRIDE))[index]
    flags = np.asarray(joint_flags).reshape(-1, int(FLAG_STRIDE))[index]
    ends = []
    for node, arm, turn in ((NODE_1, ARM_1, TURN_1), (NODE_2, ARM_2, TURN_2)):
        rotation = rotations[int(flags[node])]
        origin = positions[int(flags[node])] + _matrix(rotation) @ data[int(arm) : int(arm) + 3]
        ends.append((origin, _multiply(rotation, data[int(turn) : int(turn) + 4])))
    (place_1, turn_1), (place_2, turn_2) = ends
    relative = _multiply(_conjugate(turn_1), turn_2)
    relative = -relative if relative[0] < 0.0 else relative
    length = np.linalg.norm(relative[1:])
    angle = 2.0 * np.arctan2(length, relative[0])
    twist = 2.0 * np.arctan2(relative[3], relative[0])
    if flags[int(SWING_TWIST)]:
        twist += 2.0 * np.pi * np.round((turns[index * int(TURN_STRIDE)] - twist) / (2.0 * np.pi))
    return JointValues(
        place=_matrix(turn_1).T @ (place_2 - place_1),
        turn=relative[1:] * (angle / length if length > 1e-12 else 2.0),
        swing=float(2.0 * np.arctan2(np.hypot(relative[1], relative[2]), np.hypot(relative[0], relative[3]))),
        twist=float(twist),
    )


def _fill_frames(data, joint, nodes, positions, rotations) -> None:
    """The joint frame seen from both nodes: rᴶ = Rᵀ(p_joint − p), Rᴶ = Rᵀ R_joint (paper eqs. 69, 70)."""
    for node, arm, turn in ((nodes[0], ARM_1, TURN_1), (nodes[1], ARM_2, TURN_2)):
        rotation = np.asarray(rotations[node], dtype=np.float64)
        data[int(arm) : int(arm) + 3] = _matrix(rotation).T @ (np.asarray(joint.position) - positions[node])
        local = _multiply(_conjugate(rotation), np.asarray(joint.rotation, dtype=np.float64))
        data[int(turn) : int(turn) + 4] = local / np.linalg.norm(local)


def _fill_rows(data, flags, joint, settings) -> None:
    """Bounds, springs and the forms of the rows; whatever stands on a locked row is left out."""
    joint_type = JOINT_TYPES[joint.kind]
    locked = np.array([mode == LOCKED for mode in joint_type.rows]) | (np.asarray(joint.locked) > 0.0)
    flags[int(LOCKS) : int(LOCKS) + 6] = locked
    flags[int(WORLD_PLACE)] = locked[:3].all()
    flags[int(SWING_TWIST)] = not joint_type.is_ball and not locked[3:].all()
    for offset, values, rest in (
        (LOWER, joint.lower, -np.inf),
        (UPPER, joint.upper, np.inf),
        (STIFFNESS, joint.stiffness, 0.0),
        (DAMPING, joint.damping, 0.0),
        (MAXIMUM, np.asarray(joint.maximum) * settings.time_step**2, np.inf),
    ):
        data[int(offset) : int(offset) + 6] = np.where(locked, rest, values)
    data[int(SWING_LIMIT)] = joint.swing_limit if joint_type.has_swing else np.inf
    data[int(TWIST_LOWER)], data[int(TWIST_UPPER)] = -np.inf, np.inf
    if joint_type.is_ball:  # its rows are a rotation vector, its limits are not limits of rows
        lower, upper = data[int(LOWER) : int(LOWER) + 6], data[int(UPPER) : int(UPPER) + 6]
        data[int(TWIST_LOWER)], data[int(TWIST_UPPER)] = lower[5], upper[5]
        lower[3:], upper[3:] = -np.inf, np.inf
    data[int(TIME_STEP)] = settings.time_step
    _fill_drives(data, flags, joint, locked)


def _fill_drives(data, flags, joint, locked) -> None:
    """Say which rows have a drive, and what a joint does without."""
    motor = np.isfinite(np.atleast_2d(joint.speed)[0]) & ~locked
    stiff, damped = (data[int(offset) : int(offset) + 6] > 0.0 for offset in (STIFFNESS, DAMPING))
    bounded = np.isfinite(data[int(MAXIMUM) : int(MAXIMUM) + 6]) & stiff & ~motor
    flags[int(DRIVES) : int(DRIVES) + 6] = np.where(motor, MOTOR, np.where(bounded, BOUNDED, 0))
    flags[int(DRIVEN)] = motor.any() or bounded.any()
    limited = np.isfinite(data[int(LOWER) : int(UPPER) + 6]).any()
    bounds = data[[int(SWING_LIMIT), int(TWIST_LOWER), int(TWIST_UPPER)]]
    flags[int(BALL_LIMITED)] = np.isfinite(bounds).any()
    flags[int(PLAIN)] = not (motor.any() or stiff.any() or damped.any() or limited or np.isfinite(bounds).any())


def _weights(data, locks, nodes, rotations, inverse_mass, inverse_inertia) -> np.ndarray:
    """ρ of every row: the inertia it feels while the locked rows hold, [(J W Jᵀ)⁻¹]_rr over them and itself."""
    weights = np.ones(6)
    if inverse_mass is None or inverse_inertia is None:
        return weights
    coupling = np.zeros((6, 6))
    for node, arm, turn in ((nodes[0], ARM_1, TURN_1), (nodes[1], ARM_2, TURN_2)):
        local = _matrix(data[int(turn) : int(turn) + 4])
        jacobian = np.zeros((6, 6))
        jacobian[:3, :3] = local.T @ _matrix(np.asarray(rotations[node])).T
        jacobian[:3, 3:] = -local.T @ np.cross(np.eye(3), data[int(arm) : int(arm) + 3])
        jacobian[3:, 3:] = local.T
        inverse = np.concatenate([np.full(3, inverse_mass[node]), inverse_inertia[node]])
        coupling += (jacobian * inverse) @ jacobian.T
    for row in range(6):
        rows = np.flatnonzero(np.asarray(locks, dtype=bool) | (np.arange(6) == row))
        inverse = np.linalg.pinv(coupling[np.ix_(rows, rows)], rcond=1e-12, hermitian=True)
        weight = inverse[np.searchsorted(rows, row), np.searchsorted(rows, row)]
        weights[row] = weight if weight > 0.0 else 1.0
    return weights


def _multiply(p, q) -> np.ndarray:
    return np.array(
        [
            p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
        ]
    )


def _conjugate(q) -> np.ndarray:
    return np.array([q[0], -q[1], -q[2], -q[3]])


def _matrix(q) -> np.ndarray:
    w, x, y, z = q
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
