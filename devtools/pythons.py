"""Finding the Pythons of this machine by trying them: a launcher that exists may still refuse to run."""

from __future__ import annotations

import functools
import glob
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .processes import CommandError, environment

# venv and ensurepip are asked for too: some systems ship them apart from Python. An environment answers with the
# Python it was made from.
PROBE = """
import ensurepip, json, sys, venv
base = getattr(sys, "_base_executable", sys.executable)
print(json.dumps([list(sys.version_info[:2]), base, getattr(sys, "abiflags", "")]))
"""


def _candidates(version: tuple[int, int]) -> Iterator[list[str]]:
    dotted = f"{version[0]}.{version[1]}"
    if sys.version_info[:2] == version:
        yield [sys.executable]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which(f"python{dotted}", path=folder) if folder else None
        if found:
            yield [found]
    if os.name == "nt":
        yield ["py", f"-{dotted}"]
        yield [os.path.expandvars(rf"%LOCALAPPDATA%\Programs\Python\Python{version[0]}{version[1]}\python.exe")]
        program = ("python.exe",)
    else:
        program = ("bin", f"python{dotted}")
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv")
    folders = [
        pyenv / "versions" / f"{dotted}*",
        pyenv / "pyenv-win" / "versions" / f"{dotted}*",
        home / ".local/share/uv/python" / f"cpython-{dotted}*",
        Path("/Library/Frameworks/Python.framework/Versions") / dotted,
        Path("/opt/homebrew/opt") / f"python@{dotted}",
        Path("/usr/local"),
    ]
    for folder in folders:
        for found in sorted(glob.glob(str(folder.joinpath(*program))), reverse=True):
            yield [found]


@functools.cache
def find(version: tuple[int, int]) -> Path | None:
    """A Python of exactly that version which can make environments, or None."""
    for candidate in _candidates(version):
        try:
            answer = subprocess.run(
                [*candidate, "-c", PROBE], capture_output=True, timeout=60, env=environment(), stdin=subprocess.DEVNULL
            )
            found, executable, flags = json.loads(answer.stdout) if answer.returncode == 0 else ([], "", "")
        except (OSError, ValueError, subprocess.TimeoutExpired):
            continue
        if tuple(found) == version and "t" not in flags:
            return Path(executable)
    return None


def newest(versions: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], Path]:
    """The first of ``versions`` that this machine has."""
    for version in versions:
        executable = find(version)
        if executable:
            return version, executable
    names = " or ".join(f"{major}.{minor}" for major, minor in versions)
    raise CommandError(f"found no Python {names} with pip on this machine; install one (python.org, pyenv, uv, apt)")
