"""Timing in short blocks, in a process that answers one block at a time.

The machine is never quiet: other work shares its caches and its power. So every figure is the CPU time of one thread
over a short block, the blocks of everything compared take turns, also across processes, and ratios are of minima.
A worker prints one line of JSON with its cases, then answers each line it reads, a case and a count of calls, with
one line: seconds of CPU a step. Needs nothing but Python: it runs in the environments of other solvers, too.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

LOOK = 0.2  # s of simulated time, a little more where a call does not end there
BLOCK = 0.03  # s of CPU that a block should last


@dataclass
class Case:
    """Something to time: ``advance`` makes ``steps`` steps of ``time_step`` of a scene of ``nodes`` nodes.

    ``tip``, across and up, shows that everybody simulates the same: it is noted after ``LOOK`` seconds. ``rest`` says
    where it comes to rest.
    """

    advance: Callable[[], object]
    steps: int
    nodes: int = 0
    remark: str = ""
    time_step: float = 0.0
    tip: Callable[[], list[float]] | None = None
    rest: Callable[[], list[float]] | None = None


def block(case: Case, calls: int) -> float:
    """Seconds of CPU a step over one block."""
    start = time.thread_time()
    for _ in range(calls):
        case.advance()
    return (time.thread_time() - start) / (calls * case.steps)


def calls_for(case: Case, seconds: float = BLOCK) -> int:
    """Run the case in, and say how many calls last about ``seconds``."""
    case.advance()
    taken = min(block(case, 1) for _ in range(3)) * case.steps
    return max(1, int(seconds / max(taken, 1e-7)))


def serve(cases: dict[str, Case], skipped: dict[str, str] | None = None, about: str = "") -> None:
    """Answer blocks until standard input ends."""
    calls, tips, rests = {}, {}, {}
    for name, case in cases.items():
        if case.tip is not None:
            for _ in range(round(LOOK / (case.steps * case.time_step))):
                case.advance()
            tips[name] = case.tip()
        if case.rest is not None:
            rests[name] = case.rest()
        calls[name] = calls_for(case)
    head = {
        "about": about,
        "cases": {
            name: {"nodes": case.nodes, "remark": case.remark, "time_step": case.time_step, "tip": tips.get(name),
                   "rest": rests.get(name)}
            for name, case in cases.items()
        },
        "skipped": skipped or {},
    }
    sys.__stdout__.write(json.dumps(head) + "\n")
    sys.__stdout__.flush()
    for line in sys.stdin:
        name = line.strip()
        sys.__stdout__.write(json.dumps(block(cases[name], calls[name])) + "\n")
        sys.__stdout__.flush()


def gather(makers: dict[str, Callable[[], Case]]) -> tuple[dict[str, Case], dict[str, str]]:
    """Make each case; one that cannot be made is skipped with its reason."""
    cases, skipped = {}, {}
    for name, make in makers.items():
        try:
            cases[name] = make()
        except Exception as error:
            skipped[name] = f"{type(error).__name__}: {error}"
    return cases, skipped
