"""Three hinged bars of 1 m × 0.1 m × 0.1 m, 1 kg, let go at 80° from straight down, 100 s at 1 ms, one iteration.

The paper gives neither bars nor time step; these show what it shows. Joints one after the other: scalar constraints as
Müller et al. (SCA 2020) have them, vector constraints row by row, vector constraints in blocks; and Tendril, which
solves the whole mechanism at once. Residuals are the norms of (51) and (52) after every substep. Means are taken while
the scalar constraints still hold together (joints closer than 0.1 m), as in the paper.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from tendril.solver import Simulation

from ..validation_result import Output, Result, Row, at_least, at_most, within
from . import _mechanisms as mechanisms

TITLE = "Fig. 12 left, Table 1: triple pendulum"
SECTION = "Joints"
PLACE = 20
DURATION, STEP = 100.0, 1e-3
TORN = 0.1  # m
SWING = 0.5  # s in which the angles are compared with scipy's


def exact_angles(duration: float) -> np.ndarray:
    """Angles from straight down, by Lagrange's equations in absolute angles and a method of order eight."""
    count, inertia, gravity = 3, 1.01 / 12, 9.81
    arm = np.tril(np.ones((count, count))) - 0.5 * np.eye(count)
    coupling, load = arm.T @ arm, gravity * arm.sum(axis=0)

    def rate(_, y):
        theta, omega = y[:count], y[count:]
        difference = theta[:, None] - theta[None, :]
        mass = coupling * np.cos(difference) + inertia * np.eye(count)
        return np.concatenate(
            (omega, np.linalg.solve(mass, -(coupling * np.sin(difference)) @ omega**2 - load * np.sin(theta)))
        )

    start = np.concatenate((np.full(count, np.radians(80.0)), np.zeros(count)))
    return solve_ivp(rate, (0.0, duration), start, method="DOP853", rtol=1e-11, atol=1e-11).y[:count, -1]


def angles(step: float) -> np.ndarray:
    simulation = Simulation(mechanisms.triple_pendulum(SWING, step))
    *_, frame = simulation.frames()
    q = frame.rotations[[simulation.bodies[f"bar {i}"] for i in range(3)]]
    return -2.0 * np.arctan2(q[:, 2], q[:, 0])


def study(output: Output) -> Result:
    scene = mechanisms.triple_pendulum(DURATION, STEP)
    series = {way: mechanisms.one_by_one(scene, way) for way in mechanisms.WAYS}
    series["Tendril"], energies = mechanisms.whole(scene)
    twice, _ = mechanisms.whole(mechanisms.triple_pendulum(10.0, STEP), iterations=2)
    torn = np.flatnonzero(~(series["scalar"][:, 1] < TORN))
    last = int(torn[0]) if len(torn) else len(series["scalar"])
    primal = {way: float(r[:last, 0].mean()) for way, r in series.items()}
    gap = {way: float(r[:last, 1].mean()) for way, r in series.items()}
    first = slice(0, round(0.1 / STEP))  # upon release
    release = {way: r[first].mean(axis=0) for way, r in series.items()}
    last_second = max(float(r[-1000:, 1].max()) for way, r in series.items() if way != "scalar")
    expected, coarse, fine = exact_angles(SWING), angles(STEP), angles(STEP / 2)
    angle = 2 * fine[2] - coarse[2]
    rows = [Row(f"mean primal residual, {way}", primal[way], "kg·m") for way in series]
    rows += [Row(f"mean constraint residual, {way}", gap[way], "m") for way in series]
    ratio = release["scalar"] / release["vector, block"]
    rows += [
        Row("primal on release: scalar / block", ratio[0], "", "over 1e5"),
        Row("constraint on release: scalar / block", ratio[1], "", "over 10"),
        Row("primal: scalar / block", primal["scalar"] / primal["vector, block"], "", "1e5", bound=at_least(1e4)),
        Row("primal: scalar / Tendril", primal["scalar"] / primal["Tendril"], "", bound=at_least(1e4)),
        Row("primal: vector / block", primal["vector"] / primal["vector, block"], "", "10"),
        Row("constraint: vector / block", gap["vector"] / gap["vector, block"], "", "2"),
        Row("scalar constraints come apart after", last * STEP if len(torn) else "never", "s", 15.0),
        Row("largest |C| of the last second, vector and Tendril", last_second, "m", bound=at_most(TORN)),
        Row("largest |C| of Tendril in 100 s", float(series["Tendril"][:, 1].max()), "m", bound=at_most(1e-6)),
        Row("largest gain of energy of Tendril", float(energies.max() - energies[0]), "J", bound=at_most(1e-3)),
        Row("primal of Tendril, two iterations, 10 s", float(twice[:, 0].max()), "kg·m", bound=at_most(1e-11)),
        Row("third bar after 0.5 s, extrapolated", angle, "rad", None, expected[2], "Lagrange, scipy", within(1e-4)),
        *mechanisms.timing_rows(scene, (1.29, 1.39, 1.24)),
    ]  # fmt: skip
    mechanisms.residual_plot(output, "residuals", "Triple pendulum: residuals over 100 s.", STEP, series)
    return Result(rows)
