"""The scene as plain data: all the solver ever hears about the outside world.

Everything is SI (m, kg, s, rad), every vector is in world axes unless its line says otherwise, and every rotation is
a unit quaternion ``w x y z`` that turns a local frame into the world frame. Dataclasses are frozen; arrays handed in
are copied to float64 by ``Scene.validated()``, which raises ``SceneError`` for whatever cannot be simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

GRAVITY = (0.0, 0.0, -9.81)
UNLIMITED = np.inf
NO_MOTOR = np.inf  # in Joint.speed

BODY_KINDS = ("active", "static", "animated")
END_HOLDS = ("free", "pinned", "clamped")
REST_SHAPES = ("drawn", "straight", "curve")
ROD_ORDERS = (0, 1, 2, 3)
ROD_ENDS = ("start", "end")


class SceneError(ValueError):
    """A scene that cannot be simulated: ``object`` names the culprit, the message says what to do about it."""

    def __init__(self, object: str, message: str):
        super().__init__(f"{object}: {message}" if object else message)
        self.object = object
        self.message = message


@dataclass(frozen=True, eq=False)
class Material:
    """What a rod is made of."""

    young_modulus: float = 1.0e7  # E, Pa
    poisson_ratio: float = 0.4  # ν; shear modulus G = E / (2 (1 + ν))
    density: float = 1000.0  # ρ, kg/m³


@dataclass(frozen=True, eq=False)
class Motion:
    """A prescribed path: one sample a substep, the first at the start of the bake.

    ``positions`` (k, 3) m and ``rotations`` (k, 4), with k = settings.sample_count.
    """

    positions: np.ndarray
    rotations: np.ndarray


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body, described in the frame of its centre of mass and principal axes.

    ``position`` (3,) is the centre of mass, ``rotation`` (4,) the principal axes, ``inertia`` (3,) kg·m² the principal
    moments. ``angular_velocity`` is in the body frame, rad/s. Damping is a rate, 1/s: velocity decays as exp(−rate·t).
    ``kind``: "active" is moved by the solver, "static" never moves, "animated" follows ``motion``.
    """

    name: str
    position: np.ndarray = (0.0, 0.0, 0.0)
    rotation: np.ndarray = (1.0, 0.0, 0.0, 0.0)
    mass: float = 1.0
    inertia: np.ndarray = (1.0, 1.0, 1.0)
    kind: str = "active"
    velocity: np.ndarray = (0.0, 0.0, 0.0)
    angular_velocity: np.ndarray = (0.0, 0.0, 0.0)
    linear_damping: float = 0.0
    angular_damping: float = 0.0
    motion: Motion | None = None


@dataclass(frozen=True, eq=False)
class RodEnd:
    """How an end of a rod is held: "free", "pinned" (place held, turning free) or "clamped" (place and turn held).

    A held end stays where it starts, or follows ``motion`` (the path of the end node's position and frame).
    """

    hold: str = "free"
    motion: Motion | None = None


@dataclass(frozen=True, eq=False)
class CentreCurve:
    """A drawn curve, as ``Rod`` has one: ``points`` (n, 3), ``tangents`` and ``normals`` (n, 3) or None."""

    points: np.ndarray
    tangents: np.ndarray | None = None
    normals: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Rod:
    """A Cosserat rod along a drawn centre line.

    ``points`` (n, 3), n ≥ 2: the centre line; straight between points, or cubic Hermite where ``tangents`` (n, 3)
    (any length, the direction counts) are given. ``normals`` (n, 3), optional: direction of d1 at the points, made
    perpendicular to the tangent; default is a rotation-minimising frame. ``closed``: a ring, the last point is
    followed by the first.
    ``elements`` elements of polynomial ``order`` 1, 2 or 3 are laid along it at equal arc length, more evenly spread
    where joints take hold of it in between. Order 0 is the chain of rigid bodies of paper section 6.2.
    ``radius`` m, one number or (n,) at the points: half axis of the section along d1; ``aspect``: half axis along d2
    in units of it. ``shear_correction``: Cowper's factor κ (126) on the shear stiffness, which is 1 otherwise.
    ``rest`` "drawn": the drawn shape is free of stress; "straight": it wants to be straight; "curve": it wants to be
    as long and as bent as ``rest_curve``.
    ``damping`` (s) is b of β = b/α (paper section 4.4), ``linear_damping`` (1/s) slows the nodes.
    """

    name: str
    points: np.ndarray
    tangents: np.ndarray | None = None
    normals: np.ndarray | None = None
    closed: bool = False
    elements: int = 8
    order: int = 3
    radius: float | np.ndarray = 0.01
    aspect: float = 1.0
    shear_correction: bool = False
    material: Material = field(default_factory=Material)
    rest: str = "drawn"
    rest_curve: CentreCurve | None = None
    damping: float = 0.0
    linear_damping: float = 0.0
    start: RodEnd = field(default_factory=RodEnd)
    end: RodEnd = field(default_factory=RodEnd)


@dataclass(frozen=True, eq=False)
class Partner:
    """One side of a joint: a body by name, a rod by name and place, or the world (``name`` "").

    The place on a rod is its ``end`` ("start" or "end"), or ``at``, the share of its arc length from the start, 0 … 1.
    """

    name: str = ""
    end: str = ""
    at: float | None = None


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of a type in ``solver.joints.types``, placed by one frame in the world at the start.

    ``position`` (3,) and ``rotation`` (4,) are the joint frame; its z axis is the axis of hinges and sliders.
    The six rows are: place x, y, z of body 2 in body 1's joint frame (m), and turn x, y, z of body 2 relative to
    body 1 as a rotation vector (rad). Only the rows a joint type leaves free may be limited or driven:
    ``lower``, ``upper`` (6,), ±inf where unlimited; for a spherical joint ``lower[5]``, ``upper[5]`` limit the twist
    and ``swing_limit`` (rad) the swing. ``stiffness`` (6,) N/m or N·m/rad and ``damping`` (6,) N·s/m or N·m·s/rad pull
    the row to ``target``, (6,) or (settings.sample_count, 6) where it moves.
    ``speed``, of the same shapes, m/s or rad/s: a motor turns or slides a row with it; inf: no motor. ``maximum``
    (6,) N or N·m: the most that the motor, or the spring to the target, can do; a motor of speed 0 is a brake.
    ``locked`` (6,): 1 where a row is locked that the type leaves to choose, else 0.
    """

    name: str
    kind: str
    body_1: Partner = field(default_factory=Partner)
    body_2: Partner = field(default_factory=Partner)
    position: np.ndarray = (0.0, 0.0, 0.0)
    rotation: np.ndarray = (1.0, 0.0, 0.0, 0.0)
    lower: np.ndarray = (-UNLIMITED,) * 6
    upper: np.ndarray = (UNLIMITED,) * 6
    swing_limit: float = UNLIMITED
    target: np.ndarray = (0.0,) * 6
    stiffness: np.ndarray = (0.0,) * 6
    damping: np.ndarray = (0.0,) * 6
    speed: np.ndarray = (NO_MOTOR,) * 6
    maximum: np.ndarray = (UNLIMITED,) * 6
    locked: np.ndarray = (0.0,) * 6


@dataclass(frozen=True, eq=False)
class Settings:
    """Time and space: ``frame_count`` frames (the first is the start), ``frame_duration`` seconds apart."""

    gravity: np.ndarray = GRAVITY
    frame_duration: float = 1.0 / 24.0
    frame_count: int = 250
    substeps: int = 20
    iterations: int = 1

    @property
    def time_step(self) -> float:
        """Δt of one substep, s."""
        return self.frame_duration / self.substeps

    @property
    def sample_count(self) -> int:
        """How many samples a ``Motion`` has: one a substep, and the start."""
        return (self.frame_count - 1) * self.substeps + 1


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is simulated together. Names are unique over bodies, rods and joints."""

    bodies: tuple[RigidBody, ...] = ()
    rods: tuple[Rod, ...] = ()
    joints: tuple[Joint, ...] = ()
    settings: Settings = field(default_factory=Settings)

    def validated(self) -> Scene:
        """Return the scene checked and complete: float64 arrays, unit quaternions. Raises ``SceneError``."""
        from .validate import validated

        return validated(self)
