"""A torque-free asymmetric top against Euler's equations.

Expected error: O(Δt) in the turn, the order of the integrator; O(Δt²) in the spin, by the implicit midpoint rule.
"""

import numpy as np
import pytest
from dense import conjugate, quaternion_log, quaternion_product
from scipy.integrate import solve_ivp
from slopes import slope

from tendril.solver import RigidBody, Scene, Settings, Simulation

INERTIA = np.array([0.3, 0.5, 0.7])
SPIN = np.array([0.2, 4.0, 0.3])  # near the middle axis: it tumbles
START = np.array([0.8, 0.0, 0.6, 0.0])
TIME = 1.5


@pytest.fixture(scope="module")
def exact():
    """Rotation and angular velocity (body frame) at ``TIME``: q̇ = ½ q (0, ω), I ω̇ = −ω × I ω."""

    def rate(_, y):
        q, w = y[:4], y[4:]
        return np.concatenate([0.5 * quaternion_product(q, np.array([0.0, *w])), -np.cross(w, INERTIA * w) / INERTIA])

    y = solve_ivp(rate, (0.0, TIME), np.concatenate([START, SPIN]), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return y[:4] / np.linalg.norm(y[:4]), y[4:]


def run(step):
    body = RigidBody("top", rotation=START, mass=2.0, inertia=INERTIA, velocity=(1.0, 0, 0), angular_velocity=SPIN)
    count = round(TIME / step)
    settings = Settings(gravity=(0, 0, 0), frame_duration=TIME, frame_count=2, substeps=count)
    simulation = Simulation(Scene(bodies=(body,), settings=settings))
    simulation.advance()
    node = simulation.bodies["top"]
    return simulation.state.q.reshape(-1, 4)[node], simulation.state.w.reshape(-1, 3)[node], simulation


def test_the_error_falls_with_the_time_step(exact):
    steps, turns, spins = [1e-3, 5e-4, 2.5e-4, 1.25e-4], [], []
    for step in steps:
        q, w, _ = run(step)
        turns.append(np.linalg.norm(quaternion_log(quaternion_product(conjugate(exact[0]), q))))
        spins.append(np.linalg.norm(w - exact[1]))
    assert slope(steps, turns) == pytest.approx(1.0, abs=0.1), turns
    assert slope(steps, spins) == pytest.approx(2.0, abs=0.1), spins
    assert turns[-1] < 5e-3
    assert spins[0] < 1e-5


@pytest.mark.parametrize("spin", [(100, 1, 1), (1, 100, 1), (1, 1, 100), (10, 10, 10), (1000, 1, 1)])
@pytest.mark.parametrize("inertia", [(0.02, 0.03, 0.04), (0.3, 0.3, 0.01), (0.01, 0.3, 0.3), (0.04, 0.03, 0.02)])
def test_what_spins_fast_neither_gains_nor_loses(spin, inertia):
    """20 s at 2 ms, up to two radians a substep: the explicit term of (46) would fly apart within one second."""
    body = RigidBody("top", inertia=inertia, angular_velocity=spin)
    settings = Settings(gravity=(0, 0, 0), frame_duration=20.0, frame_count=2, substeps=10_000)
    simulation = Simulation(Scene(bodies=(body,), settings=settings))
    energy, size = simulation.energy().kinetic, np.linalg.norm(simulation.momentum()[1])
    simulation.advance()
    assert simulation.energy().kinetic == pytest.approx(energy, rel=1e-6)
    assert np.linalg.norm(simulation.momentum()[1]) == pytest.approx(size, rel=1e-6)


def test_the_centre_flies_straight():
    _, _, simulation = run(1e-3)
    np.testing.assert_allclose(simulation.frame().positions[1], [TIME, 0, 0], atol=1e-12)


def test_a_top_about_a_principal_axis_turns_evenly():
    body = RigidBody("top", inertia=INERTIA, angular_velocity=(0.0, 0.0, 3.0))
    settings = Settings(gravity=(0, 0, 0), frame_duration=0.1, frame_count=11, substeps=10)
    simulation = Simulation(Scene(bodies=(body,), settings=settings))
    frames = list(simulation.frames())
    np.testing.assert_allclose(frames[-1].rotations[1], [np.cos(1.5), 0, 0, np.sin(1.5)], atol=1e-12)
