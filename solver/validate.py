"""What makes a scene one that can be simulated. ``validated`` is what ``Scene.validated()`` does.

Every refusal is a ``SceneError`` that names the object and says how to mend it. What comes back is complete: arrays
are fresh C-contiguous float64, quaternions are unit, and validating twice changes no bit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import checks
from .joints.types import JOINT_TYPES, RANGE, ROW_LABELS
from .rods.centre_line import point_directions
from .rods.discretise import across_curve
from .scene import (
    BODY_KINDS,
    END_HOLDS,
    REST_SHAPES,
    ROD_ENDS,
    ROD_ORDERS,
    Joint,
    Material,
    Motion,
    Partner,
    RigidBody,
    Rod,
    RodEnd,
    Scene,
    SceneError,
    Settings,
)

MOST_ELEMENTS = 100_000
MOST_FRAMES = 10_000_000
MOST_SUBSTEPS = 100_000
MOST_ITERATIONS = 10_000
INERTIA_TOLERANCE = 1.0e-6  # of the largest moment: float32 meshes give flat bodies to about 1e-7
COINCIDENT = 1.0e-9  # of the rod's length: closer points are one point


def validated(scene: Scene) -> Scene:
    """Return the scene with every value checked and in the solver's own form; raise ``SceneError``."""
    settings = _settings(checks.instance("settings", "settings", scene.settings, Settings))
    groups = {"rigid body": (scene.bodies, RigidBody), "rod": (scene.rods, Rod), "joint": (scene.joints, Joint)}
    _names(groups)
    if not len(scene.bodies) and not len(scene.rods):
        raise SceneError("", "there is nothing to simulate; add a rigid body or a rod")
    bodies = tuple(_body(body, settings) for body in scene.bodies)
    rods = tuple(_rod(rod, settings) for rod in scene.rods)
    movable = {body.name: body.kind == "active" for body in bodies}
    ends = {rod.name: {"start": rod.start.hold, "end": rod.end.hold} for rod in rods}
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


def _motion(owner: str, label: str, motion: Motion, settings: Settings) -> Motion:
    """Check a prescribed path: the right number of samples, no jump through the double cover."""
    checks.instance(owner, label, motion, Motion)
    count = settings.sample_count
    positions = checks.finite(owner, f"the positions of {label}", motion.positions, (-1, 3))
    rotations = checks.quaternion(owner, f"the rotations of {label}", motion.rotations, (-1, 4))
    if len(positions) != count or len(rotations) != count:
        raise SceneError(
            owner,
            f"{label} has {len(positions)} positions and {len(rotations)} rotations; it needs {count} samples, "
            "one a substep and the start: sample it again for this frame range and these substeps",
        )
    flips = np.sum(rotations[1:] * rotations[:-1], axis=1) < 0.0
    signs = np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)
    rotations[1:] *= signs[:, None]
    return Motion(positions=positions, rotations=rotations)


def _body(body: RigidBody, settings: Settings) -> RigidBody:
    """Check a rigid body. One that is animated starts where its motion starts."""
    name = body.name
    kind = checks.choice(name, "kind", body.kind, BODY_KINDS)
    if kind == "animated" and body.motion is None:
        raise SceneError(name, "it is animated but has no motion; sample its path or make it active or static")
    if kind != "animated" and body.motion is not None:
        raise SceneError(name, f"it has a motion but is {kind}; make it animated or leave the motion out")
    motion = None if body.motion is None else _motion(name, "its motion", body.motion, settings)
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


def _rod(rod: Rod, settings: Settings) -> Rod:
    """Check a rod."""
    name = rod.name
    points = _points(name, rod.points)
    shape = (len(points), 3)
    tangents = None if rod.tangents is None else checks.directions(name, "tangent", rod.tangents, shape)
    normals = None if rod.normals is None else checks.directions(name, "normal", rod.normals, shape)
    if normals is not None:
        across_curve(name, normals, point_directions(points, tangents))
    return Rod(
        name=name,
        points=points,
        tangents=tangents,
        normals=normals,
        elements=checks.whole(name, "elements", rod.elements, 1, MOST_ELEMENTS),
        order=_order(name, rod.order),
        radius=checks.positive(name, "radius", rod.radius),
        material=_material(name, rod.material),
        rest=checks.choice(name, "rest shape", rod.rest, REST_SHAPES),
        damping=checks.not_negative(name, "damping", rod.damping),
        linear_damping=checks.not_negative(name, "linear damping", rod.linear_damping),
        start=_rod_end(name, "start", rod.start, settings),
        end=_rod_end(name, "end", rod.end, settings),
    )


def _points(name: str, value) -> np.ndarray:
    """Check a centre line: at least two points, some length, no two consecutive points at one place."""
    points = checks.finite(name, "points", value, (-1, 3))
    if len(points) < 2:
        raise SceneError(name, f"the curve has {len(points)} point(s); a rod needs at least two")
    steps = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
    length = steps.sum()
    if not length > 1.0e-12:
        raise SceneError(name, "the curve has no length: all its points are at one place; draw it longer")
    short = steps <= COINCIDENT * length
    if short.any():
        number = int(np.argmax(short)) + 1
        raise SceneError(name, f"points {number} and {number + 1} are at the same place; remove one of them")
    return points


def _order(name: str, value) -> int:
    """Check the polynomial order."""
    order = checks.whole(name, "order", value, min(ROD_ORDERS), max(ROD_ORDERS))
    if order not in ROD_ORDERS:
        raise SceneError(name, f"order is {order}; choose one of {', '.join(map(str, ROD_ORDERS))}")
    return order


def _material(name: str, material: Material) -> Material:
    """Check what a rod is made of."""
    checks.instance(name, "material", material, Material)
    poisson = checks.real(name, "Poisson's ratio", material.poisson_ratio)
    if not -1.0 < poisson <= 0.5:
        raise SceneError(name, f"Poisson's ratio is {poisson:g}; it must be above −1 and at most 0.5")
    return Material(
        young_modulus=checks.positive(name, "Young's modulus", material.young_modulus),
        poisson_ratio=poisson,
        density=checks.positive(name, "density", material.density),
    )


def _rod_end(name: str, which: str, end: RodEnd, settings: Settings) -> RodEnd:
    """Check how an end is held."""
    checks.instance(name, f"the {which}", end, RodEnd)
    hold = checks.choice(name, f"the hold of the {which}", end.hold, END_HOLDS)
    if end.motion is None:
        return RodEnd(hold=hold)
    if hold == "free":
        raise SceneError(name, f"the {which} has a motion but is free; pin it, clamp it or leave the motion out")
    return RodEnd(hold=hold, motion=_motion(name, f"the motion of the {which}", end.motion, settings))


def _joint(joint: Joint, movable: dict, ends: dict, settings: Settings) -> Joint:
    """Check a joint and its partners."""
    name = joint.name
    kind = checks.choice(name, "joint type", joint.kind, tuple(JOINT_TYPES))
    partners = []
    free = []
    for label, partner in (("body 1", joint.body_1), ("body 2", joint.body_2)):
        checks.instance(name, label, partner, Partner)
        free.append(_partner_moves(name, label, partner, movable, ends))
        partners.append(replace(partner))
    one, two = partners
    if (one.name, one.end) == (two.name, two.end):
        what = f'"{one.name}"' if one.name else "the world"
        raise SceneError(name, f"it joins {what} with itself; pick two different partners")
    if not any(free):
        raise SceneError(name, "neither partner can move; make one of them active or free the rod's end")
    pinned = [p for p in partners if p.name in ends and ends[p.name][p.end] == "pinned"]
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


def _partner_moves(name: str, label: str, partner: Partner, movable: dict, ends: dict) -> bool:
    """Find a partner; say whether the solver can move it."""
    other = checks.text(name, f"the name of {label}", partner.name)
    end = checks.text(name, f"the end of {label}", partner.end)
    if other in ends:
        if end not in ROD_ENDS:
            raise SceneError(name, f'{label} is the rod "{other}"; say which end: "start" or "end"')
        return ends[other][end] != "clamped"
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
    return numbers


def _refuse_locked(name: str, kind: str, numbers: dict) -> None:
    """Refuse limits and drives on rows that the joint type locks, and limits that it has no use for."""
    joint_type = JOINT_TYPES[kind]
    ranges = {row: item for item in joint_type.coordinates if item.limit == RANGE for row in item.rows}
    lower, upper = numbers["lower"], numbers["upper"]
    driven = (numbers["stiffness"] > 0.0) | (numbers["damping"] > 0.0)
    driven |= np.any(np.atleast_2d(numbers["target"]) != 0.0, axis=0)
    for row, label in enumerate(ROW_LABELS):
        locked = row not in joint_type.free_rows
        why = f"a {kind} joint locks {label}" if locked else f"a {kind} joint has no range for {label}"
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
