"""What an artist sees. Panels draw, and do nothing else."""

from __future__ import annotations

from types import ModuleType


def _modules() -> tuple[ModuleType, ...]:
    """What registers with Blender, in order. Imported late, so that `import tendril` works without Blender."""
    from . import physics, presets, sidebar

    return presets, physics, sidebar


def register() -> None:
    for module in _modules():
        module.register()


def unregister() -> None:
    for module in reversed(_modules()):
        module.unregister()
