"""Equilibria and tangent stiffness of many elements: Newton's method on the solver's own forces, sparse."""

import numpy as np
from dense import inverse_mass, move, nodes_of
from resting import imbalance
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu


def neighbours(model):
    """For every node, the sorted nodes that it shares a connector with, itself among them."""
    near = [{n} for n in range(len(model.mass))]
    for connector in model.connectors:
        nodes = nodes_of(connector)
        for n in nodes:
            near[n].update(nodes)
    return [sorted(n) for n in near]


def colours(near):
    """Groups of nodes no two of which act on one node."""
    colour = np.full(len(near), -1)
    for n in range(len(near)):
        taken = {colour[b] for a in near[n] for b in near[a]}
        colour[n] = next(c for c in range(len(near)) if c not in taken)
    return [np.flatnonzero(colour == c) for c in range(colour.max() + 1)]


class Tangent:
    """The stiffness −∂(force)/∂(move) of a simulation where it is, by central differences of ``imbalance``."""

    def __init__(self, simulation, amount=1e-6):
        self.simulation, self.amount = simulation, amount
        self.near = neighbours(simulation.model)
        self.groups = colours(self.near)
        self.free = np.flatnonzero(inverse_mass(simulation.model) > 0.0)

    def matrix(self):
        """(free, free), sparse."""
        state, size = self.simulation.state, 6 * len(self.near)
        x, q = state.x.copy(), state.q.copy()
        rows, columns, values = [], [], []
        for group in self.groups:
            for e in range(6):
                difference = np.zeros(size)
                for sign in (1.0, -1.0):
                    state.x[:], state.q[:] = x, q
                    change = np.zeros(size)
                    change[6 * group + e] = sign * self.amount
                    move(self.simulation, change)
                    difference -= sign * imbalance(self.simulation)
                for n in group:
                    touched = (6 * np.array(self.near[n])[:, None] + np.arange(6)).ravel()
                    rows.append(touched)
                    columns.append(np.full(len(touched), 6 * n + e))
                    values.append(difference[touched] / (2.0 * self.amount))
        state.x[:], state.q[:] = x, q
        where = np.concatenate(rows), np.concatenate(columns)
        return csc_matrix((np.concatenate(values), where), (size, size))[self.free][:, self.free].tocsc()


def find_rest(simulation, tolerance=1e-11, most=40, longest=0.2):
    """Move to the equilibrium near the state; no single move is longer than ``longest`` (m or rad)."""
    tangent = Tangent(simulation)
    for _ in range(most):
        change = np.zeros(6 * len(simulation.model.mass))
        change[tangent.free] = splu(tangent.matrix()).solve(imbalance(simulation)[tangent.free])
        move(simulation, change * min(1.0, longest / np.abs(change).max()))
        if np.abs(change).max() < tolerance:
            return
    if np.abs(change).max() > 1e3 * tolerance:
        raise AssertionError(f"Newton's method still moves by {np.abs(change).max()}")
