"""Curves and joints that cannot be simulated are refused by name, with a sentence that says how to mend them."""

from __future__ import annotations

import bpy
import pytest
import scenes
from problem_scenes import only_problem

from bl_ext.user_default.tendril.bridge.check import check

NAN = float("nan")


# Joints


def test_no_joint_partner(clean_scene):
    scenes.body()
    scenes.joint("Hinge")
    only_problem(clean_scene, "Hinge", "no partners", "Choose")


def test_joint_of_a_thing_with_itself(clean_scene):
    box = scenes.body()
    scenes.joint("Hinge", box, box)
    only_problem(clean_scene, "Hinge", "Box with itself")


def test_joint_of_two_ends_of_one_rod_is_fine(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0), (1, 1, 0)))
    hinge = scenes.joint("Hinge", rope, rope)
    hinge.tendril.joint.partner_1.end, hinge.tendril.joint.partner_2.end = "START", "END"
    assert check(clean_scene) == []
    hinge.tendril.joint.partner_2.end = "START"
    only_problem(clean_scene, "Hinge", "Rope with itself")


def test_deleted_partner(clean_scene):
    box, other = scenes.body(), scenes.body("Other", (3, 0, 0))
    scenes.joint("Hinge", box, other)
    bpy.data.objects.remove(other)
    only_problem(clean_scene, "Hinge", "Other", "deleted")


def test_partner_that_left_the_scene(clean_scene):
    box, other = scenes.body(), scenes.body("Other", (3, 0, 0))
    scenes.joint("Hinge", box, other)
    clean_scene.collection.objects.unlink(other)  # as the Delete key does: the joint keeps it alive
    only_problem(clean_scene, "Hinge", "Other", "not in this scene")


def test_partner_without_a_role(clean_scene):
    box = scenes.body()
    scenes.joint("Hinge", box, scenes.empty())
    only_problem(clean_scene, "Hinge", "Hand", "neither a rigid body nor a rod")


def test_missing_spline(clean_scene):
    rope = scenes.rod()
    side = scenes.joint("Hinge", rope).tendril.joint.partner_1
    side.end, side.spline = "END", 3
    only_problem(clean_scene, "Hinge", "spline 3 of Rope")


def test_swapped_limits(clean_scene):
    settings = scenes.joint("Hinge", scenes.body()).tendril.joint
    settings.use_angle_limits, settings.angle_lower, settings.angle_upper = True, 1.0, -1.0
    only_problem(clean_scene, "Hinge", "lower limit", "Swap")


def test_flat_joint(clean_scene):
    scenes.joint("Hinge", scenes.body()).scale = (1, 0, 1)
    only_problem(clean_scene, "Hinge", "scaled to nothing")


# Rods


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
def test_one_point_curve(clean_scene, kind):
    scenes.rod(points=((0, 0, 0),), kind=kind)
    only_problem(clean_scene, "Rope", "single point")


@pytest.mark.parametrize("kind", ["POLY", "BEZIER"])
def test_zero_length_curve(clean_scene, kind):
    scenes.rod(points=((0, 0, 0), (0, 0, 0)), kind=kind)
    only_problem(clean_scene, "Rope", "without length")


@pytest.mark.parametrize("kind", ["POLY", "BEZIER"])
def test_coincident_points(clean_scene, kind):
    scenes.rod(points=((0, 0, 0), (1, 0, 0), (1, 0, 0), (2, 1, 0)), kind=kind)
    only_problem(clean_scene, "Rope", "same spot")


def test_empty_curve(clean_scene):
    rope = scenes.rod()
    rope.data.splines.clear()
    only_problem(clean_scene, "Rope", "no splines")


def test_nurbs_with_too_few_points(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0), (2, 0, 0)), kind="NURBS")
    rope.data.splines[0].order_u = 4
    if rope.data.splines[0].order_u == 4:
        only_problem(clean_scene, "Rope", "order")


def test_rod_that_turns_back(clean_scene):
    scenes.rod(points=((0, 0, 0), (1, 0, 0), (0.5, 0, 0)))
    only_problem(clean_scene, "Rope", "turns straight back")


def test_zero_radius(clean_scene):
    scenes.rod().tendril.rod.radius = 0.0
    only_problem(clean_scene, "Rope", "Radius is 0")


def test_bevel_without_depth(clean_scene):
    scenes.rod().tendril.rod.use_bevel_radius = True
    only_problem(clean_scene, "Rope", "bevel", "Depth")


def test_curve_point_that_is_not_a_number(clean_scene):
    rope = scenes.rod()
    rope.data.splines[0].points[0].co = (NAN, 0, 0, 1)
    only_problem(clean_scene, "Rope", "not a number")


def test_shared_curve(clean_scene):
    rope = scenes.rod()
    scenes.link(bpy.data.objects.new("Twin", rope.data))
    only_problem(clean_scene, "Rope", "Twin", "single-user")


def test_keyed_control_points(clean_scene):
    rope = scenes.rod()
    rope.data.keyframe_insert("splines[0].points[0].co", frame=1)
    only_problem(clean_scene, "Rope", "control points have keys")


def test_shape_keys_on_a_rod(clean_scene):
    scenes.rod().shape_key_add(name="Basis")
    only_problem(clean_scene, "Rope", "shape keys")


def test_bending_modifier(clean_scene):
    scenes.rod().modifiers.new("Wobble", "WAVE")
    only_problem(clean_scene, "Rope", "Wobble")


def test_deleted_attachment(clean_scene):
    rope, hand = scenes.rod(), scenes.empty()
    rope.tendril.rod.end.hold, rope.tendril.rod.end.attach_to = "PINNED", hand
    bpy.data.objects.remove(hand)
    only_problem(clean_scene, "Rope", "end is attached to Hand", "deleted")


def test_attachment_that_left_the_scene(clean_scene):
    rope, hand = scenes.rod(), scenes.empty()
    rope.tendril.rod.start.hold, rope.tendril.rod.start.attach_to = "PINNED", hand
    clean_scene.collection.objects.unlink(hand)
    only_problem(clean_scene, "Rope", "start is attached to Hand", "not in this scene")


def test_attached_to_a_rod(clean_scene):
    rope, other = scenes.rod(), scenes.rod("Other")
    rope.tendril.rod.start.hold, rope.tendril.rod.start.attach_to = "PINNED", other
    only_problem(clean_scene, "Rope", "the rod Other")


def test_attached_to_a_child_of_a_body(clean_scene):
    box, hand, rope = scenes.body(), scenes.empty(), scenes.rod()
    hand.parent = box
    rope.tendril.rod.start.hold, rope.tendril.rod.start.attach_to = "PINNED", hand
    only_problem(clean_scene, "Rope", "Hand", "Attach the end to Box")


@pytest.mark.parametrize("how", ["object", "collection", "exclude"])
def test_attached_to_something_disabled_that_moves(clean_scene, how):
    """The rod's pointer keeps it evaluated, but Blender does not move it."""
    rope, hand = scenes.rod(), scenes.empty()
    hand.keyframe_insert("location", frame=1)
    rope.tendril.rod.start.hold = "PINNED"
    rope.tendril.rod.start.attach_to = hand
    assert check(clean_scene) == []
    collection = bpy.data.collections.new("Helpers")
    clean_scene.collection.children.link(collection)
    collection.objects.link(hand)
    clean_scene.collection.objects.unlink(hand)
    layer = bpy.context.view_layer.layer_collection.children["Helpers"]
    layer.hide_viewport = True
    assert check(clean_scene) == []
    if how == "object":
        hand.hide_viewport = True
    elif how == "collection":
        collection.hide_viewport = True
    else:
        layer.exclude = True
    only_problem(clean_scene, "Rope", "Hand", "disabled in the viewport")


def test_disabled_body_that_a_rod_is_attached_to(clean_scene):
    rope, box = scenes.rod(), scenes.body()
    rope.tendril.rod.end.hold = "PINNED"
    rope.tendril.rod.end.attach_to = box
    box.hide_viewport = True
    only_problem(clean_scene, "Box", "disabled in the viewport")


def test_motor_and_target(clean_scene):
    settings = scenes.joint("Hinge", scenes.body()).tendril.joint
    settings.use_angle_motor = settings.use_angle_target = True
    only_problem(clean_scene, "Hinge", "a motor and a target", "Stiffness to 0")
    settings.angle_stiffness = 0.0
    assert check(clean_scene) == []
