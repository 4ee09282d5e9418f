"""A helical spring as a continuous rod, compressed without turning its ends: shape, stability, equivalent column.

The compressed helix is uniform: in the frame (normal, binormal, tangent of the section) all is constant along it,

    u = Ω e,   n = F e,   m = Kᵘ(u − u*),   v = e₃ + (Kᵛ)⁻¹ n,   u×m + v×n = 0,   v·e = height / length

with e = (0, sin β, cos β) the spring's axis and Ω the turn per length, which does not change. With small moves
y = (w, θ, δn, δm) in that frame, equilibrium is y′ = A y with a constant A:

    w′ = δv − u×w − v×θ           θ′ = δu − u×θ                          δv = (Kᵛ)⁻¹ δn, δu = (Kᵘ)⁻¹ δm
    δn′ = −u×δn − δu×n            δm′ = −u×δm − δu×m − v×δn − δv×n

and the spring buckles, its ends held, where the block of exp(A L) that takes (δn, δm) to (w, θ) is singular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve


def hat(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def small_moves(u, v, n, m, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """The matrix A (12, 12) of y′ = A y; ``place``, ``turn``: diagonals of Kᵛ, Kᵘ."""
    zero, u_hat, soft, pliant = np.zeros((3, 3)), hat(u), np.diag(1.0 / place), np.diag(1.0 / turn)
    return np.block(
        [
            [-u_hat, -hat(v), soft, zero],
            [zero, -u_hat, zero, pliant],
            [zero, zero, -u_hat, hat(n) @ pliant],
            [zero, zero, hat(n) @ soft - hat(v), hat(m) @ pliant - u_hat],
        ]
    )


@dataclass(frozen=True)
class Spring:
    """A spring of round wire, free of stress as the helix (R cos t, R sin t, c t); SI."""

    height: float
    coil: float  # R
    coils: float
    wire: float  # radius
    young: float
    poisson: float

    @property
    def angle(self) -> float:
        return 2.0 * np.pi * self.coils

    @property
    def length(self) -> float:
        """Of the wire."""
        return self.angle * float(np.hypot(self.coil, self.height / self.angle))

    @property
    def rest_curvature(self) -> np.ndarray:
        """u* in the frame (normal, binormal, tangent)."""
        c = self.height / self.angle
        return np.array([0.0, self.coil, c]) / (self.coil**2 + c**2)

    @property
    def stiffness(self) -> tuple[np.ndarray, np.ndarray]:
        """Diagonals of Kᵛ and Kᵘ, κ = 1."""
        area, moment = np.pi * self.wire**2, np.pi * self.wire**4 / 4.0
        shear = self.young / (2.0 * (1.0 + self.poisson))
        bend = self.young * moment
        return np.array([shear, shear, self.young]) * area, np.array([bend, bend, 2.0 * shear * moment])

    def compressed(self, by: float):
        """F, e, n, m, v, u of the uniform helix."""
        place, turn = self.stiffness
        rate = self.angle / self.length

        def state(beta, force):
            e = np.array([0.0, np.sin(beta), np.cos(beta)])
            u, n = rate * e, force * e
            return force, e, n, turn * (u - self.rest_curvature), np.array([0.0, 0.0, 1.0]) + n / place, u

        def miss(guess):
            _, e, n, m, v, u = state(*guess)
            return [v @ e * self.length - (self.height - by), (np.cross(u, m) + np.cross(v, n))[0]]

        slope = np.arctan2(self.coil, self.height / self.angle)
        return state(*fsolve(miss, [slope, -100.0 * by], xtol=1e-13))

    def frames(self, by: float, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (k, 3) and rotations (k, 3, 3) of the uniform helix at turns about its axis; d1 points inward."""
        _, e, _, _, v, u = self.compressed(by)
        radius = np.cross(e, v)[0] / np.linalg.norm(u)  # |v across e| / Ω, v having no part along the normal
        cos, sin, zero = np.cos(angles), np.sin(angles), np.zeros_like(angles)
        inward, round_ = np.stack([-cos, -sin, zero], axis=1), np.stack([-sin, cos, zero], axis=1)
        axis = np.tile([0.0, 0.0, 1.0], (len(angles), 1))
        d3 = e[2] * axis + e[1] * round_
        d2 = np.cross(d3, inward)
        height = (self.height - by) * angles / self.angle
        return -abs(radius) * inward + height[:, None] * axis, np.stack([inward, d2, d3], axis=2)

    def stability(self, by: float) -> float:
        """The determinant that vanishes where the spring buckles."""
        _, _, n, m, v, u = self.compressed(by)
        a = small_moves(u, v, n, m, *self.stiffness)
        return float(np.linalg.det(expm(a * self.length)[:6, 6:]))

    def buckling(self, most: float, samples: int = 90) -> float:
        """The smallest compression at which the uniform helix buckles, its ends held."""
        grid = np.linspace(most / samples, most, samples)
        values = [self.stability(by) for by in grid]
        i = next(i for i in range(samples - 1) if values[i] * values[i + 1] < 0.0)
        return float(brentq(self.stability, grid[i], grid[i + 1], xtol=1e-12))

    def column_buckling(self) -> float:
        """Haringx 1948: a column with shear that grows shorter, both ends clamped."""
        young, shear = self.young, self.young / (2.0 * (1.0 + self.poisson))
        slenderness = 0.5 * self.height / (2.0 * self.coil)
        root = 1.0 - 2.0 * np.pi**2 * (young - shear) / (2.0 * shear + young) / slenderness**2
        return float(self.height * young / (2.0 * (young - shear)) * (1.0 - np.sqrt(root)))
