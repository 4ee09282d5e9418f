"""A slender column, clamped below, with a weight on top: Euler's load, and the elastica beyond it.

L = 1 m, r = 5 mm, E = 10 GPa, 10 cubic elements, hardly any mass of its own; the weight is a body fixed to the tip.
Below the load the column, pushed a little, swings; the square of its frequency falls to zero at P = π²EI/4L² (with
stretch and shear, P (1 − P/EA + P/GA) = π²EI/4L², which is 1e-5 away here). Above it the column comes to rest bent:
tip angle α with (2K(k)/π)² = P/Pₑ, k = sin(α/2), height 2E(k)/K(k) − 1, way sideways 2k/K(k), of the length.
"""

from __future__ import annotations

import numpy as np
from planar_rod import Section
from resting import let_rest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, near, within
from ._ring_down import read

TITLE = "Euler's load and the elastica"
SECTION = "Rods"
PLACE = 50

MATERIAL, LENGTH, RADIUS = Material(1.0e10, 0.3, 0.01), 1.0, 0.005
MASS = 1.0
BELOW = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
ABOVE = (1.02, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0)


def euler_load() -> float:
    """N, with stretch and shear."""
    section = Section(RADIUS, MATERIAL)
    plain = np.pi**2 * section.bend / (4.0 * LENGTH**2)
    return float(brentq(lambda p: p * (1.0 - p / section.stretch + p / section.shear) - plain, 0.5 * plain, 2 * plain))


def column(load: float, step: float, push: float) -> Simulation:
    """The upright column under ``load`` N, its weight moving sideways with ``push`` m/s."""
    rod = Rod(
        "rod", [[0, 0, 0], [0, 0, LENGTH]], elements=10, order=3, radius=RADIUS, material=MATERIAL,
        start=RodEnd("clamped"),
    )  # fmt: skip
    body = RigidBody("body", (0, 0, LENGTH), mass=MASS, inertia=np.full(3, 1e-5 * MASS), velocity=(push, 0, 0))
    joint = Joint("joint", "fixed", Partner("rod", "end"), Partner("body"), position=(0, 0, LENGTH))
    return Simulation(Scene((body,), (rod,), (joint,), Settings((0, 0, -load / MASS), step, 1_000_000, 1)))


def tip(simulation: Simulation) -> np.ndarray:
    """Way sideways and height of the tip, of the length."""
    return simulation.frame().positions[simulation.rods["rod"].stop - 1, [0, 2]] / LENGTH


def square(load: float) -> float:
    """Square of the frequency of a small swing, 1/s²."""
    section = Section(RADIUS, MATERIAL)
    about = np.sqrt(3.0 * section.bend / MASS / LENGTH**3 * (1.0 - load / euler_load()))
    step = 2.0 * np.pi / about / 600.0
    simulation, ways = column(load, step, 1.0e-5), []
    for _ in range(1200):
        ways.append(tip(simulation)[0])
        simulation.advance()
    frequency, decay = read(np.array(ways), step, 30)
    return frequency**2 + decay**2


def elastica(load: float) -> np.ndarray:
    """Way sideways and height of the tip, of the length, for a load in units of Euler's."""
    k = brentq(lambda k: (2.0 * ellipk(k * k) / np.pi) ** 2 - load, 1e-9, 1.0 - 1e-12)
    return np.array([2.0 * k / ellipk(k * k), 2.0 * ellipe(k * k) / ellipk(k * k) - 1.0])


def bent(load: float) -> np.ndarray:
    """The same of Tendril, at rest."""
    simulation = column(load, 5.0e-3, 0.05)
    let_rest(simulation, tolerance=1e-12)
    return np.abs(tip(simulation))


def study(output: Output) -> Result:
    euler = euler_load()
    squares = np.array([square(share * euler) for share in BELOW])
    found = float(np.polynomial.Polynomial.fit(squares, BELOW, 3)(0.0)) * euler
    rows = [
        Row("load at which the frequency vanishes", found, "N", None, euler, "Euler", within(1e-3)),
        Row("at 0.95 of the load: tip sideways, of L", float(bent(0.95 * euler)[0]), "", None, 0.0, "", near(1e-6)),
    ]  # fmt: skip
    ends = np.array([bent(share * euler) for share in ABOVE])
    exact = np.array([elastica(share) for share in ABOVE])
    for share, own, theory in zip(ABOVE, ends, exact):
        for what, a, b in zip(("sideways", "height"), own, np.abs(theory)):
            label = f"{share} of the load: tip {what}, of L"
            rows.append(Row(label, float(a), "", None, float(b), "elliptic integrals", near(5e-4)))
    output.series("frequency", {"load/Euler": np.array(BELOW), "ω² (1/s²)": squares})
    columns = {
        "sideways": ends[:, 0],
        "height": ends[:, 1],
        "exact sideways": exact[:, 0],
        "exact |height|": exact[:, 1],
    }
    output.series("elastica", {"load/Euler": np.array(ABOVE)} | columns)
    draw(output, squares, ends)
    return Result(rows)


def draw(output: Output, squares: np.ndarray, ends: np.ndarray) -> None:
    caption = "Square of the frequency up to Euler's load, and the tip at rest beyond it (lines: elliptic integrals)"
    with output.plot("column", caption, panels=2) as (left, right):
        left.plot(BELOW, squares, "o", ms=4)
        loads = np.linspace(BELOW[0], 1.0, 50)
        left.plot(loads, np.polynomial.Polynomial.fit(BELOW, squares, 3)(loads), "-", lw=0.8)
        left.axhline(0.0, color="k", lw=0.7)
        left.set(xlabel="load / Euler's", ylabel="ω² (1/s²)")
        loads = np.linspace(1.0005, ABOVE[-1], 300)
        curve = np.array([elastica(p) for p in loads])
        for i, (name, colour) in enumerate((("sideways", "tab:blue"), ("height", "tab:orange"))):
            right.plot(loads, np.abs(curve[:, i]), "-", color=colour, lw=0.8)
            right.plot(ABOVE, ends[:, i], "o", ms=4, color=colour, label=name)
        right.set(xlabel="load / Euler's", ylabel="of the length")
        right.legend()
