"""The C++ twin of the rod kernel, written independently of it, gives the same rod."""

import numpy as np
import pytest

from tendril.benchmarks.speed.scenes import cantilever
from tendril.benchmarks.twin import Twin, build, compiler
from tendril.solver import Simulation

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C++ compiler here")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("twin"))[0]


@pytest.mark.parametrize("fixed", [False, True], ids=["any order", "known order"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_twin_follows_the_solver(library, order, fixed):
    """Over a second, in which the rod swings through: a mistake in either shows at once."""
    simulation = Simulation(cantilever(order, 12))
    twin = Twin(library, simulation, "rod", fixed)
    while simulation.time < 1.0:
        frame = simulation.advance()
        twin.advance()
        np.testing.assert_allclose(twin.positions, frame.positions[simulation.rods["rod"]], rtol=0, atol=1e-9)
