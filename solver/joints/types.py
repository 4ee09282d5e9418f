"""The table of joint types: properties, panels, validation, documentation and tests iterate over it.

A joint is six rows in body 1's joint frame: place x, y, z (m) and turn x, y, z (rad) of body 2 relative to body 1.
A type says which rows are locked; the artist may limit and drive the free ones through the ``Coordinate``s listed.
Where some of the turn rows are locked and some are not, and in a generic joint, turn is the swing vector of z (x, y)
and the twist about it (z); else it is a rotation vector.
A new type is a new row of ``JOINT_TYPES`` and nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LOCKED = "locked"
FREE = "free"
CHOSEN = "chosen"  # locked where the artist says so (Joint.locked), else free
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
    ``motor``: ``speed`` and ``maximum`` of a joint may be given on its one row.
    """

    identifier: str
    label: str
    description: str
    rows: tuple[int, ...]
    unit: str
    limit: str = RANGE
    smallest: float = -math.inf
    largest: float = math.inf
    motor: bool = False


@dataclass(frozen=True)
class JointType:
    """A row of the table: ``rows`` says of the six rows which are ``LOCKED``, ``FREE`` or ``CHOSEN``."""

    identifier: str
    label: str
    description: str
    rows: tuple[str, str, str, str, str, str]
    coordinates: tuple[Coordinate, ...] = ()

    @property
    def free_rows(self) -> tuple[int, ...]:
        """The rows that may be limited or driven."""
        return tuple(row for row, mode in enumerate(self.rows) if mode != LOCKED)

    @property
    def chosen_rows(self) -> tuple[int, ...]:
        """The rows that the artist may lock."""
        return tuple(row for row, mode in enumerate(self.rows) if mode == CHOSEN)

    @property
    def is_ball(self) -> bool:
        """Whether the turn rows are one rotation vector, limited by swing and twist."""
        return self.rows[3:] == (FREE, FREE, FREE)

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
    motor=True,
)
TRAVEL = Coordinate(
    "travel", "Travel", "Slide of the second body along the joint's Z axis", rows=(2,), unit="m", motor=True
)
SLIDE_X = Coordinate(
    "slide_x", "Slide X", "Slide of the second body along the joint's X axis", rows=(0,), unit="m", motor=True
)
SLIDE_Y = Coordinate(
    "slide_y", "Slide Y", "Slide of the second body along the joint's Y axis", rows=(1,), unit="m", motor=True
)
LEAN = Coordinate(
    "lean",
    "Lean",
    "Turn of the second body about the joint's X axis, up to half a turn to either side",
    rows=(3,),
    unit="rad",
    smallest=-math.pi,
    largest=math.pi,
    motor=True,
)
TILT = Coordinate(
    "tilt",
    "Tilt",
    "Turn of the second body about the joint's Y axis, up to half a turn to either side",
    rows=(4,),
    unit="rad",
    smallest=-math.pi,
    largest=math.pi,
    motor=True,
)
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
    JointType(
        "cylindrical",
        "Cylinder",
        "Slides along the joint's Z axis and turns about it, like a bolt or a telescope's tubes",
        rows=(LOCKED, LOCKED, FREE, LOCKED, LOCKED, FREE),
        coordinates=(TRAVEL, ANGLE),
    ),
    JointType(
        "planar",
        "Plane",
        "Slides in the joint's X-Y plane and turns about its Z axis, like a box on ice",
        rows=(FREE, FREE, LOCKED, LOCKED, LOCKED, FREE),
        coordinates=(SLIDE_X, SLIDE_Y, ANGLE),
    ),
    # Swing without its x part: z of body 2 stays square to y of body 1, which are the two pins of a Hooke joint.
    JointType(
        "universal",
        "Universal",
        "Turns about two crossed pins, the joint's Y axis on the first body and its Z axis on the second, like the "
        "cross of a cardan shaft along X",
        rows=(LOCKED, LOCKED, LOCKED, LOCKED, FREE, FREE),
        coordinates=(TILT, ANGLE),
    ),
    # Swing without twist: what turns about z of body 1 turns as fast about z of body 2.
    JointType(
        "constant_velocity",
        "Constant Velocity",
        "Leans to all sides and never twists: a shaft along the joint's Z axis turns the other one evenly, like the "
        "drive shaft of a car. Drawn straight",
        rows=(LOCKED, LOCKED, LOCKED, FREE, FREE, LOCKED),
        coordinates=(SWING,),
    ),
    JointType(
        "generic",
        "Generic",
        "Locks, limits, springs and drives each of the six ways to move as you choose",
        rows=(CHOSEN,) * 6,
        coordinates=(SLIDE_X, SLIDE_Y, TRAVEL, LEAN, TILT, ANGLE),
    ),
)

JOINT_TYPES: dict[str, JointType] = {joint_type.identifier: joint_type for joint_type in _ALL}
