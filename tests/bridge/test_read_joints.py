"""Empties become joints: frames, partners, limits, motors, and numbers that take keys."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scenes

from bl_ext.user_default.tendril.bridge import space
from bl_ext.user_default.tendril.bridge.read import read_now

near = pytest.approx


def test_joint_frame_and_partners(clean_scene):
    box, rope = scenes.body(), scenes.rod(points=((0, 0, 0), (2, 0, 0)))
    hinge = scenes.joint("Hinge", box, rope, location=(1.98, 0, 0))
    hinge.rotation_euler, hinge.scale = (math.pi / 2, 0, 0), (3, 3, -3)
    (joint,) = read_now(clean_scene).scene.joints
    assert (joint.kind, joint.body_1.name, joint.body_2.name, joint.body_2.end) == ("revolute", "Box", "Rope", "end")
    assert joint.position == near((1.98, 0, 0))
    axes = space.rotation_matrix(joint.rotation)
    assert np.linalg.det(axes) == near(1.0)
    assert axes[:, 2] == near((0, 1, 0), abs=1e-6)  # the mirrored z axis of the empty itself


def test_limits_of_a_ball(clean_scene):
    settings = scenes.joint("Ball", scenes.body(), kind="SPHERICAL").tendril.joint
    settings.use_swing_limits, settings.swing_limit = True, 0.5
    settings.use_twist_limits, settings.twist_lower, settings.twist_upper = True, -0.2, 0.3
    settings.use_angle_limits = True  # of a hinge: means nothing here
    (joint,) = read_now(clean_scene).scene.joints
    assert joint.swing_limit == near(0.5)
    assert (joint.lower[5], joint.upper[5]) == near((-0.2, 0.3))
    assert not np.isfinite(joint.lower[:5]).any()


def test_keyed_target(clean_scene):
    clean_scene.frame_end = 3
    clean_scene.tendril.substeps = 2
    arm = scenes.joint("Arm", scenes.body(), kind="PRISMATIC")
    arm.tendril.joint.use_travel_target = True
    scenes.linear_keys(arm, "tendril.joint.travel_target", [(1, 0.0), (3, 4.0)])
    (joint,) = read_now(clean_scene).scene.joints
    assert joint.target.shape == (5, 6)
    assert joint.target[:, 2] == near(np.arange(5.0), abs=1e-5)
    assert joint.stiffness[2] == near(1000.0)


def test_motor(clean_scene):
    """Speeds are in Blender's units, torques and forces in SI, and the most that is done is that of the target, too."""
    clean_scene.unit_settings.scale_length = 0.01
    settings = scenes.joint("Bolt", scenes.body(), kind="CYLINDRICAL").tendril.joint
    settings.use_angle_motor, settings.angle_speed = True, 3.0
    settings.use_travel_motor, settings.travel_speed = True, -20.0
    settings.use_travel_maximum, settings.travel_maximum = True, 50.0
    (joint,) = read_now(clean_scene).scene.joints
    assert (joint.speed[2], joint.speed[5], joint.maximum[2]) == near((-0.2, 3.0, 50.0))
    assert np.isinf(joint.speed[[0, 1, 3, 4]]).all() and np.isinf(joint.maximum[[0, 1, 3, 4, 5]]).all()
    settings.use_travel_motor, settings.use_travel_target = False, True
    (joint,) = read_now(clean_scene).scene.joints
    assert np.isinf(joint.speed[2]) and joint.maximum[2] == near(50.0) and joint.stiffness[2] == near(1000.0)


def test_keyed_speed(clean_scene):
    """A speed that takes keys is sampled; the motor that is turned off is not."""
    clean_scene.frame_end = 3
    clean_scene.tendril.substeps = 2
    fan = scenes.joint("Fan", scenes.body())
    fan.tendril.joint.use_angle_motor = True
    scenes.linear_keys(fan, "tendril.joint.angle_speed", [(1, 0.0), (3, 4.0)])
    (joint,) = read_now(clean_scene).scene.joints
    assert joint.speed.shape == (5, 6) and joint.target.shape == (6,)
    assert joint.speed[:, 5] == near(np.arange(5.0), abs=1e-5) and np.isinf(joint.speed[:, :5]).all()
    fan.tendril.joint.use_angle_motor = False
    (joint,) = read_now(clean_scene).scene.joints
    assert joint.speed.shape == (6,)


def test_generic_joint(clean_scene):
    """What is locked has neither limits nor drives, whatever is set there."""
    settings = scenes.joint("Any", scenes.body(), kind="GENERIC").tendril.joint
    settings.use_tilt_limits = settings.use_tilt_target = settings.use_tilt_motor = True
    (joint,) = read_now(clean_scene).scene.joints
    assert joint.locked.tolist() == [1.0] * 6 and np.isinf(joint.speed).all()
    settings.lock_tilt = settings.lock_slide_x = settings.use_tilt_target = False
    (joint,) = read_now(clean_scene).scene.joints
    assert joint.locked.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0, 1.0]
    assert (joint.lower[4], joint.upper[4], joint.speed[4]) == near((-np.pi / 4, np.pi / 4, 2 * np.pi))
