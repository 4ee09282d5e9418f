"""What each joint type leaves free, against closed forms; shafts through universal and constant velocity joints."""

from dataclasses import replace

import numpy as np
import pytest
from jointed import read, row, settings
from pair import matrix, multiply, quaternion_exp

from tendril.solver import Joint, Motion, Partner, RigidBody, Scene, Simulation

LEANING = quaternion_exp([0.3, -0.5, 0.2])


def free_body(kind, rotation=LEANING, frames=25, gravity=9.81, **joint_options):
    """A body of equal moments, spinning about the joint's z axis, at the origin of a leaning joint to the world."""
    body = RigidBody("body", rotation=rotation, mass=2.0, inertia=(0.1,) * 3, angular_velocity=(0.0, 0.0, 4.0))
    joint = Joint("joint", kind, body_2=Partner("body"), rotation=rotation, **joint_options)
    return Simulation(Scene((body,), joints=(joint,), settings=settings(frames=frames, gravity=gravity)))


def fallen(simulation):
    """How far something at rest has fallen after n substeps of backward Euler, along each axis of the joint."""
    step, n = simulation.scene.settings.time_step, simulation.index * simulation.scene.settings.substeps
    axes = matrix(simulation.scene.joints[0].rotation)
    return axes.T @ simulation.scene.settings.gravity * step**2 * n * (n + 1) / 2


def test_cylinder_slides_and_turns():
    simulation = free_body("cylindrical")
    for _ in simulation.frames():
        values = read(simulation)
        np.testing.assert_allclose(values.place, [0.0, 0.0, fallen(simulation)[2]], atol=1e-9)
        assert values.twist == pytest.approx(4.0 * simulation.time, abs=1e-9) and values.swing < 1e-9


def test_plane_is_a_slope_without_friction():
    simulation = free_body("planar")
    for _ in simulation.frames():
        values = read(simulation)
        np.testing.assert_allclose(values.place, [*fallen(simulation)[:2], 0.0], atol=1e-9)
        assert values.twist == pytest.approx(4.0 * simulation.time, abs=1e-9) and values.swing < 1e-9


def test_plane_moves_with_its_first_body():
    """The plane is that of body 1: an animated tray that tips over takes along what lies on it."""
    simulation = free_body("planar", gravity=0.0)
    scene = simulation.scene
    count = scene.settings.sample_count
    turns = np.array([quaternion_exp([0.0, 0.8 * i / count, 0.0]) for i in range(count)])
    tray = RigidBody("tray", kind="animated", motion=Motion(np.zeros((count, 3)), turns))
    joint = replace(scene.joints[0], body_1=Partner("tray"), damping=row(0, 1.0) + row(1, 1.0))
    simulation = Simulation(replace(scene, bodies=(*scene.bodies, tray), joints=(joint,)))
    for frame in simulation.frames():
        normal = matrix(frame.rotations[simulation.bodies["tray"]]) @ matrix(LEANING)[:, 2]
        assert normal @ frame.positions[simulation.bodies["body"]] == pytest.approx(0.0, abs=1e-5)
        assert read(simulation).swing < 1e-4


TO_X = quaternion_exp([0.0, np.pi / 2, 0.0])  # a hinge's frame whose z axis is x of the world


def cardan(bend, speed=6.0, frames=49):
    """A shaft along x, turned by a motor, and another bent by ``bend`` about z, joined by a universal joint."""
    across = quaternion_exp([0.0, 0.0, bend])
    ends = np.array([-0.5, 0.0, 0.0]), matrix(across) @ [0.5, 0.0, 0.0]
    bodies = tuple(
        RigidBody(name, position=end, mass=1.0, inertia=(0.02,) * 3)
        for name, end in zip(("in", "out"), ends, strict=True)
    )
    joints = (
        Joint("drive", "revolute", Partner(), Partner("in"), ends[0], TO_X, speed=row(5, speed, np.inf)),
        Joint("bearing", "revolute", Partner(), Partner("out"), ends[1], multiply(across, TO_X)),
        Joint("cross", "universal", Partner("in"), Partner("out")),
    )
    setting = settings(frames=frames, gravity=0.0, substeps=40, iterations=4)
    return Simulation(Scene(bodies, joints=joints, settings=setting))


@pytest.mark.parametrize("degrees", [0.0, 20.0, 45.0, 70.0])
def test_universal_joint_is_hookes(degrees):
    """tan θ₂ = tan θ₁ / cos β and ω₂/ω₁ = cos β / (1 − sin²β cos²θ₁), over two turns."""
    bend = np.radians(degrees)
    simulation = cardan(bend)
    angles = np.array([[read(simulation, index).twist for index in (0, 1)] for _ in simulation.frames()])
    one, two = angles.T
    assert one[-1] > 11.9
    expected = np.unwrap(np.arctan2(np.sin(one), np.cos(bend) * np.cos(one)))
    np.testing.assert_allclose(two, expected, atol=1e-6)
    simulation = cardan(bend, speed=0.4, frames=97)
    half = 0.5 * 0.4 * simulation.scene.settings.time_step  # ω is that of the middle of a substep
    for frame in simulation.frames():
        if frame.index:
            theta = read(simulation).twist - half
            ratio = np.cos(bend) / (1.0 - np.sin(bend) ** 2 * np.cos(theta) ** 2)
            w = simulation.state.w.reshape(-1, 3)
            found = np.linalg.norm(w[simulation.bodies["out"]]) / np.linalg.norm(w[simulation.bodies["in"]])
            assert found == pytest.approx(ratio, rel=1e-4)


@pytest.mark.parametrize("degrees", [20.0, 70.0])
def test_constant_velocity_joint_turns_evenly(degrees):
    """A motor turns a shaft along z while the bearing of the second one swings away, and on: θ₂ = θ₁ throughout."""
    setting = settings(frames=49, gravity=0.0, substeps=40, iterations=4)
    bend = np.radians(degrees) * np.minimum(np.arange(setting.sample_count) / 800.0, 1.0)
    turns = np.array([quaternion_exp([0.6 * angle, -0.8 * angle, 0.0]) for angle in bend])
    bearing = RigidBody("bearing", kind="animated", motion=Motion(np.zeros_like(turns[:, 1:]), turns))
    ends = np.array([0.0, 0.0, -0.5]), np.array([0.0, 0.0, 0.5])
    bodies = tuple(
        RigidBody(name, position=end, mass=1.0, inertia=(0.02,) * 3)
        for name, end in zip(("in", "out"), ends, strict=True)
    )
    joints = (
        Joint("drive", "revolute", Partner(), Partner("in"), ends[0], speed=row(5, 6.0, np.inf)),
        Joint("held", "revolute", Partner("bearing"), Partner("out"), ends[1]),
        Joint("joint", "constant_velocity", Partner("in"), Partner("out")),
    )
    simulation = Simulation(Scene((*bodies, bearing), joints=joints, settings=setting))
    for _ in simulation.frames():
        assert read(simulation, 1).twist == pytest.approx(read(simulation, 0).twist, abs=1e-6)
    assert read(simulation, 0).twist > 11.9 and read(simulation, 2).swing == pytest.approx(bend[-1], abs=1e-6)


def test_pins_of_a_universal_joint_stay_square():
    """A body thrown about on a universal joint: its z axis stays square to the world's y, and angles are as read."""
    simulation = free_body("universal", rotation=np.array([1.0, 0.0, 0.0, 0.0]), frames=49)
    body = simulation.scene.bodies[0]
    body = replace(body, position=np.array([0.3, 0.0, -0.2]), angular_velocity=np.array([0.0, 5.0, 3.0]))
    simulation = Simulation(replace(simulation.scene, bodies=(body,)))
    tilts = []
    for frame in simulation.frames():
        pin = matrix(frame.rotations[simulation.bodies["body"]])[:, 2]
        assert pin[1] == pytest.approx(0.0, abs=1e-5)
        tilts.append(np.arctan2(pin[0], pin[2]))
        np.testing.assert_allclose(read(simulation).place, 0.0, atol=1e-5)
    assert np.ptp(np.unwrap(tilts)) > 2.0


SAME = {
    "fixed": (1, 1, 1, 1, 1, 1),
    "revolute": (1, 1, 1, 1, 1, 0),
    "prismatic": (1, 1, 0, 1, 1, 1),
    "cylindrical": (1, 1, 0, 1, 1, 0),
    "planar": (0, 0, 1, 1, 1, 0),
    "universal": (1, 1, 1, 1, 0, 0),
    "constant_velocity": (1, 1, 1, 0, 0, 1),
    "spherical": (1, 1, 1, 0, 0, 0),
}


@pytest.mark.parametrize("kind", SAME)
def test_generic_joint_is_any_other(kind):
    """With the locks of another type it moves as that one, to the last bit."""
    body = RigidBody("body", position=(0.3, 0.2, -0.4), mass=2.0, inertia=(0.1, 0.12, 0.2), angular_velocity=(1, 2, 3))
    joint = Joint("joint", kind, body_2=Partner("body"), rotation=LEANING)
    scene = Scene((body,), joints=(joint,), settings=settings(frames=25))
    generic = replace(joint, kind="generic", locked=np.array(SAME[kind], dtype=float))
    for one, two in zip(
        Simulation(scene).frames(), Simulation(replace(scene, joints=(generic,))).frames(), strict=True
    ):
        np.testing.assert_array_equal(one.positions, two.positions)
        np.testing.assert_array_equal(one.rotations, two.rotations)


def test_generic_joint_as_a_mount_on_springs():
    """All six free and sprung: six oscillators of backward Euler, Re(1 + iωΔt)⁻ⁿ, as a body on rubber mounts."""
    stiffness = np.array([80.0, 120.0, 200.0, 3.0, 4.0, 5.0])
    start = np.array([0.02, -0.03, 0.01])
    body = RigidBody("engine", mass=2.0, inertia=(0.1, 0.12, 0.2))
    joint = Joint("mount", "generic", body_2=Partner("engine"), stiffness=stiffness, target=np.r_[start, 0, 0, 0.2])
    scene = Scene((body,), joints=(joint,), settings=settings(frames=25, gravity=0.0))
    simulation = Simulation(scene)
    step = scene.settings.time_step
    for frame in simulation.frames():
        n = frame.index * scene.settings.substeps
        decay = ((1.0 / (1.0 + 1j * np.sqrt(stiffness / [2, 2, 2, 0.1, 0.12, 0.2]) * step)) ** n).real
        values = read(simulation)
        np.testing.assert_allclose(values.place, start * (1.0 - decay[:3]), atol=1e-9)
        assert values.twist == pytest.approx(0.2 * (1.0 - decay[5]), abs=1e-9)


def test_limits_of_a_generic_joint():
    """A box that may lean a little about x, slide up and down and do nothing else comes to rest at both limits."""
    body = RigidBody("body", position=(0.0, 0.3, 0.0), mass=1.0, inertia=(0.05,) * 3, angular_damping=2.0)
    locked, lower = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 1.0]), np.full(6, -np.inf)
    lower[[2, 3]] = -0.1, -0.5
    joint = Joint("joint", "generic", body_2=Partner("body"), locked=locked, lower=lower)
    simulation = Simulation(Scene((body,), joints=(joint,), settings=settings(frames=73, iterations=2)))
    *_, _ = simulation.frames()
    values = read(simulation)
    np.testing.assert_allclose(values.place, [0.0, 0.0, -0.1], atol=1e-5)
    np.testing.assert_allclose(values.turn, [-0.5, 0.0, 0.0], atol=1e-5)
