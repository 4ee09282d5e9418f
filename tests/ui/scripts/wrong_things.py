"""What an artist does by mistake, before and while something is baked; each thing says what came of it."""

import os

import bpy
import hands as hand

MANY = 5000  # frames of a bake that is not waited for


def build():
    """A box on a rope, and the world."""
    hand.empty_scene()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    scene.tendril.use_own_range, scene.tendril.substeps = False, 10
    rope = hand.add_rope([(0.0, 0.0, 2.0), (0.5, 0.0, 1.6), (1.0, 0.0, 1.5)])
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(1.2, 0.0, 1.5))
    box = bpy.context.object
    box.name = "Box"
    rope.tendril.role, box.tendril.role = "ROD", "RIGID_BODY"
    rope.tendril.rod.start.hold = rope.tendril.rod.end.hold = "PINNED"
    rope.tendril.rod.end.attach_to = box
    scene.frame_set(1)
    return box, rope


class Mistakes:
    """Things to do wrong in one window."""

    def __init__(self, ui):
        self.ui, self.hands, self.bake = ui, hand.Hands(ui), hand.part("bridge.bake")
        self.build()

    def build(self):
        with self.ui.override():
            build()
        self.hands.push("Built")

    def start(self):
        """Press Bake, without the pointer."""
        with self.ui.override():
            return bpy.ops.tendril.bake("INVOKE_DEFAULT", True)

    def refused(self, what, picture=False):
        """Bake, which must be refused; log the sentence."""
        self.start()
        yield from self.ui.wait(lambda: self.bake.running is None, 60)
        yield from self.ui.settle()
        outcome = self.bake.latest.outcome
        listed = bpy.context.scene.tendril.problems
        names, sentences = [found.object_name for found in listed], "; ".join(found.sentence for found in listed)
        self.ui.log(f"{what}: {outcome.status} {outcome.frames} {names} {sentences}")
        if picture:
            yield from self.hands.shot(picture)
        yield from self.hands.rest(0.2)
        yield from self.hands.rest(0.5)

    def solving(self, frames=MANY):
        """Start a long bake and come back once it solves."""
        bpy.context.scene.frame_end, bpy.context.scene.tendril.substeps = frames, 200
        self.hands.push("Range")
        self.start()
        yield from self.ui.wait(lambda: self.bake.running is None or self.bake.running.status.frame > 5, 280, 0.02)
        self.ui.log("solving", self.bake.running is not None)

    def stopped(self, what):
        """Press ESC, and log what came of the bake."""
        yield from self.hands.rest()
        self.ui.key("Escape")
        yield from self.ui.wait(lambda: self.bake.running is None, 60)
        yield from self.ui.settle()
        outcome = self.bake.latest.outcome
        self.ui.log(f"{what}: {outcome.status} {outcome.frames > 1} {outcome.sentence()}")


def before_a_bake(do):
    ui = do.ui
    with ui.override():
        hand.empty_scene()
    yield from do.refused("nothing tagged")

    do.build()
    with ui.override():
        hand.add_empty((0.0, 0.0, 0.0)).tendril.role = "JOINT"
    yield from do.refused("no partners", "no_partners")

    do.build()
    bpy.data.objects.remove(bpy.data.objects["Box"])
    yield from do.refused("partner deleted")

    do.build()
    yield from do.hands.choose(bpy.data.objects["Rope"])
    with ui.override():
        bpy.ops.object.mode_set(mode="EDIT")
    yield from do.refused("edit mode")
    with ui.override():
        bpy.ops.object.mode_set(mode="OBJECT")

    settings = bpy.context.scene.tendril
    settings.use_own_range, settings.frame_start, settings.frame_end = True, 10, 5
    yield from do.refused("end before start")
    settings.use_own_range = False


def while_baking(do):
    ui = do.ui
    do.build()
    yield from do.solving()

    # a second bake, from the button and from a script
    with ui.override():
        ui.log("second bake is refused", not bpy.ops.tendril.bake.poll(), not bpy.ops.tendril.clear.poll())
    yield from do.hands.shot("button_while_baking")

    # the keys and the menu of undo
    ui.key("ctrl+z")
    yield 0.5
    with ui.override():
        ui.log("undo by menu", bpy.ops.ed.undo.poll() and bpy.ops.ed.undo())
    yield from ui.settle()
    ui.log("still running after undo", do.bake.running is not None)

    # scrub
    scene = bpy.context.scene
    for frame in (40, 3, 900, 1):
        scene.frame_set(frame)
        yield 0.05
    with ui.override():
        bpy.ops.screen.animation_play()
    yield 0.5
    with ui.override():
        bpy.ops.screen.animation_cancel(restore_frame=True)

    # another workspace
    window, home = ui.window, ui.window.workspace
    window.workspace = bpy.data.workspaces["Modeling"]
    yield 1.0
    window.workspace = home
    yield 1.0
    ui.log("still running after play and workspace", do.bake.running is not None)
    scene.frame_end, scene.frame_start = 20, 3
    scene.tendril.substeps = 7
    yield from do.stopped("range changed")
    ui.log("kept from frame", do.bake.latest.outcome.frame_start)
    yield from ui.settle()

    # the objects go
    do.build()
    yield from do.solving()
    bpy.data.objects.remove(bpy.data.objects["Box"])
    yield from do.stopped("body deleted")
    ui.log("half results", [ob.name for ob in bpy.data.objects if ob.tendril_result.is_baked])
    yield from do.hands.shot("body_deleted")
    yield from do.hands.rest(0.5)

    # into edit mode
    do.build()
    yield from do.solving()
    yield from do.hands.choose(bpy.data.objects["Rope"])
    with ui.override():
        bpy.ops.object.mode_set(mode="EDIT")
    yield from do.stopped("into edit mode")
    rope = bpy.data.objects["Rope"]
    ui.log("out of edit mode", rope.mode, rope.tendril_result.is_baked)
    yield from do.hands.shot("into_edit_mode")

    # the scene is renamed, and another one shown
    do.build()
    yield from do.solving()
    scene = bpy.context.scene
    scene.name = "Other Name"
    other = bpy.data.scenes.new("Second")
    ui.window.scene = other
    yield 0.5
    yield from do.stopped("scene renamed")
    ui.window.scene = scene
    yield from ui.settle()
    scene.name = "Scene"
    bpy.data.scenes.remove(other)
    yield from ui.settle()


def file_goes(do):
    ui = do.ui
    file = os.path.join(bpy.app.tempdir, "other.blend")
    do.build()
    bpy.ops.wm.save_as_mainfile(filepath=file)
    yield from do.solving()
    with ui.override():
        bpy.ops.wm.save_as_mainfile(filepath=file)
    ui.log("running after save", do.bake.running is not None)
    with ui.override():
        bpy.ops.wm.open_mainfile(filepath=file)
    yield 1.0
    yield from ui.settle()
    ui.log("file loaded", do.bake.running is None, do.bake.latest.outcome.status)
    do.build()
    bpy.context.scene.frame_end = 24
    do.start()
    yield from ui.wait(lambda: do.bake.running is None, 60)
    ui.log("bake after load", do.bake.latest.outcome.status, do.bake.latest.outcome.frames)

    # the extension goes
    yield from do.solving()
    with ui.override():
        bpy.ops.preferences.addon_disable(module=hand.MODULE)
    yield 0.5
    ui.log("disabled", do.bake.running is None)
    with ui.override():
        bpy.ops.preferences.addon_enable(module=hand.MODULE)
    yield from ui.settle()
    do.bake = hand.part("bridge.bake")
    do.build()
    bpy.context.scene.frame_end = 24
    do.start()
    yield from ui.wait(lambda: do.bake.running is None, 60)
    ui.log("bake after enable", do.bake.latest.outcome.status, do.bake.latest.outcome.frames)


def steps(ui):
    do = Mistakes(ui)
    with ui.override():
        bpy.ops.view3d.view_all()
    yield from ui.sidebar("Tendril")
    yield from before_a_bake(do)
    yield from while_baking(do)
    yield from file_goes(do)
    # and the window is closed in the middle of a bake
    do.build()
    yield from do.solving()
    ui.log("quitting")
