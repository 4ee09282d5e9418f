"""Runs one study: `python -m tendril.benchmarks.run_study NAME FOLDER`. Exit code 1 where a bound is missed."""

from __future__ import annotations

import importlib
import inspect
import sys
import time
from pathlib import Path

from .validation import SECTIONS
from .validation_result import Output, number

MISSED = 3  # exit code of a study that ran and misses a bound


def run(name: str, folder: Path) -> int:
    module = importlib.import_module(f".validation.{name}", __package__)
    if module.SECTION not in SECTIONS:
        raise ValueError(f"{name}: no section {module.SECTION!r}; there are {', '.join(SECTIONS)}")
    folder.mkdir(parents=True, exist_ok=True)
    for old in [*folder.glob(f"{name}-*"), folder / f"{name}.json"]:
        old.unlink(missing_ok=True)
    output = Output(folder, name)
    begun = time.perf_counter()
    result = module.study(output)
    seconds = time.perf_counter() - begun
    output.keep(module.TITLE, module.SECTION, module.PLACE, inspect.getdoc(module) or "", result, seconds)
    for row in result.rows:
        mark = "      " if row.bound is None else "ok    " if row.ok else "MISSED"
        wanted = "" if row.bound is None else f"   wanted {row.bound}"
        reference = "" if row.reference is None else f" of {number(row.reference)}"
        print(f"  {mark} {row.quantity}: {number(row.ours)} {row.unit}{wanted}{reference}", flush=True)
    return 0 if all(row.ok for row in result.rows) else MISSED


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], Path(sys.argv[2])))
