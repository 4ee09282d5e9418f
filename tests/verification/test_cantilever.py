"""The large-deflection cantilever of the paper's section 9.2 against the continuous rod.

E = 5 MPa, d = 0.1 m, L = 1 m, ρ = 1000 kg/m³; the paper gives no ν: here ν = 0.3. Expected error of the tip: O(h²),
O(h⁴), O(h⁶) for orders 1, 2, 3, lumped masses included: their row sums integrate an even weight exactly.
"""

import numpy as np
import pytest
from planar_rod import Section, hanging_cantilever
from resting import let_rest, settle
from slopes import slope

from tendril.solver import Material, Rod, RodEnd, Scene, Settings, Simulation

MATERIAL = Material(young_modulus=5e6, poisson_ratio=0.3, density=1000.0)
RADIUS, GRAVITY = 0.05, 9.81


@pytest.fixture(scope="module")
def exact():
    """Place (x, z) of the tip."""
    return hanging_cantilever(Section(RADIUS, MATERIAL), 1.0, GRAVITY)[:2]


def cantilever(order, elements, step=1e-3):
    rod = Rod(
        "rod",
        [[0, 0, 0], [1, 0, 0]],
        elements=elements,
        order=order,
        radius=RADIUS,
        material=MATERIAL,
        start=RodEnd("clamped"),
    )
    return Simulation(Scene(rods=(rod,), settings=Settings(frame_duration=step, frame_count=100_000, substeps=1)))


def tip(simulation):
    return simulation.frame().positions[-1, [0, 2]]


@pytest.mark.parametrize(("order", "elements"), [(1, (8, 16, 32)), (2, (8, 12, 16)), (3, (3, 4, 6))])
def test_the_tip_converges_with_twice_the_order(order, elements, exact):
    errors = []
    for count in elements:
        simulation = cantilever(order, count)
        let_rest(simulation)
        settle(simulation)
        errors.append(np.linalg.norm(tip(simulation) - exact))
    assert slope(1.0 / np.array(elements), errors) == pytest.approx(2 * order, abs=0.2), errors


def test_coming_to_rest_ends_at_the_equilibrium(exact):
    """Nothing but the dynamics: six cubic elements come to rest at the tip of the continuous rod, to 2e-7 m."""
    simulation = cantilever(3, 6)
    let_rest(simulation, tolerance=1e-16)
    assert exact[1] < -0.35, "a large deflection"
    assert np.linalg.norm(tip(simulation) - exact) < 2e-7
    assert np.abs(simulation.frame().positions[:, 1]).max() < 1e-12, "in its plane"


def test_the_place_of_rest_does_not_depend_on_the_time_step():
    ends = []
    for step in (4e-3, 1e-3):
        simulation = cantilever(2, 4, step)
        let_rest(simulation, tolerance=1e-18)
        ends.append(tip(simulation))
        settle(simulation)
        ends.append(tip(simulation))
    assert np.abs(np.array(ends) - ends[-1]).max() < 1e-7
