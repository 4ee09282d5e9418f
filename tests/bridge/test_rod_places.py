"""Where a joint takes hold of a rod: its ends, the nearest place, or a share of its length."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import scenes
from problem_scenes import only_problem
from test_baked_curve import drawn_line

from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.bridge.joints import nearest_place
from bl_ext.user_default.tendril.bridge.read import read_now
from bl_ext.user_default.tendril.solver.scene import Rod

near = pytest.approx


def places(scene):
    return [(p.name, p.end, p.at) for joint in read_now(scene).scene.validated().joints for p in
            (joint.body_1, joint.body_2) if p.name]


@pytest.mark.parametrize(("x", "end", "at"), [
    (0.0, "start", None), (0.03, "start", None), (-5.0, "start", None), (1.97, "end", None), (9.0, "end", None),
    (1.0, "", 0.5), (0.1, "", 0.05),
])
def test_nearest(clean_scene, x, end, at):
    rope = scenes.rod(points=((0, 0, 0), (2, 0, 0)))
    scenes.joint("Nail", rope, None, "SPHERICAL", (x, 0, 0.02))
    ((_, found, share),) = places(clean_scene)
    assert found == end
    assert share == (None if at is None else near(at, abs=1e-6))


def test_nearest_of_several_splines(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (2, 0, 0)))
    scenes.add_spline(rope.data, ((0, 1, 0), (2, 1, 0)))
    scenes.joint("Nail", rope, None, "SPHERICAL", (0.5, 0.9, 0))
    assert places(clean_scene) == [("Rope:1", "", near(0.25, abs=1e-6))]


def test_nearest_on_a_curve_is_a_share_of_its_arc_length():
    """A circle of 65 points and tangents: the angle is the share."""
    angle = np.linspace(0.0, np.pi, 65)
    points = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    rod = Rod("Rod", points, np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1), points)
    for away, tolerance in ((1.0, 1e-4), (1.5, 2e-3)):
        distance, share = nearest_place(rod, away * np.array([np.cos(1.0), np.sin(1.0), 0.0]))
        assert share == near(1.0 / np.pi, abs=tolerance)
        assert distance == near(away - 1.0, abs=1e-3)


def test_nearest_on_a_ring_crosses_its_seam(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)))
    rope.data.splines[0].use_cyclic_u = True
    nail = scenes.joint("Nail", rope, None, "SPHERICAL", (0, 0.5, 0))
    assert places(clean_scene) == [("Rope", "", near(0.875))]
    nail.location = (0, 0, 0)
    assert places(clean_scene) == [("Rope", "", 0.0)]
    for end in ("START", "END"):
        nail.tendril.joint.partner_1.end = end
        assert places(clean_scene) == [("Rope", "", 0.0)]


def test_along(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (2, 0, 0)))
    side = scenes.joint("Nail", rope, None, "SPHERICAL", (9, 9, 9)).tendril.joint.partner_1
    side.end = "ALONG"
    for along, expected in ((0.5, ("", 0.5)), (0.01, ("", near(0.01))), (0.0, ("start", None)), (1.0, ("end", None))):
        side.along = along
        assert places(clean_scene) == [("Rope", *expected)]
    side.spline = 2
    only_problem(clean_scene, "Nail", "spline 2 of Rope", "Nearest")


def test_two_joints_near_one_another_hold_one_place(clean_scene):
    """No sliver of an element between them."""
    rope = scenes.rod(points=((0, 0, 0), (2, 0, 0)))
    scenes.joint("Nail", rope, None, "SPHERICAL", (1.0, 0, 0))
    scenes.joint("Screw", rope, scenes.body(), "SPHERICAL", (1.002, 0, 0))
    shares = [at for name, _, at in places(clean_scene) if name == "Rope"]
    assert shares[0] == shares[1] == near(0.5)


def test_a_joint_of_a_rod_with_itself(clean_scene):
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0), (1, 1, 0)))
    settings = scenes.joint("Knot", rope, rope, "SPHERICAL", (1, 0, 0)).tendril.joint
    only_problem(clean_scene, "Knot", "Rope with itself")
    settings.partner_2.end, settings.partner_2.along = "ALONG", 0.25
    assert check(clean_scene) == []
    settings.partner_2.along = 0.5
    only_problem(clean_scene, "Knot", "Rope with itself")


def test_a_rope_over_a_nail(clean_scene):
    """An empty that touches the rope in its middle just works: it stays, both halves fall, the elements meet there."""
    rope = scenes.rod(points=((0, 0, 0), (2, 0, 0)))
    rope.tendril.rod.elements, rope.tendril.rod.stiffness = 5, 1.0
    scenes.joint("Nail", rope, None, "SPHERICAL", (0.7, 0, 0))
    clean_scene.frame_end = 8
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    clean_scene.frame_set(1)
    middle = [index for index, p in enumerate(rope.data.splines[0].bezier_points) if abs(p.co.x - 0.7) < 1e-5]
    assert len(middle) == 1
    clean_scene.frame_set(8)
    line = drawn_line(rope)
    point = rope.data.splines[0].bezier_points[middle[0]].co
    assert np.array(point) == near((0.7, 0, 0), abs=1e-4)
    assert line[0, 2] < -0.02 and line[-1, 2] < -0.1


def test_more_joints_than_elements(clean_scene):
    """The simulation makes the elements it needs, and the bake follows."""
    rope = scenes.rod(points=((0, 0, 0), (2, 0, 0)))
    rope.tendril.rod.elements = 1
    for number in range(1, 4):
        scenes.joint(f"Nail {number}", rope, None, "SPHERICAL", (0.5 * number, 0, 0))
    clean_scene.frame_end = 3
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    points = rope.data.splines[0].bezier_points
    assert [point.co.x for point in points] == near([0.0, 0.5, 1.0, 1.5, 2.0], abs=1e-3)
