"""Rods against closed forms: twist, pull, bending to an arc, drawn and straight rest shapes, small deflections."""

import numpy as np
import pytest
from dense import quaternion_exp, quaternion_log, quaternion_product
from planar_rod import Section
from resting import imbalance, let_rest

from tendril.solver import Joint, Material, Motion, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation

MATERIAL = Material(young_modulus=2e6, poisson_ratio=0.3, density=1200.0)
ORDERS = [1, 2, 3]
CLAMPED = RodEnd("clamped")
TO_X = np.sqrt(0.5) * np.array([1.0, 0.0, 1.0, 0.0])  # z axis turned to x: the frame a rod along x starts with


def settings(count=4000, step=2e-3, gravity=(0.0, 0.0, 0.0)):
    return Settings(gravity=gravity, frame_duration=step, frame_count=count, substeps=1)


def reaction(simulation, node):
    """Force (world) and torque (node's frame) that the rod puts on a node."""
    imbalance(simulation)
    return simulation.work.force[6 * node : 6 * node + 3], simulation.work.force[6 * node + 3 : 6 * node + 6]


def ramp(setting, time=0.5):
    """From 0 to 1, smoothly, and there it stays: one value a sample."""
    return 0.5 - 0.5 * np.cos(np.pi * np.minimum(np.arange(setting.sample_count) * setting.time_step / time, 1.0))


@pytest.mark.parametrize("angle", [0.4, 9.0])
@pytest.mark.parametrize("order", ORDERS)
def test_a_twisted_rod(order, angle):
    """Torque GJ φ/L, angle linear along the rod, also over more than one turn."""
    setting, length, radius = settings(), 1.5, 0.03
    turns = quaternion_exp(np.outer(angle * ramp(setting), [1.0, 0.0, 0.0]))
    motion = Motion(np.tile([length, 0.0, 0.0], (setting.sample_count, 1)), quaternion_product(turns, TO_X))
    rod = Rod(
        "rod",
        [[0, 0, 0], [length, 0, 0]],
        elements=6,
        order=order,
        radius=radius,
        material=MATERIAL,
        start=CLAMPED,
        end=RodEnd("clamped", motion),
    )
    simulation = Simulation(Scene(rods=(rod,), settings=setting))
    for _ in range(260):
        simulation.advance()
    let_rest(simulation, tolerance=1e-20)
    nodes = simulation.rods["rod"]
    frame = simulation.frame()
    q = frame.rotations[nodes]
    steps = quaternion_log(quaternion_product(q[:-1] * [1, -1, -1, -1], q[1:]))
    expected = np.tile([0.0, 0.0, angle / (len(q) - 1)], (len(q) - 1, 1))
    np.testing.assert_allclose(steps, expected, atol=1e-9)
    np.testing.assert_allclose(frame.positions[nodes][:, 1:], 0.0, atol=1e-12)
    force, torque = reaction(simulation, nodes.start)
    expected = Section(radius, MATERIAL).twist * angle / length
    np.testing.assert_allclose(torque, [0.0, 0.0, expected], atol=1e-7 * expected)
    np.testing.assert_allclose(force, 0.0, atol=1e-7)


@pytest.mark.parametrize("order", ORDERS)
def test_a_pulled_rod(order):
    """A body of 300 kg hung on a vertical rod: stretch (m + ρAL/2) g L/(EA), a fifth of the rod, exact at the nodes."""
    length, radius, mass, gravity = 1.2, 0.05, 300.0, 9.81
    section = Section(radius, MATERIAL)
    rod = Rod(
        "rod", [[0, 0, 0], [0, 0, -length]], elements=3, order=order, radius=radius, material=MATERIAL, start=CLAMPED
    )
    body = RigidBody("body", (0.0, 0.0, -length - 0.1), mass=mass, inertia=(2.0, 2.0, 2.0))
    joint = Joint("joint", "fixed", Partner("rod", "end"), Partner("body"), position=(0.0, 0.0, -length))
    scene = Scene((body,), (rod,), (joint,), settings(gravity=(0.0, 0.0, -gravity)))
    simulation = Simulation(scene)
    let_rest(simulation, tolerance=1e-22)
    s = np.linspace(0.0, length, 3 * order + 1)
    stretch = gravity / section.stretch * (mass * s + section.mass * (length * s - 0.5 * s**2))
    assert stretch[-1] > 0.2
    expected = np.outer(s + stretch, [0.0, 0.0, -1.0])
    np.testing.assert_allclose(simulation.frame().positions[simulation.rods["rod"]], expected, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_pure_bending(order):
    """The end is led and turned so that the rod is an arc of 3 rad: there it stays, moment EI φ/L, no force.

    The arc is met to the quadrature of its tangent, O(h²ᵏ), and the nodes inside an element to O(hᵏ⁺¹).
    """
    setting, length, radius, angle, elements = settings(), 1.0, 0.02, 3.0, 12
    phi = np.maximum(angle * ramp(setting), 1e-9)
    end = np.stack([length * np.sin(phi) / phi, np.zeros(len(phi)), length * (np.cos(phi) - 1.0) / phi], axis=1)
    turns = quaternion_product(quaternion_exp(np.outer(phi, [0.0, 1.0, 0.0])), TO_X)
    rod = Rod(
        "rod",
        [[0, 0, 0], [length, 0, 0]],
        elements=elements,
        order=order,
        radius=radius,
        material=MATERIAL,
        start=CLAMPED,
        end=RodEnd("clamped", Motion(end, turns)),
    )
    simulation = Simulation(Scene(rods=(rod,), settings=setting))
    for _ in range(260):
        simulation.advance()
    let_rest(simulation)
    nodes = simulation.rods["rod"]
    s = np.linspace(0.0, angle, elements * order + 1)
    arc = np.stack([np.sin(s), np.zeros(len(s)), np.cos(s) - 1.0], axis=1) * length / angle
    bound = {1: 3e-3, 2: 3e-5, 3: 3e-6}[order]
    np.testing.assert_allclose(simulation.frame().positions[nodes], arc, atol=bound)
    expected = Section(radius, MATERIAL).bend * angle / length
    _, torque = reaction(simulation, nodes.start)
    assert np.linalg.norm(torque) == pytest.approx(expected, rel=30 * bound)


def arc_points(radius, angle, count=400):
    """Points and tangents of an arc that starts at the origin along x and rises."""
    s = np.linspace(0.0, angle, count)
    zero = np.zeros(count)
    return radius * np.stack([np.sin(s), zero, 1.0 - np.cos(s)], axis=1), np.stack([np.cos(s), zero, np.sin(s)], axis=1)


@pytest.mark.parametrize("hold", ["clamped", "free"])
@pytest.mark.parametrize("order", ORDERS)
def test_a_drawn_arc_stays(order, hold):
    points, tangents = arc_points(0.5, 2.5)
    rod = Rod("rod", points, tangents, elements=5, order=order, radius=0.02, material=MATERIAL, start=RodEnd(hold))
    simulation = Simulation(Scene(rods=(rod,), settings=settings()))
    start = simulation.frame()
    assert simulation.energy().elastic < 1e-25
    for _ in range(200):
        frame = simulation.advance()
    assert np.abs(frame.positions - start.positions).max() < 1e-10


@pytest.mark.parametrize("order", ORDERS)
def test_an_arc_that_wants_to_be_straight_springs_straight(order):
    points, tangents = arc_points(0.4, 2.0)
    rod = Rod(
        "rod", points, tangents, elements=4, order=order, radius=0.03, material=MATERIAL, rest="straight", start=CLAMPED
    )
    simulation = Simulation(Scene(rods=(rod,), settings=settings(count=50_000)))
    assert simulation.energy().elastic == pytest.approx(0.5 * Section(0.03, MATERIAL).bend / 0.4**2 * 0.8, rel=0.1)
    let_rest(simulation, tolerance=1e-18, most=40_000)
    nodes = simulation.rods["rod"]
    expected = np.outer(np.linspace(0.0, 0.8, 4 * order + 1), [1.0, 0.0, 0.0])
    np.testing.assert_allclose(simulation.frame().positions[nodes], expected, atol=1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_a_small_weight_at_the_tip(order):
    """PL³/3EI + PL/GA of the weight, qL⁴/8EI + qL²/2GA of the rod's own: exact for orders 2 and 3, O(h²) for 1."""
    length, radius, mass, gravity, elements = 0.6, 0.05, 0.02, 9.81, 8
    material = Material(young_modulus=5e6, poisson_ratio=0.3, density=1.0)
    section = Section(radius, material)
    rod = Rod(
        "rod",
        [[0, 0, 0], [length, 0, 0]],
        elements=elements,
        order=order,
        radius=radius,
        material=material,
        start=CLAMPED,
    )
    body = RigidBody("body", (length, 0.0, 0.0), mass=mass, inertia=(1e-4, 1e-4, 1e-4))
    joint = Joint("joint", "fixed", Partner("rod", "end"), Partner("body"), position=(length, 0.0, 0.0))
    simulation = Simulation(Scene((body,), (rod,), (joint,), settings(step=1e-3, gravity=(0.0, 0.0, -gravity))))
    let_rest(simulation, tolerance=1e-16)
    p, q = mass * gravity, section.mass * gravity
    expected = p * length**3 / (3 * section.bend) + p * length / section.shear
    expected += q * length**4 / (8 * section.bend) + q * length**2 / (2 * section.shear)
    shear_part = (p * length + 0.5 * q * length**2) / section.shear / expected
    assert shear_part > 0.01, "shear counts"
    sag = -simulation.frame().positions[simulation.rods["rod"].stop - 1, 2]
    assert sag == pytest.approx(expected, rel=5e-3 if order == 1 else 1e-5)
