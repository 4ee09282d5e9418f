"""A cantilever let go in the shape of one of its modes, a hundred-thousandth of its length wide; no gravity.

L = 1 m, r = 30 mm, E = 5 MPa, ν = 0.3, 1000 kg/m³, 12 cubic elements. Frequency and damping are read from the motion
over eight periods by least squares. References: Timoshenko's rod with shear and rotary inertia (a matrix exponential),
π/2 · √(G/ρ)/L for torsion and π/2 · √(E/ρ)/L along the rod. Backward Euler multiplies a mode of frequency ω by
1/(1 ± iωΔt) a step: its frequency becomes arctan(ωΔt)/Δt and its damping ζ ≈ ωΔt/2, which is what is seen.
"""

from __future__ import annotations

import numpy as np
from dense import move
from modes import modes
from planar_rod import Section, cantilever_frequencies

from tendril.solver import Material, Rod, RodEnd, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, within
from ._ring_down import read

TITLE = "Frequencies and numerical damping of a cantilever"
SECTION = "Dynamics"
PLACE = 30

MATERIAL, LENGTH, RADIUS = Material(5.0e6, 0.3, 1000.0), 1.0, 0.03
AMPLITUDE, PERIODS, STRIDES = 1.0e-5, 8.0, 24  # strides a period that the fit looks over
PER_PERIOD = 1200  # steps
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # ω Δt of the sweep


def cantilever(step: float, damping: float = 0.0) -> Simulation:
    rod = Rod(
        "rod", [[0, 0, 0], [LENGTH, 0, 0]], elements=12, order=3, radius=RADIUS, material=MATERIAL, damping=damping,
        start=RodEnd("clamped"),
    )  # fmt: skip
    return Simulation(Scene(rods=(rod,), settings=Settings((0, 0, 0), step, 1_000_000, 1)))


def kind(shape: np.ndarray) -> str:
    """Which way a mode moves most: along the rod, round it, or across."""
    nodes = np.reshape(shape, (-1, 6))
    along, across = np.abs(nodes[:, 0]).max(), np.abs(nodes[:, 1:3]).max()
    twist = RADIUS * np.abs(nodes[:, 5]).max()
    return ("along", "across", "twist")[int(np.argmax([along, across, twist]))]


def mode_shapes() -> dict[str, np.ndarray]:
    """The modes that are let go, largest move 1."""
    _, shapes = modes(cantilever(1.0e-3))
    columns = [s / np.abs(s).max() for s in shapes.T[:24]]
    across = [s for s in columns if kind(s) == "across"]
    names = {f"bending {n + 1}": across[2 * n] for n in range(3)}
    names["torsion"] = next(s for s in columns if kind(s) == "twist")
    names["along"] = next(s for s in columns if kind(s) == "along")
    return names


def let_go(shape: np.ndarray, step: float, count: int, damping: float = 0.0) -> np.ndarray:
    """The mode's amplitude at every step, 1 at the start."""
    simulation = cantilever(step, damping)
    start = simulation.state.x.copy(), simulation.state.q.copy()
    move(simulation, AMPLITUDE * shape)
    lever = np.reshape(shape, (-1, 6))
    turns = kind(shape) == "twist"
    found = []
    for _ in range(count):
        if turns:
            q, q0 = simulation.state.q.reshape(-1, 4), start[1].reshape(-1, 4)
            moved = 2.0 * (q0[:, 0] * q[:, 3] - q0[:, 3] * q[:, 0] - q0[:, 1] * q[:, 2] + q0[:, 2] * q[:, 1])
            found.append(lever[:, 5] @ moved / (lever[:, 5] @ lever[:, 5]) / AMPLITUDE)
        else:
            moved = (simulation.state.x - start[0]).reshape(-1, 3)
            found.append(np.sum(lever[:, :3] * moved) / np.sum(lever[:, :3] ** 2) / AMPLITUDE)
        simulation.advance()
    return np.array(found)


def exact_frequencies() -> dict[str, float]:
    bending = cantilever_frequencies(Section(RADIUS, MATERIAL), LENGTH, 3)
    shear = MATERIAL.young_modulus / (2.0 * (1.0 + MATERIAL.poisson_ratio))
    quarter = 0.5 * np.pi / LENGTH
    return {f"bending {n + 1}": float(w) for n, w in enumerate(bending)} | {
        "torsion": float(quarter * np.sqrt(shear / MATERIAL.density)),
        "along": float(quarter * np.sqrt(MATERIAL.young_modulus / MATERIAL.density)),
    }


def study(output: Output) -> Result:
    exact, shapes, rows, motions = exact_frequencies(), mode_shapes(), [], {}
    for name, omega in exact.items():
        step = 2.0 * np.pi / omega / PER_PERIOD
        motion = let_go(shapes[name], step, round(PERIODS * PER_PERIOD))
        found, rate = read(motion, step, PER_PERIOD // STRIDES)
        source = "Timoshenko" if name.startswith("b") else "closed form"
        rows.append(Row(name, found, "rad/s", None, omega, source, within(1e-3)))
        rows.append(Row(f"{name}, damping ζ", rate / found, "", None, 0.5 * omega * step, "ωΔt/2", within(0.01)))
        motions[name] = motion
    first = exact["bending 1"]
    dampings = []
    for share in SHARES:
        step = share / first
        motion = let_go(shapes["bending 1"], step, max(60, round(4 * 2.0 * np.pi / share)))
        found, rate = read(motion, step, max(1, round(2.0 * np.pi / share / STRIDES)))
        dampings.append((found / first, rate / first, np.arctan(share) / share, 0.5 * np.log1p(share**2) / share))
    table = np.array(dampings).T
    for share, own, law in zip(SHARES[::3], table[1, ::3], table[3, ::3]):
        source = "ln(1 + ω²Δt²)/(2ωΔt)"
        rows.append(Row(f"decay over ω at ωΔt = {share}", float(own), "", None, float(law), source, within(0.01)))
    b, step = 0.02, 2.0 * np.pi / first / PER_PERIOD
    motion = let_go(shapes["bending 1"], step, 2 * PER_PERIOD, b)
    rate = read(motion, step, PER_PERIOD // STRIDES)[1]
    law = 0.5 * (b + step) * first
    rows.append(Row("decay over ω with damping b = 0.02 s", rate / first, "", None, law, "(b + Δt)ω/2", within(0.01)))
    columns = ("frequency/ω", "decay/ω", "arctan(ωΔt)/ωΔt", "ln(1 + ω²Δt²)/(2ωΔt)")
    output.series("backward-euler", {"ω Δt": np.array(SHARES)} | dict(zip(columns, table)))
    output.series("motion", {"period": np.arange(len(motions["torsion"])) / PER_PERIOD} | motions)
    draw(output, motions, table)
    return Result(rows)


def draw(output: Output, motions: dict[str, np.ndarray], table: np.ndarray) -> None:
    caption = (
        f"Modes let go, Δt = period/{PER_PERIOD}, and what backward Euler does to the first (lines: its closed form)"
    )
    with output.plot("motion", caption, size=(7.5, 3.2), panels=2) as (left, right):
        for place, motion in enumerate(motions.values()):
            left.plot(np.arange(len(motion)) / PER_PERIOD, 0.45 * motion - place, lw=0.9)
        left.set(xlabel="periods", xlim=(0, PERIODS), yticks=-np.arange(len(motions)), yticklabels=list(motions))
        right.loglog(SHARES, table[3], "k-", lw=0.8)
        right.loglog(SHARES, table[1], "o", ms=4, label="decay/ω")
        right.loglog(SHARES, table[2], "k-", lw=0.8)
        right.loglog(SHARES, table[0], "s", ms=4, label="frequency/ω")
        right.loglog(SHARES, 0.5 * np.array(SHARES), ":", label="ωΔt/2")
        right.set(xlabel="ω Δt")
        right.legend()
