"""What threads bring where there are many islands: `python -m tendril.benchmarks.speed.threads`."""

from __future__ import annotations

import json
import os
import sys
import time

from tendril.benchmarks.speed.scaling import many_rods
from tendril.solver import Simulation

RODS, FRAMES = 400, 150


def main() -> None:
    counts = sorted({1, 2, os.cpu_count() or 1})
    simulations = {count: Simulation(many_rods(RODS), threads=count) for count in counts}
    walls: dict[int, list[float]] = {count: [] for count in counts}
    work: dict[int, list[float]] = {count: [] for count in counts}
    for _ in range(FRAMES):
        for count, simulation in simulations.items():
            begun, used = time.perf_counter(), time.process_time()
            simulation.advance()
            walls[count].append(time.perf_counter() - begun)
            work[count].append(time.process_time() - used)
    result = {
        "scene": f"{RODS} rods of 8 cubic elements, 4 steps a frame, {FRAMES} frames",
        "seconds": {count: min(walls[count]) for count in counts},
        "median": {count: sorted(walls[count])[FRAMES // 2] for count in counts},
        "work": {count: min(work[count]) for count in counts},
    }
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
