"""First compile and cached start, each in a fresh process: `python -m tendril.benchmarks.speed.start FOLDER`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROBE = """
import json, resource, sys, time
wall, cpu = time.perf_counter(), time.process_time()
from tendril.solver import jit, Rod, RodEnd, Scene, Simulation
if sys.argv[1] == "compile":
    jit.compile_all()
else:
    Simulation(Scene(rods=(Rod("rod", [[0, 0, 0], [1, 0, 0]], start=RodEnd("clamped")),))).advance()
print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall]))
"""
STARTS = 5


def run(word: str, cache: str) -> list[float]:
    """CPU and wall seconds from the import on."""
    environment = {**os.environ, "TENDRIL_CACHE_DIR": cache}
    answer = subprocess.run([sys.executable, "-c", PROBE, word], env=environment, capture_output=True, text=True,
                            check=True)  # fmt: skip
    return json.loads(answer.stdout)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        compiled = run("compile", cache)
        starts = [run("start", cache) for _ in range(STARTS)]
    json.dump({"compile": compiled, "start": [min(part) for part in zip(*starts)]}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
