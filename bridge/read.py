"""A Blender scene → ``solver.Scene`` in SI, and the way back to the objects."""

from __future__ import annotations

from collections.abc import Generator

import bpy

from ..solver.scene import Scene
from . import properties
from .check import read_rest
from .problems import ReadError
from .reading import Reading
from .sample import frame_kept, sampled

Progress = tuple[float, str]


def read(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer | None = None
) -> Generator[Progress, None, Reading]:
    """Read ``scene``; a generator that yields (fraction, text) about once a frame and returns the ``Reading``.

    Everything is as it is at the first frame of the bake. The current frame is put back, also when the generator is
    closed half-way. An earlier bake must be cleared before. Raises ``ReadError`` with all the problems there are.
    """
    first, last = properties.frame_range(scene)
    yield 0.0, "Reading the scene"
    with frame_kept(scene):
        draft = read_rest(scene, view_layer)
    if draft.problems:
        raise ReadError(draft.problems)
    for fraction in sampled(draft, first, last):
        yield fraction, "Reading animation"
    return Reading(
        scene=Scene(
            tuple(draft.bodies.values()), tuple(draft.rods.values()), tuple(draft.joints.values()), draft.settings
        ),
        frame_start=first,
        frame_end=last,
        unit=draft.unit,
        bodies=draft.active,
        rods=draft.rod_sources,
        owners=draft.owners,
    )


def read_now(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer | None = None) -> Reading:
    """Read ``scene`` in one go."""
    progress = read(scene, view_layer)
    while True:
        try:
            next(progress)
        except StopIteration as done:
            return done.value
