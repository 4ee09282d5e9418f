"""The example scenes, built and baked as an artist does it; what is measured is the animation that Blender plays."""

from __future__ import annotations

import runpy
from math import radians
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("hanging_sign", "triple_pendulum", "spring_toy", "robot_arm")
APART = 1.0e-4  # m, between what a joint holds together
STRETCH = 0.005  # of a rod's length


@pytest.fixture
def example(clean_scene):
    """A function that builds an example and finds nothing wrong with it."""

    def build(name):
        module = SimpleNamespace(**runpy.run_path(str(EXAMPLES / f"{name}.py")))
        module.build()
        assert bpy.ops.tendril.check() == {"FINISHED"}
        assert [(problem.object_name, problem.sentence) for problem in clean_scene.tendril.problems] == []
        return module

    return build


def bake(last=None):
    """Bake the scene of the context to its end or to frame ``last``; return the frames."""
    scene = bpy.context.scene
    scene.frame_end = last or scene.frame_end
    assert bpy.ops.tendril.bake() == {"FINISHED"}
    return range(scene.frame_start, scene.frame_end + 1)


def played(frames, *names):
    """Play ``frames``; return world matrices (n, 4, 4) of objects, and center lines (n, points, 3) of curves."""
    scene = bpy.context.scene
    objects = [scene.objects[name] for name in names]
    for ob in objects:
        if ob.type == "CURVE":
            ob.data.bevel_depth = 0.0  # then its mesh is the center line
    found = {name: [] for name in names}
    for frame in frames:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for ob in objects:
            evaluated = ob.evaluated_get(depsgraph)
            found[ob.name].append(center_line(evaluated) if ob.type == "CURVE" else np.array(evaluated.matrix_world))
    return [np.array(found[name]) for name in names]


def center_line(evaluated):
    """The vertices of an evaluated curve in the world."""
    mesh = evaluated.to_mesh()
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", points)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def carried(matrices, point):
    """Where a body carries a point of the world's at the first frame: (n, 3)."""
    local = np.linalg.inv(matrices[0]) @ [*point, 1.0]
    return (matrices @ local)[:, :3]


def distance(one, other):
    """The largest distance between two paths."""
    return np.linalg.norm(np.asarray(one) - np.asarray(other), axis=-1).max()


def assert_rope(lines, stretch=STRETCH):
    """A rod keeps its length and does not kink from one point to the next."""
    steps = np.diff(lines, axis=1)
    lengths = np.linalg.norm(steps, axis=2).sum(axis=1)
    assert abs(lengths / lengths[0] - 1.0).max() < stretch
    directions = steps / np.linalg.norm(steps, axis=2, keepdims=True)
    assert np.einsum("nki,nki->nk", directions[:, 1:], directions[:, :-1]).min() > np.cos(radians(30.0))


def ring_directions(frames, name):
    """Where the first vertex of every bevel ring lies, (n, rings, 3), at whole and half frames."""
    scene = bpy.context.scene
    ob = scene.objects[name]
    ob.data.use_fill_caps = False
    found = []
    for half in range(2 * frames[0], 2 * frames[-1] + 1):
        scene.frame_set(half // 2, subframe=half % 2 / 2)
        rings = center_line(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()))
        rings = rings.reshape(-1, 4 + 2 * ob.data.bevel_resolution, 3)
        found.append(rings[:, 0] - rings.mean(axis=1))
    found = np.array(found)
    return found / np.linalg.norm(found, axis=2, keepdims=True)


def turned_about(matrices, others, axis):
    """The angles (n,) by which ``others`` turn against ``matrices`` about ``axis``, the world's at the first frame."""
    relative = np.linalg.inv(matrices) @ others
    turn = relative[:, :3, :3] @ relative[0, :3, :3].T
    own = matrices[0, :3, :3].T @ axis
    skew = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], 1)
    return np.arctan2(skew @ own, np.trace(turn, axis1=1, axis2=2) - 1.0)


def test_hanging_sign(example):
    module = example("hanging_sign")
    sides = {"Left": -module.SPREAD, "Right": module.SPREAD}
    lines = [f"{side} {part}" for side in sides for part in ("Rope", "Tail")]
    board, head, *lines = played(bake(), "Board", "Suzanne", *lines)
    ropes, tails = lines[0::2], lines[1::2]
    for x, rope, tail in zip(sides.values(), ropes, tails):
        assert distance(rope[:, 0], (x, 0.0, module.BEAM)) < APART
        assert distance(rope[:, -1], carried(board, (x, 0.0, module.TOP))) < APART
        assert distance(tail[:, 0], carried(board, (x, 0.0, module.TOP - module.BOARD[2]))) < APART
        assert_rope(rope)
        assert_rope(tail)
    glued = np.linalg.inv(board) @ head
    assert abs(glued - glued[0]).max() < APART
    assert np.ptp(board[:, 1, 3]) > 0.5  # it swings


def test_bevel_turns_smoothly_between_frames(example):
    example("hanging_sign")
    ring = ring_directions(bake(30), "Left Rope")
    assert np.einsum("nri,nri->nr", ring[1:], ring[:-1]).min() > np.cos(radians(10.0))


def test_triple_pendulum(example):
    module = example("triple_pendulum")
    bars = played(bake(), "Bar 1", "Bar 2", "Bar 3")
    along = np.array([np.sin(module.ANGLE), 0.0, -np.cos(module.ANGLE)])
    hinges = [np.array(module.PIVOT) + along * module.LENGTH * i + [0.0, -module.LAYER * i, 0.0] for i in range(3)]
    assert distance(carried(bars[0], hinges[0]), hinges[0]) < APART
    for i in (1, 2):
        assert distance(carried(bars[i - 1], hinges[i]), carried(bars[i], hinges[i])) < APART
    for bar, hinge in zip(bars, hinges):
        tip = carried(bar, hinge + along * module.LENGTH) - carried(bar, hinge)
        assert np.linalg.norm(tip, axis=1) == pytest.approx(module.LENGTH, abs=APART)
        assert abs(bar[:, 1, 3] - bar[0, 1, 3]).max() < APART  # in its plane
    heights = sum(bar[:, 2, 3] for bar in bars)
    assert heights.max() < heights[0] + APART  # no energy from nowhere
    assert np.ptp(bars[2][:, 0, 3]) > 2.0


def test_spring_toy(example):
    module = example("spring_toy")
    bottom = module.coil(1.0)
    spring, bird = played(bake(60), "Spring", "Bird")
    assert distance(spring[:, 0], module.coil(0.0)) < APART
    assert distance(spring[:, -1], carried(bird, bottom)) < APART
    assert_rope(spring)
    drop = bird[0, 2, 3] - bird[:, 2, 3]
    low, high = drop[:30].argmax(), drop[15:40].argmin() + 15
    lower = drop[40:].argmax() + 40  # high and low again, each a little less far from where it would hang
    sag, period = hanging_spring(spring[0], module.WIRE)
    assert (drop[low] + 2.0 * drop[high] + drop[lower]) / 4.0 == pytest.approx(sag, rel=0.06)
    assert (lower - low) / 24.0 == pytest.approx(period, rel=0.06)


def hanging_spring(line, radius):
    """How far the bird pulls the coil down at rest, m, and the period of its bouncing, s.

    The wire is twisted by force times distance from the axis: 1/k = ∫ r² ds / (G J). A third of a spring's own mass
    moves with the weight.
    """
    settings, body = bpy.data.objects["Spring"].tendril.rod, bpy.data.objects["Bird"].tendril.body
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    arms = np.linalg.norm((line[1:] + line[:-1])[:, :2] / 2.0, axis=1)
    torsion = 1.0e6 * settings.stiffness / (2.0 * (1.0 + settings.poisson_ratio)) * np.pi * radius**4 / 2.0
    give = arms**2 * steps / torsion
    wire = settings.density * np.pi * radius**2 * steps
    bird = body.density * 4.0 / 3.0 * np.pi * 0.075**3 * 1.15
    carried_mass = bird + wire[::-1].cumsum()[::-1]
    return 9.81 * (give * carried_mass).sum(), 2.0 * np.pi * np.sqrt((bird + wire.sum() / 3.0) * give.sum())


def test_robot_arm(example):
    module = example("robot_arm")
    frames = bake()
    base, turret, sleeve, slide, weight, rope = played(
        frames, "Base", "Turret", "Sleeve", "Slide", "Weight", "Rope")
    angle = np.degrees(turned_about(base, turret, (0.0, 0.0, 1.0)))
    lift = np.degrees(turned_about(turret, sleeve, (0.0, 1.0, 0.0)))
    travel = (np.linalg.inv(sleeve) @ slide)[:, 0, 3]
    assert angle[-1] == pytest.approx(np.degrees(module.TURN[-1][1]), abs=0.5)
    assert lift[-1] == pytest.approx(np.degrees(module.LIFT[-1][1]), abs=0.5)
    assert travel[-1] - travel[0] == pytest.approx(module.SLIDE[-1][1], abs=0.005)
    at = [frames.index(frame) for frame, _ in module.LIFT]
    assert lift[at[3]] == pytest.approx(np.degrees(module.LIFT[3][1]), abs=1.0)
    gripper = (module.REACH, 0.0, module.SHOULDER - 0.07)
    assert distance(rope[:, 0], carried(slide, gripper)) < APART
    assert distance(rope[:, -1], carried(weight, (gripper[0], 0.0, gripper[2] - module.ROPE))) < APART
    assert_rope(rope)
    axis = carried(turret, (0.0, 0.0, module.SHOULDER))
    assert distance(axis, carried(sleeve, (0.0, 0.0, module.SHOULDER))) < APART
