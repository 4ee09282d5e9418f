"""The bake's machine: the solver's bits, whoever drives it; stopped, broken and refused bakes; the operators."""

from __future__ import annotations

import threading
from pathlib import Path

import bpy
import numpy as np
import pytest
import scenes
import scripted

from bl_ext.user_default.tendril.bridge import actions, bake, result, write
from bl_ext.user_default.tendril.bridge.cache import FrameStore
from bl_ext.user_default.tendril.solver import Simulation, SimulationDiverged

OPERATORS = bpy.ops.tendril


@pytest.fixture(autouse=True)
def no_bake_is_left():
    yield
    bake.abandon_running()


@pytest.fixture
def swing(clean_scene):
    """A box hanging from a rope, and another one that falls."""
    clean_scene.frame_end = 8
    clean_scene.tendril.substeps = 4
    box = scenes.body("Box", (1, 0, 0), 0.3)
    rope = scenes.rod("Rope", ((0, 0, 2), (1, 0, 1), (1, 0, 0)), "BEZIER")
    rope.tendril.rod.elements = 4
    rope.tendril.rod.start.hold = "PINNED"
    rope.tendril.rod.end.hold = "PINNED"
    rope.tendril.rod.end.attach_to = box
    scenes.body("Stone", (3, 0, 0), 0.2).rotation_euler = (1, 2, 3)
    return clean_scene


def frames_of(machine):
    count = machine.store.count
    return machine.store.positions[:count].copy(), machine.store.rotations[:count].copy()


def directly(reading):
    """The frames of the solver alone."""
    frames = list(Simulation(reading.scene).frames())
    return np.array([f.positions for f in frames]), np.array([f.rotations for f in frames])


def key_values(scene):
    """Every key that a bake has written, as bits."""
    found = {}
    for ob in result.baked_objects(scene):
        for block in (ob, ob.data):
            bag = actions.assigned_bag(block)
            for curve in bag.fcurves if bag else ():
                flat = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
                curve.keyframe_points.foreach_get("co", flat)
                found[ob.name, curve.data_path, curve.array_index] = flat.tobytes()
    return found


def test_bake_is_the_solver_bit_for_bit(swing):
    machine = bake.Bake(swing, keep_frames=True)
    outcome = machine.run()
    assert (outcome.status, outcome.frames, outcome.frame_end) == ("FINISHED", 8, 8)
    for mine, his in zip(frames_of(machine), directly(machine.reading), strict=True):
        assert np.array_equal(mine, his)


def test_polled_and_run_at_once_give_the_same_bits(swing):
    bake.Bake(swing).run()
    at_once = key_values(swing)
    machine = bake.Bake(swing)
    scripted.polled(machine)
    assert machine.outcome.status == "FINISHED"
    assert key_values(swing) == at_once
    assert len(at_once) > 20


def test_second_bake_reads_the_rest_and_gives_the_same(swing):
    OPERATORS.bake()
    first = key_values(swing)
    swing.frame_set(6)
    assert OPERATORS.bake() == {"FINISHED"}
    assert key_values(swing) == first
    assert swing.frame_current == 6
    assert len(bpy.data.actions) == 3


@pytest.mark.parametrize(("first", "last"), [(-20, -14), (0, 0), (100, 105)])
def test_frame_ranges_and_ntsc(swing, first, last):
    swing.frame_start, swing.frame_end = max(first, 0), max(last, 0)
    swing.render.fps, swing.render.fps_base = 30, 1.001
    machine = bake.Bake(swing, frames=(first, last), keep_frames=True)
    outcome = machine.run()
    assert (outcome.status, outcome.frame_start, outcome.frame_end) == ("FINISHED", first, last)
    assert machine.reading.scene.settings.frame_duration == pytest.approx(1.001 / 30, rel=1e-7)
    assert not swing.tendril.use_own_range
    stone = bpy.data.objects["Stone"]
    for index in range(outcome.frames):
        swing.frame_set(first + index)
        node = machine.reading.scene.bodies and machine.store.bodies["Stone"]
        assert np.abs(np.array(stone.matrix_world.translation) - machine.store.positions[index, node]).max() < 1e-5


def falling(**options):
    return lambda scene: scripted.Falling(scene, **options)


def test_cancel_keeps_what_is_solved(clean_scene):
    ob = scenes.body()
    reached, go_on = threading.Event(), threading.Event()

    def wait(frame):
        if frame == 10:
            reached.set()
            go_on.wait(10)

    machine = bake.Bake(clean_scene, make_simulation=falling(wait=wait))
    scripted.polled(machine, lambda _: reached.is_set())
    machine.cancel()
    go_on.set()
    outcome = machine.run()
    assert (outcome.status, outcome.frames, outcome.frame_end) == ("CANCELLED", 11, 11)
    assert actions.assigned_bag(ob).fcurves[2].range()[:] == (1.0, 11.0)
    assert outcome.sentence() == "Bake cancelled: frames 1 to 11 are kept"
    assert bake.running is None


def test_cancel_at_the_very_start_changes_nothing(clean_scene):
    ob = scenes.body()
    scripted.written(*scripted.body_reading((ob, *scripted.tumble(9))))
    before = key_values(clean_scene)
    machine = bake.Bake(clean_scene, make_simulation=falling())
    machine.cancel()
    outcome = machine.run()
    assert (outcome.status, outcome.frames) == ("CANCELLED", 0)
    assert key_values(clean_scene) == before


def test_divergence_keeps_the_frames_before_it(clean_scene):
    ob = scenes.body("Kugel ü")
    clean_scene.frame_start, clean_scene.frame_end = 101, 124
    failure = SimulationDiverged(7, "Kugel ü")
    outcome = bake.Bake(clean_scene, make_simulation=falling(fail_at=7, failure=failure)).run()
    assert (outcome.status, outcome.frames, outcome.frame_end) == ("DIVERGED", 7, 107)
    assert "Kugel ü: The simulation became unstable before frame 108" in outcome.sentence()
    assert ob.tendril_result.is_baked


def test_real_divergence(clean_scene):
    scenes.body("Fast")
    outcome = bake.Bake(clean_scene, make_simulation=_Exploding).run()
    assert (outcome.status, outcome.frames) == ("DIVERGED", 4)
    assert outcome.problems[0].object_name == "Fast"


class _Exploding(Simulation):
    """A real simulation whose state is spoilt in frame 4."""

    def advance(self):
        if self.index == 3:
            self.state.x[:] = np.nan
        return super().advance()


def test_unknown_failure_is_not_swallowed_and_changes_nothing(clean_scene):
    ob = scenes.body()
    with pytest.raises(ZeroDivisionError):
        bake.Bake(clean_scene, make_simulation=falling(fail_at=5, failure=ZeroDivisionError())).run()
    assert bake.running is None
    assert ob.animation_data is None


def test_bad_input_leaves_an_earlier_bake_alone(swing):
    OPERATORS.bake()
    before = key_values(swing)
    wrong = scenes.body("Wrong", vertices=[(0, 0, 0)], faces=[])
    outcome = bake.Bake(swing).run()
    assert outcome.status == "REFUSED"
    assert outcome.problems[0].object_name == "Wrong"
    assert key_values(swing) == before
    bpy.data.objects.remove(wrong)


def test_object_deleted_while_it_is_baked(clean_scene):
    scenes.body("Stays")
    scenes.body("Goes", (3, 0, 0))
    machine = bake.Bake(clean_scene, make_simulation=falling(wait=lambda frame: threading.Event().wait(0.01)))
    scripted.polled(machine, lambda machine: machine.status.phase == "SOLVE")
    bpy.data.objects.remove(bpy.data.objects["Goes"])
    outcome = machine.run()
    assert outcome.status == "REFUSED"
    assert outcome.sentence() == "Goes: It was deleted or renamed while it was baked"
    assert bpy.data.objects["Stays"].animation_data is None


def test_spline_deleted_while_it_is_baked(clean_scene):
    rope = scenes.rod("Rope")
    machine = bake.Bake(clean_scene, make_simulation=falling(wait=lambda frame: threading.Event().wait(0.01)))
    scripted.polled(machine, lambda machine: machine.status.phase == "SOLVE")
    rope.data.splines.clear()
    outcome = machine.run()
    assert outcome.status == "REFUSED"
    assert outcome.sentence() == "Rope: Some of its splines were deleted while it was baked"


def test_one_bake_at_a_time(clean_scene):
    scenes.body()
    machine = bake.Bake(clean_scene, make_simulation=falling())
    with pytest.raises(bake.BakeBusy, match="running already"):
        bake.Bake(clean_scene)
    assert not OPERATORS.bake.poll()
    assert not OPERATORS.clear.poll()
    assert OPERATORS.cancel.poll()
    OPERATORS.cancel()
    assert machine.run().status == "CANCELLED"
    assert OPERATORS.bake.poll()


def test_loading_a_file_ends_a_bake(clean_scene):
    scenes.body()
    machine = bake.Bake(clean_scene, make_simulation=falling(wait=lambda frame: threading.Event().wait(0.01)))
    scripted.polled(machine, lambda machine: machine.status.phase == "SOLVE")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert bake.running is None
    assert machine.outcome.status == "CANCELLED"
    assert not machine.poll()


def test_abandoned_while_reading_brings_the_earlier_bake_back(swing):
    OPERATORS.bake()
    before, rope = key_values(swing), bpy.data.objects["Rope"]
    baked = rope.data
    machine = bake.Bake(swing)
    next(machine._steps)
    assert rope.data != baked
    machine.abandon()
    assert rope.data == baked
    assert key_values(swing) == before


def test_operators_bake_and_clear(swing):
    bpy.context.view_layer.update()
    places = {ob.name: ob.matrix_world.copy() for ob in swing.objects}
    drawn = bpy.data.objects["Rope"].data
    assert OPERATORS.bake() == {"FINISHED"}
    assert swing.tendril.status.startswith("Baked frames 1 to 8 in")
    swing.frame_set(8)
    assert bpy.data.objects["Box"].matrix_world != places["Box"]
    assert OPERATORS.clear() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert {ob.name: ob.matrix_world for ob in swing.objects} == places
    assert bpy.data.objects["Rope"].data == drawn
    assert not bpy.data.actions
    assert not OPERATORS.clear.poll()


def test_refused_bake_fills_the_list(clean_scene):
    with pytest.raises(RuntimeError, match="nothing to simulate"):  # an operator's report of an error
        OPERATORS.bake()
    (problem,) = clean_scene.tendril.problems
    assert "nothing to simulate" in problem.sentence
    assert clean_scene.tendril.status.startswith("Not baked")


def test_scene_that_is_not_the_active_one(swing):
    other = bpy.data.scenes.new("Other")
    other.frame_start, other.frame_end = 5, 9
    ob = scenes.body("There")
    swing.collection.objects.unlink(ob)
    other.collection.objects.link(ob)
    outcome = bake.Bake(other).run()
    assert (outcome.status, outcome.frame_start, outcome.frame_end) == ("FINISHED", 5, 9)
    assert [ob.name for ob in result.baked_objects(other)] == ["There"]
    assert not result.baked_objects(swing)
    assert write.clear_scene(other) == 1


def test_start_looks_as_drawn(clean_scene):
    """With a profile as bevel and tilt on the drawn curve, the first baked frame has the drawn rings at its ends."""
    profile = scenes.rod("Profile", ((0.1, 0, 0), (0, 0.02, 0), (-0.03, -0.02, 0)))
    profile.tendril.role = "NONE"
    profile.data.dimensions, profile.data.splines[0].use_cyclic_u = "2D", True
    ob = scenes.rod("Rope", ((0, 0, 0), (1, 1, 0), (2, 0, 1), (2, 0, 3)), "BEZIER")
    ob.rotation_euler, ob.scale = (0.3, 0.2, 1), (1, 1, 1)
    for point, tilt in zip(ob.data.splines[0].bezier_points, (0.7, 1.5, 2.0, 4.0), strict=True):
        point.tilt = tilt
    ob.data.bevel_mode, ob.data.bevel_object = "OBJECT", profile
    clean_scene.frame_end = 2

    def rings():
        evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = evaluated.to_mesh()
        places = np.array([vertex.co[:] for vertex in mesh.vertices])
        evaluated.to_mesh_clear()
        return places[:3], places[-3:]

    drawn = rings()
    bake.Bake(clean_scene).run()
    clean_scene.frame_set(1)
    for mine, theirs in zip(rings(), drawn, strict=True):
        assert np.abs(mine - theirs).max() < 2e-3


def test_compact_result(swing):
    swing.tendril.result_form = "COMPACT"
    outcome = bake.Bake(swing).run()
    assert outcome.form == "COMPACT"
    assert len(bpy.data.objects["Rope"].data.shape_keys.key_blocks) == 9
    OPERATORS.clear()
    assert not bpy.data.shape_keys


def test_status_lines():
    status = bake.Status("SOLVE", 0.25, 7, "Solving", 3725.0)
    assert status.line() == "Baking frame 7: 25%, 1 h 2 min left"
    assert bake.Status("READ", 0.5, 0, "Reading animation").line() == "Reading animation: 50%"
    assert [bake.duration(seconds) for seconds in (3.2, 61.0)] == ["3 s", "1 min 1 s"]


def test_store_spills_to_disk_and_cleans_up():
    small, big = FrameStore(4, 3), FrameStore(4, 3, limit=10)
    assert (small.is_on_disk, big.is_on_disk) == (False, True)
    frame = scripted.Falling(type("S", (), {"bodies": ()})).frame()
    for store in (small, big):
        frame.positions, frame.rotations = np.ones((3, 3)) / 3, np.ones((3, 4)) / 7
        store.append(frame)
        assert store.count == 1
        assert np.array_equal(store.positions[0], frame.positions)
    folder = Path(big._folder)
    big.close()
    assert not folder.exists()


def test_scene_that_is_renamed_meanwhile(clean_scene):
    scenes.body()
    machine = bake.Bake(clean_scene, make_simulation=falling(wait=lambda frame: threading.Event().wait(0.01)))
    scripted.polled(machine, lambda machine: machine.status.phase == "SOLVE")
    clean_scene.name = "Other"
    assert machine.run().status == "FINISHED"


def test_curve_that_goes_into_edit_mode_meanwhile(swing):
    rope = bpy.data.objects["Rope"]
    drawn = rope.data
    machine = bake.Bake(swing)
    scripted.polled(machine, lambda machine: machine.status.phase == "SOLVE")
    bpy.context.view_layer.objects.active = rope
    bpy.ops.object.mode_set(mode="EDIT")
    assert machine.run().status == "FINISHED"
    assert (rope.mode, rope.data == drawn) == ("OBJECT", False)


def test_a_motor_turns_what_is_baked(clean_scene):
    """A fan at half a turn a second, after 6 frames of 1/24 s."""
    clean_scene.frame_end, clean_scene.render.fps = 7, 24
    fan = scenes.body("Fan")
    joint = scenes.joint("Axle", None, fan).tendril.joint
    joint.use_angle_motor, joint.angle_speed = True, np.pi
    bake.Bake(clean_scene).run()
    clean_scene.frame_set(7)
    assert fan.matrix_world.to_euler().z == pytest.approx(np.pi * 6 / 24, abs=1e-5)
