"""Vibration: frequencies of the discrete rod against Timoshenko's, and the integrator against its own closed form.

Expected errors: frequencies O(h²), O(h⁴), O(h⁴) for orders 1, 2, 3 (lumped masses keep order 4 in dynamics); one
mode of frequency ω and modal damping b obeys x₁ = (x + Δt v)/(1 + ω²Δt²), v₁ = (x₁ − x)/(Δt (1 + b ω² Δt)) exactly
to first order of its amplitude; so damping is b ω²/2 (ζ = b ω/2) to O(Δt).
"""

import numpy as np
import pytest
from dense import move
from modes import modes
from planar_rod import Section, cantilever_frequency
from slopes import slope

from tendril.solver import Material, RigidBody, Rod, RodEnd, Scene, Settings, Simulation

MATERIAL = Material(young_modulus=5e6, poisson_ratio=0.3, density=1000.0)
LENGTH, RADIUS = 1.0, 0.03


def cantilever(order, elements, step=1e-3, damping=0.0, radius=RADIUS):
    rod = Rod(
        "rod",
        [[0, 0, 0], [LENGTH, 0, 0]],
        elements=elements,
        order=order,
        radius=radius,
        material=MATERIAL,
        start=RodEnd("clamped"),
        damping=damping,
    )
    settings = Settings(gravity=(0, 0, 0), frame_duration=step, frame_count=100_000, substeps=1)
    return Simulation(Scene(rods=(rod,), settings=settings))


@pytest.mark.parametrize(
    ("order", "elements", "expected"), [(1, (8, 16, 32), 2), (2, (4, 8, 16), 4), (3, (3, 4, 6, 8), 4)]
)
def test_the_first_bending_frequency_converges(order, elements, expected):
    exact, _ = cantilever_frequency(Section(RADIUS, MATERIAL), LENGTH)
    errors = [abs(modes(cantilever(order, n))[0][0] / exact - 1.0) for n in elements]
    assert slope(1.0 / np.array(elements), errors) == pytest.approx(expected, abs=0.3), errors
    assert errors[-1] < {1: 3e-3, 2: 1e-4, 3: 3e-5}[order]


def test_a_slender_rod_is_eulers_and_bernoullis():
    _, slender = cantilever_frequency(Section(0.002, MATERIAL), LENGTH)
    assert modes(cantilever(3, 8, radius=0.002))[0][0] == pytest.approx(slender, rel=1e-4)


def swing(step, damping, time, amplitude=1e-5):
    """The first mode let go: ω, and its amplitude at each step."""
    simulation = cantilever(3, 4, step, damping)
    omega, shapes = modes(simulation)
    shape = shapes[:, 0] / np.abs(shapes[:, 0]).max()
    start = simulation.state.x.copy()
    move(simulation, amplitude * shape)
    lever = np.reshape(shape, (-1, 6))[:, :3].ravel()
    found = []
    for _ in range(round(time / step)):
        found.append(lever @ (simulation.state.x - start) / (lever @ lever) / amplitude)
        simulation.advance()
    return omega[0], np.array(found)


@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_one_mode_in_time_is_the_integrators_closed_form(damping):
    step = 5e-3
    omega, found = swing(step, damping, 3.0)
    x, v, expected = 1.0, 0.0, []
    for _ in found:
        expected.append(x)
        new = (x + step * v) / (1.0 + (omega * step) ** 2)
        x, v = new, (new - x) / step / (1.0 + damping * omega**2 * step)
    np.testing.assert_allclose(found, expected, atol=3e-5)


def test_the_period_in_time_is_timoshenkos():
    """Zero crossings of the tip over seven periods, Δt a 1300th of one: to the mesh's 1e-4."""
    exact, slender = cantilever_frequency(Section(RADIUS, MATERIAL), LENGTH)
    step = 2.0 * np.pi / exact / 1300.0
    _, found = swing(step, 0.0, 7.2 * 2.0 * np.pi / exact)
    before = np.flatnonzero(found[:-1] * found[1:] < 0.0)
    crossings = (before + found[before] / (found[before] - found[before + 1])) * step
    omega = np.pi / np.polyfit(np.arange(len(crossings)), crossings, 1)[0]
    assert len(crossings) == 14
    assert omega == pytest.approx(exact, rel=1e-4)
    assert abs(slender / exact - 1.0) > 1e-3, "shear and rotary inertia count"


def test_rayleigh_damping_is_b_omega_over_two():
    """Rate of decay b ω²/2 on top of the integrator's own ω² Δt/2; together to O(Δt)."""
    b, steps, errors = 0.02, [4e-3, 2e-3, 1e-3], []
    for step in steps:
        omega, found = swing(step, b, 2.0)
        peaks = 1 + np.flatnonzero(
            (np.abs(found[1:-1]) > np.abs(found[:-2])) & (np.abs(found[1:-1]) >= np.abs(found[2:]))
        )
        rate = -np.polyfit(peaks * step, np.log(np.abs(found[peaks])), 1)[0]
        errors.append(abs(rate - 0.5 * b * omega**2) / (0.5 * b * omega**2))
    assert slope(steps, errors) == pytest.approx(1.0, abs=0.25), errors
    assert errors[-1] == pytest.approx(steps[-1] / b, rel=0.3), "what remains is the integrator's own"


def test_a_free_body_slows_down_exponentially():
    """v = v₀ e^(−ct), ω = ω₀ e^(−ct) exactly; the way it goes (v₀/c)(1 − e^(−ct)) to O(Δt)."""
    errors, steps = [], [1e-2, 5e-3, 2.5e-3]
    for step in steps:
        body = RigidBody(
            "body", velocity=(3.0, 0, 0), angular_velocity=(0, 0, 2.0), linear_damping=0.7, angular_damping=0.4
        )
        settings = Settings(gravity=(0, 0, 0), frame_duration=2.0, frame_count=2, substeps=round(2.0 / step))
        simulation = Simulation(Scene(bodies=(body,), settings=settings))
        simulation.advance()
        assert simulation.state.v[3] == pytest.approx(3.0 * np.exp(-1.4), rel=1e-10)
        assert simulation.state.w[5] == pytest.approx(2.0 * np.exp(-0.8), rel=1e-10)
        errors.append(abs(simulation.state.x[3] - 3.0 / 0.7 * (1.0 - np.exp(-1.4))))
    assert slope(steps, errors) == pytest.approx(1.0, abs=0.05)


def test_a_rod_slows_down_with_its_linear_damping():
    rod = Rod("rod", [[0, 0, 0], [1, 0, 0]], elements=3, order=2, radius=0.02, linear_damping=0.5)
    settings = Settings(gravity=(0, 0, 0), frame_duration=0.5, frame_count=3, substeps=100)
    simulation = Simulation(Scene(rods=(rod,), settings=settings))
    simulation.state.v.reshape(-1, 3)[1:] = [1.0, 2.0, 3.0]
    simulation.advance()
    expected = np.tile(np.array([1.0, 2.0, 3.0]) * np.exp(-0.25), (7, 1))
    np.testing.assert_allclose(simulation.state.v.reshape(-1, 3)[1:], expected, rtol=1e-9)
