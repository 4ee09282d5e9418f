"""Frames become animation: keys of bodies, animated control points of rods; nobody else's keys are touched."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..solver.rods.discretise import element_bounds
from . import actions, baked_curve, placement, result
from .placement import WriteError

__all__ = ["WriteError", "clear_scene", "problems", "write"]

MANY_KEYS = 500_000  # beyond this many keys of rods AUTO takes the compact form: about 35 MB in memory


def clear_scene(scene) -> int:
    """Take the bake off every object of ``scene``; return from how many."""
    result.part_duplicates()
    baked = result.baked_objects(scene)
    leave_edit_mode(scene, baked)
    for object in baked:
        result.clear(object)
    if baked:
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return len(baked)


def problems(scene, reading) -> list[tuple[str, str]]:
    """Return what would keep the result from being written, as (object name, sentence)."""
    found = []
    for name in dict.fromkeys([*reading.bodies.values(), *(source.object for source in reading.rods.values())]):
        object = _find(scene, name)
        if object is None:
            found.append((name, "It is not in the scene any more"))
            continue
        if object.mode == "EDIT":
            found.append((name, "It is in Edit Mode. Leave it with Tab"))
        data = object.animation_data
        if data and data.use_tweak_mode:
            found.append((name, "One of its NLA strips is being tweaked. Leave tweak mode in the NLA Editor with Tab"))
    for name in reading.bodies.values():
        object = _find(scene, name)
        if object is not None:
            found.extend((name, sentence) for sentence in _body_problems(object))
    return found


def _body_problems(object):
    paths = ("location", result.rotation_path(object.rotation_mode))
    data = object.animation_data
    if data and any(driver.data_path in paths for driver in data.drivers):
        yield "A driver moves it, which the bake cannot override. Remove the driver, or make the body Animated"
    if data and len(data.nla_tracks) and (data.action_blend_type != "REPLACE" or data.action_influence < 1.0):
        yield "Its action does not replace the NLA strips below. Set its Blend to Replace and its Influence to 1"
    if object.rigid_body is not None:
        yield "It is in Blender's own rigid body world too. Remove its Rigid Body"


def leave_edit_mode(scene, objects) -> None:
    """End the editing of objects, which keeps Blender from giving them another curve."""
    for object in objects:
        if object.mode == "EDIT":
            override: Any = bpy.context.temp_override(scene=scene, active_object=object, object=object)
            with override:
                bpy.ops.object.mode_set(mode="OBJECT")


def write(scene, reading, store, count: int, form: str = "AUTO"):
    """Write the first ``count`` frames of ``store`` in place of an earlier bake; a generator of progress 0…1.

    ``form`` is KEYS, COMPACT or AUTO (see ``MANY_KEYS``). Whatever goes wrong, no half of a result is left.
    """
    current, subframe = scene.frame_current, scene.frame_subframe
    rods = [_find(scene, name) for name in dict.fromkeys(source.object for source in reading.rods.values())]
    # somebody may have gone there during the bake
    leave_edit_mode(scene, [*filter(None, rods), *result.baked_objects(scene)])
    # everything that the scene holds, not this reading alone: a body that is none any more
    for object in result.baked_objects(scene):
        result.clear(object)
    try:
        yield from _write(scene, reading, store, count, form)
    except BaseException:
        for object in result.baked_objects(scene):
            result.clear(object)
        raise
    finally:
        scene.frame_set(current, subframe=subframe)


def _write(scene, reading, store, count, form):
    frames = reading.frame_start + np.arange(count)
    bodies = {object: name for name, object in reading.bodies.items()}
    rods: dict[str, list] = {}
    for name, source in reading.rods.items():
        if source.spline >= len(_object(scene, source.object).data.splines):
            raise WriteError(source.object, "Some of its splines were deleted while it was baked")
        rods.setdefault(source.object, []).append((source.spline, name))
    names = [*bodies, *rods]
    levels: dict[int, list[str]] = {}
    for name in names:
        levels.setdefault(placement.depth(_object(scene, name)), []).append(name)
    form = resolved_form(form, reading, store, count)

    scene.frame_set(reading.frame_start)
    depsgraph = placement.depsgraph_of(scene)
    worlds = {name: _world(_object(scene, name), depsgraph) for name in bodies}
    for name in bodies:
        result.remember_body(_object(scene, name))
        result.mute_constraints(_object(scene, name))

    done = 0
    for level in sorted(levels):  # children after their parents, whose new motion carries them
        spaces = {name: _space(_object(scene, name), name in bodies) for name in levels[level]}
        matrices = yield from _share(placement.sample(scene, frames, spaces), done, len(levels[level]) / 2, len(names))
        for name in levels[level]:
            object = _object(scene, name)
            if name in bodies:
                write_body(object, bodies[name], reading, store, count, worlds[name], matrices[name])
            else:
                _write_rod(object, sorted(rods[name]), reading, store, count, matrices[name], form)
            done += 1
            yield done / len(names)


def _share(progress, done, part, whole):
    """Pass on ``progress`` 0…1 as the ``part`` after ``done`` of ``whole``; return what the generator returns."""
    while True:
        try:
            fraction = next(progress)
        except StopIteration as stop:
            return stop.value
        yield (done + fraction * part) / whole


def _object(scene, name):
    object = _find(scene, name)
    if object is None:
        raise WriteError(name, "It was deleted or renamed while it was baked")
    return object


def _find(scene, name):
    """Return this file's own object of that name: what it is linked from may bear the same."""
    object = bpy.data.objects.get((name, None))
    return object if object is not None and name in scene.objects else None


def _world(object, depsgraph):
    return placement.space.array(object.evaluated_get(depsgraph).matrix_world)


def _space(object, is_body):
    """Return (function of the depsgraph, whether it moves) for the space that an object's result is written in."""
    if is_body:
        moves = object.parent is not None and (object.parent_type != "OBJECT" or placement.is_moving(object.parent))
        return lambda depsgraph: placement.parent_space(object, depsgraph), moves or (
            object.parent is not None and object.parent.type == "CURVE"
        )
    return lambda depsgraph: _world(object, depsgraph), placement.is_moving(object)


def resolved_form(form: str, reading, store, count: int) -> str:
    """Return KEYS or COMPACT for AUTO, and any other form as it is."""
    if form != "AUTO":
        return form
    return "COMPACT" if rod_keys(reading, store) * count > MANY_KEYS else "KEYS"


def rod_keys(reading, store) -> int:
    """Return how many keys one frame of all rods takes; the simulation may have more elements than were asked for."""
    orders = {rod.name: max(rod.order, 1) for rod in reading.scene.rods if rod.name in reading.rods}
    nodes = {name: store.rods[name].stop - store.rods[name].start for name in orders if name in store.rods}
    return sum(((count - 1) // orders[name] + 1) * baked_curve.CHANNELS for name, count in nodes.items())


def element_ends(scene, rod) -> np.ndarray:
    """Return the shares of a rod's arc length where its elements begin and end: joints along it make some."""
    partners = [partner for joint in scene.joints for partner in (joint.body_1, joint.body_2)]
    return element_bounds(rod.elements, [p.at for p in partners if p.name == rod.name and p.at is not None])


def write_body(object, name, reading, store, count, world, parents) -> None:
    """Give ``object`` location and rotation keys: the body's motion, carried over to the object's own channels."""
    body = next(body for body in reading.scene.bodies if body.name == name)
    node = store.bodies[name]
    start = placement.rigid_matrices(np.asarray(body.position) / reading.unit, _unit(body.rotation))
    path = placement.rigid_matrices(store.positions[:count, node] / reading.unit, store.rotations[:count, node])
    motion = path @ np.linalg.inv(start)
    matrices = placement.channel_matrices(object.name, world, motion, parents)
    locations, rotations = placement.channels(object, matrices)
    frames = reading.frame_start + np.arange(count)
    bag = _body_bag(object)
    for index in range(3):
        actions.write_keys(bag, "location", index, frames, locations[:, index])
    turning = result.rotation_path(object.rotation_mode)
    for index in range(rotations.shape[1]):
        actions.write_keys(bag, turning, index, frames, rotations[:, index])


def _unit(rotation):
    rotation = np.asarray(rotation, dtype=np.float64)
    return rotation / np.linalg.norm(rotation)


def _body_bag(object):
    """Return the channelbag for a body's keys: the user's own where nothing stands in the way."""
    record = object.tendril_result
    paths = result.body_paths(record)
    name = f"{object.name} Tendril"
    data = object.animation_data
    bag = actions.assigned_bag(object)
    if data is not None and data.action is not None:
        if data.action_slot is None:
            data.action = None  # it plays nothing; Clear assigns it again
        elif bag is None or _is_free(object, bag, paths):
            record.is_shared = True
        else:
            actions.copy_for(object, name)
            actions.remove_keys(actions.assigned_bag(object), paths.__contains__)
    return actions.ensure_bag(object, name)


def _is_free(object, bag, paths) -> bool:
    taken = any(curve.data_path in paths for curve in bag.fcurves)
    return not taken and object.animation_data.action.is_editable and actions.is_alone(object)


def _write_rod(object, splines, reading, store, count, matrices, form) -> None:
    """Show ``object`` as a baked curve; ``splines`` has (index of the drawn spline, rod name)."""
    rods = {rod.name: rod for rod in reading.scene.rods}
    to_local = np.linalg.inv(matrices)
    shapes = {}
    for spline, name in splines:
        nodes = store.rods[name]
        positions = store.positions[:count, nodes] / reading.unit
        rod = rods[name]
        shapes[spline] = baked_curve.rod_shape(
            object.data, spline, positions, store.rotations[:count, nodes], rod.order, to_local,
            element_ends(reading.scene, rod), rod.closed,
        )
    record = object.tendril_result
    drawn = object.data
    record.is_baked = True
    record.drawn = drawn
    frames = reading.frame_start + np.arange(count)
    object.data = baked_curve.new_curve(drawn, shapes)
    if form == "COMPACT":
        baked_curve.write_compact(object, shapes, frames)
    else:
        baked_curve.write_keys(object.data, shapes, frames)
