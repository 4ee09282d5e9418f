"""Empties → joints: the frame, the partners, and limits and targets on the rows of the joint table."""

from __future__ import annotations

import bpy
import numpy as np

from ..solver.joints.types import CONE, Coordinate
from ..solver.rods.centre_line import CentreLine
from ..solver.scene import NO_MOTOR, UNLIMITED, Joint, Partner, Rod
from . import keys, space
from .draft import Draft, Driven, is_keyed, key
from .joint_properties import has_target, is_locked, joint_type
from .problems import Refused

END_REACH = 0.02  # of a rod's length: the nearest place this close to an end is the end
SAME_PLACE = 0.002  # of a rod's length: nearest places this close to one another are one


class _Unknown(Exception):
    """A partner that has a problem of its own."""


def read_joint(draft: Draft, ob: bpy.types.Object) -> None:
    """Add the joint of an empty to the draft; raises ``Refused``."""
    settings = ob.tendril.joint
    matrix = draft.matrix(ob)
    if space.is_flat(matrix):
        raise Refused("It is scaled to nothing, so that it has no axes. Give its Scale a value other than 0")
    position = matrix[:3, 3] * draft.unit
    try:
        one, two = (_partner(draft, ob, side, position) for side in (settings.partner_1, settings.partner_2))
    except _Unknown:
        return
    if not one.name and not two.name:
        raise Refused("It has no partners. Choose a rigid body or rod as its First or Second partner, or remove it")
    if (one.name, one.end, one.at) == (two.name, two.end, two.at):
        raise Refused(f"It joins {settings.partner_1.object.name} with itself. Choose another Second partner")
    if not (one.name and two.name):
        _refuse_moved(ob)
    name = draft.unique(key(ob), ob.name)
    rows = _rows(settings, draft.unit)
    draft.joints[name] = Joint(
        name, joint_type(settings).identifier, one, two, position, space.quaternion(space.axes_frame(matrix)), **rows
    )
    if is_keyed(ob):
        targets = {c.rows[0]: f"{c.identifier}_target" for c in _driven(settings) if _seeks(settings, c)}
        speeds = {c.rows[0]: f"{c.identifier}_speed" for c in _driven(settings) if _has_motor(settings, c)}
        if targets or speeds:
            draft.driven.append(Driven(name, key(ob), targets, speeds))


def _refuse_moved(ob: bpy.types.Object) -> None:
    """Refuse a joint with the world that has keys on its place, which would be without effect."""
    for curve in keys.curves_of(ob):
        if curve.data_path in keys.PLACING and not curve.mute and len(curve.keyframe_points) > 1:
            raise Refused(f"It has keys on its {curve.data_path.replace('_', ' ')}, but a joint with the world stays "
                          "where it is at the first frame. Put the keys on an Animated rigid body and choose that as "
                          "its partner, or remove them")


def _partner(draft: Draft, ob: bpy.types.Object, side, position: np.ndarray) -> Partner:
    """Return one side of a joint for the solver."""
    other = side.object
    if other is None:
        if side.object_name:
            raise Refused(f"Its partner {side.object_name} has been deleted. Choose another, or clear the field for "
                          "the world")
        return Partner()
    if other is ob:
        raise Refused("It is its own partner. Choose a rigid body or a rod")
    if key(other) not in draft.scene_keys:
        raise Refused(f"Its partner {other.name} is not in this scene any more. Choose another, or clear the field for "
                      "the world")
    role = other.tendril.role
    if role == "RIGID_BODY" and other.type == "MESH":
        if key(other) not in draft.body_names:
            raise _Unknown
        return Partner(draft.body_names[key(other)])
    if role == "ROD" and other.type == "CURVE":
        if key(other) not in draft.rod_names:
            raise _Unknown
        return _rod_partner(draft, other, side, position)
    raise Refused(f"Its partner {other.name} is neither a rigid body nor a rod. Add it as one, or choose another")


def _rod_partner(draft: Draft, other: bpy.types.Object, side, position: np.ndarray) -> Partner:
    """Return the place on a rod that the artist chose, or the nearest of them all."""
    names = draft.rod_names[key(other)]
    if side.end == "NEAREST":
        places = [(*nearest_place(draft.rods[name], position), name) for name in names]
        _, share, name = min(places)
        return _place(draft, name, _shared(draft, name, share))
    if side.spline >= len(names):
        raise Refused(f"It asks for spline {side.spline} of {other.name}, whose last spline is {len(names) - 1}. "
                      "Choose another Spline, or the Nearest place")
    return _place(draft, names[side.spline], {"START": 0.0, "END": 1.0}.get(side.end, side.along))


def _place(draft: Draft, name: str, share: float) -> Partner:
    """Return the place at a share of a rod's length, by one name for each: a ring's seam is 0, ends are ends."""
    if draft.rods[name].closed:
        return Partner(name, at=float(share) % 1.0)
    if 0.0 < share < 1.0:
        return Partner(name, at=float(share))
    return Partner(name, "end" if share >= 1.0 else "start")


def nearest_place(rod: Rod, position: np.ndarray) -> tuple[float, float]:
    """Return how far ``position`` (3,) is from a rod, m, and the share of the rod's length where it is nearest."""
    points, tangents = rod.points, rod.tangents
    if rod.closed:
        points = np.concatenate([points, points[:1]])
        tangents = None if tangents is None else np.concatenate([tangents, tangents[:1]])
    line = CentreLine(points, tangents, rod.closed)
    steps, away = np.diff(points, axis=0), position - points[:-1]
    along = np.clip(np.sum(away * steps, axis=1) / np.sum(steps * steps, axis=1), 0.0, 1.0)
    distances = np.linalg.norm(away - along[:, None] * steps, axis=1)
    nearest = int(np.argmin(distances))
    arc = line.knots[nearest] + along[nearest] * (line.knots[nearest + 1] - line.knots[nearest])
    return float(distances[nearest]), float(arc / line.length)


def _shared(draft: Draft, name: str, share: float) -> float:
    """Return a place near one that is held already, or near an end, as that place: no sliver of an element between."""
    if min(share, 1.0 - share) <= END_REACH and not draft.rods[name].closed:
        return 0.0 if share < 0.5 else 1.0
    for joint in draft.joints.values():
        for partner in (joint.body_1, joint.body_2):
            if partner.name == name and partner.at is not None and abs(partner.at - share) <= SAME_PLACE:
                return partner.at
    return share


def _driven(settings) -> list[Coordinate]:
    """Return the coordinates that are free to be driven."""
    return [coordinate for coordinate in joint_type(settings).coordinates if not is_locked(settings, coordinate)]


def _seeks(settings, coordinate: Coordinate) -> bool:
    """Tell whether a coordinate seeks a number."""
    return has_target(coordinate) and getattr(settings, f"use_{coordinate.identifier}_target")


def _has_motor(settings, coordinate: Coordinate) -> bool:
    return coordinate.motor and getattr(settings, f"use_{coordinate.identifier}_motor")


def _rows(settings, unit: float) -> dict:
    """Return limits, targets, stiffness, damping, motors and locks of the six rows."""
    lower, upper = np.full(6, -UNLIMITED), np.full(6, UNLIMITED)
    target, stiffness, damping = np.zeros(6), np.zeros(6), np.zeros(6)
    swing = UNLIMITED
    for coordinate in _driven(settings):
        name, rows = coordinate.identifier, list(coordinate.rows)
        scale = unit if coordinate.unit == "m" else 1.0
        if coordinate.limit and getattr(settings, f"use_{name}_limits"):
            if coordinate.limit == CONE:
                swing = getattr(settings, f"{name}_limit")
            else:
                low, high = getattr(settings, f"{name}_lower"), getattr(settings, f"{name}_upper")
                if low > high:
                    raise Refused(f"The lower limit of its {coordinate.label} is above the upper one. Swap them")
                lower[rows], upper[rows] = low * scale, high * scale
        if getattr(settings, f"use_{name}_target"):
            stiffness[rows] = getattr(settings, f"{name}_stiffness")
            damping[rows] = getattr(settings, f"{name}_damping")
            if has_target(coordinate):
                target[rows] = getattr(settings, f"{name}_target") * scale
    return {"lower": lower, "upper": upper, "swing_limit": swing, "target": target, "stiffness": stiffness,
            "damping": damping, **_motors(settings, unit)}


def _motors(settings, unit: float) -> dict:
    """Return speeds and maxima of the motors, and what the artist has locked."""
    speed, maximum, locked = np.full(6, NO_MOTOR), np.full(6, UNLIMITED), np.zeros(6)
    for coordinate in joint_type(settings).coordinates:
        name, rows = coordinate.identifier, list(coordinate.rows)
        if is_locked(settings, coordinate):
            locked[rows] = 1.0
            continue
        if not coordinate.motor:
            continue
        if getattr(settings, f"use_{name}_motor"):
            if getattr(settings, f"use_{name}_target") and getattr(settings, f"{name}_stiffness") > 0.0:
                raise Refused(f"Its {coordinate.label} has a motor and a target as well. Turn one of them off, or set "
                              "the Stiffness to 0 to keep the Damping alone")
            speed[rows] = getattr(settings, f"{name}_speed") * (unit if coordinate.unit == "m" else 1.0)
        if getattr(settings, f"use_{name}_maximum"):
            maximum[rows] = getattr(settings, f"{name}_maximum")
    return {"speed": speed, "maximum": maximum, "locked": locked}
