"""What a bake has put on an object, written down on the object itself, so that Clear can take back exactly that.

A body's keys live in its action: in the user's own where nothing stands in the way, else in a copy or a new one, and
the user's action waits in ``action``. A rod's object shows a baked curve, and the drawn one waits in ``drawn``. Both
pointers count as users, so that neither is lost with a save.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import bpy
from bpy.props import BoolProperty, FloatVectorProperty, PointerProperty, StringProperty

from . import actions, looks

PLACE = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
ROTATION_PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}  # else rotation_euler


def rotation_path(mode: str) -> str:
    """Return the channel that turns an object of rotation mode ``mode``."""
    return ROTATION_PATHS.get(mode, "rotation_euler")


# Also on a library override, whose own properties are only saved where they say that they may be.
KEPT: dict[str, Any] = {"options": {"HIDDEN"}, "override": {"LIBRARY_OVERRIDABLE"}}


class BakeResult(bpy.types.PropertyGroup):
    """The bake that an object carries; meant for ``bridge`` alone."""

    is_baked: BoolProperty(**KEPT)
    drawn: PointerProperty(type=bpy.types.Curve, **KEPT)  # the rest shape of a baked rod
    action: PointerProperty(type=bpy.types.Action, **KEPT)  # what was assigned before
    slot: StringProperty(**KEPT)  # identifier of the slot that was assigned before
    is_shared: BoolProperty(**KEPT)  # our keys stand among the user's, in the user's action
    had_animation: BoolProperty(**KEPT)  # there was animation data before
    muted: StringProperty(**KEPT)  # names of constraints that the bake muted, one a line
    rotation_mode: StringProperty(**KEPT)
    location: FloatVectorProperty(size=3, **KEPT)
    rotation_euler: FloatVectorProperty(size=3, **KEPT)
    rotation_quaternion: FloatVectorProperty(size=4, **KEPT)
    rotation_axis_angle: FloatVectorProperty(size=4, **KEPT)


def baked_objects(scene) -> list:
    """Return the objects of ``scene`` that carry a bake of this file's, one of another file's being for it to clear."""
    return [object for object in scene.objects if object.tendril_result.is_baked and object.is_editable]


def part_duplicates() -> None:
    """Give every duplicate of a baked rod a drawn curve of its own: Blender has only duplicated the baked one."""
    first: dict[Any, Any] = {}
    for object in bpy.data.objects:
        record = object.tendril_result
        if record.is_baked and record.drawn is not None and object.is_editable and shows_bake(object):
            other = first.setdefault(record.drawn, object)
            if other.data != object.data:  # else they share one shape, baked and drawn
                record.drawn = record.drawn.copy()


def body_paths(record) -> tuple[str, str]:
    """Return the data paths of the keys that a body's bake wrote."""
    return "location", rotation_path(record.rotation_mode)


def shows_bake(object) -> bool:
    """Say whether a rod's object still shows a baked curve, and not what somebody has put or converted there since."""
    return object.type == "CURVE" and object.data.is_tendril_bake


def drawn_curve(object):
    """Return the curve that an object was drawn with, also while it shows a bake."""
    drawn = object.tendril_result.drawn
    return drawn if drawn is not None and object.data.is_tendril_bake else object.data


def remember_body(object) -> None:
    """Write down how a body stands and what animates it, before its keys are written."""
    record = object.tendril_result
    record.is_baked = True
    record.rotation_mode = object.rotation_mode
    record.location = object.location
    record.rotation_euler = object.rotation_euler
    record.rotation_quaternion = object.rotation_quaternion
    record.rotation_axis_angle = object.rotation_axis_angle
    record.had_animation = object.animation_data is not None
    data = object.animation_data
    record.action = data.action if data else None
    record.slot = data.action_slot.identifier if data and data.action_slot else ""


def restore_place(object) -> None:
    """Put a body back where it stood before its bake."""
    record = object.tendril_result
    object.location = record.location
    path, mode = rotation_path(record.rotation_mode), object.rotation_mode
    object.rotation_mode = record.rotation_mode
    setattr(object, path, getattr(record, path))
    object.rotation_mode = mode  # another one since the bake: Blender converts what is no Euler order


def _constraints_muted(object, mute: bool) -> None:
    for name in filter(None, object.tendril_result.muted.split("\n")):
        constraint = object.constraints.get(name)
        if constraint is not None:
            constraint.mute = mute


def mute_constraints(object) -> None:
    """Mute what would move a body away from its keys, and write down which constraints these were."""
    names = [constraint.name for constraint in object.constraints if not constraint.mute]
    object.tendril_result.muted = "\n".join(names)
    _constraints_muted(object, True)


def clear(object) -> None:
    """Take a bake off ``object``: everything is as it was before, and no data-block of ours is left."""
    record = object.tendril_result
    if not record.is_baked:
        return
    if record.drawn is not None:
        _clear_rod(object)
    elif record.rotation_mode:
        _clear_body(object)
    for found in BakeResult.bl_rna.properties:
        if found.identifier not in {"rna_type", "name"}:
            record.property_unset(found.identifier)


def _clear_rod(object) -> None:
    record = object.tendril_result
    if not shows_bake(object):
        return  # theirs to keep
    baked = object.data
    blocks = [block for block in (baked, baked.shape_keys) if block is not None and block.animation_data]
    ours = [block.animation_data.action for block in blocks]
    if baked.users == 1:  # else a copy of the object still shows it
        object.shape_key_clear()
    looks.carry_over(baked, record.drawn)
    object.data = record.drawn
    if baked.users == 0:
        bpy.data.curves.remove(baked)
        for action in ours:
            actions.remove_action(action)


def _clear_body(object) -> None:
    record = object.tendril_result
    paths = body_paths(record)
    data = object.animation_data
    ours = data.action if data else None
    bag = actions.assigned_bag(object)
    if bag is not None:
        actions.remove_keys(bag, paths.__contains__)
    if not record.is_shared and ours is not None:
        before = record.action
        if before is not None:
            actions.assign(object, before, record.slot)
        elif bag is None or not len(bag.fcurves):  # else somebody has keyed other channels since: theirs to keep
            data.action = None
        actions.remove_action(ours)
    data = object.animation_data
    if data and not record.had_animation and not (data.action or data.drivers or data.nla_tracks):
        object.animation_data_clear()
    restore_place(object)
    _constraints_muted(object, False)


@contextmanager
def suspended(scene):
    """Show the scene as if nothing were baked, so that it can be read; an earlier bake comes back afterwards."""
    part_duplicates()
    with_bake = baked_objects(scene)
    undo = [_suspend(object) for object in with_bake]
    try:
        yield
    finally:
        for restore in undo:
            restore()
        if undo:
            scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


def _suspend(object):
    """Take a bake out of sight; return the function that brings it back."""
    record = object.tendril_result
    if record.drawn is not None:
        if not shows_bake(object):
            return lambda: None
        baked = object.data
        looks.carry_over(baked, record.drawn)
        object.data = record.drawn

        def show_rod():
            object.data = baked

        return show_rod
    place = {path: getattr(object, path)[:] for path in PLACE}
    data = object.animation_data
    action = data.action if data else None
    slot = data.action_slot.identifier if data and data.action_slot else ""
    bag = actions.assigned_bag(object)
    paths = body_paths(record)
    muted = [curve for curve in (bag.fcurves if bag else ()) if curve.data_path in paths and not curve.mute]
    if record.is_shared or record.action is None:
        for curve in muted:
            curve.mute = True
    else:
        actions.assign(object, record.action, record.slot)
    restore_place(object)
    _constraints_muted(object, False)

    def show_body():
        if not (record.is_shared or record.action is None):
            actions.assign(object, action, slot)
        for curve in muted:
            curve.mute = False
        _constraints_muted(object, True)
        for path, value in place.items():
            setattr(object, path, value)

    return show_body


def register() -> None:
    bpy.utils.register_class(BakeResult)
    bpy.types.Object.tendril_result = PointerProperty(type=BakeResult, **KEPT)
    # marks a curve of ours, which Clear may remove
    bpy.types.Curve.is_tendril_bake = BoolProperty(options={"HIDDEN"})  # type: ignore[attr-defined]


def unregister() -> None:
    del bpy.types.Curve.is_tendril_bake  # type: ignore[attr-defined]
    del bpy.types.Object.tendril_result
    bpy.utils.unregister_class(BakeResult)
