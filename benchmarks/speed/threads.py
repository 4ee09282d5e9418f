"""What threads bring where there are many islands: `python -m tendril.benchmarks.speed.threads`."""

from __future__ import annotations

import json
import os
import sys
import time

from tendril.benchmarks.speed.scaling import many_rods
from tendril.solver import Simulation

RODS, FRAMES = 400, 60


def main() -> None:
    counts = sorted({1, 2, os.cpu_count() or 1})
    simulations = {count: Simulation(many_rods(RODS), threads=count) for count in counts}
    best = dict.fromkeys(counts, float("inf"))
    for _ in range(FRAMES):
        for count, simulation in simulations.items():
            begun = time.perf_counter()
            simulation.advance()
            best[count] = min(best[count], time.perf_counter() - begun)
    json.dump({"scene": f"{RODS} rods of 8 cubic elements, 4 steps a frame", "seconds": best}, sys.stdout)


if __name__ == "__main__":
    main()
