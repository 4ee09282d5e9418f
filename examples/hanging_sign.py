"""A sign with Suzanne's head hangs from two ropes and gets a push; two loose rope ends dangle below it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import studio

BEAM = 2.55  # height of the beam's underside, m
TOP = 1.6  # height of the board's upper edge
SPREAD = 0.42  # from the middle to each rope
BOARD = (1.1, 0.05, 0.9)


def build() -> None:
    """Fill the empty scene."""
    studio.prepare(120)
    oak = studio.material("Oak", studio.OAK)
    walnut = studio.material("Walnut", studio.WALNUT)
    gold = studio.material("Gold", studio.GOLD, roughness=0.3, metallic=0.6)
    cream = studio.material("Cream", studio.CREAM)
    hemp = studio.strands("Hemp", studio.HEMP, turns=25.0)

    beam = studio.box("Beam", (2.3, 0.14, 0.14), walnut, (0, 0, BEAM + 0.07))
    for x in (-1.05, 1.05):
        studio.box("Post", (0.13, 0.13, BEAM), walnut, (x, 0, BEAM / 2))
        studio.box("Foot", (0.16, 0.9, 0.1), walnut, (x, 0, 0.05))
    middle = TOP - BOARD[2] / 2
    board = studio.box("Board", BOARD, oak, (0, 0, middle), bevel=0.015)
    head = studio.monkey("Suzanne", gold, (0, -0.12, middle + 0.11), 0.26)
    word = studio.text("Word", "TENDRIL", 0.15, cream, (0, -BOARD[1] / 2, middle - 0.34))

    studio.body(beam, "STATIC")
    push = studio.body(board, density=600.0)
    push.velocity, push.spin = (0.25, 1.3, 0.0), (0.0, 0.0, 1.0)
    settings = studio.body(head)
    settings.mass_source, settings.mass = "MASS", 2.5  # Suzanne is no closed mesh, so a density would give no mass
    settings.velocity = push.velocity
    studio.joint("Glue", "FIXED", head.location, (0, 0, 1), board, head)
    studio.carry(board, word)

    for side, x in (("Left", -SPREAD), ("Right", SPREAD)):
        rope = studio.line(f"{side} Rope", [(x, 0, BEAM), (x, 0, TOP)], 0.012, hemp)
        settings = studio.rod(rope, 8, stiffness=200.0, density=900.0)
        studio.hold(settings.start, "CLAMPED", beam)
        studio.hold(settings.end, "PINNED", board)
        bottom = TOP - BOARD[2]
        tail = studio.line(f"{side} Tail", [(x, 0, bottom), (x, 0, bottom - 0.34)], 0.01, hemp)
        settings = studio.rod(tail, 5, stiffness=3.0, density=900.0)
        studio.hold(settings.start, "CLAMPED", board)

    studio.stage(0.0, (1.9, -6.1, 1.7), (0, 0, 1.33), lens=50.0)


if __name__ == "__main__":
    studio.open_empty()
    build()
