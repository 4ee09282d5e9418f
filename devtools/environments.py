"""The environments the commands make for themselves, each made again when its pins change."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from . import pins, pythons
from .folders import DEV, ENVIRONMENTS, ROOT
from .processes import CommandError, lock, must_run, say

INSTALL_LIMIT = 2400.0
STUBS = 1  # revision of what is done to the types of bpy
ADDED = "    tendril: typing.Any\n    tendril_result: typing.Any\n"
MANAGER = "    def __enter__(self) -> None: ...\n    def __exit__(self, *words: typing.Any) -> None: ...\n"
ADDITIONS = {
    "class Object(ID, bpy_struct):\n": ADDED,
    "class Scene(ID, bpy_struct):\n": ADDED,
    "class ContextTempOverride:\n": MANAGER,
}


def python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def site_packages(folder: Path, version: tuple[int, int]) -> Path:
    return folder / ("Lib" if os.name == "nt" else f"lib/python{version[0]}.{version[1]}") / "site-packages"


def ensure(name: str, version: tuple[int, int], requirements: Sequence[str], revision: int = 0) -> Path:
    """Make the environment ``name`` unless it stands with exactly these pins; returns its folder.

    ``revision`` counts what is done to it afterwards: another one starts afresh.
    """
    base = pythons.find(version)
    if base is None:
        raise CommandError(f"found no Python {version[0]}.{version[1]}")
    folder = ENVIRONMENTS / name
    pinned = {"python": list(version), "requirements": list(requirements)}
    stamp = json.dumps({**pinned, "revision": revision} if revision else pinned)
    with lock(ENVIRONMENTS / f"{name}.lock"):
        mark = folder / "tendril-pins.json"
        if mark.is_file() and mark.read_text() == stamp and python_of(folder).exists():
            return folder
        say(f"making the environment {name} (Python {version[0]}.{version[1]}): {', '.join(requirements)}")
        shutil.rmtree(folder, ignore_errors=True)
        log = ENVIRONMENTS / f"{name}.log"
        must_run([base, "-m", "venv", folder], timeout=300, log=log, what=f"making {folder}")
        command = [python_of(folder), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        must_run([*command, *requirements], timeout=INSTALL_LIMIT, log=log, what=f"installing into {name}")
        mark.write_text(stamp)
    return folder


def blender(which: pins.Blender) -> Path:
    """The environment with one bpy."""
    return ensure(f"blender-{which.name}", which.python, pins.BLENDER_REQUIREMENTS[which.name])


def solver() -> Path:
    """Numba and the test tools without bpy, and the working tree importable as `tendril`."""
    return _with_source("solver", pins.SOLVER_REQUIREMENTS)


def validation() -> Path:
    """What the studies of `dev.py validate` need, and the working tree importable as `tendril`."""
    return _with_source("validation", pins.VALIDATION_REQUIREMENTS)


def _with_source(name: str, requirements: Sequence[str]) -> Path:
    version, _ = pythons.newest(pins.PYTHONS)
    folder = ensure(name, version, requirements)
    source = _source_link()
    path_file = site_packages(folder, version) / "tendril-source.pth"
    if not path_file.is_file() or path_file.read_text() != f"{source}\n":
        path_file.write_text(f"{source}\n")
    return folder


def check() -> Path:
    """Ruff, mypy and the types of bpy."""
    version, _ = pythons.newest(pins.PYTHONS)
    folder = ensure("check", version, pins.CHECK_REQUIREMENTS, revision=STUBS)
    with lock(ENVIRONMENTS / "check.lock"):
        _fit_stubs(site_packages(folder, version) / "bpy-stubs")
    return folder


def _fit_stubs(folder: Path) -> None:
    """Add to the types of bpy what Tendril adds to its classes, and take enumerations as text.

    An identifier that comes from a table is a plain string; the tests in Blender see whether it is a right one.
    """
    stub = folder / "types/__init__.pyi"
    text = stub.read_text(encoding="utf-8")
    if ADDED in text:
        return
    enumerations = folder / "stub_internal/rna_enums/__init__.pyi"
    plain = re.sub(r"^type (\w+) = typing\.Literal\[.*?^\]", r"type \1 = str", enumerations.read_text(encoding="utf-8"),
                   flags=re.DOTALL | re.MULTILINE)  # fmt: skip
    enumerations.write_text(plain, encoding="utf-8")
    for head, added in ADDITIONS.items():
        if text.count(head) != 1:
            raise CommandError(f"{stub}: expected one {head.strip()}")
        text = text.replace(head, head + added)
    # An object's data is of a dozen types, and which one is known by what the object is.
    text = re.sub(r"^    data: \(\n        Armature\n[^)]*\)", "    data: typing.Any", text, flags=re.MULTILINE)
    stub.write_text(text, encoding="utf-8")


def any_blender() -> tuple[pins.Blender, Path]:
    """The newest Blender whose Python is there, for the bake and for its extension builder."""
    version, _ = pythons.newest(pins.PYTHONS)
    which = next(item for item in pins.BLENDERS if item.python == version)
    return which, blender(which)


def _source_link() -> Path:
    """A folder in which the working tree is called `tendril`, whatever the clone's own folder is called."""
    source = DEV / "source"
    link = source / "tendril"
    source.mkdir(parents=True, exist_ok=True)
    with lock(DEV / "source.lock"):
        if link.exists() and link.resolve() == ROOT:
            return source
        link.unlink(missing_ok=True)
        if sys.platform == "win32":
            import _winapi

            _winapi.CreateJunction(str(ROOT), str(link))  # unlike a symbolic link, needs no rights
        else:
            link.symlink_to(ROOT, target_is_directory=True)
    return source
