"""Every bad scene, body and object is refused by name before a bake, with a sentence that says how to mend it."""

from __future__ import annotations

import math

import bpy
import pytest
import scenes
from problem_scenes import only_problem

from bl_ext.user_default.tendril.bridge import result
from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.bridge.read import read_now

NAN = float("nan")


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


# Rigid bodies


def test_animated_gravity(clean_scene):
    scenes.body()
    clean_scene.keyframe_insert("gravity", frame=1)
    assert check(clean_scene) == []
    clean_scene.keyframe_insert("gravity", frame=9)
    only_problem(clean_scene, "", "Gravity is animated")


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


@pytest.mark.parametrize("make", [scenes.body, scenes.rod, lambda: scenes.joint("Hinge", scenes.body())])
def test_transform_that_is_not_a_number(clean_scene, make):
    ob = make()
    ob.location = (0, NAN, 0)
    only_problem(clean_scene, ob.name, "place is not a number", "Alt G")


def test_static_body_that_moves(clean_scene):
    floor = scenes.body("Floor")
    floor.tendril.body.kind = "STATIC"
    scenes.body("Other", (0, 0, 5))
    assert check(clean_scene) == []
    floor.keyframe_insert("rotation_euler", frame=1)
    only_problem(clean_scene, "Floor", "Static", "keys on its rotation", "Animated")


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
    linked.tendril.role = "NONE"
    assert linked.name == local.name
    only_problem(bpy.context.scene, "Box", "same name", "F2")
    local.name = "Another"
    assert check(bpy.context.scene) == []


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
