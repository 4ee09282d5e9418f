"""What a rod is made of and how thick it is: tapers, ellipses, shear, the chain, stiffness, and the rest curve."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import scenes
from problem_scenes import only_problem
from test_baked_curve import drawn_line

from bl_ext.user_default.tendril.bridge import bake
from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.bridge.read import read_now

near = pytest.approx


def drawn(scene):
    return read_now(scene).scene.validated().rods[0]


def with_radii(ob, *radii):
    spline = ob.data.splines[0]
    for point, radius in zip(spline.bezier_points if spline.type == "BEZIER" else spline.points, radii, strict=True):
        point.radius = radius
    return ob


# Thickness


@pytest.mark.parametrize("from_bevel", [True, False])
def test_point_radii_make_a_taper(clean_scene, from_bevel):
    rope = with_radii(scenes.rod(points=((0, 0, 0), (1, 0, 0), (3, 0, 0))), 1.0, 0.5, 2.0)
    rope.tendril.rod.use_bevel_radius, rope.tendril.rod.radius = from_bevel, 0.03
    rope.data.bevel_depth = 0.03
    assert drawn(clean_scene).radius == near(np.array([0.03, 0.015, 0.06]), rel=1e-6)


def test_a_taper_of_a_bezier_spline_is_as_thick_as_it_looks(clean_scene):
    """Against the evaluated bevel: the radius at every ring of the mesh."""
    rope = with_radii(scenes.rod(points=((0, 0, 0), (1, 1, 0), (3, 0, 1)), kind="BEZIER"), 1.0, 0.4, 2.0)
    rope.tendril.rod.use_bevel_radius = True
    rope.data.bevel_depth, rope.data.bevel_resolution = 0.05, 2
    rope.data.splines[0].resolution_u = 32
    bpy.context.view_layer.update()
    rod = drawn(clean_scene)
    corners = drawn_line(rope).reshape(len(rod.points), -1, 3)
    assert np.linalg.norm(corners - rod.points[:, None], axis=2) == near(
        np.repeat(rod.radius[:, None], corners.shape[1], axis=1), abs=1e-5)


def test_even_radii_are_one_number(clean_scene):
    with_radii(scenes.rod(), 2.0, 2.0).tendril.rod.radius = 0.01
    assert drawn(clean_scene).radius == near(0.02)


def test_a_tip_of_no_radius(clean_scene):
    with_radii(scenes.rod(), 1.0, 0.0)
    only_problem(clean_scene, "Rope", "radius 0", "Alt S")


def test_baked_taper_looks_as_drawn(clean_scene):
    """Joints along the rod make elements of unequal length: the radius belongs to the place, not to the number."""
    rope = with_radii(scenes.rod(points=((0, 0, 0), (1, 0, 0), (2, 0, 0))), 1.0, 1.5, 2.0)
    rope.tendril.rod.elements, rope.tendril.rod.order = 2, "1"
    rope.tendril.rod.start.hold = "CLAMPED"
    for name, along in (("One", 0.3), ("Two", 0.6)):
        nail = scenes.joint(name, rope, None, "SPHERICAL", (2 * along, 0, 0))
        nail.tendril.joint.partner_1.end, nail.tendril.joint.partner_1.along = "ALONG", along
    clean_scene.frame_end = 2
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    points = rope.data.splines[0].bezier_points
    assert [point.co.x for point in points] == near([0.0, 0.6, 1.2, 2.0], abs=1e-3)
    assert [point.radius for point in points] == near([1.0, 1.3, 1.6, 2.0], abs=1e-5)


# Section and elements


def test_section_settings(clean_scene):
    settings = scenes.rod().tendril.rod
    assert (drawn(clean_scene).aspect, drawn(clean_scene).shear_correction) == (1.0, False)
    settings.aspect, settings.use_shear_correction, settings.order = 0.25, True, "0"
    rod = drawn(clean_scene)
    assert (rod.aspect, rod.shear_correction, rod.order) == (0.25, True, 0)


def test_stiffness_is_in_mpa(clean_scene):
    settings = scenes.rod().tendril.rod
    assert drawn(clean_scene).material.young_modulus == near(1.0e7)
    settings.stiffness = 210000.0
    assert drawn(clean_scene).material.young_modulus == near(2.1e11)
    assert "MPa" in settings.bl_rna.properties["stiffness"].name


def sag(scene, ob, frame):
    scene.frame_set(frame)
    return -drawn_line(ob)[:, 2].min()


def test_a_flat_ribbon_lies_flat(clean_scene):
    """Width is level on a level curve: a ribbon bends down easily, and sideways or on edge hardly at all."""
    clean_scene.frame_end = 8
    sags = {}
    for tilt in (0.0, np.pi / 2):
        ribbon = scenes.rod(f"Ribbon {tilt:.1f}", points=((0, 0, 0), (1, 0, 0)))
        settings = ribbon.tendril.rod
        settings.radius, settings.aspect, settings.stiffness, settings.elements = 0.02, 0.1, 2000.0, 4
        settings.start.hold = "CLAMPED"
        for point in ribbon.data.splines[0].points:
            point.tilt = tilt
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    for ob in clean_scene.objects:
        sags[ob.name] = sag(clean_scene, ob, 8)
    assert sags["Ribbon 0.0"] > 10.0 * sags["Ribbon 1.6"]


def test_the_chain_is_baked_as_straight_links(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0)))
    rope.tendril.rod.order, rope.tendril.rod.elements = "0", 5
    rope.tendril.rod.start.hold = "PINNED"
    clean_scene.frame_end = 4
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    assert len(rope.data.splines[0].bezier_points) == 6
    clean_scene.frame_set(4)
    line = drawn_line(rope)
    link = np.diff(line[:13], axis=0)
    assert np.abs(np.cross(link, link[0])).max() < 1e-6
    assert line[-1, 2] < -0.01


# Rest curve


def arc(name="Arc", points=((0, 0, 0), (1, 0, 1), (2, 0, 0)), kind="BEZIER"):
    ob = scenes.rod(name, points, kind)
    ob.tendril.role = "NONE"
    return ob


def with_rest(ob, other):
    ob.tendril.rod.rest, ob.tendril.rod.rest_curve = "CURVE", other
    return ob


def test_rest_curve(clean_scene):
    with_rest(scenes.rod(points=((0, 0, 0), (2, 0, 0))), arc())
    rod = drawn(clean_scene)
    assert rod.rest == "curve"
    assert rod.rest_curve.points[32] == near((1, 0, 1), abs=1e-6)
    assert rod.rest_curve.tangents is not None and rod.rest_curve.normals is not None


def test_rest_curve_of_the_same_spline_or_the_first(clean_scene):
    other, rope = arc(kind="POLY"), scenes.rod()
    for height in (1, 2):
        scenes.add_spline(rope.data, ((0, 0, height), (1, 0, height)))
    scenes.add_spline(other.data, ((0, 5, 0), (1, 5, 0)))
    with_rest(rope, other)
    rods = read_now(clean_scene).scene.rods
    assert [rod.rest_curve.points[0][1] for rod in rods] == [0, 5, 0]


@pytest.mark.parametrize("hide", [False, True])
def test_only_the_size_of_a_rest_curve_counts(clean_scene, hide):
    """A turned, scaled and hidden one, under a scaled parent: it is twice and three times as long."""
    other, parent = arc(points=((0, 0, 0), (1, 0, 0)), kind="POLY"), scenes.empty("Parent")
    parent.scale = (3, 3, 3)
    other.parent, other.scale, other.rotation_euler, other.location = parent, (2, 2, 2), (1, 2, 3), (4, 5, 6)
    other.hide_viewport = hide
    with_rest(scenes.rod(), other)
    assert np.linalg.norm(np.diff(drawn(clean_scene).rest_curve.points, axis=0)) == near(6.0, rel=1e-5)


def test_a_rod_goes_to_its_rest_curve(clean_scene):
    """Drawn straight, at rest as a quarter circle: without gravity it ends there, and is as long."""
    clean_scene.use_gravity, clean_scene.frame_end = False, 40
    k = 0.5522847498
    quarter = arc(points=((1, 0, 0), (0, 1, 0)))
    first, last = quarter.data.splines[0].bezier_points
    for point in (first, last):
        point.handle_left_type = point.handle_right_type = "FREE"
    first.handle_right, last.handle_left = (1, k, 0), (k, 1, 0)
    rope = with_rest(scenes.rod(points=((0, 0, 0), (0.5 * np.pi, 0, 0))), quarter)
    settings = rope.tendril.rod
    settings.start.hold, settings.radius, settings.damping, settings.drag = "CLAMPED", 0.1, 0.05, 3.0
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    clean_scene.frame_set(40)
    ends = drawn_line(rope)[[0, -1]]
    assert np.linalg.norm(ends[1] - ends[0]) == near(np.sqrt(2.0), abs=0.01)
    assert bake.latest.outcome.frames == 40


def test_a_baked_rod_as_rest_curve_is_as_it_was_drawn(clean_scene):
    other = arc(points=((0, 0, 0), (1, 0, 0)), kind="POLY")
    other.tendril.role = "ROD"
    clean_scene.frame_end = 3
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    assert len(other.data.splines[0].bezier_points) == 9
    with_rest(scenes.rod("Rope", ((0, 0, 0), (1, 0, 0))), other)
    other.tendril.role = "NONE"
    assert read_now(clean_scene).scene.rods[0].rest_curve.points == near(np.array([(0, 0, 0), (1, 0, 0)]))


def test_no_rest_curve(clean_scene):
    scenes.rod().tendril.rod.rest = "CURVE"
    only_problem(clean_scene, "Rope", "yet to choose", "Rest Curve")


def test_deleted_rest_curve(clean_scene):
    other = arc()
    with_rest(scenes.rod(), other)
    bpy.data.objects.remove(other)
    only_problem(clean_scene, "Rope", "Arc", "deleted")


def test_rest_curve_that_left_the_scene(clean_scene):
    other = arc()
    with_rest(scenes.rod(), other)
    clean_scene.collection.objects.unlink(other)
    only_problem(clean_scene, "Rope", "Arc", "not in this scene")


def test_rest_curve_that_is_none(clean_scene):
    rope = scenes.rod()
    with_rest(rope, rope)
    only_problem(clean_scene, "Rope", "itself")
    with_rest(rope, scenes.empty())
    only_problem(clean_scene, "Rope", "no curve")
    other = arc()
    with_rest(rope, other)
    other.scale = (0, 0, 0)
    only_problem(clean_scene, "Rope", "Arc has no shape")
    other.scale = (1, 1, 1)
    other.data.splines.clear()
    only_problem(clean_scene, "Rope", "Arc has no shape")
    scenes.add_spline(other.data, ((0, 0, 0),))
    only_problem(clean_scene, "Rope", "Arc", "single point")


def test_rest_curve_open_and_closed(clean_scene):
    other = arc(kind="POLY")
    rope = with_rest(scenes.rod(points=((0, 0, 0), (1, 0, 0), (1, 1, 0))), other)
    rope.data.splines[0].use_cyclic_u = True
    only_problem(clean_scene, "Rope", "closed and its Rest Curve Arc is open")
    other.data.splines[0].use_cyclic_u = True
    assert check(clean_scene) == []
