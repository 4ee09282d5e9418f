"""``python -m tendril.solver SCENE [-o OUT.npz] [--frames N]``: run a scene file to an .npz of its frames.

Exit codes: 0 done; 1 the simulation diverged, the frames before are kept; 2 a file cannot be read, run or written.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from .files import load_scene
from .scene import SceneError
from .simulation import Frame, Simulation, SimulationDiverged

DONE, DIVERGED, BAD_FILE = 0, 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = _parser().parse_args(arguments)
    out = options.out or options.scene.with_suffix(".npz")
    try:
        simulation = Simulation(load_scene(options.scene))
        count = _frame_count(simulation, options.frames)
    except (SceneError, OSError) as error:
        return _fail(BAD_FILE, error)
    frames: list[Frame] = []
    energies: list[tuple[float, float, float]] = []
    code = DONE
    try:
        _run(simulation, count, frames, energies)
    except SimulationDiverged as error:
        code = _fail(DIVERGED, error)
    try:
        with open(out, "wb") as file:
            np.savez(file, **_arrays(simulation, frames, energies))
    except OSError as error:
        return _fail(BAD_FILE, error)
    print(f"{len(frames)} frames written to {out}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tendril.solver",
        description="Run a Tendril scene file without Blender and write its frames to an .npz file: positions "
        "(frames, nodes, 3), rotations (frames, nodes, 4), names, first and last nodes, times and energies.",
        epilog="Exit codes: 0 done, 1 diverged (the frames before are kept), 2 bad file.",
    )
    parser.add_argument("scene", type=Path, metavar="SCENE", help="a file written by save_scene")
    parser.add_argument("-o", "--out", type=Path, metavar="OUT.npz", help="where to write; default: beside the scene")
    parser.add_argument("--frames", type=int, metavar="N", help="stop after N frames; default: all of the scene")
    return parser


def _fail(code: int, error: Exception) -> int:
    print(f"error: {error}", file=sys.stderr)
    return code


def _frame_count(simulation: Simulation, wanted: int | None) -> int:
    """How many frames to run: no more than the scene has samples of its animated things for."""
    count = simulation.scene.settings.frame_count
    if wanted is None:
        return count
    if not 1 <= wanted <= count:
        raise SceneError("--frames", f"{wanted} frames are wanted; the scene has {count}, choose 1 to {count}")
    return wanted


def _run(simulation: Simulation, count: int, frames: list, energies: list) -> None:
    """Collect frames and energies, with a line of progress on stderr about once a second."""
    shown = time.monotonic()
    for number in range(count):
        frames.append(simulation.advance() if number else simulation.frame())
        energy = simulation.energy()
        energies.append((energy.kinetic, energy.gravitational, energy.elastic))
        if time.monotonic() - shown > 1.0:
            shown = time.monotonic()
            print(f"frame {number + 1} of {count}", file=sys.stderr, flush=True)


def _arrays(simulation: Simulation, frames: list[Frame], energies: list) -> dict[str, Any]:
    """Everything that goes into the .npz.

    Object i has the name ``names[i]``, the kind ``kinds[i]`` ("body" or "rod") and the nodes ``first[i]`` up to but
    without ``last[i]``. ``energies`` (frames, 3): kinetic, gravitational, elastic, J.
    """
    bodies = [(name, "body", node, node + 1) for name, node in simulation.bodies.items()]
    rods = [(name, "rod", nodes.start, nodes.stop) for name, nodes in simulation.rods.items()]
    names, kinds, first, last = zip(*(bodies + rods), strict=True)
    duration = simulation.scene.settings.frame_duration
    return {
        "positions": np.stack([frame.positions for frame in frames]),
        "rotations": np.stack([frame.rotations for frame in frames]),
        "times": duration * np.array([frame.index for frame in frames], dtype=np.float64),
        "energies": np.array(energies, dtype=np.float64),
        "names": np.array(names, dtype=np.str_),
        "kinds": np.array(kinds, dtype=np.str_),
        "first": np.array(first, dtype=np.int64),
        "last": np.array(last, dtype=np.int64),
    }


if __name__ == "__main__":
    sys.exit(main())
