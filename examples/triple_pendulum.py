"""Three bars in a chain of hinges, let go from nearly level: the classic of chaos."""

from __future__ import annotations

import sys
from math import cos, radians, sin
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import studio

from mathutils import Vector

LENGTH = 0.5  # from hinge to hinge, m
SIZE = (LENGTH + 0.1, 0.05, 0.09)  # of a bar
LAYER = 0.07  # each bar lies so far in front of the one before
ANGLE = radians(80.0)  # from hanging straight down
PIVOT = Vector((0.0, 0.0, 1.75))


def build() -> None:
    """Fill the empty scene."""
    studio.prepare(144, substeps=100)
    looks = [studio.material(name, color, roughness=0.35) for name, color in
             (("Red", studio.RED), ("Cream", studio.CREAM), ("Blue", studio.BLUE))]
    steel = studio.material("Steel", studio.STEEL, roughness=0.3, metallic=0.9)
    dark = studio.material("Dark", studio.DARK)

    stand = studio.box("Stand", (0.16, 0.12, 2.0), dark, (0, 0.16, 1.0), bevel=0.02)
    studio.box("Foot", (1.0, 0.6, 0.08), dark, (0, 0.16, 0.04), bevel=0.02)
    studio.carry(stand, studio.cylinder("Axle", 0.035, 0.24, steel, PIVOT + Vector((0, 0.04, 0)), (0, 1, 0)))
    studio.body(stand, "STATIC")

    along = Vector((sin(ANGLE), 0.0, -cos(ANGLE)))
    before = stand
    for number, look in enumerate(looks):
        hinge = PIVOT + along * (LENGTH * number) + Vector((0, -LAYER * number, 0))
        bar = studio.box(f"Bar {number + 1}", SIZE, look, hinge + along * (LENGTH / 2), bevel=0.02)
        bar.rotation_euler.y = radians(90.0) - ANGLE  # the bar's X axis runs along it
        settings = studio.body(bar, density=1200.0)
        settings.linear_damping = settings.angular_damping = 0.0
        studio.joint(f"Hinge {number + 1}", "REVOLUTE", hinge, (0, 1, 0), before, bar)
        if number:
            middle = hinge + Vector((0, LAYER / 2, 0))
            studio.carry(bar, studio.cylinder(f"Pin {number}", 0.028, LAYER + 0.08, steel, middle, (0, 1, 0)))
        before = bar

    studio.stage(0.0, (0.9, -6.2, 1.6), (0, 0, 1.03), lens=58.0)


if __name__ == "__main__":
    studio.open_empty()
    build()
