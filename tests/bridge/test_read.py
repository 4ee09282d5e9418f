"""A Blender scene becomes SI numbers: units, time, transforms, curves, and what is animated."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
import scenes

from bl_ext.user_default.tendril.bridge import space
from bl_ext.user_default.tendril.bridge.read import read, read_now
from mathutils import Euler, Matrix, Quaternion, Vector

near = pytest.approx


def drawn(rod_scene):
    return read_now(rod_scene).scene.rods[0]


# Time and units


@pytest.mark.parametrize(("fps", "base", "expected"), [(24, 1.0, 1 / 24), (30, 1.001, 1.001 / 30), (60, 1.0, 1 / 60)])
def test_frame_rate(clean_scene, fps, base, expected):
    scenes.body()
    clean_scene.render.fps, clean_scene.render.fps_base = fps, base
    assert read_now(clean_scene).scene.settings.frame_duration == near(expected, rel=1e-7)


@pytest.mark.parametrize(("first", "last"), [(1, 24), (0, 0), (101, 150)])
def test_scene_range(clean_scene, first, last):
    scenes.body()
    clean_scene.frame_start, clean_scene.frame_end = first, last
    reading = read_now(clean_scene)
    assert (reading.frame_start, reading.frame_end) == (first, last)
    assert reading.scene.settings.frame_count == last - first + 1


def test_own_range_may_be_negative(clean_scene):
    scenes.body()
    clean_scene.tendril.use_own_range = True
    clean_scene.tendril.frame_start, clean_scene.tendril.frame_end = -20, -5
    reading = read_now(clean_scene)
    assert (reading.frame_start, reading.frame_end, reading.scene.settings.frame_count) == (-20, -5, 16)


def test_unit_scale(clean_scene):
    clean_scene.unit_settings.scale_length = 0.01
    box = scenes.body(location=(100, 0, 0), size=100)
    box.tendril.body.velocity = (50, 0, 0)
    rope = scenes.rod(points=((0, 0, 200), (100, 0, 200)))
    rope.tendril.rod.radius = 2.0
    hinge = scenes.joint("Slide", box, kind="PRISMATIC", location=(0, 300, 0)).tendril.joint
    hinge.use_travel_limits, hinge.travel_lower, hinge.travel_upper = True, -50, 150
    hinge.use_travel_target, hinge.travel_target = True, 20
    reading = read_now(clean_scene)
    scene = reading.scene
    assert reading.unit == near(0.01)
    assert scene.bodies[0].position == near((1, 0, 0))
    assert scene.bodies[0].mass == near(1000.0)
    assert scene.bodies[0].velocity == near((0.5, 0, 0))
    assert scene.rods[0].points == near(np.array([(0, 0, 2), (1, 0, 2)]))
    assert scene.rods[0].radius == near(0.02)
    assert scene.joints[0].position == near((0, 3, 0))
    assert (scene.joints[0].lower[2], scene.joints[0].upper[2]) == near((-0.5, 1.5))
    assert scene.joints[0].target[2] == near(0.2)
    assert scene.settings.gravity == near((0, 0, -0.0981))


def test_unit_scale_counts_only_with_units(clean_scene):
    clean_scene.unit_settings.scale_length, clean_scene.unit_settings.system = 0.01, "NONE"
    scenes.body(location=(2, 0, 0))
    assert read_now(clean_scene).scene.bodies[0].position == near((2, 0, 0))


def test_given_mass_is_what_the_panel_shows(clean_scene):
    """Blender shows a stored mass times the cube of the unit scale."""
    clean_scene.unit_settings.scale_length = 0.1
    settings = scenes.body().tendril.body
    settings.mass_source, settings.mass = "MASS", 2000.0
    shown = bpy.utils.units.to_string("METRIC", "MASS", 2000.0 * 0.1**3)
    assert shown.startswith("2")
    assert read_now(clean_scene).scene.bodies[0].mass == near(2.0)


def test_no_gravity(clean_scene):
    scenes.body()
    clean_scene.use_gravity = False
    assert read_now(clean_scene).scene.settings.gravity == near(np.zeros(3))


# Rigid bodies


def world_vertices(ob):
    return np.array([ob.matrix_world @ vertex.co for vertex in ob.data.vertices])


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 1, 0.5), (-1, 1, 1), (-2, -1, 3), (-1, -2, -3)])
def test_scale_and_mirror(clean_scene, scale):
    """Mass, centre and inertia agree with the mesh as it stands in the world."""
    box = scenes.body(location=(1, 2, 3))
    box.rotation_euler, box.scale = (0.3, -0.8, 1.9), scale
    bpy.context.view_layer.update()
    body = read_now(clean_scene).scene.bodies[0]
    assert body.mass == near(1000 * abs(np.prod(scale)), rel=1e-5)
    assert body.position == near((1, 2, 3), abs=1e-6)
    axes = space.rotation_matrix(body.rotation)
    inertia = axes @ np.diag(body.inertia) @ axes.T
    edges = np.array(box.rotation_euler.to_matrix()) @ np.diag(np.abs(scale))
    second = edges @ edges.T * body.mass / 12
    assert inertia == near(np.trace(second) * np.eye(3) - second, rel=1e-4, abs=1e-2)


def test_origin_off_centre(clean_scene):
    box = scenes.body(vertices=[(x + 1.5, y, z) for x, y, z in scenes.CUBE])
    box.rotation_euler = (0, 0, math.pi / 2)
    assert read_now(clean_scene).scene.bodies[0].position == near((0, 1.5, 0), abs=1e-6)


def test_modifiers_count(clean_scene):
    box = scenes.body()
    modifier = box.modifiers.new("Array", "ARRAY")
    modifier.count, modifier.relative_offset_displace = 2, (2, 0, 0)
    body = read_now(clean_scene).scene.bodies[0]
    assert body.mass == near(2000, rel=1e-5)
    assert body.position == near((1, 0, 0), abs=1e-6)


def test_far_from_the_origin(clean_scene):
    scenes.body(location=(10000, 0, 0), size=0.1)
    body = read_now(clean_scene).scene.bodies[0]
    assert body.inertia == near(np.full(3, 0.1**2 / 6 * body.mass), rel=1e-5)


def test_parent(clean_scene):
    parent, box = scenes.empty("Rack", (0, 0, 5)), scenes.body(location=(1, 0, 0))
    parent.rotation_euler, box.parent = (0, 0, math.pi / 2), parent
    assert read_now(clean_scene).scene.bodies[0].position == near((0, 1, 5), abs=1e-6)


def test_given_centre_and_inertia(clean_scene):
    box = scenes.body(location=(0, 0, 1))
    box.scale, box.rotation_euler = (2, 2, 2), (0, 0, math.pi / 2)
    settings = box.tendril.body
    settings.use_given_inertia, settings.center_of_mass, settings.inertia = True, (0.5, 0, 0), (3, 4, 5)
    settings.mass_source, settings.mass = "MASS", 7.0
    body = read_now(clean_scene).scene.bodies[0]
    assert (body.mass, *body.inertia) == near((7, 3, 4, 5))
    assert body.position == near((0, 1, 1), abs=1e-6)
    assert space.rotation_matrix(body.rotation)[:, 0] == near((0, 1, 0), abs=1e-6)


def test_velocity_and_spin_are_along_the_world(clean_scene):
    box = scenes.body()
    box.rotation_euler = (0.4, 0.5, 0.6)
    box.tendril.body.velocity, box.tendril.body.spin = (1, 2, 3), (0, 0, 2)
    body = read_now(clean_scene).scene.bodies[0]
    assert body.velocity == near((1, 2, 3))
    assert space.rotation_matrix(body.rotation) @ body.angular_velocity == near((0, 0, 2), abs=1e-6)


def test_kinds(clean_scene):
    for kind in ("ACTIVE", "STATIC", "ANIMATED"):
        scenes.body(kind).tendril.body.kind = kind
    reading = read_now(clean_scene)
    # nothing moves the animated one, which spares its samples
    assert [body.kind for body in reading.scene.bodies] == ["active", "static", "static"]
    assert reading.bodies == {"ACTIVE": "ACTIVE"}


# Joints


# What is animated


def test_animated_body_is_sampled_once_a_substep(clean_scene):
    clean_scene.frame_start, clean_scene.frame_end = 10, 12
    clean_scene.tendril.substeps = 4
    box = scenes.body(vertices=[(x + 1, y, z) for x, y, z in scenes.CUBE])
    box.tendril.body.kind = "ANIMATED"
    scenes.linear_keys(box, "location", [(10, (0, 0, 0)), (12, (0, 0, 8))])
    scenes.linear_keys(box, "rotation_euler", [(10, (0, 0, 0)), (12, (0, 0, 4 * math.pi))])
    scenes.body("Other", (5, 0, 0))
    clean_scene.frame_set(3, subframe=0.5)
    body = read_now(clean_scene).scene.bodies[0]
    assert (clean_scene.frame_current, clean_scene.frame_subframe) == (3, 0.5)
    assert body.motion.positions.shape == (9, 3)
    for sample in range(9):
        turn = space.rotation_matrix(body.motion.rotations[sample])
        at = turn @ space.rotation_matrix(body.rotation).T @ body.position
        assert body.motion.positions[sample] == near(at + (0, 0, sample), abs=1e-5)
    dots = np.sum(body.motion.rotations[1:] * body.motion.rotations[:-1], axis=1)
    assert dots.min() > 0.0  # no jump to the other quaternion
    assert body.motion.rotations[8] @ body.motion.rotations[0] == near(1.0)  # two turns: back on the same side


def test_sampling_before_frame_zero(clean_scene):
    clean_scene.tendril.use_own_range, clean_scene.tendril.substeps = True, 2
    clean_scene.tendril.frame_start, clean_scene.tendril.frame_end = -2, 0
    box = scenes.body()
    box.tendril.body.kind = "ANIMATED"
    scenes.linear_keys(box, "location", [(-2, (0, 0, 0)), (0, (4, 0, 0))])
    body = read_now(clean_scene).scene.bodies[0]
    assert body.motion.positions[:, 0] == near(np.arange(5.0), abs=1e-5)


def test_a_scene_that_no_window_shows(clean_scene):
    other = bpy.data.scenes.new("Other")
    box = scenes.body(location=(0, 0, 7))
    clean_scene.collection.objects.unlink(box)
    other.collection.objects.link(box)
    assert read_now(other).scene.bodies[0].position == near((0, 0, 7))


def test_body_animated_by_its_parent(clean_scene):
    clean_scene.frame_end = 3
    clean_scene.tendril.substeps = 2
    rack, box = scenes.empty("Rack"), scenes.body(location=(1, 0, 0))
    box.parent, box.tendril.body.kind = rack, "ANIMATED"
    scenes.linear_keys(rack, "location", [(1, (0, 0, 0)), (3, (0, 4, 0))])
    body = read_now(clean_scene).scene.bodies[0]
    assert body.motion.positions == near(np.array([(1, y, 0) for y in range(5)]), abs=1e-5)


def test_held_end_follows_an_object(clean_scene):
    clean_scene.unit_settings.scale_length = 0.1
    clean_scene.frame_end = 3
    clean_scene.tendril.substeps = 2
    hand, rope = scenes.empty(location=(0, 0, 2)), scenes.rod(points=((1, 0, 2), (2, 0, 2)), kind="BEZIER")
    rope.tendril.rod.start.hold, rope.tendril.rod.start.attach_to = "CLAMPED", hand
    scenes.linear_keys(hand, "rotation_euler", [(1, (0, 0, 0)), (3, (0, 0, math.pi))])
    motion = drawn(clean_scene).start.motion
    angles = np.linspace(0, math.pi, 5)
    expected = 0.1 * np.column_stack([np.cos(angles), np.sin(angles), np.full(5, 2.0)])
    assert motion.positions == near(expected, abs=1e-6)
    tangents = np.array([space.rotation_matrix(q)[:, 2] for q in motion.rotations])
    assert tangents == near(np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]), abs=1e-5)


def test_held_end_follows_its_own_curve_object(clean_scene):
    clean_scene.frame_end = 2
    clean_scene.tendril.substeps = 2
    rope = scenes.rod(points=((0, 0, 0), (1, 0, 0)))
    rope.tendril.rod.end.hold = "PINNED"
    scenes.linear_keys(rope, "location", [(1, (0, 0, 0)), (2, (0, 0, 2))])
    rod = drawn(clean_scene)
    assert rod.end.motion.positions == near(np.array([(1, 0, z) for z in range(3)]), abs=1e-6)
    assert rod.start.motion is None


def test_driven_by_a_driver(clean_scene):
    clean_scene.frame_end = 3
    clean_scene.tendril.substeps = 1
    box = scenes.body()
    box.tendril.body.kind = "ANIMATED"
    box.driver_add("location", 0).driver.expression = "frame * 2"
    body = read_now(clean_scene).scene.bodies[0]
    assert body.motion.positions[:, 0] == near((2, 4, 6))


def test_constraint_moves_an_animated_body(clean_scene):
    clean_scene.frame_end = 2
    clean_scene.tendril.substeps = 1
    hand, box = scenes.empty(), scenes.body()
    box.tendril.body.kind = "ANIMATED"
    box.constraints.new("COPY_LOCATION").target = hand
    scenes.linear_keys(hand, "location", [(1, (0, 0, 0)), (2, (0, 7, 0))])
    body = read_now(clean_scene).scene.bodies[0]
    assert body.motion.positions[:, 1] == near((0, 7))


def test_nothing_animated_moves_no_frame(clean_scene):
    scenes.body()
    frames = []
    handler = frames.append
    bpy.app.handlers.frame_change_post.append(handler)
    try:
        read_now(clean_scene)
    finally:
        bpy.app.handlers.frame_change_post.remove(handler)
    assert len(frames) <= 2  # to the first frame, and back


def test_reading_can_be_stopped(clean_scene):
    box = scenes.body()
    box.tendril.body.kind = "ANIMATED"
    scenes.linear_keys(box, "location", [(1, (0, 0, 0)), (24, (0, 0, 8))])
    clean_scene.frame_set(9)
    progress = read(clean_scene)
    fractions = [next(progress)[0] for _ in range(5)]
    assert fractions == sorted(fractions) and 0.0 < fractions[-1] < 0.5
    progress.close()
    assert clean_scene.frame_current == 9


def test_solver_takes_what_is_read(clean_scene):
    validate = pytest.importorskip("bl_ext.user_default.tendril.solver.validate")
    box, rope = scenes.body(), scenes.rod(points=((0, 0, 2), (1, 0, 1), (0.5, 0, 0.5)), kind="BEZIER")
    rope.tendril.rod.end.hold, rope.tendril.rod.end.attach_to = "PINNED", box
    rope.tendril.rod.start.hold = "CLAMPED"
    scenes.linear_keys(rope, "location", [(1, (0, 0, 0)), (24, (0, 0, 1))])
    scenes.joint("Hinge", box, scenes.body("Other", (2, 0, 0)))
    validate.validated(read_now(clean_scene).scene)


# Rotations


def test_quaternions_of_any_turn():
    for angles in np.random.default_rng(3).uniform(-4, 4, size=(50, 3)):
        matrix = Euler(angles).to_matrix()
        q = space.quaternion(np.array(matrix))
        assert abs(Quaternion(q).dot(matrix.to_quaternion())) == near(1.0, abs=1e-6)
        assert space.rotation_matrix(q) == near(np.array(matrix), abs=1e-6)


def test_mirror_is_no_shear():
    matrix = Matrix.LocRotScale(Vector((1, 2, 3)), Euler((1, 2, 3)), Vector((-1, 2, 0.5)))
    assert not space.is_sheared(np.array(matrix))
    assert space.is_uneven(np.array(matrix))
    assert np.linalg.det(space.rotation_part(np.array(matrix))) == near(1.0)
    slanted = np.eye(4)
    slanted[0, 1] = 0.1
    assert space.is_sheared(slanted)
