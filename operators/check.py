"""List what is wrong with the scene, and go to the object in question."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from ..bridge.check import check
from ..bridge.problems import fill_list


class TENDRIL_OT_check(bpy.types.Operator):
    """Look for everything that must be mended before the scene can be baked"""

    bl_idname = "tendril.check"
    bl_label = "Check"

    def execute(self, context):
        problems = check(context.scene, context.view_layer)
        fill_list(context.scene, problems)
        if problems:
            count = len(problems)
            self.report({"WARNING"}, f"{problems[0]}" if count == 1 else f"{count} problems; first {problems[0]}")
        else:
            self.report({"INFO"}, "All is well: the scene can be baked")
        return {"FINISHED"}


class TENDRIL_OT_select_problem(bpy.types.Operator):
    """Select the object and make it active"""

    bl_idname = "tendril.select_problem"
    bl_label = "Select Object"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Problem", min=0, options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context):
        settings = context.scene.tendril
        if self.index >= len(settings.problems):
            self.report({"WARNING"}, "The list has changed. Check again")
            return {"CANCELLED"}
        settings.problem_index = self.index
        name = settings.problems[self.index].object_name
        ob = context.view_layer.objects.get(name)
        if ob is None:
            self.report({"WARNING"}, f"{name} is not in this view layer: look for it in the Outliner")
            return {"CANCELLED"}
        for other in context.selected_objects:
            other.select_set(False)
        context.view_layer.objects.active = ob
        if not ob.visible_get():
            self.report({"WARNING"}, f"{name} is hidden: show it in the Outliner")
            return {"FINISHED"}
        ob.select_set(True)
        return {"FINISHED"}


CLASSES = (TENDRIL_OT_check, TENDRIL_OT_select_problem)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
