"""The table of joint types: properties, panels, validation, documentation and tests iterate over it.

A joint is six rows in body 1's joint frame: place x, y, z (m) and turn x, y, z (rad) of body 2 relative to body 1.
A type says which rows are locked; the artist may limit and drive the free ones through the ``Coordinate``s listed.
A new type is a new row of ``JOINT_TYPES`` and nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LOCKED = "locked"
FREE = "free"
ROW_LABELS = ("Place X", "Place Y", "Place Z", "Turn X", "Turn Y", "Turn Z")
ROW_UNITS = ("m", "m", "m", "rad", "rad", "rad")

# How a coordinate can be limited.
RANGE = "range"  # lower and upper bound: Joint.lower[row], Joint.upper[row]
CONE = "cone"  # one largest angle: Joint.swing_limit
UNLIMITABLE = ""


@dataclass(frozen=True)
class Coordinate:
    """One thing the artist sees of a joint's freedom: a number, or two for a swing.

    ``rows`` are the rows it owns; ``target``, ``stiffness`` and ``damping`` of a joint are given on them. ``unit`` is
    "m" or "rad". ``limit`` is ``RANGE``, ``CONE`` or ``UNLIMITABLE``; bounds of it lie in ``smallest`` … ``largest``.
    """

    identifier: str
    label: str
    description: str
    rows: tuple[int, ...]
    unit: str
    limit: str = RANGE
    smallest: float = -math.inf
    largest: float = math.inf


@dataclass(frozen=True)
class JointType:
    """A row of the table: ``rows`` says of the six rows which are ``LOCKED`` and which ``FREE``."""

    identifier: str
    label: str
    description: str
    rows: tuple[str, str, str, str, str, str]
    coordinates: tuple[Coordinate, ...] = ()

    @property
    def free_rows(self) -> tuple[int, ...]:
        """The rows that may be limited or driven."""
        return tuple(row for row, mode in enumerate(self.rows) if mode == FREE)

    @property
    def has_swing(self) -> bool:
        """Whether ``Joint.swing_limit`` means something."""
        return any(coordinate.limit == CONE for coordinate in self.coordinates)


ANGLE = Coordinate(
    "angle",
    "Angle",
    "Turn of the second body about the joint's Z axis, counted over full turns",
    rows=(5,),
    unit="rad",
)
TRAVEL = Coordinate("travel", "Travel", "Slide of the second body along the joint's Z axis", rows=(2,), unit="m")
SWING = Coordinate(
    "swing",
    "Swing",
    "How far the second body's Z axis leans away from the first body's",
    rows=(3, 4),
    unit="rad",
    limit=CONE,
    smallest=0.0,
    largest=math.pi,
)
TWIST = Coordinate(
    "twist",
    "Twist",
    "Turn of the second body about its own Z axis, once the swing is taken out",
    rows=(5,),
    unit="rad",
    smallest=-math.pi,
    largest=math.pi,
)

_ALL = (
    JointType(
        "fixed",
        "Fixed",
        "The two bodies are one: nothing moves between them",
        rows=(LOCKED, LOCKED, LOCKED, LOCKED, LOCKED, LOCKED),
    ),
    JointType(
        "revolute",
        "Hinge",
        "Turns about the joint's Z axis, like a door or a wheel",
        rows=(LOCKED, LOCKED, LOCKED, LOCKED, LOCKED, FREE),
        coordinates=(ANGLE,),
    ),
    JointType(
        "spherical",
        "Ball",
        "Turns freely about one point, like a shoulder",
        rows=(LOCKED, LOCKED, LOCKED, FREE, FREE, FREE),
        coordinates=(SWING, TWIST),
    ),
    JointType(
        "prismatic",
        "Slider",
        "Slides along the joint's Z axis without turning, like a drawer",
        rows=(LOCKED, LOCKED, FREE, LOCKED, LOCKED, LOCKED),
        coordinates=(TRAVEL,),
    ),
)

JOINT_TYPES: dict[str, JointType] = {joint_type.identifier: joint_type for joint_type in _ALL}
