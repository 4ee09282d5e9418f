"""What reading a Blender scene yields: the solver's scene, and which Blender object each of its parts came from.

``read`` fills it, ``write`` and ``bake`` use it; it holds names, never references, so that an undo, a rename of
something else or a deleted object in the middle of a bake cannot leave a dangling pointer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..solver.scene import Scene


@dataclass(frozen=True)
class RodSource:
    """The spline a rod was drawn with."""

    object: str  # name of the curve object
    spline: int  # index in the drawn curve's splines


@dataclass(frozen=True)
class Reading:
    """A scene ready to be solved, and the way back into Blender.

    Solver frame ``i`` is Blender frame ``frame_start + i``.
    """

    scene: Scene
    frame_start: int
    frame_end: int
    unit: float = 1.0  # metres in one Blender unit
    bodies: dict[str, str] = field(default_factory=dict)  # solver body name -> object name; active bodies alone
    rods: dict[str, RodSource] = field(default_factory=dict)  # solver rod name -> its spline
    owners: dict[str, str] = field(default_factory=dict)  # every solver name, joints too -> object name
