"""`dev.py bench`: other solvers each in an environment of its own, then everything in one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from . import environments, pins
from .folders import DEV, ROOT
from .processes import TIMED_OUT, CommandError, environment, run, say

BENCH_LIMIT = 2400.0


def _peers() -> list[str]:
    """NAME=PYTHON for each peer that can be installed here, NAME=!REASON for the others."""
    found = []
    for name, requirements in pins.PEERS.items():
        try:
            folder = environments.ensure(f"peer-{name}", pins.PEER_PYTHON, requirements)
            found.append(f"{name}={environments.python_of(folder)}")
        except CommandError as error:
            reason = str(error).split(";")[0]
            say(f"leaving out {name}: {reason}")
            found.append(f"{name}=!{reason}")
    return found


def bench(page: Path | None, words: Sequence[str]) -> int:
    """Measure and write ``page`` (docs/benchmarks.md) with its plot beside it; 1 where a bound is missed."""
    python = environments.python_of(environments.validation())
    peers = _peers()
    env = environment(
        PYTHONNOUSERSITE="1", TENDRIL_CACHE_DIR=str(DEV / "compiled"), MPLCONFIGDIR=str(DEV / "matplotlib")
    )
    command = [python, "-m", "tendril.benchmarks.speed.run", "--folder", DEV / "bench"]
    command += ["--page", (page or ROOT / "docs/benchmarks.md").resolve(), *words, *peers]
    code = run(command, timeout=BENCH_LIMIT, env=env)
    if code == TIMED_OUT:
        raise CommandError(f"the benchmarks did not end within {BENCH_LIMIT:.0f} s")
    return 1 if code else 0
