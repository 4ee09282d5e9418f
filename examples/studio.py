"""What the examples share: simple modelling, materials, light and a camera, and tagging as an artist does it."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

import bpy

import bmesh
from mathutils import Matrix, Vector

Point = Sequence[float]

OAK = (0.42, 0.23, 0.10)
WALNUT = (0.16, 0.075, 0.035)
GOLD = (0.83, 0.50, 0.11)
RED = (0.68, 0.06, 0.04)
BLUE = (0.04, 0.20, 0.48)
TEAL = (0.02, 0.36, 0.36)
ORANGE = (0.90, 0.32, 0.03)
CREAM = (0.85, 0.78, 0.64)
STEEL = (0.45, 0.47, 0.50)
DARK = (0.03, 0.035, 0.045)
HEMP = (0.62, 0.47, 0.27)


def open_empty() -> None:
    """Open a new file with nothing in it, for a script that was started by hand."""
    bpy.ops.wm.read_homefile(use_empty=True)


def prepare(frame_end: int, substeps: int = 20) -> bpy.types.Scene:
    """Give the scene its time: frames 1 to ``frame_end`` at 24 a second."""
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 24, 1.0
    scene.frame_start, scene.frame_end = 1, frame_end
    scene.frame_set(1)
    scene.tendril.substeps = substeps
    return scene


# What things look like


def material(name: str, color: Point, roughness: float = 0.5, metallic: float = 0.0) -> bpy.types.Material:
    """Return a material that looks alike in the viewport and rendered."""
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    made.diffuse_color = (*color, 1.0)
    made.roughness, made.metallic = roughness, metallic
    shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Metallic"].default_value = metallic
    return made


def strands(name: str, color: Point, turns: float) -> bpy.types.Material:
    """Return a rope's material: stripes wound ``turns`` times around its length, which also show its twist."""
    made = material(name, color, roughness=0.9)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    place = nodes.new("ShaderNodeTexCoord")
    mapping = nodes.new("ShaderNodeMapping")
    mapping.inputs["Scale"].default_value = (turns, 3.0, 1.0)
    wave = nodes.new("ShaderNodeTexWave")
    wave.bands_direction = "DIAGONAL"
    wave.inputs["Scale"].default_value = pi / 10.0  # one band for each unit of x + y
    ramp = nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements[0].color = (*(0.35 * part for part in color), 1.0)
    ramp.color_ramp.elements[1].color = (*color, 1.0)
    links.new(place.outputs["UV"], mapping.inputs["Vector"])
    links.new(mapping.outputs["Vector"], wave.inputs["Vector"])
    links.new(wave.outputs["Fac"], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], shader.inputs["Base Color"])
    return made


# Objects


def add(name: str, data, look: bpy.types.Material | None = None, location: Point = (0.0, 0.0, 0.0)):
    """Add an object with ``data`` to the scene."""
    ob = bpy.data.objects.new(name, data)
    ob.location = location
    bpy.context.scene.collection.objects.link(ob)
    if look is not None:
        data.materials.append(look)
    return ob


def _mesh(name: str, shape: bmesh.types.BMesh, smooth: bool) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(name)
    for face in shape.faces:
        face.smooth = smooth
    shape.to_mesh(mesh)
    shape.free()
    return mesh


def box(name: str, size: Point, look, location: Point = (0.0, 0.0, 0.0), bevel: float = 0.01):
    """Add a box with rounded edges."""
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1.0)
    bmesh.ops.scale(shape, vec=size, verts=shape.verts)
    if bevel > 0.0:
        bmesh.ops.bevel(shape, geom=[*shape.edges], offset=bevel, segments=2, profile=0.5, affect="EDGES")
    return add(name, _mesh(name, shape, False), look, location)


def cylinder(name: str, radius: float, length: float, look, location: Point = (0.0, 0.0, 0.0), axis: Point = (0, 0, 1)):
    """Add a cylinder along ``axis``, with a small bevel at its rims."""
    shape = bmesh.new()
    bmesh.ops.create_cone(shape, cap_ends=True, segments=32, radius1=radius, radius2=radius, depth=length)
    rims = [edge for edge in shape.edges if abs(edge.verts[0].co.z - edge.verts[1].co.z) < 1.0e-6]
    bmesh.ops.bevel(shape, geom=rims, offset=0.1 * min(radius, length), segments=2, profile=0.5, affect="EDGES")
    turn = Vector(axis).to_track_quat("Z", "Y").to_matrix()
    bmesh.ops.rotate(shape, matrix=turn, verts=shape.verts)
    return add(name, _mesh(name, shape, False), look, location)


def ball(name: str, radius: float, look, location: Point = (0.0, 0.0, 0.0), scale: Point = (1.0, 1.0, 1.0)):
    """Add a smooth ball, or an ellipsoid."""
    shape = bmesh.new()
    bmesh.ops.create_uvsphere(shape, u_segments=32, v_segments=16, radius=radius)
    bmesh.ops.scale(shape, vec=scale, verts=shape.verts)
    return add(name, _mesh(name, shape, True), look, location)


def cone(name: str, radius: float, length: float, look, location: Point, axis: Point):
    """Add a cone that points along ``axis``."""
    shape = bmesh.new()
    bmesh.ops.create_cone(shape, cap_ends=True, segments=24, radius1=radius, radius2=0.0, depth=length)
    bmesh.ops.rotate(shape, matrix=Vector(axis).to_track_quat("Z", "Y").to_matrix(), verts=shape.verts)
    return add(name, _mesh(name, shape, False), look, location)


def monkey(name: str, look, location: Point, scale: float):
    """Add Suzanne, subdivided once, looking along −Y."""
    shape = bmesh.new()
    bmesh.ops.create_monkey(shape, matrix=Matrix.Scale(scale, 4))
    ob = add(name, _mesh(name, shape, True), look, location)
    ob.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return ob


def text(name: str, body: str, size: float, look, location: Point):
    """Add a word that stands upright and faces −Y."""
    curve = bpy.data.curves.new(name, "FONT")
    curve.body, curve.size, curve.extrude = body, size, 0.006
    curve.align_x, curve.align_y = "CENTER", "CENTER"
    ob = add(name, curve, look, location)
    ob.rotation_euler = (pi / 2, 0.0, 0.0)
    return ob


def line(name: str, points: Sequence[Point], radius: float, look, tangents: Sequence[Point] | None = None):
    """Add a round Bézier curve through ``points``; ``tangents`` are derivatives for one step from point to point.

    The object lies on its side: where a curve starts along its own Z axis, as a hanging rope would, Blender's bevel
    turns over, which shows in motion blur.
    """
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth, curve.bevel_resolution = radius, 3
    curve.use_fill_caps = True
    spline = curve.splines.new("BEZIER")
    spline.bezier_points.add(len(points) - 1)
    places = [Vector(point) for point in points]
    if tangents is None:
        tangents = [places[min(i + 1, len(places) - 1)] - places[max(i - 1, 0)] for i in range(len(places))]
        tangents = [tangent if i in (0, len(places) - 1) else tangent / 2 for i, tangent in enumerate(tangents)]
    turn = Matrix.Rotation(pi / 2, 3, "X")
    places = [turn.inverted() @ place for place in places]
    tangents = [turn.inverted() @ Vector(tangent) for tangent in tangents]
    for point, place, tangent in zip(spline.bezier_points, places, tangents):
        point.handle_left_type = point.handle_right_type = "FREE"
        point.co = place
        point.handle_left, point.handle_right = place - tangent / 3, place + tangent / 3
    ob = add(name, curve, look)
    ob.rotation_euler = turn.to_euler()
    return ob


def carry(carrier: bpy.types.Object, *things: bpy.types.Object) -> None:
    """Parent things where they are to the object that carries them."""
    bpy.context.view_layer.update()
    for thing in things:
        place = thing.matrix_world.copy()
        thing.parent = carrier
        thing.matrix_parent_inverse = carrier.matrix_world.inverted()
        thing.matrix_world = place


# What an artist does with the Tendril tab


def select(active: bpy.types.Object, *others: bpy.types.Object) -> None:
    """Select objects; the first is the active one."""
    for ob in bpy.context.view_layer.objects:
        ob.select_set(False)
    for ob in (active, *others):
        ob.select_set(True)
    bpy.context.view_layer.objects.active = active


def body(ob: bpy.types.Object, kind: str = "ACTIVE", density: float = 1000.0):
    """Make a mesh a rigid body; return its settings."""
    select(ob)
    bpy.ops.tendril.add(role="RIGID_BODY")
    settings = ob.tendril.body
    settings.kind, settings.density = kind, density
    return settings


def rod(ob: bpy.types.Object, elements: int, stiffness: float, density: float):
    """Make a curve a rod as thick as it looks; return its settings."""
    select(ob)
    bpy.ops.tendril.add(role="ROD")
    settings = ob.tendril.rod
    settings.elements, settings.stiffness, settings.density = elements, stiffness, density
    return settings


def hold(end, hold: str, attach_to: bpy.types.Object | None = None) -> None:
    """Hold one end of a rod; pass ``rod.start`` or ``rod.end``."""
    end.hold, end.attach_to = hold, attach_to


def joint(name: str, kind: str, location: Point, axis: Point, first: bpy.types.Object, second: bpy.types.Object):
    """Join two members by an empty whose Z axis is ``axis``; return the empty."""
    empty = add(name, None, location=location)
    empty.empty_display_type, empty.empty_display_size = "ARROWS", 0.12
    empty.rotation_mode = "QUATERNION"
    empty.rotation_quaternion = Vector(axis).to_track_quat("Z", "Y")
    bpy.context.view_layer.update()
    select(first, second, empty)
    bpy.ops.tendril.add(role="JOINT")
    empty.tendril.joint.kind = kind
    return empty


def motor(empty, coordinate: str, stiffness: float, damping: float, keys: Sequence[tuple[int, float]]) -> None:
    """Drive a joint's ``coordinate`` ("angle" or "travel") to a target with ``keys`` (frame, value)."""
    settings = empty.tendril.joint
    setattr(settings, f"use_{coordinate}_target", True)
    setattr(settings, f"{coordinate}_stiffness", stiffness)
    setattr(settings, f"{coordinate}_damping", damping)
    for frame, value in keys:
        setattr(settings, f"{coordinate}_target", value)
        empty.keyframe_insert(f"tendril.joint.{coordinate}_target", frame=frame)


# Light and camera


def stage(floor: float, view_from: Point, view_at: Point, lens: float = 50.0, backdrop: Point = (0.55, 0.60, 0.64)):
    """Add a floor at height ``floor`` that runs up into a backdrop, light, and a camera from one place to another."""
    scene = bpy.context.scene
    _backdrop(floor, material("Backdrop", backdrop, roughness=1.0))
    world = bpy.data.worlds.new("Studio")
    world.color = (0.5, 0.55, 0.62)
    if world.node_tree is None:
        world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    background.inputs["Color"].default_value = (0.5, 0.55, 0.62, 1.0)
    background.inputs["Strength"].default_value = 0.7
    scene.world = world
    sun = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle = 2.6, 0.12
    add("Sun", sun).rotation_euler = (0.75, 0.25, 0.6)
    camera = add("Camera", bpy.data.cameras.new("Camera"), location=view_from)
    camera.data.lens = lens
    camera.rotation_euler = (Vector(view_from) - Vector(view_at)).to_track_quat("Z", "Y").to_euler()
    scene.camera = camera
    scene.render.resolution_x, scene.render.resolution_y = 960, 640
    scene.view_settings.view_transform = "Standard"
    select(camera)
    camera.select_set(False)


def _backdrop(floor: float, look: bpy.types.Material, width: float = 30.0, depth: float = 3.0, bend: float = 1.5):
    """Add a floor that bends up into a wall ``depth`` behind the middle."""
    profile = [(-12.0, 0.0)]
    profile += [(depth - bend + bend * sin(angle), bend - bend * cos(angle)) for angle in
                (step * pi / 24 for step in range(13))]
    profile += [(depth, 12.0)]
    vertices = [(x, y, floor + z) for y, z in profile for x in (-width / 2, width / 2)]
    faces = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(len(profile) - 1)]
    mesh = bpy.data.meshes.new("Backdrop")
    mesh.from_pydata(vertices, [], faces)
    mesh.shade_smooth()
    add("Backdrop", mesh, look).hide_select = True
