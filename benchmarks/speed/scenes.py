"""The scenes of the paper's Tables 1 and 2 as far as the paper tells them, without their contacts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tendril.solver import Joint, Material, Motion, Partner, RigidBody, Rod, RodEnd, Scene, Settings
from tendril.solver.joints.types import JOINT_TYPES

FRAME_STEPS = 100  # substeps of one call
FRAMES = 401


@dataclass(frozen=True)
class Row:
    """One row of a table: its scene, what the paper measured (s a step), and how many elements it has."""

    table: str
    name: str
    paper: float
    make: Callable[[], Scene]
    elements: int = 0
    contact: bool = False


def settings(time_step: float, gravity=(0.0, 0.0, -9.81)) -> Settings:
    return Settings(gravity, time_step * FRAME_STEPS, FRAMES, FRAME_STEPS)


def sway(time: np.ndarray, period: float) -> np.ndarray:
    """From 0 to 1 and back, smoothly."""
    return 0.5 - 0.5 * np.cos(2.0 * math.pi * time / period)


def times(chosen: Settings) -> np.ndarray:
    return np.arange(chosen.sample_count) * chosen.time_step


def box_inertia(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    return tuple(mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y]))


def turn(axis, angle: float) -> np.ndarray:
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.concatenate([[math.cos(0.5 * angle)], math.sin(0.5 * angle) * axis])


# ---------------------------------------------------------------- Table 1


def triple_pendulum() -> Scene:
    """Three links on hinges, let go 80 degrees from the downward vertical."""
    angle, length, mass = math.radians(80.0), 0.5, 1.0
    way = np.array([math.sin(angle), 0.0, -math.cos(angle)])
    inertia = box_inertia(mass, 0.05, 0.05, length)
    hinge = turn((1, 0, 0), -0.5 * math.pi)  # z of the joint frame along y of the world
    bodies = [
        RigidBody(f"link {k}", (k + 0.5) * length * way, turn((0, 1, 0), math.pi - angle), mass, inertia)
        for k in range(3)
    ]
    joints = [
        Joint(f"hinge {k}", "revolute", Partner(f"link {k - 1}" if k else ""), Partner(f"link {k}"),
              k * length * way, hinge)
        for k in range(3)
    ]  # fmt: skip
    return Scene(tuple(bodies), (), tuple(joints), settings(1e-3))


def rps_robot() -> Scene:
    """A platform on three legs, each hinge, slider and ball; its height and its normal follow a path."""
    chosen = settings(1e-3)
    t = times(chosen)
    low, high, base, top = np.array([0, 0, 0.15]), np.array([0, 0, 0.45]), 0.4, 0.25
    height = low[2] + high[2]
    bodies = [RigidBody("platform", (0, 0, height), mass=2.0, inertia=box_inertia(2.0, 0.5, 0.5, 0.04))]
    joints = []
    for k in range(3):
        a = 2.0 * math.pi * k / 3.0
        radial, across = np.array([math.cos(a), math.sin(a), 0.0]), np.array([-math.sin(a), math.cos(a), 0.0])
        foot, ball = base * radial, top * radial + np.array([0, 0, height])
        way = (ball - foot) / np.linalg.norm(ball - foot)
        frame = turn(np.cross([0, 0, 1], way), math.acos(way[2]))
        for part, share in (("lower", 0.25), ("upper", 0.75)):
            place = foot + share * (ball - foot)
            bodies.append(RigidBody(f"{part} {k}", place, frame, 0.5, box_inertia(0.5, 0.04, 0.04, 0.3)))
        hinge = turn(np.cross([0, 0, 1], across), 0.5 * math.pi)
        joints += [
            Joint(f"hinge {k}", "revolute", Partner(), Partner(f"lower {k}"), foot, hinge),
            Joint(f"slider {k}", "prismatic", Partner(f"lower {k}"), Partner(f"upper {k}"), 0.5 * (foot + ball), frame),
            Joint(f"ball {k}", "spherical", Partner(f"upper {k}"), Partner("platform"), ball),
        ]
    lean = 0.15 * np.sin(2.0 * math.pi * t / 2.0)
    path = Motion(
        np.stack([0.0 * t, 0.0 * t, height + 0.1 * sway(t, 3.0)], axis=1),
        np.stack([np.cos(0.5 * lean), np.sin(0.5 * lean), 0.0 * t, 0.0 * t], axis=1),
    )
    guide = RigidBody("guide", (0, 0, height), kind="animated", motion=path)
    # The guide dictates height and normal where there is a joint for that; otherwise the sliders are driven instead.
    if "planar" in JOINT_TYPES:
        joints.append(Joint("drive", "planar", Partner("guide"), Partner("platform"), (0, 0, height)))
        return Scene((*bodies, guide), (), tuple(joints), chosen)
    target = np.zeros((len(t), 6))
    target[:, 2] = 0.05 * sway(t, 3.0)
    for k in range(3):
        joints[3 * k + 1] = Joint(
            f"slider {k}", "prismatic", Partner(f"lower {k}"), Partner(f"upper {k}"), joints[3 * k + 1].position,
            joints[3 * k + 1].rotation, target=target, stiffness=(0, 0, 1e6, 0, 0, 0),
        )  # fmt: skip
    return Scene(tuple(bodies), (), tuple(joints), chosen)


# ---------------------------------------------------------------- Table 2


def spring(order: int, elements: int) -> Scene:
    """A helical spring of 15 coils between two clamps, one of which comes nearer."""
    chosen = settings(5e-3, (0.0, 0.0, 0.0))
    a = np.linspace(0.0, 30.0 * math.pi, 15 * 32 + 1)
    rise, radius = 1.4 / (30.0 * math.pi), 0.1
    points = np.stack([radius * np.cos(a), radius * np.sin(a), rise * a], axis=1)
    tangents = np.stack([-radius * np.sin(a), radius * np.cos(a), rise + 0.0 * a], axis=1)
    rod = Rod("spring", points, tangents, elements=elements, order=order, radius=0.005,
              material=Material(60e9, 0.3, 7650.0), start=RodEnd("clamped"), end=RodEnd("clamped"))  # fmt: skip
    return driven(rod, chosen, lambda t: np.stack([0 * t, 0 * t, -0.1 * sway(t, 20.0)], axis=1), None)


def plectoneme(order: int, elements: int) -> Scene:
    """A slack rod, one end held, the other turned about it. Without contact it passes through itself."""
    chosen = settings(1e-3, (0.0, 0.0, 0.0))
    rod = Rod("rod", [[0, 0, 0], [10, 0, 0]], elements=elements, order=order, radius=0.05, damping=1e-3,
              material=Material(5e7, 0.4, 1000.0), start=RodEnd("clamped"), end=RodEnd("clamped"))  # fmt: skip
    return driven(
        rod, chosen, lambda t: np.stack([-1.0 * sway(t, 8.0), 0 * t, 0 * t], axis=1), lambda t: 9.0 * sway(t, 8.0)
    )


def driven(rod: Rod, chosen: Settings, way, angle) -> Scene:
    """A scene of one rod whose end is moved by ``way`` and turned about its tangent by ``angle``."""
    from tendril.solver import Simulation

    still = Simulation(Scene(rods=(rod,), settings=chosen))
    place, frame = (array[still.rods[rod.name]][-1] for array in (still.frame().positions, still.frame().rotations))
    t = times(chosen)
    half = 0.5 * angle(t) if angle else 0.0 * t
    w, x, y, z = frame
    c, s = np.cos(half), np.sin(half)  # frame · (c, 0, 0, s): about the frame's own z
    turned = np.stack([w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s], axis=1)
    return Scene(rods=(_replace(rod, end=RodEnd("clamped", Motion(place + way(t), turned))),), settings=chosen)


def _replace(rod: Rod, **changes) -> Rod:
    import dataclasses

    return dataclasses.replace(rod, **changes)


def bristle_bots(count: int) -> Scene:
    """Bodies on twelve bent legs of one quadratic element, each with an eccentric mass at 500 turns a second."""
    bodies, rods, joints = [], [], []
    for b in range(count):
        centre = np.array([0.1 * b, 0.0, 0.0])
        name, mass = f"bot {b}", 0.01
        bodies.append(RigidBody(name, centre, mass=mass, inertia=box_inertia(mass, 0.04, 0.02, 0.01)))
        rotor = centre + np.array([0.001, 0.0, 0.01])
        axle = centre + np.array([0.0, 0.0, 0.01])
        bodies.append(RigidBody(f"rotor {b}", rotor, mass=5e-4, inertia=(2e-9, 2e-9, 3e-9),
                                velocity=(0.0, 1e-3 * 1000.0 * math.pi, 0.0),
                                angular_velocity=(0, 0, 1000.0 * math.pi)))  # fmt: skip
        joints.append(Joint(f"motor {b}", "revolute", Partner(name), Partner(f"rotor {b}"), axle))
        for k in range(12):
            root = centre + np.array([-0.018 + 0.0072 * (k // 2), 0.008 * (2 * (k % 2) - 1), -0.005])
            s = np.linspace(0.0, 1.0, 9)
            bend = 0.3 * s + 0.4 * s * s  # the angle from the vertical grows
            points = root + 0.015 * np.stack([-np.cumsum(np.sin(bend)), 0 * s, -np.cumsum(np.cos(bend))], axis=1) / 9.0
            rods.append(Rod(f"leg {b} {k}", np.vstack([root, points]), elements=1, order=2, radius=1e-3,
                            material=Material(4.5e6, 0.4, 1000.0)))  # fmt: skip
            joints.append(Joint(f"root {b} {k}", "fixed", Partner(name), Partner(f"leg {b} {k}", "start"), root))
    return Scene(tuple(bodies), tuple(rods), tuple(joints), settings(1e-4, (0, 0, 0)))


def bowling() -> Scene:
    """Ten pins on stiff ropes of eight cubic elements, each hung from a sprung slider, and a ball rolling by."""
    bodies, rods, joints = [], [], []
    pins = [(0.3 * (row - 2 * k) * 0.5, 0.26 * row) for row in range(4) for k in range(row + 1)]
    for k, (x, y) in enumerate(pins):
        top, hook, lean = np.array([x, y, 1.9]), np.array([x, y, 0.4]), 0.2 * (k % 3)
        bodies.append(RigidBody(f"pin {k}", hook - [0, 0, 0.2], mass=1.5, inertia=(0.012, 0.012, 0.0024),
                                velocity=(lean, 0.3, 0.0)))  # fmt: skip
        bodies.append(RigidBody(f"carriage {k}", top, mass=0.2, inertia=(1e-4, 1e-4, 1e-4)))
        rods.append(Rod(f"rope {k}", [top, hook], elements=8, order=3, radius=0.005, damping=1e-4,
                        material=Material(1e8, 0.4, 1150.0)))  # fmt: skip
        joints += [
            Joint(f"slack {k}", "prismatic", Partner(), Partner(f"carriage {k}"), top, stiffness=(0, 0, 2e3, 0, 0, 0)),
            Joint(f"top {k}", "fixed", Partner(f"carriage {k}"), Partner(f"rope {k}", "start"), top),
            Joint(f"hook {k}", "fixed", Partner(f"rope {k}", "end"), Partner(f"pin {k}"), hook),
        ]
    bodies.append(RigidBody("ball", (0, -3, 0.1), mass=6.0, inertia=(0.03,) * 3, velocity=(0, 10.0, 0)))
    return Scene(tuple(bodies), tuple(rods), tuple(joints), settings(2e-3))


def rows() -> Iterator[Row]:
    """Every row of both tables."""
    yield Row("1", "Triple pendulum", 1.29e-6, triple_pendulum)
    yield Row("1", "3-RPS robot", 3.41e-6, rps_robot)
    names = {0: "rigid bodies", 1: "linear", 2: "quadratic", 3: "cubic"}
    for order, elements, ms in ((0, 120, 0.09), (1, 120, 0.10), (1, 250, 0.22), (2, 66, 0.22), (3, 40, 0.28)):
        name = f"Spring, {elements} {names[order]}"
        yield Row("2", name, ms * 1e-3, lambda o=order, e=elements: spring(o, e), elements)
    times_of = {1: (0.06, 0.11, 0.23), 2: (0.11, 0.23, 0.43), 3: (0.17, 0.35, 0.68)}
    for order, counts in {1: (30, 60, 120), 2: (15, 30, 60), 3: (10, 20, 40)}.items():
        for elements, ms in zip(counts, times_of[order]):
            name = f"Plectoneme, {elements} {names[order]}"
            yield Row("2", name, ms * 1e-3, lambda o=order, e=elements: plectoneme(o, e), elements, True)
    yield Row("2", "Bristle bot, 12 legs", 0.07e-3, lambda: bristle_bots(1), 12, True)
    yield Row("2", "Bristle bots, 36 legs", 0.23e-3, lambda: bristle_bots(3), 36, True)
    yield Row("2", "Bowling, 10 ropes", 1.18e-3, bowling, 80, True)


def cantilever(order: int, elements: int, time_step: float = 5e-3) -> Scene:
    """The rod of paper section 9.2, held at one end and let go."""
    rod = Rod("rod", [[0, 0, 0], [1, 0, 0]], elements=elements, order=order, radius=0.05,
              material=Material(5e6, 0.4, 1000.0), start=RodEnd("clamped"))  # fmt: skip
    return Scene(rods=(rod,), settings=Settings(frame_duration=time_step * FRAME_STEPS, frame_count=10**6,
                                                substeps=FRAME_STEPS))  # fmt: skip
