"""Tendril and the C++ twin as a worker: `python -m tendril.benchmarks.speed.tendril_worker FOLDER`."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np

from tendril.benchmarks.blocks import Case, gather, serve
from tendril.benchmarks.peers.settle import settle
from tendril.benchmarks.speed.equal_error import ORDERS
from tendril.benchmarks.speed.scenes import FRAME_STEPS, Row, cantilever, rows
from tendril.benchmarks.twin import Twin, build
from tendril.solver import Simulation

TWIN_ELEMENTS = 20
PEER_SEGMENTS = (30, 60, 120)
ROD_STEP = 2e-3  # s
AGREEMENT = 1e-9  # m between the twin and the solver


class Restarting:
    """Advances frame by frame, and starts again where the scene's animation ends."""

    def __init__(self, make):
        self.simulation = Simulation(make())
        self.start = [array.copy() for array in self.simulation.state]

    def __call__(self) -> None:
        simulation = self.simulation
        if simulation.index >= simulation.scene.settings.frame_count - 1:
            for array, start in zip(simulation.state, self.start):
                array[:] = start
            simulation.index = 0
        simulation.advance()


def case_of(row: Row) -> Case:
    advance = Restarting(row.make)
    return Case(advance, FRAME_STEPS, len(advance.simulation.model.mass) - 1)


def rod_case(segments: int) -> Case:
    """The cantilever that the peers have, too."""
    rod = Simulation(cantilever(1, segments, ROD_STEP))

    def tip():
        return [float(rod.frame().positions[-1, axis]) for axis in (0, 2)]

    return Case(rod.advance, FRAME_STEPS, segments + 1, "", ROD_STEP, tip)


def resting_case(order: int, elements: int) -> Case:
    """A cantilever at rest, for the comparison at equal error."""
    scene = cantilever(order, elements, ROD_STEP)
    one = dataclasses.replace(scene.settings, substeps=1, frame_duration=ROD_STEP)
    slow = Simulation(dataclasses.replace(scene, settings=one))

    def stop():
        slow.state.v[:] = 0.0
        slow.state.w[:] = 0.0

    def tip():
        return [float(slow.state.x.reshape(-1, 3)[-1, axis]) for axis in (0, 2)]

    def rest():
        return settle(slow.advance, lambda: float(np.sum(slow.state.v**2)), stop, tip)

    return Case(Simulation(scene).advance, FRAME_STEPS, elements * order + 1, "", ROD_STEP, None, rest)


def twin_cases(folder: Path) -> tuple[dict[str, Case], dict[str, str], str]:
    """Rods of order 1 to 3 by the solver and by the twin, once it is seen that both do the same."""
    cases, skipped, about = {}, {}, ""
    try:
        library, about = build(folder)
    except Exception as error:
        library, skipped["twin"] = None, f"{type(error).__name__}: {error}"
    for order in (1, 2, 3):
        simulation = Simulation(cantilever(order, TWIN_ELEMENTS))
        nodes = simulation.rods["rod"].stop - simulation.rods["rod"].start
        if library is not None:
            twins = {"any": Twin(library, simulation, "rod"), "fixed": Twin(library, simulation, "rod", True)}
            for _ in range(5):
                simulation.advance()
                for name, twin in twins.items():
                    twin.advance()
                    off = abs(simulation.frame().positions[simulation.rods["rod"]] - twin.positions).max()
                    if not off < AGREEMENT:
                        raise AssertionError(f"the twin ({name} order) is {off:.1e} m off at order {order}")
            for name, twin in twins.items():
                cases[f"twin {name} {order}"] = Case(twin.advance, FRAME_STEPS, nodes)
        cases[f"solver {order}"] = Case(simulation.advance, FRAME_STEPS, nodes)
    return cases, skipped, about


def main(folder: Path) -> None:
    makers = {f"{row.table}: {row.name}": lambda row=row: case_of(row) for row in rows()}
    for segments in PEER_SEGMENTS:
        makers[f"rod {segments}"] = lambda n=segments: rod_case(n)
    for order, counts in ORDERS.items():
        for elements in counts:
            makers[f"equal {order} {elements}"] = lambda o=order, n=elements: resting_case(o, n)
    cases, skipped = gather(makers)
    more, missing, about = twin_cases(folder)
    serve({**cases, **more}, {**skipped, **missing}, about)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
