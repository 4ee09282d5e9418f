"""`dev.py validate`: run the studies under `benchmarks/validation/` and make `docs/validation.md`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import environments
from .folders import DEV, ROOT
from .processes import TIMED_OUT, CommandError, environment, run, say

STUDIES = ROOT / "benchmarks/validation"
DOCS = ROOT / "docs"
STUDY_LIMIT = 900.0
MISSED = 3  # exit code of a study that ran and misses a bound
SECTIONS = ("Joints", "Rods", "Dynamics", "Whole mechanisms")
INTRODUCTION = """# Validation

What theory, the paper (*Orientation in Extended Position-Based Dynamics*) and independent solvers say, beside what
Tendril computes. `python3 dev.py validate` makes this page again, with every plot and series in
[validation/](validation), and fails where a bound is missed; `python3 dev.py validate NAME` does it for one study.
Times are of the machine on which the page was made.
"""


def names() -> list[str]:
    return sorted(file.stem for file in STUDIES.glob("*.py") if not file.stem.startswith("_"))


def validate(wanted: Sequence[str], folder: Path | None) -> int:
    """Run the studies named, or all, print a summary and write the page; 1 where a bound is missed or one fails."""
    known = names()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise CommandError(f"no study {', '.join(unknown)}; there are {', '.join(known)}")
    docs = (folder or DOCS).resolve()
    data = docs / "validation"
    data.mkdir(parents=True, exist_ok=True)
    python = environments.python_of(environments.validation())
    env = environment(
        PYTHONNOUSERSITE="1", TENDRIL_CACHE_DIR=str(DEV / "compiled"), MPLCONFIGDIR=str(DEV / "matplotlib"),
        OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
    )  # fmt: skip
    outcomes = []
    for name in wanted or known:
        say(f"study {name}")
        begun = time.monotonic()
        command = [python, "-m", "tendril.benchmarks.run_study", name, data]
        code = run(command, timeout=STUDY_LIMIT, env=env, cwd=docs.parent if folder is None else docs)
        outcomes.append((name, code, time.monotonic() - begun))
    write_page(docs / "validation.md", data)
    return _summary(outcomes)


def _summary(outcomes: Sequence[tuple[str, int, float]]) -> int:
    words = {0: "ok", MISSED: "MISSES A BOUND", TIMED_OUT: "did not end in time"}
    print("\nSummary")
    for name, code, seconds in outcomes:
        print(f"  {name:28s}{seconds:7.1f} s  {words.get(code, f'failed with exit code {code}')}")
    bad = sum(code != 0 for _, code, _ in outcomes)
    print(f"{len(outcomes) - bad} studies keep their bounds, {bad} do not", flush=True)
    return 1 if bad else 0


def write_page(page: Path, data: Path) -> None:
    """Make the page of the results of all studies that there are, also of those not run now."""
    studies = []
    for name in names():
        file = data / f"{name}.json"
        if file.is_file():
            studies.append((name, json.loads(file.read_text(encoding="utf-8"))))
        else:
            print(f"warning: {name} has no result yet", file=sys.stderr)
    studies.sort(key=lambda item: (SECTIONS.index(item[1]["section"]), item[1]["place"], item[0]))
    rows = [row for _, content in studies for row in content["rows"] if row["bound"]]
    missed = sum(not row["ok"] for row in rows)
    verdict = f"{len(rows)} bounds, {missed} missed.\n" if missed else f"All {len(rows)} bounds are kept.\n"
    parts = [INTRODUCTION, verdict]
    section = ""
    for name, content in studies:
        if content["section"] != section:
            section = content["section"]
            parts.append(f"## {section}\n")
        parts.append(_study(name, content))
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(parts), encoding="utf-8")


def _study(name: str, content: dict[str, Any]) -> str:
    lines = [f"### {content['title']}", "", content["text"].strip(), ""]
    lines += ["| quantity | paper | ours | reference | bound | |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [_row(row) for row in content["rows"]]
    for note in content["notes"]:
        lines += ["", note]
    for plot in content["plots"]:
        lines += ["", f"![{plot['caption']}](validation/{plot['file']})", "", f"*{plot['caption']}*"]
    files = ", ".join(f"[{file}](validation/{file})" for file in [f"{name}.json", *content["series"]])
    lines += ["", f"`{name}`, {content['seconds']:.0f} s. Data: {files}", ""]
    return "\n".join(lines)


def _row(row: dict[str, Any]) -> str:
    unit = f" {row['unit']}" if row["unit"] else ""
    reference = _figure(row["reference"], unit)
    if row["source"]:
        reference = f"{reference} ({row['source']})" if reference else row["source"]
    mark = "" if row["bound"] is None else "ok" if row["ok"] else "**missed**"
    paper, ours = _figure(row["paper"], unit), _figure(row["ours"], unit)
    cells = (row["quantity"], paper, ours, reference, row["bound"] or "", mark)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _figure(value: float | str | None, unit: str) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.4g}{unit}"
