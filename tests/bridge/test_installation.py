"""The extension as it was installed: from its zip, with its own wheels, and it comes and goes without a trace."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import bpy

import addon_utils

MODULE = "bl_ext.user_default.tendril"


def _profile() -> Path:
    return Path(os.environ["BLENDER_USER_RESOURCES"]).resolve()


def test_runs_from_the_profile(extension):
    assert Path(extension.__file__).resolve().is_relative_to(_profile())


def test_numba_comes_from_the_wheels_of_the_zip():
    numba = importlib.import_module("numba")
    assert Path(numba.__file__).resolve().is_relative_to(_profile())


def test_installed_without_tests_and_tools(extension):
    names = {entry.name for entry in Path(extension.__file__).parent.iterdir()}
    assert {"blender_manifest.toml", "LICENSE", "bridge", "operators", "panels", "solver"} <= names
    assert not names & {"tests", "docs", "dev.py", "devtools", "pyproject.toml", "examples", "benchmarks"}


def _registered() -> set[str]:
    return {name for name in dir(bpy.types) if name.startswith("TENDRIL_")}


def test_disable_removes_what_enable_added():
    assert hasattr(bpy.types.Object, "tendril")
    before = _registered()
    handlers = {name: len(getattr(bpy.app.handlers, name)) for name in dir(bpy.app.handlers) if name.endswith("_post")}
    try:
        addon_utils.disable(MODULE)
        assert not hasattr(bpy.types.Object, "tendril")
        assert not hasattr(bpy.types.Scene, "tendril")
        assert not _registered()
        after = {name: len(getattr(bpy.app.handlers, name)) for name in handlers}
        assert all(after[name] <= handlers[name] for name in handlers)
    finally:
        addon_utils.enable(MODULE)
    assert hasattr(bpy.types.Object, "tendril")
    assert _registered() == before
