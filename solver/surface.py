"""Topology of triangle meshes: is a surface closed, and which side of it is inside."""

from __future__ import annotations

import numpy as np


def weld(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge vertices at exactly the same place; drop triangles of which two corners then coincide."""
    places, index = np.unique(vertices, axis=0, return_inverse=True)
    welded = index.reshape(-1)[triangles]
    a, b, c = welded.T
    return places, welded[(a != b) & (b != c) & (c != a)]


def components(count: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Label the connected components of a graph of ``count`` nodes and edges (first, second) by their least node."""
    label = np.arange(count)
    while True:
        least = np.minimum(label[first], label[second])
        hooked = label.copy()
        for nodes in (first, second, label[first], label[second]):
            np.minimum.at(hooked, nodes, least)
        while not np.array_equal(jumped := hooked[hooked], hooked):
            hooked = jumped
        if np.array_equal(hooked, label):
            return label
        label = hooked


def outward(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the triangles of a welded mesh turned outward, and whether the mesh is closed.

    Closed means that a volume is bounded: either every edge is run through as often one way as the other, or every
    edge has two triangles that can all be turned to make it so. Each connected part is then turned by where it lies: a
    part outside all others, or inside an even number of them, is solid; inside an odd number it is a hollow. An open
    mesh comes back as it was.
    """
    if not len(triangles):
        return triangles, False
    starts = triangles.reshape(-1)
    ends = triangles[:, [1, 2, 0]].reshape(-1)
    forward = starts < ends
    keys = np.minimum(starts, ends) * np.int64(len(vertices)) + np.maximum(starts, ends)
    order = np.argsort(keys, kind="stable")
    _, edge, count = np.unique(keys, return_inverse=True, return_counts=True)
    balance = np.bincount(edge.reshape(-1), weights=np.where(forward, 1.0, -1.0))
    pairs = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    left, right = order[pairs], order[pairs + 1]
    one, two = left // 3, right // 3
    flip = np.zeros(len(triangles), dtype=bool)
    if np.any(balance != 0.0):
        if np.any(count != 2):
            return triangles, False
        flip, closed = _consistent(len(triangles), one, two, forward[left] == forward[right])
        if not closed:
            return triangles, False
    triangles = np.where(flip[:, None], triangles[:, ::-1], triangles)
    part = np.unique(components(len(triangles), one, two), return_inverse=True)[1].reshape(-1)
    wrong = _wrong_parts(vertices, triangles, part)
    return np.where(wrong[part][:, None], triangles[:, ::-1], triangles), True


def _consistent(count: int, one: np.ndarray, two: np.ndarray, same: np.ndarray) -> tuple[np.ndarray, bool]:
    """Find which triangles to turn so that neighbours run through their common edge in opposite ways.

    Every triangle is two nodes, as it is and turned; neighbours tie those that agree. The surface is one-sided (not
    closed in our sense) where a triangle is tied to its own reverse.
    """
    turned = np.where(same, count, 0)
    first = np.concatenate([one, one + count])
    second = np.concatenate([two + turned, two + count - turned])
    label = components(2 * count, first, second)
    straight, reverse = label[:count], label[count:]
    return reverse < straight, bool(np.all(straight != reverse))


def _wrong_parts(vertices: np.ndarray, triangles: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Say of every connected part whether it must be turned for its volume to count as it should."""
    count = int(part.max()) + 1
    corners = vertices[triangles]
    volumes = np.bincount(part, weights=np.linalg.det(corners))
    if count == 1:
        return volumes < 0.0
    low = np.full((count, 3), np.inf)
    high = np.full((count, 3), -np.inf)
    np.minimum.at(low, part, corners.min(axis=1))
    np.maximum.at(high, part, corners.max(axis=1))
    members = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))[:-1])
    depth = np.zeros(count, dtype=np.int64)
    for number in range(count):
        point = corners[members[number][0]].mean(axis=0)
        around = np.all((low <= point) & (point <= high), axis=1)
        around[number] = False
        for other in np.flatnonzero(around):
            depth[number] += winding_number(point, corners[members[other]]) > 0.5
    return (volumes < 0.0) != (depth % 2 == 1)


def winding_number(point: np.ndarray, corners: np.ndarray) -> float:
    """Return how often a closed surface of triangles (n, 3, 3) goes round a point, without sign.

    Sum of the solid angles tan(Ω/2) = a·(b×c) / (|a||b||c| + a·b |c| + b·c |a| + c·a |b|) (Van Oosterom, Strackee).
    """
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.sqrt(np.sum(v * v, axis=1)) for v in (a, b, c))
    top = np.sum(a * np.cross(b, c), axis=1)
    bottom = la * lb * lc
    bottom = bottom + np.sum(a * b, axis=1) * lc + np.sum(b * c, axis=1) * la + np.sum(c * a, axis=1) * lb
    return abs(float(np.sum(np.arctan2(top, bottom)))) / (2.0 * np.pi)
