"""Which keys, drivers and constraints of the artist's own would move an object, whatever Tendril writes."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

PLACING = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale", "delta_location",
           "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale", "rotation_mode")


def curves_of(block) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves of the action that a data-block plays."""
    data = block.animation_data
    if not data or not data.action or data.action_slot is None:
        return
    for layer in data.action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(data.action_slot)
            if bag is not None:
                yield from bag.fcurves


def followed(ob: bpy.types.Object) -> list[bpy.types.Object]:
    """Return what places an object with it: its parent, the targets of its constraints and those of its drivers."""
    found: list[bpy.types.ID | None] = [ob.parent]
    for constraint in ob.constraints:
        if not constraint.mute:
            found += [getattr(constraint, name, None) for name in ("target", "pole_target")]
            found += [target.target for target in getattr(constraint, "targets", ())]
    for driver in ob.animation_data.drivers if ob.animation_data else ():
        if driver.data_path in PLACING and not driver.mute:
            variables = [variable for variable in driver.driver.variables if variable.type != "SINGLE_PROP"]
            found += [target.id for variable in variables for target in variable.targets]
    return [other for other in found if isinstance(other, bpy.types.Object) and other != ob]


def own_motion(ob: bpy.types.Object) -> str:
    """Say what of the artist's own moves an object, or return an empty string."""
    for constraint in ob.constraints:
        if not constraint.mute and constraint.influence > 0.0:
            return f"its constraint {constraint.name}"
    data = ob.animation_data
    if not data:
        return ""
    for curve in curves_of(ob):
        if curve.data_path in PLACING and not curve.mute:
            return f"keys on its {curve.data_path.replace('_', ' ')}"
    for driver in data.drivers:
        if driver.data_path in PLACING and not driver.mute:
            return f"a driver on its {driver.data_path.replace('_', ' ')}"
    if any(not track.mute and len(track.strips) for track in data.nla_tracks):
        return "a strip in the NLA Editor"
    return ""


def point_motion(curve: bpy.types.Curve) -> str:
    """Say what of the artist's own moves the points of a curve, or return an empty string."""
    for found in curves_of(curve):
        if found.data_path.startswith("splines"):
            return "its control points have keys of their own"
    data = curve.animation_data
    if data and any(driver.data_path.startswith("splines") for driver in data.drivers):
        return "its control points have drivers"
    if curve.shape_keys is not None:
        return "it has shape keys of its own"
    return ""
