"""Tendril's solver: rods, rigid bodies and joints in one solve. NumPy and Numba only; needs no Blender.

    from tendril.solver import Rod, RodEnd, Scene, Simulation
    rod = Rod("rope", points=[(0, 0, 0), (1, 0, 0)], start=RodEnd("clamped"))
    for frame in Simulation(Scene(rods=(rod,))).frames():
        print(frame.index, frame.positions[-1])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .bodies import MassProperties, mass_properties
from .files import load_scene, save_scene
from .scene import (
    CentreCurve,
    Joint,
    Material,
    Motion,
    Partner,
    RigidBody,
    Rod,
    RodEnd,
    Scene,
    SceneError,
    Settings,
)

if TYPE_CHECKING:
    from .diagnostics import Energy, Residuals
    from .simulation import Frame, Simulation, SimulationDiverged

# Whatever compiles is imported when it is first asked for: Blender's panels need the scene and the joint table alone.
_LATE = {
    "Energy": "diagnostics",
    "Residuals": "diagnostics",
    "Frame": "simulation",
    "Simulation": "simulation",
    "SimulationDiverged": "simulation",
}

__all__ = [
    "CentreCurve",
    "Energy",
    "Frame",
    "Joint",
    "MassProperties",
    "Material",
    "Motion",
    "Partner",
    "Residuals",
    "RigidBody",
    "Rod",
    "RodEnd",
    "Scene",
    "SceneError",
    "Settings",
    "Simulation",
    "SimulationDiverged",
    "load_scene",
    "mass_properties",
    "save_scene",
]


def __getattr__(name: str):
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_LATE[name]}", __name__), name)
