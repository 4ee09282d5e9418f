"""Curve objects → rods, one for each spline, and what holds their ends."""

from __future__ import annotations

import bpy
import numpy as np

from ..solver.scene import CentreCurve, Joint, Material, Partner, Rod, RodEnd
from . import keys, result, space
from .curves import CenterLine, center_line
from .draft import Draft, Follower, is_moving, key, leader
from .problems import Refused
from .reading import RodSource

JOINT_OF_HOLD = {"pinned": "spherical", "clamped": "fixed"}
PASCALS = 1.0e6  # in one MPa, the unit of stiffness that the artist sees
FEWEST_ROUND = 3  # elements of a ring
EVEN = 1.0e-6  # relative: radii that differ less are one radius
# Modifiers that reshape a curve's own points: the rod would not be where the solver has it.
BENDING = {"ARMATURE", "CAST", "CURVE", "HOOK", "LATTICE", "MESH_DEFORM", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH",
           "SOFT_BODY", "WARP", "WAVE"}


def read_rods(draft: Draft, ob: bpy.types.Object) -> None:
    """Add a rod for every spline of a curve object to the draft; raises ``Refused``."""
    _refuse_unwritable(ob)
    matrix = draft.matrix(ob)
    if space.is_flat(matrix):
        raise Refused("It is scaled to nothing. Give its Scale a value other than 0")
    if not len(ob.data.splines):
        raise Refused("It has no splines. Draw one in Edit Mode, or remove Tendril from it")
    names = []
    for index in range(len(ob.data.splines)):
        rod = _rod(draft, ob, index, matrix)
        name = draft.unique(key(ob) if index == 0 else f"{key(ob)}:{index}", ob.name)
        names.append(name)
        draft.rods[name] = Rod(name=name, **rod)
        draft.rod_sources[name] = RodSource(ob.name, index)
    draft.rod_names[key(ob)] = names


def _refuse_unwritable(ob: bpy.types.Object) -> None:
    """Refuse a curve whose control points could not be baked."""
    curve = ob.data
    if not ob.is_editable or not curve.is_editable:
        raise Refused("It, or its curve, is linked from another file, so its motion cannot be kept. Make both local "
                      "(Object ▸ Relations ▸ Make Local ▸ Selected Objects and Data)")
    sharing = [other.name for other in bpy.data.objects if other.data is curve and other is not ob]
    if sharing:
        raise Refused(f"It shares its curve with {sharing[0]}, and both would take on one shape. Make it single-user "
                      "(Object ▸ Relations ▸ Make Single User ▸ Object & Data)")
    own = keys.point_motion(curve)
    if own:
        raise Refused(f"Tendril shapes this curve, but {own}. Remove them first")
    for modifier in ob.modifiers:
        if modifier.show_viewport and modifier.type in BENDING:
            raise Refused(f"Its modifier {modifier.name} bends the curve away from the simulation. Apply it, or turn "
                          "it off in the viewport")
    if curve.bevel_object is ob or curve.taper_object is ob:
        raise Refused("It is its own bevel or taper object. Choose another curve there")


def _rod(draft: Draft, ob: bpy.types.Object, index: int, matrix: np.ndarray) -> dict:
    """Return the values of one spline's rod."""
    settings = ob.tendril.rod
    line = center_line(ob.data, ob.data.splines[index])
    if line.closed and settings.elements < FEWEST_ROUND:
        raise Refused(f"It is a closed ring of {settings.elements} Elements. Raise Elements to {FEWEST_ROUND} or more")
    curve = _in_world(line, matrix, draft.unit)
    return {
        "points": curve.points,
        "tangents": curve.tangents,
        "normals": curve.normals,
        "closed": line.closed,
        "elements": settings.elements,
        "order": int(settings.order),
        "radius": _radius(draft, ob, line, matrix),
        "aspect": settings.aspect,
        "shear_correction": settings.use_shear_correction,
        "material": Material(settings.stiffness * PASCALS, settings.poisson_ratio, settings.density),
        "rest": settings.rest.lower(),
        "rest_curve": _rest_curve(draft, ob, index, line.closed) if settings.rest == "CURVE" else None,
        "damping": settings.damping,
        "linear_damping": settings.drag,
    }


def _in_world(line: CenterLine, matrix: np.ndarray, unit: float) -> CentreCurve:
    """Return a centre line in m along the world's axes."""
    linear = matrix[:3, :3].T
    return CentreCurve(
        points=(line.points @ linear + matrix[:3, 3]) * unit,
        tangents=None if line.tangents is None else line.tangents @ linear,
        normals=line.normals @ linear,
    )


def _radius(draft: Draft, ob: bpy.types.Object, line: CenterLine, matrix: np.ndarray) -> float | np.ndarray:
    """Return the radius of the cross-section, m: one number, or one for each point of a taper."""
    settings, curve = ob.tendril.rod, ob.data
    thickest = settings.radius
    if settings.use_bevel_radius:
        thickest = curve.bevel_depth * abs(np.linalg.det(matrix[:3, :3])) ** (1.0 / 3.0)
    if not thickest > 0.0:
        raise Refused("Its Radius comes from the bevel, which has no depth. Give it a Depth in Geometry ▸ Bevel, or "
                      "turn Radius from Bevel off" if settings.use_bevel_radius
                      else "Its Radius is 0. Give it a thickness")
    radius = thickest * line.radius * draft.unit
    if not radius.min() > EVEN * radius.max():
        raise Refused("One of its points has the radius 0, where it would have no strength. Widen it in Edit Mode with "
                      "Alt S")
    return radius if np.ptp(radius) > EVEN * radius.max() else float(radius.mean())


def _rest_curve(draft: Draft, ob: bpy.types.Object, index: int, closed: bool) -> CentreCurve:
    """Return the curve whose shape a rod springs back to: the spline of the same number, or the first one."""
    settings = ob.tendril.rod
    other = settings.rest_curve
    if other is None:
        gone = f"is {settings.rest_name}, which has been deleted" if settings.rest_name else "is a curve yet to choose"
        raise Refused(f"Its Rest Shape {gone}. Choose one in Rest Curve, or set Rest Shape to Drawn")
    if other is ob or other.type != "CURVE":
        raise Refused(f"Its Rest Curve is {'itself' if other is ob else 'no curve'}. Choose another, or set Rest Shape "
                      "to Drawn")
    if key(other) not in draft.scene_keys:
        raise Refused(f"Its Rest Curve {other.name} is not in this scene any more. Choose another, or set Rest Shape "
                      "to Drawn")
    curve, matrix = result.drawn_curve(other), _matrix_unseen(draft, other)
    splines = curve.splines
    if not len(splines) or space.is_flat(matrix):
        raise Refused(f"Its Rest Curve {other.name} has no shape: no splines, or a Scale of 0. Mend it, or choose "
                      "another")
    try:
        line = center_line(curve, splines[index if index < len(splines) else 0])
    except Refused as refusal:
        raise Refused(f"Its Rest Curve is {other.name}. {refusal}") from None
    if line.closed != closed:
        states = ("open", "closed")
        raise Refused(f"It is {states[closed]} and its Rest Curve {other.name} is {states[line.closed]}. Open or close "
                      "one of them in Edit Mode with Alt C")
    return _in_world(line, matrix, draft.unit)


def _matrix_unseen(draft: Draft, ob: bpy.types.Object) -> np.ndarray:
    """Return the world matrix of an object that may be disabled, so that Blender does not place it."""
    if key(ob) in draft.enabled:
        return draft.matrix(ob)
    own = space.array(ob.matrix_basis)
    if ob.parent is None:
        return own
    return _matrix_unseen(draft, ob.parent) @ space.array(ob.matrix_parent_inverse) @ own


def read_holds(draft: Draft, ob: bpy.types.Object) -> None:
    """Hold the ends of a curve object's rods: in place, along with an object, or joined to a body."""
    for name in draft.rod_names.get(key(ob), ()):
        for end in ("start", "end"):
            with draft.noting(ob):
                _read_hold(draft, ob, name, end)


def _read_hold(draft: Draft, ob: bpy.types.Object, name: str, end: str) -> None:
    settings = getattr(ob.tendril.rod, end)
    hold = settings.hold.lower()
    if hold == "free":
        return
    if draft.rods[name].closed:
        if all(draft.rods[other].closed for other in draft.rod_names[key(ob)]):
            raise Refused(f"It is a closed ring, with no {end} to hold. Set {end.title()} to Free and hold it with a "
                          "joint, or open it in Edit Mode with Alt C")
        return
    target = settings.attach_to
    position, rotation = end_frame(draft.rods[name], end)
    if target is None and settings.attach_name:
        raise Refused(f"Its {end} is attached to {settings.attach_name}, which has been deleted. Choose another object "
                      f"in Attach To, or clear the field")
    if target is not None:
        if target.name_full not in draft.scene_keys:
            raise Refused(f"Its {end} is attached to {target.name}, which is not in this scene any more. Choose "
                          "another object in Attach To, or clear the field")
        if target.tendril.role == "ROD":
            raise Refused(f"Its {end} is attached to the rod {target.name}. Join two rods with a joint: select both, "
                          "then Add Joint")
        if target.tendril.role == "RIGID_BODY" and target.type == "MESH":
            if key(target) in draft.body_names:  # else the body has a problem of its own
                _join(draft, ob, name, end, draft.body_names[key(target)], hold)
            return
        other = leader(target)
        if other is not None:
            raise Refused(f"Its {end} is attached to {target.name}, which follows {other.name}, and that is moved by "
                          f"the simulation itself. Attach the end to {other.name}")
        if not draft.evaluated(target).is_evaluated or (is_moving(target) and key(target) not in draft.enabled):
            raise Refused(f"Its {end} is attached to {target.name}, which is disabled in the viewport. Enable it (the "
                          "screen icon in the Outliner)")
    elif leader(ob) is not None:
        raise Refused(f"Its {end} is held by the curve object, which follows {leader(ob).name}, and that is moved by "
                      f"the simulation itself. Choose {leader(ob).name} in Attach To")
    guide = target or ob
    if is_moving(guide):
        if space.is_flat(draft.matrix(guide)):
            raise Refused(f"Its {end} follows {guide.name}, which is scaled to nothing. Give its Scale a value other "
                          "than 0")
        draft.followers.append(Follower(name, end, key(guide), position, rotation))
    draft.set_end(name, end, RodEnd(hold=hold))


def _join(draft: Draft, ob: bpy.types.Object, name: str, end: str, body: str, hold: str) -> None:
    """Join an end of a rod to a body where it is drawn."""
    position, rotation = end_frame(draft.rods[name], end)
    joint = draft.unique(f"{name} {end}", ob.name)
    draft.joints[joint] = Joint(joint, JOINT_OF_HOLD[hold], Partner(body), Partner(name, end), position, rotation)


def end_frame(rod: Rod, end: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the place (3,) and frame (4,) of a rod's end: d3 the tangent, d1 the normal across it."""
    index = 0 if end == "start" else -1
    if rod.tangents is not None:
        tangent = rod.tangents[index]
    else:
        tangent = rod.points[1] - rod.points[0] if end == "start" else rod.points[-1] - rod.points[-2]
    third = tangent / np.linalg.norm(tangent)
    first = rod.normals[index] - third * (third @ rod.normals[index])
    first = first / np.linalg.norm(first)
    return rod.points[index], space.quaternion(np.column_stack([first, np.cross(third, first), third]))
