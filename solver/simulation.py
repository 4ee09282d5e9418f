"""A scene set in motion: frame after frame, with what can be asked of it in between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .assembly import Assembly
from .diagnostics import (
    ANGULAR,
    CONSTRAINT,
    ELASTIC,
    GRAVITATIONAL,
    KINETIC,
    LINEAR,
    MEASURES,
    PRIMAL,
    Energy,
    Residuals,
    measure,
)
from .model import INDEX, JOINT, KIND, PAIRS, ROW, make_work
from .parallel import make_groups, own_scratch, run, thread_count
from .scene import Scene
from .step import STEP_CONNECTOR, STEP_OK, step_frame


class SimulationDiverged(RuntimeError):
    """The solve left the finite numbers: ``frame`` (0 is the start) could not be reached because of ``object``."""

    def __init__(self, frame: int, object: str):
        super().__init__(
            f"{object}: the simulation became unstable before frame {frame}. "
            "Raise the substeps, or look for extreme masses, stiffness or speeds"
        )
        self.frame = frame
        self.object = object


@dataclass(frozen=True, eq=False)
class Frame:
    """All nodes at one frame: ``positions`` (N, 3) m and ``rotations`` (N, 4), node 0 being the world."""

    index: int
    positions: np.ndarray
    rotations: np.ndarray


class Simulation:
    """Runs a ``Scene``.

    ``bodies[name]`` is a body's node, ``rods[name]`` a slice of a rod's nodes from start to end. Raises ``SceneError``
    where the scene cannot be simulated. The first simulation of a fresh installation compiles the kernels.
    ``threads``: how many may work at scenes of many islands, by default all there are (the environment variable
    TENDRIL_THREADS limits it); the result is the same to the last bit.
    """

    def __init__(self, scene: Scene, threads: int | None = None):
        self.scene = scene.validated()
        assembly = Assembly(self.scene)
        self.bodies, self.rods = assembly.bodies, assembly.rods
        self.model, self.state = assembly.model(), assembly.state()
        self.work = make_work(self.model)
        settings, count = self.scene.settings, thread_count(threads)
        self._groups = make_groups(self.model, settings.substeps * settings.iterations, count)
        helpers = min(count, len(self._groups)) - 1
        self._works = [self.work, *(own_scratch(self.work) for _ in range(helpers))]
        self.index = 0
        self._owner = assembly.owner
        self._joint_names = [joint.name for joint in self.scene.joints]
        self._element_rods = [self.scene.rods[e.rod].name for e in assembly.elements]
        self._nodes = assembly.public_nodes
        self._keep_rest_shapes(assembly)

    def _keep_rest_shapes(self, assembly: Assembly) -> None:
        """Make the strains of the drawn shape, or of the rest curve, the rest strains of the rods that want it so."""
        x, q = self.state.x.copy(), self.state.q.copy()
        for rod, line in zip(self.scene.rods, assembly.natural, strict=True):
            nodes = self.rods[rod.name]
            self.state.x.reshape(-1, 3)[nodes] = line.positions
            self.state.q.reshape(-1, 4)[nodes] = line.rotations
        self._measure()
        for connector in self.model.connectors:
            if connector[KIND] != JOINT:
                rod = self.scene.rods[assembly.elements[int(connector[INDEX])].rod]
                if rod.rest != "straight":
                    rows = slice(int(connector[ROW]), int(connector[ROW] + 6 * connector[PAIRS]))
                    self.model.rest[rows] += self.work.c[rows]
        self.state.x[:], self.state.q[:] = x, q

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.index * self.scene.settings.frame_duration

    def frame(self) -> Frame:
        """The current frame, a copy."""
        count = self._nodes
        return Frame(
            self.index, self.state.x.reshape(-1, 3)[:count].copy(), self.state.q.reshape(-1, 4)[:count].copy()
        )

    def advance(self) -> Frame:
        """Advance to the next frame and return it; raises ``SimulationDiverged``. Holds no GIL while it solves."""
        settings = self.scene.settings

        def solve(work, first, last):
            return step_frame(
                self.model, self.state, work, first, last, settings.time_step,
                self.index * settings.substeps, settings.substeps, settings.iterations,
            )  # fmt: skip

        for status, number, _ in run(self._groups, self._works, solve):
            if status != STEP_OK:
                raise SimulationDiverged(self.index + 1, self._name(status, number))
        self.index += 1
        return self.frame()

    def frames(self) -> Iterator[Frame]:
        """Frames 0 … frame_count − 1, the start first."""
        yield self.frame()
        while self.index < self.scene.settings.frame_count - 1:
            yield self.advance()

    def _name(self, status: int, number: int) -> str:
        """The object a node or a connector belongs to."""
        if status != STEP_CONNECTOR:
            return self._owner[number]
        connector = self.model.connectors[number]
        names = self._joint_names if connector[KIND] == JOINT else self._element_rods
        return names[int(connector[INDEX])]

    def _measure(self) -> np.ndarray:
        out, turns = np.zeros(MEASURES), self.state.turns.copy()
        settings = self.scene.settings
        measure(self.model, self.state, self.work, settings.time_step, self.index * settings.substeps, out)
        self.state.turns[:] = turns  # to ask changes nothing
        return out

    def energy(self) -> Energy:
        """Kinetic, gravitational and elastic energy now, J."""
        out = self._measure()
        return Energy(float(out[KINETIC]), float(out[GRAVITATIONAL]), float(out[ELASTIC]))

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum, N·s, and angular momentum about the world's origin, N·m·s, of all that moves."""
        out = self._measure()
        return out[LINEAR : LINEAR + 3].copy(), out[ANGULAR : ANGULAR + 3].copy()

    def residuals(self) -> Residuals:
        """How well the last substep was solved: norms of (51) and (52)."""
        out = self._measure()
        return Residuals(float(out[PRIMAL]), float(out[CONSTRAINT]))
