"""What is moved by keys: bodies and held ends go where their samples say, and what hangs on them follows."""

import numpy as np
import pytest
from dense import conjugate, quaternion_exp, quaternion_log, quaternion_product

from tendril.solver import Joint, Material, Motion, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation
from tendril.solver.orientation import matrix_from_quaternion

SETTINGS = Settings(frame_duration=1.0 / 24.0, frame_count=13, substeps=10)
DOWN = np.array([0.0, 0.0, 1.0, 0.0])  # the frame of a rod that hangs


def path(turn=(0.0, 0.0, 0.0), start=(0.0, 0.0, 0.0), rotation=(1.0, 0.0, 0.0, 0.0)):
    """A smooth way, and a rotation about a fixed axis on top of ``rotation``."""
    t = np.arange(SETTINGS.sample_count)[:, None] * SETTINGS.time_step
    places = np.array(start) + np.concatenate([np.sin(4 * t), 0.5 * t, 0.2 - 0.2 * np.cos(6 * t)], axis=1)
    return Motion(places, quaternion_product(quaternion_exp(t * np.array(turn)), np.array(rotation, float)))


def turn_between(a, b):
    return np.linalg.norm(quaternion_log(quaternion_product(conjugate(a), b)), axis=-1)


def sample(motion, frame):
    return motion.positions[frame.index * SETTINGS.substeps], motion.rotations[frame.index * SETTINGS.substeps]


def test_animated_bodies_follow_and_static_ones_stay():
    motion = path((0.0, 3.0, 1.0))
    bodies = (
        RigidBody("moved", kind="animated", motion=motion),
        RigidBody("still", (1.0, 2.0, 3.0), (0.6, 0.8, 0.0, 0.0), kind="static"),
    )
    simulation = Simulation(Scene(bodies, settings=SETTINGS))
    for frame in simulation.frames():
        place, turn = sample(motion, frame)
        np.testing.assert_allclose(frame.positions[1], place, atol=1e-15)
        assert turn_between(frame.rotations[1], turn) < 1e-7
        np.testing.assert_array_equal(frame.positions[2], [1.0, 2.0, 3.0])
        np.testing.assert_array_equal(frame.rotations[2], [0.6, 0.8, 0.0, 0.0])
    energy, (linear, angular) = simulation.energy(), simulation.momentum()
    assert energy.total == 0.0, "what is moved by keys has no mass"
    assert not linear.any() and not angular.any()


@pytest.mark.parametrize("kind", ["fixed", "revolute", "spherical", "prismatic"])
def test_joints_of_one_moved_body_in_several_islands(kind):
    """Each joint sees the body where it is at its own substep; a fixed body keeps its place in the moved frame."""
    motion = path((0.0, 0.0, 2.0))
    bodies = (RigidBody("moved", kind="animated", motion=motion),) + tuple(
        RigidBody(f"body {i}", (0.0, 0.4 * i - 0.4, -0.5), mass=1.0, inertia=(0.1, 0.1, 0.05)) for i in range(3)
    )
    joints = tuple(
        Joint(f"joint {i}", kind, Partner("moved"), Partner(f"body {i}"), position=(0, 0.4 * i - 0.4, -0.2))
        for i in range(3)
    )
    simulation = Simulation(Scene(bodies, joints=joints, settings=SETTINGS))
    assert len(simulation.model.islands) == 4
    assert len(simulation.frame().positions) == 5, "helping nodes are nobody's business"
    for frame in simulation.frames():
        assert simulation.residuals().constraint < 2e-4
        if kind == "fixed":
            place, turn = sample(motion, frame)
            angle = 2.0 * frame.index * SETTINGS.frame_duration
            c, s = np.cos(angle), np.sin(angle)
            for i in range(3):
                y = 0.4 * i - 0.4
                np.testing.assert_allclose(frame.positions[2 + i], place + [-s * y, c * y, -0.5], atol=2e-4)
                assert turn_between(frame.rotations[2 + i], turn) < 1e-4


@pytest.mark.parametrize("hold", ["pinned", "clamped"])
@pytest.mark.parametrize("both", [False, True])
def test_held_ends_follow(hold, both):
    first, last = path((0.0, 0.0, 4.0), rotation=DOWN), path((0.0, 0.0, 4.0), (0.0, 0.0, -0.8), DOWN)
    rod = Rod(
        "rod", [[0, 0, 0], [0, 0, -0.8]], elements=4, order=3, radius=0.02, material=Material(1e6, 0.3, 1000.0),
        start=RodEnd(hold, first), end=RodEnd(hold, last) if both else RodEnd(),
    )  # fmt: skip
    simulation = Simulation(Scene(rods=(rod,), settings=SETTINGS))
    nodes = simulation.rods["rod"]
    for frame in simulation.frames():
        for node, motion in ((nodes.start, first), (nodes.stop - 1, last))[: 1 + both]:
            place, turn = sample(motion, frame)
            np.testing.assert_allclose(frame.positions[node], place, atol=1e-15)
            if hold == "clamped":
                assert turn_between(frame.rotations[node], turn) < 1e-7
    if hold == "pinned":
        assert turn_between(frame.rotations[nodes.start], first.rotations[-1]) > 0.1, (
            "a pin does not turn with its keys"
        )


def test_a_body_on_the_moved_end_of_a_rod():
    motion = path(rotation=DOWN)
    rod = Rod("rod", [[0, 0, 0], [0, 0, -0.8]], elements=3, order=2, radius=0.02, start=RodEnd("clamped", motion))
    body = RigidBody("body", (0.3, 0, 0), mass=2.0, inertia=(0.1, 0.1, 0.1))
    joint = Joint("joint", "fixed", Partner("rod", "start"), Partner("body"), position=(0.1, 0, 0))
    simulation = Simulation(Scene((body,), (rod,), (joint,), SETTINGS))
    for frame in simulation.frames():
        np.testing.assert_allclose(frame.positions[1], sample(motion, frame)[0] + [0.3, 0, 0], atol=1e-9)


def test_a_rod_that_turns_evenly_is_stretched_by_the_centrifugal_force_alone():
    """Stretch ρ ω² L³/(3 E) to first order: 3.3e-5, and no bending."""
    time, turn = np.arange(4001) * 1e-3, np.sqrt([0.5, 0, 0.5, 0])
    turns = quaternion_product(quaternion_exp(time[:, None] * np.array([0.0, 0.0, 1.0])), turn)
    rod = Rod(
        "rod",
        [[0, 0, 0], [1, 0, 0]],
        elements=4,
        order=2,
        radius=0.05,
        material=Material(1e7, 0.3, 1000.0),
        start=RodEnd("clamped", Motion(np.zeros((4001, 3)), turns)),
    )
    settings = Settings(gravity=(0, 0, 0), frame_duration=0.1, frame_count=41, substeps=100)
    simulation = Simulation(Scene(rods=(rod,), settings=settings))
    state, node = simulation.state, simulation.rods["rod"].stop - 1
    state.v.reshape(-1, 3)[1:] = np.cross([0.0, 0.0, 1.0], state.x.reshape(-1, 3)[1:])
    state.w.reshape(-1, 3)[1:] = matrix_from_quaternion(turn).T @ [0.0, 0.0, 1.0]
    tip = list(simulation.frames())[-1].positions[node]
    assert np.linalg.norm(tip) == pytest.approx(1.0 + 1000.0 / 3e7, abs=2e-6)
    assert np.arctan2(tip[1], tip[0]) == pytest.approx(4.0 - 2 * np.pi, abs=1e-3)
