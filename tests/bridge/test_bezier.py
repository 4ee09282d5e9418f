"""Elements as Bézier segments, and Blender's bevel frame rebuilt: against polynomials and Blender's own meshes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from bl_ext.user_default.tendril.bridge import bezier
from mathutils import Vector

RNG = np.random.default_rng(7)


def lagrange(nodes, order, x):
    """The element polynomial at x in 0…1."""
    places = np.arange(order + 1) / order
    total = np.zeros(3)
    for j in range(order + 1):
        others = np.delete(places, j)
        total = total + nodes[j] * np.prod((x - others) / (places[j] - others))
    return total


@pytest.mark.parametrize("order", [1, 2, 3])
def test_element_is_exactly_one_segment(order):
    elements = 5
    nodes = RNG.normal(size=(elements * order + 1, 3))
    segments = bezier.element_segments(nodes, order)
    for x in np.linspace(0.0, 1.0, 13):
        drawn = np.einsum("k,ekx->ex", bezier.bernstein(np.array([x]))[0], segments)
        for element in range(elements):
            exact = lagrange(nodes[element * order : element * order + order + 1], order, x)
            assert np.abs(drawn[element] - exact).max() < 1e-14
    assert np.abs(bezier.segment_nodes(segments, order) - nodes).max() < 1e-14


@pytest.mark.parametrize("order", [1, 2, 3])
def test_shared_points_take_handles_from_both_elements(order):
    nodes = RNG.normal(size=(3, 4 * order + 1, 3))  # three frames
    co, left, right = bezier.control_points(nodes, order)
    segments = bezier.element_segments(nodes, order)
    assert co.shape == (3, 5, 3)
    assert np.array_equal(co, nodes[:, ::order])
    assert np.array_equal(left[:, 1:], segments[..., 2, :])
    assert np.array_equal(right[:, :-1], segments[..., 1, :])
    assert np.allclose(co[:, 0] - left[:, 0], right[:, 0] - co[:, 0])


def test_track_frame_is_blenders_also_along_the_vertical():
    directions = RNG.normal(size=(400, 3))
    size, angle = 10.0 ** RNG.uniform(-9, -2, 400), RNG.uniform(0, 7, 400)
    steep = np.stack([size * np.cos(angle), size * np.sin(angle), RNG.choice([-1.0, 1.0], 400)], axis=1)
    zeros = [(0, 0, 1), (0, 0, -1), (-0.0, 0, 1), (0, -0.0, 1), (-0.0, -0.0, -1)]
    directions = np.concatenate([directions, steep, zeros])
    x, y = bezier.track_frame(directions)
    for index, direction in enumerate(directions):
        matrix = Vector(direction).to_track_quat("Z", "Y").to_matrix()
        assert np.abs(np.array(matrix.col[0]) - x[index]).max() < 2e-3, direction
        assert np.abs(np.array(matrix.col[1]) - y[index]).max() < 2e-3, direction


@pytest.fixture
def profile(clean_scene):
    """A profile whose first point is on +x, so that a bevel's first vertex of each ring shows the frame."""
    curve = bpy.data.curves.new("Profile", "CURVE")
    curve.dimensions = "2D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    spline.use_cyclic_u = True
    for point, co in zip(spline.points, [(0.01, 0), (0, 0.002), (-0.003, -0.002)], strict=True):
        point.co = (*co, 0.0, 1.0)
    ob = bpy.data.objects.new("Profile", curve)
    bpy.context.collection.objects.link(ob)
    return ob


def bevelled(profile, co, left, right, tilt, mode, resolution):
    """Return the rings (n, 3 vertices, 3) of Blender's bevel."""
    curve = bpy.data.curves.new("Bevelled", "CURVE")
    curve.dimensions, curve.twist_mode, curve.bevel_mode, curve.bevel_object = "3D", mode, "OBJECT", profile
    spline = curve.splines.new("BEZIER")
    spline.bezier_points.add(len(co) - 1)
    spline.resolution_u = resolution
    for index, point in enumerate(spline.bezier_points):
        point.handle_left_type = point.handle_right_type = "FREE"
        point.co, point.handle_left, point.handle_right = co[index], left[index], right[index]
        point.tilt = tilt[index]
    ob = bpy.data.objects.new("Bevelled", curve)
    bpy.context.collection.objects.link(ob)
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    places = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", places)
    evaluated.to_mesh_clear()
    bpy.data.objects.remove(ob)
    bpy.data.curves.remove(curve)
    return places.reshape(-1, 3, 3).astype(np.float64)


def degrees_between(a, b):
    cosine = np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


@pytest.mark.parametrize("mode", ["MINIMUM", "Z_UP"])
def test_bevel_frame_is_blenders(profile, mode):
    resolution, worst = 12, 0.0
    for _ in range(20):
        co = RNG.normal(size=(6, 3)).astype(np.float32)
        left = co - 0.3 * RNG.normal(size=(6, 3)).astype(np.float32)
        right = co + 0.3 * RNG.normal(size=(6, 3)).astype(np.float32)
        tilt = RNG.normal(size=6).astype(np.float32)
        rings = bevelled(profile, co, left, right, tilt, mode, resolution)
        axis, direction = bezier.bevel_frames(co, left, right, resolution, mode)
        normals = bezier.tilted(axis, direction, tilt)
        for index in range(6):
            worst = max(worst, degrees_between(normals[index], rings[index * resolution][0] - co[index]))
    assert worst < 0.05


@pytest.mark.parametrize("mode", ["MINIMUM", "Z_UP"])
def test_bevel_frame_of_hanging_ropes(profile, mode):
    """The first tangent along ±z, and as near to it as rounding can tell."""
    for trial in range(150):
        lean = 0.0 if trial % 10 == 0 else 10.0 ** RNG.uniform(-9, -2)
        angle, length = RNG.uniform(0, 7), 10.0 ** RNG.uniform(-2, 0)
        down = np.array([lean * np.cos(angle), lean * np.sin(angle), RNG.choice([-1.0, 1.0])])
        co = np.array([np.zeros(3), 3 * length * down]).astype(np.float32)
        right = (co + length * down).astype(np.float32)
        left = (co - length * down).astype(np.float32)
        rings = bevelled(profile, co, left, right, np.zeros(2), mode, 6)
        axis, _ = bezier.bevel_frames(co, left, right, 6, mode)
        assert degrees_between(axis[0], rings[0][0] - co[0]) < 0.5, (lean, angle, length)


def test_tilts_unwrap_along_the_rod_and_in_time():
    frames, points = 200, 12
    time, place = np.linspace(0, 1, frames)[:, None], np.linspace(0, 1, points)
    tilt = 9.0 * np.pi * time * place + 5.0 * np.pi * time + 4.0 * place  # many turns of the whole, and along it
    direction = np.broadcast_to(np.array([1.0, 0.0, 0.0]), (frames, points, 3))
    axis = np.broadcast_to(np.array([0.0, 0.0, 1.0]), (frames, points, 3))
    found = bezier.tilts(axis, direction, bezier.tilted(axis, direction, tilt))
    assert np.abs(found - tilt).max() < 1e-12
