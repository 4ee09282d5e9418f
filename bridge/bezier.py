"""Rod elements as cubic Bézier segments, material frames as tilt: pure mathematics, without Blender.

A polynomial of degree three or less *is* a cubic Bézier segment, so each element becomes exactly one segment. The
twist of a rod reaches Blender as ``tilt``, an angle against the frame that Blender lays along a curve by itself; that
frame is rebuilt here (``bevel_frames``) from the same polyline that Blender draws.

Arrays may carry leading axes (frames): everything below works on the last axes only.
"""

from __future__ import annotations

import numpy as np

TWIST_MODES = ("MINIMUM", "Z_UP", "TANGENT")
_PARALLEL = 1.0e-12

# Bézier control points = TO_BEZIER[order] @ nodes, for nodes at ξ = 0, 1/order, …, 1 (Lagrange polynomials)
TO_BEZIER = {
    1: np.array([[3, 0], [2, 1], [1, 2], [0, 3]]) / 3.0,
    2: np.array([[3, 0, 0], [0, 4, -1], [-1, 4, 0], [0, 0, 3]]) / 3.0,
    3: np.array([[6, 0, 0, 0], [-5, 18, -9, 2], [2, -9, 18, -5], [0, 0, 0, 6]]) / 6.0,
}


def element_segments(nodes, order):
    """Return the Bézier control points (…, elements, 4, 3) of a rod's node positions (…, elements·order + 1, 3)."""
    nodes = np.asarray(nodes, dtype=np.float64)
    elements = (nodes.shape[-2] - 1) // order
    index = np.arange(elements)[:, None] * order + np.arange(order + 1)
    return np.einsum("ij,...ejk->...eik", TO_BEZIER[order], nodes[..., index, :])


def segment_nodes(segments, order):
    """Return the node positions (…, elements·order + 1, 3) of Bézier segments; the inverse of ``element_segments``."""
    segments = np.asarray(segments, dtype=np.float64)
    basis = bernstein(np.arange(order + 1) / order)
    points = np.einsum("ij,...ejk->...eik", basis, segments)
    inner = points[..., :-1, :].reshape(*segments.shape[:-3], -1, 3)
    return np.concatenate([inner, points[..., -1, -1:, :]], axis=-2)


def bernstein(parameter):
    """Return the four cubic Bernstein polynomials (n, 4) at ``parameter`` (n,)."""
    t = np.asarray(parameter, dtype=np.float64)[:, None]
    return np.concatenate([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], axis=1)


def control_points(nodes, order, closed=False):
    """Return (co, handle_left, handle_right) of the spline that is the rod's curve, (…, elements + 1, 3) each.

    At a shared point the left handle belongs to the element before, the right one to the element after. The outer
    handles of the two ends lie straight ahead of the inner ones; they do not shape the curve. A closed rod has
    elements · order nodes, and as many points as elements.
    """
    nodes = np.asarray(nodes, dtype=np.float64)
    if closed:
        segments = element_segments(np.concatenate([nodes, nodes[..., :1, :]], axis=-2), order)
        return segments[..., 0, :], np.roll(segments[..., 2, :], 1, axis=-2), segments[..., 1, :]
    segments = element_segments(nodes, order)
    first, last = segments[..., :1, 0, :], segments[..., -1:, 3, :]
    points = np.concatenate([segments[..., :, 0, :], last], axis=-2)
    left = np.concatenate([2 * first - segments[..., :1, 1, :], segments[..., :, 2, :]], axis=-2)
    right = np.concatenate([segments[..., :, 1, :], 2 * last - segments[..., -1:, 2, :]], axis=-2)
    return points, left, right


def polyline(points, left, right, resolution, closed=False):
    """Return the polyline (…, (n − 1)·resolution + 1, 3) that Blender draws for a Bézier spline of n points.

    A closed one has n · resolution points: the last is not the first again.
    """
    if closed:
        points, left, right = (np.concatenate([v, v[..., :1, :]], axis=-2) for v in (points, left, right))
    segments = np.stack(
        [points[..., :-1, :], right[..., :-1, :], left[..., 1:, :], points[..., 1:, :]], axis=-2
    )  # (…, n − 1, 4, 3)
    basis = bernstein(np.arange(resolution) / resolution)
    inner = np.einsum("ij,...ejk->...eik", basis, segments)
    inner = inner.reshape(*segments.shape[:-3], -1, 3)
    return inner if closed else np.concatenate([inner, points[..., -1:, :]], axis=-2)


def normalised(vectors):
    """Return ``vectors`` (…, 3) at length one; a zero vector stays zero."""
    length = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    return vectors / np.where(length > 0.0, length, 1.0)


def ring_directions(line, start, end):
    """Return the direction (…, n, 3) of each ring along ``line``: the bisector of its two segments.

    ``start`` and ``end`` (…, 3) are the directions of the handles at the two open ends.
    """
    steps = normalised(np.diff(line, axis=-2))
    inner = normalised(steps[..., :-1, :] + steps[..., 1:, :])
    return np.concatenate([normalised(start)[..., None, :], inner, normalised(end)[..., None, :]], axis=-2)


def closed_directions(line):
    """Return the direction (…, n, 3) of each ring along a closed ``line``: the bisector of its two segments."""
    steps = normalised(np.roll(line, -1, axis=-2) - line)
    return normalised(steps + np.roll(steps, 1, axis=-2))


def track_frame(direction):
    """Return the axes x and y (…, 3) of Blender's track frame of ``direction``: z along it, y up (``to_track_quat``).

    The rotation that carries +z to the direction about an axis in the floor, then a turn about the direction that
    puts y upwards. Near ±z what is up is decided by rounding and by the signs of zeros, and a rope that hangs straight
    down lives there: so this follows Blender in single precision, step by step.
    """
    vector: np.ndarray = np.asarray(direction, dtype=np.float32)
    length = np.sqrt(np.einsum("...i,...i->...", vector, vector))
    vector = vector * (np.float32(1.0) / np.where(length > 0.0, length, np.float32(1.0)))[..., None]
    length = np.sqrt(np.einsum("...i,...i->...", vector, vector))
    length = np.where(length > 0.0, length, np.float32(1.0))
    axis_x, axis_y = -vector[..., 1], vector[..., 0]
    axis_x = np.where(np.abs(axis_x) + np.abs(axis_y) < np.float32(1.0e-4), np.float32(1.0), axis_x)
    size = np.sqrt(axis_x * axis_x + axis_y * axis_y)
    half = np.float32(0.5) * np.arccos(np.clip(vector[..., 2] / length, np.float32(-1.0), np.float32(1.0)))
    sine = np.sin(half)
    first = np.stack([np.cos(half), sine * (axis_x / size), sine * (axis_y / size), sine * np.float32(0.0)], axis=-1)
    w, i, j, k = np.moveaxis(first.astype(np.float64) * np.sqrt(2.0), -1, 0)
    turned_x, turned_y = (w * j + i * k).astype(np.float32), (-w * i + j * k).astype(np.float32)
    angle = np.float32(-0.5) * np.arctan2(-turned_x, -turned_y)
    second = np.concatenate([np.cos(angle)[..., None], vector * (np.sin(angle) / length)[..., None]], axis=-1)
    rotation = quaternion_product(second.astype(np.float64), first.astype(np.float64))
    rotation /= np.sqrt(np.einsum("...i,...i->...", rotation, rotation))[..., None]
    return rotate(rotation, (1.0, 0.0, 0.0)), rotate(rotation, (0.0, 1.0, 0.0))


def quaternion_product(left, right):
    """Return the Hamilton product of quaternions w x y z (…, 4)."""
    a, u = left[..., :1], left[..., 1:]
    b, v = right[..., :1], right[..., 1:]
    scalar = a * b - np.einsum("...i,...i->...", u, v)[..., None]
    return np.concatenate([scalar, a * v + b * u + np.cross(u, v)], axis=-1)


def rotate_between(vectors, before, after):
    """Turn ``vectors`` by the smallest rotation that carries direction ``before`` to ``after`` (all (…, 3))."""
    axis = np.cross(before, after)
    cosine = np.einsum("...i,...i->...", before, after)[..., None]
    factor = np.where(cosine > -1.0 + _PARALLEL, 1.0 / np.maximum(1.0 + cosine, _PARALLEL), 0.0)
    turned = (
        cosine * vectors
        + np.cross(axis, vectors)
        + axis * (np.einsum("...i,...i->...", axis, vectors)[..., None] * factor)
    )
    return np.where(cosine > -1.0 + _PARALLEL, turned, vectors)


def bevel_frames(points, left, right, resolution, twist_mode="MINIMUM", closed=False):
    """Return (axis, direction), (…, n, 3) each, at the n control points: Blender's bevel frame at tilt 0.

    ``axis`` is where the +x of a bevel profile points, ``direction`` the way along the curve. Blender lays the frame
    along the polyline of ``resolution`` steps a segment: MINIMUM carries it from ring to ring by the smallest
    rotation, Z_UP builds it anew at every ring. TANGENT is Blender's older name for a frame that we do not rebuild:
    it is treated as MINIMUM, and the writer sets that mode.
    """
    if closed:
        return _closed_bevel_frames(polyline(points, left, right, resolution, True), resolution, twist_mode)
    line = polyline(points, left, right, resolution)
    start, end = right[..., 0, :] - points[..., 0, :], points[..., -1, :] - left[..., -1, :]
    # a handle of no length has no direction: take the chord's
    start = np.where(np.any(start != 0.0, axis=-1, keepdims=True), start, line[..., 1, :] - line[..., 0, :])
    end = np.where(np.any(end != 0.0, axis=-1, keepdims=True), end, line[..., -1, :] - line[..., -2, :])
    directions = ring_directions(line, start, end)
    knots = directions[..., ::resolution, :]
    if twist_mode == "Z_UP":
        vectors = np.concatenate([start[..., None, :], knots[..., 1:-1, :], end[..., None, :]], axis=-2)
        return -track_frame(vectors)[0], knots
    axis = -track_frame(start)[0]  # not the normalised one: Blender rounds it in its own way
    axes = [axis]
    for ring in range(1, line.shape[-2]):
        axis = rotate_between(axis, directions[..., ring - 1, :], directions[..., ring, :])
        if ring % resolution == 0:
            axis = perpendicular(axis, directions[..., ring, :])  # take out what rounding has let in
            axes.append(axis)
    return np.stack(axes, axis=-2), knots


def _closed_bevel_frames(line, resolution, twist_mode):
    """Return ``bevel_frames`` of a closed spline whose polyline is ``line``.

    Blender begins with the ring just before the last control point.
    """
    directions = closed_directions(line)
    knots = directions[..., ::resolution, :]
    if twist_mode == "Z_UP":
        return -track_frame(knots)[0], knots
    first = line.shape[-2] - resolution - 1
    around = np.roll(directions, -first, axis=-2)
    axis = -track_frame(around[..., 0, :])[0]
    axes = [axis]
    for ring in range(1, line.shape[-2]):
        axis = rotate_between(axis, around[..., ring - 1, :], around[..., ring, :])
        if ring % resolution == 0:
            axis = perpendicular(axis, around[..., ring, :])
        axes.append(axis)
    axes = np.roll(closing_spread(np.stack(axes, axis=-2), around), first, axis=-2)
    return axes[..., ::resolution, :], knots


def closing_spread(axes, directions):
    """Return ``axes`` (…, n, 3), carried once round a closed line without twist, as Blender makes them meet.

    The angle that is missing when the frame comes back to where it began, at most half a turn, is spread evenly from
    ring to ring.
    """
    start, ahead = axes[..., 0, :], directions[..., 0, :]
    back = rotate_between(axes[..., -1, :], directions[..., -1, :], ahead)
    missing = tilts(back[..., None, :], ahead[..., None, :], start[..., None, :], False)
    count = axes.shape[-2]
    return tilted(axes, directions, missing * (np.arange(1, count + 1) / count))


def perpendicular(vectors, direction):
    """Return ``vectors`` without their part along the unit ``direction``, at length one."""
    along = np.einsum("...i,...i->...", vectors, direction)[..., None]
    return normalised(vectors - along * direction)


def tilts(axis, direction, normals, unwrap=True):
    """Return the tilt (…, n), rad, that turns Blender's ``axis`` about ``direction`` into the rod's d1 ``normals``.

    tilt = atan2((axis × d1)·direction, axis·d1); unwrapped along the rod, and over frames where there is a frame axis.
    """
    sine = np.einsum("...i,...i->...", np.cross(axis, normals), direction)
    cosine = np.einsum("...i,...i->...", axis, normals)
    angle = np.arctan2(sine, cosine)
    if not unwrap:
        return angle
    angle = np.unwrap(angle, axis=-1)
    if angle.ndim > 1:
        # in time the whole rod turns as one: unwrap its first point, and carry the others along
        start = np.unwrap(angle[..., 0], axis=0)
        angle = angle + (start - angle[..., 0])[..., None]
        # a rod may also be twisted by whole turns between two of its points in the course of time
        angle = np.unwrap(angle, axis=0)
    return angle


def winding(tilt):
    """Return by how many whole turns (…) the unwrapped tilt (…, n) of a closed spline differs once round.

    Blender lets the tilt run from the last point to the first, and would undo these turns there.
    """
    step = tilt[..., 0] - tilt[..., -1]
    return np.rint((step - np.remainder(step + np.pi, 2.0 * np.pi) + np.pi) / (-2.0 * np.pi)).astype(int)


def tilted(axis, direction, tilt):
    """Return d1 (…, n, 3): ``axis`` turned by ``tilt`` (…, n) about ``direction``; the inverse of ``tilts``."""
    tilt = np.asarray(tilt, dtype=np.float64)[..., None]
    return np.cos(tilt) * axis + np.sin(tilt) * np.cross(direction, axis)


def rotate(rotations, vector):
    """Turn the constant ``vector`` (3,) by quaternions w x y z (…, 4); (…, 3)."""
    rotations = np.asarray(rotations, dtype=np.float64)
    w, u = rotations[..., :1], rotations[..., 1:]
    v = np.broadcast_to(np.asarray(vector, dtype=np.float64), u.shape)
    cross = np.cross(u, v)
    return v + 2.0 * (w * cross + np.cross(u, cross))
