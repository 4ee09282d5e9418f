"""How a simulation comes to rest, and where its discrete equilibrium lies."""

import numpy as np
from dense import evaluate, inverse_mass, mass, move


def let_rest(simulation, tolerance=1e-14, most=20000):
    """Run frame after frame; stop all motion at each peak of kinetic energy. Return the steps taken.

    ``tolerance`` is of the highest kinetic energy seen. Numerical damping alone would take a hundred times as long.
    """
    last = highest = 0.0
    for step in range(1, most + 1):
        simulation.advance()
        kinetic = simulation.energy().kinetic
        highest = max(highest, kinetic)
        if kinetic < last:
            simulation.state.v[:] = 0.0
            simulation.state.w[:] = 0.0
            if last < tolerance * highest:
                return step
            kinetic = 0.0
        last = kinetic
    raise AssertionError(f"no rest after {most} steps")


def imbalance(simulation):
    """∇Cᵀ(−α⁻¹C) + M g (6 N,): what is missing to equilibrium; rods only."""
    evaluate(simulation)
    simulation.state.lam[:] = -simulation.work.c / simulation.work.alpha
    evaluate(simulation)
    weight = mass(simulation.model).reshape(-1, 6)
    weight[:, 3:] = 0.0
    weight[:, :3] *= simulation.model.gravity
    return simulation.work.force + weight.ravel()


def settle(simulation, tolerance=1e-13, most=12):
    """Newton's method on the discrete equilibrium from where the simulation is; the state moves there."""
    free = np.flatnonzero(inverse_mass(simulation.model) > 0.0)
    size, scale = 6 * len(simulation.model.mass), np.abs(imbalance(simulation)).max()
    for _ in range(most):
        x, q = simulation.state.x.copy(), simulation.state.q.copy()

        def at(column, amount, x=x, q=q):
            simulation.state.x[:], simulation.state.q[:] = x, q
            change = np.zeros(size)
            change[column] = amount
            move(simulation, change)
            return imbalance(simulation)[free]

        stiffness = np.stack([(at(c, 1e-6) - at(c, -1e-6)) / 2e-6 for c in free], axis=1)
        simulation.state.x[:], simulation.state.q[:] = x, q
        change = np.zeros(size)
        change[free] = -np.linalg.solve(stiffness, imbalance(simulation)[free])
        move(simulation, change)
        if np.abs(change).max() < tolerance:
            return
    if np.abs(change).max() > 1e-10:
        raise AssertionError(f"Newton's method still moves by {np.abs(change).max()} ({scale})")
