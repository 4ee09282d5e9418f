"""Mass, centre of mass and principal inertia of a rigid body from its mesh."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from . import checks
from .orientation import quaternion_from_matrix, shortest_turn
from .scene import SceneError
from .surface import outward, weld

FLAT = 1.0e-12  # volume / (area · size) below which a closed mesh encloses nothing
EQUAL = 1.0e-6  # of the largest moment: closer moments are equal, and the axes free to follow the mesh axes
ROUNDING = 1.0e-14  # of the moments' sum: smaller products of inertia are none
LEAST_INERTIA = 1.0e-9  # of the largest moment: the solver divides by it


@dataclass(frozen=True, eq=False)
class MassProperties:
    """What a rigid body's mesh weighs, in the mesh's axes.

    ``mass`` kg; ``centre`` (3,) m; ``inertia`` (3,) kg·m², the principal moments about the centre; ``rotation`` (4,)
    turns the principal axes into the mesh axes; ``volume`` m³ enclosed (0 for a shell); ``area`` m². ``closed`` says
    that the mesh was taken as a solid, else as a thin shell.
    """

    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    rotation: np.ndarray
    volume: float
    area: float
    closed: bool


def mass_properties(
    vertices, triangles, density: float | None = None, mass: float | None = None, name: str = ""
) -> MassProperties:
    """Return the ``MassProperties`` of a mesh of uniform ``density`` (kg/m³) or given ``mass`` (kg).

    ``vertices`` (n, 3) m, ``triangles`` (m, 3) vertex indices. Integrals over volume are exact: the sum over triangles
    (a, b, c) of the signed tetrahedra to a point near by, D = a·(b×c), s = a + b + c,

        V = Σ D/6,   ∫x = Σ D s/24,   ∫xxᵀ = Σ D (aaᵀ + bbᵀ + ccᵀ + ssᵀ)/120.

    It does not matter which way the faces look; a closed part inside another is a hollow (see ``surface.outward``).
    A mesh that is *not closed*, or closed but flat, is a thin shell of the given mass spread evenly over its area
    (Σ A/3 s and Σ A/12 (aaᵀ + bbᵀ + ccᵀ + ssᵀ)); it has no volume, so that a density alone is refused.
    The principal axes are those closest to the mesh axes, and the mesh axes themselves where moments are equal.
    Raises ``SceneError`` with ``name`` for a mesh without area, values that are no numbers, and wrong indices.
    """
    places, corners = _mesh(name, vertices, triangles)
    if (density is None) == (mass is None):
        raise SceneError(name, "give either a density or a mass")
    weight = checks.positive(name, "density", density) if mass is None else checks.positive(name, "mass", mass)
    low, high = places.min(axis=0), places.max(axis=0)
    middle = 0.5 * (low + high)
    size = float(np.max(high - low))
    if not size > 0.0:
        raise SceneError(name, "all vertices of the mesh are at one place; scale it up")
    places, corners = weld((places - middle) / size, corners)
    corners, closed = outward(places, corners)
    a, b, c = np.moveaxis(places[corners], 1, 0)
    area = 0.5 * np.sqrt(np.sum(np.cross(b - a, c - a) ** 2, axis=1))
    if not area.sum() > 1.0e-18:
        raise SceneError(name, "the mesh has no area; give it faces that are not lines")
    volume, centre, second = _solid(a, b, c)
    if not closed or volume <= FLAT * area.sum():
        volume, closed = 0.0, False
        centre, second = _shell(a, b, c, area)
    if mass is None:
        if not closed:
            raise SceneError(name, "the mesh is not closed, so that a density gives no mass; close it or give a mass")
        weight = checks.positive(name, "mass", weight * volume * size**3)
    moments, axes = _principal(second)
    moments = moments * (weight * size * size)
    moments = np.maximum(moments, LEAST_INERTIA * moments.max())
    for moment in moments:
        checks.positive(name, "a moment of inertia", moment)
    return MassProperties(
        mass=weight,
        centre=middle + size * centre,
        inertia=moments,
        rotation=quaternion_from_matrix(axes),
        volume=float(volume * size**3),
        area=float(area.sum() * size * size),
        closed=closed,
    )


def _mesh(name: str, vertices, triangles) -> tuple[np.ndarray, np.ndarray]:
    """Check a mesh; return it without the vertices that no triangle uses."""
    if np.size(vertices) == 0 or np.size(triangles) == 0:
        raise SceneError(name, "the mesh has no faces; give it some, or another shape")
    places = checks.finite(name, "vertices", vertices, (-1, 3))
    corners = np.asarray(triangles)
    if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
        raise SceneError(name, "the triangles must be an array (any, 3) of vertex numbers")
    if corners.min() < 0 or corners.max() >= len(places):
        raise SceneError(name, f"a triangle uses a vertex that is not there; the mesh has {len(places)} vertices")
    used, index = np.unique(corners.astype(np.int64), return_inverse=True)
    return places[used], index.reshape(corners.shape)


def _solid(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return volume, centre and second moments ∫xxᵀ/V about the centre of the solid inside a closed surface."""
    s = a + b + c
    d = np.sum(a * np.cross(b, c), axis=1)
    volume = d.sum() / 6.0
    if not volume > 0.0:
        return 0.0, s[0], np.eye(3)
    centre = d @ s / (24.0 * volume)
    second = sum((v * d[:, None]).T @ v for v in (a, b, c, s)) / (120.0 * volume)
    return float(volume), centre, second - np.outer(centre, centre)


def _shell(a: np.ndarray, b: np.ndarray, c: np.ndarray, area: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return centre and second moments ∫xxᵀ/A about the centre of a thin even shell."""
    s = a + b + c
    total = area.sum()
    centre = area @ s / (3.0 * total)
    a, b, c = a - centre, b - centre, c - centre
    s = a + b + c
    return centre, sum((v * area[:, None]).T @ v for v in (a, b, c, s)) / (12.0 * total)


def _principal(second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the principal moments (per mass) and axes (columns, right-handed) of second moments ∫xxᵀ.

    The eigenvectors of I = tr(S) 1 − S are those of S. Which is called x, and which way it looks, is free: the frame
    with the largest trace, which is the smallest turn, is taken. In a plane of equal moments the axes are free too: the
    smallest turn that brings the nearest mesh axis to the distinct axis; with three equal moments no turn at all.
    """
    second = 0.5 * (second + second.T)
    if np.abs(second - np.diag(np.diag(second))).max() <= ROUNDING * np.trace(second):
        return np.trace(second) - np.diag(second), np.eye(3)
    values, vectors = np.linalg.eigh(second)
    near = np.diff(values) <= EQUAL * (values.sum() - values[0])
    if near.all():
        axes = np.eye(3)
    elif near.any():
        alone = vectors[:, 2] if near[0] else vectors[:, 0]
        nearest = int(np.argmax(np.abs(alone) > np.abs(alone).max() - 1.0e-9))
        axes = shortest_turn(np.eye(3)[nearest], alone * np.sign(alone[nearest]))
    else:
        axes = _nearest_frame(vectors)
    spread = np.einsum("ji,jk,ki->i", axes, second, axes)
    return spread.sum() - spread, axes


def _nearest_frame(vectors: np.ndarray) -> np.ndarray:
    """Return the right-handed frame of ± the columns, in any order, that is the smallest turn from the mesh axes."""
    best, best_trace = np.eye(3), -np.inf
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            axes = vectors[:, order] * signs
            if np.linalg.det(axes) > 0.0 and np.trace(axes) > best_trace + 1.0e-9:
                best, best_trace = axes, np.trace(axes)
    return best
