"""A robot arm driven by targets alone: it turns, lifts and reaches out, with a weight on a rope at its gripper."""

from __future__ import annotations

import sys
from math import radians
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import studio

SHOULDER = 0.95  # height of the shoulder's axis, m
REACH = 0.95  # from the shoulder to the gripper with the arm pulled in
ROPE = 0.4
TURN = ((1, 0.0), (12, 0.0), (75, radians(-125.0)), (144, radians(-125.0)))
LIFT = ((1, 0.0), (8, 0.0), (45, radians(-28.0)), (80, radians(-28.0)), (115, radians(8.0)), (144, radians(8.0)))
SLIDE = ((1, 0.0), (40, 0.0), (80, 0.35), (144, 0.35))


def build() -> None:
    """Fill the empty scene."""
    studio.prepare(144)
    orange = studio.material("Orange", studio.ORANGE, roughness=0.35)
    dark = studio.material("Dark", studio.DARK, roughness=0.4)
    steel = studio.material("Steel", studio.STEEL, roughness=0.25, metallic=0.9)
    blue = studio.material("Blue", studio.BLUE, roughness=0.35)
    rope_look = studio.strands("Rope", studio.HEMP, turns=12.0)

    base = studio.cylinder("Base", 0.34, 0.3, dark, (0, 0, 0.15))
    turret = studio.cylinder("Turret", 0.24, 0.34, orange, (0, 0, 0.49))
    cheeks = [studio.box("Cheek", (0.26, 0.05, 0.46), orange, (0, y, 0.84), bevel=0.02) for y in (-0.13, 0.13)]
    cheeks.append(studio.cylinder("Shoulder Axle", 0.05, 0.36, steel, (0, 0, SHOULDER), (0, 1, 0)))
    sleeve = studio.box("Sleeve", (0.95, 0.17, 0.17), orange, (0.28, 0, SHOULDER), bevel=0.025)
    collar = studio.box("Collar", (0.08, 0.2, 0.2), dark, (0.74, 0, SHOULDER), bevel=0.02)
    slide = studio.box("Slide", (0.95, 0.10, 0.10), steel, (REACH - 0.475, 0, SHOULDER), bevel=0.012)
    grip = studio.box("Gripper", (0.12, 0.16, 0.14), dark, (REACH, 0, SHOULDER), bevel=0.02)
    start = (REACH, 0, SHOULDER - 0.07)
    rope = studio.line("Rope", [start, (REACH, 0, start[2] - ROPE)], 0.007, rope_look)
    weight = studio.ball("Weight", 0.11, blue, (REACH, 0, start[2] - ROPE - 0.1))

    studio.body(base, "STATIC")
    for part, density in ((turret, 900.0), (sleeve, 500.0), (slide, 700.0), (weight, 900.0)):
        studio.body(part, density=density)
    studio.carry(turret, *cheeks)
    studio.carry(sleeve, collar)
    studio.carry(slide, grip)
    weight.tendril.body.linear_damping = 0.4
    settings = studio.rod(rope, 6, stiffness=200.0, density=900.0)
    studio.hold(settings.start, "CLAMPED", slide)
    studio.hold(settings.end, "PINNED", weight)

    turn = studio.joint("Turn", "REVOLUTE", (0, 0, 0.3), (0, 0, 1), base, turret)
    lift = studio.joint("Lift", "REVOLUTE", (0, 0, SHOULDER), (0, 1, 0), turret, sleeve)
    reach = studio.joint("Reach", "PRISMATIC", (0.5, 0, SHOULDER), (1, 0, 0), sleeve, slide)
    studio.motor(turn, "angle", 4.0e4, 1.5e3, TURN)
    studio.motor(lift, "angle", 4.0e4, 1.5e3, LIFT)
    studio.motor(reach, "travel", 4.0e4, 1.5e3, SLIDE)

    studio.stage(0.0, (1.6, -5.2, 2.1), (0.05, -0.1, 0.78), lens=52.0)


if __name__ == "__main__":
    studio.open_empty()
    build()
