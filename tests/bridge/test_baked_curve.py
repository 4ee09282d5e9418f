"""Rods as animated curves: the very curve of the solver, the twist on the bevel, and the drawn curve back."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import scenes
import scripted

from bl_ext.user_default.tendril.bridge import bezier, result, write
from mathutils import Euler, Vector

FRAMES = 16
FORMS = ["KEYS", "COMPACT"]


def rope(name="Rope", kind="BEZIER"):
    ob = scenes.rod(name, ((0, 0, 0), (1, 0, 0), (2, 0, 0)), kind)
    return ob


def depsgraph():
    return bpy.context.evaluated_depsgraph_get()


def points_of(curve):
    spline = curve.splines[0]
    count = len(spline.bezier_points)
    arrays = []
    for name in ("co", "handle_left", "handle_right"):
        flat = np.empty(3 * count, dtype=np.float32)
        spline.bezier_points.foreach_get(name, flat)
        arrays.append(flat.reshape(-1, 3).astype(np.float64))
    return arrays


def drawn_line(ob, resolution=12):
    """Return the points of the curve as Blender evaluates it, in the world."""
    evaluated = ob.evaluated_get(depsgraph())
    mesh = evaluated.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world)
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def exact_line(nodes, order, resolution=12):
    """Sample the solver's element polynomials at the same parameters."""
    elements = (len(nodes) - 1) // order
    places = np.arange(order + 1) / order
    lines = []
    for element in range(elements):
        for x in np.arange(resolution) / resolution:
            basis = [np.prod([(x - places[k]) / (places[j] - places[k]) for k in range(order + 1) if k != j])
                     for j in range(order + 1)]
            lines.append(np.array(basis) @ nodes[element * order : element * order + order + 1])
    return np.array([*lines, nodes[-1]])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_evaluated_curve_is_the_solvers(clean_scene, order, form):
    ob = rope()
    path = scripted.whirl(order, 6, FRAMES)
    scripted.written(*scripted.rod_reading(ob, [path], order, frame_start=-5), form=form)
    for index in (9, 0, 15, 3):  # out of order
        clean_scene.frame_set(-5 + index)
        error = np.abs(drawn_line(ob) - exact_line(path[0][index], order)).max()
        assert error < 1e-6 * 2.0
    assert len(ob.data.splines[0].bezier_points) == 7


@pytest.mark.parametrize("form", FORMS)
def test_object_transforms(clean_scene, form):
    """A turned, stretched, mirrored object under an animated parent: the world's curve is the same."""
    parent = scenes.empty("Parent")
    parent.keyframe_insert("location", frame=1)
    parent.location, parent.rotation_euler = (1, 2, 3), (0.5, 0.2, -1)
    parent.keyframe_insert("location", frame=FRAMES)
    ob = rope()
    ob.parent = parent
    ob.location, ob.rotation_euler, ob.scale = (1, -1, 0.5), (0.4, 1.2, -0.3), (2.0, -0.5, 1.5)
    path = scripted.whirl(3, 5, FRAMES)
    scripted.written(*scripted.rod_reading(ob, [path], 3), form=form)
    for index in (12, 0, 15):
        clean_scene.frame_set(1 + index)
        assert np.abs(drawn_line(ob) - exact_line(path[0][index], 3)).max() < 1e-5


def with_profile(ob):
    curve = bpy.data.curves.new("Profile", "CURVE")
    curve.dimensions = "2D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    spline.use_cyclic_u = True
    for point, co in zip(spline.points, [(0.01, 0), (0, 0.002), (-0.003, -0.002)], strict=True):
        point.co = (*co, 0.0, 1.0)
    profile = scenes.link(bpy.data.objects.new("Profile", curve))
    ob.data.bevel_mode, ob.data.bevel_object = "OBJECT", profile


def degrees(a, b):
    return np.degrees(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1, 1)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ["MINIMUM", "Z_UP", "TANGENT"])
def test_tilt_carries_the_twist(clean_scene, mode, form):
    """The bevel's +x points along d1 at every control point of every frame."""
    ob = rope()
    ob.data.twist_mode = mode
    with_profile(ob)
    order, elements = 3, 8
    path = scripted.whirl(order, elements, FRAMES)
    scripted.written(*scripted.rod_reading(ob, [path], order), form=form)
    worst = 0.0
    for index in (0, 5, 11, 15):
        clean_scene.frame_set(1 + index)
        rings = drawn_line(ob).reshape(-1, 3, 3)
        co, left, right = bezier.control_points(path[0][index], order)
        directions = bezier.bevel_frames(co, left, right, 12)[1]
        for point in range(elements + 1):
            d1 = bezier.rotate(path[1][index, point * order], (1.0, 0.0, 0.0))
            d1 = bezier.perpendicular(d1, directions[point])
            worst = max(worst, degrees(d1, rings[point * 12][0] - co[point]))
    assert worst < 0.1


def test_tilt_is_smooth_in_time(clean_scene):
    """A rod that spins many turns: linear keys between two frames must not unwind."""
    ob = rope()
    count = 60
    nodes = np.stack([np.linspace(0, 2, 7), np.zeros(7), np.zeros(7)], axis=1)
    spin = np.linspace(0, 30, count)
    base = scripted.turn((0, 1, 0), np.pi / 2)  # d3 along the rod
    rotations = np.stack([np.repeat(scripted.product(scripted.turn((1, 0, 0), a), base), 7, axis=0) for a in spin])
    scripted.written(*scripted.rod_reading(ob, [(np.tile(nodes, (count, 1, 1)), rotations)], 3))
    clean_scene.frame_set(1)
    start = ob.data.splines[0].bezier_points[1].tilt
    clean_scene.frame_set(count)
    assert ob.data.splines[0].bezier_points[1].tilt - start == pytest.approx(30.0, abs=1e-3)


def test_many_splines_materials_radius_and_looks(clean_scene):
    ob = rope()
    scenes.add_spline(ob.data, ((0, 1, 0), (1, 1, 0)), "POLY")
    for material in ("Red", "Blue"):
        ob.data.materials.append(bpy.data.materials.new(material))
    ob.data.splines[1].material_index = 1
    for point, radius in zip(ob.data.splines[1].points, (1.0, 3.0), strict=True):
        point.radius = radius
    ob.data.bevel_depth, ob.data.bevel_factor_start = 0.02, 0.25
    paths = [scripted.whirl(3, 4, FRAMES), scripted.whirl(3, 4, FRAMES, 3.0)]
    scripted.written(*scripted.rod_reading(ob, paths, 3))
    curve = ob.data
    assert [spline.material_index for spline in curve.splines] == [0, 1]
    assert [material.name for material in curve.materials] == ["Red", "Blue"]
    assert [p.radius for p in curve.splines[1].bezier_points] == pytest.approx([1.0, 1.5, 2.0, 2.5, 3.0])
    assert (curve.bevel_depth, curve.bevel_factor_start) == pytest.approx((0.02, 0.25))
    assert {p.handle_left_type for s in curve.splines for p in s.bezier_points} == {"FREE"}


def snapshot(curve):
    """Everything about a drawn curve that a user could see."""
    settings = {p.identifier: getattr(curve, p.identifier) for p in curve.bl_rna.properties
                if p.type in {"INT", "FLOAT", "BOOLEAN", "ENUM", "STRING"} and not getattr(p, "is_array", False)
                and p.identifier not in {"session_uid", "eval_time"}}
    splines = []
    for spline in curve.splines:
        points = spline.bezier_points if spline.type == "BEZIER" else spline.points
        splines.append((spline.type, spline.resolution_u, spline.material_index, [
            tuple(tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
                  for value in (getattr(p, name.identifier) for name in p.bl_rna.properties
                                if name.identifier not in {"rna_type", "bl_rna"}))
            for p in points
        ]))
    return settings, splines


@pytest.mark.parametrize("form", FORMS)
def test_clear_brings_the_drawn_curve_back(clean_scene, form, tmp_path):
    ob = rope()
    ob.data.keyframe_insert("bevel_depth", frame=1)  # a user's own animation of the look
    ob.data.bevel_depth = 0.4
    ob.data.keyframe_insert("bevel_depth", frame=FRAMES)
    clean_scene.frame_set(1)
    drawn, action = ob.data, ob.data.animation_data.action
    before = snapshot(drawn), drawn.users
    reading, store = scripted.rod_reading(ob, [scripted.whirl(3, 4, FRAMES)], 3)
    scripted.written(reading, store, form=form)
    scripted.written(reading, store, form=form)
    assert ob.data != drawn
    clean_scene.frame_set(FRAMES)
    assert ob.data.bevel_depth == pytest.approx(0.4)  # it still plays
    clean_scene.frame_set(1)
    write.clear_scene(clean_scene)
    assert ob.data == drawn
    assert (snapshot(drawn), drawn.users) == before
    assert list(bpy.data.curves) == [drawn]
    assert list(bpy.data.actions) == [action]
    assert not bpy.data.shape_keys


def test_drawn_curve_with_shape_keys_comes_back_with_them(clean_scene):
    ob = rope()
    ob.shape_key_add(name="Basis")
    ob.shape_key_add(name="Bent").value = 0.5
    ob.data.shape_keys.keyframe_insert("eval_time", frame=1)
    key, action = ob.data.shape_keys, ob.data.shape_keys.animation_data.action
    for form in FORMS:
        scripted.written(*scripted.rod_reading(ob, [scripted.whirl(3, 4, FRAMES)], 3), form=form)
        write.clear_scene(clean_scene)
    assert list(bpy.data.shape_keys) == [key]
    assert [block.name for block in key.key_blocks] == ["Basis", "Bent"]
    assert key.key_blocks["Bent"].value == 0.5
    assert list(bpy.data.actions) == [action]


@pytest.mark.parametrize("form", FORMS)
def test_saved_reloaded_played_and_cleared(clean_scene, tmp_path, form):
    ob = rope()
    path = scripted.whirl(3, 6, FRAMES)
    scripted.written(*scripted.rod_reading(ob, [path], 3), form=form)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "baked.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    ob = bpy.data.objects["Rope"]
    for index in (9, 2):
        bpy.context.scene.frame_set(1 + index)
        assert np.abs(drawn_line(ob) - exact_line(path[0][index], 3)).max() < 2e-6
    assert ob.tendril_result.drawn.name == "Rope"
    write.clear_scene(bpy.context.scene)
    assert [curve.name for curve in bpy.data.curves] == ["Rope"]
    assert not bpy.data.actions and not bpy.data.shape_keys


def test_copy_of_a_baked_object(clean_scene):
    ob = rope()
    scripted.written(*scripted.rod_reading(ob, [scripted.whirl(3, 4, FRAMES)], 3))
    twin = ob.copy()
    clean_scene.collection.objects.link(twin)
    assert write.clear_scene(clean_scene) == 2
    assert ob.data == twin.data
    assert [curve.name for curve in bpy.data.curves] == ["Rope"]
    assert not bpy.data.actions


def test_a_curve_that_somebody_else_put_there_stays(clean_scene):
    ob = rope()
    scripted.written(*scripted.rod_reading(ob, [scripted.whirl(3, 4, FRAMES)], 3))
    ob.data = mine = bpy.data.curves.new("Mine", "CURVE")
    write.clear_scene(clean_scene)
    assert ob.data == mine
    assert not ob.tendril_result.is_baked


def test_two_objects_with_one_curve(clean_scene):
    first, second = rope(), scenes.link(bpy.data.objects.new("Second", bpy.data.curves["Rope"]))
    path = scripted.whirl(3, 4, FRAMES)
    scripted.written(*scripted.rod_reading(first, [path], 3))
    assert second.data.name == "Rope"
    write.clear_scene(clean_scene)
    assert first.data == second.data


def test_hanging_rope_of_a_straight_drawn_curve(clean_scene):
    """Vertical tangents, where Blender's bevel frame is decided by rounding."""
    ob = scenes.rod("Hang", ((0, 0, 0), (0, 0, -1)), "POLY")
    with_profile(ob)
    count = 12
    s = np.linspace(0, 1, 13)
    sway = 1e-5 * np.sin(np.arange(count))[:, None] * s
    positions = np.stack([sway, np.zeros_like(sway), np.broadcast_to(-s, sway.shape)], axis=2)
    rotations = np.tile(scripted.turn((0, 0, 1), 0.3)[0], (count, 13, 1))
    scripted.written(*scripted.rod_reading(ob, [(positions, rotations)], 3))
    for index in range(count):
        clean_scene.frame_set(1 + index)
        rings = drawn_line(ob).reshape(-1, 3, 3)
        d1 = np.array(Euler((0, 0, 0.3)).to_matrix() @ Vector((1, 0, 0)))
        assert degrees(d1, rings[0][0] - positions[index, 0]) < 0.2


def test_auto_form_takes_keys_until_there_are_too_many(clean_scene):
    ob = rope()
    reading, store = scripted.rod_reading(ob, [scripted.whirl(3, 40, 3)], 3)
    assert write.resolved_form("AUTO", reading, store, 250) == "KEYS"
    assert write.resolved_form("AUTO", reading, store, 5000) == "COMPACT"
    assert write.resolved_form("KEYS", reading, store, 5000) == "KEYS"


def test_suspended_shows_the_drawn_curve(clean_scene):
    ob = rope()
    drawn = ob.data
    scripted.written(*scripted.rod_reading(ob, [scripted.whirl(3, 4, FRAMES)], 3))
    baked = ob.data
    with result.suspended(clean_scene):
        assert ob.data == drawn
    assert ob.data == baked
