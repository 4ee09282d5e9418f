"""Mesh objects → rigid bodies: mass from the evaluated mesh, place and principal axes in the world."""

from __future__ import annotations

import bpy
import numpy as np

from ..solver.bodies import mass_properties
from ..solver.scene import RigidBody, SceneError
from . import keys, space
from .draft import Draft, Follower, is_moving, is_written, key, leader
from .problems import Refused

ONE = (1.0, 1.0, 1.0)


def read_body(draft: Draft, ob: bpy.types.Object) -> None:
    """Add the rigid body of a mesh object to the draft; raises ``Refused``."""
    settings = ob.tendril.body
    matrix = draft.matrix(ob)
    if space.is_flat(matrix):
        raise Refused("It is scaled to nothing. Give its Scale a value other than 0")
    if settings.kind == "ACTIVE":
        _refuse_unwritable(draft, ob, matrix)
    elif settings.kind == "STATIC":
        carried = ob.parent and (is_moving(ob.parent) or is_written(ob.parent))
        mover = keys.own_motion(ob) or (f"its parent {ob.parent.name}" if carried else "")
        if mover:
            raise Refused(f"It is Static, but moved by {mover}. Set its Type to Animated, or remove what moves it")
    else:
        _refuse_unfollowable(ob, matrix)
    vertices, triangles = _mesh(draft.evaluated(ob))
    if not len(triangles):
        raise Refused("Its mesh has no faces. Add some in Edit Mode, or remove Tendril from it")
    if not np.isfinite(vertices).all():
        raise Refused("Its mesh has vertices whose place is not a number. Delete them in Edit Mode")
    mass, centre, rotation, inertia = _mass(draft, ob, matrix, vertices, triangles)
    kind = settings.kind.lower()
    if kind == "animated" and not is_moving(ob):
        kind = "static"
    name = draft.unique(key(ob), ob.name)
    axes = space.rotation_matrix(rotation)
    draft.bodies[name] = RigidBody(
        name=name, kind=kind, position=centre, rotation=rotation, mass=mass, inertia=inertia,
        velocity=space.array(settings.velocity) * draft.unit,
        angular_velocity=axes.T @ space.array(settings.spin),
        linear_damping=settings.linear_damping, angular_damping=settings.angular_damping,
    )
    draft.body_names[key(ob)] = name
    if kind == "active":
        draft.active[name] = ob.name
    elif kind == "animated":
        draft.followers.append(Follower(name, "", key(ob), centre, rotation))


def _refuse_unwritable(draft: Draft, ob: bpy.types.Object, matrix: np.ndarray) -> None:
    """Refuse an active body whose motion could not be written as its location and rotation."""
    if not ob.is_editable:
        raise Refused("It is linked from another file, so its motion cannot be kept. Make it local or override it "
                      "(Object ▸ Relations), or set its Type to Static or Animated")
    own = keys.own_motion(ob)
    if own:
        raise Refused(f"It is Active, but moved by {own} as well. Remove that, or set its Type to Animated")
    if ob.parent:
        carrier = matrix @ np.linalg.inv(space.array(draft.evaluated(ob).matrix_basis))
        if space.is_uneven(carrier):
            raise Refused(f"Its parent {ob.parent.name} is scaled unevenly, which shears a child that turns. Apply the "
                          "parent's scale with Ctrl A ▸ Scale")
    if space.is_sheared(matrix):
        raise Refused("It is sheared, which location, rotation and scale cannot hold. Apply the scale of its parent "
                      "with Ctrl A ▸ Scale")


def _refuse_unfollowable(ob: bpy.types.Object, matrix: np.ndarray) -> None:
    other = leader(ob)
    if other is not None:
        raise Refused(f"It is Animated, but follows {other.name}, which the simulation itself moves. Make it Active "
                      "and join the two with a fixed joint")
    if space.is_sheared(matrix):
        raise Refused("It is sheared by a parent with an uneven scale. Apply the scale of its parent with Ctrl A ▸ "
                      "Scale")


def _mesh(evaluated: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) in the object's space and triangles (m, 3), modifiers included."""
    mesh = evaluated.to_mesh()
    try:
        mesh.calc_loop_triangles()
        vertices = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", vertices)
        triangles = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    finally:
        evaluated.to_mesh_clear()
    return vertices.reshape(-1, 3).astype(np.float64), triangles.reshape(-1, 3).astype(np.int64)


def _mass(draft: Draft, ob: bpy.types.Object, matrix, vertices, triangles):
    """Return mass, world centre (3,) m, world rotation (4,) of the principal axes, and moments (3,)."""
    settings, unit = ob.tendril.body, draft.unit
    origin = matrix[:3, 3]
    own_axes = space.rotation_part(matrix)
    if settings.kind != "ACTIVE":
        return 1.0, origin * unit, space.quaternion(own_axes), np.array(ONE)
    given = settings.mass * unit**3  # Blender shows a mass scaled so
    # Lengths from the object's origin along the world's axes, so that a far-off place costs no digits.
    shape = vertices @ matrix[:3, :3].T * unit
    if settings.use_given_inertia:
        centre = (matrix[:3, :3] @ space.array(settings.center_of_mass) + origin) * unit
        mass = given
        if settings.mass_source == "DENSITY":
            mass = _of_density(shape, triangles, settings.density, ob.name).mass
        return _positive(mass), centre, space.quaternion(own_axes), space.array(settings.inertia)
    if settings.mass_source == "DENSITY":
        found = _of_density(shape, triangles, settings.density, ob.name)
    else:
        found = mass_properties(shape, triangles, mass=_positive(given), name=ob.name)
    return found.mass, found.centre + origin * unit, found.rotation, found.inertia


def _of_density(shape, triangles, density: float, name: str):
    """Return the mass properties of a body of ``density``; an open mesh is refused in the artist's words."""
    try:
        return mass_properties(shape, triangles, density=density, name=name)
    except SceneError:
        if mass_properties(shape, triangles, mass=1.0, name=name).closed:
            raise
    raise Refused("Its mesh is not closed, so that a density gives no mass. Close its holes, or set Mass From to Mass "
                  "in Properties ▸ Physics")


def _positive(mass: float) -> float:
    if mass <= 0.0 or not np.isfinite(mass) or mass > 1.0e30:
        raise Refused(f"Its mass is {mass:g} kg. Give it a mass above 0 kg that is not infinite; for something that "
                      "never moves set its Type to Static")
    return mass
