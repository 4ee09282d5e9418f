"""Lagrange basis, Gauss points and lumped weights of an element of any order, as tables (paper 6.3.1, 6.3.4, 6.3.6).

A rod's order is a number: nothing else in the solver knows what "cubic" means. Uniformly reduced integration takes
as many Gauss points as the order, which keeps slender rods from locking in shear (6.3.5).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Basis(NamedTuple):
    """Tables of one order k: n = k + 1 nodes equally spaced on [0, 1], m = k Gauss points."""

    points: np.ndarray  # (m,) Gauss points ξ on [0, 1]
    weights: np.ndarray  # (m,) their weights, sum 1
    values: np.ndarray  # (m, n) φ_j(ξ_g)
    slopes: np.ndarray  # (m, n) dφ_j/dξ (ξ_g)
    lumped: np.ndarray  # (n,) ∫ φ_j dξ, the row-sum share of an element's mass at node j

    def flat(self) -> np.ndarray:
        """As the kernels read it: values and slopes by Gauss point (m, 2, n), then the lumped weights (n,)."""
        return np.concatenate([np.stack([self.values, self.slopes], axis=1).ravel(), self.lumped])


def lagrange(order: int, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Evaluate the Lagrange polynomials (96), (97) of ``order`` at ``xi`` (k,): values and slopes, (k, order + 1)."""
    nodes = np.arange(order + 1) / order
    values = np.ones((len(xi), order + 1))
    slopes = np.zeros((len(xi), order + 1))
    for j in range(order + 1):
        others = [i for i in range(order + 1) if i != j]
        scale = np.prod([nodes[j] - nodes[i] for i in others])
        values[:, j] = np.prod([xi - nodes[i] for i in others], axis=0) / scale
        for i in others:
            rest = [xi - nodes[k] for k in others if k != i]
            slopes[:, j] += (np.prod(rest, axis=0) if rest else np.ones(len(xi))) / scale
    return values, slopes


@lru_cache
def basis(order: int) -> Basis:
    """Make the tables of ``order`` ≥ 1; raises ValueError where a lumped mass is not positive (order 8 and up)."""
    points, weights = np.polynomial.legendre.leggauss(order)
    points, weights = 0.5 * (points + 1.0), 0.5 * weights
    fine_points, fine_weights = np.polynomial.legendre.leggauss(order + 1)
    lumped = 0.5 * fine_weights @ lagrange(order, 0.5 * (fine_points + 1.0))[0]
    if order < 1 or lumped.min() <= 0.0:
        raise ValueError(f"elements of order {order} have no positive lumped masses")
    return Basis(points, weights, *lagrange(order, points), lumped)
