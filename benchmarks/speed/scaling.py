"""How cost grows with the number of elements and of rods: `python -m tendril.benchmarks.speed.scaling`."""

from __future__ import annotations

import dataclasses
import json
import sys

import numpy as np

from tendril.benchmarks.blocks import Case, block
from tendril.benchmarks.speed.scenes import cantilever
from tendril.solver import Rod, RodEnd, Scene, Settings, Simulation

STEPS = 4
ELEMENTS = (10, 30, 100, 300, 1000, 3000, 10000)
RODS = (1, 3, 10, 30, 100, 300, 1000)
REPEATS = 7


def long_rod(order: int, elements: int) -> Scene:
    """Elements as long as those of a rod of one metre with 20, so that only their number changes."""
    scene = cantilever(order, 20)
    rod = dataclasses.replace(scene.rods[0], points=[[0, 0, 0], [0.05 * elements, 0, 0]], elements=elements,
                              end=RodEnd("clamped"))  # fmt: skip
    return Scene(rods=(rod,), settings=settings())


def many_rods(count: int) -> Scene:
    rods = tuple(
        Rod(f"rod {k}", [[0, 0.2 * k, 0], [1, 0.2 * k, 0]], elements=8, order=3, radius=0.05, start=RodEnd("clamped"))
        for k in range(count)
    )
    return Scene(rods=rods, settings=settings())


def settings() -> Settings:
    return Settings(frame_duration=STEPS * 5e-3, frame_count=10**6, substeps=STEPS)


def seconds(scene: Scene) -> float:
    """Least CPU seconds a step."""
    simulation = Simulation(scene, threads=1)
    case = Case(simulation.advance, STEPS)
    case.advance()
    calls = max(1, int(0.02 / (block(case, 1) * STEPS)))
    return min(block(case, calls) for _ in range(REPEATS))


def exponent(counts, times) -> float:
    """Slope of log time over log count, from 100 elements (10 rods) on: below, fixed costs count."""
    counts, times = np.array(counts, float), np.array(times)
    wide = counts >= counts[len(counts) // 3]
    return float(np.polyfit(np.log(counts[wide]), np.log(times[wide]), 1)[0])


def main() -> None:
    result = {}
    for order in (1, 2, 3):
        result[f"one rod, order {order}"] = (ELEMENTS, [seconds(long_rod(order, n)) for n in ELEMENTS])
    result["rods of 8 cubic elements"] = (RODS, [seconds(many_rods(n)) for n in RODS])
    json.dump({k: {"counts": c, "times": t, "exponent": exponent(c, t)} for k, (c, t) in result.items()}, sys.stdout)


if __name__ == "__main__":
    main()
