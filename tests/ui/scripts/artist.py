"""An artist's whole way through the window: tag, set, check, mend, bake, stop, undo, redo, bake again, clear.

Buttons are pressed with the pointer; only the making of meshes, curves and empties, which is Blender's own, is called.
"""

import os

import bpy
import hands as hand

from mathutils import Euler

KEPT_AFTER = 12  # frames to wait for before ESC
MANY = 5000  # frames of a bake that is not waited for


def all_state():
    """Return what a bake may change, in plain values that can be compared."""
    state = {}
    for ob in bpy.data.objects:
        data = ob.animation_data
        state[ob.name] = (
            ob.data.name if ob.data else "", tuple(tuple(row) for row in ob.matrix_basis),
            data is not None and data.action is not None, ob.tendril.role, ob.tendril_result.is_baked,
        )
    return state, sorted(a.name for a in bpy.data.actions), sorted(c.name for c in bpy.data.curves)


def build(ui):
    """Draw a head, a rope from above to its top, and an empty where they meet."""
    with ui.override():
        head = hand.add_head((0.0, 0.0, 0.0), 1.0)
        rope = hand.add_rope([(-1.6, 0.0, 1.9), (-0.9, 0.0, 1.45), (0.0, 0.0, 0.48)])
        joint = hand.add_empty((0.0, 0.0, 0.48))
        joint.name = "Hook"
        head.name = "Head"
        bpy.ops.object.select_all(action="SELECT")
        ui.area().spaces.active.region_3d.view_rotation = Euler((1.4, 0.0, 0.35)).to_quaternion()
        bpy.ops.view3d.view_selected()
    return head, rope, joint


def steps(ui):
    bake = hand.part("bridge.bake")
    hands = hand.Hands(ui)
    hand.empty_scene()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 48
    hands.push("Start")
    yield from ui.sidebar("Tendril")
    properties = ui.area("PROPERTIES")
    yield from hands.shot("empty")

    head, rope, joint = build(ui)
    yield 0.5
    hands.push("Drawn")

    # tag
    properties.spaces.active.context = "PHYSICS"
    for ob, role in ((head, "RIGID_BODY"), (rope, "ROD"), (joint, "JOINT")):
        yield from hands.choose(ob)
        properties.spaces.active.context = "PHYSICS"
        yield from hands.press(f"tendril.add(role='{role}'")
        yield from ui.wait(lambda ob=ob: ob.tendril.role != "NONE", 10)
        ui.log("tagged", ob.name, ob.tendril.role)
        yield from hands.rest()
        yield from hands.shot(f"physics_{ob.type.lower()}")
    ui.log("radius from bevel", rope.tendril.rod.use_bevel_radius)

    # set a few values
    yield from hands.choose(rope)
    yield from hands.fill("tendril.rod.elements", 16)
    ui.log("elements", rope.tendril.rod.elements)
    rope.tendril.rod.start.hold = "PINNED"
    hands.push("Hold")
    yield from hands.fill("tendril.substeps", 40, "VIEW_3D", "UI")
    ui.log("substeps", scene.tendril.substeps)

    # check, go to the problem, mend it, check
    yield from hands.press("tendril.check(")
    yield from ui.wait(lambda: scene.tendril.is_checked, 10)
    yield from hands.rest()
    ui.log("problems", [(problem.object_name, problem.sentence) for problem in scene.tendril.problems])
    yield from hands.shot("problem")
    for index, ob in enumerate((head, joint)):
        yield from hands.press(f"tendril.select_problem(index={index})")
        yield from ui.wait(lambda ob=ob: bpy.context.view_layer.objects.active == ob, 10)
        ui.log("selected", bpy.context.view_layer.objects.active.name)
    head.tendril.body.mass_source = "MASS"
    joint.tendril.joint.kind = "SPHERICAL"
    joint.tendril.joint.partner_1.object = head
    joint.tendril.joint.partner_2.object = rope
    hands.push("Partners")
    yield from hands.press("tendril.check(")
    yield from ui.wait(lambda: not scene.tendril.problems, 10)
    yield from hands.rest()
    yield from hands.shot("mended")
    ui.log("mended", scene.tendril.is_checked)
    yield from hands.choose(rope)
    hands.push("Ready")
    before = all_state()

    # bake: the first use compiles
    scene.frame_end = MANY
    yield from hands.press("tendril.bake(")
    yield from ui.wait(lambda: bake.running is not None, 20)
    yield from hands.rest()
    yield 0.5
    compiled = bake.running.status.phase == "COMPILE"
    ui.log("compiles at first use", compiled)
    if compiled:
        yield from hands.shot("compiling")
        pulse = hand.Pulse()
        yield from pulse.during(lambda: bake.running and bake.running.status.phase == "COMPILE", 280)
        ui.log("pulse compiling:", pulse.line())
    pulse = hand.Pulse()
    yield from pulse.during(lambda: bake.running and bake.running.status.frame < KEPT_AFTER, 120)
    ui.log("pulse solving:", pulse.line())
    ui.log("status bar", bake.running.status.line())
    yield from hands.shot("baking")
    pulse = hand.Pulse()
    ui.key("Escape")
    yield from pulse.during(lambda: bake.running is not None, 60)
    ui.log("pulse writing:", pulse.line())
    outcome = bake.latest.outcome
    ui.log("stopped", outcome.status, KEPT_AFTER <= outcome.frames < MANY, rope.tendril_result.is_baked)
    ui.log(outcome.sentence())
    last = outcome.frame_end
    keys = {len(curve.keyframe_points) for curve in hand.part("bridge.actions").assigned_bag(head).fcurves}
    ui.log("keys kept", keys == {outcome.frames}, len(keys))
    scene.frame_set(last)
    yield from hands.shot("stopped")
    scene.frame_set(1)
    yield from ui.settle()

    # one undo takes it back, one redo brings it again
    ui.key("ctrl+z")
    yield from ui.wait(lambda: not bpy.data.objects["Rope"].tendril_result.is_baked, 20)
    yield from ui.settle()
    ui.log("one undo", all_state() == before)
    yield from hands.shot("undone")
    ui.key("ctrl+shift+z")
    yield from ui.wait(lambda: bpy.data.objects["Rope"].tendril_result.is_baked, 20)
    yield from ui.settle()
    ui.log("redo", len(bpy.data.actions))

    # bake again to the end, over the old bake; then Clear, with the button
    scene = bpy.context.scene
    scene.frame_end = 48
    hands.push("Range")
    yield from hands.press("tendril.bake(")
    yield from ui.wait(lambda: bake.running is not None or bake.latest.outcome.status == "FINISHED", 20)
    pulse = hand.Pulse()
    yield from pulse.during(lambda: bake.running is not None, 120)
    ui.log("pulse again:", pulse.line())
    ui.log("finished", bake.latest.outcome.status, bake.latest.outcome.frames)
    yield from hands.rest()
    scene.frame_set(30)
    yield from hands.shot("finished")
    scene.frame_set(1)
    yield from hands.press("tendril.clear(")
    yield from ui.wait(lambda: not bpy.data.objects["Rope"].tendril_result.is_baked, 20)
    yield from hands.rest()
    ui.log("cleared", all_state() == before)
    yield from hands.shot("cleared")
    ui.key("ctrl+z")
    yield from ui.wait(lambda: bpy.data.objects["Rope"].tendril_result.is_baked, 20)
    ui.log("clear undone")
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(bpy.app.tempdir, "baked.blend"))
