"""The cantilever of section 9.2 at rest: exact tips, and what every program needs to come as near to its own.

A rod without stretch and shear is compared with the exact rod without stretch and shear. The peers hold their first
segment as a whole, and bend from its middle on: each is compared with the exact rod clamped half a segment in. (Against
the whole rod pyPBD would be 21 mm off at 30 segments, and it is 0.15 mm off the rod it really computes.) So what counts
is the discretisation, not how a clamp is laid out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_bvp

from ..peers.scenes import DENSITY, GRAVITY, POISSON, ROD_LENGTH, ROD_RADIUS, YOUNG
from .workers import Sample, Worker

ORDERS = {1: (3, 5, 7, 10, 15, 20, 25, 30, 40, 60, 80), 2: (1, 2, 3, 4, 6, 8, 12), 3: (1, 2, 3, 4, 6)}
NAMES = {1: "linear", 2: "quadratic", 3: "cubic"}
WITHOUT_SHEAR = ("MuJoCo", "PositionBasedDynamics")
SLOWER = 10.0  # times, at equal error


def exact_tip(stretch: bool, clamp: float = 0.0) -> np.ndarray:
    """Tip (x, z) of the planar Cosserat rod under its weight, held up to ``clamp`` m, by its boundary value problem.

    With the force n = −w (L − s) e_z of what lies beyond s and the angle θ of the tangent: E I θ′ = m, m′ = −x′ n,
    stretch N/(E A) along the tangent and shear Q/(G A) across it, or neither.
    """
    area, second = math.pi * ROD_RADIUS**2, 0.25 * math.pi * ROD_RADIUS**4
    weight = DENSITY * area * GRAVITY
    axial, shear = (1.0 / (YOUNG * area), 2.0 * (1.0 + POISSON) / (YOUNG * area)) if stretch else (0.0, 0.0)

    def slope(s, y):
        angle, moment = y[0], y[1]
        force = -weight * (ROD_LENGTH - s)
        along, across = 1.0 + axial * force * np.sin(angle), shear * force * np.cos(angle)
        dx = along * np.cos(angle) - across * np.sin(angle)
        dz = along * np.sin(angle) + across * np.cos(angle)
        return np.vstack([moment / (YOUNG * second), -dx * force, dx, dz])

    def ends(a, b):
        return np.array([a[0], b[1], a[2] - clamp, a[3]])

    s = np.linspace(clamp, ROD_LENGTH, 201)
    guess = np.zeros((4, len(s)))
    guess[2] = s
    solution = solve_bvp(slope, ends, s, guess, tol=1e-11, max_nodes=10**5)
    if not solution.success:
        raise RuntimeError(solution.message)
    return solution.y[2:, -1]


@dataclass
class Match:
    """A peer's rod, and the cheapest of ours of one order that ends at least as near to its exact tip."""

    peer: str
    segments: str
    error: float
    order: int
    elements: int
    ratio: float  # their CPU time for a simulated second in units of ours


def matches(ours: dict[str, Sample], peers: list[Worker]) -> list[Match]:
    """All peers' rods that came to rest, with ours of each order."""
    shearing = exact_tip(True)

    def error(sample: Sample, target) -> float:
        return float(np.linalg.norm(np.array(sample.rest) - target))

    found = []
    for peer in peers:
        for name, sample in peer.samples.items():
            if sample.rest is None:
                continue
            segment = ROD_LENGTH / int(name.removeprefix("rod "))
            far = error(sample, exact_tip(not peer.about.startswith(WITHOUT_SHEAR), 0.5 * segment))
            for order, counts in ORDERS.items():
                good = [n for n in counts if error(ours[f"equal {order} {n}"], shearing) <= far]
                if good:
                    mine = ours[f"equal {order} {good[0]}"]
                    ratio = (sample.least / sample.time_step) / (mine.least / mine.time_step)
                    found.append(Match(peer.about, name.removeprefix("rod "), far, order, good[0], ratio))
    return found
