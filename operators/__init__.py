"""What an artist can do. One family of operators a file: read the context, call the bridge, report."""

from __future__ import annotations

from types import ModuleType


def _modules() -> tuple[ModuleType, ...]:
    """What registers with Blender, in order. Imported late, so that `import tendril` works without Blender."""
    from . import bake, check, cli, presets, roles

    return roles, presets, check, bake, cli


def register() -> None:
    for module in _modules():
        module.register()


def unregister() -> None:
    for module in reversed(_modules()):
        module.unregister()
