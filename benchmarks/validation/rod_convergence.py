"""A cantilever that sags by a third of its length under its own weight (paper section 9.2).

E = 5 MPa, diameter 0.1 m, length 1 m, 1000 kg/m³; the paper gives no ν, here it is 0.3 and κ = 1. Every rod comes to
rest by its own dynamics at Δt = 5 ms; all motion is stopped at each peak of kinetic energy, which takes some 350 steps
where numerical damping alone takes tens of thousands and ends at the same place. The error is the distance of the tip
from that of the continuous rod with shear and stretch (shooting, scipy's DOP853 to 1e-13), not from a finer mesh.
"""

from __future__ import annotations

import time

import numpy as np
from planar_rod import Section, hanging_cantilever
from resting import let_rest
from slopes import slope

from tendril.solver import Material, Rod, RodEnd, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, at_least, near

TITLE = "Fig. 13: convergence of the orders"
SECTION = "Rods"
PLACE = 10

MATERIAL, RADIUS, STEP = Material(5.0e6, 0.3, 1000.0), 0.05, 5.0e-3
ELEMENTS = {0: (5, 10, 20, 40, 80, 160), 1: (5, 10, 20, 40, 80, 160), 2: (2, 3, 5, 10, 20, 40), 3: (1, 2, 3, 5, 8, 12)}
FINEST = {0: 4, 1: 4, 2: 3, 3: 3}  # how many of the finest meshes a slope is taken over
NAMES = ("order 0, chain of bodies", "linear", "quadratic", "cubic")
PAPER_SLOPES = {0: 2, 1: 2, 2: 4, 3: 6}


def cantilever(order: int, elements: int, substeps: int = 1) -> Simulation:
    rod = Rod(
        "rod", [[0, 0, 0], [1, 0, 0]], elements=elements, order=order, radius=RADIUS, material=MATERIAL,
        start=RodEnd("clamped"),
    )  # fmt: skip
    settings = Settings(frame_duration=STEP * substeps, frame_count=100_000, substeps=substeps)
    return Simulation(Scene(rods=(rod,), settings=settings))


def milliseconds(order: int, elements: int) -> float:
    """CPU time of a step, the least of ten blocks of 100 steps."""
    simulation = cantilever(order, elements, 100)
    simulation.advance()
    found = []
    for _ in range(10):
        begun = time.process_time()
        simulation.advance()
        found.append(time.process_time() - begun)
    return 10.0 * min(found)


def sweep(order: int, exact: np.ndarray) -> dict[str, np.ndarray]:
    """DOF, tip error and ms a step of each number of elements."""
    freedoms, errors, times = [], [], []
    for elements in ELEMENTS[order]:
        simulation = cantilever(order, elements)
        let_rest(simulation, tolerance=1e-22)
        errors.append(float(np.linalg.norm(simulation.frame().positions[-1, [0, 2]] - exact)))
        freedoms.append(6 * (elements * max(order, 1) + 1))
        times.append(milliseconds(order, elements))
    return {
        "elements": np.array(ELEMENTS[order]), "freedoms": np.array(freedoms), "error (m)": np.array(errors),
        "ms a step": np.array(times),
    }  # fmt: skip


def draw(output: Output, found: dict[int, dict[str, np.ndarray]]) -> None:
    caption = "Distance of the tip from the continuous rod's, over degrees of freedom and over the time of a step"
    with output.plot("tip", caption, panels=2) as (left, right):
        for order, marker in zip(found, "so^D"):
            data = found[order]
            left.loglog(data["freedoms"], data["error (m)"], marker + "-", markersize=3.5, label=NAMES[order])
            right.loglog(data["ms a step"], data["error (m)"], marker + "-", markersize=3.5, label=NAMES[order])
        left.set(xlabel="degrees of freedom, 6 a node", ylabel="error of the tip (m)")
        right.set(xlabel="CPU time of a step (ms)")
        left.legend(loc="lower left")


def study(output: Output) -> Result:
    exact = hanging_cantilever(Section(RADIUS, MATERIAL), 1.0, 9.81)[:2]
    found = {order: sweep(order, exact) for order in ELEMENTS}
    rows = []
    for order, data in found.items():
        finest = FINEST[order]
        measured = slope(1.0 / data["elements"][-finest:], data["error (m)"][-finest:])
        rows.append(
            Row(f"slope, {NAMES[order]}", measured, paper=PAPER_SLOPES[order], reference=float(PAPER_SLOPES[order]),
                source="order of the quadrature, h²ᵏ", bound=near(0.2))
        )  # fmt: skip
        output.series(f"order{order}", data)
    better = found[0]["error (m)"] / found[1]["error (m)"]
    rows.append(
        Row(
            "error of order 0 over linear at equal DOF, least",
            float(better.min()),
            paper="above 1",
            bound=at_least(1.0),
        )
    )

    def error(order: int, elements: int) -> float:
        return float(found[order]["error (m)"][ELEMENTS[order].index(elements)])

    rows += [
        Row("error of 10 linear over 3 quadratic elements", error(1, 10) / error(2, 3), paper="above 1",
            bound=at_least(1.0)),
        Row("error of 5 quadratic over 3 cubic elements", error(2, 5) / error(3, 3), paper="above 1",
            bound=at_least(1.0)),
        Row("error, 12 cubic elements", error(3, 12), "m", source="continuous rod, scipy"),
        Row("a step of 12 cubic elements", float(found[3]["ms a step"][-1]), "ms"),
    ]  # fmt: skip
    draw(output, found)
    tip = f"The tip of the continuous rod is at x = {exact[0]:.9f} m, z = {exact[1]:.9f} m."
    return Result(rows, [tip])
