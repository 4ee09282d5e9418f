"""A straight rod closed to a ring with some turns of twist leaves its plane from Michell's twist on.

In the frame (normal, binormal, tangent) all is constant along a twisted ring of radius R: u = e₂/R, m = EI/R e₂ + M
e₃ with M = GJ Φ/(2πR), and so n = M/R e₂, a force along the ring's axis. Small moves obey y′ = A y with constant A
(that of the spring, Fig. 15); next to the rigid ones, which go round once, A has the wave numbers ±√(1 + (MR/EI)²)/R.
A closed ring takes whole ones: the mode n = 2 comes first, at MR/EI = √3 (Michell 1889), and the ring is stable below
Φ = 2π√3 EI/GJ, for a round rod √3 (1 + ν) turns. A closed rod holds whole turns only, so ν is varied: one turn
becomes stable at ν = 1/√3 − 1, two at ν = 2/√3 − 1. Measured is where the square of the lowest frequency of Tendril's
ring, from its own forces, goes through zero; and how a ring with two turns that is given a push goes on.
"""

from __future__ import annotations

import numpy as np
from dense import mass, move
from equilibrium import Tangent
from planar_rod import Section
from resting import imbalance
from scipy.linalg import eigh
from scipy.optimize import brentq

from tendril.solver import Material, Rod, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, at_least, at_most, within
from ._helical_rod import small_moves

TITLE = "Michell's ring"
SECTION = "Rods"
PLACE = 60

RING, RADIUS, YOUNG, DENSITY = 0.5, 0.004, 1.0e7, 1000.0
ELEMENTS, ORDER, STEP = 24, 3, 2.0e-3
SECONDS = 16.0
RIGID = 7  # moves that cost nothing: six, and the turn of all sections about the centre line
AROUND = (-0.06, -0.04, -0.02, 0.02, 0.04, 0.06)  # ν less the critical one
PUSHED = (0.05, 0.10, 0.20, 0.25)


def ring(turns: float, poisson: float, elements: int = ELEMENTS, order: int = ORDER) -> Simulation:
    """The ring in the plane z = 0, its section turned ``turns`` times about the centre line on the way round."""
    angle = 2.0 * np.pi * np.arange(240) / 240
    zero = np.zeros_like(angle)
    outward = np.stack([np.cos(angle), np.sin(angle), zero], axis=1)
    tangent = np.stack([-np.sin(angle), np.cos(angle), zero], axis=1)
    twist = (turns * angle)[:, None]
    normals = np.cos(twist) * outward + np.sin(twist) * np.cross(tangent, outward)
    rod = Rod(
        "ring", RING * outward, tangent, normals, closed=True, elements=elements, order=order, radius=RADIUS,
        material=Material(YOUNG, poisson, DENSITY), rest="straight",
    )  # fmt: skip
    return Simulation(Scene(rods=(rod,), settings=Settings((0, 0, 0), STEP, 1_000_000, 1)))


def squares(turns: float, poisson: float) -> np.ndarray:
    """Squares of the lowest frequencies of the ring in its plane, 1/s², those that cost nothing left out."""
    simulation = ring(turns, poisson)
    tangent = Tangent(simulation)
    weights = mass(simulation.model)[tangent.free]
    shift = 1.0e-3 * YOUNG / DENSITY / RING**2 * weights
    for _ in range(4):  # the ring shrinks a little until it is in equilibrium; the shift holds what costs nothing
        change = np.zeros(6 * len(simulation.model.mass))
        force = imbalance(simulation)[tangent.free]
        change[tangent.free] = np.linalg.solve(tangent.matrix().toarray() + np.diag(shift), force)
        move(simulation, change)
    matrix = tangent.matrix().toarray()
    found = eigh(0.5 * (matrix + matrix.T), np.diag(weights), eigvals_only=True, subset_by_index=(0, 16))
    return np.delete(found, np.argsort(np.abs(found))[:RIGID])


def critical(turns: int) -> tuple[float, np.ndarray, np.ndarray]:
    """ν at which the lowest square vanishes, and the squares at ν around Michell's, a parabola through them."""
    ratios = turns / np.sqrt(3.0) - 1.0 + np.array(AROUND)
    lowest = np.array([squares(turns, ratio)[0] for ratio in ratios])
    return float(np.polynomial.Polynomial.fit(lowest, ratios, 2)(0.0)), ratios, lowest


def pushed(poisson: float) -> np.ndarray:
    """How far a ring with two turns is out of its plane after each step, of its radius; pushed by 10⁻⁴ R/s."""
    simulation = ring(2, poisson)
    nodes = simulation.rods["ring"]
    places = simulation.state.x.reshape(-1, 3)[nodes]
    angle = np.arctan2(places[:, 1], places[:, 0])
    simulation.state.v.reshape(-1, 3)[nodes, 2] = 1.0e-4 * RING * np.cos(2.0 * angle)
    out = []
    for _ in range(round(SECONDS / STEP)):
        simulation.advance()
        out.append(np.abs(simulation.state.x.reshape(-1, 3)[nodes, 2]).max() / RING)
    return np.array(out)


def michell() -> float:
    """MR/EI at which small moves of the continuous ring go round twice."""
    section = Section(RADIUS, Material(YOUNG, 0.0, DENSITY))
    place = np.array([section.shear, section.shear, section.stretch])
    turn = np.array([section.bend, section.bend, section.twist])

    def miss(ratio: float) -> float:
        moment = ratio * section.bend / RING
        u, n = np.array([0.0, 1.0, 0.0]) / RING, np.array([0.0, moment, 0.0]) / RING
        m = np.array([0.0, section.bend / RING, moment])
        a = small_moves(u, np.array([0.0, 0.0, 1.0]) + n / place, n, m, place, turn)
        return float(np.linalg.eigvals(a).imag.max() * RING - 2.0)

    return float(brentq(miss, 1.2, 2.2, xtol=1e-12))


def study(output: Output) -> Result:
    found = {}
    rows = [Row("MR/EI of the mode 2, continuous rod", michell(), "", None, np.sqrt(3.0), "Michell", within(1e-3))]
    for turns in (1, 2):
        poisson, ratios, lowest = critical(turns)
        found[turns] = ratios, lowest
        label = f"twist at which the ring leaves its plane, ν = {poisson:.4f}"
        rows.append(
            Row(label, float(turns), "turns", None, np.sqrt(3.0) * (1.0 + poisson), "Michell, √3 EI/GJ", within(1e-3))
        )
        output.series(f"squares-{turns}", {"ν": ratios, "ω² (1/s²)": lowest})
    motions = {poisson: pushed(poisson) for poisson in PUSHED}
    for poisson, motion in motions.items():
        stable = np.sqrt(3.0) * (1.0 + poisson) > 2.0
        bound = at_most(3e-4) if stable else at_least(0.1)
        what = "stable" if stable else "unstable"
        rows.append(Row(f"largest way out of plane, 2 turns, ν = {poisson}: {what}", motion.max(), "of R", bound=bound))
        if not stable:
            rate = growth(motion)
            exact = float(np.sqrt(-squares(2, poisson)[0]))
            rows.append(Row(f"rate of growth, ν = {poisson}", rate, "1/s", None, exact, "√(−ω²)", within(0.02)))
    output.series(
        "pushed", {"time (s)": STEP * np.arange(1, len(motion) + 1)} | {f"ν = {p}": m for p, m in motions.items()}
    )
    draw(output, found, motions)
    return Result(rows)


def growth(motion: np.ndarray) -> float:
    """Rate of the exponential part, 1/s."""
    part = (motion > 1e-3) & (motion < 2e-2)
    part[np.argmax(motion > 2e-2) :] = False
    return float(np.polyfit(STEP * np.flatnonzero(part), np.log(motion[part]), 1)[0])


def draw(output: Output, found, motions) -> None:
    caption = "Square of the lowest frequency over ν, Michell's ν dashed; rings with two turns after a push"
    with output.plot("ring", caption, panels=2) as (left, right):
        for turns, (ratios, lowest) in found.items():
            (line,) = left.plot(ratios, lowest, "o-", ms=3, label=f"{turns} turn{'s' if turns > 1 else ''}")
            left.axvline(turns / np.sqrt(3.0) - 1.0, color=line.get_color(), ls="--", lw=0.8)
        left.axhline(0.0, color="k", lw=0.7)
        left.set(xlabel="ν", ylabel="ω² (1/s²)")
        left.legend()
        for poisson, motion in motions.items():
            right.semilogy(STEP * np.arange(1, len(motion) + 1), motion, label=f"ν = {poisson}")
        right.set(xlabel="time (s)", ylabel="out of the plane, of R", ylim=(1e-6, 3))
        right.legend()
