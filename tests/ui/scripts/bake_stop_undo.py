"""Tags by the operators, bakes, stops with ESC in the middle, undoes, bakes again; `ui` drives the window."""

import importlib
import os
import time

import bpy

MODULE = "bl_ext.user_default.tendril"


def build():
    """A box that hangs from a rope of many elements, so that the bake takes a while."""
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(1.5, 0, 1))
    bpy.ops.tendril.add(role="RIGID_BODY")
    box = bpy.context.object
    bpy.ops.curve.primitive_bezier_curve_add(location=(0.5, 0, 1))
    rope = bpy.context.object
    rope.data.bevel_depth = 0.03
    bpy.ops.tendril.add(role="ROD")
    settings = rope.tendril.rod
    settings.elements = 24
    settings.start.hold = settings.end.hold = "PINNED"
    settings.end.attach_to = box
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 400
    scene.tendril.substeps = 60
    bpy.ops.ed.undo_push(message="Scene built")
    return box.name, rope.name


def steps(ui):
    bake = importlib.import_module(f"{MODULE}.bridge.bake")
    with ui.override():
        box, rope = build()
    drawn = bpy.data.objects[rope].data.name
    yield from ui.sidebar("Tendril")

    def is_baked():
        return bpy.data.objects[rope].data.name != drawn

    def running():
        return bake.running is not None

    with ui.override():
        ui.log("check", bpy.ops.tendril.check(), len(bpy.context.scene.tendril.problems))
        ui.log("bake", bpy.ops.tendril.bake("INVOKE_DEFAULT"))
    yield from ui.wait(lambda: not running() or bake.running.status.phase == "SOLVE", 240)
    ticks, began = 0, time.monotonic()
    while running() and bake.running.status.frame < 40:
        ticks += 1
        yield 0.01
    ui.log("second bake is refused", not bpy.ops.tendril.bake.poll())
    ui.log(f"alive: {ticks / (time.monotonic() - began):.0f} turns a second while solving, {bake.latest.status.line()}")
    yield from ui.settle()
    ui.shot(os.path.join(os.path.dirname(ui.out), "bake_running.png"))
    area = ui.area()
    ui.move(area.x + area.width // 3, area.y + area.height // 3)
    yield 0.1
    ui.key("ctrl+z")  # must not take the scene away from the bake
    yield 0.2
    ui.log("undo waits", running())
    ui.key("Escape")
    yield from ui.wait(lambda: not running())
    yield from ui.settle()
    outcome = bake.latest.outcome
    ui.log("stopped", outcome.status, 30 < outcome.frames < 400, is_baked(), outcome.sentence())
    bpy.context.scene.frame_set(30)
    yield from ui.settle()
    ui.shot(os.path.join(os.path.dirname(ui.out), "bake_stopped.png"))

    ui.key("ctrl+z")
    yield from ui.wait(lambda: not is_baked(), 10)
    yield from ui.settle()
    ui.log("one undo", is_baked(), bpy.data.objects[box].animation_data is None, rope in bpy.data.objects,
           len(bpy.data.actions), [curve.name for curve in bpy.data.curves])
    ui.key("ctrl+shift+z")
    yield from ui.wait(is_baked, 10)
    ui.log("redo", is_baked())

    bpy.context.scene.frame_end = 60
    with ui.override():
        ui.log("bake again", bpy.ops.tendril.bake("INVOKE_DEFAULT"))
    yield from ui.wait(lambda: not running(), 120)
    ui.log("finished", bake.latest.outcome.status, bake.latest.outcome.frames)
    ui.key("ctrl+z")
    yield 1.0
    ui.log("undo brings the bake before it", is_baked(), bpy.context.scene.frame_end)
    with ui.override():
        ui.log("clear", bpy.ops.tendril.clear("EXEC_DEFAULT", True), is_baked())
    yield 0.2
    ui.key("ctrl+z")
    yield from ui.wait(is_baked, 10)
    ui.log("undone clear", is_baked())
    bpy.context.scene.frame_set(25)
    yield from ui.settle()
