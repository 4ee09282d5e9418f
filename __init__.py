# SPDX-FileCopyrightText: 2026 Tendril maintainers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tendril: rods, rigid bodies and joints for Blender. Without Blender, `tendril.solver` is the part to import."""

from __future__ import annotations

from types import ModuleType


def _parts() -> tuple[ModuleType, ...]:
    """The parts that register with Blender, in order: what is stored, what can be done, what is seen."""
    # Imported late, so that `import tendril` works where there is no bpy.
    from . import bridge, operators, panels

    return bridge, operators, panels


def register() -> None:
    done: list[ModuleType] = []
    try:
        for part in _parts():
            part.register()
            done.append(part)
    except Exception:
        # Half an extension would stand in the way of the next attempt.
        for part in reversed(done):
            part.unregister()
        raise


def unregister() -> None:
    for part in reversed(_parts()):
        part.unregister()
