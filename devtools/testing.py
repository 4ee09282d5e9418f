"""`dev.py test` and `dev.py ui`: every suite in the environment it belongs to, one summary, one closing line."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import xml.etree.ElementTree
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import environments, extension, pins, pythons
from .folders import DEV, REPORTS, ROOT
from .processes import TIMED_OUT, CommandError, environment, must_run, run, say

SOLVER_LIMIT = 1200.0
BRIDGE_LIMIT = 1200.0
WINDOW_LIMIT = 1800.0
CHECK_LIMIT = 600.0
LONGEST = 300  # characters of a line: an enumeration of Blender's can fill pages
PARTS = ("solver", *(which.name for which in pins.BLENDERS[::-1]), "pip", "ruff", "types")  # all but the window
NO_TESTS = 5  # pytest's exit code where nothing was collected


@dataclass
class Outcome:
    """What one part of the run came to."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    remark: str = ""

    def row(self) -> str:
        counts = f"{self.passed:5d} passed {self.failed:4d} failed {self.skipped:4d} skipped"
        return f"  {self.name:24s}{counts} {self.seconds:7.1f} s  {self.remark}".rstrip()


def _pytest(name: str, python: Path, words: Sequence[str], env: dict[str, str], limit: float) -> Outcome:
    """Run pytest and count by its own report."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    report = REPORTS / f"{name.replace(' ', '-')}-{os.getpid()}.xml"
    report.unlink(missing_ok=True)
    command = [python, "-m", "pytest", f"--junitxml={report}", "-o", f"cache_dir={DEV / 'pytest' / name}", *words]
    say(f"{name}: pytest {' '.join(words)}")
    start = time.monotonic()
    code = run(command, timeout=limit, env=env, cwd=ROOT)
    outcome = Outcome(name, seconds=time.monotonic() - start)
    if report.is_file():
        for suite in xml.etree.ElementTree.parse(report).iter("testsuite"):
            count = {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")}
            outcome.failed += count["failures"] + count["errors"]
            outcome.skipped += count["skipped"]
            outcome.passed += count["tests"] - count["failures"] - count["errors"] - count["skipped"]
        report.unlink()
    if code == TIMED_OUT:
        outcome.remark = f"did not end within {limit:.0f} s"
    elif code == NO_TESTS:
        outcome.remark = "no tests"
    elif code and not outcome.failed:
        outcome.remark = f"pytest ended with exit code {code}"
    if code not in (0, NO_TESTS) and not outcome.failed:
        outcome.failed = 1
    return outcome


def solver_tests(words: Sequence[str]) -> Outcome:
    """The solver in plain Python, where there is no bpy."""
    python = environments.python_of(environments.solver())
    env = environment(PYTHONNOUSERSITE="1", TENDRIL_CACHE_DIR=str(DEV / "compiled"))
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('bpy') is not None)"
    if run([python, "-c", probe], timeout=60, env=env):
        raise CommandError("the solver's environment has bpy, so it cannot show that the solver does without")
    folders = [f"tests/{name}" for name in ("solver", "verification") if (ROOT / "tests" / name).is_dir()]
    return _pytest("solver", python, [*folders, *words], env, SOLVER_LIMIT)


def bridge_tests(which: pins.Blender, words: Sequence[str]) -> Outcome:
    """The installed extension in one Blender, as a module."""
    name = f"blender {which.name}"
    if pythons.find(which.python) is None:
        return Outcome(name, remark=f"left out: no Python {which.python[0]}.{which.python[1]} here")
    with extension.installed(which) as (folder, env):
        return _pytest(name, environments.python_of(folder), ["tests/bridge", *words], env, BRIDGE_LIMIT)


def window_tests(words: Sequence[str]) -> Outcome:
    """The extension in a real Blender with its window; the tests skip where there is none."""
    _, folder = environments.any_blender()
    env = environment(PYTHONNOUSERSITE="1")
    return _pytest("window", environments.python_of(folder), ["tests/ui", "-rs", *words], env, WINDOW_LIMIT)


def _check(name: str, commands: Sequence[tuple[Sequence[str | Path], Path]], rename: tuple[str, str]) -> Outcome:
    """A tool that either finds nothing or fails."""
    start = time.monotonic()
    outcome = Outcome(name)
    for number, (command, cwd) in enumerate(commands):
        log = REPORTS / f"{name.replace(' ', '-')}-{number}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        code = run(command, timeout=CHECK_LIMIT, cwd=cwd, output=log)
        if code:
            outcome.failed = 1
            text = log.read_text(encoding="utf-8", errors="replace").replace(*rename)
            print("\n".join(line[:LONGEST] for line in text.splitlines()), flush=True)
    outcome.passed = 1 - outcome.failed
    outcome.seconds = time.monotonic() - start
    return outcome


def lint() -> Outcome:
    ruff = [environments.python_of(environments.check()), "-m", "ruff"]
    return _check("ruff", [([*ruff, "check", "--no-cache", "--output-format", "concise", "."], ROOT)], ("", ""))


def types() -> Outcome:
    """The type check, on a copy whose folder bears the package's name."""
    folder = DEV / "typecheck"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        extension.stage(Path(name) / "tendril")
        mypy = [environments.python_of(environments.check()), "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
        command = [*mypy, "--cache-dir", folder / f"cache-{os.getpid()}", "--package", "tendril"]
        try:
            return _check("types", [(command, Path(name))], ("tendril" + os.sep, ""))
        finally:
            shutil.rmtree(folder / f"cache-{os.getpid()}", ignore_errors=True)


def pip_install() -> Outcome:
    """`pip install .` in an environment of its own gives the solver."""
    start = time.monotonic()
    python = environments.python_of(environments.solver())
    with tempfile.TemporaryDirectory(dir=DEV) as name:
        target, log = Path(name) / "site", REPORTS / "pip-install.log"
        source = Path(name) / "source"
        source.mkdir()
        extension.stage(source)
        shutil.copy2(ROOT / "pyproject.toml", source)
        outcome = Outcome("pip install")
        pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps"]
        try:
            must_run([*pip, "--target", target, source], timeout=600, log=log, what="pip install .")
            probe = (
                f"import sys; sys.path.insert(0, {str(target)!r}); import tendril, tendril.solver; "
                f"assert tendril.__file__.startswith({str(target)!r}), tendril.__file__; "
                "print(tendril.solver.Scene())"
            )
            must_run([python, "-I", "-c", probe], timeout=600, log=log, what="importing tendril.solver", cwd=Path(name))
            outcome.passed = 1
        except CommandError as error:
            outcome.failed, outcome.remark = 1, str(error)
    outcome.seconds = time.monotonic() - start
    return outcome


def _parts(words: Sequence[str]) -> dict[str, Callable[[], Outcome]]:
    parts: dict[str, Callable[[], Outcome]] = {"solver": lambda: solver_tests(words)}
    for which in pins.BLENDERS[::-1]:
        parts[which.name] = lambda which=which: bridge_tests(which, words)
    return {**parts, "pip": pip_install, "ruff": lint, "types": types, "window": lambda: window_tests(words)}


def run_parts(wanted: Sequence[str], words: Sequence[str]) -> int:
    """Run the parts in their order, print what they came to, and end on a line as pytest's own."""
    start = time.monotonic()
    outcomes = []
    for name, part in _parts(words).items():
        if name not in wanted:
            continue
        begun = time.monotonic()
        try:
            outcomes.append(part())
        except CommandError as error:
            outcomes.append(Outcome(name, failed=1, seconds=time.monotonic() - begun, remark=str(error)))
            print(f"error: {error}", file=sys.stderr, flush=True)
    print("\nSummary")
    for outcome in outcomes:
        print(outcome.row())
    totals = {key: sum(getattr(outcome, key) for outcome in outcomes) for key in ("failed", "passed", "skipped")}
    counts = ", ".join(f"{count} {key}" for key, count in totals.items() if count) or "no tests ran"
    print(f" {counts} in {time.monotonic() - start:.2f}s ".center(80, "="), flush=True)
    return 1 if totals["failed"] or not any(totals.values()) else 0
