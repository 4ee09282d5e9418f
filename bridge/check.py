"""Everything that is wrong with a scene, before any bake: the same reading that the bake does, without its samples."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ..solver.scene import Scene, SceneError
from ..solver.validate import validated
from . import keys, properties, result
from .bodies import read_body
from .draft import Draft, key, new_draft, sentence
from .joints import read_joint
from .problems import Problem, Refused
from .rods import read_holds, read_rods
from .sample import frame_kept

TYPE_OF_ROLE = {role: kind for kind, role in properties.ROLE_OF_TYPE.items()}
WORD_OF_TYPE = {"MESH": "a mesh", "CURVE": "a curve", "EMPTY": "an empty"}
WORD_OF_ROLE = {"RIGID_BODY": "a rigid body", "ROD": "a rod", "JOINT": "a joint"}


def check(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer | None = None) -> list[Problem]:
    """Return all that must be mended before ``scene`` can be baked; an empty list means that all is well.

    An earlier bake is put out of sight meanwhile, and the current frame is kept.
    """
    with result.suspended(scene), frame_kept(scene):
        draft = read_rest(scene, view_layer)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return draft.problems


def read_rest(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer | None = None) -> Draft:
    """Read the scene as it is at the first frame of the bake, which becomes the current one."""
    first, last = properties.frame_range(scene)
    scene.frame_set(first)
    draft = new_draft(scene, view_layer or _view_layer(scene))
    draft.view_layer.update()
    _check_time(draft, first, last)
    found: dict[str, list[bpy.types.Object]] = {role: [] for role in TYPE_OF_ROLE}
    for ob in scene.objects:
        if ob.tendril.role == "NONE":
            continue
        with draft.noting(ob):
            _refuse_object(draft, ob)
            found[ob.tendril.role].append(ob)
    if not found["RIGID_BODY"] and not found["ROD"] and not draft.problems:
        draft.problem("", "There is nothing to simulate. Select a mesh or a curve and add it in Set Up")
    for role, reader in (("RIGID_BODY", read_body), ("ROD", read_rods)):
        for ob in found[role]:
            with draft.noting(ob):
                reader(draft, ob)
    for ob in found["ROD"]:
        read_holds(draft, ob)
    for ob in found["JOINT"]:
        with draft.noting(ob):
            read_joint(draft, ob)
    if not draft.problems:
        _refuse_invalid(draft)
    return draft


def _view_layer(scene: bpy.types.Scene) -> bpy.types.ViewLayer:
    """Return the view layer the artist works in, or the scene's first."""
    context = bpy.context
    return context.view_layer if context.scene is scene else scene.view_layers[0]


def _check_time(draft: Draft, first: int, last: int) -> None:
    scene = draft.scene
    if last < first:
        draft.problem("", f"The bake starts at frame {first} and ends before it, at frame {last}. Set End after Start")
    if scene.render.frame_map_old != scene.render.frame_map_new:
        draft.problem("", "Time Stretching is on, so that keys do not play at their own frame. Set Old and New to the "
                      "same value in Output ▸ Frame Range")
    if not all(np.isfinite(draft.settings.gravity)):
        draft.problem("", "Gravity is not a number. Set it anew in Scene ▸ Gravity")
    drivers = scene.animation_data.drivers if scene.animation_data else ()
    moving = [curve for curve in keys.curves_of(scene) if len(curve.keyframe_points) > 1]
    if any(curve.data_path in {"gravity", "use_gravity"} and not curve.mute for curve in (*moving, *drivers)):
        draft.problem("", "Gravity is animated, but the bake takes it as it is at the first frame. Remove its keys or "
                      "its driver in Scene ▸ Gravity")


def _refuse_object(draft: Draft, ob: bpy.types.Object) -> None:
    """Refuse what is wrong with an object whatever its role."""
    role = ob.tendril.role
    if ob.type != TYPE_OF_ROLE[role]:
        raise Refused(f"It is set up as {WORD_OF_ROLE[role]}, but is not {WORD_OF_TYPE[TYPE_OF_ROLE[role]]}. Remove "
                      "Tendril from it, or convert it back")
    if ob.name in draft.doubled and ob.library is None:
        raise Refused("An object linked from another file has the same name. Give this one another name with F2")
    if ob.rigid_body or ob.rigid_body_constraint:
        raise Refused("It is in Blender's own rigid body world as well. Remove one of the two: Object ▸ Rigid Body ▸ "
                      "Remove, or Remove in the Tendril tab")
    for modifier in ob.modifiers:
        if modifier.type in {"CLOTH", "SOFT_BODY"} and modifier.show_viewport:
            raise Refused(f"Blender's {modifier.name} moves it as well. Remove that modifier, or Tendril from it")
    if ob.mode == "EDIT":
        raise Refused("It is in Edit Mode, where changes are not finished. Leave Edit Mode with Tab")
    evaluated = draft.evaluated(ob)
    if not evaluated.is_evaluated or key(ob) not in draft.enabled:
        raise Refused("It is disabled in the viewport or its collection is excluded, so that Blender does not place "
                      "it. Enable it (the screen icon and the check box in the Outliner), or remove Tendril from it")
    if not np.isfinite(np.array(evaluated.matrix_world)).all():
        raise Refused("Its place is not a number. Reset it with Alt G, Alt R and Alt S, and look at its drivers")


def _refuse_invalid(draft: Draft) -> None:
    """Let the solver itself have the last word."""
    animated = {follower.part for follower in draft.followers if not follower.end}
    bodies = [replace(body, kind="static") if body.name in animated else body for body in draft.bodies.values()]
    scene = Scene(tuple(bodies), tuple(draft.rods.values()), tuple(draft.joints.values()), draft.settings)
    try:
        validated(scene)
    except SceneError as refusal:
        draft.problem(draft.owners.get(refusal.object, ""), sentence(refusal))
