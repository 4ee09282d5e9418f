"""What the artist animates, sampled once a substep: bodies, held rod ends, joint targets and speeds that follow keys.

The scene is moved through its frames and put back where it was, whatever happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import bpy
import numpy as np

from ..solver.scene import Motion, RodEnd
from . import space
from .draft import Draft, key
from .problems import Problem, ReadError


@contextmanager
def frame_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Bring the scene back to its frame afterwards."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)


def sampled(draft: Draft, first: int, last: int) -> Iterator[float]:
    """Sample everything that moves, and complete the draft with it; yield the fraction done once a frame."""
    leaders = sorted({follower.leader for follower in draft.followers})
    if not leaders and not draft.driven:
        return
    count, substeps = draft.settings.sample_count, draft.settings.substeps
    matrices = {name: np.empty((count, 4, 4)) for name in leaders}
    numbers = {driven.part: {name: np.tile(getattr(draft.joints[driven.part], name), (count, 1))
                             for name in ("target", "speed") if getattr(driven, f"{name}s")} for driven in draft.driven}
    with frame_kept(draft.scene):
        for index in range(last - first + 1):
            steps = range(substeps) if index < last - first else range(1)
            for step in steps:
                draft.scene.frame_set(first + index, subframe=step / substeps)
                _sample(draft, index * substeps + step, matrices, numbers)
            yield (index + 1) / (last - first + 1)
    _apply(draft, matrices, numbers)


def _sample(draft: Draft, at: int, matrices: dict, numbers: dict) -> None:
    """Take one sample of everything at the current frame."""
    objects = {key(ob): ob for ob in draft.scene.objects}
    for name, samples in matrices.items():
        samples[at] = draft.matrix(_present(objects, name))
        if not np.isfinite(samples[at]).all() or space.is_flat(samples[at]):
            raise ReadError([Problem(name, f"At frame {draft.scene.frame_current} its place or scale is not usable "
                                     "(scaled to nothing, or not a number). Mend its keys or drivers there")])
    for driven in draft.driven:
        joint = draft.evaluated(_present(objects, driven.empty)).tendril.joint
        for kind, properties in (("target", driven.targets), ("speed", driven.speeds)):
            for row, name in properties.items():
                numbers[driven.part][kind][at, row] = getattr(joint, name) * (draft.unit if row < 3 else 1.0)


def _present(objects: dict, name: str) -> bpy.types.Object:
    if name not in objects:
        raise ReadError([Problem(name, "It was deleted while the scene was read. Bake again")])
    return objects[name]


def _apply(draft: Draft, matrices: dict, numbers: dict) -> None:
    """Give the samples to the parts that follow them."""
    for follower in draft.followers:
        motion = Motion(*space.carried(matrices[follower.leader], follower.position, follower.rotation, draft.unit))
        if follower.end:
            hold = getattr(draft.rods[follower.part], follower.end).hold
            draft.set_end(follower.part, follower.end, RodEnd(hold=hold, motion=motion))
        else:
            draft.bodies[follower.part] = replace(draft.bodies[follower.part], motion=motion)
    for part, samples in numbers.items():
        draft.joints[part] = replace(draft.joints[part], **samples)
