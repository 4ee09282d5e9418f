"""The only translator between Blender and the solver: reads settings and scene, bakes, and writes the result back."""

from __future__ import annotations

import os


def _keep_kernels() -> None:
    """Let compiled code live in the extension's user folder, which outlives upgrades; before the solver is imported."""
    import bpy

    try:
        folder = bpy.utils.extension_path_user(__package__.rpartition(".")[0], path="kernels", create=True)
    except (ValueError, OSError):
        return  # not installed as an extension, or nothing can be written: the solver finds a place by itself
    os.environ["TENDRIL_CACHE_DIR"] = folder


def register() -> None:
    _keep_kernels()
    from . import properties, result

    properties.register()
    result.register()


def unregister() -> None:
    from . import properties, result

    result.unregister()
    properties.unregister()
