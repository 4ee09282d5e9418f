"""The Tendril tab of the 3D view: set up, check, bake, clear, from top to bottom."""

from __future__ import annotations

import bpy

from ..bridge import bake
from ..bridge.properties import ROLES
from .wrapping import sentence

LABEL_OF_ROLE = {role[0]: role[1] for role in ROLES}
ICON_OF_ROLE = {role[0]: role[3] for role in ROLES}


class SidebarPanel:
    """A panel of the Tendril tab."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Tendril"


class TENDRIL_PT_set_up(SidebarPanel, bpy.types.Panel):
    bl_label = "1  Set Up"

    def draw(self, context):
        layout = self.layout
        if not context.selected_objects:
            sentence(context, layout, "Select meshes, curves or empties, then say what they are", "INFO")
        column = layout.column(align=True)
        for role, label, _, icon, _ in ROLES[1:]:
            column.operator("tendril.add", text=f"Add {label}", icon=icon).role = role
        column.operator("tendril.remove", text="Remove", icon="X")
        ob = context.object
        if ob is not None and ob.tendril.role != "NONE":
            role = ob.tendril.role
            layout.label(text=f"{ob.name}: {LABEL_OF_ROLE[role]}", icon=ICON_OF_ROLE[role])
            sentence(context, layout, "Its settings are in Properties ▸ Physics")


class TENDRIL_PT_check(SidebarPanel, bpy.types.Panel):
    bl_label = "2  Check"

    def draw(self, context):
        layout = self.layout
        settings = context.scene.tendril
        layout.operator("tendril.check", icon="CHECKMARK")
        if not settings.is_checked:
            return
        if not settings.problems:
            layout.label(text="All is well", icon="CHECKMARK")
        for index, problem in enumerate(settings.problems):
            box = layout.box()
            row = box.row()
            row.label(text="" if problem.object_name else "Scene", icon="ERROR")
            if problem.object_name:
                select = row.operator("tendril.select_problem", text=problem.object_name, icon="RESTRICT_SELECT_OFF")
                select.index = index
            sentence(context, box, problem.sentence)


class TENDRIL_PT_bake(SidebarPanel, bpy.types.Panel):
    bl_label = "3  Bake"

    def draw(self, context):
        layout = self.layout
        scene, settings = context.scene, context.scene.tendril
        column = layout.column()
        column.enabled = bake.running is None
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "use_own_range")
        frames = column.column(align=True)
        frames.prop(settings if settings.use_own_range else scene, "frame_start", text="Start")
        frames.prop(settings if settings.use_own_range else scene, "frame_end", text="End")
        steps = column.column(align=True)
        steps.prop(settings, "substeps")
        steps.prop(settings, "iterations")
        column.prop(scene, "use_gravity", text="Gravity")
        if scene.use_gravity:
            axes = column.column(align=True)
            for index, axis in enumerate("XYZ"):
                axes.prop(scene, "gravity", index=index, text=axis)
        column.prop(settings, "result_form")
        if bake.running is not None:
            draw_progress(context, layout)
            return
        button = layout.row()
        button.scale_y = 1.5
        button.operator("tendril.bake", text="Bake", icon="PLAY")
        if settings.status:
            sentence(context, layout, settings.status)


def draw_progress(context, layout) -> None:
    """Show how far the bake is, and how to stop it."""
    status = bake.running.status
    layout.progress(factor=status.fraction, text=status.line())
    layout.operator("tendril.cancel", icon="CANCEL")
    sentence(context, layout, "ESC stops it and keeps the frames that are done")


class TENDRIL_PT_clear(SidebarPanel, bpy.types.Panel):
    bl_label = "4  Clear"

    def draw(self, context):
        self.layout.operator("tendril.clear", text="Clear Bake", icon="TRASH")


CLASSES = (TENDRIL_PT_set_up, TENDRIL_PT_check, TENDRIL_PT_bake, TENDRIL_PT_clear)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
