"""The row of presets on top of settings, and its menu."""

from __future__ import annotations

import bpy

from ..bridge import presets
from ..bridge.properties import unit_scale


def _draw_menu(self, context) -> None:
    """Draw one column for each group of presets, the artist's own last."""
    library = presets.library(self.role, fresh=True)  # a menu is drawn once, when it opens
    row = self.layout.row()
    groups = dict.fromkeys(_heading(preset) for preset in library.presets)
    for group in groups:
        column = row.column()
        column.label(text=group)
        column.separator()
        for preset in library.presets:
            if _heading(preset) == group:
                choice = column.operator("tendril.apply_preset", text=preset.name)
                choice.role, choice.name = self.role, preset.name
    for problem in library.problems:
        self.layout.label(text=problem, icon="ERROR")


def _heading(preset) -> str:
    return "Your Own" if preset.is_own else preset.group


def _menu_name(role: str) -> str:
    return f"TENDRIL_MT_presets_{presets.KINDS[role].path}"


def preset_row(context, layout, ob) -> None:
    """Draw the menu of presets for an object, named after the one that its settings are those of."""
    role = ob.tendril.role
    preset = presets.current(role, ob, unit_scale(context.scene))
    row = layout.row(align=True)
    row.menu(_menu_name(role), text=preset.name if preset else "Presets")
    row.operator("tendril.save_preset", text="", icon="ADD").role = role
    remove = row.row(align=True)
    remove.enabled = preset is not None and preset.is_own
    option = remove.operator("tendril.remove_preset", text="", icon="REMOVE")
    option.role, option.name = role, preset.name if preset else ""


CLASSES = tuple(
    type(_menu_name(role), (bpy.types.Menu,), {
        "__module__": __name__, "bl_label": "Presets", "role": role, "draw": _draw_menu,
        "__doc__": "Settings of real things, to start from",
    })
    for role in presets.KINDS
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
