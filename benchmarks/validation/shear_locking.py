"""A slender cantilever with a force at its tip, from L/r = 10 to 500 (paper section 9.3).

P = 25 N, r = 0.05 m, ν = 0.4; E follows from d/L = 0.02 by the closed form (125). Three linear elements, one quadratic
or one cubic. The force is the weight of a body of P/g on a rod of next to no mass. The rod has κ = 1 unless the option
`shear_correction` is on, and so has the reference: the continuous rod with that κ, shear, stretch and large turns
(shooting, scipy). Both are shown; with κ = 1 a short thick rod is up to 0.25 % stiffer than with (126), no error of
the element. The product has reduced integration only. Full integration, one more Gauss point, is the same element in
the plane, minimised by Newton's method here; with reduced integration this twin lies on the product.
"""

from __future__ import annotations

import numpy as np
from planar_rod import Section, hanging_cantilever
from resting import let_rest

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation
from tendril.solver.rods.basis import lagrange

from ..validation_result import Output, Result, Row, at_least, at_most

TITLE = "Fig. 14: no locking in shear"
SECTION = "Rods"
PLACE = 20

FORCE, RADIUS, POISSON, SAG = 25.0, 0.05, 0.4, 0.02
GRAVITY, DENSITY = 9.81, 1.0e-4
KAPPA = 6.0 * (1.0 + POISSON) / (7.0 + 6.0 * POISSON)  # (126)
SLENDERNESS = (10.0, 16.0, 25.0, 50.0, 100.0, 160.0, 250.0, 350.0, 500.0)
ELEMENTS = {1: 3, 2: 1, 3: 1}
NAMES = {1: "3 linear", 2: "1 quadratic", 3: "1 cubic"}


def material(length: float, kappa: float) -> Material:
    """E of d/L = 0.02 by (125): d = PL³/3EI + PL/κGA."""
    area, moment = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4.0
    compliance = length**3 / (3.0 * moment) + length * 2.0 * (1.0 + POISSON) / (kappa * area)
    return Material(FORCE * compliance / (SAG * length), POISSON, DENSITY)


def section_of(matter: Material, kappa: float) -> Section:
    section = Section(RADIUS, matter)
    section.shear *= kappa
    return section


def product(order: int, length: float, corrected: bool) -> float:
    """d/L of Tendril, at rest."""
    rod = Rod(
        "rod", [[0, 0, 0], [length, 0, 0]], elements=ELEMENTS[order], order=order, radius=RADIUS,
        material=material(length, KAPPA if corrected else 1.0), shear_correction=corrected, start=RodEnd("clamped"),
    )  # fmt: skip
    mass = FORCE / GRAVITY
    body = RigidBody("body", (length, 0.0, 0.0), mass=mass, inertia=np.full(3, mass * (0.2 * RADIUS) ** 2))
    joint = Joint("joint", "fixed", Partner("rod", "end"), Partner("body"), position=(length, 0.0, 0.0))
    settings = Settings(gravity=(0, 0, -GRAVITY), frame_duration=5.0e-3, frame_count=100_000, substeps=1)
    simulation = Simulation(Scene((body,), (rod,), (joint,), settings))
    let_rest(simulation, tolerance=1e-16)
    return -float(simulation.frame().positions[simulation.rods["rod"].stop - 1, 2]) / length


def twin(order: int, length: float, points: int) -> float:
    """d/L of the same element in the plane with ``points`` Gauss points, κ = 1, by Newton's method."""
    section, elements = section_of(material(length, 1.0), 1.0), ELEMENTS[order]
    xi, weights = np.polynomial.legendre.leggauss(points)
    values, slopes = lagrange(order, 0.5 * (xi + 1.0))
    size, nodes = length / elements, order * elements + 1
    stiffness = np.array([section.shear, section.stretch, section.bend])

    def forces(y):
        """Gradient of the energy and its Gauss-Newton and exact parts, (3 n,), (3 n, 3 n); y is x, z, φ a node."""
        gradient, hessian = np.zeros(3 * nodes), np.zeros((3 * nodes, 3 * nodes))
        for e in range(elements):
            index = 3 * np.arange(e * order, (e + 1) * order + 1)
            for w, f, fp in zip(0.5 * weights * size, values, slopes / size):
                px, pz = fp @ y[index], fp @ y[index + 1]
                c, s = np.cos(f @ y[index + 2]), np.sin(f @ y[index + 2])
                along, across = c * px + s * pz, -s * px + c * pz
                strain = np.array([across, along - 1.0, fp @ y[index + 2]])
                j = np.zeros((3, 3 * nodes))
                j[0, index], j[0, index + 1], j[0, index + 2] = -s * fp, c * fp, -along * f
                j[1, index], j[1, index + 1], j[1, index + 2] = c * fp, s * fp, across * f
                j[2, index + 2] = fp
                force = w * stiffness * strain
                gradient += force @ j
                hessian += j.T @ (w * stiffness[:, None] * j)
                turn = np.zeros(3 * nodes)
                turn[index + 2] = f
                hessian -= force[0] * (np.outer(j[1], turn) + np.outer(turn, j[1]) - across * np.outer(turn, turn))
                hessian += force[1] * (np.outer(j[0], turn) + np.outer(turn, j[0]) + along * np.outer(turn, turn))
        return gradient, hessian

    y = np.zeros(3 * nodes)
    y[0::3] = np.linspace(0.0, length, nodes)
    for _ in range(50):
        gradient, hessian = forces(y)
        gradient[-2] += FORCE
        change = np.linalg.solve(hessian[3:, 3:], -gradient[3:])
        y[3:] += change
        if np.abs(change).max() < 1e-12 * length:
            break
    return -float(y[-2]) / length


def exact(length: float, kappa: float) -> float:
    """d/L of the continuous rod."""
    return -hanging_cantilever(section_of(material(length, kappa), kappa), length, GRAVITY, FORCE)[1] / length


def study(output: Output) -> Result:
    lengths = RADIUS * np.array(SLENDERNESS)
    series: dict[str, np.ndarray] = {"L/r": np.array(SLENDERNESS)}
    rows = []
    references = {corrected: np.array([exact(n, KAPPA if corrected else 1.0) for n in lengths]) for corrected in (0, 1)}
    series["continuous rod, κ = 1"], series["continuous rod, κ of (126)"] = references[0], references[1]
    for order in ELEMENTS:
        for corrected in (0, 1):
            found = np.array([product(order, n, bool(corrected)) for n in lengths])
            worst = 100.0 * float(np.abs(found / references[corrected] - 1.0).max())
            label = f"{NAMES[order]}, κ {'of (126)' if corrected else '= 1'}"
            series[label] = found
            paper = "0.1" if order > 1 else None
            bound = at_most(0.1) if order > 1 else None
            rows.append(Row(f"largest error, {label}", worst, "%", paper, source="continuous rod, scipy", bound=bound))
        full = np.array([twin(order, n, order + 1) for n in lengths])
        series[f"{NAMES[order]}, full"] = full
        apart = max(abs(twin(order, n, order) / own - 1.0) for n, own in zip(lengths, series[f"{NAMES[order]}, κ = 1"]))
        rows.append(Row(f"{NAMES[order]}, product against its twin", 100.0 * apart, "%", bound=at_most(0.01)))
        locked = 100.0 * float(1.0 - full[-1] / references[0][-1])
        bound = at_least(10.0)
        rows.append(Row(f"{NAMES[order]}, full integration: stiffer at L/r = 500", locked, "%", "locks", bound=bound))
    output.series("deflection", series)
    draw(output, series)
    return Result(rows)


def draw(output: Output, series: dict[str, np.ndarray]) -> None:
    caption = "Sag over slenderness: Tendril (dotted) and full integration (solid). Right: distance from the exact rod"
    with output.plot("deflection", caption, panels=2) as (left, right):
        for order, colour in zip(ELEMENTS, ("tab:orange", "tab:green", "tab:red")):
            own, full = series[f"{NAMES[order]}, κ = 1"], series[f"{NAMES[order]}, full"]
            left.semilogx(series["L/r"], full, "-", color=colour, label=f"{NAMES[order]}, full")
            left.semilogx(series["L/r"], own, "o:", ms=3, color=colour, label=f"{NAMES[order]}")
            for corrected, mark in (("= 1", "o:"), ("of (126)", "s--")):
                label = f"{NAMES[order]}, κ {corrected}"
                error = np.abs(series[label] / series[f"continuous rod, κ {corrected}"] - 1.0)
                right.loglog(series["L/r"], 100 * error, mark, ms=3, color=colour, label=label)
        left.axhline(SAG, color="k", lw=0.7, label="(125)")
        left.set(xlabel="L/r", ylabel="d/L", ylim=(-0.0007, 0.031))
        right.axhline(0.1, color="k", lw=0.7)
        right.set(xlabel="L/r", ylabel="error (%)")
        left.legend(ncols=2, loc="upper center", fontsize=6.5)
        right.legend()
