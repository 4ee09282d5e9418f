"""What makes a rod one that can be simulated: the part of ``validate`` that looks at rods."""

from __future__ import annotations

import numpy as np

from . import checks
from .rods.centre_line import point_directions
from .rods.discretise import across_curve
from .scene import (
    END_HOLDS,
    REST_SHAPES,
    ROD_ORDERS,
    CentreCurve,
    Material,
    Motion,
    Rod,
    RodEnd,
    SceneError,
    Settings,
)

MOST_ELEMENTS = 100_000
COINCIDENT = 1.0e-9  # of the rod's length: closer points are one point


def rod_of(rod: Rod, settings: Settings) -> Rod:
    """Check a rod."""
    name = rod.name
    closed = bool(rod.closed)
    curve = _curve(name, CentreCurve(rod.points, rod.tangents, rod.normals), closed)
    rest = checks.choice(name, "rest shape", rod.rest, REST_SHAPES)
    if (rod.rest_curve is None) == (rest == "curve"):
        raise SceneError(name, 'the rest shape "curve" and a rest curve go together; give both or neither')
    if closed and (rod.start.hold != "free" or rod.end.hold != "free"):
        raise SceneError(name, "a closed rod has no ends to hold; open it, or join a point along it")
    return Rod(
        name=name,
        points=curve.points,
        tangents=curve.tangents,
        normals=curve.normals,
        closed=closed,
        elements=checks.whole(name, "elements", rod.elements, 3 if closed else 1, MOST_ELEMENTS),
        order=_order(name, rod.order),
        radius=_radius(name, rod.radius, len(curve.points)),
        aspect=checks.positive(name, "aspect", rod.aspect),
        shear_correction=bool(rod.shear_correction),
        material=_material(name, rod.material),
        rest=rest,
        rest_curve=_curve(name, rod.rest_curve, closed) if rod.rest_curve is not None else None,
        damping=checks.not_negative(name, "damping", rod.damping),
        linear_damping=checks.not_negative(name, "linear damping", rod.linear_damping),
        start=_rod_end(name, "start", rod.start, settings),
        end=_rod_end(name, "end", rod.end, settings),
    )


def _curve(name: str, curve: CentreCurve, closed: bool) -> CentreCurve:
    """Check a centre line with its tangents and normals."""
    checks.instance(name, "a centre line", curve, CentreCurve)
    points = _points(name, curve.points, closed)
    shape = (len(points), 3)
    tangents = None if curve.tangents is None else checks.directions(name, "tangent", curve.tangents, shape)
    normals = None if curve.normals is None else checks.directions(name, "normal", curve.normals, shape)
    if normals is not None:
        across_curve(name, normals, point_directions(points, tangents))
    return CentreCurve(points, tangents, normals)


def _radius(name: str, value, count: int):
    """Check a radius: one number, or one for each point."""
    if np.ndim(value) == 0:
        return checks.positive(name, "radius", value)
    radii = checks.finite(name, "radius", value, (count,))
    for number, radius in enumerate(radii, start=1):
        checks.positive(name, f"radius at point {number}", radius)
    return radii


def _points(name: str, value, closed: bool = False) -> np.ndarray:
    """Check a centre line: at least two points, some length, no two consecutive points at one place."""
    points = checks.finite(name, "points", value, (-1, 3))
    least, what = (3, "three, to be closed") if closed else (2, "two")
    if len(points) < least:
        raise SceneError(name, f"the curve has {len(points)} point(s); a rod needs at least {what}")
    around = np.concatenate([points, points[:1]]) if closed else points
    steps = np.sqrt(np.sum(np.diff(around, axis=0) ** 2, axis=1))
    length = steps.sum()
    if not length > 1.0e-12:
        raise SceneError(name, "the curve has no length: all its points are at one place; draw it longer")
    short = steps <= COINCIDENT * length
    if short.any():
        number = int(np.argmax(short)) + 1
        other = number % len(points) + 1
        raise SceneError(name, f"points {number} and {other} are at the same place; remove one of them")
    return points


def _order(name: str, value) -> int:
    """Check the polynomial order."""
    order = checks.whole(name, "order", value, min(ROD_ORDERS), max(ROD_ORDERS))
    if order not in ROD_ORDERS:
        raise SceneError(name, f"order is {order}; choose one of {', '.join(map(str, ROD_ORDERS))}")
    return order


def _material(name: str, material: Material) -> Material:
    """Check what a rod is made of."""
    checks.instance(name, "material", material, Material)
    poisson = checks.real(name, "Poisson's ratio", material.poisson_ratio)
    if not -1.0 < poisson <= 0.5:
        raise SceneError(name, f"Poisson's ratio is {poisson:g}; it must be above −1 and at most 0.5")
    return Material(
        young_modulus=checks.positive(name, "Young's modulus", material.young_modulus),
        poisson_ratio=poisson,
        density=checks.positive(name, "density", material.density),
    )


def _rod_end(name: str, which: str, end: RodEnd, settings: Settings) -> RodEnd:
    """Check how an end is held."""
    checks.instance(name, f"the {which}", end, RodEnd)
    hold = checks.choice(name, f"the hold of the {which}", end.hold, END_HOLDS)
    if end.motion is None:
        return RodEnd(hold=hold)
    if hold == "free":
        raise SceneError(name, f"the {which} has a motion but is free; pin it, clamp it or leave the motion out")
    return RodEnd(hold=hold, motion=prescribed(name, f"the motion of the {which}", end.motion, settings))


def prescribed(owner: str, label: str, motion: Motion, settings: Settings) -> Motion:
    """Check a prescribed path: the right number of samples, no jump through the double cover."""
    checks.instance(owner, label, motion, Motion)
    count = settings.sample_count
    positions = checks.finite(owner, f"the positions of {label}", motion.positions, (-1, 3))
    rotations = checks.quaternion(owner, f"the rotations of {label}", motion.rotations, (-1, 4))
    if len(positions) != count or len(rotations) != count:
        raise SceneError(
            owner,
            f"{label} has {len(positions)} positions and {len(rotations)} rotations; it needs {count} samples, "
            "one a substep and the start: sample it again for this frame range and these substeps",
        )
    flips = np.sum(rotations[1:] * rotations[:-1], axis=1) < 0.0
    signs = np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)
    rotations[1:] *= signs[:, None]
    return Motion(positions=positions, rotations=rotations)
