"""From a drawn centre line to the nodes of a rod: equal arc length, and a frame at every node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..orientation import quaternion_from_matrix, shortest_turn, unit
from ..scene import SceneError
from .basis import basis
from .centre_line import CentreLine

FINEST_TURN = 0.02  # rad between two samples along which a frame is carried: error below 1e-9 of the twist
FEWEST_STEPS = 8  # between neighbouring nodes or points
FARTHEST = 0.01  # of an element's length, that an inner node may be beside the curve


@dataclass(frozen=True, eq=False)
class Discretisation:
    """The nodes of a rod, from start to end: n = elements · order + 1, one less for a ring.

    ``positions`` (n, 3) m; ``rotations`` (n, 4), d3 the tangent; ``lengths`` (elements,) of the elements along the
    drawn curve, m; ``arcs`` (n,) of the nodes and ``knots`` of the points of the centre line, m.
    """

    positions: np.ndarray
    rotations: np.ndarray
    lengths: np.ndarray
    arcs: np.ndarray
    knots: np.ndarray

    def at_points(self, values, arcs: np.ndarray) -> np.ndarray:
        """Interpolate ``values``, one number or one for each point of the centre line, at arc lengths."""
        if np.ndim(values) == 0:
            return np.full(np.shape(arcs), float(values))
        values = np.asarray(values, dtype=np.float64)
        ring = len(values) < len(self.knots)
        return np.interp(arcs, self.knots, np.append(values, values[0]) if ring else values)


def element_bounds(elements: int, breaks) -> np.ndarray:
    """Return the ends of the elements as shares of the arc length, (count + 1,).

    ``breaks`` in (0, 1) are among them; between two of them elements are equally long. Each gap gets one element, the
    rest go where elements are longest, so that there are ``elements``, or one for each gap where that is more.
    """
    ends = np.unique(np.concatenate([[0.0, 1.0], [b for b in breaks if 0.0 < b < 1.0]]))
    gaps = np.diff(ends)
    counts = np.ones(len(gaps), dtype=int)
    for _ in range(elements - len(gaps)):
        counts[np.argmax(gaps / counts)] += 1
    inner = [a + (b - a) * np.arange(n) / n for a, b, n in zip(ends[:-1], ends[1:], counts)]
    return np.append(np.concatenate(inner), 1.0)


def discretise(
    points, tangents, normals, elements: int, order: int, name: str = "", closed: bool = False, breaks=()
) -> Discretisation:
    """Lay ``elements`` elements of polynomial ``order`` along a centre line at equal arc length.

    ``points`` (k, 3), ``tangents`` and ``normals`` (k, 3) or None, as in ``Rod``; ``breaks``: shares of the arc length
    where an element has to end, see ``element_bounds``. Nodes are equally spaced within elements. d3 is the tangent;
    on a corner of a polyline it halves the corner. Without normals the frame is rotation-minimising and starts with
    the smallest turn from the world axes (around a ring, the turn that is left over is spread evenly); with normals,
    d1 at every point is the normal made perpendicular, and the angle between d1 and the rotation-minimising frame runs
    evenly between points.
    On a smooth curve the inner nodes of cubic elements are a little beside it, see ``_follow_tangents``.
    Error of the positions: O(h⁴) for points at distance h on a smooth curve with exact tangents, O(h²) without.
    Raises ``SceneError`` with ``name`` where a normal lies along the curve.
    """
    if closed:
        drawn = (points, tangents, normals)
        points, tangents, normals = (None if v is None else np.concatenate([v, v[:1]]) for v in drawn)
    line = CentreLine(points, tangents, closed)
    order = max(order, 1)
    bounds = element_bounds(elements, breaks)
    within = bounds[:-1, None] + np.diff(bounds)[:, None] * np.arange(order) / order
    arcs = line.length * np.append(within.ravel(), 1.0)
    count = len(arcs) - 1
    segment, u = line.locate(arcs)
    positions = line.position(segment, u)
    positions[0], positions[-1] = line.points[0], line.points[-1]
    if order > 2 and line.smooth:
        _follow_tangents(line, positions, arcs, order)
    # Points are knots as well: there normals are given, and polylines turn.
    knots = np.concatenate([arcs, line.knots])
    directions = np.concatenate([_node_directions(line, arcs, segment, u), line.directions])
    order_of = np.argsort(knots, kind="stable")
    first = np.empty((len(knots), 3))
    first[order_of] = _carry(line, knots[order_of], directions[order_of], _start(line.directions[0]))
    at_nodes = first[: count + 1]
    d3 = directions[: count + 1]
    angle = np.zeros((count + 1, 1))
    if normals is not None:
        angles = _normal_angles(name, np.asarray(normals, dtype=np.float64), line.directions, first[count + 1 :])
        angle = np.interp(arcs, line.knots, angles)[:, None]
    elif closed:
        back = np.dot(at_nodes[0], np.cross(d3[-1], at_nodes[-1])), np.dot(at_nodes[0], at_nodes[-1])
        angle = np.arctan2(*back) * (arcs / line.length)[:, None]
    at_nodes = np.cos(angle) * at_nodes + np.sin(angle) * np.cross(d3, at_nodes)
    nodes = slice(0, count if closed else count + 1)
    return Discretisation(
        positions[nodes], _frames(at_nodes, d3)[nodes], line.length * np.diff(bounds), arcs[nodes], line.knots
    )


def _follow_tangents(line: CentreLine, positions: np.ndarray, arcs: np.ndarray, order: int) -> None:
    """Move the inner nodes so that p′ at the Gauss points is the tangent of the curve.

    The cubic through four equally spaced points of a curve has a tangent that is off by O(h³) at all Gauss points, and
    a lever arm that is off by O(h⁴) in the mean: a rod that is bent at rest would converge with order 4, not 6 as a
    straight one. (Of orders 1 and 2 the Gauss points are where the chord or parabola has the curve's tangent.) Nodes
    move by O(h⁴); in an element that is too coarse for ``FARTHEST`` they stay on the curve.
    """
    table = basis(order)
    xi = np.arange(1, order + 1) / order
    powers = np.arange(order)
    # ∫₀^ξ of the polynomials that are 1 at one Gauss point and 0 at the others, (order, order).
    moments = xi ** (powers[:, None] + 1) / (powers[:, None] + 1)
    integrals = np.linalg.solve(table.points ** powers[:, None], moments).T
    lengths = np.diff(arcs[::order])
    gauss = arcs[:-1:order, None] + lengths[:, None] * table.points
    tangents = line.direction(*line.locate(gauss.ravel())).reshape(-1, order, 3)
    travel = lengths[:, None, None] * np.einsum("jg,egx->ejx", integrals, tangents)
    start, end = positions[:-1:order], positions[order::order]
    wanted = start[:, None] + travel + xi[:, None] * (end - start - travel[:, -1])[:, None]
    inner = positions[:-1].reshape(-1, order, 3)[:, 1:]
    shift = wanted[:, :-1] - inner
    near = np.sum(shift * shift, axis=2).max(axis=1) <= (FARTHEST * lengths) ** 2
    positions[:-1].reshape(-1, order, 3)[:, 1:] += np.where(near[:, None, None], shift, 0.0)


def _node_directions(line: CentreLine, lengths: np.ndarray, segment: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the tangents at nodes: where a node is at a point, the direction of the point."""
    directions = line.direction(segment, u)
    nearest = np.searchsorted(0.5 * (line.knots[1:] + line.knots[:-1]), lengths)
    at_point = np.abs(line.knots[nearest] - lengths) <= 1.0e-9 * line.length
    return np.where(at_point[:, None], line.directions[nearest], directions)


def _start(direction: np.ndarray) -> np.ndarray:
    """Return d1 at the start: x, turned as z is turned into the tangent by the smallest turn."""
    return shortest_turn(np.array([0.0, 0.0, 1.0]), direction)[:, 0]


def _carry(line: CentreLine, knots: np.ndarray, directions: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Carry d1 along the curve without twist; return it at the knots (k, 3), sorted arc lengths.

    Double reflection (Wang, Jüttler, Zheng, Liu 2008) between close samples, of fourth order and exact in a plane: a
    mirror halfway between the two places, then one that brings the tangent right. Between samples at one place, and
    along straight lines, the smallest turn of the tangent, which is exact there.
    """
    if line.smooth:
        places, tangents, marks = _samples(line, knots, directions)
        turns = _double_reflections(places, tangents)
    else:
        tangents, marks = directions, np.arange(len(knots))
        turns = shortest_turn(tangents[:-1], tangents[1:])
    carried = np.empty_like(tangents)
    carried[0] = current = start
    for number, turn in enumerate(turns, start=1):
        current = turn @ current
        carried[number] = current
    first = carried[marks]
    first -= np.sum(first * directions, axis=1, keepdims=True) * directions
    return unit(first)


def _samples(line: CentreLine, knots: np.ndarray, directions: np.ndarray) -> tuple:
    """Return places and tangents close enough together, the knots among them, and where the knots are."""
    gaps = np.diff(knots)
    coarse = np.linspace(0.0, line.length, 64 * len(line.points))
    way = line.direction(*line.locate(coarse))
    bend = np.sqrt(np.sum(np.diff(way, axis=0) ** 2, axis=1))
    turned = np.interp(knots, coarse, np.concatenate([[0.0], np.cumsum(bend)]))
    steps = np.maximum(FEWEST_STEPS, np.ceil(np.diff(turned) / FINEST_TURN)).astype(np.int64)
    steps[gaps <= 1.0e-9 * line.length] = 1
    marks = np.concatenate([[0], np.cumsum(steps)])
    within = np.arange(marks[-1]) - np.repeat(marks[:-1], steps)
    lengths = np.repeat(knots[:-1], steps) + within * np.repeat(gaps / steps, steps)
    lengths = np.append(lengths, knots[-1])
    segment, u = line.locate(lengths)
    tangents = line.direction(segment, u)
    tangents[marks] = directions
    return line.position(segment, u), tangents, marks


def _double_reflections(places: np.ndarray, tangents: np.ndarray) -> np.ndarray:
    """Return the rotations (k−1, 3, 3) that carry a frame from sample to sample."""
    step = np.diff(places, axis=0)
    square = np.sum(step * step, axis=1)
    still = square <= 1.0e-24 * square.max()
    square = np.where(still, 1.0, square)
    before, after = tangents[:-1], tangents[1:]
    mirrored = before - (2.0 * np.sum(step * before, axis=1) / square)[:, None] * step
    second = after - mirrored
    second_square = np.sum(second * second, axis=1)
    still |= second_square <= 1.0e-12
    second_square = np.where(still, 1.0, second_square)
    identity = np.eye(3)
    mirror_1 = identity - 2.0 * step[:, :, None] * step[:, None, :] / square[:, None, None]
    mirror_2 = identity - 2.0 * second[:, :, None] * second[:, None, :] / second_square[:, None, None]
    return np.where(still[:, None, None], shortest_turn(before, after), mirror_2 @ mirror_1)


def _normal_angles(name: str, normals: np.ndarray, directions: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return the angles (k,) from the carried d1 to the normals at the points, without jumps of a full turn."""
    across = across_curve(name, normals, directions)
    second = np.cross(directions, first)
    angles = np.arctan2(np.sum(across * second, axis=1), np.sum(across * first, axis=1))
    return np.unwrap(angles)


def across_curve(name: str, normals: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return the normals made perpendicular to the curve (k, 3), of length up to 1; refuse those along it."""
    normals = unit(normals)
    across = normals - np.sum(normals * directions, axis=1, keepdims=True) * directions
    along = np.sqrt(np.sum(across * across, axis=1)) < 1.0e-6
    if along.any():
        number = int(np.argmax(along)) + 1
        raise SceneError(name, f"the normal at point {number} lies along the curve; turn it away from the tangent")
    return across


def _frames(first: np.ndarray, third: np.ndarray) -> np.ndarray:
    """Return quaternions (k, 4) of the frames with d1 and d3, neighbours on the same side of the double cover."""
    second = np.cross(third, first)
    second /= np.sqrt(np.sum(second * second, axis=1, keepdims=True))
    first = np.cross(second, third)
    rotations = quaternion_from_matrix(np.stack([first, second, third], axis=-1))
    flips = np.sum(rotations[1:] * rotations[:-1], axis=1) < 0.0
    rotations[1:] *= np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)[:, None]
    return np.ascontiguousarray(rotations)
