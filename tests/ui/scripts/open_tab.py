"""Opens the sidebar's Tendril tab; `ui` comes from whatever drives the window."""

import bpy

import addon_utils

MODULE = "bl_ext.user_default.tendril"


def steps(ui):
    ui.log("enabled", addon_utils.check(MODULE)[1])
    yield from ui.sidebar("Tendril")
    ui.log("tab", ui.region("UI").active_panel_category)
    ui.log("window", bpy.app.background is False)
