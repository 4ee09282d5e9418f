"""Apply, save and remove presets of materials and joints."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, StringProperty

from ..bridge import presets
from ..bridge.preset_files import PresetError
from ..bridge.properties import ROLE_OF_TYPE, ROLES, unit_scale

PRESET_ROLES = [role for role in ROLES if role[0] in presets.KINDS]


def _fitting(context: bpy.types.Context, role: str) -> list[bpy.types.Object]:
    """Return the selected objects of a role, and the one whose settings are shown."""
    chosen = dict.fromkeys([*([context.object] if context.object else []), *context.selected_objects])
    return [ob for ob in chosen if ob.tendril.role == role == ROLE_OF_TYPE.get(ob.type)]


def _names(self, context: bpy.types.Context, edit_text: str) -> list[str]:
    return [preset.name for preset in presets.library(self.role).presets]


class PresetOperator:
    """Works on the presets of one role."""

    bl_options = {"REGISTER", "INTERNAL"}

    role: EnumProperty(name="Role", description="What the preset is for", items=PRESET_ROLES,
                       options={"HIDDEN", "SKIP_SAVE"})


class TENDRIL_OT_apply_preset(PresetOperator, bpy.types.Operator):
    """Give the active and the selected objects of the same role the settings of this preset"""

    bl_idname = "tendril.apply_preset"
    bl_label = "Apply Preset"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(name="Preset", description="Which preset", search=_names, options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        preset = presets.library(properties.role).find(properties.name)
        return preset.about if preset and preset.about else cls.__doc__

    def execute(self, context):
        preset = presets.library(self.role).find(self.name)
        if preset is None:
            self.report({"ERROR"}, f"There is no preset {self.name}. Choose another from the menu")
            return {"CANCELLED"}
        fitting = _fitting(context, self.role)
        local = [ob for ob in fitting if ob.is_editable]
        for ob in local:
            presets.apply(self.role, preset, ob, unit_scale(context.scene))
        if len(local) < len(fitting):
            self.report({"WARNING"}, f"{len(fitting) - len(local)} of the objects are linked from another file, so "
                        "left as they are")
        elif not fitting:
            label = next(role[1] for role in ROLES if role[0] == self.role)
            self.report({"WARNING"}, f"{self.name} is for a {label.lower()}, and none is selected")
        else:
            self.report({"INFO"}, f"{self.name}: {len(local)} object{'s' if len(local) > 1 else ''}")
        return {"FINISHED"} if local else {"CANCELLED"}


class TENDRIL_OT_save_preset(PresetOperator, bpy.types.Operator):
    """Keep the settings of the active object as a preset of your own, for all your files"""

    bl_idname = "tendril.save_preset"
    bl_label = "Save Preset"

    name: StringProperty(name="Name", description="What the preset is called in the menu", default="My Preset")

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        ob = context.object
        if ob is None or ob.tendril.role != self.role:
            self.report({"ERROR"}, "The active object has no such settings. Make the one active whose settings to keep")
            return {"CANCELLED"}
        try:
            preset = presets.save(self.role, self.name, ob, unit_scale(context.scene))
        except PresetError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Saved {preset.name}")
        return {"FINISHED"}


class TENDRIL_OT_remove_preset(PresetOperator, bpy.types.Operator):
    """Remove this preset of your own. Objects keep the settings they got from it"""

    bl_idname = "tendril.remove_preset"
    bl_label = "Remove Preset"

    name: StringProperty(name="Preset", description="Which preset", search=_names, options={"SKIP_SAVE"})

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context):
        try:
            presets.remove(self.role, self.name)
        except PresetError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Removed {self.name}")
        return {"FINISHED"}


CLASSES = (TENDRIL_OT_apply_preset, TENDRIL_OT_save_preset, TENDRIL_OT_remove_preset)


def register() -> None:
    presets.forget()
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
