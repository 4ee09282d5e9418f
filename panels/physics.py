"""Properties ▸ Physics: what the active object is in the simulation, and all its settings."""

from __future__ import annotations

import bpy

from ..bridge.joint_properties import COORDINATES, has_target, is_lockable, is_locked, joint_type, limit_names
from ..bridge.properties import ROLE_OF_TYPE, ROLES
from .presets import preset_row
from .wrapping import sentence

LABEL_OF_ROLE = {role[0]: role[1] for role in ROLES}
ICON_OF_ROLE = {role[0]: role[3] for role in ROLES}


def _is(context, role: str) -> bool:
    """Tell whether the active object has a role, and is fit for it."""
    ob = context.object
    return ob is not None and ob.tendril.role == role == ROLE_OF_TYPE.get(ob.type)


class PhysicsPanel:
    """A panel of Properties ▸ Physics."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"


class SubPanel(PhysicsPanel):
    """A part of the Tendril panel, for objects of one role."""

    layout: bpy.types.UILayout

    bl_parent_id = "TENDRIL_PT_physics"
    bl_options = {"DEFAULT_CLOSED"}
    role = ""

    @classmethod
    def poll(cls, context):
        return _is(context, cls.role)

    def settings_layout(self):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        return layout


class TENDRIL_PT_physics(PhysicsPanel, bpy.types.Panel):
    bl_label = "Tendril"

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and (ob.type in ROLE_OF_TYPE or ob.tendril.role != "NONE")

    def draw(self, context):
        ob = context.object
        layout = self.layout
        role = ob.tendril.role
        if role == "NONE":
            fitting = ROLE_OF_TYPE[ob.type]
            add = layout.operator("tendril.add", text=f"Make it a {LABEL_OF_ROLE[fitting]}", icon=ICON_OF_ROLE[fitting])
            add.role, add.active_only = fitting, True
            return
        row = layout.row()
        row.label(text=LABEL_OF_ROLE[role], icon=ICON_OF_ROLE[role])
        row.operator("tendril.remove", text="Remove", icon="X").active_only = True
        if ROLE_OF_TYPE.get(ob.type) != role:
            sentence(context, layout, f"This object is no longer fit to be a {LABEL_OF_ROLE[role].lower()}: remove it "
                     "from Tendril, or convert it back", "ERROR")
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        if role == "JOINT":
            preset_row(context, layout, ob)  # says of which type the joint is, and all about its angles and travel
        {"RIGID_BODY": draw_body, "ROD": draw_rod, "JOINT": draw_joint}[role](layout, ob)


def draw_body(layout, ob) -> None:
    layout.prop(ob.tendril.body, "kind")


def draw_rod(layout, ob) -> None:
    rod = ob.tendril.rod
    layout.prop(rod, "order")
    layout.prop(rod, "elements")
    layout.prop(rod, "use_bevel_radius")
    if rod.use_bevel_radius:
        layout.prop(ob.data, "bevel_depth")
    else:
        layout.prop(rod, "radius")
    layout.prop(rod, "aspect")
    layout.prop(rod, "rest")
    if rod.rest == "CURVE":
        layout.prop(rod, "rest_curve")
        draw_deleted(layout, rod, rod.rest_curve, "rest_name")


def draw_joint(layout, ob) -> None:
    joint = ob.tendril.joint
    layout.prop(joint, "kind")
    for side, label in ((joint.partner_1, "First"), (joint.partner_2, "Second")):
        column = layout.column(align=True)
        column.prop(side, "object", text=label, placeholder="World")
        draw_deleted(column, side, side.object, "object_name")
        if side.object and side.object.tendril.role == "ROD":
            column.prop(side, "end")
            if side.end == "ALONG":
                column.prop(side, "along")
            if side.end != "NEAREST":
                column.prop(side, "spline")


def draw_deleted(layout, settings, picked, name: str) -> None:
    """Show the name of a picked object that is gone, in a field that can be cleared."""
    if picked is None and getattr(settings, name):
        row = layout.row()
        row.alert = True
        row.prop(settings, name, text="Deleted", icon="ERROR")


class TENDRIL_PT_body_mass(SubPanel, bpy.types.Panel):
    bl_label = "Mass"
    bl_options = set()
    role = "RIGID_BODY"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and context.object.tendril.body.kind == "ACTIVE"

    def draw(self, context):
        body = context.object.tendril.body
        layout = self.settings_layout()
        preset_row(context, layout, context.object)
        layout.prop(body, "mass_source", expand=True)
        layout.prop(body, "density" if body.mass_source == "DENSITY" else "mass")
        layout.prop(body, "use_given_inertia")
        if body.use_given_inertia:
            layout.prop(body, "center_of_mass")
            layout.prop(body, "inertia")


class TENDRIL_PT_body_motion(SubPanel, bpy.types.Panel):
    bl_label = "Initial Motion"
    role = "RIGID_BODY"
    poll = TENDRIL_PT_body_mass.poll

    def draw(self, context):
        body = context.object.tendril.body
        layout = self.settings_layout()
        layout.prop(body, "velocity")
        layout.prop(body, "spin")


class TENDRIL_PT_body_damping(SubPanel, bpy.types.Panel):
    bl_label = "Damping"
    role = "RIGID_BODY"
    poll = TENDRIL_PT_body_mass.poll

    def draw(self, context):
        body = context.object.tendril.body
        layout = self.settings_layout()
        layout.prop(body, "linear_damping", text="Linear (1/s)")
        layout.prop(body, "angular_damping", text="Angular (1/s)")


class TENDRIL_PT_rod_material(SubPanel, bpy.types.Panel):
    bl_label = "Material"
    bl_options = set()
    role = "ROD"

    def draw(self, context):
        rod = context.object.tendril.rod
        layout = self.settings_layout()
        preset_row(context, layout, context.object)
        layout.prop(rod, "stiffness")
        layout.prop(rod, "poisson_ratio")
        layout.prop(rod, "density")
        layout.prop(rod, "damping")
        layout.prop(rod, "drag")


class TENDRIL_PT_rod_ends(SubPanel, bpy.types.Panel):
    bl_label = "Ends"
    bl_options = set()
    role = "ROD"

    def draw(self, context):
        rod = context.object.tendril.rod
        layout = self.settings_layout()
        for end, label in ((rod.start, "Start"), (rod.end, "End")):
            column = layout.column(align=True)
            column.prop(end, "hold", text=label)
            if end.hold != "FREE":
                column.prop(end, "attach_to", placeholder="Held in Place")
                draw_deleted(column, end, end.attach_to, "attach_name")


class TENDRIL_PT_rod_advanced(SubPanel, bpy.types.Panel):
    bl_label = "Advanced"
    role = "ROD"

    def draw(self, context):
        self.settings_layout().prop(context.object.tendril.rod, "use_shear_correction")


def draw_motor(layout, joint, name) -> None:
    """Draw the motor of one coordinate, and the most that it or the target does."""
    motor = getattr(joint, f"use_{name}_motor")
    layout.prop(joint, f"use_{name}_motor")
    speed = layout.row()
    speed.active, speed.use_property_decorate = motor, True
    speed.prop(joint, f"{name}_speed", text="Speed (per Second)")
    column = layout.column()
    column.active = motor or getattr(joint, f"use_{name}_target")
    column.prop(joint, f"use_{name}_maximum")
    most = column.row()
    most.active = getattr(joint, f"use_{name}_maximum")
    most.prop(joint, f"{name}_maximum")


def _coordinate_panel(coordinate) -> type:
    """Return the panel for limits and target of one coordinate of the joint table."""
    name = coordinate.identifier

    def poll(cls, context):
        return _is(context, "JOINT") and coordinate in joint_type(context.object.tendril.joint).coordinates

    def draw(self, context):
        joint = context.object.tendril.joint
        layout = self.settings_layout()
        if is_lockable(joint_type(joint), coordinate):
            layout.prop(joint, f"lock_{name}")
            layout = layout.column()
            layout.active = not is_locked(joint, coordinate)
        if coordinate.limit:
            layout.prop(joint, f"use_{name}_limits")
            column = layout.column(align=True)
            column.active = getattr(joint, f"use_{name}_limits")
            for limit in limit_names(coordinate):
                column.prop(joint, limit)
        layout.prop(joint, f"use_{name}_target")
        column = layout.column(align=True)
        column.active = getattr(joint, f"use_{name}_target")
        if has_target(coordinate):
            target = column.row()
            target.use_property_decorate = True
            target.prop(joint, f"{name}_target", text="Target")
        column.prop(joint, f"{name}_stiffness")
        column.prop(joint, f"{name}_damping")
        if coordinate.motor:
            draw_motor(layout, joint, name)

    panel = type(f"TENDRIL_PT_joint_{name}", (SubPanel, bpy.types.Panel), {
        "__module__": __name__, "bl_label": coordinate.label, "bl_options": set(), "role": "JOINT",
        "poll": classmethod(poll), "draw": draw,
    })
    return panel


CLASSES = (
    TENDRIL_PT_physics,
    TENDRIL_PT_body_mass,
    TENDRIL_PT_body_motion,
    TENDRIL_PT_body_damping,
    TENDRIL_PT_rod_material,
    TENDRIL_PT_rod_ends,
    TENDRIL_PT_rod_advanced,
    *(_coordinate_panel(coordinate) for coordinate in COORDINATES.values()),
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
