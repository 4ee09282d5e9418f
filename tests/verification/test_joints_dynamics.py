"""Jointed bodies in motion against scipy, against the integrator's own closed forms, and against their limits."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from jointed import read, row, settings
from scipy.integrate import solve_ivp

from tendril.solver import Joint, Partner, RigidBody, Scene, Simulation

LENGTH, MASS, GRAVITY = 0.4, 0.3, 9.81
INERTIA = MASS * LENGTH**2 / 12
TO_MINUS_Y = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])  # a joint frame whose z axis is −y of the world
STILL = np.zeros(3)


def about_y(angle):
    """Turn about −y, so that a rod hanging down −z swings towards +x."""
    return np.array([np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0])


def chain(kind, count, angle, setting):
    """``count`` rods hanging one from the other, all at ``angle`` from straight down."""
    along = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    bodies = [
        RigidBody(
            f"rod {i}",
            position=(i + 0.5) * LENGTH * along,
            rotation=about_y(angle),
            mass=MASS,
            inertia=(INERTIA, INERTIA, 1e-5),
        )
        for i in range(count)
    ]
    joints = [
        Joint(
            f"joint {i}",
            kind,
            body_1=Partner(f"rod {i - 1}" if i else ""),
            body_2=Partner(f"rod {i}"),
            position=i * LENGTH * along,
            rotation=TO_MINUS_Y,
        )
        for i in range(count)
    ]
    return Scene(bodies=tuple(bodies), joints=tuple(joints), settings=setting)


def chain_by_lagrange(count, angle, duration):
    """Angles of the same chain from Lagrange's equations in absolute angles, by a high-order integrator."""
    arm = np.array([[LENGTH if i < k else LENGTH / 2 if i == k else 0.0 for i in range(count)] for k in range(count)])
    coupling, load = MASS * arm.T @ arm, MASS * GRAVITY * arm.sum(axis=0)

    def rate(_, y):
        theta, omega = y[:count], y[count:]
        difference = theta[:, None] - theta[None, :]
        mass = coupling * np.cos(difference) + INERTIA * np.eye(count)
        force = -(coupling * np.sin(difference)) @ omega**2 - load * np.sin(theta)
        return np.concatenate([omega, np.linalg.solve(mass, force)])

    start = np.concatenate([np.full(count, angle), np.zeros(count)])
    return solve_ivp(rate, (0.0, duration), start, method="DOP853", rtol=1e-11, atol=1e-11).y[:count, -1]


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_triple_pendulum_converges_with_order_one(kind):
    """Released at 80°: after half a second the angles are scipy's, with an error that halves with the time step."""
    frames, angle = 13, np.radians(80.0)
    expected = chain_by_lagrange(3, angle, (frames - 1) / 24.0)
    errors = []
    for substeps in (20, 40, 80, 160):
        simulation = Simulation(chain(kind, 3, angle, settings(substeps, frames)))
        *_, frame = simulation.frames()
        axes = frame.rotations[[simulation.bodies[f"rod {i}"] for i in range(3)]]
        found = -2.0 * np.arctan2(axes[:, 2], axes[:, 0])
        difference = (found - expected + np.pi) % (2 * np.pi) - np.pi
        errors.append(np.abs(difference).max())
    ratios = [coarse / fine for coarse, fine in itertools.pairwise(errors)]
    assert errors[-1] < 0.01
    assert all(1.7 < ratio < 2.4 for ratio in ratios), (errors, ratios)


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_anchors_stay_together(kind):
    simulation = Simulation(chain(kind, 3, np.radians(80.0), settings(frames=49)))
    for _ in simulation.frames():
        for index in range(3):
            assert np.abs(read(simulation, index).place).max() < 1e-6


@pytest.mark.parametrize("iterations", [1, 3])
def test_pendulum_stops_at_its_limit(iterations):
    """A rod falling from 80° is caught at 20° and rests there without going through or creeping."""
    scene = chain("revolute", 1, np.radians(80.0), settings(frames=49, iterations=iterations))
    limited = replace(scene.joints[0], lower=row(5, np.radians(-60.0), -np.inf))
    simulation = Simulation(replace(scene, joints=(limited,)))
    lowest = min(read(simulation).twist for _ in simulation.frames())
    assert lowest > np.radians(-60.0) - 1e-5
    assert read(simulation).twist == pytest.approx(np.radians(-60.0), abs=1e-6)


@pytest.mark.parametrize("iterations", [1, 3])
def test_limits_along_a_chain(iterations):
    """Three rods that can bend only little hang over: every stop holds, none pulls, and the energy only falls."""
    scene = chain("revolute", 3, np.radians(80.0), settings(frames=73, iterations=iterations))
    bound = 0.4
    limits = [{}, *({"lower": row(5, -bound, -np.inf), "upper": row(5, bound, np.inf)},) * 2]
    joints = tuple(replace(joint, **limit) for joint, limit in zip(scene.joints, limits, strict=True))
    simulation = Simulation(replace(scene, joints=joints))
    energies, bends = [], []
    for _ in simulation.frames():
        bends.append([read(simulation, index).twist for index in (1, 2)])
        energies.append(simulation.energy().total)
        assert np.abs(read(simulation, 2).place).max() < 1e-6
    assert np.abs(bends).max() < bound + (1e-3 if iterations == 1 else 1e-6)  # one iteration has one guess
    assert np.abs(bends).max() > bound - 1e-3
    assert max(energies) < energies[0] + 1e-3 * abs(energies[0])


def wheel(joint_options, frames=49, spin=0.0, inertia=0.02, **setting):
    """A wheel on a hinge to the world, its axis up."""
    body = RigidBody("wheel", mass=1.0, inertia=(inertia, inertia, inertia), angular_velocity=(0.0, 0.0, spin))
    joint = Joint("axle", "revolute", body_2=Partner("wheel"), **joint_options)
    return Simulation(Scene(bodies=(body,), joints=(joint,), settings=settings(frames=frames, **setting)))


def test_hinge_counts_turns_up_to_a_limit_of_two():
    limit = np.radians(720.0)
    simulation = wheel({"upper": row(5, limit, np.inf)}, spin=10.0)
    for frame in simulation.frames():
        assert read(simulation).twist == pytest.approx(min(10.0 * frame.index / 24.0, limit), abs=1e-9)


def test_free_hinge_keeps_spinning():
    simulation = wheel({}, spin=-30.0, frames=49)
    for frame in simulation.frames():
        assert read(simulation).twist == pytest.approx(-30.0 * frame.index / 24.0, abs=1e-9)


def test_hinge_reaches_a_target_beyond_a_turn():
    target = np.radians(500.0)
    options = {"target": row(5, target), "stiffness": row(5, 5.0), "damping": row(5, 0.6)}
    simulation = wheel(options, frames=72)
    *_, _ = simulation.frames()
    assert read(simulation).twist == pytest.approx(target, abs=1e-3)


def test_hinge_follows_a_moving_target():
    """Damping acts on the speed relative to the target's: a steady drive is followed without lag."""
    setting = settings(frames=49)
    speed = 3.0
    target = np.zeros((setting.sample_count, 6))
    target[:, 5] = speed * np.arange(setting.sample_count) * setting.time_step
    options = {"target": target, "stiffness": row(5, 20.0), "damping": row(5, 2.0)}
    simulation = wheel(options, spin=speed, frames=49)
    for frame in simulation.frames():
        assert read(simulation).twist == pytest.approx(speed * frame.index / 24.0, abs=1e-9)


def test_hinge_damping_is_backward_euler():
    """ω decays by 1/(1 + d Δt/I) a substep."""
    inertia, damping, spin = 0.02, 0.05, 7.0
    simulation = wheel({"damping": row(5, damping)}, spin=spin, frames=13)
    *_, frame = simulation.frames()
    factor = 1.0 / (1.0 + damping * simulation.scene.settings.time_step / inertia)
    found = simulation.state.w.reshape(-1, 3)[simulation.bodies["wheel"], 2]
    assert found == pytest.approx(spin * factor ** (20 * frame.index), rel=1e-9)


@pytest.mark.parametrize("substeps", [20, 100])
def test_slider_on_a_spring_is_backward_euler(substeps):
    """The slide is (1 − Re zⁿ) target with z = 1/(1 + iωΔt), to rounding; its period is 2π√(m/k) to second order."""
    mass, stiffness, start = 2.0, 80.0, 0.3
    body = RigidBody("carriage", position=(0.1, 0.2, 0.3), mass=mass, inertia=(0.1, 0.2, 0.3))
    joint = Joint(
        "rail",
        "prismatic",
        body_2=Partner("carriage"),
        rotation=(0.5, 0.5, 0.5, 0.5),
        stiffness=row(2, stiffness),
        target=row(2, start),
    )
    setting = settings(substeps, frames=49, gravity=0.0)
    simulation = Simulation(Scene(bodies=(body,), joints=(joint,), settings=setting))
    omega, step = np.sqrt(stiffness / mass), setting.time_step
    slides = []
    for frame in simulation.frames():
        values = read(simulation)
        n = frame.index * substeps
        expected = start - start * ((1.0 / (1.0 + 1j * omega * step)) ** n).real
        assert values.place[2] == pytest.approx(expected, abs=1e-11)
        np.testing.assert_allclose(values.place[:2], 0.0, atol=1e-12)
        np.testing.assert_allclose(values.turn, 0.0, atol=1e-12)
        slides.append(values.place[2] - start)
    crossings = [
        i + slides[i] / (slides[i] - slides[i + 1]) for i in range(len(slides) - 1) if slides[i] * slides[i + 1] < 0
    ]
    period = 2.0 * np.diff(crossings).mean() / 24.0
    assert period == pytest.approx(2.0 * np.pi / omega, rel=5e-3)


def test_slider_stops_at_both_ends():
    body = RigidBody("carriage", mass=1.0, inertia=(0.1, 0.1, 0.1))
    joint = Joint(
        "rail", "prismatic", body_2=Partner("carriage"), lower=row(2, -0.2, -np.inf), upper=row(2, 0.1, np.inf)
    )
    simulation = Simulation(Scene(bodies=(body,), joints=(joint,), settings=settings(frames=25)))
    for _ in simulation.frames():
        assert read(simulation).place[2] > -0.2 - 1e-9
    assert read(simulation).place[2] == pytest.approx(-0.2, abs=1e-9)


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize(("stiffness", "rests"), [(20.0, -0.2), (100.0, -0.0981), (1000.0, -0.00981)])
def test_spring_and_stop_share_the_load(stiffness, rests, iterations):
    """A sprung carriage rests on its stop where the spring is weaker than the weight, or else above it."""
    body = RigidBody("carriage", mass=1.0, inertia=(0.1, 0.1, 0.1), linear_damping=8.0)
    joint = Joint(
        "rail",
        "prismatic",
        body_2=Partner("carriage"),
        lower=row(2, -0.2, -np.inf),
        stiffness=row(2, stiffness),
    )
    simulation = Simulation(Scene(bodies=(body,), joints=(joint,), settings=settings(frames=97, iterations=iterations)))
    for _ in simulation.frames():
        assert read(simulation).place[2] > -0.2 - 1e-9
    assert read(simulation).place[2] == pytest.approx(rests, abs=1e-5)


def test_spring_that_presses_on_a_stop_does_not_chatter():
    body = RigidBody("carriage", mass=1.0, inertia=(0.1, 0.1, 0.1))
    joint = Joint(
        "rail",
        "prismatic",
        body_2=Partner("carriage"),
        upper=row(2, 0.0, np.inf),
        stiffness=row(2, 500.0),
        target=row(2, 0.5),
    )
    simulation = Simulation(Scene(bodies=(body,), joints=(joint,), settings=settings(frames=25)))
    for _ in simulation.frames():
        assert read(simulation).place[2] == pytest.approx(0.0, abs=1e-12)


def ball(joint_options, angle=0.3, spin=STILL, frames=73, **setting):
    """One rod hanging on a ball joint whose z axis points down."""
    down = np.array([0.0, 1.0, 0.0, 0.0])
    along = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    body = RigidBody(
        "rod",
        position=0.5 * LENGTH * along,
        rotation=about_y(angle),
        mass=MASS,
        inertia=(INERTIA, INERTIA, 1e-4),
        angular_velocity=spin,
    )
    joint = Joint("shoulder", "spherical", body_2=Partner("rod"), rotation=down, **joint_options)
    return Simulation(Scene(bodies=(body,), joints=(joint,), settings=settings(frames=frames, **setting)))


@pytest.mark.parametrize("stiffness", [0.0, 0.05])
@pytest.mark.parametrize("iterations", [1, 3])
def test_ball_stays_in_its_cone(stiffness, iterations):
    """Thrown sideways, the rod runs along the cone's edge and never leaves it."""
    options = {"swing_limit": 0.8, "stiffness": np.concatenate([STILL, np.full(3, stiffness)])}
    simulation = ball(options, spin=(20.0, 14.0, 3.0), iterations=iterations)
    swings = []
    for _ in simulation.frames():
        values = read(simulation)
        swings.append(values.swing)
        assert values.swing < 0.8 + 1e-3
        assert np.abs(values.place).max() < 1e-6
    assert max(swings) > 0.79


def test_ball_stops_at_its_twist_limit():
    simulation = ball({"lower": row(5, -0.5, -np.inf), "upper": row(5, 0.7, np.inf)}, angle=0.0, spin=(0, 0, -4.0))
    twists = [read(simulation).twist for _ in simulation.frames()]
    assert max(twists) < 0.7 + 1e-6 and twists[-1] == pytest.approx(0.7, abs=1e-6)


def test_ball_reaches_a_target_turn():
    target = np.array([0.4, -0.3, 0.6])
    options = {
        "target": np.concatenate([STILL, target]),
        "stiffness": np.concatenate([STILL, np.full(3, 3.0)]),
        "damping": np.concatenate([STILL, np.full(3, 0.2)]),
    }
    simulation = ball(options, angle=0.0, gravity=0.0)
    *_, _ = simulation.frames()
    np.testing.assert_allclose(read(simulation).turn, target, atol=1e-4)


def test_fixed_bodies_move_as_one():
    """Two bodies fixed to one another tumble like one: no drift between them, and linear momentum is kept."""
    bodies = (
        RigidBody("a", position=(0.0, 0.0, 0.0), mass=1.0, inertia=(0.1, 0.2, 0.15), angular_velocity=(1.0, 2.0, 3.0)),
        RigidBody("b", position=(0.5, 0.0, 0.0), mass=2.0, inertia=(0.2, 0.1, 0.15), velocity=(0.0, 1.0, 0.0)),
    )
    joint = Joint("weld", "fixed", body_1=Partner("a"), body_2=Partner("b"), position=(0.2, 0.1, 0.0))
    simulation = Simulation(Scene(bodies=bodies, joints=(joint,), settings=settings(frames=25, gravity=0.0)))
    for frame in simulation.frames():
        values = read(simulation)
        if frame.index:
            assert np.abs(values.place).max() < 1e-5 and np.abs(values.turn).max() < 1e-5
        linear, _ = simulation.momentum()
        np.testing.assert_allclose(linear, [0.0, 2.0, 0.0], atol=1e-12)
