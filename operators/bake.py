"""Bake the scene, cancel a bake, and take a bake back."""

from __future__ import annotations

import time

import bpy
from bpy.app.handlers import persistent

from ..bridge import bake, result, write
from ..bridge.problems import fill_list

TICK = 0.02  # seconds between two looks at the bake
REDRAW = 0.1  # seconds between two redraws of the panel
KEPT_FROM_OTHERS = {"Z", "Y"}  # with Ctrl: an undo under a running bake would take the scene away from it

_timer = None  # of the bake that runs in a window; kept here since the extension may go before the operator


def _take_down() -> None:
    """Take away what shows a running bake, whether its operator is still there or not."""
    global _timer
    if _timer is None:
        return
    manager = bpy.context.window_manager
    manager.event_timer_remove(_timer)
    _timer = None
    manager.progress_end()
    for workspace in bpy.data.workspaces:  # all, since another may be shown by now
        workspace.status_text_set(None)
    _redraw_panels(bpy.context)


def _redraw_panels(context) -> None:
    """Draw the sidebar again, and spare the view beside it, which may take long and shows nothing new."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


class TENDRIL_OT_bake(bpy.types.Operator):
    """Simulate the scene and keep the result as keys; an earlier bake is replaced. ESC stops and keeps what is done"""

    bl_idname = "tendril.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if bake.running is not None:
            cls.poll_message_set(str(bake.BakeBusy()))
            return False
        return context.scene is not None

    def execute(self, context):
        try:
            self._bake = bake.Bake(context.scene, context.view_layer)
        except bake.BakeBusy as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._bake.run()
        return self._conclude(context)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self._bake = bake.Bake(context.scene, context.view_layer)
        except bake.BakeBusy as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        global _timer
        manager = context.window_manager
        _timer = manager.event_timer_add(TICK, window=context.window)
        self._drawn, self._next_redraw = "", 0.0
        manager.progress_begin(0.0, 1.0)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self._bake.cancel()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            solving = self._bake.status.phase in {"SOLVE", "COMPILE"}
            undoing = event.type in KEPT_FROM_OTHERS and (event.ctrl or event.oskey)
            # while the scene is read or written nobody else may change it
            return {"PASS_THROUGH"} if solving and not undoing else {"RUNNING_MODAL"}
        try:
            more = self._bake.poll()
        except BaseException:
            _take_down()
            raise
        if more:
            self._show(context)
            return {"RUNNING_MODAL"}
        _take_down()
        return self._conclude(context)

    def cancel(self, context):
        """End with the window."""
        self._bake.abandon()
        _take_down()

    def _show(self, context) -> None:
        status = self._bake.status
        text, now = status.line(), time.monotonic()
        if text != self._drawn and now > self._next_redraw:
            self._drawn, self._next_redraw = text, now + REDRAW
            context.window_manager.progress_update(status.fraction)
            context.workspace.status_text_set(f"Tendril: {text}   |   ESC: stop, and keep what is baked")
            _redraw_panels(context)

    def _conclude(self, context):
        outcome = self._bake.outcome
        scene = self._bake.find_scene()
        if scene is not None:
            refused = outcome.status == "REFUSED"  # the panel has the reasons right above
            scene.tendril.status = "Not baked: mend what Check lists" if refused else outcome.sentence()
            if outcome.problems or outcome.frames:  # else nothing is known: it was stopped too soon
                fill_list(scene, outcome.problems)
        level = {"FINISHED": "INFO", "CANCELLED": "WARNING"}.get(outcome.status, "ERROR")
        self.report({level}, outcome.sentence())
        # FINISHED where something was written, so that there is one step to undo
        return {"FINISHED"} if outcome.frames else {"CANCELLED"}


class TENDRIL_OT_cancel(bpy.types.Operator):
    """Stop the bake and keep the frames that are done"""

    bl_idname = "tendril.cancel"
    bl_label = "Stop the Bake"

    @classmethod
    def poll(cls, context):
        return bake.running is not None

    def execute(self, context):
        bake.running.cancel()
        return {"FINISHED"}


class TENDRIL_OT_clear(bpy.types.Operator):
    """Take the bake away: drawn curves, places and actions come back as they were"""

    bl_idname = "tendril.clear"
    bl_label = "Clear Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if bake.running is not None:
            cls.poll_message_set(str(bake.BakeBusy()))
            return False
        if context.scene is None or not result.baked_objects(context.scene):
            cls.poll_message_set("Nothing is baked in this scene")
            return False
        return True

    def execute(self, context):
        count = write.clear_scene(context.scene)
        context.scene.tendril.status = ""
        self.report({"INFO"}, f"Took the bake off {count} object{'s' if count > 1 else ''}")
        return {"FINISHED"}


@persistent
def _before_load(*_) -> None:
    bake.abandon_running()


CLASSES = (TENDRIL_OT_bake, TENDRIL_OT_cancel, TENDRIL_OT_clear)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.app.handlers.load_pre.append(_before_load)


def unregister() -> None:
    bake.abandon_running()
    _take_down()
    bpy.app.handlers.load_pre.remove(_before_load)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
