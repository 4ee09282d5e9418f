"""A slack rod drawn as a sagging curve, clamped between two bodies, starts without a kick.

Without gravity nothing may move at all, whether the bodies are held or free. With gravity nothing may be faster than
free fall. Default settings, 8 cubic elements between bodies 1 m apart, sagging by 0.3 m.
"""

from __future__ import annotations

import numpy as np

from tendril.solver import Joint, Partner, RigidBody, Rod, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, at_most

TITLE = "A slack rod between two bodies"
SECTION = "Whole mechanisms"
PLACE = 40


def scene(kind: str, gravity: float, order: int = 3) -> Scene:
    t = np.linspace(0, 1, 21)
    points = np.stack((t, 0 * t, -0.3 * np.sin(np.pi * t)), axis=1)
    tangents = np.stack((0 * t + 1, 0 * t, -0.3 * np.pi * np.cos(np.pi * t)), axis=1)
    bodies = tuple(
        RigidBody(name, (x, 0, 0), mass=1.0, inertia=(0.01,) * 3, kind=kind)
        for name, x in (("left", -0.1), ("right", 1.1))
    )
    joints = tuple(
        Joint(f"{end} clamp", "fixed", Partner("rod", end), Partner(name), (x, 0, 0))
        for end, name, x in (("start", "left", 0.0), ("end", "right", 1.0))
    )
    settings = Settings(gravity=(0, 0, -gravity), frame_count=100)
    rod = Rod("rod", points, tangents, elements=8 if order > 1 else 24, order=order)
    return Scene(bodies, (rod,), joints, settings)


def fastest(kind: str, gravity: float, order: int) -> np.ndarray:
    """Speed of the fastest node after each frame, m/s."""
    simulation = Simulation(scene(kind, gravity, order))
    count = len(simulation.frame().positions)
    found = []
    for _ in simulation.frames():
        found.append(np.linalg.norm(simulation.state.v.reshape(-1, 3)[:count], axis=1).max())
    return np.array(found)


def study(output: Output) -> Result:
    rows, columns = [], {"frame": np.arange(100)}
    for kind, words in (("static", "held bodies"), ("active", "free bodies")):
        for order in (1, 2, 3):
            speed = float(fastest(kind, 0.0, order).max())
            name = f"{words}, no gravity, order {order}: fastest in 100 frames"
            rows.append(Row(name, speed, "m/s", bound=at_most(1e-9)))
    with output.plot("speed", "Speed of the fastest node of the rod between held bodies, and of free fall.") as axes:
        for order in (1, 2, 3):
            found = fastest("static", 9.81, order)
            fall = 9.81 / 24.0
            name = f"held bodies, gravity, order {order}: speed after a frame, of free fall"
            rows.append(Row(name, float(found[1] / fall), bound=at_most(1.0)))
            axes.plot(found[:25], label=f"order {order}")
            columns[f"order {order} (m/s)"] = found
        axes.plot(9.81 * np.arange(8) / 24.0, "k--", label="free fall")
        axes.set(xlabel="frame", ylabel="speed (m/s)")
        axes.legend()
    output.series("speed", columns)
    return Result(rows)
