"""Workers: processes that time blocks on demand, see ``benchmarks.blocks``."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
ONE_THREAD = dict.fromkeys((*LIBRARIES, "TENDRIL_THREADS"), "1")


@dataclass
class Sample:
    """What was measured of one case: seconds of CPU a step, one for each repeat."""

    name: str
    nodes: int
    remark: str
    time_step: float
    tip: list[float] | None
    rest: list[float] | None
    times: list[float] = field(default_factory=list)

    @property
    def least(self) -> float:
        return min(self.times)

    @property
    def median(self) -> float:
        return float(np.median(self.times))


class Worker:
    """A process with its cases. ``skipped`` says what it could not make, ``about`` who it is."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **ONE_THREAD, **(environment or {})},
        )  # fmt: skip
        head = self._line()
        self.about, self.skipped = head["about"], head["skipped"]
        self.samples = {
            name: Sample(name, case["nodes"], case["remark"], case["time_step"], case["tip"], case["rest"])
            for name, case in head["cases"].items()
        }

    def _line(self):
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line[:1] in "{0123456789":  # libraries talk before they work
                return json.loads(line)
        raise RuntimeError(f"the worker ended with exit code {self.process.wait()}")

    def measure(self, name: str) -> None:
        """Time one block of a case."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        self.samples[name].times.append(self._line())

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(10.0)
        except subprocess.TimeoutExpired:
            self.process.kill()


def take_turns(workers: Sequence[Worker], repeats: int) -> None:
    """Time every case of every worker ``repeats`` times, one block after the other in turn."""
    turns = [(worker, name) for worker in workers for name in worker.samples]
    for _ in range(repeats):
        for worker, name in turns:
            worker.measure(name)
