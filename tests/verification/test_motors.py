"""Motors, brakes and springs with a maximum, against closed forms: never more than the maximum, in any substep."""

from dataclasses import replace

import numpy as np
import pytest
from jointed import read, row, settings
from slopes import slope

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, RodEnd, Scene, Simulation

INERTIA = 0.02
DOWN_X = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])  # a joint frame whose z axis is +x of the world


def motor(index, speed, maximum=np.inf):
    return {"speed": row(index, speed, np.inf), "maximum": row(index, maximum, np.inf)}


def wheel(joint_options, spin=0.0, joints=1, **setting):
    """A wheel on ``joints`` hinges to the world, its axis up."""
    body = RigidBody("wheel", mass=1.0, inertia=(INERTIA,) * 3, angular_velocity=(0.0, 0.0, spin))
    made = tuple(Joint(f"axle {i}", "revolute", body_2=Partner("wheel"), **joint_options) for i in range(joints))
    return Scene(bodies=(body,), joints=made, settings=settings(**{"substeps": 4, "frames": 40} | setting))


def spins(simulation, body="wheel"):
    """Speed about z of a body, at every frame."""
    for _ in simulation.frames():
        yield simulation.state.w.reshape(-1, 3)[simulation.bodies[body], 2]


def substep_count(simulation):
    return simulation.index * simulation.scene.settings.substeps


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_flywheel(sign, iterations):
    """ω = min(τ t/I, v), to rounding, whatever the time step: a constant torque, and then none."""
    speed, torque = 13.0 * sign, 0.3
    simulation = Simulation(wheel(motor(5, speed, torque), iterations=iterations))
    step = simulation.scene.settings.time_step
    for found in spins(simulation):
        reached = sign * torque * step * substep_count(simulation) / INERTIA
        assert found == pytest.approx(min(abs(reached), abs(speed)) * sign, rel=1e-12, abs=1e-12)


def test_motor_without_a_maximum_is_kinematic():
    """It follows a speed that changes, from the first substep on."""
    setting = settings(substeps=4, frames=40)
    speed = np.full((setting.sample_count, 6), np.inf)
    speed[:, 5] = 20.0 * np.sin(np.arange(setting.sample_count) / 11.0)
    simulation = Simulation(wheel({"speed": speed}))
    angles = setting.time_step * np.cumsum(speed[1:, 5])
    for frame in simulation.frames():
        if frame.index:
            assert read(simulation).twist == pytest.approx(angles[substep_count(simulation) - 1], abs=1e-10)


def test_two_motors_against_each_other():
    """Of two on one axle, the stronger wins: α = (2 − 1) N·m/I down to its speed. The second axle closes a loop."""
    scene = wheel(motor(5, 5.0, 1.0), joints=2)
    scene = replace(scene, joints=(scene.joints[0], replace(scene.joints[1], **motor(5, -5.0, 2.0))))
    simulation = Simulation(scene)
    for found in spins(simulation):
        reached = scene.settings.time_step * substep_count(simulation) / INERTIA
        assert found == pytest.approx(-min(reached, 5.0), rel=1e-7, abs=1e-9)


def arm(joint_options, mass=2.0, arm_length=0.5, frames=240, **setting):
    """A weight at the end of a massless-like arm on a hinge about x, drawn hanging."""
    body = RigidBody("weight", position=(0.0, 0.0, -arm_length), mass=mass, inertia=(1e-3,) * 3)
    joint = Joint("hinge", "revolute", body_2=Partner("weight"), rotation=DOWN_X, **joint_options)
    return Simulation(Scene(bodies=(body,), joints=(joint,), settings=settings(frames=frames, **setting)))


def test_motor_stalls_where_the_load_is_too_big():
    """m g l sin φ = τ."""
    torque = 5.0
    simulation = arm(motor(5, 1.0, torque) | {"damping": row(5, 3.0)}, frames=480)
    *_, _ = simulation.frames()
    assert read(simulation).twist == pytest.approx(np.arcsin(torque / (2.0 * 9.81 * 0.5)), abs=1e-4)


def test_motor_lifts_what_it_can():
    """The same arm goes all the way round at its speed, up and down."""
    simulation = arm(motor(5, 3.0, 30.0), frames=72)
    twists = np.array([read(simulation).twist for _ in simulation.frames()])
    np.testing.assert_allclose(np.diff(twists[3:]), 3.0 / 24.0, atol=1e-9)


@pytest.mark.parametrize("load", [3.0, 7.0])
def test_brake_is_dry_friction(load):
    """A carriage of 2 kg at 1.5 m/s under a load, braked with 5 N: it stops in v²/2a and holds, or slides off."""
    mass, brake, start = 2.0, 5.0, 1.5
    body = RigidBody("carriage", mass=mass, inertia=(0.1,) * 3, velocity=(0.0, 0.0, -start))
    rail = Joint("rail", "prismatic", body_2=Partner("carriage"), **motor(2, 0.0, brake))
    scene = Scene((body,), joints=(rail,), settings=settings(frames=72, gravity=load / mass))
    simulation = Simulation(scene)
    step, slowing = scene.settings.time_step, (brake - load) / mass
    for frame in simulation.frames():
        n = np.arange(1, substep_count(simulation) + 1)
        expected = -step * np.maximum(start - slowing * n * step, 0.0).sum()
        assert frame.positions[simulation.bodies["carriage"], 2] == pytest.approx(expected, abs=1e-9)


def test_spring_with_a_maximum():
    """A carriage far from its target is pulled with the maximum: v = F t/m; near it, as by a spring."""
    body = RigidBody("carriage", mass=2.0, inertia=(0.1,) * 3)
    drive = {"target": row(2, 3.0), "stiffness": row(2, 50.0), "maximum": row(2, 4.0, np.inf)}
    rail = Joint("rail", "prismatic", body_2=Partner("carriage"), **drive)
    scene = Scene((body,), joints=(rail,), settings=settings(frames=40, gravity=0.0))
    simulation = Simulation(scene)
    step, place, speed = scene.settings.time_step, 0.0, 0.0
    for frame in simulation.frames():
        assert frame.positions[simulation.bodies["carriage"], 2] == pytest.approx(place, abs=1e-9)
        for _ in range(scene.settings.substeps):
            force = 50.0 * (3.0 - place - step * speed) / (1.0 + 50.0 * step**2 / 2.0)  # of backward Euler
            speed += step * np.clip(force, -4.0, 4.0) / 2.0
            place += step * speed


@pytest.mark.parametrize("iterations", [1, 3])
def test_motor_at_a_stop(iterations):
    """It runs against its stop, pushes there without going through, and comes back when it turns round."""
    setting = settings(substeps=10, frames=60, iterations=iterations)
    speed = np.full((setting.sample_count, 6), np.inf)
    speed[:, 5] = np.where(np.arange(setting.sample_count) < 300, 4.0, -4.0)
    options = {"speed": speed, "maximum": row(5, 0.5, np.inf), "upper": row(5, 2.0, np.inf)}
    simulation = Simulation(wheel(options, substeps=10, frames=60, iterations=iterations))
    twists = np.array([read(simulation).twist for _ in simulation.frames()])
    assert twists.max() < 2.0 + 1e-9
    np.testing.assert_allclose(twists[16:30], 2.0, atol=1e-9)
    assert twists[-1] < -1.0


def floating(joint_options, **setting):
    """Three bodies in space, a motor in the hinge of the first two, off their centres, and a ball to the third."""
    bodies = (
        RigidBody("a", mass=3.0, inertia=(0.2, 0.3, 0.4)),
        RigidBody("b", position=(0.6, 0.1, 0.2), mass=1.0, inertia=(0.05, 0.04, 0.06)),
        RigidBody("c", position=(1.1, 0.0, 0.3), mass=0.5, inertia=(0.02, 0.02, 0.01)),
    )
    joints = (
        Joint("hinge", "revolute", Partner("a"), Partner("b"), position=(0.2, 0.1, 0.0), **joint_options),
        Joint("ball", "spherical", Partner("b"), Partner("c"), position=(0.9, 0.0, 0.2)),
    )
    return Simulation(Scene(bodies, joints=joints, settings=settings(frames=49, gravity=0.0, **setting)))


def test_what_a_motor_turns_turns_the_other_way():
    """Two wheels on one free axle: I₁ ω₁ + I₂ ω₂ = 0, and their difference is the motor's speed."""
    bodies = tuple(RigidBody(n, mass=1.0, inertia=(i,) * 3) for n, i in (("one", 0.03), ("two", 0.01)))
    axle = Joint("axle", "revolute", Partner("one"), Partner("two"), **motor(5, 8.0, 0.1))
    scene = Scene(bodies, joints=(axle,), settings=settings(frames=40, gravity=0.0))
    simulation = Simulation(scene)
    for _ in simulation.frames():
        one, two = simulation.state.w.reshape(-1, 3)[[simulation.bodies[n] for n in ("one", "two")], 2]
        reached = 0.1 * scene.settings.time_step * substep_count(simulation) * (1 / 0.03 + 1 / 0.01)
        assert two - one == pytest.approx(min(reached, 8.0), rel=1e-12, abs=1e-12)
        assert 0.03 * one + 0.01 * two == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("maximum", [0.05, np.inf])
def test_motor_keeps_momentum(maximum):
    """Saturated and not: linear momentum to rounding; angular to the first order of the integrator."""
    left = []
    for substeps in (20, 40, 80):
        simulation = floating(motor(5, 3.0, maximum), substeps=substeps)
        worst = 0.0
        for _ in simulation.frames():
            linear, angular = simulation.momentum()
            np.testing.assert_allclose(linear, 0.0, atol=1e-11)
            worst = max(worst, np.abs(angular).max())
        assert np.abs(simulation.state.w).max() > 0.2
        left.append(worst)
    assert slope([4.0, 2.0, 1.0], left) == pytest.approx(1.0, abs=0.1) and left[0] < 0.01, left


def robot(joint_options, links=4, **setting):
    """An arm of links on hinges with axes across each other, all driven."""
    bodies = tuple(
        RigidBody(f"link {i}", position=(0.0, 0.0, 0.3 * i + 0.15), mass=1.0, inertia=(8e-3, 8e-3, 1e-3))
        for i in range(links)
    )
    joints = tuple(
        Joint(
            f"hinge {i}",
            "revolute",
            Partner(f"link {i - 1}" if i else ""),
            Partner(f"link {i}"),
            position=(0.0, 0.0, 0.3 * i),
            rotation=DOWN_X if i % 2 else (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0),
            **joint_options[i],
        )
        for i in range(links)
    )
    return Simulation(Scene(bodies, joints=joints, settings=settings(**setting)))


def test_no_motor_does_more_than_its_maximum():
    """An arm whose motors reach and leave their maxima all the time, one iteration, every single substep."""
    maxima = (4.0, 6.0, 2.0, 1.0)
    options = [motor(5, v, f) for v, f in zip((2.0, -1.0, 3.0, -4.0), maxima, strict=True)]
    simulation = robot(options, substeps=1, frames=400)
    simulation = Simulation(
        replace(simulation.scene, settings=replace(simulation.scene.settings, frame_duration=1 / 480))
    )
    step, sides = simulation.scene.settings.time_step, set()
    for _ in simulation.frames():
        forces = simulation.state.lam.reshape(-1, 6)[:, 5] / step**2
        order = np.argsort(simulation.model.connectors[:, 1])
        shares = np.abs(forces[order]) / maxima
        assert shares.max() < 1.0 + 1e-6
        sides |= {(index, bool(share > 1.0 - 1e-9)) for index, share in enumerate(shares)}
    assert len(sides) == 8, "every motor was at its maximum and below it"


def test_many_brakes_that_give_way_at_once():
    """Thirty links on brakes, kicked: each slips with its maximum and none with more, and nothing gains energy."""
    maxima = 0.2 + 3.0 * np.abs(np.random.default_rng(2).normal(size=30))
    scene = robot([motor(5, 0.0, most) for most in maxima], links=30).scene
    bodies = tuple(replace(body, angular_velocity=np.array([0.3, 0.2, 0.1])) for body in scene.bodies)
    setting = replace(scene.settings, frame_duration=1 / 2000, substeps=1, frame_count=100)
    simulation = Simulation(replace(scene, bodies=bodies, settings=setting))
    order, energy, slipped = np.argsort(simulation.model.connectors[:, 1]), [], 0
    for _ in simulation.frames():
        shares = np.abs(simulation.state.lam.reshape(-1, 6)[order, 5]) / setting.time_step**2 / maxima
        assert shares.max() < 1.0 + 1e-9
        slipped = max(slipped, np.sum(shares > 1.0 - 1e-9))
        energy.append(simulation.energy().total)
    assert slipped > 10 and np.diff(energy).max() < 1e-5


def test_a_brake_does_not_creep():
    """An arm of two links is held out for ten seconds."""
    across = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
    bodies = tuple(
        RigidBody(name, position=(x, 0.0, 0.0), mass=2.0, inertia=(0.02, 0.03, 0.04))
        for name, x in (("a", 0.5), ("b", 1.5))
    )
    joints = (
        Joint("shoulder", "revolute", Partner(), Partner("a"), rotation=across, **motor(5, 0.0, 100.0)),
        Joint("elbow", "revolute", Partner("a"), Partner("b"), (1.0, 0.0, 0.0), across, **motor(5, 0.0, 100.0)),
    )
    simulation = Simulation(Scene(bodies, joints=joints, settings=settings(frames=240)))
    *_, _ = simulation.frames()
    assert abs(read(simulation, 0).twist) < 1e-12 and abs(read(simulation, 1).twist) < 1e-12


def test_motor_winds_up_a_rod():
    """A motor at the end of a shaft that is clamped at the other: it stalls at φ = τ l / (G J)."""
    radius, length, torque = 0.01, 0.5, 0.2
    material = Material(young_modulus=1.0e7, poisson_ratio=0.4, density=1000.0)
    rod = Rod(
        "shaft", [[0, 0, 0], [0, 0, length]], elements=4, order=2, radius=radius, material=material, damping=0.05,
        start=RodEnd("clamped"),
    )  # fmt: skip
    joint = Joint("motor", "revolute", Partner(), Partner("shaft", "end"), (0.0, 0.0, length), **motor(5, 3.0, torque))
    setting = settings(frames=73, gravity=0.0)
    simulation = Simulation(Scene(rods=(rod,), joints=(joint,), settings=setting))
    *_, _ = simulation.frames()
    polar = np.pi * radius**4 / 2 * material.young_modulus / (2 * (1 + material.poisson_ratio))
    assert read(simulation).twist == pytest.approx(torque * length / polar, rel=1e-4)


def test_driven_chain_gains_the_motors_impulse():
    """No gravity, a motor at its maximum in the first hinge of a flat arm: angular momentum is τ t."""
    torque, links = 0.4, 3
    bodies = tuple(
        RigidBody(f"link {i}", position=(0.4 * i + 0.2, 0.0, 0.0), mass=0.7, inertia=(1e-3, 9e-3, 9e-3))
        for i in range(links)
    )
    joints = tuple(
        Joint(
            f"hinge {i}",
            "revolute",
            Partner(f"link {i - 1}" if i else ""),
            Partner(f"link {i}"),
            position=(0.4 * i, 0.0, 0.0),
            **(motor(5, 1e3, torque) if i == 0 else {}),
        )
        for i in range(links)
    )
    errors = []
    for substeps in (20, 40, 80):
        setting = settings(substeps, frames=25, gravity=0.0, iterations=3)
        simulation = Simulation(Scene(bodies, joints=joints, settings=setting))
        *_, _ = simulation.frames()
        errors.append(simulation.momentum()[1][2] / (torque * simulation.time) - 1.0)
    assert slope([4.0, 2.0, 1.0], np.abs(errors)) == pytest.approx(1.0, abs=0.1) and abs(errors[0]) < 1e-3, errors


def test_motor_with_friction():
    """A damper on the driven hinge: the motor feeds it, τ_end = d v, if it can; else v = τ/d."""
    for torque, expected in ((1.0, 5.0), (0.2, 0.2 / 0.1)):
        options = motor(5, 5.0, torque) | {"damping": row(5, 0.1)}
        simulation = Simulation(wheel(options, frames=120, substeps=100))
        *_, last = spins(simulation)
        assert last == pytest.approx(expected, rel=3e-3)


def test_asking_changes_nothing():
    """Energy, momentum and residuals may be asked for at any time."""
    asked, not_asked = (floating(motor(5, 3.0, 0.05)) for _ in range(2))
    for _ in range(30):
        one, other = asked.advance(), not_asked.advance()
        assert np.isfinite(asked.energy().total) and asked.residuals().constraint < 1e-3
        assert np.array_equal(one.positions, other.positions) and np.array_equal(one.rotations, other.rotations)
