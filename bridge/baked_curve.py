"""The curve that shows a baked rod: one Bézier spline for each drawn one, with animated control points."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from . import actions, between_frames, bezier, curves

CHANNELS = 10  # co, handle_left, handle_right and tilt of a control point
RESOLUTION = 12  # steps a segment, at least: below it the bevel's twist between two points shows
SPREAD = 16.0  # of a frame's evaluation time where there are keys between: Blender puts none within 0.1 of another
FREE = 0  # of a control point's handle types
COPIED = ("material_index", "use_smooth", "hide")


class RodShape(NamedTuple):
    """A rod over ``n`` frames in the object's space, (n, points, 3), and what stays as it is.

    ``tilt`` (m, points) is at ``times`` (m,), in frames from the first: all frames, and some places between them.
    """

    co: np.ndarray
    left: np.ndarray
    right: np.ndarray
    times: np.ndarray
    tilt: np.ndarray
    radius: np.ndarray  # (points,)
    resolution: int
    closed: bool


def twist_mode(drawn) -> str:
    """Return the twist mode that a baked curve has; Blender's TANGENT has no frame that could be rebuilt."""
    return drawn.twist_mode if drawn.twist_mode in ("MINIMUM", "Z_UP") and drawn.dimensions == "3D" else "MINIMUM"


def rod_shape(drawn, index, positions, rotations, order, to_local, shares, closed=False) -> RodShape:
    """Return the shape of the rod that spline ``index`` of ``drawn`` has become.

    ``positions`` (n, nodes, 3) in Blender units and ``rotations`` (n, nodes, 4) are in the world; ``to_local``
    (n or 1, 4, 4) leads into the object's space; ``shares``: of the arc length, where the elements begin and end. A
    control point's tilt is the angle from Blender's bevel frame, laid along the very curve that Blender will see
    (float32), to the rod's first director d1.

    A ring becomes a cyclic spline, unless its twist winds by whole turns against Blender's frame: the tilt of a cyclic
    spline would undo them from the last point to the first, so an open one is made that ends where it begins.
    """
    spline = drawn.splines[index]
    order = max(order, 1)
    linear, offset = to_local[:, None, :3, :3], to_local[:, None, :3, 3]
    local = np.einsum("...ij,...j->...i", linear, positions) + offset
    normals = np.einsum("...ij,...j->...i", linear, bezier.rotate(rotations[:, ::order], (1.0, 0.0, 0.0)))
    resolution, mode = max(spline.resolution_u, RESOLUTION), twist_mode(drawn)
    controls, tilt = _laid(local, normals, order, resolution, mode, closed)
    radius = radii(spline, shares)
    if closed and bezier.winding(tilt).any():
        closed = False
        local, normals = (np.concatenate([values, values[:, :1]], axis=1) for values in (local, normals))
        controls, tilt = _laid(local, normals, order, resolution, mode, closed)
    control = spline.bezier_points if spline.type == "BEZIER" else spline.points
    tilt += 2.0 * np.pi * np.round((control[0].tilt - tilt[0, 0]) / (2.0 * np.pi))
    times, tilt = between_frames.refined(
        controls, normals, tilt, lambda co, left, right: bezier.bevel_frames(co, left, right, resolution, mode, closed)
    )
    co, left, right = controls
    return RodShape(co, left, right, times, tilt, radius[: tilt.shape[1]], resolution, closed)


def _laid(local, normals, order, resolution, mode, closed):
    """Return the control points (co, left, right) of a rod's nodes, and their tilt."""
    co, left, right = (values.astype(np.float32) for values in bezier.control_points(local, order, closed))
    axis, direction = bezier.bevel_frames(co, left, right, resolution, mode, closed)
    return (co, left, right), bezier.tilts(axis, direction, bezier.perpendicular(normals, direction))


def radii(spline, shares) -> np.ndarray:
    """Return the drawn radius at ``shares`` (k,) of the arc length of ``spline``."""
    samples = curves.sample_spline(spline)
    points, radius = samples.points, samples.radius
    if spline.use_cyclic_u:
        points, radius = np.concatenate([points, points[:1]]), np.append(radius, radius[0])
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return np.interp(np.asarray(shares) * arc[-1], arc, radius)


def new_curve(drawn, shapes: dict[int, RodShape]):
    """Return a copy of the curve ``drawn`` whose splines are the rods in their first frame."""
    curve = drawn.copy()
    curve.name = f"{drawn.name} Baked"
    curve.use_fake_user = False
    curve.is_tendril_bake = True
    if curve.shape_keys is not None:
        _drop_shape_keys(curve)
    _own_animation(curve)
    curve.dimensions = "3D"
    curve.twist_mode = twist_mode(drawn)
    curve.twist_smooth = 0.0
    curve.render_resolution_u = 0  # tilt is right for one resolution
    curve.splines.clear()
    for index in sorted(shapes):
        _new_spline(curve, drawn.splines[index], shapes[index])
    return curve


def _new_spline(curve, drawn, shape: RodShape) -> None:
    spline = curve.splines.new("BEZIER")
    for name in COPIED:
        setattr(spline, name, getattr(drawn, name))
    spline.resolution_u = shape.resolution
    spline.use_cyclic_u = shape.closed
    spline.tilt_interpolation = spline.radius_interpolation = "LINEAR"
    points = spline.bezier_points
    points.add(len(shape.radius) - 1)
    free = np.full(len(points), FREE, dtype=np.int32)
    points.foreach_set("handle_left_type", free)
    points.foreach_set("handle_right_type", free)
    _set_points(points, shape, 0)


def _set_points(points, shape: RodShape, frame: int) -> None:
    points.foreach_set("co", shape.co[frame].ravel())
    points.foreach_set("handle_left", shape.left[frame].ravel())
    points.foreach_set("handle_right", shape.right[frame].ravel())
    points.foreach_set("tilt", shape.tilt[frame].astype(np.float32))
    points.foreach_set("radius", shape.radius.astype(np.float32))


def _drop_shape_keys(curve) -> None:
    """Remove the copied shape keys; only an object can do that."""
    name = curve.shape_keys.name
    holder = bpy.data.objects.new("Tendril", curve)
    holder.shape_key_clear()
    bpy.data.objects.remove(holder)
    left = bpy.data.shape_keys.get(name)
    if left is not None:  # Blender 4.5 counts a user too many of a copied curve's keys
        bpy.data.batch_remove([left])


def _is_point(path: str) -> bool:
    return path.startswith("splines[")


def _own_animation(curve) -> None:
    """Keep what animates the curve's other settings, in an action of its own; let go of what moved drawn points."""
    data = curve.animation_data
    if data is None:
        return
    for driver in [driver for driver in data.drivers if _is_point(driver.data_path)]:
        data.drivers.remove(driver)
    if data.action is not None and data.action_slot is not None:
        actions.copy_for(curve, curve.name)
        bag = actions.assigned_bag(curve)
        if bag is not None:
            actions.remove_keys(bag, _is_point)
    else:
        data.action = None


def write_keys(curve, shapes: dict[int, RodShape], frames) -> None:
    """Animate every control point by F-curves on the curve."""
    bag = actions.ensure_bag(curve, curve.name)
    for row, index in enumerate(sorted(shapes)):
        shape = shapes[index]
        for point in range(len(shape.radius)):
            path = f"splines[{row}].bezier_points[{point}]."
            for name, values in (("co", shape.co), ("handle_left", shape.left), ("handle_right", shape.right)):
                for axis in range(3):
                    actions.write_keys(bag, path + name, axis, frames, values[:, point, axis])
            actions.write_keys(bag, path + "tilt", 0, frames[0] + shape.times, shape.tilt[:, point])


def write_compact(object, shapes: dict[int, RodShape], frames) -> None:
    """Animate the curve by one absolute shape key a frame and a single F-curve of the evaluation time."""
    object.shape_key_add(name="Basis", from_mix=False)
    keys = object.data.shape_keys
    keys.name = f"{object.data.name}"
    keys.use_relative = False
    parts = [shapes[index] for index in sorted(shapes)]
    times = between_frames.worth_a_shape(np.unique(np.concatenate([shape.times for shape in parts])), len(frames))
    radius = np.concatenate([shape.radius for shape in parts]).astype(np.float32)
    tilts = [np.interp(times, shape.times, column) for shape in parts for column in shape.tilt.T]
    tilt = np.stack(tilts, axis=1).astype(np.float32)
    places = {
        name: np.concatenate([getattr(shape, field) for shape in parts], axis=1)
        for name, field in (("co", "co"), ("handle_left", "left"), ("handle_right", "right"))
    }
    stretch = 1.0 if len(times) == len(frames) else SPREAD
    for row, time in enumerate(times):
        keys.eval_time = stretch * time + 1.0  # becomes the new key's place in time, which is read-only
        key = object.shape_key_add(name=f"{frames[0] + time:g}", from_mix=False)
        key.interpolation = "KEY_LINEAR"
        for name, values in places.items():
            now = values[0] if len(frames) == 1 else between_frames.at_times(values, times[row : row + 1])[0]
            key.data.foreach_set(name, now.astype(np.float32).ravel())
        key.data.foreach_set("tilt", tilt[row])
        key.data.foreach_set("radius", radius)
    ends = frames[[0, -1]] if len(frames) > 1 else frames
    bag = actions.ensure_bag(keys, object.data.name)
    actions.write_keys(bag, "eval_time", 0, ends, stretch * (ends - frames[0]) + 1.0)
