"""Measure everything and write the page: `python -m tendril.benchmarks.speed.run …`, which `dev.py bench` calls."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from . import page
from .bounds import bounds
from .equal_error import matches
from .scenes import rows
from .tendril_worker import TWIN_ELEMENTS
from .workers import Worker, take_turns

REPEATS = 10
BENCHMARKS = Path(__file__).resolve().parent.parent
MISSED = 3


def machine() -> str:
    """The processor, without the machine's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} cores"
    except OSError:
        pass
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def sub(module: str, *words: str) -> dict:
    """Run a module of this folder and read the JSON it prints."""
    command = [sys.executable, "-m", f"tendril.benchmarks.speed.{module}", *words]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def peers(pairs: list[str]) -> tuple[list[Worker], dict[str, str]]:
    """Start a worker in each peer's environment, given as NAME=PYTHON, or NAME=!REASON."""
    started, skipped = [], {}
    for pair in pairs:
        name, _, python = pair.partition("=")
        if python.startswith("!"):
            skipped[name] = python[1:]
            continue
        path = os.pathsep.join([str(BENCHMARKS), str(BENCHMARKS / "peers")])
        try:
            started.append(Worker([python, str(BENCHMARKS / "peers" / f"{name}_peer.py")], {"PYTHONPATH": path}))
        except Exception as error:
            skipped[name] = str(error)
            continue
        skipped.update({f"{name}, {case}": reason for case, reason in started[-1].skipped.items()})
    return started, skipped


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True, help="for the twin and raw figures")
    parser.add_argument("--page", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("peers", nargs="*")
    options = parser.parse_args()
    begun = time.perf_counter()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for all that is compared
    ours = Worker([sys.executable, "-m", "tendril.benchmarks.speed.tendril_worker", str(options.folder)])
    others, skipped = peers(options.peers)
    take_turns([ours, *others], options.repeats)
    for worker in (ours, *others):
        worker.close()
    skipped.update(ours.skipped)
    scaling, start = sub("scaling"), sub("start", str(options.folder))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    threads = sub("threads")
    same = matches(ours.samples, others)
    found = bounds(list(rows()), ours.samples, others, same, scaling, start)
    write(options, ours, others, skipped, scaling, start, threads, found, same)
    raw = {w.about: {s.name: s.times for s in w.samples.values()} for w in (ours, *others)}
    raw_file = options.folder / "benchmarks.json"
    raw_file.write_text(json.dumps({"times": raw, "scaling": scaling, "start": start, "threads": threads}, indent=1))
    print(page.paper_table(list(rows()), ours.samples))
    print(page.twin_table(ours.samples, TWIN_ELEMENTS))
    print(page.peer_tables(ours.samples, others))
    print(page.error_table(same))
    print(page.bound_table(found))
    print(f"{options.page} in {time.perf_counter() - begun:.0f} s; raw figures in {raw_file}")
    return 0 if all(bound.ok for bound in found) else MISSED


def write(options, ours, others, skipped, scaling, start, threads, found, same) -> None:
    picture = options.page.with_suffix("") / "speed.png"
    page.plot(picture, list(rows()), ours.samples, scaling)
    lines = [[count, f"{seconds * 1e3:.3g}", f"{threads['median'][count] * 1e3:.3g}",
              f"{threads['work'][count] * 1e3:.3g}", f"{threads['seconds']['1'] / seconds:.2f}"]
             for count, seconds in threads["seconds"].items()]  # fmt: skip
    parts = [
        page.INTRODUCTION.format(repeats=options.repeats, machine=machine()),
        "## Bounds\n\n" + page.bound_table(found),
        "## The paper's tables\n\n" + page.paper_table(list(rows()), ours.samples),
        f"![Time a step in units of the paper's, and growth of cost]({picture.parent.name}/{picture.name})\n\n"
        "A cubic element costs 1.5 times as much among 10,000 as among 100, and 1.6 times in the C++ twin, which lays\n"
        "out its memory alike; linear ones hardly grow. Likely the caches: the count of operations is the same.\n",
        f"## C++ twin\n\nThe same rod kernel in plain C++ ([benchmarks/twin](../benchmarks/twin)), {ours.about}; its "
        f"positions agree to 1e-9 m.\nns an element, {TWIN_ELEMENTS} elements.\n\n"
        + page.twin_table(ours.samples, TWIN_ELEMENTS),
        "## Other solvers\n\n" + page.peer_tables(ours.samples, others),
        page.error_table(same),
        f"## Threads\n\n{threads['scene']}; the same bits for any number of threads. Where other\n"
        "work fills a core, two threads share what is left, and the median shows it.\n\n"
        + page.table(["Threads", "ms of wall time, least", "median", "ms of CPU", "speed-up of the least"], lines),
        f"## Start\n\nFirst compile of everything: {start['compile'][0]:.1f} s of CPU. A cached start, from the\n"
        f"import to the first frame of a rod: {start['start'][1]:.2f} s ({start['start'][0]:.2f} s of CPU).\n",
    ]  # fmt: skip
    if skipped:
        parts.append("## Left out\n\n" + "\n".join(f"- {n}: {r.splitlines()[0]}" for n, r in skipped.items()) + "\n")
    options.page.parent.mkdir(parents=True, exist_ok=True)
    options.page.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
