"""What an artist does to baked objects: new looks, another rotation mode, duplicates; then Clear, or a bake again."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import scenes
from problem_scenes import only_problem

from bl_ext.user_default.tendril.bridge import bake, result, write
from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.bridge.placement import depth
from bl_ext.user_default.tendril.bridge.read import read_now


def baked(scene):
    scene.frame_end, scene.tendril.substeps = 6, 2
    bpy.context.view_layer.update()
    assert bake.Bake(scene, bpy.context.view_layer).run().status == "FINISHED"


def follow(name, target):
    """An empty that is where ``target`` is."""
    ob = scenes.empty(name, (0, 0, 0))
    ob.constraints.new("COPY_LOCATION").target = target
    return ob


@pytest.mark.parametrize("form", ["KEYS", "COMPACT"])
def test_looks_given_to_a_baked_rod_stay(clean_scene, form):
    clean_scene.tendril.result_form = form
    rope = scenes.rod()
    drawn = rope.data
    drawn.materials.append(bpy.data.materials.new("Old"))
    drawn.extrude = 0.1
    drawn.keyframe_insert("extrude", frame=1)
    rope.tendril.rod.use_bevel_radius, drawn.bevel_depth = True, 0.02
    baked(clean_scene)
    rope.data.bevel_depth, rope.data.extrude = 0.05, 0.3
    rope.data.materials[0] = bpy.data.materials.new("New")
    rope.data.materials.append(bpy.data.materials.new("Second"))
    baked(clean_scene)
    assert rope.data.bevel_depth == pytest.approx(0.05)
    with result.suspended(clean_scene):
        assert read_now(clean_scene).scene.rods[0].radius == pytest.approx(0.05)
    write.clear_scene(clean_scene)
    assert rope.data == drawn
    assert drawn.bevel_depth == pytest.approx(0.05)
    assert drawn.extrude == pytest.approx(0.1)
    assert [material.name for material in drawn.materials] == ["New", "Second"]


@pytest.mark.parametrize("other", ["QUATERNION", "AXIS_ANGLE"])
def test_another_rotation_mode_keeps_the_place(clean_scene, other):
    box = scenes.body("Box", (1, 2, 3))
    box.rotation_euler, box.tendril.body.spin = (0.4, -0.3, 1.2), (5, 3, 2)
    bpy.context.view_layer.update()
    start = np.array(box.matrix_world)
    baked(clean_scene)
    clean_scene.frame_set(5)
    box.rotation_mode = other
    before = np.array(box.matrix_basis)
    check(clean_scene)
    assert np.abs(np.array(box.matrix_basis) - before).max() < 1e-6
    write.clear_scene(clean_scene)
    assert box.rotation_mode == other
    assert np.abs(np.array(box.matrix_world) - start).max() < 1e-6


def test_duplicate_of_a_baked_rod_is_a_rod_of_its_own(clean_scene):
    rope = scenes.rod()
    drawn = rope.data
    baked(clean_scene)
    other = rope.copy()
    other.data = rope.data.copy()  # as Shift D does
    other.location.y = 2
    clean_scene.collection.objects.link(other)
    baked(clean_scene)
    write.clear_scene(clean_scene)
    assert rope.data == drawn
    assert other.data != drawn
    assert [len(ob.data.splines[0].points) for ob in (rope, other)] == [len(drawn.splines[0].points)] * 2
    assert not [curve.name for curve in bpy.data.curves if curve.is_tendril_bake]


def test_what_follows_a_body_through_constraints_is_found(clean_scene):
    box = scenes.body("Box")
    carried = scenes.empty("Carried", (0, 0, 0))
    carried.parent = box
    rope = scenes.rod()
    rope.tendril.rod.start.hold = "PINNED"
    rope.tendril.rod.start.attach_to = follow("Follower", carried)
    only_problem(clean_scene, "Rope", "Follower", "Attach the end to Box")


def test_children_of_what_follows_a_body_are_written_after_it(clean_scene):
    leader = scenes.body("Leader")
    leader.parent = scenes.empty("Place", (0, 0, 0))  # as deep in parents as the other
    child = scenes.body("Child", (2, 0, 0))
    child.parent = follow("Follower", leader)
    assert depth(child) > depth(leader)
    child.parent.constraints.new("COPY_ROTATION").target = child  # round in circles
    assert depth(child) > 0
    child.parent.constraints.remove(child.parent.constraints[-1])
    baked(clean_scene)
    clean_scene.frame_set(6)
    assert child.matrix_world.translation.z == pytest.approx(leader.matrix_world.translation.z, abs=1e-5)


def test_keys_on_a_joint_with_the_world(clean_scene):
    box = scenes.body()
    hinge = scenes.joint("Hinge", box)
    hinge.keyframe_insert("location", frame=1)
    assert check(clean_scene) == []
    hinge.location.x = 3
    hinge.keyframe_insert("location", frame=9)
    only_problem(clean_scene, "Hinge", "keys on its location", "Animated rigid body")


def test_clear_while_the_baked_curve_is_edited(clean_scene):
    rope = scenes.rod()
    drawn = rope.data
    baked(clean_scene)
    bpy.context.view_layer.objects.active = rope
    bpy.ops.object.mode_set(mode="EDIT")
    only_problem(clean_scene, "Rope", "Edit Mode")
    assert bpy.ops.tendril.clear() == {"FINISHED"}
    assert (rope.mode, rope.data) == ("OBJECT", drawn)
    assert len(bpy.data.curves) == 1


def test_baked_rod_that_is_converted_to_a_mesh(clean_scene):
    rope = scenes.rod()
    scenes.body("Box")
    baked(clean_scene)
    rope.select_set(True)
    bpy.context.view_layer.objects.active = rope
    bpy.ops.object.convert(target="MESH")
    assert ["not a curve" in problem.sentence for problem in check(clean_scene)] == [True]
    rope.tendril.role = "NONE"
    baked(clean_scene)
    assert bpy.ops.tendril.clear() == {"FINISHED"}
    assert rope.type == "MESH"
    assert not rope.tendril_result.is_baked


def test_another_curve_given_to_a_baked_rod_is_what_is_read(clean_scene):
    rope = scenes.rod()
    baked(clean_scene)
    rope.data = scenes.rod("Longer", ((0, 0, 2), (3, 0, 2))).data
    bpy.data.objects.remove(bpy.data.objects["Longer"])
    baked(clean_scene)
    write.clear_scene(clean_scene)
    assert rope.data.name == "Longer"
