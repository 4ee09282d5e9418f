"""What internal forces must leave alone: linear momentum to rounding, angular momentum to the integrator's order 1."""

import dataclasses

import numpy as np
import pytest
from dense import evaluate, move, rows_of
from slopes import slope

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, Scene, Settings, Simulation
from tendril.solver.model import JOINT, KIND
from tendril.solver.orientation import matrix_from_quaternion

SOFT = Material(young_modulus=1e6, poisson_ratio=0.3, density=1000.0)


def flight(step=5e-3, material=SOFT, damping=0.0, kinds=("spherical", "revolute", "fixed", "prismatic"), drive=0.0):
    """A bent rod that wants to be straight, bodies on its ends, one more on a hinge: nothing holds them."""
    points = np.array([[0, 0, 0], [0.4, 0.1, 0], [0.8, 0.1, 0.3], [1.0, 0.5, 0.4]])
    rod = Rod("rod", points, elements=5, order=3, radius=0.03, material=material, rest="straight", damping=damping)
    whip = Rod(
        "whip", [[-0.5, 0, 0], [-1.2, 0, 0.2]], elements=6, order=1, radius=0.02, material=material, damping=damping
    )
    bodies = (
        RigidBody(
            "a", (-0.2, 0, 0), mass=2.0, inertia=(0.02, 0.03, 0.04), velocity=(0, 3.0, 0), angular_velocity=(1, -3, 2)
        ),
        RigidBody("b", (1.1, 0.6, 0.5), mass=0.5, inertia=(0.004, 0.003, 0.002), velocity=(2.0, 0, 1.0)),
        RigidBody("c", (1.1, 0.9, 0.5), mass=8.0, inertia=(0.1, 0.15, 0.2), velocity=(1.0, -2.0, 0.5)),
    )
    driven = (
        {}
        if kinds[1] != "revolute"
        else {
            "stiffness": (0, 0, 0, 0, 0, drive),
            "damping": (0, 0, 0, 0, 0, 0.1 * drive),
            "target": (0, 0, 0, 0, 0, 1.0),
        }
    )
    joints = (
        Joint("j1", kinds[0], Partner("rod", "start"), Partner("a"), position=(0, 0, 0)),
        Joint(
            "j2", kinds[1], Partner("b"), Partner("c"), position=(1.1, 0.75, 0.5), rotation=(0.8, 0.6, 0, 0), **driven
        ),
        Joint("j3", kinds[2], Partner("rod", "end"), Partner("b"), position=(1.0, 0.5, 0.4)),
        Joint("j4", kinds[3], Partner("a"), Partner("whip", "start"), position=(-0.5, 0, 0), rotation=(0.8, 0, 0.6, 0)),
    )
    settings = Settings(gravity=(0, 0, 0), frame_duration=step, frame_count=100_000, substeps=1)
    return Scene(bodies, (rod, whip), joints, settings)


@pytest.mark.parametrize(
    ("damping", "drive", "loop", "iterations"),
    [(0.0, 0.0, False, 1), (0.01, 0.0, False, 1), (0.0, 5.0, False, 3), (0.01, 5.0, True, 1), (0.0, 0.0, True, 3)],
)
def test_linear_momentum_is_kept_to_rounding(damping, drive, loop, iterations):
    """1e-12 of Σ m|v| over 400 steps, while the parts push each other about; with a loop, the whip is tied to c."""
    scene = flight(damping=damping, drive=drive)
    tie = (Joint("j5", "spherical", Partner("whip", "end"), Partner("c"), position=(-1.2, 0, 0.2)),) if loop else ()
    settings = dataclasses.replace(scene.settings, iterations=iterations)
    simulation = Simulation(dataclasses.replace(scene, joints=scene.joints + tie, settings=settings))
    start, _ = simulation.momentum()
    size, before, swing = 0.0, simulation.state.v.copy(), 0.0
    for _ in range(400):
        simulation.advance()
        momenta = simulation.model.mass[:, None] * simulation.state.v.reshape(-1, 3)
        size = max(size, np.abs(momenta).sum())
        swing = max(swing, np.abs(simulation.state.v - before).max())
        now, _ = simulation.momentum()
        assert np.abs(now - start).max() < 1e-12 * size
    assert swing > 3.0


def test_momentum_under_gravity_grows_by_the_weight():
    """Symplectic in v: p(t) = p₀ + m g t exactly."""
    scene = flight()
    scene = dataclasses.replace(scene, settings=dataclasses.replace(scene.settings, gravity=(0, 0, -9.81)))
    simulation = Simulation(scene)
    start, _ = simulation.momentum()
    for _ in range(100):
        simulation.advance()
    fall = simulation.model.mass.sum() * 9.81 * 100 * 5e-3
    np.testing.assert_allclose(simulation.momentum()[0] - start, [0, 0, -fall], atol=1e-11 * fall)


@pytest.mark.parametrize("kind", ["fixed", "revolute", "spherical", "prismatic"])
def test_forces_and_torques_of_constraints_add_up_to_nothing(kind):
    """Σ f = 0 and Σ (p × f + R τ) = 0 of ∇Cᵀλ for any λ at any state: each row is objective.

    The one exception is written down in the paper's own form C = p̄₁ − p̄₂ of the place rows: with the anchors apart
    (by O(Δt²) after a solve, here by centimetres) the pair of forces ±λ has the moment C × λ, and no more than that.
    """
    simulation, rng = Simulation(flight(kinds=(kind,) * 4)), np.random.default_rng(4)
    for _ in range(10):
        move(simulation, 0.3 * rng.normal(size=6 * len(simulation.model.mass)))
        simulation.state.lam[:] = rng.normal(size=len(simulation.state.lam))
        evaluate(simulation)
        force, torque = simulation.work.force.reshape(-1, 2, 3).transpose(1, 0, 2)
        arm = simulation.state.x.reshape(-1, 3)
        turned = np.einsum("nij,nj->ni", matrix_from_quaternion(simulation.state.q.reshape(-1, 4)), torque)
        size = np.abs(force).sum() + np.abs(torque).sum()
        assert np.abs(force.sum(axis=0)).max() < 1e-13 * size
        couple = np.zeros(3)
        for connector in simulation.model.connectors[simulation.model.connectors[:, KIND] == JOINT]:
            if kind != "prismatic":
                place = rows_of(connector)[:3]
                couple += np.cross(simulation.work.c[place], simulation.state.lam[place])
        np.testing.assert_allclose((np.cross(arm, force) + turned).sum(axis=0), couple, rtol=0.0, atol=1e-12 * size)


def test_angular_momentum_converges_with_the_time_step():
    """Error after a fixed time O(Δt), once Δt resolves the rods' own vibrations: E = 20 kPa."""
    steps, errors = [2e-3, 1e-3, 5e-4, 2.5e-4], []
    for step in steps:
        simulation = Simulation(flight(step, Material(young_modulus=2e4, poisson_ratio=0.3, density=1000.0)))
        _, start = simulation.momentum()
        for _ in range(round(0.6 / step)):
            simulation.advance()
        errors.append(np.linalg.norm(simulation.momentum()[1] - start) / np.linalg.norm(start))
    assert slope(steps, errors) == pytest.approx(1.0, abs=0.05), errors
    assert errors[-1] < 5e-4
