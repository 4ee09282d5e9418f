"""What an artist sets: defaults that work, a sentence for everything, and operators that act on the selection."""

from __future__ import annotations

import bpy
import pytest
import scenes

from bl_ext.user_default.tendril.bridge import joint_properties, properties
from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.solver.joints.types import JOINT_TYPES

GROUPS = (*properties.CLASSES, *joint_properties.CLASSES)


def settings_of(group):
    return [found for found in group.bl_rna.properties if found.identifier not in {"rna_type", "name"}]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_everything_shown_has_a_tooltip(group):
    for found in settings_of(group):
        if not found.is_hidden and found.type not in {"POINTER", "COLLECTION"} and group is not properties.ProblemEntry:
            assert found.name and len(found.description) > 10, found.identifier
            assert not found.description.endswith("."), found.identifier  # Blender adds the stop


def test_one_setting_for_every_coordinate_of_the_joint_table():
    names = set(joint_properties.JointSettings.bl_rna.properties.keys())
    for kind in JOINT_TYPES.values():
        for coordinate in kind.coordinates:
            assert set(joint_properties.limit_names(coordinate)) <= names
            assert {f"{coordinate.identifier}_stiffness", f"{coordinate.identifier}_damping"} <= names
    kinds = joint_properties.JointSettings.bl_rna.properties["kind"].enum_items.keys()
    assert [name.lower() for name in kinds] == list(JOINT_TYPES)


def test_only_targets_take_keys():
    """What is read once, at the start, must not pretend to be animated."""
    keyable = {
        found.identifier
        for group in GROUPS if group is not properties.ProblemEntry
        for found in settings_of(group)
        if found.is_animatable and not found.is_hidden and found.type not in {"POINTER", "COLLECTION"}
    }
    driven = ("angle", "travel", "slide_x", "slide_y", "lean", "tilt")
    assert keyable == {"twist_target", *(f"{name}_{what}" for name in driven for what in ("target", "speed"))}


def test_defaults_can_be_baked(clean_scene):
    scenes.body()
    scenes.rod(kind="BEZIER")
    assert check(clean_scene) == []


def test_deleting_a_partner_leaves_its_name(clean_scene):
    box = scenes.body()
    side = scenes.joint("Hinge", box).tendril.joint.partner_1
    assert side.object_name == "Box"
    bpy.data.objects.remove(box)
    assert side.object is None and side.object_name == "Box"
    side.object = None
    assert side.object_name == ""


def select(*objects, active=None):
    bpy.context.view_layer.update()
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = active or (objects[-1] if objects else None)


def bare(ob):
    ob.tendril.role = "NONE"
    return ob


def test_add_goes_by_the_selection(clean_scene):
    box, rope, hand = bare(scenes.body()), bare(scenes.rod()), scenes.empty()
    select(box, rope, hand)
    assert bpy.ops.tendril.add(role="RIGID_BODY") == {"FINISHED"}
    assert bpy.ops.tendril.add(role="ROD") == {"FINISHED"}
    assert bpy.ops.tendril.add(role="JOINT") == {"FINISHED"}
    assert [ob.tendril.role for ob in (box, rope, hand)] == ["RIGID_BODY", "ROD", "JOINT"]
    partners = hand.tendril.joint.partner_1.object, hand.tendril.joint.partner_2.object
    assert set(partners) == {box, rope}


def test_add_leaves_the_wrong_types(clean_scene):
    light = scenes.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    select(light)
    assert bpy.ops.tendril.add(role="RIGID_BODY") == {"CANCELLED"}
    assert light.tendril.role == "NONE"


def test_add_needs_a_selection(clean_scene):
    select()
    assert not bpy.ops.tendril.add.poll()
    assert not bpy.ops.tendril.remove.poll()


def test_a_bevelled_curve_becomes_as_thick_as_it_looks(clean_scene):
    rope = bare(scenes.rod())
    rope.data.bevel_depth = 0.1
    select(rope)
    bpy.ops.tendril.add(role="ROD")
    assert rope.tendril.rod.use_bevel_radius


def test_joint_between_two_bodies(clean_scene):
    one, two = scenes.body("One"), scenes.body("Two", (4, 0, 2))
    bpy.context.view_layer.update()
    select(one, two, active=one)
    assert bpy.ops.tendril.add(role="JOINT") == {"FINISHED"}
    made = bpy.context.object
    assert made.type == "EMPTY" and made.tendril.role == "JOINT" and made.select_get()
    assert made.tendril.joint.partner_1.object == one and made.tendril.joint.partner_2.object == two
    assert tuple(made.location) == pytest.approx((2, 0, 1))
    assert check(clean_scene) == []


def test_joint_at_the_end_of_a_rod(clean_scene):
    box, rope = scenes.body(location=(5, 0, 0)), scenes.rod(points=((0, 0, 0), (4, 0, 0)))
    bpy.context.view_layer.update()
    select(box, rope)
    bpy.ops.tendril.add(role="JOINT")
    assert tuple(bpy.context.object.location) == pytest.approx((4, 0, 0))
    assert check(clean_scene) == []


def test_joints_from_the_active_to_all_others(clean_scene):
    hub, *others = (scenes.body(name, (place, 0, 0)) for name, place in (("Hub", 0), ("A", 3), ("B", 6)))
    select(hub, *others, active=hub)
    bpy.ops.tendril.add(role="JOINT")
    made = [ob for ob in bpy.context.selected_objects if ob.tendril.role == "JOINT"]
    assert {ob.tendril.joint.partner_2.object.name for ob in made} == {"A", "B"}
    assert {ob.tendril.joint.partner_1.object.name for ob in made} == {"Hub"}


def test_joint_to_the_world(clean_scene):
    box = scenes.body(location=(1, 2, 3))
    bpy.context.view_layer.update()
    select(box)
    bpy.ops.tendril.add(role="JOINT")
    made = bpy.context.object
    assert tuple(made.location) == pytest.approx((1, 2, 3))
    assert made.tendril.joint.partner_2.object is None


def test_remove_keeps_the_settings(clean_scene):
    box = scenes.body()
    box.tendril.body.density = 7800.0
    select(box)
    assert bpy.ops.tendril.remove() == {"FINISHED"}
    assert box.tendril.role == "NONE" and box.tendril.body.density == 7800.0
    assert not bpy.ops.tendril.remove.poll()


def test_check_fills_the_list_and_selects(clean_scene):
    scenes.body()
    hinge = scenes.joint("Hinge")
    select()
    bpy.ops.tendril.check()
    settings = clean_scene.tendril
    assert [(problem.object_name, settings.is_checked) for problem in settings.problems] == [("Hinge", True)]
    assert bpy.ops.tendril.select_problem(index=0) == {"FINISHED"}
    assert bpy.context.object == hinge and hinge.select_get()
    assert bpy.ops.tendril.select_problem(index=5) == {"CANCELLED"}
    bpy.data.objects.remove(hinge)
    assert bpy.ops.tendril.select_problem(index=0) == {"CANCELLED"}
    bpy.ops.tendril.check()
    assert len(settings.problems) == 0


def test_settings_are_saved(clean_scene, tmp_path):
    box = scenes.body()
    scenes.joint("Hinge", box, kind="SPHERICAL").tendril.joint.swing_limit = 0.25
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    joint = bpy.data.objects["Hinge"].tendril.joint
    assert (joint.kind, joint.partner_1.object) == ("SPHERICAL", bpy.data.objects["Box"])
    assert joint.swing_limit == pytest.approx(0.25)


def test_adding_and_removing_can_be_undone(clean_scene):
    bare(scenes.body())
    select(bpy.data.objects["Box"])
    bpy.ops.ed.undo_push(message="Made")
    bpy.ops.tendril.add("EXEC_DEFAULT", True, role="RIGID_BODY")
    bpy.ops.tendril.add("EXEC_DEFAULT", True, role="JOINT")
    assert len(bpy.data.objects) == 2
    bpy.ops.ed.undo()
    assert [ob.tendril.role for ob in bpy.data.objects] == ["RIGID_BODY"]
    bpy.ops.ed.undo()
    assert [ob.tendril.role for ob in bpy.data.objects] == ["NONE"]
    bpy.ops.ed.redo()
    assert [ob.tendril.role for ob in bpy.data.objects] == ["RIGID_BODY"]
