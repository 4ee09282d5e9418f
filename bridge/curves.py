"""A drawn spline as a centre line: dense points, tangents and bevel directions, in the curve object's own space.

Bézier splines are sampled from their control polygon, NURBS from the rational B-spline with Blender's knots, poly
splines are taken as they are. The directions follow Blender's bevel: its frame along the line, turned by the tilt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import bezier
from .problems import Refused

STEPS = 32  # samples a Bézier segment, twice as many a NURBS span: the Hermite curve through them is good to 1e-7
CORNER = np.cos(np.radians(25.0))  # neighbouring steps that turn more are a corner, which no smooth curve passes
COINCIDENT = 1.0e-7  # of the length of the spline


class CenterLine(NamedTuple):
    """``points``, ``tangents`` and ``normals`` (n, 3); no tangents where the line has corners.

    ``radius`` (n,) is a factor. ``closed``: the last point is followed by the first.
    """

    points: np.ndarray
    tangents: np.ndarray | None
    normals: np.ndarray
    radius: np.ndarray
    closed: bool


class Samples(NamedTuple):
    """A spline at dense points: no tangents where it is straight between them."""

    points: np.ndarray
    tangents: np.ndarray | None
    tilt: np.ndarray
    radius: np.ndarray


def spline_arrays(points, *names: str) -> list[np.ndarray]:
    """Read attributes of all of a spline's points at once."""
    arrays = []
    for name in names:
        width = {"co": 4, "tilt": 1, "radius": 1}.get(name, 3)
        if points and hasattr(points[0], "handle_left") and name == "co":
            width = 3
        values = np.empty(len(points) * width, dtype=np.float32)
        points.foreach_get(name, values)
        arrays.append(values.astype(np.float64).reshape(-1, width) if width > 1 else values.astype(np.float64))
    return arrays


def sample_spline(spline) -> Samples:
    """Return a spline as Blender draws it, once round where it is cyclic."""
    closed, mode = spline.use_cyclic_u, (spline.order_u, spline.use_endpoint_u, spline.use_bezier_u)
    tangents = None
    if spline.type == "BEZIER":
        co, left, right, *values = spline_arrays(
            spline.bezier_points, "co", "handle_left", "handle_right", "tilt", "radius"
        )
        points, tangents, along = sample_bezier(co, left, right, np.column_stack(values), closed)
    else:
        co, *values = spline_arrays(spline.points, "co", "tilt", "radius")
        points, along = co[:, :3], np.column_stack(values)
        if spline.type == "NURBS" and spline.order_u > 2:
            points, tangents, along = sample_nurbs(co, *mode, along, closed)
    return Samples(points, tangents, along[:, 0], along[:, 1])


def center_line(curve, spline) -> CenterLine:
    """Return the centre line of ``spline`` of the curve data-block ``curve``; raises ``Refused``."""
    is_bezier = spline.type == "BEZIER"
    control = spline.bezier_points if is_bezier else spline.points
    if len(control) < 2:
        raise Refused("It has a spline with a single point. Delete it, or extrude it to two points or more")
    names = ("co", "handle_left", "handle_right", "tilt", "radius") if is_bezier else ("co", "tilt", "radius")
    read = spline_arrays(control, *names)
    if not all(np.isfinite(values).all() for values in read):
        raise Refused("It has points whose place is not a number. Delete them in Edit Mode")
    if is_bezier:
        _refuse_coincident(read[0])
    elif spline.type == "NURBS" and len(control) < spline.order_u > 2:
        raise Refused(f"It has a NURBS spline of order {spline.order_u} with only {len(control)} points, which draws "
                      "nothing. Lower the order in Active Spline, or add points")
    elif spline.type == "NURBS" and spline.use_cyclic_u and spline.use_bezier_u and len(control) % (spline.order_u - 1):
        raise Refused(f"It has a cyclic NURBS spline with Bézier on, whose number of points is no multiple of "
                      f"{spline.order_u - 1}, so that it draws nothing. Turn Bézier off in Active Spline")
    samples = sample_spline(spline)
    if curve.dimensions == "2D":
        samples = samples._replace(tilt=np.zeros_like(samples.tilt))
    return _line(samples, "Z_UP" if curve.dimensions == "2D" else curve.twist_mode, spline.use_cyclic_u, is_bezier)


def _line(samples: Samples, twist_mode: str, closed: bool, is_bezier: bool) -> CenterLine:
    points, tangents = samples.points, samples.tangents
    around = np.concatenate([points, points[:1]]) if closed else points
    steps = np.diff(around, axis=0) / _refuse_coincident(around)[:, None]
    turned = np.concatenate([steps, steps[:1]]) if closed else steps
    sharpest = np.einsum("ij,ij->i", turned[1:], turned[:-1]).min(initial=1.0)
    if sharpest < CORNER:
        tangents = None
    if sharpest < -1.0 + 1.0e-9:
        raise Refused("It turns straight back on itself at a point. Move the point in Edit Mode")
    if closed:
        directions = bezier.closed_directions(points)
    else:
        ends = (steps[0], steps[-1]) if tangents is None else (tangents[0], tangents[-1])
        directions = bezier.ring_directions(points, *ends)
    first = None if not closed else len(points) - 1 - (STEPS if is_bezier else 0)
    normals = bezier.tilted(_bevel_axes(directions, twist_mode, first), directions, samples.tilt)
    return CenterLine(points, tangents, normals, samples.radius, closed)


def _refuse_coincident(points: np.ndarray) -> np.ndarray:
    """Return the distances (n − 1,) from point to point, all of which must be some."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    total = lengths.sum()
    if total < 1.0e-9:
        raise Refused("It has a spline without length. Draw it longer, or delete it")
    if lengths.min() < COINCIDENT * total:
        raise Refused("It has points that lie on the same spot. Delete one of each pair in Edit Mode")
    return lengths


def _bevel_axes(directions: np.ndarray, twist_mode: str, first: int | None) -> np.ndarray:
    """Return where the +x of a bevel profile points (n, 3) at tilt 0; see ``bezier.bevel_frames``.

    ``first``: the point that Blender begins with on a closed line, None for an open one.
    """
    if twist_mode == "Z_UP":
        return -bezier.track_frame(directions)[0]
    if first is not None:
        around = np.roll(directions, -first, axis=0)
        return np.roll(bezier.closing_spread(_carried_axes(around), around), first, axis=0)
    return _carried_axes(directions)


def _carried_axes(directions: np.ndarray) -> np.ndarray:
    """Return the bevel axes (n, 3) carried without twist from Blender's own at the first ring."""
    # The smallest rotation from a to b turns v to (a·b) v + c×v + c (c·v)/(1 + a·b), with c = a×b.
    turns = np.cross(directions[:-1], directions[1:])
    cosines = np.einsum("ij,ij->i", directions[:-1], directions[1:])
    x, y, z = (-bezier.track_frame(directions[0])[0]).tolist()
    axes = [(x, y, z)]
    for (a, b, c), cosine in zip(turns.tolist(), cosines.tolist(), strict=True):  # plain numbers: arrays are 30× slower
        along = (a * x + b * y + c * z) / (1.0 + cosine) if cosine > -1.0 + 1.0e-12 else 0.0
        x, y, z = (
            cosine * x + b * z - c * y + a * along,
            cosine * y + c * x - a * z + b * along,
            cosine * z + a * y - b * x + c * along,
        )
        axes.append((x, y, z))
    return bezier.perpendicular(np.array(axes), directions)


def sample_bezier(co, left, right, values, closed: bool = False, steps: int = STEPS):
    """Return points, unit tangents (n, 3) and ``values`` (n, k), given at the control points, along a Bézier spline."""
    if closed:
        co, left, right, values = (np.concatenate([given, given[:1]]) for given in (co, left, right, values))
    control = np.stack([co[:-1], right[:-1], left[1:], co[1:]], axis=1)  # (segments, 4, 3)
    t = np.arange(steps) / steps
    points = np.einsum("tk,skx->stx", bezier.bernstein(t), control).reshape(-1, 3)
    points = np.concatenate([points, co[-1:]])
    tangents = np.einsum("tk,skx->stx", _hodograph(t), control).reshape(-1, 3)
    tangents = np.concatenate([tangents, np.einsum("tk,kx->tx", _hodograph(np.ones(1)), control[-1])])
    between = values[:-1, None] * (1 - t)[:, None] + values[1:, None] * t[:, None]
    values = np.concatenate([between.reshape(-1, values.shape[1]), values[-1:]])
    count = len(points) - 1 if closed else len(points)
    return points[:count], _unit_tangents(points, tangents)[:count], values[:count]


def _hodograph(t: np.ndarray) -> np.ndarray:
    """Return the derivatives (n, 4) of the cubic Bernstein polynomials."""
    t = t[:, None]
    return 3.0 * np.concatenate([-((1 - t) ** 2), (1 - t) * (1 - 3 * t), t * (2 - 3 * t), t**2], axis=1)


def _unit_tangents(points: np.ndarray, tangents: np.ndarray) -> np.ndarray:
    """Normalise tangents; where a handle of no length leaves none, take the way from neighbour to neighbour."""
    lengths = np.linalg.norm(tangents, axis=1)
    chords = np.gradient(points, axis=0)
    missing = lengths < 1.0e-6 * max(lengths.max(), 1.0e-30)
    tangents = np.where(missing[:, None], chords, tangents)
    lengths = np.linalg.norm(tangents, axis=1)
    return tangents / np.where(lengths > 0.0, lengths, 1.0)[:, None]


def nurbs_knots(count: int, order: int, use_endpoint: bool, use_bezier: bool, closed: bool = False) -> np.ndarray:
    """Return Blender's knots of a NURBS spline: count + order, or count + 2·order − 1 where it is closed."""
    repeat = order - 1 if use_bezier else 1
    head = (order - 1 if closed else order) if use_endpoint else min(2, repeat) if use_bezier else 1
    tail = 2 * order - 1 if closed else order if use_endpoint else 0
    knots, value, left = ([0.0], 1.0, head) if closed and use_endpoint else ([], 0.0, head)
    while len(knots) < (count if closed else count + order - tail):
        knots.append(value)
        left -= 1
        if left == 0:
            value += 1.0
            left = repeat
    for index in range(tail):  # of a closed one the knots come again, once round
        knots.append(value + knots[index] - knots[0] if closed else value)
    return np.array(knots)


def sample_nurbs(co, order: int, use_endpoint: bool, use_bezier: bool, values, closed: bool = False,
                 steps: int = 2 * STEPS):
    """Return points, unit tangents (n, 3) and ``values`` (n, k) along a NURBS spline with weights ``co[:, 3]``."""
    knots = nurbs_knots(len(co), order, use_endpoint, use_bezier, closed)
    if closed:
        co, values = np.concatenate([co, co[: order - 1]]), np.concatenate([values, values[: order - 1]])
    count = len(co)
    spans = np.unique(knots[order - 1 : count + 1])
    parameter = np.concatenate(
        [start + (end - start) * np.arange(steps) / steps for start, end in zip(spans[:-1], spans[1:], strict=True)]
        + ([] if closed else [spans[-1:]])
    )
    basis, slope = _bspline(knots, order, count, parameter)
    weights = co[:, 3]
    share, d_share = basis * weights, slope * weights
    total, d_total = share.sum(axis=1, keepdims=True), d_share.sum(axis=1, keepdims=True)
    points = share @ co[:, :3] / total
    tangents = (d_share @ co[:, :3] - points * d_total) / total
    return points, _unit_tangents(points, tangents), share @ values / total


def _bspline(knots, order: int, count: int, parameter):
    """Return values and derivatives (n, count) of the B-spline basis (Cox–de Boor) at ``parameter`` (n,)."""
    u = parameter[:, None]
    last = np.searchsorted(knots, knots[count], side="left") - 1  # the last span that is not empty
    span = np.clip(np.searchsorted(knots, parameter, side="right") - 1, order - 1, last)
    basis = np.zeros((len(parameter), count + order - 1))
    basis[np.arange(len(parameter)), span] = 1.0
    lower = basis
    for degree in range(1, order):
        lower, size = basis, count + order - 1 - degree
        rise = knots[degree : degree + size] - knots[:size]
        fall = knots[degree + 1 : degree + 1 + size] - knots[1 : 1 + size]
        up = np.divide(u - knots[:size], rise, out=np.zeros((len(u), size)), where=rise > 0)
        down = np.divide(knots[degree + 1 : degree + 1 + size] - u, fall, out=np.zeros((len(u), size)), where=fall > 0)
        basis = up * lower[:, :size] + down * lower[:, 1 : size + 1]
    degree, size = order - 1, count
    rise = knots[degree : degree + size] - knots[:size]
    fall = knots[degree + 1 : degree + 1 + size] - knots[1 : 1 + size]
    inverse_rise = np.divide(degree, rise, out=np.zeros(size), where=rise > 0)
    inverse_fall = np.divide(degree, fall, out=np.zeros(size), where=fall > 0)
    return basis, lower[:, :size] * inverse_rise - lower[:, 1 : size + 1] * inverse_fall
