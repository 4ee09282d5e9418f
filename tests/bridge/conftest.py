"""The installed extension in Blender as a Python module; `dev.py test` makes the environment and the profile.

Test modules may import ``bl_ext.user_default.tendril`` at their top: the extension is enabled before they are read.
"""

from __future__ import annotations

import importlib
import os

import pytest

MODULE = "bl_ext.user_default.tendril"

try:
    import bpy

    import addon_utils
except ImportError:
    bpy = None

if bpy is None or "BLENDER_USER_RESOURCES" not in os.environ:
    # Without a profile of its own the tests would run in that of whoever starts them.
    collect_ignore_glob = ["*"]
else:

    def _complain(error: BaseException) -> None:
        raise error

    addon_utils.enable(MODULE, handle_error=_complain)


def pytest_report_header() -> str:
    return f"Blender {bpy.app.version_string}" if bpy else "no bpy: nothing to test here, use dev.py test"


def pytest_unconfigure() -> None:
    # What is still registered when Blender 4.5's module exits makes it hang.
    if bpy is not None and addon_utils.check(MODULE)[1]:
        addon_utils.disable(MODULE)


@pytest.fixture(scope="session")
def extension():
    """The extension's package."""
    return importlib.import_module(MODULE)


@pytest.fixture
def clean_scene(extension):
    """The scene of an empty file with factory settings."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    return scene
