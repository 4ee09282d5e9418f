"""Small Blender scenes for tests."""

from __future__ import annotations

import bpy

from bl_ext.user_default.tendril.bridge import keys as keys_of

CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def link(ob):
    bpy.context.scene.collection.objects.link(ob)
    return ob


def body(name="Box", location=(0.0, 0.0, 0.0), size=1.0, vertices=None, faces=None):
    """A cube of edge length ``size``, tagged as an active rigid body."""
    mesh = bpy.data.meshes.new(name)
    places = [tuple(0.5 * size * x for x in corner) for corner in CUBE] if vertices is None else vertices
    mesh.from_pydata(places, [], FACES if faces is None else faces)
    ob = link(bpy.data.objects.new(name, mesh))
    ob.location = location
    ob.tendril.role = "RIGID_BODY"
    return ob


def rod(name="Rope", points=((0, 0, 2), (1, 0, 2)), kind="POLY"):
    """A curve with one spline through ``points``, tagged as a rod."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    add_spline(curve, points, kind)
    ob = link(bpy.data.objects.new(name, curve))
    ob.tendril.role = "ROD"
    return ob


def add_spline(curve, points, kind="POLY"):
    spline = curve.splines.new(kind)
    if kind == "BEZIER":
        spline.bezier_points.add(len(points) - 1)
        for point, co in zip(spline.bezier_points, points, strict=True):
            point.co = co
            point.handle_left_type = point.handle_right_type = "AUTO"
    else:
        spline.points.add(len(points) - 1)
        for point, co in zip(spline.points, points, strict=True):
            point.co = (*co, 1.0)
    return spline


def joint(name="Hinge", first=None, second=None, kind="REVOLUTE", location=(0.0, 0.0, 0.0)):
    """An empty tagged as a joint."""
    ob = link(bpy.data.objects.new(name, None))
    ob.location = location
    ob.tendril.role = "JOINT"
    ob.tendril.joint.kind = kind
    ob.tendril.joint.partner_1.object = first
    ob.tendril.joint.partner_2.object = second
    return ob


def empty(name="Hand", location=(0.0, 0.0, 0.0)):
    ob = link(bpy.data.objects.new(name, None))
    ob.location = location
    return ob


def linear_keys(ob, path, keys):
    """Key ``path`` with (frame, value), evenly from key to key."""
    for frame, value in keys:
        owner, _, name = path.rpartition(".")
        setattr(ob.path_resolve(owner) if owner else ob, name, value)
        ob.keyframe_insert(path, frame=frame)
    for curve in keys_of.curves_of(ob):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
