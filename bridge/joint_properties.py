"""What an artist sets on a joint: its type and partners, and the limits and targets of what the type leaves free."""

import math

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .joint_kinds import KINDS

STILL: set[str] = set()  # options of a setting that is read once, at the start of a bake

ROD_ENDS = (
    ("NEAREST", "Nearest", "The end of the rod that is nearest to the joint"),
    ("START", "Start", "The first point of the spline"),
    ("END", "End", "The last point of the spline"),
)
PARTNER_ROLES = {"RIGID_BODY", "ROD"}


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
    end: EnumProperty(name="End", description="Which end of the rod is joined", items=ROD_ENDS, options=STILL)
    spline: IntProperty(
        name="Spline", default=0, min=0, options=STILL,
        description="Which spline of the curve is joined, counted from 0 in the order they were drawn")


class JointSettings(bpy.types.PropertyGroup):
    """An empty that is a joint: its Z axis is the axis of hinges and sliders."""

    kind: EnumProperty(
        name="Type", options=STILL, items=[(kind.identifier, kind.label, kind.tooltip) for kind in KINDS],
        default=next((kind.identifier for kind in KINDS if kind.identifier == "FIXED"), KINDS[0].identifier),
        description="How the partners can move against each other")
    partner_1: PointerProperty(type=PartnerSettings)
    partner_2: PointerProperty(type=PartnerSettings)

    use_angle_limits: BoolProperty(name="Angle Limits", default=False, options=STILL,
                                   description="Keep the angle about the joint's Z axis between two stops")
    angle_lower: FloatProperty(name="Lower", default=-math.pi / 4, subtype="ANGLE", unit="ROTATION", options=STILL,
                               description="Smallest angle of the second partner, seen from the first")
    angle_upper: FloatProperty(name="Upper", default=math.pi / 4, subtype="ANGLE", unit="ROTATION", options=STILL,
                               description="Largest angle of the second partner, seen from the first")
    use_swing_limit: BoolProperty(name="Swing Limit", default=False, options=STILL,
                                  description="Keep the second partner's Z axis within a cone")
    swing_limit: FloatProperty(name="Swing", default=math.pi / 4, min=0.0, max=math.pi, subtype="ANGLE",
                               unit="ROTATION", options=STILL,
                               description="Largest angle between the Z axes of the partners")
    use_twist_limits: BoolProperty(name="Twist Limits", default=False, options=STILL,
                                   description="Keep the turning about the Z axis between two stops")
    twist_lower: FloatProperty(name="Lower", default=-math.pi / 4, min=-math.pi, max=math.pi, subtype="ANGLE",
                               unit="ROTATION", options=STILL, description="Smallest twist of the second partner")
    twist_upper: FloatProperty(name="Upper", default=math.pi / 4, min=-math.pi, max=math.pi, subtype="ANGLE",
                               unit="ROTATION", options=STILL, description="Largest twist of the second partner")
    use_travel_limits: BoolProperty(name="Travel Limits", default=False, options=STILL,
                                    description="Keep the travel along the joint's Z axis between two stops")
    travel_lower: FloatProperty(name="Lower", default=-1.0, subtype="DISTANCE", unit="LENGTH", options=STILL,
                                description="Smallest travel of the second partner from where it starts")
    travel_upper: FloatProperty(name="Upper", default=1.0, subtype="DISTANCE", unit="LENGTH", options=STILL,
                                description="Largest travel of the second partner from where it starts")

    use_angle_target: BoolProperty(name="Angle Target", default=False, options=STILL,
                                   description="Turn the second partner towards an angle, as a spring or a motor does")
    target_angle: FloatProperty(
        name="Angle", default=0.0, subtype="ANGLE", unit="ROTATION",
        description="The angle that is sought, 0 is as drawn; set keys on it to drive the joint")
    angle_stiffness: FloatProperty(
        name="Stiffness (N·m/rad)", default=10.0, min=0.0, soft_max=1.0e4, precision=3, step=100, options=STILL,
        description="How strongly the joint turns towards the target, in N·m for each radian it is away")
    angle_damping: FloatProperty(
        name="Damping (N·m·s/rad)", default=1.0, min=0.0, soft_max=1.0e3, precision=3, step=10, options=STILL,
        description="How strongly the joint resists turning, in N·m for each radian per second")
    use_travel_target: BoolProperty(name="Travel Target", default=False, options=STILL,
                                    description="Push the second partner towards a place along the Z axis, as a "
                                    "spring or a piston does")
    target_travel: FloatProperty(
        name="Travel", default=0.0, subtype="DISTANCE", unit="LENGTH",
        description="The travel that is sought, 0 is as drawn; set keys on it to drive the joint")
    travel_stiffness: FloatProperty(
        name="Stiffness (N/m)", default=1000.0, min=0.0, soft_max=1.0e6, precision=3, step=1000, options=STILL,
        description="How strongly the joint pushes towards the target, in N for each metre it is away")
    travel_damping: FloatProperty(
        name="Damping (N·s/m)", default=100.0, min=0.0, soft_max=1.0e5, precision=3, step=100, options=STILL,
        description="How strongly the joint resists sliding, in N for each metre per second")


CLASSES = (PartnerSettings, JointSettings)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
