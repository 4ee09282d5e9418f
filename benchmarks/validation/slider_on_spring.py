"""A carriage of 2 kg on a slider with a spring of 80 N/m, let go 0.3 m from rest, at default settings.

Backward Euler has a closed form: the slide is Re((1 + iωΔt)⁻ⁿ), to rounding. The true period comes out to second order.
"""

from __future__ import annotations

import numpy as np

from tendril.solver import Joint, Partner, RigidBody, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, at_most, within

TITLE = "Slider on a spring"
SECTION = "Dynamics"
PLACE = 60
MASS, STIFFNESS, START = 2.0, 80.0, 0.3


def study(output: Output) -> Result:
    settings = Settings(gravity=(0, 0, 0), frame_count=97)
    body = RigidBody("carriage", mass=MASS, inertia=(0.1, 0.2, 0.3))
    joint = Joint("rail", "prismatic", body_2=Partner("carriage"), stiffness=(0, 0, STIFFNESS, 0, 0, 0),
                  target=(0, 0, START, 0, 0, 0))  # fmt: skip
    simulation = Simulation(Scene((body,), joints=(joint,), settings=settings))
    slides = np.array([frame.positions[simulation.bodies["carriage"]] for frame in simulation.frames()])
    t = np.arange(len(slides)) * settings.frame_duration
    omega = np.sqrt(STIFFNESS / MASS)
    steps = settings.substeps * np.arange(len(slides))
    expected = START - START * ((1 + 1j * omega * settings.time_step) ** -steps.astype(float)).real
    swing = slides[:, 2] - START
    zeros = np.flatnonzero(swing[:-1] * swing[1:] < 0)
    crossings = t[zeros] + settings.frame_duration * swing[zeros] / (swing[zeros] - swing[zeros + 1])
    rows = [
        Row("away from backward Euler's closed form", float(np.abs(slides[:, 2] - expected).max()), "m", None, 0.0,
            "closed form", at_most(1e-10)),
        Row("off the rail", float(np.abs(slides[:, :2]).max()), "m", bound=at_most(1e-10)),
        Row("period", 2 * float(np.diff(crossings).mean()), "s", None, 2 * np.pi / omega, "2π√(m/k)", within(0.005)),
    ]  # fmt: skip
    with output.plot("slide", "Slide over time, backward Euler's closed form, and without damping.") as axes:
        axes.plot(t, slides[:, 2], label="Tendril")
        axes.plot(t, expected, "k.", ms=3, label="backward Euler, closed form")
        axes.plot(t, START - START * np.cos(omega * t), ":", label="exact")
        axes.set(xlabel="time (s)", ylabel="slide (m)")
        axes.legend()
    output.series("slide", {"time (s)": t, "slide (m)": slides[:, 2], "closed form (m)": expected})
    return Result(rows)
