"""Two rods of different order, joined tip to root by a fixed joint, are one rod: continuous in place and tangent.

Half a metre each, clamped at the root and let go from the horizontal, 100 frames at default settings and material.
Their tip is compared with that of a single rod of a metre, of cubic elements alone.
"""

from __future__ import annotations

import numpy as np

from tendril.solver import Joint, Partner, Rod, RodEnd, Scene, Settings, Simulation

from ..baseline.from_scene import matrix
from ..validation_result import Output, Result, Row, at_most

TITLE = "Two rods of different order in line"
SECTION = "Whole mechanisms"
PLACE = 50
SETTINGS = Settings(frame_count=100)
ELEMENTS = {1: 40, 2: 12, 3: 8}


def pair(first: int, second: int) -> Scene:
    clamped = RodEnd("clamped")
    rods = (
        Rod("root", ((0, 0, 0), (0.5, 0, 0)), elements=ELEMENTS[first], order=first, start=clamped),
        Rod("tip", ((0.5, 0, 0), (1, 0, 0)), elements=ELEMENTS[second], order=second),
    )
    joint = Joint("joint", "fixed", Partner("root", "end"), Partner("tip", "start"), (0.5, 0, 0))
    return Scene((), rods, (joint,), SETTINGS)


def whole() -> np.ndarray:
    rod = Rod("rod", ((0, 0, 0), (1, 0, 0)), elements=16, order=3, start=RodEnd("clamped"))
    simulation = Simulation(Scene(rods=(rod,), settings=SETTINGS))
    last = simulation.rods["rod"].stop - 1
    return np.array([frame.positions[last] for frame in simulation.frames()])


def study(output: Output) -> Result:
    expected = whole()
    rows, columns = [], {"frame": np.arange(100), "one rod, height (m)": expected[:, 2]}
    with output.plot("tip", "Height of the tip of two rods in line and of one rod.") as axes:
        axes.plot(expected[:, 2], "k", lw=2.5, alpha=0.4, label="one rod, order 3")
        for first, second in ((1, 3), (3, 1), (2, 3), (3, 2)):
            simulation = Simulation(pair(first, second))
            end, start = simulation.rods["root"].stop - 1, simulation.rods["tip"].start
            tip, gaps, bends = [], [], []
            for frame in simulation.frames():
                gaps.append(np.linalg.norm(frame.positions[end] - frame.positions[start]))
                a, b = matrix(frame.rotations[end])[:, 2], matrix(frame.rotations[start])[:, 2]
                bends.append(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
                tip.append(frame.positions[simulation.rods["tip"].stop - 1])
            away = np.linalg.norm(np.array(tip) - expected, axis=1).max()
            name = f"orders {first} and {second}"
            rows.append(Row(f"{name}: gap", 1e3 * float(max(gaps)), "mm", bound=at_most(0.001)))
            rows.append(Row(f"{name}: angle between tangents", float(max(bends)), "rad", bound=at_most(1e-5)))
            rows.append(Row(f"{name}: tip away from that of one rod", 1e3 * float(away), "mm", bound=at_most(3.0)))
            columns[f"{name}, height (m)"] = np.array(tip)[:, 2]
            axes.plot(np.array(tip)[:, 2], lw=0.9, label=name)
        axes.set(xlabel="frame", ylabel="height (m)")
        axes.legend()
    output.series("tip", columns)
    return Result(rows)
