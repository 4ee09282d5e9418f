"""The bevel between frames, where motion blur looks: a rope that hangs along its object's Z axis keeps still there."""

from __future__ import annotations

import numpy as np
import pytest
import scenes
import scripted
from test_baked_curve import FORMS, degrees, drawn_line, with_profile

ELEMENTS, ORDER = 3, 3
SUBFRAMES = (0.0, 0.1, 0.25, 0.375, 0.5, 0.6, 0.77, 0.9)


def pendulum(count, aside, sweep=(-0.31, 0.35)):
    """A straight rope that swings through the vertical, ``aside`` of it at the nearest; d1 is across the swing."""
    nodes = ELEMENTS * ORDER + 1
    length = np.linspace(0.0, 1.0, nodes)
    positions, rotations = [], []
    for angle in np.linspace(*sweep, count):
        down = np.array([np.sin(angle), aside, -np.cos(angle)])
        down /= np.linalg.norm(down)
        positions.append(length[:, None] * down)
        d1 = np.array([0.0, 1.0, 0.0]) - down[1] * down
        d1 /= np.linalg.norm(d1)
        frame = np.stack([d1, np.cross(down, d1), down], axis=1)
        rotations.append(np.tile(scripted.Matrix(frame.tolist()).to_quaternion()[:], (nodes, 1)))
    return np.array(positions), np.array(rotations)


def worst_between(scene, ob, path, frames):
    """Return the largest angle, degrees, between the bevel's +x and d1 at control points, within frames too."""
    worst = 0.0
    for frame in frames:
        for part in SUBFRAMES:
            scene.frame_set(1 + frame, subframe=part)
            rings = drawn_line(ob).reshape(-1, 3, 3)
            place = (1.0 - part) * path[0][frame] + part * path[0][frame + 1]
            for point in range(ELEMENTS + 1):
                corner = rings[point * 12][0] - place[point * ORDER]
                worst = max(worst, degrees(np.array([0.0, 1.0, 0.0]), corner))
    return worst


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ["MINIMUM", "Z_UP"])
@pytest.mark.parametrize("aside", [0.0, 0.002, 0.02])
def test_swinging_through_the_vertical(clean_scene, aside, mode, form):
    ob = scenes.rod("Rope", ((0, 0, 0), (0, 0, -1)), "POLY")
    ob.data.twist_mode = mode
    with_profile(ob)
    path = pendulum(12, aside)
    scripted.written(*scripted.rod_reading(ob, [path], ORDER), form=form)
    assert worst_between(clean_scene, ob, path, range(2, 9)) < 6.0


def test_a_swing_that_is_even_about_the_vertical(clean_scene):
    """Halfway a straight line would be right, and only there."""
    ob = scenes.rod("Rope", ((0, 0, 0), (0, 0, -1)), "POLY")
    with_profile(ob)
    path = pendulum(4, 0.01, (-0.3, 0.3))
    scripted.written(*scripted.rod_reading(ob, [path], ORDER))
    assert worst_between(clean_scene, ob, path, range(3)) < 6.0


@pytest.mark.parametrize("form", FORMS)
def test_keys_between_frames_are_few(clean_scene, form):
    """Only where the rope passes the vertical, and nowhere for one that lies level."""
    ob = scenes.rod("Rope", ((0, 0, 0), (0, 0, -1)), "POLY")
    other = scenes.rod("Level", ((0, 0, 0), (1, 0, 0)), "POLY")
    scripted.written(*scripted.rod_reading(ob, [pendulum(12, 0.0)], ORDER), form=form)
    assert 12 < keys_of(ob) < 40
    assert whole_frames(ob)
    scripted.written(*scripted.rod_reading(other, [pendulum(12, 0.0, (1.2, 1.5))], ORDER), form=form)
    assert keys_of(other) == 12


def test_many_rods_of_one_object_share_their_shapes(clean_scene):
    """Each passes the vertical at another time: still at most two shapes a frame, and every frame has one."""
    ob = scenes.rod("Rope", ((0, 0, 0), (0, 0, -1)), "POLY")
    paths = []
    for number in range(30):
        if number:
            scenes.add_spline(ob.data, ((0, 0, 0), (0, 0, -1)))
        paths.append(pendulum(12, 0.0, (-0.31 + 0.01 * number, 0.35)))
    scripted.written(*scripted.rod_reading(ob, paths, ORDER), form="COMPACT")
    assert 12 < keys_of(ob) <= 24
    assert whole_frames(ob)


def tilt_curve(ob):
    bag = ob.data.animation_data.action.layers[0].strips[0].channelbags[0]
    return bag.fcurves.find("splines[0].bezier_points[1].tilt")


def keys_of(ob):
    if ob.data.shape_keys:
        return len(ob.data.shape_keys.key_blocks) - 1
    return len(tilt_curve(ob).keyframe_points)


def whole_frames(ob):
    """Tell whether every frame of the bake has a key of its own."""
    if ob.data.shape_keys:
        return {str(frame) for frame in range(1, 13)} <= set(ob.data.shape_keys.key_blocks.keys())
    return set(range(1, 13)) <= {point.co[0] for point in tilt_curve(ob).keyframe_points}
