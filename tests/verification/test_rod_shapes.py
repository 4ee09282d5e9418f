"""Rings, tapers, elliptic sections, shear correction, rest curves and joints along a rod against closed forms."""

import numpy as np
import pytest
from dense import quaternion_exp, quaternion_product
from modes import modes
from planar_rod import Section
from resting import imbalance, let_rest

from tendril.solver import (
    CentreCurve,
    Joint,
    Material,
    Motion,
    Partner,
    RigidBody,
    Rod,
    RodEnd,
    Scene,
    Settings,
    Simulation,
)

MATERIAL = Material(young_modulus=2e6, poisson_ratio=0.3, density=1200.0)
LIGHT = Material(young_modulus=2e6, poisson_ratio=0.3, density=1.0)
SHEAR = MATERIAL.young_modulus / 2.6
ORDERS = [0, 1, 2, 3]
CLAMPED = RodEnd("clamped")
TO_X = np.sqrt(0.5) * np.array([1.0, 0.0, 1.0, 0.0])  # z axis turned to x


def settings(step=2e-3, gravity=(0.0, 0.0, 0.0), count=50_000):
    return Settings(gravity=gravity, frame_duration=step, frame_count=count, substeps=1)


def circle(radius, count=200):
    """Points of a ring in the plane z = 0, tangents and outward normals."""
    a = 2.0 * np.pi * np.arange(count) / count
    outward = np.stack([np.cos(a), np.sin(a), 0.0 * a], axis=1)
    return radius * outward, np.stack([-np.sin(a), np.cos(a), 0.0 * a], axis=1), outward


def ring(order, radius=0.4, thick=0.01, elements=24, rest="drawn", gravity=(0, 0, 0)):
    rod = Rod("ring", *circle(radius), closed=True, elements=elements, order=order, radius=thick, material=MATERIAL,
              rest=rest)  # fmt: skip
    return Simulation(Scene(rods=(rod,), settings=settings(gravity=gravity)))


def loaded_tip(load, direction, gravity=10.0, **rod):
    """Way of the tip, m, of a rod of a metre along x whose tip carries ``load`` N along ``direction``; y is d2."""
    beam = Rod("rod", [[0, 0, 0], [1, 0, 0]], normals=[[0, 0, 1.0]] * 2, material=LIGHT, start=CLAMPED, **rod)
    body = RigidBody("body", (1.0, 0.0, 0.0), mass=load / gravity, inertia=np.full(3, 1e-6))
    joint = Joint("joint", "fixed", Partner("rod", "end"), Partner("body"), position=(1.0, 0.0, 0.0))
    along = gravity * np.asarray(direction, float)
    simulation = Simulation(Scene((body,), (beam,), (joint,), settings(gravity=along)))
    let_rest(simulation, tolerance=1e-14)
    return simulation.frame().positions[simulation.rods["rod"].stop - 1] - [1.0, 0.0, 0.0]


# ---------------------------------------------------------------- rings


@pytest.mark.parametrize("order", ORDERS)
def test_a_ring_has_no_seam(order):
    """As many nodes as elements · order, at equal distances all the way round, and frames that meet."""
    simulation = ring(order)
    nodes = simulation.rods["ring"]
    places = simulation.frame().positions[nodes]
    assert len(places) == 24 * max(order, 1)
    steps = np.linalg.norm(places - np.roll(places, 1, axis=0), axis=1)
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_a_natural_ring_is_free_of_stress(order):
    simulation = ring(order)
    start = simulation.frame()
    assert simulation.energy().elastic < 1e-25
    for _ in range(100):
        frame = simulation.advance()
    assert np.abs(frame.positions - start.positions).max() < 1e-10


@pytest.mark.parametrize("order", ORDERS)
def test_a_bent_straight_rod_is_a_ring_of_pi_ei_over_r(order):
    """½ EI (1/R)² 2πR; the stretch of chords that are shorter than the arc comes on top, to O(hᵏ)."""
    energies = []
    for elements in (24, 48):
        simulation = ring(order, elements=elements, rest="straight")
        if order < 2:  # its circle is a little larger than the drawn one
            let_rest(simulation, tolerance=1e-10)
        energies.append(simulation.energy().elastic)
    expected = np.pi * Section(0.01, MATERIAL).bend / 0.4
    assert energies[-1] == pytest.approx(expected, rel={0: 5e-3, 1: 5e-3, 2: 1e-3, 3: 1e-3}[order])


@pytest.mark.parametrize("order", [2, 3])
def test_a_ring_rings(order):
    """In its plane ω² = n²(n² − 1)²/(n² + 1) · EI/(ρA R⁴), n = 2 twice (Hoppe); thin, so shear does not count."""
    section = Section(0.002, MATERIAL)
    frequencies, shapes = modes(ring(order, thick=0.002, elements=16))
    expected = np.sqrt(7.2 * section.bend / section.mass / 0.4**4)
    inside = [w for w, s in zip(frequencies, shapes.T) if w > 1e-3 * expected and plane_part(s) > 0.9]
    np.testing.assert_allclose(inside[:2], expected, rtol=2e-3)


def plane_part(shape):
    nodes = np.reshape(shape, (-1, 6))[:, :3]
    return np.sum(nodes[:, :2] ** 2) / np.sum(nodes**2)


@pytest.mark.parametrize("order", ORDERS)
def test_a_ring_falls_as_one_body(order):
    simulation = ring(order, gravity=(0, 0, -9.81))
    start = simulation.frame().positions
    for _ in range(50):
        frame = simulation.advance()
    moved = (frame.positions - start)[1:]
    np.testing.assert_allclose(moved, np.tile(moved[0], (len(moved), 1)), atol=1e-10)
    assert moved[0, 2] == pytest.approx(-0.5 * 9.81 * (50 * 51) * 2e-3**2, rel=1e-9)


def test_a_ring_hangs_on_a_joint():
    """A joint at a quarter of a ring takes its whole weight: it holds, and the ring's lowest point is below it."""
    points = np.roll(circle(0.4)[0][:, [2, 0, 1]], 0, axis=0)
    rod = Rod("ring", points, closed=True, elements=12, order=3, radius=0.01, material=MATERIAL, rest="straight")
    place = points[50]
    joint = Joint("hook", "spherical", Partner(), Partner("ring", at=0.25), position=place)
    simulation = Simulation(Scene(rods=(rod,), joints=(joint,), settings=settings(gravity=(0, 0, -9.81))))
    nodes = simulation.rods["ring"]
    for _ in range(300):
        frame = simulation.advance()
    gaps = np.linalg.norm(frame.positions[nodes] - place, axis=1)
    assert gaps.min() < 1e-9
    assert frame.positions[nodes][:, 2].min() < place[2] - 0.5


# ---------------------------------------------------------------- sections


@pytest.mark.parametrize(("order", "bound"), [(0, 2e-2), (1, 2e-2), (2, 2e-4), (3, 2e-5)])
def test_a_cone_bends_as_a_cone(order, bound):
    """PL³ 4/(3πE a³b) + PL/(πG ab) for radii a at the clamp and b at the tip (from ∫ (L − x)²/EI dx)."""
    a, b, load = 0.05, 0.02, 2e-3
    sag = -loaded_tip(load, (0, 0, -1), radius=np.array([a, b]), elements=12, order=order)[2]
    expected = 4.0 * load / (3.0 * np.pi * LIGHT.young_modulus * a**3 * b) + load / (np.pi * SHEAR * a * b)
    weight = own_weight_of_cone(a, b)
    assert sag - weight == pytest.approx(expected, rel=bound)


def own_weight_of_cone(a, b, gravity=10.0):
    """Sag of the tip under the cone's own weight, by quadrature of ∫ m(x)(L − x)/EI dx + ∫ Q/GA dx."""
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = 0.5 * (x + 1.0), 0.5 * w
    total = 0.0
    for s, ws in zip(x, w):
        r = a + (b - a) * s
        t = s + (1.0 - s) * x
        load = LIGHT.density * gravity * np.pi * (a + (b - a) * t) ** 2
        force, moment = (1.0 - s) * np.sum(w * load), (1.0 - s) * np.sum(w * load * (t - s))
        total += ws * (moment * (1.0 - s) / (LIGHT.young_modulus * np.pi * r**4 / 4.0) + force / (SHEAR * np.pi * r**2))
    return total


def test_radii_are_shared_out_at_the_points():
    """A rod of three radii has the mass of two cones, and its ends have the radii of its ends."""
    rod = Rod("rod", [[0, 0, 0], [1, 0, 0], [3, 0, 0]], radius=np.array([0.02, 0.06, 0.01]), elements=60, order=2,
              material=MATERIAL)  # fmt: skip
    simulation = Simulation(Scene(rods=(rod,)))
    cone = [length * np.pi / 3.0 * (a * a + a * b + b * b) for length, a, b in ((1, 0.02, 0.06), (2, 0.06, 0.01))]
    assert simulation.model.mass.sum() == pytest.approx(MATERIAL.density * sum(cone), rel=1e-3)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("across", [0, 1])
def test_an_ellipse_bends_by_its_second_moments(order, across):
    """Half axis a along d1 = z, b = a/2 along d2 = y: PL³/3EI with π a³b/4 along z and π ab³/4 along y."""
    a, b, load = 0.04, 0.02, 1e-3
    direction = ((0, 0, -1.0), (0, 1.0, 0))[across]
    moment = np.pi / 4.0 * (a**3 * b, a * b**3)[across]
    way = loaded_tip(load, direction, radius=a, aspect=0.5, elements=6, order=order) @ np.array(direction)
    weight = LIGHT.density * 10.0 * np.pi * a * b
    expected = load / (3 * LIGHT.young_modulus * moment) + load / (SHEAR * np.pi * a * b)
    expected += weight / (8 * LIGHT.young_modulus * moment) + weight / (2 * SHEAR * np.pi * a * b)
    assert way == pytest.approx(expected, rel=2e-4)


@pytest.mark.parametrize("order", ORDERS)
def test_an_ellipse_twists_by_saint_venant(order):
    """Torque G φ/L · π a³b³/(a² + b²), which is far from G (I₁ + I₂) φ/L; a twist of half a radian."""
    a, b, angle = 0.04, 0.01, 0.5
    setting = settings(count=4000)
    grown = 0.5 - 0.5 * np.cos(np.pi * np.minimum(np.arange(setting.sample_count) * 4e-3, 1.0))
    turns = quaternion_product(quaternion_exp(np.outer(angle * grown, [1.0, 0, 0])), TO_X)
    motion = Motion(np.tile([1.0, 0, 0], (setting.sample_count, 1)), turns)
    rod = Rod("rod", [[0, 0, 0], [1, 0, 0]], radius=a, aspect=b / a, elements=5, order=order, material=MATERIAL,
              start=CLAMPED, end=RodEnd("clamped", motion))  # fmt: skip
    simulation = Simulation(Scene(rods=(rod,), settings=setting))
    for _ in range(260):
        simulation.advance()
    let_rest(simulation, tolerance=1e-18)
    imbalance(simulation)
    torque = simulation.work.force[6 * simulation.rods["rod"].start + 5]
    expected = SHEAR * np.pi * a**3 * b**3 / (a**2 + b**2) * angle
    assert torque == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("corrected", [False, True])
def test_a_thick_rod_shears_by_kappa(corrected):
    """L/r = 4: PL/(κGA) is a tenth of the sag; κ = 6 (1 + ν)/(7 + 6 ν) for a circle (126), or 1."""
    radius, load = 0.25, 0.5
    kappa = 6 * 1.3 / (7 + 6 * 0.3) if corrected else 1.0
    section = Section(radius, LIGHT)
    section.shear *= kappa
    sag = -loaded_tip(load, (0, 0, -1), radius=radius, elements=4, order=3, shear_correction=corrected)[2]
    weight = section.mass * 10.0
    expected = load / (3 * section.bend) + load / section.shear + weight / (8 * section.bend)
    expected += weight / (2 * section.shear)
    assert load / section.shear > 0.1 * load / (3 * section.bend)
    assert sag == pytest.approx(expected, rel=1e-4)


# ---------------------------------------------------------------- rest curves


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_rod_becomes_its_rest_curve(order):
    """Drawn straight and too short, it wants to be a quarter of a circle: that is where it comes to rest."""
    angle = np.linspace(0.0, 0.5 * np.pi, 60)
    zero = 0.0 * angle
    points = 0.6 * np.stack([np.sin(angle), zero, 1.0 - np.cos(angle)], axis=1)
    tangents = np.stack([np.cos(angle), zero, np.sin(angle)], axis=1)
    rod = Rod("rod", [[0, 0, 0], [0.8, 0, 0]], elements=6, order=order, radius=0.02, material=MATERIAL, rest="curve",
              rest_curve=CentreCurve(points, tangents), start=CLAMPED)  # fmt: skip
    simulation = Simulation(Scene(rods=(rod,), settings=settings()))
    assert simulation.energy().elastic > 0.01
    let_rest(simulation, tolerance=1e-18)
    assert simulation.energy().elastic < 1e-12
    s = np.linspace(0.0, 0.5 * np.pi, 6 * order + 1)
    expected = 0.6 * np.stack([np.sin(s), 0.0 * s, 1.0 - np.cos(s)], axis=1)
    bound = {1: 1e-2, 2: 1e-5, 3: 1e-5}[order]
    np.testing.assert_allclose(simulation.frame().positions[simulation.rods["rod"]], expected, atol=bound)


# ---------------------------------------------------------------- joints along a rod


@pytest.mark.parametrize("at", [0.1, 1.0 / 3.0, 0.37, 0.5, 0.99])
@pytest.mark.parametrize("order", ORDERS)
def test_a_joint_along_a_rod_is_where_it_should_be(order, at):
    """On an uneven polyline: the node it takes hold of lies at that share of the arc length, and stays on the body."""
    points = np.array([[0, 0, 0], [0.1, 0, 0], [0.1, 0.5, 0], [1.0, 0.5, 0.2]])
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
    place = np.array([np.interp(at, knots, points[:, i]) for i in range(3)])
    rod = Rod("rod", points, elements=7, order=order, radius=0.02, material=MATERIAL, start=CLAMPED)
    body = RigidBody("body", place - [0.0, 0.0, 0.2], mass=0.2, inertia=np.full(3, 1e-3))
    joint = Joint("joint", "spherical", Partner("rod", at=at), Partner("body"), position=place)
    simulation = Simulation(Scene((body,), (rod,), (joint,), settings(gravity=(0, 0, -9.81))))
    nodes = simulation.rods["rod"]
    gaps = np.linalg.norm(simulation.frame().positions[nodes] - place, axis=1)
    node = nodes.start + int(np.argmin(gaps))
    assert gaps.min() < 1e-12
    for _ in range(200):
        frame = simulation.advance()
    arm = frame.positions[node] - frame.positions[simulation.bodies["body"]]
    turned = quaternion_product(
        quaternion_product(frame.rotations[1], [0.0, 0.0, 0.0, 0.2]), frame.rotations[1] * [1, -1, -1, -1]
    )[1:]
    np.testing.assert_allclose(arm, turned, atol=1e-6)
    assert frame.positions[node, 2] < place[2] - 1e-3, "the rod sags under it"


def test_a_load_in_the_middle_of_a_beam():
    """PL³/192EI + PL/4GA under the middle of a beam held at both ends, the joint at half its length."""
    load, radius = 0.05, 0.03
    rod = Rod("rod", [[0, 0, 0], [1, 0, 0]], elements=5, order=3, radius=radius, material=LIGHT, start=CLAMPED,
              end=CLAMPED)  # fmt: skip
    body = RigidBody("body", (0.5, 0.0, 0.0), mass=load / 10.0, inertia=np.full(3, 1e-6))
    joint = Joint("joint", "fixed", Partner("rod", at=0.5), Partner("body"), position=(0.5, 0.0, 0.0))
    simulation = Simulation(Scene((body,), (rod,), (joint,), settings(gravity=(0, 0, -10.0))))
    let_rest(simulation, tolerance=1e-14)
    section = Section(radius, LIGHT)
    weight = section.mass * 10.0
    expected = load / (192 * section.bend) + load / (4 * section.shear)
    expected += weight / (384 * section.bend) + weight / (8 * section.shear)
    assert -simulation.frame().positions[1, 2] == pytest.approx(expected, rel=2e-4)
