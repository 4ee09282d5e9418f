"""Inverse dynamics of a 3-RPS robot, 10 s at 1 ms, one iteration: the platform has to lie in a plane that moves.

Three legs on hinges along the base's tangents (radius 0.5 m), each of two bodies on a slider, with a ball on the
platform (radius 0.3 m). A plane joint to an animated body dictates height and normal: 0.8 m ± 0.1 m, the normal
0.2 rad off and going round. That leaves no freedom. The paper gives no sizes. The four solves are those of the triple
pendulum; the reference for the motion is the inverse kinematics, solved with scipy.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import root

from tendril.solver import Scene, Simulation

from ..baseline.from_scene import matrix
from ..validation_result import Output, Result, Row, at_least, at_most
from . import _mechanisms as mechanisms

TITLE = "Fig. 12 right, Table 1: 3-RPS robot"
SECTION = "Joints"
PLACE = 30
DURATION, STEP = 10.0, 1e-3
BASE, TOP = 0.5, 0.3


def ring(radius: float) -> np.ndarray:
    angles = 2 * np.pi * np.arange(3) / 3
    return radius * np.stack((np.cos(angles), np.sin(angles), 0 * angles), axis=1)


def exact_legs(place: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Lengths of the legs where the platform lies in a plane: each ball has to stay in its hinge's plane."""
    feet, heads = ring(BASE), ring(TOP)
    tangents = np.cross([0.0, 0.0, 1.0], feet / BASE)
    tilt = matrix(turn)

    def balls(unknown: np.ndarray) -> np.ndarray:
        c, s = np.cos(unknown[2]), np.sin(unknown[2])
        spin = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        return place + tilt @ np.array([unknown[0], unknown[1], 0.0]) + heads @ (tilt @ spin).T

    def off(unknown: np.ndarray) -> np.ndarray:
        return np.einsum("ij,ij->i", tangents, balls(unknown) - feet)

    found = root(off, np.zeros(3), tol=1e-14)
    return np.linalg.norm(balls(found.x) - feet, axis=1)


def legs(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of the legs every 0.25 s, by Tendril and by inverse kinematics."""
    simulation = Simulation(scene)
    platform, plane = simulation.bodies["platform"], simulation.scene.bodies[1].motion
    ours, exact = [], []
    for frame in simulation.frames():
        if frame.index % 250 == 0:
            balls = frame.positions[platform] + ring(TOP) @ matrix(frame.rotations[platform]).T
            ours.append(np.linalg.norm(balls - ring(BASE), axis=1))
            exact.append(exact_legs(plane.positions[frame.index], plane.rotations[frame.index]))
    return np.array(ours), np.array(exact)


def study(output: Output) -> Result:
    scene = mechanisms.robot(DURATION, STEP)
    series = {way: mechanisms.one_by_one(scene, way) for way in mechanisms.WAYS}
    series["Tendril"], _ = mechanisms.whole(scene)
    primal = {way: float(r[:, 0].mean()) for way, r in series.items()}
    gap = {way: float(r[:, 1].mean()) for way, r in series.items()}
    ours, exact = legs(scene)
    rows = [Row(f"mean primal residual, {way}", primal[way], "kg·m") for way in series]
    rows += [Row(f"mean constraint residual, {way}", gap[way], "m") for way in series]
    ratio = primal["scalar"] / primal["vector, block"]
    rows += [
        Row("primal: scalar / block", ratio, "", "1e4", bound=at_least(1e4)),
        Row("primal: scalar / Tendril", primal["scalar"] / primal["Tendril"], "", bound=at_least(1e4)),
        Row("primal: vector / block", primal["vector"] / primal["vector, block"], "", "2"),
        Row("constraint: scalar / block", gap["scalar"] / gap["vector, block"], "", "over 1"),
        Row("largest |C| of Tendril in 10 s", float(series["Tendril"][:, 1].max()), "m", bound=at_most(1e-9)),
        Row("a leg's length, range", float(np.ptp(ours)), "m", None, float(np.ptp(exact)), "inverse kinematics, scipy"),
        Row("a leg's length, largest error", float(np.abs(ours - exact).max()), "m", bound=at_most(1e-9)),
        *mechanisms.timing_rows(scene, (3.41, 5.36, 3.36)),
    ]
    mechanisms.residual_plot(output, "residuals", "3-RPS robot: residuals over 10 s.", STEP, series)
    with output.plot("legs", "Lengths of the legs: Tendril (lines) and inverse kinematics (dots).") as axes:
        t = 0.25 * np.arange(len(ours))
        axes.plot(t, ours)
        axes.set_prop_cycle(None)
        axes.plot(t, exact, "o", ms=3)
        axes.set(xlabel="time (s)", ylabel="length (m)")
    columns = {f"leg {k}, {name}": v[:, k] for name, v in (("Tendril", ours), ("exact", exact)) for k in range(3)}
    output.series("legs", {"time (s)": t, **columns})
    return Result(rows)
