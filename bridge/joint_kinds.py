"""The joint types as the artist meets them. Pure data, without bpy."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """One joint type, and which of the artist's numbers it uses."""

    identifier: str  # of Blender's enum
    name: str  # of the solver
    label: str
    tooltip: str
    has_angle: bool = False  # turns about z: angle limits and target
    has_travel: bool = False  # slides along z: travel limits and target
    has_swing: bool = False  # turns freely: swing and twist limits


KINDS = (
    Kind("FIXED", "fixed", "Fixed", "The partners move as one"),
    Kind("REVOLUTE", "revolute", "Revolute", "A hinge: the partners turn about the Z axis", has_angle=True),
    Kind("SPHERICAL", "spherical", "Spherical", "A ball joint: the partners turn about one point", has_swing=True),
    Kind("PRISMATIC", "prismatic", "Prismatic", "A slider: the partners slide along the Z axis", has_travel=True),
)
KIND_OF_IDENTIFIER = {kind.identifier: kind for kind in KINDS}
