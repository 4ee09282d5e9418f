"""The only translator between Blender and the solver: reads settings and scene, bakes, and writes the result back."""

from __future__ import annotations

from types import ModuleType


def _modules() -> tuple[ModuleType, ...]:
    """What registers with Blender, in order. Imported late, so that the pure parts can be used without Blender."""
    from . import properties, result

    return properties, result


def register() -> None:
    for module in _modules():
        module.register()


def unregister() -> None:
    for module in reversed(_modules()):
        module.unregister()
