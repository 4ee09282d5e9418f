"""The package without Blender."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import tendril

ROOT = Path(tendril.__file__).resolve().parent


def test_no_bpy_here():
    assert importlib.util.find_spec("bpy") is None


def test_solver_imports_neither_bpy_nor_scipy():
    probe = "import sys, tendril.solver; print([name for name in ('bpy', 'mathutils', 'scipy') if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=120, check=False)
    assert (answer.returncode, answer.stdout.strip()) == (0, "[]"), answer.stderr


def test_versions_agree():
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == project["project"]["version"]
    numba = next(word for word in project["project"]["dependencies"] if word.startswith("numba"))
    version = numba.removeprefix("numba==")
    assert all(f"/numba-{version}-" in wheel for wheel in manifest["wheels"] if "/numba-" in wheel)
