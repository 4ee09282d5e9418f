"""A cantilever of 5 cubic elements swings from the horizontal at Δt = 10 ms: the direct solve against Gauss–Seidel.

Rod of section 9.2 (1 m, diameter 0.1 m, 5 MPa, 1000 kg/m³, ν = 0.3). One direct iteration a step; one and 100
Gauss–Seidel iterations a step, every scalar constraint by itself; 100 substeps of one Gauss–Seidel iteration. How low
the tip's first swing goes says how floppy the rod is: the reference is a planar rod of 60 pieces by an integrator of
order eight (backward Euler at 10 ms takes 4 % off the swing). Where the rod comes to rest is compared with the
continuous rod, by shooting.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from tendril.solver import Material, Rod, RodEnd, Scene, Settings, Simulation

from ..baseline import rod_sweeps
from ..validation_result import Output, Result, Row, at_least, within

TITLE = "Fig. 11: one direct solve against Gauss–Seidel"
SECTION = "Rods"
PLACE = 10
MATERIAL = Material(young_modulus=5e6, poisson_ratio=0.3, density=1000.0)
RADIUS, STEP, GRAVITY = 0.05, 1e-2, 9.81
DURATION, REST = 3.0, 30.0  # s


def simulation(duration: float, substeps: int = 1) -> Simulation:
    rod = Rod("rod", ((0, 0, 0), (1, 0, 0)), elements=5, order=3, radius=RADIUS, material=MATERIAL,
              start=RodEnd("clamped"))  # fmt: skip
    settings = Settings(frame_duration=STEP, substeps=substeps, frame_count=round(duration / STEP) + 1)
    return Simulation(Scene(rods=(rod,), settings=settings))


def direct(duration: float, substeps: int = 1) -> np.ndarray:
    """Place of the tip after every step of 10 ms."""
    return np.array([frame.positions[-1] for frame in simulation(duration, substeps).frames()])


def sweeps(iterations: int, substeps: int) -> np.ndarray:
    it = simulation(DURATION)
    steps = round(DURATION / STEP)
    out = np.zeros((steps, 3))
    node = it.rods["rod"].stop - 1
    rod_sweeps.run(it.model, it.state, it.work, STEP / substeps, steps, substeps, iterations, node, out)
    return np.vstack(((1.0, 0.0, 0.0), out))


def stiffnesses() -> tuple[float, float, float]:
    """EA, GA and EI, without shear correction (87)."""
    area, moment = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
    shear = MATERIAL.young_modulus / (2 * (1 + MATERIAL.poisson_ratio)) * area
    return MATERIAL.young_modulus * area, shear, MATERIAL.young_modulus * moment


def swing(pieces: int, t: np.ndarray) -> np.ndarray:
    """Height of the tip at times ``t``: places and angles of a planar rod, strains halfway between nodes."""
    stretch, shear, bend = stiffnesses()
    piece = 1.0 / pieces
    mass = MATERIAL.density * np.pi * RADIUS**2 * piece * np.append(np.ones(pieces - 1), 0.5)
    inertia = mass * RADIUS**2 / 4

    def rate(_, y: np.ndarray) -> np.ndarray:
        x, z, angle = (np.append(0.0, part) for part in y[: 3 * pieces].reshape(3, pieces))
        c, s = np.cos((angle[1:] + angle[:-1]) / 2), np.sin((angle[1:] + angle[:-1]) / 2)
        px, pz = np.diff(x) / piece, np.diff(z) / piece
        along, across = px * c + pz * s, pz * c - px * s
        tension, push, moment = stretch * (along - 1), shear * across, bend * np.diff(angle) / piece
        torque = piece / 2 * (tension * across - push * along)
        ahead = [np.append(part[1:], 0.0) for part in (tension * c - push * s, tension * s + push * c, moment, torque)]
        fx = ahead[0] - (tension * c - push * s)
        fz = ahead[1] - (tension * s + push * c)
        turn = ahead[2] - moment - torque - ahead[3]
        return np.concatenate((y[3 * pieces :], fx / mass, fz / mass - GRAVITY, turn / inertia))

    start = np.zeros(6 * pieces)
    start[:pieces] = piece * np.arange(1, pieces + 1)
    return solve_ivp(rate, (0, t[-1]), start, method="DOP853", rtol=1e-8, atol=1e-9, t_eval=t).y[2 * pieces - 1]


def rest_height() -> float:
    """Height of the tip of the continuous rod under its weight: shear, stretch and bending (85)–(87), by shooting."""
    stretch, shear, bend = stiffnesses()
    load = MATERIAL.density * np.pi * RADIUS**2 * GRAVITY

    def flight(start: float) -> np.ndarray:
        def slope(s: float, y: np.ndarray) -> list[float]:
            c, e, force = np.cos(y[2]), np.sin(y[2]), -load * (1 - s)
            along, across = 1 + force * e / stretch, force * c / shear
            x, z = along * c - across * e, along * e + across * c
            return [x, z, y[3] / bend, -x * force]

        return solve_ivp(slope, (0, 1), [0, 0, 0, start], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    return float(flight(brentq(lambda m: flight(m)[3], -load, 0.0))[1])


def study(output: Output) -> Result:
    runs = {
        "direct, one iteration": direct(DURATION),
        "Gauss–Seidel, 1 iteration": sweeps(1, 1),
        "Gauss–Seidel, 100 iterations": sweeps(100, 1),
        "Gauss–Seidel, 100 substeps": sweeps(1, 100),
    }
    t = np.arange(round(DURATION / STEP) + 1) * STEP
    exact, fine = swing(60, t), direct(DURATION, 100)
    half = round(1.0 / STEP)  # the first swing is over by then
    lowest = float(exact[:half].min())
    dips = {name: float(tip[:half, 2].min()) for name, tip in runs.items()}
    last = direct(REST)[-round(5.0 / STEP) :, 2]
    dip, source = "lowest tip of the first swing", "planar rod, scipy"
    names = list(runs)
    words = ("correct stiffness", "flaccid", "not converged", "approaches the direct one")
    rows = [
        Row(f"{name}: {dip}", dips[name], "m", word, lowest, source, within(0.05) if name == names[0] else None)
        for name, word in zip(names, words, strict=True)
    ]
    rows.append(Row(f"direct, Δt/100: {dip}", float(fine[:half, 2].min()), "m", None, lowest, source, within(5e-3)))
    miss = {name: abs(found - lowest) for name, found in dips.items()}
    rows += [
        Row(f"{names[k]}: miss, in units of the direct one's", miss[names[k]] / miss[names[0]], "", bound=at_least(5.0))
        for k in (1, 2)
    ]
    resting, height = float(last.mean()), rest_height()
    rows.append(Row("direct: height of the tip at rest", resting, "m", None, height, "shooting, scipy", within(1e-3)))
    with output.plot("tip", "Height of the tip.") as axes:
        for (name, tip), colour in zip(runs.items(), ("tab:blue", "tab:red", "tab:green", "tab:pink"), strict=True):
            axes.plot(t, tip[:, 2], color=colour, label=name)
        axes.plot(t, exact, "k:", label="planar rod, scipy")
        axes.set(xlabel="time (s)", ylabel="height (m)")
        axes.legend()
    columns = {f"{name} (m)": tip[:, 2] for name, tip in runs.items()}
    output.series("tip", {"time (s)": t, **columns, "direct, Δt/100 (m)": fine[:, 2], "scipy (m)": exact})
    return Result(rows)
