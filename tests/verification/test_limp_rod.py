"""A rod so limp that its elements cannot follow it hangs from a level clamp, half a turn within the first element."""

import numpy as np
import pytest

from tendril.solver import Material, Rod, RodEnd, Scene, Settings, Simulation

HAIR = Material(young_modulus=3.9e9, poisson_ratio=0.4, density=1320.0)


@pytest.mark.parametrize(("elements", "order"), [(20, 1), (20, 2), (20, 3), (8, 3)])
def test_a_hair_swings_from_a_level_clamp(elements, order):
    """No node leaves the circle the rod can reach, and energy only falls: all of it was there at the start."""
    rod = Rod("hair", ((0, 0, 0), (1, 0, 0)), elements=elements, order=order, radius=4e-5, material=HAIR,
              start=RodEnd("clamped"))  # fmt: skip
    simulation = Simulation(Scene(rods=(rod,), settings=Settings(frame_count=100)))
    start = simulation.energy().total
    weight = simulation.model.mass.sum() * 9.81
    for frame in simulation.frames():
        assert np.linalg.norm(frame.positions[simulation.rods["hair"]], axis=1).max() < 1.002
        assert simulation.energy().total < start + 1e-3 * weight
