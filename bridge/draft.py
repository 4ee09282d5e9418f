"""A scene while it is being read: the parts found so far, what is wrong, and what must be followed through time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ..solver.scene import Joint, RigidBody, Rod, RodEnd, SceneError, Settings
from . import keys, properties, space
from .problems import Problem, Refused
from .reading import RodSource

MOVES_BY_ITSELF = {"BONE", "VERTEX", "VERTEX_3", "ARMATURE", "LATTICE"}  # kinds of parent that are always followed


@dataclass
class Follower:
    """A part of the scene that is carried along by an object: a body, or the held end of a rod."""

    part: str  # solver name
    end: str  # "" for a body, else "start" or "end"
    leader: str  # key of the object that leads
    position: np.ndarray  # (3,) m at the start
    rotation: np.ndarray  # (4,)


@dataclass
class Driven:
    """A joint whose targets or speeds may change: the property of each row that does."""

    part: str
    empty: str  # key of the joint's object
    targets: dict[int, str]  # row -> name of the property
    speeds: dict[int, str]


@dataclass
class Draft:
    """What has been read. Objects are kept by key (their full name), never by reference."""

    scene: bpy.types.Scene
    view_layer: bpy.types.ViewLayer
    settings: Settings
    unit: float
    scene_keys: set[str]  # every object that is in the scene
    enabled: set[str]  # those that the view layer keeps in their place
    doubled: set[str]  # names that several objects of the scene bear, which linked ones may
    problems: list[Problem] = field(default_factory=list)
    bodies: dict[str, RigidBody] = field(default_factory=dict)
    rods: dict[str, Rod] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    body_names: dict[str, str] = field(default_factory=dict)  # object key -> solver name
    rod_names: dict[str, list[str]] = field(default_factory=dict)  # object key -> a solver name for each spline
    active: dict[str, str] = field(default_factory=dict)  # solver name -> object name; bodies that are written
    rod_sources: dict[str, RodSource] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)  # solver name -> object name
    followers: list[Follower] = field(default_factory=list)
    driven: list[Driven] = field(default_factory=list)

    def evaluated(self, ob: bpy.types.Object) -> bpy.types.Object:
        """Return the object as the view layer sees it at the current frame."""
        return ob.evaluated_get(self.view_layer.depsgraph)

    def matrix(self, ob: bpy.types.Object):
        """Return the object's world matrix (4, 4) in Blender units."""
        return space.array(self.evaluated(ob).matrix_world)

    def unique(self, wanted: str, owner: str) -> str:
        """Return a name for the solver that nothing else has."""
        name, number = wanted, 2
        while name in self.owners:
            name, number = f"{wanted} ({number})", number + 1
        self.owners[name] = owner
        return name

    def set_end(self, rod: str, end: str, held: RodEnd) -> None:
        """Hold one end of a rod."""
        before = self.rods[rod]
        self.rods[rod] = replace(before, start=held) if end == "start" else replace(before, end=held)

    def problem(self, object_name: str, sentence: str) -> None:
        """Note something to mend; the same only once."""
        found = Problem(object_name, sentence)
        if found not in self.problems:
            self.problems.append(found)

    @contextmanager
    def noting(self, ob: bpy.types.Object) -> Iterator[None]:
        """Turn a refusal of ``ob`` into a problem, and go on with the next object."""
        try:
            yield
        except Refused as refusal:
            self.problem(ob.name, str(refusal))
        except SceneError as refusal:
            self.problem(ob.name, sentence(refusal))


def key(ob: bpy.types.Object) -> str:
    """Return what names an object among all, linked ones too."""
    return ob.name_full


def sentence(refusal: SceneError) -> str:
    """Return a refusal of the solver as a sentence."""
    return f"{refusal.message[:1].upper()}{refusal.message[1:]}"


def new_draft(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Draft:
    """Return an empty draft with the scene's time and gravity in SI."""
    unit = properties.unit_scale(scene)
    first, last = properties.frame_range(scene)
    gravity = space.array(scene.gravity) * unit if scene.use_gravity else np.zeros(3)
    settings = Settings(
        gravity=gravity,
        frame_duration=properties.frame_duration(scene),
        frame_count=max(last - first + 1, 1),
        substeps=scene.tendril.substeps,
        iterations=scene.tendril.iterations,
    )
    names = Counter(ob.name for ob in scene.objects)
    doubled = {name for name, count in names.items() if count > 1}
    there = {key(ob) for ob in scene.objects}
    return Draft(scene, view_layer, settings, unit, there, set(_enabled(view_layer.layer_collection)), doubled)


def _enabled(layer) -> Iterator[str]:
    """Yield the keys of all objects of a layer collection that Blender keeps in their place from frame to frame.

    What is disabled may be evaluated nevertheless, since a property points to it, but then it does not move.
    """
    if not layer.exclude and not layer.collection.hide_viewport:
        yield from (key(ob) for ob in layer.collection.objects if not ob.hide_viewport)
    if not layer.collection.hide_viewport:
        for child in layer.children:
            yield from _enabled(child)


def is_keyed(block) -> bool:
    """Tell whether a data-block has keys, drivers or NLA strips."""
    data = block.animation_data
    return bool(data and (data.action or len(data.drivers) or any(len(track.strips) for track in data.nla_tracks)))


def is_moving(ob: bpy.types.Object) -> bool:
    """Tell whether keys, drivers, constraints, Blender's physics or a parent may move an object in time."""
    if is_keyed(ob) or ob.rigid_body or any(not constraint.mute for constraint in ob.constraints):
        return True
    if ob.parent is None:
        return False
    return ob.parent_type in MOVES_BY_ITSELF or is_moving(ob.parent) or is_written(ob.parent)


def is_written(ob: bpy.types.Object) -> bool:
    """Tell whether Tendril itself moves the object."""
    settings = ob.tendril
    return settings.role == "RIGID_BODY" and settings.body.kind == "ACTIVE" and ob.type == "MESH"


def leader(ob: bpy.types.Object) -> bpy.types.Object | None:
    """Return what ``ob`` follows that Tendril itself moves: a parent or the target of a constraint, however far up."""
    seen, ahead = {ob}, keys.followed(ob)
    while ahead:
        other = ahead.pop(0)
        if is_written(other):
            return other
        if other not in seen:
            seen.add(other)
            ahead += keys.followed(other)
    return None
