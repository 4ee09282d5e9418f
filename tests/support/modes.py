"""Small vibrations of a simulation where nothing is under stress."""

import numpy as np
from dense import evaluate, inverse_mass, jacobian
from scipy.linalg import eigh


def modes(simulation):
    """Angular frequencies, rad/s, and shapes (6 N, k) of the small vibrations: (∇Cᵀ α⁻¹ ∇C) x = ω² M x."""
    evaluate(simulation)
    j, w = jacobian(simulation), inverse_mass(simulation.model)
    free = np.flatnonzero(w > 0.0)
    j = j[:, free] * np.sqrt(w[free])
    squares, shapes = eigh(j.T @ (j / simulation.work.alpha[:, None]))
    full = np.zeros((len(w), len(free)))
    full[free] = np.sqrt(w[free])[:, None] * shapes
    return np.sqrt(np.maximum(squares, 0.0)), full
