"""A body of 1000 kg hangs on four ropes of 2 m and 1 cm across, 100 frames at default settings.

The ropes are alike but for how they are made of elements: 4, 8, 16 and 5 elements of orders 1, 2, 3 and 3. So what is
not level is the solver's error. They are drawn without stress; the body drops onto them and swings up and down. Once
at rest the sag is that of springs: (m + ρAL/2 · 4) g L / 4EA.
"""

from __future__ import annotations

import numpy as np

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation

from ..baseline.from_scene import matrix
from ..validation_result import Output, Result, Row, at_most, within

TITLE = "A heavy body on four thin ropes"
SECTION = "Whole mechanisms"
PLACE = 30
LENGTH, RADIUS, MASS = 2.0, 0.005, 1000.0
ROPE = Material(young_modulus=4.0e8, poisson_ratio=0.3, density=790.0)  # the preset "Nylon rope under load"
CORNERS = np.array([[0.5, 0.5, 0.1], [-0.5, 0.5, 0.1], [-0.5, -0.5, 0.1], [0.5, -0.5, 0.1]])
DOWN, UP = np.array([0, 0, 0.1]), np.array([0, 0, LENGTH])
MAKE = ((4, 1), (8, 2), (16, 3), (5, 3))


def scene(frames: int, damping: float = 0.0) -> Scene:
    inertia = MASS / 12 * np.array([1.04, 1.04, 2.0])
    body = RigidBody("weight", (0, 0, -0.1), mass=MASS, inertia=inertia)
    rods, joints = [], []
    for i, ((elements, order), corner) in enumerate(zip(MAKE, CORNERS, strict=True)):
        low = corner - DOWN
        rods.append(
            Rod(f"rope {i}", (low + UP, low), elements=elements, order=order, radius=RADIUS, material=ROPE,
                damping=damping, start=RodEnd("clamped"))
        )  # fmt: skip
        joints.append(Joint(f"knot {i}", "fixed", Partner(f"rope {i}", "end"), Partner("weight"), low))
    return Scene((body,), tuple(rods), tuple(joints), Settings(frame_count=frames))


def corners(simulation: Simulation, frame) -> np.ndarray:
    node = simulation.bodies["weight"]
    return frame.positions[node] + CORNERS @ matrix(frame.rotations[node]).T


def study(output: Output) -> Result:
    simulation = Simulation(scene(100))
    heights, gaps = [], []
    for frame in simulation.frames():
        found = corners(simulation, frame)
        ends = np.array([frame.positions[simulation.rods[f"rope {i}"].stop - 1] for i in range(4)])
        heights.append(found[:, 2])
        gaps.append(np.linalg.norm(found - ends, axis=1).max())
    heights = 1e3 * np.array(heights)
    still = Simulation(scene(240, damping=0.1))
    *_, frame = still.frames()
    resting = 1e3 * corners(still, frame)[:, 2]
    area = np.pi * RADIUS**2
    weight = (MASS / 4 + ROPE.density * area * LENGTH / 2) * 9.81
    rows = [
        Row("corners apart in height, 100 frames", float(np.ptp(heights, axis=1).max()), "mm", bound=at_most(1.0)),
        Row("corners apart in height, at rest", float(np.ptp(resting)), "mm", bound=at_most(1.0)),
        Row("a rope's end from its corner", 1e3 * float(max(gaps)), "mm", bound=at_most(0.1)),
        Row("sag at rest", float(-resting.mean()), "mm", None, 1e3 * weight * LENGTH / (ROPE.young_modulus * area),
            "four springs", within(1e-4)),
    ]  # fmt: skip
    with output.plot("heights", "Heights of the four corners over 100 frames, less those at the start.") as axes:
        axes.plot(heights, lw=0.8, label=[f"{n} elements of order {k}" for n, k in MAKE])
        axes.set(xlabel="frame", ylabel="height (mm)")
        axes.legend()
    output.series("heights", {"frame": np.arange(100), **{f"corner {i} (mm)": heights[:, i] for i in range(4)}})
    return Result(rows)
