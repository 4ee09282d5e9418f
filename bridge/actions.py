"""Actions with layers, strips and slots: one code path for Blender 4.5 and 5.2."""

from __future__ import annotations

import bpy
import numpy as np

LINEAR = 1  # of FCurve.keyframe_points' interpolation


def bag_of(action, slot):
    """Return the channelbag that ``slot`` has in ``action``, or None."""
    if action is None or slot is None:
        return None
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag is not None:
                return bag
    return None


def assigned_bag(block):
    """Return the channelbag of what animates ``block``, or None."""
    data = block.animation_data
    return bag_of(data.action, data.action_slot) if data else None


def ensure_bag(block, name):
    """Return the channelbag that animates ``block``; the action, named ``name``, and the slot are made if missing."""
    data = block.animation_data or block.animation_data_create()
    if data.action is None:
        data.action = bpy.data.actions.new(name)
    slot = data.action_slot
    if slot is None:
        slot = data.action.slots.new(id_type=block.id_type, name=block.name)
        data.action_slot = slot
    action = data.action
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def write_keys(bag, path, index, frames, values):
    """Add an F-curve with LINEAR keys at ``frames`` (n,); one key alone where ``values`` (n,) never change."""
    values = np.asarray(values, dtype=np.float32)
    count = len(frames) if np.any(values != values[0]) else 1
    keys = np.empty((count, 2), dtype=np.float32)
    keys[:, 0], keys[:, 1] = frames[:count], values[:count]
    points = bag.fcurves.new(path, index=index)
    points.keyframe_points.add(count)
    points.keyframe_points.foreach_set("co", keys.ravel())
    # new keys follow the user's preference, which may be anything
    points.keyframe_points.foreach_set("interpolation", np.full(count, LINEAR, dtype=np.int32))
    points.update()
    return points


def remove_keys(bag, wanted):
    """Remove the F-curves of ``bag`` whose data path ``wanted`` approves of; return how many."""
    doomed = [curve for curve in bag.fcurves if wanted(curve.data_path)]
    for curve in doomed:
        bag.fcurves.remove(curve)
    return len(doomed)


def is_alone(block):
    """Say whether nothing but ``block`` plays what its slot holds, so that keys added there move nothing else."""
    data = block.animation_data
    users = data.action_slot.users()
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    return len(users) <= 1 and not any(strip.action == data.action for strip in strips)


def assign(block, action, slot_identifier):
    """Give ``block`` the action and the slot named ``slot_identifier`` (none where it is empty)."""
    data = block.animation_data or block.animation_data_create()
    data.action = action
    if action is None:
        return
    slot = next((slot for slot in action.slots if slot.identifier == slot_identifier), None)
    if data.action_slot is not slot:
        data.action_slot = slot


def copy_for(block, name):
    """Give ``block`` its own copy of the action it plays, under ``name``, with its own slot alone."""
    data = block.animation_data
    identifier = data.action_slot.identifier
    action = data.action.copy()
    action.name = name
    action.use_fake_user = False
    assign(block, action, identifier)
    for slot in [slot for slot in action.slots if slot.identifier != identifier]:
        action.slots.remove(slot)
    return action


def remove_action(action):
    """Remove an action that nothing uses any more."""
    if action is not None and action.users == 0:
        bpy.data.actions.remove(action)
