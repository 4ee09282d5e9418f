"""What an artist sets on a joint: its type and partners, and limits and targets of whatever some type leaves free.

The types and their coordinates come from the solver's table (``solver.joints.types``), one set of properties for each
coordinate: ``use_X_limits``, ``X_lower``, ``X_upper`` (or ``X_limit`` for a cone), ``use_X_target``, ``X_target``,
``X_stiffness`` and ``X_damping``; ``use_X_motor``, ``X_speed``, ``use_X_maximum`` and ``X_maximum`` where there can be
a motor; ``lock_X`` where some type leaves it to the artist. X is the identifier: angle, travel, swing and so on.
"""

import math

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from ..solver.joints.types import CONE, JOINT_TYPES, RANGE, Coordinate, JointType

STILL: set[str] = set()  # options of a setting that is read once, at the start of a bake

ROD_PLACES = (
    ("NEAREST", "Nearest", "The place on the rod that is nearest to the joint; its end, where that is close by"),
    ("START", "Start", "The first point of the spline"),
    ("END", "End", "The last point of the spline"),
    ("ALONG", "Along", "A share of the rod's length, wherever the joint is"),
)
PARTNER_ROLES = {"RIGID_BODY", "ROD"}
COORDINATES: dict[str, Coordinate] = {
    coordinate.identifier: coordinate for kind in JOINT_TYPES.values() for coordinate in kind.coordinates
}
LOCKABLE = {
    coordinate.identifier
    for kind in JOINT_TYPES.values() for coordinate in kind.coordinates if set(coordinate.rows) <= set(kind.chosen_rows)
}


def _remember_partner(self: "PartnerSettings", context: bpy.types.Context) -> None:
    self.object_name = self.object.name if self.object else ""


def _can_join(self: "PartnerSettings", candidate: bpy.types.Object) -> bool:
    return candidate.tendril.role in PARTNER_ROLES and candidate is not self.id_data


class PartnerSettings(bpy.types.PropertyGroup):
    """One side of a joint."""

    object: PointerProperty(
        name="Partner", type=bpy.types.Object, poll=_can_join, update=_remember_partner, options=STILL,
        description="A Tendril rigid body or rod that this joint holds. Empty: the world")
    object_name: StringProperty(options={"HIDDEN"})  # to notice that the object is gone
    end: EnumProperty(name="Place", description="Where the rod is joined", items=ROD_PLACES, options=STILL)
    along: FloatProperty(
        name="Along", default=0.5, min=0.0, max=1.0, precision=3, subtype="FACTOR", options=STILL,
        description="Where the rod is joined, as a share of its length from the start: 0.5 is the middle. The elements "
        "on both sides end there")
    spline: IntProperty(
        name="Spline", default=0, min=0, options=STILL,
        description="Which spline of the curve is joined, counted from 0 in the order they were drawn")


class JointSettings(bpy.types.PropertyGroup):
    """An empty that is a joint: its Z axis is the axis of hinges and sliders."""

    kind: EnumProperty(
        name="Type", description="How the partners can move against each other", options=STILL,
        items=[(name.upper(), kind.label, kind.description) for name, kind in JOINT_TYPES.items()])
    partner_1: PointerProperty(type=PartnerSettings)
    partner_2: PointerProperty(type=PartnerSettings)


def joint_type(settings: JointSettings) -> JointType:
    """Return the table's row for what the artist chose."""
    return JOINT_TYPES[settings.kind.lower()]


def limit_names(coordinate: Coordinate) -> tuple[str, ...]:
    """Return the names of the properties that limit a coordinate."""
    name = coordinate.identifier
    return (f"{name}_limit",) if coordinate.limit == CONE else (f"{name}_lower", f"{name}_upper")


def has_target(coordinate: Coordinate) -> bool:
    """Tell whether a coordinate has one number to seek; a swing springs back to where it starts."""
    return len(coordinate.rows) == 1


def is_lockable(kind: JointType, coordinate: Coordinate) -> bool:
    """Tell whether a joint type leaves it to the artist to lock a coordinate."""
    return set(coordinate.rows) <= set(kind.chosen_rows)


def is_locked(settings: JointSettings, coordinate: Coordinate) -> bool:
    """Tell whether the artist has locked a coordinate of the joint's type."""
    return is_lockable(joint_type(settings), coordinate) and getattr(settings, f"lock_{coordinate.identifier}")


def _number(coordinate: Coordinate, name: str, default: float, description: str, keyable: bool = False):
    """Return a property in the coordinate's unit."""
    settings = {"name": name, "default": default, "description": description}
    settings |= {"subtype": "ANGLE", "unit": "ROTATION"} if coordinate.unit == "rad" else {
        "subtype": "DISTANCE", "unit": "LENGTH"}
    settings |= {"min": coordinate.smallest} if math.isfinite(coordinate.smallest) else {}
    settings |= {"max": coordinate.largest} if math.isfinite(coordinate.largest) else {}
    return FloatProperty(**settings) if keyable else FloatProperty(**settings, options=STILL)


def _coordinate_properties(coordinate: Coordinate) -> dict:
    """Return the annotations of one coordinate."""
    name, label = coordinate.identifier, coordinate.label
    what = label.lower()
    far = math.pi / 4 if coordinate.unit == "rad" else 1.0
    turning = coordinate.unit == "rad"
    pull, per = ("N·m", "radian") if turning else ("N", "meter")
    units = ("N·m/rad", "N·m·s/rad") if turning else ("N/m", "N·s/m")
    found = {}
    if coordinate.limit:
        found[f"use_{name}_limits"] = BoolProperty(
            name=f"{label} Limits" if coordinate.limit == RANGE else f"{label} Limit", default=False, options=STILL,
            description=f"Stop the {what} at its bounds. {coordinate.description}")
    if coordinate.limit == RANGE:
        found[f"{name}_lower"] = _number(coordinate, "Lower", -far, f"Smallest {what}; 0 is as drawn")
        found[f"{name}_upper"] = _number(coordinate, "Upper", far, f"Largest {what}; 0 is as drawn")
    elif coordinate.limit == CONE:
        found[f"{name}_limit"] = _number(coordinate, "Largest", far, f"Largest {what}; 0 is as drawn")
    found[f"use_{name}_target"] = BoolProperty(
        name=f"{label} Target" if has_target(coordinate) else f"{label} Spring", default=False, options=STILL,
        description=f"Pull the {what} towards a target, as a spring or a motor does" if has_target(coordinate)
        else f"Pull the {what} back to how it is drawn, as a spring does")
    if has_target(coordinate):
        found[f"{name}_target"] = _number(
            coordinate, label, 0.0, f"The {what} that is sought; 0 is as drawn. Set keys to drive the joint", True)
    found[f"{name}_stiffness"] = FloatProperty(
        name="Stiffness", default=10.0 if turning else 1000.0, min=0.0, soft_max=1.0e6, precision=3,
        step=100, options=STILL,
        description=f"How strongly the joint pulls to its target, in {units[0]}: {pull} for each {per} it is away")
    found[f"{name}_damping"] = FloatProperty(
        name="Damping", default=1.0 if turning else 100.0, min=0.0, soft_max=1.0e5, precision=3,
        step=10, options=STILL,
        description=f"How strongly the joint resists moving, in {units[1]}: {pull} for each {per} per second")
    if coordinate.motor:
        found |= _motor_properties(coordinate, pull)
    if name in LOCKABLE:
        found[f"lock_{name}"] = BoolProperty(
            name=f"Lock {label}", default=True, options=STILL, description=f"Hold the {what} as it is drawn")
    return found


def _motor_properties(coordinate: Coordinate, pull: str) -> dict:
    """Return the annotations of a coordinate's motor; ``pull`` is the unit of force or torque."""
    name, label, what = coordinate.identifier, coordinate.label, coordinate.label.lower()
    turning = coordinate.unit == "rad"
    force = "torque" if turning else "force"
    return {
        f"use_{name}_motor": BoolProperty(
            name=f"{label} Motor", default=False, options=STILL,
            description=f"Drive the {what} with a speed, as a motor does. With a speed of 0 it is a brake"),
        f"{name}_speed": FloatProperty(
            name="Speed", default=2 * math.pi if turning else 1.0, precision=3,
            subtype="ANGLE" if turning else "NONE", unit="ROTATION" if turning else "VELOCITY",
            description=f"{'Angle' if turning else 'Distance'} per second that the motor drives the {what} with. Set "
            "keys to change it"),
        f"use_{name}_maximum": BoolProperty(
            name=f"{label} {force.title()} Limit", default=False, options=STILL,
            description=f"Let the motor or the target do no more than a largest {force}, so that it stalls or slips"),
        f"{name}_maximum": FloatProperty(
            name=f"Largest ({pull})", default=10.0 if turning else 100.0, min=0.0, soft_max=1.0e5, precision=3,
            step=100, options=STILL, description=f"The most that the motor or the target does, in {pull}"),
    }


for _coordinate in COORDINATES.values():
    JointSettings.__annotations__.update(_coordinate_properties(_coordinate))

CLASSES = (PartnerSettings, JointSettings)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
