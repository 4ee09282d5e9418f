"""Closed rods: cyclic splines are read as rings, and baked as the solver's curve, its twist right across the seam."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import scenes
import scripted
from problem_scenes import only_problem
from test_baked_curve import FORMS, FRAMES, degrees, drawn_line, with_profile

from bl_ext.user_default.tendril.bridge import bezier, curves
from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.bridge.read import read_now

near = pytest.approx
SQUARE = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))
STEPS = 12  # of a baked segment


def ring(points=SQUARE, kind="BEZIER", name="Ring"):
    ob = scenes.rod(name, points, kind)
    ob.data.splines[0].use_cyclic_u = True
    bpy.context.view_layer.update()
    return ob


def places_of(ob):
    """Return the vertices of a curve without bevel, in the world."""
    bpy.context.view_layer.update()
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    return np.array([vertex.co for vertex in mesh.vertices])


def farthest(places, line):
    """Return how far the farthest of ``places`` lies from the closed polyline ``line``."""
    start, step = line, np.roll(line, -1, axis=0) - line
    worst = 0.0
    for place in places:
        along = np.clip(np.sum((place - start) * step, axis=1) / np.sum(step * step, axis=1), 0, 1)
        worst = max(worst, np.linalg.norm(start + along[:, None] * step - place, axis=1).min())
    return worst


# Reading


@pytest.mark.parametrize("kind", ["BEZIER", "POLY"])
def test_a_cyclic_spline_is_the_closed_curve_that_blender_draws(clean_scene, kind):
    ob = ring(np.random.default_rng(5).normal(size=(5, 3)), kind)
    ob.data.splines[0].resolution_u = curves.STEPS
    line = curves.center_line(ob.data, ob.data.splines[0])
    places = places_of(ob)
    assert line.closed
    assert len(places) == len(line.points)
    assert farthest(places, line.points) < 1e-5


@pytest.mark.parametrize("order", [3, 4, 5])
@pytest.mark.parametrize("use_endpoint", [True, False])
@pytest.mark.parametrize("use_bezier", [True, False])
def test_a_cyclic_nurbs_is_the_closed_curve_that_blender_draws(clean_scene, order, use_endpoint, use_bezier):
    ob = ring(np.random.default_rng(order).normal(size=(3 * (order - 1), 3)), "NURBS")
    spline = ob.data.splines[0]
    spline.order_u, spline.use_endpoint_u, spline.use_bezier_u = order, use_endpoint, use_bezier
    spline.points[1].co.w = 3.0
    spline.resolution_u = 64
    line = curves.center_line(ob.data, spline).points
    places = places_of(ob)
    assert places[0] == near(line[0], abs=1e-5)
    assert farthest(places, line) < 5e-3
    assert farthest(line, places) < 5e-3


@pytest.mark.parametrize("twist_mode", ["MINIMUM", "Z_UP"])
@pytest.mark.parametrize("kind", ["BEZIER", "NURBS", "POLY"])
def test_normals_are_where_the_bevel_looks(clean_scene, kind, twist_mode):
    """Against the evaluated bevel: the first corner of the profile, all the way round a warped ring."""
    points = np.array([(np.cos(a), np.sin(a), 0.5 * np.cos(2 * a)) for a in 2 * np.pi * np.arange(24) / 24])
    ob = ring(points, kind)
    with_profile(ob)
    ob.data.twist_mode, spline = twist_mode, ob.data.splines[0]
    spline.resolution_u = curves.STEPS if kind == "BEZIER" else 2 * curves.STEPS
    control = spline.bezier_points if kind == "BEZIER" else spline.points
    for index, point in enumerate(control):
        point.tilt = 0.5 * np.sin(2 * np.pi * index / len(control))
    bpy.context.view_layer.update()
    rings = drawn_line(ob).reshape(-1, 3, 3)
    line = curves.center_line(ob.data, spline)
    worst = 0.0
    for corner, place, normal in zip(rings[:, 0], *_matched(rings, line), strict=True):
        worst = max(worst, degrees(normal, corner - place))
    assert worst < 0.5


def _matched(rings, line):
    """Return place and normal of the centre line's point at each ring of the bevel."""
    middle = np.linalg.norm(rings.mean(axis=1)[:, None] - line.points[None], axis=2).argmin(axis=1)
    return line.points[middle], line.normals[middle]


def test_a_ring_reaches_the_solver(clean_scene):
    ring().tendril.rod.elements = 6
    (rod,) = read_now(clean_scene).scene.validated().rods
    assert rod.closed
    assert (len(rod.points), rod.elements) == (4 * curves.STEPS, 6)


def test_a_ring_has_no_ends(clean_scene):
    ob = ring()
    ob.tendril.rod.end.hold = "PINNED"
    only_problem(clean_scene, "Ring", "closed ring, with no end", "joint")
    scenes.add_spline(ob.data, ((3, 0, 0), (4, 0, 0)))  # open: there the end is held
    assert check(clean_scene) == []
    assert [rod.end.hold for rod in read_now(clean_scene).scene.rods] == ["free", "pinned"]


def test_a_ring_needs_three_elements(clean_scene):
    ring().tendril.rod.elements = 2
    only_problem(clean_scene, "Ring", "Raise Elements to 3")


def test_a_ring_that_ends_where_it_begins(clean_scene):
    ring((*SQUARE, SQUARE[0]), "POLY")
    only_problem(clean_scene, "Ring", "same spot")


def test_two_points_make_no_ring_of_straight_lines(clean_scene):
    ring(((0, 0, 0), (1, 0, 0)), "POLY")
    only_problem(clean_scene, "Ring", "turns straight back")


def test_a_nurbs_ring_that_blender_does_not_draw(clean_scene):
    ob = ring(np.random.default_rng(1).normal(size=(7, 3)), "NURBS")
    ob.data.splines[0].order_u, ob.data.splines[0].use_bezier_u = 4, True
    only_problem(clean_scene, "Ring", "multiple of 3", "Turn Bézier off")


def test_add_joint_meets_a_ring_where_the_other_is(clean_scene):
    ob, box = ring(), scenes.body("Box", (-1.5, 0.1, 0), 0.2)
    bpy.context.view_layer.update()
    for chosen in (ob, box):
        chosen.select_set(True)
    bpy.context.view_layer.objects.active = box
    assert bpy.ops.tendril.add(role="JOINT") == {"FINISHED"}
    assert bpy.context.object.location[:] == near((-1, 0, 0))
    (joint,) = read_now(clean_scene).scene.validated().joints
    assert (joint.body_1.name, joint.body_2.name) == ("Box", "Ring")
    assert joint.body_2.at == near(0.5, abs=1e-4)


# Baking


def exact_ring(nodes, order):
    """Sample the solver's element polynomials once round, at Blender's parameters."""
    places = np.arange(order + 1) / order
    line = []
    for first in range(0, len(nodes), order):
        element = nodes[np.arange(first, first + order + 1) % len(nodes)]
        for x in np.arange(STEPS) / STEPS:
            basis = [np.prod([(x - places[k]) / (places[j] - places[k]) for k in range(order + 1) if k != j])
                     for j in range(order + 1)]
            line.append(np.array(basis) @ element)
    return np.array(line)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_baked_ring_is_the_solvers_curve(clean_scene, order, form):
    ob = ring()
    path = scripted.wreath(order, 9, FRAMES)
    scripted.written(*scripted.rod_reading(ob, [path], order), form=form)
    spline = ob.data.splines[0]
    assert spline.use_cyclic_u
    assert len(spline.bezier_points) == 9
    for index in (9, 0, 15):
        clean_scene.frame_set(1 + index)
        assert np.abs(drawn_line(ob) - exact_ring(path[0][index], order)).max() < 2e-6


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ["MINIMUM", "Z_UP"])
def test_tilt_carries_the_twist_across_the_seam(clean_scene, mode, form):
    """The bevel's +x points along d1 at every control point, and close to it in the segment that closes the ring."""
    ob = ring()
    ob.data.twist_mode = mode
    with_profile(ob)
    order, elements = 3, 12
    path = scripted.wreath(order, elements, FRAMES)
    scripted.written(*scripted.rod_reading(ob, [path], order), form=form)
    assert ob.data.splines[0].use_cyclic_u
    worst = 0.0
    for index in (0, 5, 11, 15):
        clean_scene.frame_set(1 + index)
        # a closed bevel begins with the last control point
        rings = np.roll(drawn_line(ob).reshape(-1, 3, 3), -STEPS, axis=0)
        for point in range(elements):
            corner = rings[point * STEPS][0] - path[0][index][point * order]
            d1 = bezier.rotate(path[1][index, point * order], (1.0, 0.0, 0.0))
            worst = max(worst, degrees(bezier.perpendicular(d1, _along(path[0][index], point * order)), corner))
        between = exact_ring(path[0][index], order)
        for step in (4, 8):  # a third and two thirds of the way from the last point to the first: at a node
            node = (elements - 1) * order + step * order // STEPS
            corner = rings[(elements - 1) * STEPS + step][0] - between[(elements - 1) * STEPS + step]
            d1 = bezier.rotate(path[1][index, node], (1.0, 0.0, 0.0))
            assert degrees(d1, corner) < 8.0
    assert worst < 3.0  # the way along is taken from neighbours here


def _along(nodes, index):
    """Return the direction of a closed rod at a node, from its neighbours."""
    step = nodes[(index + 1) % len(nodes)] - nodes[index - 1]
    return step / np.linalg.norm(step)


@pytest.mark.parametrize("winds", [1, -2])
def test_whole_turns_round_a_ring_are_kept(clean_scene, winds):
    """A cyclic spline would undo them in its last segment: an open one ends where it begins."""
    ob = ring()
    with_profile(ob)
    order, elements = 3, 24
    path = scripted.wreath(order, elements, 4, winds)
    scripted.written(*scripted.rod_reading(ob, [path], order))
    spline = ob.data.splines[0]
    assert not spline.use_cyclic_u
    assert len(spline.bezier_points) == elements + 1
    clean_scene.frame_set(2)
    rings = drawn_line(ob).reshape(-1, 3, 3)
    between = exact_ring(path[0][1], order)
    for node in range(elements * order):
        at = node * STEPS // order
        d1 = bezier.rotate(path[1][1, node], (1.0, 0.0, 0.0))
        assert degrees(d1, rings[at][0] - between[at]) < 8.0
    assert np.abs(rings[0] - rings[-1]).max() < 1e-3


def test_point_radii_go_round(clean_scene):
    ob = ring(kind="POLY")
    for point, radius in zip(ob.data.splines[0].points, (1.0, 2.0, 3.0, 2.0), strict=True):
        point.radius = radius
    scripted.written(*scripted.rod_reading(ob, [scripted.wreath(3, 8, 3)], 3))
    assert [p.radius for p in ob.data.splines[0].bezier_points] == near([1.0, 1.5, 2.0, 2.5, 3.0, 2.5, 2.0, 1.5])


def test_bake_of_a_ring_hanging_from_a_joint(clean_scene):
    """The whole way: it hangs from the place nearest to the joint, and comes back with Clear."""
    ob = ring(((1, 0, 0), (0, 0, 1), (-1, 0, 0), (0, 0, -1)))
    drawn = ob.data
    scenes.joint("Nail", ob, None, "SPHERICAL", (0, 0, 1.0))
    clean_scene.frame_end = 6
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    assert ob.data.splines[0].use_cyclic_u
    top = []
    for frame in (1, 6):
        clean_scene.frame_set(frame)
        top.append(drawn_line(ob)[:, 2].max())
    assert top[1] == near(1.0, abs=0.02)
    assert bpy.ops.tendril.clear() == {"FINISHED"}
    assert ob.data == drawn
