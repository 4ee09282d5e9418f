"""Drawn curves become centre lines: the curve that Blender draws, and the side its bevel looks to."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
import scenes

from bl_ext.user_default.tendril.bridge import curves, space
from bl_ext.user_default.tendril.bridge.read import read_now

near = pytest.approx


def drawn(rod_scene):
    return read_now(rod_scene).scene.rods[0]


@pytest.mark.parametrize("order", [3, 4, 5])
@pytest.mark.parametrize("use_endpoint", [True, False])
@pytest.mark.parametrize("use_bezier", [True, False])
def test_nurbs_is_the_curve_that_blender_draws(clean_scene, order, use_endpoint, use_bezier):
    count = 2 * (order - 1) + 1  # whole segments in the Bézier mode
    points = np.random.default_rng(order).normal(size=(count, 3))
    rope = scenes.rod(points=points, kind="NURBS")
    spline = rope.data.splines[0]
    spline.order_u, spline.use_endpoint_u, spline.use_bezier_u = order, use_endpoint, use_bezier
    spline.points[1].co.w = 3.0
    rope.data.resolution_u = 64
    line = curves.center_line(rope.data, spline).points
    bpy.context.view_layer.update()
    mesh = rope.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    assert np.array(mesh.vertices[0].co) == near(line[0], abs=1e-5)
    assert np.array(mesh.vertices[-1].co) == near(line[-1], abs=1e-5)
    start, step = line[:-1], np.diff(line, axis=0)
    for place in [np.array(vertex.co) for vertex in mesh.vertices]:
        along = np.clip(np.sum((place - start) * step, axis=1) / np.sum(step * step, axis=1), 0, 1)
        assert np.linalg.norm(start + along[:, None] * step - place, axis=1).min() < 5e-3


def test_bezier_is_the_curve_that_blender_draws(clean_scene):
    rope = scenes.rod(points=np.random.default_rng(7).normal(size=(4, 3)), kind="BEZIER")
    bpy.context.view_layer.update()
    rope.data.resolution_u = curves.STEPS
    line = curves.center_line(rope.data, rope.data.splines[0])
    mesh = rope.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    assert np.array([vertex.co for vertex in mesh.vertices]) == near(line.points, abs=1e-5)
    assert line.tangents is not None


def test_corners_stay_sharp(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0), (1, 1, 0)), kind="BEZIER")
    for point in rope.data.splines[0].bezier_points:
        point.handle_left_type = point.handle_right_type = "VECTOR"
    line = curves.center_line(rope.data, rope.data.splines[0])
    assert line.tangents is None
    assert np.min(np.linalg.norm(line.points - (1, 0, 0), axis=1)) < 1e-6


@pytest.mark.parametrize("twist_mode", ["MINIMUM", "Z_UP"])
@pytest.mark.parametrize("direction", [(1, 0, 0), (0.3, 1, 0.4), (0, 0, 1)])
def test_normals_are_where_the_bevel_looks(clean_scene, twist_mode, direction):
    """The first corner of a square bevel profile, seen from the axis, is −x turned by the tilt."""
    rope = scenes.rod(points=((0, 0, 0), direction), kind="BEZIER")
    curve = rope.data
    curve.twist_mode, curve.resolution_u = twist_mode, 12
    for point in curve.splines[0].bezier_points:
        point.handle_left_type = point.handle_right_type = "VECTOR"
        point.tilt = 0.7
    profile = bpy.data.curves.new("Profile", "CURVE")
    scenes.add_spline(profile, ((0, 0, 0), (0.1, 0, 0)))
    curve.bevel_mode, curve.bevel_object = "OBJECT", scenes.link(bpy.data.objects.new("Profile", profile))
    bpy.context.view_layer.update()
    mesh = rope.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    outer = max((vertex.co.copy() for vertex in mesh.vertices if vertex.co.length < 0.11), key=lambda co: co.length)
    line = curves.center_line(curve, curve.splines[0])
    assert line.normals[0] == near(np.array(outer.normalized()), abs=1e-4)


def test_transform_of_a_curve_object(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0)))
    rope.location, rope.scale, rope.rotation_euler = (0, 0, 3), (2, -1, 1), (0, 0, math.pi / 2)
    assert drawn(clean_scene).points == near(np.array([(0, 0, 3), (0, 2, 3)]), abs=1e-6)


def test_several_splines(clean_scene):
    rope = scenes.rod()
    scenes.add_spline(rope.data, ((0, 1, 2), (1, 1, 2)))
    reading = read_now(clean_scene)
    assert [(name, source.object, source.spline) for name, source in reading.rods.items()] == [
        ("Rope", "Rope", 0), ("Rope:1", "Rope", 1)]
    assert reading.owners["Rope:1"] == "Rope"


def test_rod_settings(clean_scene):
    rope = scenes.rod()
    settings = rope.tendril.rod
    settings.order, settings.elements, settings.rest = "2", 5, "STRAIGHT"
    settings.stiffness, settings.poisson_ratio, settings.density = 2e5, 0.3, 7800
    settings.damping, settings.drag, settings.radius = 0.02, 0.5, 0.003
    rod = drawn(clean_scene)
    assert (rod.order, rod.elements, rod.rest) == (2, 5, "straight")
    material = rod.material
    assert (material.young_modulus, material.poisson_ratio, material.density) == near((2e11, 0.3, 7800), rel=1e-6)
    assert (rod.damping, rod.linear_damping, rod.radius) == near((0.02, 0.5, 0.003), rel=1e-6)


def test_radius_from_bevel(clean_scene):
    rope = scenes.rod()
    rope.data.bevel_depth, rope.scale = 0.05, (2, 2, 2)
    rope.tendril.rod.use_bevel_radius = True
    assert drawn(clean_scene).radius == near(0.1)


def test_hold_in_place(clean_scene):
    settings = scenes.rod().tendril.rod
    settings.start.hold, settings.end.hold = "CLAMPED", "PINNED"
    rod = drawn(clean_scene)
    assert (rod.start.hold, rod.end.hold) == ("clamped", "pinned")
    assert rod.start.motion is None and rod.end.motion is None


@pytest.mark.parametrize(("hold", "kind"), [("PINNED", "spherical"), ("CLAMPED", "fixed")])
def test_attach_to_a_body(clean_scene, hold, kind):
    box, rope = scenes.body(), scenes.rod(points=((0, 0, 2), (0, 0, 0.5)))
    rope.tendril.rod.end.hold, rope.tendril.rod.end.attach_to = hold, box
    scene = read_now(clean_scene).scene
    (joint,) = scene.joints
    assert (joint.kind, joint.body_1.name, joint.body_2.name, joint.body_2.end) == (kind, "Box", "Rope", "end")
    assert joint.position == near((0, 0, 0.5))
    assert space.rotation_matrix(joint.rotation)[:, 2] == near((0, 0, -1))
    assert scene.rods[0].end.hold == "free"
