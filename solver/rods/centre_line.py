"""The drawn centre line of a rod as a curve that can be measured.

Straight between the points, or cubic Hermite. Parameters are segment and place u in [0, 1]; arc length is measured by
Gauss quadrature and inverted by Newton's method kept inside a bracket.
"""

from __future__ import annotations

import numpy as np

from ..orientation import unit

GAUSS, WEIGHTS = np.polynomial.legendre.leggauss(12)
GAUSS, WEIGHTS = 0.5 * (GAUSS + 1.0), 0.5 * WEIGHTS
MOST_PIECES = 256  # of a segment: only a curve that turns on the spot needs so many
PRECISION = 1.0e-14


class CentreLine:
    """A curve through ``points`` (n, 3), with ``tangents`` (n, 3) of any length, or without.

    The Hermite tangents of a segment are as long as the segment's own arc length, found by iteration. So the
    parameter runs evenly, and a curve sampled with exact tangents at distance h comes back to O(h⁴).
    ``knots`` (n,) are the arc lengths at the points, ``length`` the last of them. ``closed``: the last point is the
    first one again.
    """

    def __init__(self, points: np.ndarray, tangents: np.ndarray | None = None, closed: bool = False):
        self.points = np.asarray(points, dtype=np.float64)
        self.smooth = tangents is not None
        step = np.diff(self.points, axis=0)
        chord = np.sqrt(np.sum(step * step, axis=1))
        self.directions = point_directions(self.points, tangents, closed)
        if self.smooth:
            self.coefficients = _hermite(self.points, self.directions, chord)
        else:
            zero = np.zeros_like(step)
            self.coefficients = np.stack([self.points[:-1], step, zero, zero], axis=1)
        self._table()

    def position(self, segment: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return places (k, 3)."""
        c = self.coefficients[segment]
        u = u[:, None]
        return c[:, 0] + u * (c[:, 1] + u * (c[:, 2] + u * c[:, 3]))

    def velocity(self, segment: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return dp/du (k, 3)."""
        c = self.coefficients[segment]
        u = u[:, None]
        return c[:, 1] + u * (2.0 * c[:, 2] + u * (3.0 * c[:, 3]))

    def direction(self, segment: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return unit tangents (k, 3). Where the curve stops to turn back, the direction just before."""
        velocity = self.velocity(segment, u)
        stop = np.sum(velocity * velocity, axis=1) <= (1.0e-9 * self.length) ** 2 / len(self.points) ** 2
        if stop.any():
            nearby = np.where(u > 1.0e-3, u - 1.0e-3, u + 1.0e-3)
            velocity = np.where(stop[:, None], self.velocity(segment, nearby), velocity)
        return unit(velocity)

    def locate(self, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return segment and u at arc lengths (k,) in [0, length], each right to about 1e-14 of the length."""
        last = len(self._piece_start) - 1
        piece = np.clip(np.searchsorted(self._piece_start, lengths, side="right") - 1, 0, last)
        segment = piece // self._pieces
        low = (piece % self._pieces) / self._pieces
        width = 1.0 / self._pieces
        target = lengths - self._piece_start[piece]
        whole = self._piece_length[piece]
        if not self.smooth:
            return segment, np.clip(low + width * target / whole, 0.0, 1.0)
        return segment, _invert(self, segment, low, low + width, target, whole)

    def arc(self, segment: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Return ∫|dp/du| du from ``start`` to ``end``, (k,), by Gauss quadrature of 12 points."""
        return _arc(self.coefficients[segment], start, end)

    def _table(self) -> None:
        """Measure the segments in ever more pieces, until their sum no longer changes."""
        count = len(self.coefficients)
        self._pieces = 1
        lengths = _piece_lengths(self.coefficients, 1)
        while self.smooth and self._pieces < MOST_PIECES:
            finer = _piece_lengths(self.coefficients, 2 * self._pieces)
            change = np.abs(finer.reshape(count, -1).sum(axis=1) - lengths.reshape(count, -1).sum(axis=1))
            settled = change.max() <= PRECISION * finer.sum() / count
            self._pieces, lengths = 2 * self._pieces, finer
            if settled:
                break
        ends = np.cumsum(lengths)
        self._piece_length = lengths
        self._piece_start = np.concatenate([[0.0], ends[:-1]])
        self.length = float(ends[-1])
        self.knots = np.concatenate([[0.0], ends[self._pieces - 1 :: self._pieces]])


def _arc(coefficients: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the arc lengths of cubics (k, 4, 3) between parameters (k,)."""
    width = end - start
    u = (start[:, None] + width[:, None] * GAUSS)[..., None]
    c = coefficients[:, :, None, :]
    velocity = c[:, 1] + u * (2.0 * c[:, 2] + u * (3.0 * c[:, 3]))
    return width * (np.sqrt(np.sum(velocity * velocity, axis=2)) @ WEIGHTS)


def _piece_lengths(coefficients: np.ndarray, pieces: int) -> np.ndarray:
    """Return the arc lengths of ``pieces`` equal pieces of every segment, in order."""
    start = np.tile(np.arange(pieces) / pieces, len(coefficients))
    return _arc(np.repeat(coefficients, pieces, axis=0), start, start + 1.0 / pieces)


def _hermite(points: np.ndarray, directions: np.ndarray, chord: np.ndarray) -> np.ndarray:
    """Return the coefficients (n−1, 4, 3) of the cubics whose end tangents are as long as the cubics are.

    The length of a Hermite cubic changes by at most half of the change of its tangents' lengths (for tangents
    L t₀, L t₁: |∂/∂L| ≤ ∫|(3u²−4u+1) t₀ + (3u²−2u) t₁| du ≤ ½), so the iteration converges for every input.
    """
    start, step = points[:-1], np.diff(points, axis=0)
    length = chord
    for _ in range(60):
        first, second = length[:, None] * directions[:-1], length[:, None] * directions[1:]
        cubic = np.stack(
            [start, first, 3.0 * step - 2.0 * first - second, -2.0 * step + first + second],
            axis=1,
        )
        measured = _piece_lengths(cubic, 4).reshape(-1, 4).sum(axis=1)
        if np.all(np.abs(measured - length) <= 1.0e-13 * measured):
            break
        length = measured
    return cubic


def point_directions(points: np.ndarray, tangents: np.ndarray | None, closed: bool = False) -> np.ndarray:
    """Return unit tangents (n, 3) at the points: as given, or of the polyline, where corners are halved.

    At a full turn of a polyline it is the way in. ``closed``: the last point is the first again, and a corner.
    """
    if tangents is not None:
        return unit(tangents)
    ways = unit(np.diff(points, axis=0))
    both = ways[:-1] + ways[1:]
    back = np.sum(both * both, axis=1) < 1.0e-20
    inner = unit(np.where(back[:, None], ways[:-1], both))
    if closed:
        seam = ways[-1:] + ways[:1]
        seam = unit(seam) if np.sum(seam * seam) >= 1.0e-20 else ways[-1:]
        return np.concatenate([seam, inner, seam])
    return np.concatenate([ways[:1], inner, ways[-1:]])


def _invert(line: CentreLine, segment, low, high, target, whole) -> np.ndarray:
    """Solve arc(low, u) = target for u in [low, high]: Newton's method, halving the bracket where it leaves it."""
    start = low
    u = low + (high - low) * np.clip(target / np.where(whole > 0.0, whole, 1.0), 0.0, 1.0)
    low, high = low.copy(), high.copy()
    for _ in range(80):
        error = line.arc(segment, start, u) - target
        low = np.where(error <= 0.0, u, low)
        high = np.where(error >= 0.0, u, high)
        velocity = line.velocity(segment, u)
        speed = np.sqrt(np.sum(velocity * velocity, axis=1))
        step = error / np.where(speed > 0.0, speed, np.inf)
        trial = u - step
        outside = (trial < low) | (trial > high) | (speed <= 0.0)
        trial = np.where(outside, 0.5 * (low + high), trial)
        moved = np.abs(trial - u)
        u = trial
        if np.all((moved <= 4.0e-16) | (np.abs(error) <= 1.0e-15 * line.length)):
            break
    return u
