"""Bodies as keys: every rotation mode, scale and parent; other people's animation untouched; Clear."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import scenes
import scripted

from bl_ext.user_default.tendril.bridge import actions, placement, result, write
from mathutils import Euler, Matrix

FRAMES = 30
MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
SCALES = [(1, 1, 1), (1, 2, 0.5), (-1, 2, 0.5), (-1, -1, -1), (1, -3, -1)]


def world(ob, frame=None):
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    return np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


def posed(mode="XYZ", scale=(1, 1, 1)):
    ob = scenes.body()
    ob.rotation_mode = mode
    ob.location, ob.scale = (1, 2, 3), scale
    turn = Euler((0.4, -0.7, 1.2))
    ob.rotation_euler = turn.to_quaternion().to_euler(mode) if len(mode) == 3 else turn
    ob.rotation_quaternion = turn.to_quaternion()
    axis, angle = turn.to_quaternion().to_axis_angle()
    ob.rotation_axis_angle = (angle, *axis)
    bpy.context.view_layer.update()
    return ob


def expected(ob_start, path):
    motion = scripted.matrices(*path)
    return motion @ np.linalg.inv(motion[0]) @ ob_start


def assert_moves(ob, start, path, first=1, tolerance=2e-5):
    frames = np.arange(len(path[0]))
    np.random.default_rng(1).shuffle(frames)  # played out of order
    for index in frames:
        assert np.abs(world(ob, first + int(index)) - expected(start, path)[index]).max() < tolerance, index


def keys(ob):
    return {(curve.data_path, curve.array_index): curve for curve in actions.assigned_bag(ob).fcurves}


def values(curve):
    flat = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", flat)
    return flat[1::2]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("mode", MODES)
def test_every_rotation_mode_and_scale(clean_scene, mode, scale):
    ob = posed(mode, scale)
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    assert_moves(ob, start, path)
    assert tuple(ob.scale) == scale
    assert ob.rotation_mode == mode


@pytest.mark.parametrize("mode", MODES)
def test_rotation_keys_are_continuous(clean_scene, mode):
    """A steady spin of many turns about a fixed axis: no key may jump."""
    ob = scenes.body()
    ob.rotation_mode = mode
    count = 120
    path = np.zeros((count, 3)), scripted.turn((0, 0, 1), np.linspace(0, 40, count))
    scripted.written(*scripted.body_reading((ob, *path)))
    turning = [values(curve) for (name, _), curve in keys(ob).items() if name.startswith("rotation")]
    assert max(np.abs(np.diff(channel)).max() for channel in turning if len(channel) > 1) < 0.4
    if mode != "QUATERNION":
        assert max(channel[-1] for channel in turning) == pytest.approx(40.0, abs=1e-3)


def test_keys_are_linear_and_still_channels_take_one_key(clean_scene):
    ob = scenes.body()
    path = np.stack([np.linspace(0, 1, 10)] + 2 * [np.zeros(10)], axis=1), np.tile([1.0, 0, 0, 0], (10, 1))
    scripted.written(*scripted.body_reading((ob, *path)))
    counts = {key: len(curve.keyframe_points) for key, curve in keys(ob).items()}
    assert counts[("location", 0)] == 10
    assert counts[("location", 1)] == 1
    assert {point.interpolation for curve in keys(ob).values() for point in curve.keyframe_points} == {"LINEAR"}


def test_negative_frames_and_unit_scale(clean_scene):
    ob = posed("QUATERNION")
    start, path = world(ob), scripted.tumble(FRAMES)
    clean_scene.unit_settings.scale_length = 0.01
    scripted.written(*scripted.body_reading((ob, *path), frame_start=-17, unit=0.01))
    assert_moves(ob, start, path, first=-17)


def test_delta_transforms(clean_scene):
    for mode in ("XYZ", "ZYX", "QUATERNION"):
        ob = posed(mode, (1, -2, 1))
        ob.delta_location, ob.delta_rotation_euler, ob.delta_scale = (3, 1, -2), (0.3, 1.1, -0.4), (-1, 1, 2)
        ob.delta_rotation_quaternion = Euler((0.2, 0.5, -1.0)).to_quaternion()
        bpy.context.view_layer.update()
        start, path = world(ob), scripted.tumble(FRAMES)
        scripted.written(*scripted.body_reading((ob, *path)))
        assert_moves(ob, start, path)


@pytest.mark.parametrize("moving", [False, True])
def test_parent(clean_scene, moving):
    parent = scenes.empty("Parent", (1, -2, 0.5))
    parent.rotation_euler, parent.scale = (0.3, 0.2, 2.0), (2, 2, 2)
    if moving:
        parent.keyframe_insert("location", frame=1)
        parent.location, parent.rotation_euler = (4, 0, 1), (1.0, -2.0, 0.5)
        parent.keyframe_insert("location", frame=20)
        parent.keyframe_insert("rotation_euler", frame=20)
        parent.rotation_euler = (0, 0, 0)
        parent.keyframe_insert("rotation_euler", frame=1)
    clean_scene.frame_set(1)
    ob = posed("XYZ", (1, -1, 2))
    ob.parent = parent
    ob.matrix_parent_inverse = Matrix.Translation((1, 0, 0)) @ Matrix.Rotation(0.5, 4, "Y")
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    assert_moves(ob, start, path, tolerance=6e-5)


def test_body_whose_parent_is_baked_too(clean_scene):
    parent, child = posed("QUATERNION"), scenes.body("Child", (3, 0, 0))
    child.parent = parent
    bpy.context.view_layer.update()
    starts, paths = (world(parent), world(child)), (scripted.tumble(FRAMES), scripted.tumble(FRAMES, (0, 5, 0)))
    scripted.written(*scripted.body_reading((child, *paths[1]), (parent, *paths[0])))
    assert_moves(parent, starts[0], paths[0])
    assert_moves(child, starts[1], paths[1], tolerance=6e-5)


def test_uneven_parent_is_refused_and_leaves_nothing(clean_scene):
    parent = scenes.empty("Squashed")
    parent.scale = (1, 2, 1)
    other, ob = scenes.body("Other"), posed()
    ob.parent = parent
    bpy.context.view_layer.update()
    before = ob.location[:]
    with pytest.raises(write.WriteError, match="Box: Its parent is scaled unevenly"):
        scripted.written(*scripted.body_reading((other, *scripted.tumble(9)), (ob, *scripted.tumble(9))))
    assert not bpy.data.actions
    assert other.animation_data is None
    assert ob.location[:] == before
    assert not result.baked_objects(clean_scene)


def test_constraints_are_muted_until_clear(clean_scene):
    ob, target = posed(), scenes.empty("Target", (5, 5, 5))
    constraint = ob.constraints.new("COPY_LOCATION")
    constraint.target = target
    asleep = ob.constraints.new("COPY_ROTATION")
    asleep.mute = True
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    assert_moves(ob, start, path)
    write.clear_scene(clean_scene)
    assert (constraint.mute, asleep.mute) == (False, True)


# Other people's animation


def described(action):
    """Everything about an action that a user could see."""
    curves = []
    for slot in action.slots:
        bag = actions.bag_of(action, slot)
        for curve in bag.fcurves if bag else ():
            points = [(p.co[:], p.handle_left[:], p.handle_right[:], p.interpolation, p.easing)
                      for p in curve.keyframe_points]
            curves.append((slot.identifier, curve.data_path, curve.array_index, curve.extrapolation, curve.mute,
                           [modifier.type for modifier in curve.modifiers], points))
    return action.name, action.use_fake_user, curves


def test_keys_on_other_channels_stay_and_play(clean_scene):
    ob = posed()
    for frame, shade in ((1, 0.0), (30, 1.0)):
        ob.color = (shade, 0, 0, 1)
        ob.keyframe_insert("color", frame=frame)
    action, before = ob.animation_data.action, described(ob.animation_data.action)
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    assert ob.animation_data.action == action
    clean_scene.frame_set(30)
    assert ob.color[0] == pytest.approx(1.0)
    assert_moves(ob, start, path)
    ob["mark"] = 1.0
    ob.keyframe_insert('["mark"]', frame=3)  # after the bake: theirs as well
    write.clear_scene(clean_scene)
    curves = described(action)[2]
    assert [curve for curve in curves if curve[1] != '["mark"]'] == before[2]
    assert len(curves) == len(before[2]) + 1
    assert list(bpy.data.actions) == [action]


def test_keys_on_our_channels_wait_in_the_untouched_action(clean_scene):
    ob = posed()
    ob.keyframe_insert("location", frame=1)
    ob.keyframe_insert("scale", frame=1)
    ob.location = (9, 9, 9)
    ob.keyframe_insert("location", frame=20)
    clean_scene.frame_set(1)
    action, slot = ob.animation_data.action, ob.animation_data.action_slot.identifier
    before = described(action)
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    assert ob.animation_data.action != action
    assert ("scale", 0) in keys(ob)
    assert described(action) == before
    assert_moves(ob, start, path)
    write.clear_scene(clean_scene)
    assert ob.animation_data.action == action
    assert ob.animation_data.action_slot.identifier == slot
    assert described(action) == before
    assert list(bpy.data.actions) == [action]
    clean_scene.frame_set(20)
    assert tuple(ob.location) == (9, 9, 9)


def test_shared_action_moves_nobody_else(clean_scene):
    ob, other = posed(), scenes.body("Other")
    ob.keyframe_insert("color", frame=1)
    action = ob.animation_data.action
    other.animation_data_create().action = action
    other.animation_data.action_slot = ob.animation_data.action_slot
    before, still = described(action), world(other)
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    assert_moves(ob, start, path)
    assert np.array_equal(world(other, 20), still)
    assert described(action) == before
    write.clear_scene(clean_scene)
    assert ob.animation_data.action == other.animation_data.action == action
    assert list(bpy.data.actions) == [action]


def test_drivers_and_nla_stay(clean_scene):
    ob = posed()
    driver = ob.driver_add("scale", 0).driver
    driver.expression = "2"
    ob.keyframe_insert("color", frame=1)
    action = ob.animation_data.action
    track = ob.animation_data.nla_tracks.new()
    track.strips.new("Strip", 1, action)
    ob.animation_data.action = None
    bpy.context.view_layer.update()
    start, path = world(ob, 1), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    assert_moves(ob, start, path)
    write.clear_scene(clean_scene)
    assert ob.animation_data.action is None
    assert [strip.action for strip in ob.animation_data.nla_tracks[0].strips] == [action]
    assert len(ob.animation_data.drivers) == 1
    assert list(bpy.data.actions) == [action]


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZXY"])
def test_clear_puts_everything_back_bit_for_bit(clean_scene, mode):
    ob = posed(mode, (-1, 2, 0.5))
    channels = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
    before = {name: getattr(ob, name)[:] for name in channels}
    clean_scene.frame_set(7)
    for _ in range(2):  # a second bake replaces the first
        scripted.written(*scripted.body_reading((ob, *scripted.tumble(FRAMES))))
    assert clean_scene.frame_current == 7
    assert write.clear_scene(clean_scene) == 1
    assert {name: getattr(ob, name)[:] for name in channels} == before
    assert ob.animation_data is None
    assert not bpy.data.actions
    assert not ob.tendril_result.is_baked
    assert write.clear_scene(clean_scene) == 0


def test_suspended_shows_the_scene_without_its_bake(clean_scene):
    ob = posed()
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    clean_scene.frame_set(20)
    with result.suspended(clean_scene):
        assert np.abs(world(ob, 20) - start).max() < 1e-6
    assert_moves(ob, start, path)


def test_saved_reloaded_played_and_cleared(clean_scene, tmp_path):
    ob = posed("QUATERNION")
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "baked.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    ob = bpy.data.objects["Box"]
    assert_moves(ob, start, path)
    write.clear_scene(bpy.context.scene)
    assert np.abs(world(ob) - start).max() < 1e-6
    assert not bpy.data.actions


def test_library_override(clean_scene, tmp_path):
    """A linked object, overridden: its keys and what Clear needs survive a reload."""
    scenes.body("Linked")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, into):
        into.objects = ["Linked"]
    scene = bpy.context.scene
    scene.collection.objects.link(into.objects[0])
    ob = into.objects[0].override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=True)
    bpy.context.view_layer.update()
    start, path = world(ob), scripted.tumble(FRAMES)
    scripted.written(*scripted.body_reading((ob, *path)))
    assert_moves(ob, start, path)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "baked.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    scene = bpy.context.scene
    ob = next(ob for ob in scene.objects if ob.library is None)
    assert_moves(ob, start, path)
    assert write.clear_scene(scene) == 1
    assert np.abs(world(ob) - start).max() < 1e-6
    assert not [action for action in bpy.data.actions if action.library is None]


def test_quaternions_of_half_turns():
    for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, -2)):
        for angle in (np.pi, np.pi - 1e-9, 1e-9, 3.0):
            q = scripted.turn(axis, angle)
            found = placement.quaternions(scripted.matrices(np.zeros((1, 3)), q)[:, :3, :3])
            assert 1.0 - abs((found * q).sum()) < 1e-12


def test_part_of_the_frames(clean_scene):
    ob = posed()
    reading, store = scripted.body_reading((ob, *scripted.tumble(FRAMES)))
    scripted.written(reading, store, count=10)
    assert keys(ob)[("location", 0)].range()[1] == 10.0


def test_what_cannot_be_written_is_named(clean_scene):
    ob = posed()
    ob.driver_add("location", 0)
    reading, _ = scripted.body_reading((ob, *scripted.tumble(3)))
    assert [name for name, _ in write.problems(clean_scene, reading)] == ["Box"]
    bpy.data.objects.remove(ob)
    assert write.problems(clean_scene, reading) == [("Box", "It is not in the scene any more")]
