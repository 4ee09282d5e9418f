"""Every bad input is refused before a bake, by name, with a sentence that says how to mend it."""

from __future__ import annotations

import math

import bpy
import pytest
import scenes
from bl_ext.user_default.tendril.bridge import result
from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.bridge.problems import ReadError
from bl_ext.user_default.tendril.bridge.read import read_now

NAN = float("nan")


def only_problem(scene, name, *words):
    """The one problem found is about ``name`` and its sentence has all of ``words``."""
    problems = check(scene)
    assert [problem.object_name for problem in problems] == [name], problems
    for word in words:
        assert word in problems[0].sentence, problems[0]
    with pytest.raises(ReadError) as raised:
        read_now(scene)
    assert list(raised.value.problems) == problems


def test_a_good_scene_has_no_problems(clean_scene):
    box = scenes.body()
    rope = scenes.rod(kind="BEZIER")
    scenes.joint("Hinge", box, rope)
    assert check(clean_scene) == []


def test_keeps_the_frame(clean_scene):
    scenes.body()
    clean_scene.frame_set(7, subframe=0.25)
    check(clean_scene)
    assert (clean_scene.frame_current, clean_scene.frame_subframe) == (7, 0.25)


def test_all_problems_are_listed_at_once(clean_scene):
    scenes.body("Void", vertices=[], faces=[])
    scenes.rod("Dot", points=((0, 0, 0),))
    scenes.joint("Alone")
    assert {problem.object_name for problem in check(clean_scene)} == {"Void", "Dot", "Alone"}


def test_nothing_to_simulate(clean_scene):
    only_problem(clean_scene, "", "nothing to simulate")


def test_start_after_end(clean_scene):
    scenes.body()
    clean_scene.tendril.use_own_range = True
    clean_scene.tendril.frame_start, clean_scene.tendril.frame_end = 20, 10
    only_problem(clean_scene, "", "20", "10", "Set End")


def test_time_stretching(clean_scene):
    scenes.body()
    clean_scene.render.frame_map_new = 200
    only_problem(clean_scene, "", "Time Stretching")


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


def test_ring(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0), (1, 1, 0)))
    rope.data.splines[0].use_cyclic_u = True
    only_problem(clean_scene, "Rope", "closed ring", "Alt C")


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


# Rigid bodies


def test_empty_mesh(clean_scene):
    scenes.body(vertices=[], faces=[])
    only_problem(clean_scene, "Box", "no faces")


def test_open_mesh_without_a_mass(clean_scene):
    plane = scenes.body(vertices=[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], faces=[(0, 1, 2, 3)])
    only_problem(clean_scene, "Box", "not closed")
    plane.tendril.body.mass_source = "MASS"
    assert check(clean_scene) == []


def test_zero_mass(clean_scene):
    settings = scenes.body().tendril.body
    settings.mass_source, settings.mass = "MASS", 0.0
    only_problem(clean_scene, "Box", "mass is 0 kg")


def test_infinite_mass(clean_scene):
    settings = scenes.body().tendril.body
    settings.mass_source, settings.mass = "MASS", math.inf
    only_problem(clean_scene, "Box", "mass", "Static")


def test_given_inertia_that_no_body_has(clean_scene):
    settings = scenes.body().tendril.body
    settings.use_given_inertia, settings.inertia = True, (1, 1, 5)
    only_problem(clean_scene, "Box", "moment of inertia")


def test_mesh_vertex_that_is_not_a_number(clean_scene):
    scenes.body().data.vertices[0].co = (NAN, 0, 0)
    only_problem(clean_scene, "Box", "not a number")


def test_transform_that_is_not_a_number(clean_scene):
    scenes.body().location = (0, NAN, 0)
    only_problem(clean_scene, "Box", "place is not a number", "Alt G")


def test_no_scale(clean_scene):
    scenes.body().scale = (1, 0, 1)
    only_problem(clean_scene, "Box", "scaled to nothing")


def test_shear(clean_scene):
    parent, box = scenes.empty("Rack"), scenes.body()
    parent.scale, box.parent, box.rotation_euler = (1, 3, 1), parent, (0.3, 0.4, 0.5)
    only_problem(clean_scene, "Box", "Rack", "scaled unevenly", "Ctrl A")


def test_own_keys(clean_scene):
    box = scenes.body()
    box.keyframe_insert("location", frame=1)
    only_problem(clean_scene, "Box", "keys on its location", "Animated")
    box.tendril.body.kind = "ANIMATED"
    scenes.body("Other")
    assert check(clean_scene) == []


def test_own_driver(clean_scene):
    scenes.body().driver_add("rotation_euler", 2)
    only_problem(clean_scene, "Box", "driver on its rotation", "Animated")


def test_own_constraint(clean_scene):
    scenes.body().constraints.new("COPY_LOCATION").target = scenes.empty()
    only_problem(clean_scene, "Box", "constraint Copy Location", "Animated")


def test_keys_of_something_else_are_no_problem(clean_scene):
    box = scenes.body()
    box.keyframe_insert("color", frame=1)
    assert check(clean_scene) == []


def test_animated_body_on_a_simulated_one(clean_scene):
    box, rider = scenes.body(), scenes.body("Rider")
    rider.parent, rider.tendril.body.kind = box, "ANIMATED"
    only_problem(clean_scene, "Rider", "follows Box")


# Any object


def test_two_roles(clean_scene):
    box = scenes.body()
    with bpy.context.temp_override(object=box, active_object=box, selected_objects=[box]):
        bpy.ops.rigidbody.world_add()
        bpy.ops.rigidbody.object_add()
    only_problem(clean_scene, "Box", "Blender's own rigid body", "Remove")


def test_cloth_on_a_body(clean_scene):
    scenes.body().modifiers.new("Cloth", "CLOTH")
    only_problem(clean_scene, "Box", "Cloth moves it as well")


def test_role_that_does_not_fit(clean_scene):
    scenes.body()
    scenes.empty("Ghost").tendril.role = "RIGID_BODY"
    only_problem(clean_scene, "Ghost", "rigid body", "not a mesh")


def test_disabled_in_the_viewport(clean_scene):
    scenes.body().hide_viewport = True
    only_problem(clean_scene, "Box", "disabled in the viewport")


def test_excluded_collection(clean_scene):
    collection = bpy.data.collections.new("Away")
    clean_scene.collection.children.link(collection)
    box = scenes.body()
    collection.objects.link(box)
    clean_scene.collection.objects.unlink(box)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    only_problem(clean_scene, "Box", "collection is excluded")


def test_hidden_with_the_eye_is_no_problem(clean_scene):
    box = scenes.body(location=(1, 2, 3))
    bpy.context.view_layer.update()
    box.hide_set(True)
    assert check(clean_scene) == []
    assert read_now(clean_scene).scene.bodies[0].position == pytest.approx((1, 2, 3))


@pytest.fixture
def library(clean_scene, tmp_path):
    """A file with a body and a rod to link from."""
    scenes.body()
    scenes.rod()
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return path


@pytest.mark.parametrize("name", ["Box", "Rope"])
def test_linked_data_that_cannot_be_written(library, name):
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = [name]
    scenes.link(wanted.objects[0])
    only_problem(bpy.context.scene, name, "linked from another file", "local")


def test_linked_body_of_the_same_name(library):
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = ["Box"]
    linked = scenes.link(wanted.objects[0])
    local = scenes.body("Box", (5, 0, 0))
    assert linked.name == local.name
    assert [problem.object_name for problem in check(bpy.context.scene)] == ["Box"]


def test_names_that_are_not_ascii(clean_scene):
    box, rope = scenes.body("Wärmflasche 箱"), scenes.rod("Веревка")
    scenes.joint("関節", box, rope)
    assert check(clean_scene) == []
    assert read_now(clean_scene).bodies == {"Wärmflasche 箱": "Wärmflasche 箱"}


def test_names_that_meet(clean_scene):
    """A spline's own name may be that of another object; both are simulated."""
    rope = scenes.rod("Rope")
    scenes.add_spline(rope.data, ((0, 1, 2), (1, 1, 2)))
    scenes.rod("Rope:1")
    assert check(clean_scene) == []
    assert len(set(read_now(clean_scene).rods)) == 3


def test_an_earlier_bake_is_no_problem(clean_scene):
    box = scenes.body()
    result.remember_body(box)
    box.keyframe_insert("location", frame=1)
    assert check(clean_scene) == []
    assert box.tendril_result.is_baked
