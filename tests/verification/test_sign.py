"""A sign of 20 kg hanging from two thin ropes: joints hold to 1e-4 m in every frame, ropes hardly stretch."""

import numpy as np
import pytest
from resting import let_rest

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation
from tendril.solver.joints.arrays import joint_values
from tendril.solver.orientation import matrix_from_quaternion

MASS, GRAVITY, WIDTH, ROPE, RADIUS = 20.0, 9.81, 1.2, 0.8, 0.004
ROPES = Material(young_modulus=1e9, poisson_ratio=0.4, density=900.0)


def sign(settings, push=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), order=3, elements=6):
    """A board 1.2 m wide, hung at its upper corners from two ropes clamped above it."""
    inertia = MASS / 12.0 * np.array([0.6**2 + 0.05**2, WIDTH**2 + 0.6**2, WIDTH**2 + 0.05**2])
    body = RigidBody("sign", (0.0, 0.0, -ROPE - 0.3), mass=MASS, inertia=inertia, velocity=push, angular_velocity=spin)
    rods, joints = [], []
    for name, x in (("left", -0.5 * WIDTH), ("right", 0.5 * WIDTH)):
        rods.append(
            Rod(
                f"{name} rope",
                [[x, 0, 0], [x, 0, -ROPE]],
                elements=elements,
                order=order,
                radius=RADIUS,
                material=ROPES,
                start=RodEnd("clamped"),
                damping=1e-3,
            )
        )
        joints.append(
            Joint(f"{name} hook", "spherical", Partner("sign"), Partner(f"{name} rope", "end"), position=(x, 0, -ROPE))
        )
    return Simulation(Scene((body,), tuple(rods), tuple(joints), settings))


def gaps(simulation):
    """Distances of the anchors: where the body holds the hooks, and where the ropes end."""
    frame, distances = simulation.frame(), []
    node = simulation.bodies["sign"]
    turn = matrix_from_quaternion(frame.rotations[node])
    for name, x in (("left", -0.5 * WIDTH), ("right", 0.5 * WIDTH)):
        hook = frame.positions[node] + turn @ np.array([x, 0.0, 0.3])
        distances.append(np.linalg.norm(hook - frame.positions[simulation.rods[f"{name} rope"].stop - 1]))
    return distances


def lengths(simulation):
    frame = simulation.frame()
    return [
        np.linalg.norm(np.diff(frame.positions[simulation.rods[f"{name} rope"]], axis=0), axis=1).sum()
        for name in ("left", "right")
    ]


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(
    ("push", "spin"), [((0, 0, 0), (0, 0, 0)), ((0.5, 1.0, 0), (0, 0, 1.0)), ((0, 0, 2.0), (0, 1.5, 0))]
)
def test_the_anchors_stay_together(order, push, spin):
    """Also when it is pushed, turned, or thrown up so that the ropes go slack; 2.5 s of 24 frames, 20 substeps."""
    simulation = sign(Settings(frame_count=61, gravity=(0, 0, -GRAVITY)), push, spin, order, elements=18 // order)
    stretch = MASS * GRAVITY / (ROPES.young_modulus * np.pi * RADIUS**2)
    thrown, start = push[2] > 0.0, simulation.energy().total
    for _ in simulation.frames():
        assert max(gaps(simulation)) < 1e-4
        assert max(lengths(simulation)) < ROPE * (1.1 if thrown else 1.0 + 3.0 * stretch)
        assert simulation.energy().total < start + 1e-9
        state, model = simulation.state, simulation.model
        places = joint_values(
            0, state.x.reshape(-1, 3), state.q.reshape(-1, 4), model.joint_data, model.joint_flags, state.turns
        )
        assert np.linalg.norm(places.place) == pytest.approx(gaps(simulation)[0], abs=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_thin_ropes_come_to_rest(order):
    """What the first fall stirs up dies away, though T Δt = 2 √(EI ρA).

    Without geometric stiffness the tension T would act on a wave k along the rope as x₁ = (1 − β)/(1 + γ) (2x − x_old)
    with β = T k²Δt²/ρA, γ = EI k⁴Δt²/ρA, which is stable for every k only up to T Δt = 4/3 √(EI ρA).
    """
    setting = Settings(frame_count=97, gravity=(0, 0, -GRAVITY))
    area, moment = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4.0
    limit = np.sqrt(ROPES.young_modulus * moment * ROPES.density * area)
    assert 0.5 * MASS * GRAVITY * setting.time_step / limit > 2.0
    simulation = sign(setting, order=order, elements=18 // order)
    for _ in simulation.frames():
        pass
    assert simulation.energy().kinetic < 1e-12


def test_it_hangs_level_and_as_deep_as_its_ropes_stretch():
    """At rest each rope carries half of the sign: stretch (mg/2 + ρAL g/2) L/(EA), the sign level."""
    simulation = sign(Settings(frame_duration=1.0 / 480.0, frame_count=50_000, substeps=1, gravity=(0, 0, -GRAVITY)))
    let_rest(simulation, tolerance=1e-14)
    area = np.pi * RADIUS**2
    force = 0.5 * MASS * GRAVITY + 0.5 * ROPES.density * area * ROPE * GRAVITY
    stretch = force * ROPE / (ROPES.young_modulus * area)
    frame, node = simulation.frame(), simulation.bodies["sign"]
    np.testing.assert_allclose(frame.positions[node], [0, 0, -ROPE - 0.3 - stretch], atol=1e-8)
    np.testing.assert_allclose(frame.rotations[node], [1, 0, 0, 0], atol=1e-8)
    assert max(gaps(simulation)) < 1e-9
