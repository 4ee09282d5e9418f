"""A symmetric top of 1 kg on a ball joint, its centre 10 cm from it, let go at 30° with 150 rad/s of spin.

It dips, nutates and goes round. Reference: Lagrange's equations in Euler's angles, an integrator of order eight.
Backward Euler takes energy from it, so that at 1 ms it sinks as the spin falls asleep; the error is of first order in
Δt, which the last row measures. The bounds are on what two fine runs (1/16 and 1/32 ms) extrapolate to.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from tendril.solver import Joint, Partner, RigidBody, Scene, Settings, Simulation

from ..baseline.from_scene import about, matrix
from ..validation_result import Output, Result, Row, near, within

TITLE = "Heavy top: precession and nutation"
SECTION = "Dynamics"
PLACE = 50
MASS, ARM, ACROSS, ALONG, SPIN, TILT, GRAVITY = 1.0, 0.1, 1e-3, 2e-3, 150.0, np.radians(30.0), 9.81
DURATION, FRAME = 1.0, 0.002


def exact(t: np.ndarray) -> np.ndarray:
    """Tilt θ and way round φ at times ``t``."""
    total = ACROSS + MASS * ARM**2
    momentum = ALONG * SPIN

    def rate(_, y: np.ndarray) -> list[float]:
        s, c = np.sin(y[0]), np.cos(y[0])
        tilt = y[3] ** 2 * s * c - momentum * y[3] * s / total + MASS * GRAVITY * ARM * s / total
        return [y[2], y[3], tilt, (momentum / total - 2 * y[3] * c) * y[2] / s]

    return solve_ivp(rate, (0, t[-1]), [TILT, 0, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t).y[:2].T


def run(substeps: int) -> np.ndarray:
    """The same by Tendril, a frame every 2 ms."""
    turn = about(1, TILT)
    place = ARM * matrix(turn)[:, 2]
    body = RigidBody("top", place, turn, MASS, (ACROSS, ACROSS, ALONG), angular_velocity=(0, 0, SPIN))
    settings = Settings(frame_duration=FRAME, substeps=substeps, frame_count=round(DURATION / FRAME) + 1)
    point = Joint("point", "spherical", body_2=Partner("top"))
    simulation = Simulation(Scene((body,), joints=(point,), settings=settings))
    axes = []
    for frame in simulation.frames():
        axes.append(matrix(frame.rotations[simulation.bodies["top"]])[:, 2])
    axes = np.array(axes)
    return np.stack((np.arccos(axes[:, 2]), np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))), axis=1)


def period(t: np.ndarray, tilt: np.ndarray) -> float:
    """Mean time between two deepest dips."""
    peaks = np.flatnonzero((tilt[1:-1] > tilt[:-2]) & (tilt[1:-1] >= tilt[2:])) + 1
    left, here, right = tilt[peaks - 1], tilt[peaks], tilt[peaks + 1]
    times = t[peaks] + FRAME * 0.5 * (left - right) / (left - 2 * here + right)
    return float(np.diff(times).mean())


def study(output: Output) -> Result:
    t = np.arange(round(DURATION / FRAME) + 1) * FRAME
    truth, coarse, middle, fine = exact(t), run(2), run(32), run(64)
    best = 2 * fine - middle
    ratio = np.abs(middle - truth).max() / np.abs(fine - truth).max()
    around = [period(t, values[:, 0]) for values in (fine, best, truth)]
    source = "Lagrange, scipy"
    rows = [
        Row("precession in 1 s, 1 ms", coarse[-1, 1], "rad", None, truth[-1, 1], source),
        Row("precession in 1 s, extrapolated", best[-1, 1], "rad", None, truth[-1, 1], source, within(1e-3)),
        Row("deepest tilt, extrapolated", best[:, 0].max(), "rad", None, truth[:, 0].max(), source, within(1e-3)),
        Row("nutation period, 1/32 ms", around[0], "s", None, around[2], source, within(0.01)),
        Row("nutation period, extrapolated", around[1], "s", None, around[2], source, within(2e-3)),
        Row("error at twice the step", ratio, "times", None, 2.0, "first order", near(0.1)),
    ]
    with output.plot("angles", "Tilt, and the axis seen from above.", (9.0, 3.2), panels=2) as axes:
        lines = ((truth, "k", source), (coarse, ":", "1 ms"), (best, "--", "extrapolated"))
        for values, style, label in lines:
            axes[0].plot(t, np.degrees(values[:, 0]), style, label=label)
            out = np.sin(values[:, 0])
            axes[1].plot(out * np.cos(values[:, 1]), out * np.sin(values[:, 1]), style)
        axes[0].set(xlabel="time (s)", ylabel="tilt (°)")
        axes[0].legend()
        axes[1].set(aspect="equal")
    output.series("angles", {"time (s)": t, "tilt, exact": truth[:, 0], "tilt, 1 ms": coarse[:, 0],
                             "way round, exact": truth[:, 1], "way round, 1 ms": coarse[:, 1]})  # fmt: skip
    return Result(rows)
