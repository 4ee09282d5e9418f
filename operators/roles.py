"""Make the selection rigid bodies, rods or joints, and undo that."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty

from mathutils import Vector

from ..bridge.properties import ROLE_OF_TYPE, ROLES

ADDABLE = [role for role in ROLES if role[0] != "NONE"]
MEMBERS = {"RIGID_BODY": ("rigid body", "rigid bodies", "meshes"), "ROD": ("rod", "rods", "curves"),
           "JOINT": ("joint", "joints", "empties")}


def _chosen(context: bpy.types.Context, active_only: bool) -> list[bpy.types.Object]:
    """Return the objects an operator works on."""
    if active_only:
        return [context.object] if context.object else []
    return list(context.selected_objects)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class TENDRIL_OT_add(bpy.types.Operator):
    """Make the selected objects part of the Tendril simulation"""

    bl_idname = "tendril.add"
    bl_label = "Add to Tendril"
    bl_options = {"REGISTER", "UNDO"}

    role: EnumProperty(name="Role", description="What the selected objects become", items=ADDABLE)
    active_only: BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return {
            "RIGID_BODY": "Make the selected meshes rigid bodies, which move without changing their shape",
            "ROD": "Make the selected curves rods, which bend, twist and stretch",
            "JOINT": "Make the selected empties joints. With rigid bodies or rods selected instead, add a joint "
            "between the active one and each of the others; with one selected, a joint to the world",
        }[properties.role]

    @classmethod
    def poll(cls, context):
        if not context.selected_objects and not context.object:
            cls.poll_message_set("Select a mesh, a curve or an empty first")
            return False
        return True

    def execute(self, context):
        chosen = _chosen(context, self.active_only)
        one, many, kinds = MEMBERS[self.role]
        if self.role == "JOINT" and not any(ob.type == "EMPTY" for ob in chosen):
            return self._add_joints(context, chosen)
        fitting = [ob for ob in chosen if ROLE_OF_TYPE.get(ob.type) == self.role]
        if self.role == "JOINT":
            return self._tag_joints(context, chosen, fitting)
        wrong = [ob.name for ob in chosen if ob not in fitting]
        done = self._tag(fitting)
        if wrong:
            self.report({"WARNING"}, f"Only {kinds} can be {many}; left out {_listed(wrong)}")
        elif done:
            self.report({"INFO"}, f"{len(done)} {one if len(done) == 1 else many}")
        return {"FINISHED"} if done else {"CANCELLED"}

    def _tag(self, objects) -> list[bpy.types.Object]:
        linked = [ob.name for ob in objects if not ob.is_editable]
        done = [ob for ob in objects if ob.is_editable]
        for ob in done:
            ob.tendril.role = self.role
            if self.role == "ROD" and ob.data.bevel_depth > 0.0:
                ob.tendril.rod.use_bevel_radius = True
        if linked:
            self.report({"WARNING"}, f"Linked from another file, so left out: {_listed(linked)}")
        return done

    def _tag_joints(self, context, chosen, empties):
        """Make joints of empties; one empty also takes the selected bodies and rods as its partners."""
        done = self._tag(empties)
        partners = _members(context, chosen)
        if len(done) == 1 and 1 <= len(partners) <= 2:
            _set_partners(done[0], partners)
        wrong = [ob.name for ob in chosen if ob not in empties and ob not in partners]
        if wrong:
            self.report({"WARNING"}, f"Only empties can be joints; left out {_listed(wrong)}")
        return {"FINISHED"} if done else {"CANCELLED"}

    def _add_joints(self, context, chosen):
        """Add an empty for each joint from the active object to the others, or to the world."""
        partners = _members(context, chosen)
        wrong = [ob.name for ob in chosen if ob not in partners]
        if not partners:
            self.report({"WARNING"}, "Select an empty to make it a joint, or the rigid bodies or rods to join; "
                        f"left out {_listed(wrong)}")
            return {"CANCELLED"}
        pairs = [[partners[0], other] for other in partners[1:]] or [[partners[0]]]
        made = [_new_joint(context, pair) for pair in pairs]
        for ob in chosen:
            ob.select_set(False)
        for ob in made:
            ob.select_set(True)
        context.view_layer.objects.active = made[-1]
        if wrong:
            self.report({"WARNING"}, f"Neither rigid bodies nor rods, so left out: {_listed(wrong)}")
        return {"FINISHED"}


def _members(context: bpy.types.Context, objects) -> list[bpy.types.Object]:
    """Return the bodies and rods among ``objects``, the active one first."""
    found = [ob for ob in objects if ob.tendril.role in {"RIGID_BODY", "ROD"}]
    return sorted(found, key=lambda ob: ob != context.object)


def _set_partners(joint: bpy.types.Object, partners) -> None:
    sides = (joint.tendril.joint.partner_1, joint.tendril.joint.partner_2)
    for side, other in zip(sides, partners, strict=False):
        side.object = other


def _new_joint(context: bpy.types.Context, partners) -> bpy.types.Object:
    """Add an empty that joins one or two objects where they are likely to meet."""
    joint = bpy.data.objects.new(f"{partners[-1].name} Joint", None)
    joint.empty_display_type = "ARROWS"
    joint.empty_display_size = 0.25
    joint.location = _meeting_place(partners)
    collections = [found for found in partners[0].users_collection if found.library is None]
    (collections[0] if collections else context.scene.collection).objects.link(joint)
    joint.tendril.role = "JOINT"
    _set_partners(joint, partners)
    return joint


def _ends(ob: bpy.types.Object) -> list[Vector]:
    """Return the drawn ends of a rod in the world; of a ring, which has none, all its points."""
    places = []
    for spline in ob.data.splines:
        points = spline.bezier_points if spline.type == "BEZIER" else spline.points
        if len(points):
            ends = range(len(points)) if spline.use_cyclic_u else (0, -1)
            places += [ob.matrix_world @ points[index].co.to_3d() for index in ends]
    return places


def _meeting_place(partners) -> Vector:
    """Return where a new joint goes: a rod's end near the other partner, else halfway between the origins."""
    rods = [ob for ob in partners if ob.tendril.role == "ROD" and ob.type == "CURVE"]
    origins = [ob.matrix_world.translation.copy() for ob in partners]
    if rods and _ends(rods[0]):
        others = [ob for ob in partners if ob is not rods[0]]
        if not others:
            return _ends(rods[0])[0]
        aims = _ends(others[0]) if others[0] in rods else [others[0].matrix_world.translation]
        return min(_ends(rods[0]), key=lambda end: min((end - aim).length for aim in aims or [end]))
    return sum(origins, Vector()) / len(origins)


class TENDRIL_OT_remove(bpy.types.Operator):
    """Take the selected objects out of the Tendril simulation; their settings are kept"""

    bl_idname = "tendril.remove"
    bl_label = "Remove from Tendril"
    bl_options = {"REGISTER", "UNDO"}

    active_only: BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        objects = [*context.selected_objects, *([context.object] if context.object else [])]
        if not any(ob.tendril.role != "NONE" for ob in objects):
            cls.poll_message_set("None of the selected objects is part of the Tendril simulation")
            return False
        return True

    def execute(self, context):
        members = [ob for ob in _chosen(context, self.active_only) if ob.tendril.role != "NONE"]
        linked = [ob.name for ob in members if not ob.is_editable]
        for ob in members:
            if ob.is_editable:
                ob.tendril.role = "NONE"
        if linked:
            self.report({"WARNING"}, f"Linked from another file, so left as they are: {_listed(linked)}")
        return {"FINISHED"} if len(members) > len(linked) else {"CANCELLED"}


CLASSES = (TENDRIL_OT_add, TENDRIL_OT_remove)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
