"""The continuous Cosserat rod in space: equilibria by shooting, independent of elements and of the solver's algebra.

With n(s), m(s) the force and moment (world) that the part beyond s exerts on the part before it:

    p′ = R (v* + Kᵛ⁻¹ Rᵀ n)      q′ = ½ q (0, u* + Kᵘ⁻¹ Rᵀ m)      n′ = −f      m′ = −p′ × n
"""

import numpy as np
from scipy.integrate import solve_ivp


def cross(a, b):
    """a × b for columns, without the overhead of numpy's."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotate(q, a):
    """R(q) a for columns: q (4, k) of unit length, a (3, k)."""
    t = 2.0 * cross(q[1:], a)
    return a + q[0] * t + cross(q[1:], t)


class Flight:
    """Integrates the rod from s = 0 for many guesses of (n, m) at once.

    ``shear``, ``bend``: diagonals (3,) of Kᵛ, Kᵘ; ``curvature``: s → u* (3,); ``load``: force per length f (3,), world.
    """

    def __init__(self, length, shear, bend, curvature, load=(0.0, 0.0, 0.0), place=(0, 0, 0), turn=(1, 0, 0, 0)):
        self.length, self.curvature = length, curvature
        self.soft, self.pliant = 1.0 / np.asarray(shear, float)[:, None], 1.0 / np.asarray(bend, float)[:, None]
        self.load = np.asarray(load, float)[:, None]
        self.start = np.concatenate([place, turn]).astype(float)

    def slope(self, s, flat):
        """d/ds of (p, q, n, m), (13 k,)."""
        y = flat.reshape(13, -1)
        q = y[3:7] / np.sqrt(np.sum(y[3:7] ** 2, axis=0))
        back = q * np.array([1.0, -1.0, -1.0, -1.0])[:, None]
        v = self.soft * rotate(back, y[7:10])
        v[2] += 1.0
        u = self.pliant * rotate(back, y[10:]) + np.reshape(self.curvature(s), (3, 1))
        out = np.empty_like(y)
        out[:3] = rotate(q, v)
        out[3] = -0.5 * np.sum(q[1:] * u, axis=0)
        out[4:7] = 0.5 * (q[0] * u + cross(q[1:], u))
        out[7:10] = -self.load
        out[10:] = -cross(out[:3], y[7:10])
        return out.ravel()

    def __call__(self, guesses, at=None, tolerance=1e-11):
        """States (13, k) at the end for guesses (6, k) of n, m at the start; or (13, k, samples) at arc lengths."""
        guesses = np.asarray(guesses, float).reshape(6, -1)
        y = np.concatenate([np.tile(self.start[:, None], guesses.shape[1]), guesses])
        run = solve_ivp(
            self.slope, (0.0, self.length), y.ravel(), method="DOP853", rtol=tolerance, atol=1e-3 * tolerance, t_eval=at
        )
        found = run.y.reshape(13, -1, run.y.shape[1])
        return found if at is not None else found[..., -1]

    def solve(self, guess, miss, scale, tolerance=1e-10, most=30):
        """Newton's method on ``miss(states (13, k)) -> (6, k)``; ``scale`` (6,): steps of the differences."""
        guess, scale = np.array(guess, float), np.asarray(scale, float)
        for _ in range(most):
            trials = guess[:, None] + np.concatenate([np.zeros((6, 1)), np.diag(scale)], axis=1)
            misses = miss(self(trials))
            error = np.abs(misses[:, 0]).max()
            if error < tolerance:
                return guess
            guess += np.linalg.solve((misses[:, 1:] - misses[:, :1]) / scale, -misses[:, 0])
        raise AssertionError(f"shooting still misses by {error}")


def free_end(states):
    """Miss of a free end: its force and moment."""
    return states[7:13]


def held_end(place, turn):
    """Miss of a clamped end at ``place`` with the frame ``turn``: the errors of place and of turn (rad)."""
    place, turn = np.asarray(place, float)[:, None], np.asarray(turn, float)

    def miss(states):
        q = states[3:7] / np.sqrt(np.sum(states[3:7] ** 2, axis=0))
        vector = turn[0] * q[1:] - q[0] * turn[1:, None] - cross(turn[1:], q[1:])
        sign = np.sign(turn @ q)
        return np.concatenate([states[:3] - place, 2.0 * sign * vector])

    return miss
