"""A toy bird on a coil spring: the rod is at rest in the helix that it is drawn in, and the bird sets it bouncing."""

from __future__ import annotations

import sys
from math import cos, pi, sin
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import studio

from mathutils import Vector

TURNS = 9
RADIUS = 0.10  # of the coil, m
WIRE = 0.006  # radius of the wire
TOP = 1.35  # height where the spring hangs
HEIGHT = 0.42  # of the spring, as it is drawn
POINTS = 12  # control points for each turn


def coil(t: float) -> Vector:
    """Return a point of the spring's center line, t = 0…1: from the axis out, down in turns, and back to the axis."""
    ends = min(t, 1.0 - t) * TURNS  # turns from the nearer end
    way = min(ends / 0.9, 1.0)
    radius = RADIUS * way * way * (3.0 - 2.0 * way)
    angle = 2.0 * pi * TURNS * t
    return Vector((radius * cos(angle), radius * sin(angle), TOP - HEIGHT * t))


def center_line() -> tuple[list[Vector], list[Vector]]:
    """Return control points and their derivatives for one step from point to point."""
    steps = TURNS * POINTS
    small = 1.0e-4
    points = [coil(i / steps) for i in range(steps + 1)]
    tangents = [(coil(min(i / steps + small, 1.0)) - coil(max(i / steps - small, 0.0)))
                / (min(i / steps + small, 1.0) - max(i / steps - small, 0.0)) / steps for i in range(steps + 1)]
    return points, tangents


def build() -> None:
    """Fill the empty scene."""
    studio.prepare(120)
    steel = studio.material("Spring", studio.TEAL, roughness=0.25, metallic=0.5)
    yellow = studio.material("Yellow", (0.90, 0.58, 0.05), roughness=0.4)
    orange = studio.material("Orange", studio.ORANGE)
    dark = studio.material("Dark", studio.DARK, roughness=0.2)
    wood = studio.material("Wood", studio.OAK)

    bracket = studio.box("Bracket", (0.3, 0.3, 0.06), wood, (0, 0, TOP + 0.03), bevel=0.015)
    studio.box("Arm", (0.08, 0.9, 0.08), wood, (0, 0.4, TOP + 0.09), bevel=0.015)
    studio.box("Foot", (0.5, 0.5, 0.05), wood, (0, 0.85, 0.025), bevel=0.015)
    studio.box("Post", (0.1, 0.1, TOP + 0.2), wood, (0, 0.85, TOP / 2 + 0.1), bevel=0.015)
    points, tangents = center_line()
    spring = studio.line("Spring", points, WIRE, steel, tangents)
    bottom = points[-1]
    bird = studio.ball("Bird", 0.075, yellow, bottom - Vector((0, 0, 0.07)), (1.0, 1.15, 1.0))
    middle = Vector(bird.location)
    parts = [studio.cone("Beak", 0.024, 0.06, orange, middle + Vector((0, -0.105, 0.0)), (0, -1, 0))]
    for x in (-1, 1):
        parts.append(studio.ball("Eye", 0.014, dark, middle + Vector((0.032 * x, -0.066, 0.032))))
        parts.append(studio.ball("Wing", 0.05, orange, middle + Vector((0.078 * x, 0.015, 0.0)), (0.28, 1.0, 0.7)))
    parts.append(studio.cone("Tail", 0.04, 0.09, orange, middle + Vector((0, 0.10, 0.025)), (0, 1, 0.6)))
    studio.carry(bird, *parts)

    studio.body(bracket, "STATIC")
    weight = studio.body(bird, density=550.0)
    weight.velocity = (0.25, 0.0, 0.0)
    settings = studio.rod(spring, TURNS * 6, stiffness=2600.0, density=1140.0)
    settings.poisson_ratio = 0.38
    studio.hold(settings.start, "CLAMPED", bracket)
    studio.joint("Eyelet", "FIXED", bottom, (0, 0, 1), spring, bird)

    studio.stage(0.0, (1.3, -3.3, 1.05), (0.02, 0.1, 0.76), lens=55.0, backdrop=(0.50, 0.58, 0.66))


if __name__ == "__main__":
    studio.open_empty()
    build()
