"""What makes a scene one that can be simulated. ``validated`` is what ``Scene.validated()`` does.

Every refusal is a ``SceneError`` that names the object and says how to mend it. What comes back is complete: arrays
are fresh C-contiguous float64, quaternions are unit, and validating twice changes no bit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import checks
from .joints.types import JOINT_TYPES, RANGE, ROW_LABELS
from .scene import (
    BODY_KINDS,
    NO_MOTOR,
    ROD_ENDS,
    UNLIMITED,
    Joint,
    Partner,
    RigidBody,
    Rod,
    Scene,
    SceneError,
    Settings,
)
from .validate_rods import prescribed, rod_of

MOST_FRAMES = 10_000_000
MOST_SUBSTEPS = 100_000
MOST_ITERATIONS = 10_000
INERTIA_TOLERANCE = 1.0e-6  # of the largest moment: float32 meshes give flat bodies to about 1e-7


def validated(scene: Scene) -> Scene:
    """Return the scene with every value checked and in the solver's own form; raise ``SceneError``."""
    settings = _settings(checks.instance("settings", "settings", scene.settings, Settings))
    groups = {"rigid body": (scene.bodies, RigidBody), "rod": (scene.rods, Rod), "joint": (scene.joints, Joint)}
    _names(groups)
    if not len(scene.bodies) and not len(scene.rods):
        raise SceneError("", "there is nothing to simulate; add a rigid body or a rod")
    bodies = tuple(_body(body, settings) for body in scene.bodies)
    rods = tuple(rod_of(rod, settings) for rod in scene.rods)
    movable = {body.name: body.kind == "active" for body in bodies}
    ends = {rod.name: {"start": rod.start.hold, "end": rod.end.hold, "closed": rod.closed} for rod in rods}
    joints = tuple(_joint(joint, movable, ends, settings) for joint in scene.joints)
    return Scene(bodies=bodies, rods=rods, joints=joints, settings=settings)


def _names(groups: dict) -> None:
    """Refuse missing and double names, over all groups."""
    seen: dict[str, str] = {}
    for role, (members, kind) in groups.items():
        if not isinstance(members, (tuple, list)):
            raise SceneError("", f"the scene's list of {role} is a {type(members).__name__}; it must be a tuple")
        for number, member in enumerate(members, start=1):
            place = f"{role} number {number}"
            name = checks.instance(place, "it", member, kind).name
            if not isinstance(name, str) or not name:
                raise SceneError(place, "it has no name; give it one")
            if "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name):
                raise SceneError(place, f"its name {name!r} has letters that cannot be written; rename it")
            if name in seen:
                raise SceneError(name, f"the name is used by a {seen[name]} and by a {role}; rename one of them")
            seen[name] = role


def _settings(settings: Settings) -> Settings:
    """Check time and space."""
    owner = "settings"
    return Settings(
        gravity=checks.finite(owner, "gravity", settings.gravity, (3,)),
        frame_duration=checks.positive(owner, "frame duration", settings.frame_duration),
        frame_count=checks.whole(owner, "frame count", settings.frame_count, 1, MOST_FRAMES),
        substeps=checks.whole(owner, "substeps", settings.substeps, 1, MOST_SUBSTEPS),
        iterations=checks.whole(owner, "iterations", settings.iterations, 1, MOST_ITERATIONS),
    )


def _body(body: RigidBody, settings: Settings) -> RigidBody:
    """Check a rigid body. One that is animated starts where its motion starts."""
    name = body.name
    kind = checks.choice(name, "kind", body.kind, BODY_KINDS)
    if kind == "animated" and body.motion is None:
        raise SceneError(name, "it is animated but has no motion; sample its path or make it active or static")
    if kind != "animated" and body.motion is not None:
        raise SceneError(name, f"it has a motion but is {kind}; make it animated or leave the motion out")
    motion = None if body.motion is None else prescribed(name, "its motion", body.motion, settings)
    position = checks.finite(name, "position", body.position, (3,))
    rotation = checks.quaternion(name, "rotation", body.rotation)
    if motion is not None:
        position, rotation = motion.positions[0].copy(), motion.rotations[0].copy()
    return RigidBody(
        name=name,
        position=position,
        rotation=rotation,
        mass=checks.positive(name, "mass", body.mass),
        inertia=_inertia(name, body.inertia),
        kind=kind,
        velocity=checks.finite(name, "velocity", body.velocity, (3,)),
        angular_velocity=checks.finite(name, "angular velocity", body.angular_velocity, (3,)),
        linear_damping=checks.not_negative(name, "linear damping", body.linear_damping),
        angular_damping=checks.not_negative(name, "angular damping", body.angular_damping),
        motion=motion,
    )


def _inertia(name: str, value) -> np.ndarray:
    """Check principal moments: I₁ + I₂ ≥ I₃ for every order, or no distribution of mass has them."""
    inertia = checks.array(name, "inertia", value, (3,))
    for moment in inertia:
        checks.positive(name, "a moment of inertia", moment)
    largest = inertia.max()
    if 2.0 * largest - inertia.sum() > INERTIA_TOLERANCE * largest:
        low, high = sorted(inertia)[:2]
        raise SceneError(
            name,
            f"the largest moment of inertia, {largest:g}, exceeds the sum of the other two, {low:g} + {high:g}; "
            "no body has such moments: compute them from the mesh or lower the largest",
        )
    return inertia


def _joint(joint: Joint, movable: dict, ends: dict, settings: Settings) -> Joint:
    """Check a joint and its partners."""
    name = joint.name
    kind = checks.choice(name, "joint type", joint.kind, tuple(JOINT_TYPES))
    partners = []
    free = []
    for label, partner in (("body 1", joint.body_1), ("body 2", joint.body_2)):
        partner = _place(name, label, checks.instance(name, label, partner, Partner), ends)
        free.append(_partner_moves(name, label, partner, movable, ends))
        partners.append(partner)
    one, two = partners
    if (one.name, one.end, one.at) == (two.name, two.end, two.at):
        what = f'"{one.name}"' if one.name else "the world"
        raise SceneError(name, f"it joins {what} with itself; pick two different partners")
    if not any(free):
        raise SceneError(name, "neither partner can move; make one of them active or free the rod's end")
    pinned = [p for p in partners if p.name in ends and p.end and ends[p.name][p.end] == "pinned"]
    if len(pinned) == sum(free):  # two holds on one place: nothing is left that the joint could move
        raise SceneError(
            name,
            f'the {pinned[0].end} of the rod "{pinned[0].name}" is pinned and the other partner cannot give way; '
            "set that end to free, and the joint alone holds it",
        )
    numbers = _joint_numbers(joint, settings)
    _refuse_locked(name, kind, numbers)
    return Joint(
        name=name,
        kind=kind,
        body_1=one,
        body_2=two,
        position=checks.finite(name, "position", joint.position, (3,)),
        rotation=checks.quaternion(name, "rotation", joint.rotation),
        **numbers,
    )


def _place(name: str, label: str, partner: Partner, ends: dict) -> Partner:
    """Say a place along a rod in one way: its ends are "start" and "end", and a ring's seam is at 0."""
    if partner.at is None:
        return replace(partner)
    if partner.end:
        raise SceneError(name, f"{label} has an end and a place along the rod; leave one of them out")
    at = checks.real(name, f"the place of {label} along the rod", partner.at)
    if not 0.0 <= at <= 1.0:
        raise SceneError(name, f"the place of {label} along the rod is {at:g}; it is a share of its length, 0 to 1")
    closed = ends.get(partner.name, {}).get("closed", False)
    if closed or 0.0 < at < 1.0:
        return Partner(partner.name, "", at % 1.0 if closed else at)
    return Partner(partner.name, "start" if at == 0.0 else "end")


def _partner_moves(name: str, label: str, partner: Partner, movable: dict, ends: dict) -> bool:
    """Find a partner; say whether the solver can move it."""
    other = checks.text(name, f"the name of {label}", partner.name)
    end = checks.text(name, f"the end of {label}", partner.end)
    if other in ends:
        if end not in ROD_ENDS and partner.at is None:
            raise SceneError(name, f'{label} is the rod "{other}"; say which end, "start" or "end", or where along it')
        return not end or ends[other][end] != "clamped"
    if partner.at is not None:
        raise SceneError(name, f"{label} is no rod, and has no place along it")
    if end:
        what = f'"{other}"' if other else "the world"
        raise SceneError(name, f'{label} is {what}, which has no end "{end}"; only rods have ends')
    if not other:
        return False
    if other not in movable:
        raise SceneError(name, f'{label} is "{other}", which is no body or rod of the scene; pick another or add it')
    return movable[other]


def _joint_numbers(joint: Joint, settings: Settings) -> dict:
    """Check limits, drives and targets on their own."""
    name = joint.name
    lower = checks.array(name, "lower limit", joint.lower, (6,))
    upper = checks.array(name, "upper limit", joint.upper, (6,))
    for row in range(6):
        if lower[row] > upper[row]:
            raise SceneError(
                name,
                f"the lower limit of {ROW_LABELS[row]}, {lower[row]:g}, is above the upper, {upper[row]:g}; swap them",
            )
        if lower[row] == np.inf or upper[row] == -np.inf:
            raise SceneError(name, f"the limits of {ROW_LABELS[row]} leave no room; lower is at most finite")
    swing = checks.real(name, "swing limit", joint.swing_limit)
    if swing < 0.0:
        raise SceneError(name, f"swing limit is {swing:g}; it must be zero or more")
    moving = np.ndim(joint.target) == 2
    shape = (settings.sample_count, 6) if moving else (6,)
    target = checks.finite(name, "target", joint.target, shape)
    numbers = {"lower": lower, "upper": upper, "swing_limit": swing, "target": target}
    for label in ("stiffness", "damping"):
        values = checks.array(name, label, getattr(joint, label), (6,))
        for row in range(6):
            checks.not_negative(name, f"{label} of {ROW_LABELS[row]}", values[row])
        numbers[label] = values
    return numbers | _drive_numbers(joint, settings)


def _drive_numbers(joint: Joint, settings: Settings) -> dict:
    """Check motors, the most that drives can do, and locks, on their own."""
    name = joint.name
    shape = (settings.sample_count, 6) if np.ndim(joint.speed) == 2 else (6,)
    speed = checks.array(name, "speed", joint.speed, shape)
    rows = np.atleast_2d(speed)
    for row, label in enumerate(ROW_LABELS):
        motor = rows[:, row] != NO_MOTOR
        if motor.any() and not motor.all():
            raise SceneError(name, f"the motor of {label} has no speed at some time; give it one, or 0 to let it brake")
        if motor.any():
            checks.finite(name, f"speed of {label}", rows[:, row], (len(rows),))
    maximum = checks.array(name, "maximum", joint.maximum, (6,))
    for row, label in enumerate(ROW_LABELS):
        if maximum[row] != UNLIMITED:
            checks.not_negative(name, f"maximum of {label}", maximum[row])
    locked = checks.array(name, "locked", joint.locked, (6,))
    if not np.isin(locked, (0.0, 1.0)).all():
        raise SceneError(name, "locked contains a value other than 0 and 1; a row is locked or it is not")
    return {"speed": speed, "maximum": maximum, "locked": locked}


def _refuse_locked(name: str, kind: str, numbers: dict) -> None:
    """Refuse limits and drives on rows that the joint type locks, and limits that it has no use for."""
    joint_type = JOINT_TYPES[kind]
    ranges = {row: item for item in joint_type.coordinates if item.limit == RANGE for row in item.rows}
    lower, upper = numbers["lower"], numbers["upper"]
    driven = (numbers["stiffness"] > 0.0) | (numbers["damping"] > 0.0)
    driven |= np.any(np.atleast_2d(numbers["target"]) != 0.0, axis=0)
    _check_drives(kind, name, numbers)
    for row, label in enumerate(ROW_LABELS):
        chosen = numbers["locked"][row] > 0.0
        locked = chosen or row not in joint_type.free_rows
        why = f"a {kind} joint locks {label}" if locked else f"a {kind} joint has no range for {label}"
        why = f"{label} is locked" if chosen else why
        if chosen and np.isfinite([lower[row], upper[row]]).any():
            raise SceneError(name, f"{why}; remove the limits of this row")
        if row not in ranges and (np.isfinite(lower[row]) or np.isfinite(upper[row])):
            raise SceneError(name, f"{why}; remove the limits of this row")
        if locked and driven[row]:
            raise SceneError(name, f"{why}; remove the target and drive of this row")
        if row not in ranges:
            continue
        least, most = ranges[row].smallest, ranges[row].largest
        for value in (lower[row], upper[row]):
            if np.isfinite(value) and not least <= value <= most:
                raise SceneError(
                    name, f"the limit {value:g} of {label} is beyond what it can be: {least:g} to {most:g}"
                )
    swing = numbers["swing_limit"]
    if np.isfinite(swing) and not joint_type.has_swing:
        raise SceneError(name, f"a {kind} joint has no swing; remove the swing limit")
    if np.isfinite(swing) and swing > np.pi:
        raise SceneError(name, f"swing limit is {swing:g}; it must be at most half a turn, {np.pi:g}")


def _check_drives(kind: str, name: str, numbers: dict) -> None:
    """Refuse motors, maxima and locks where the joint type has no use for them."""
    joint_type = JOINT_TYPES[kind]
    driveable = {row for item in joint_type.coordinates if item.motor for row in item.rows}
    motor = np.atleast_2d(numbers["speed"])[0] != NO_MOTOR
    for row, label in enumerate(ROW_LABELS):
        locked = numbers["locked"][row] > 0.0
        if locked and row not in joint_type.chosen_rows:
            raise SceneError(name, f"a {kind} joint does not let {label} be locked; remove this lock")
        if (motor[row] or numbers["maximum"][row] != UNLIMITED) and (locked or row not in driveable):
            raise SceneError(name, f"a {kind} joint has no motor for {label}; remove its speed and maximum")
        if motor[row] and numbers["stiffness"][row] > 0.0:
            raise SceneError(name, f"{label} has a motor and a spring; keep one of them, or set the stiffness to 0")
