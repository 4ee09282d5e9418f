"""A rod drawn as a helix of three quarters of a turn, of flat elliptical section, clamped at one end, sags in space.

Coil radius 0.4 m, rise 0.15 m a radian, half axes 20 mm (inward) and 12 mm, E = 150 MPa, ν = 0.3, 1100 kg/m³, κ = 1:
it bends about both axes, twists and is stretched. The reference is the continuous Cosserat rod with the same rest
curvature and torsion (shooting in space, scipy's DOP853 to 1e-12), stiffnesses by hand: EI₁ = Eπab³/4, EI₂ = Eπa³b/4,
GJ = Gπa³b³/(a² + b²). Errors are distances of the tip.
"""

from __future__ import annotations

import numpy as np
from cosserat_rod import Flight, free_end
from equilibrium import find_rest
from resting import let_rest
from slopes import slope

from tendril.solver import Material, Rod, RodEnd, Scene, Settings, Simulation
from tendril.solver.orientation import quaternion_from_matrix

from ..validation_result import Output, Result, Row, at_most, near

TITLE = "A precurved rod in space"
SECTION = "Rods"
PLACE = 40

COIL, RISE, TURN = 0.4, 0.15, 1.5 * np.pi
HALF, ASPECT, GRAVITY = 0.02, 0.6, 9.81
MATERIAL = Material(150.0e6, 0.3, 1100.0)
PACE = float(np.hypot(COIL, RISE))
LENGTH = PACE * TURN
ELEMENTS = {0: (12, 24, 48, 96), 1: (12, 24, 48, 96), 2: (6, 9, 12, 18), 3: (4, 6, 8, 12)}
NAMES = ("order 0, chain of bodies", "linear", "quadratic", "cubic")


def helix(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, tangents and inward normals."""
    zero = np.zeros_like(t)
    places = np.stack([COIL * np.cos(t), COIL * np.sin(t), RISE * t], axis=1)
    tangents = np.stack([-COIL * np.sin(t), COIL * np.cos(t), RISE + zero], axis=1) / PACE
    return places, tangents, np.stack([-np.cos(t), -np.sin(t), zero], axis=1)


def continuous() -> np.ndarray:
    """The shape of the continuous rod (101, 3), the tip last."""
    a, b = HALF, ASPECT * HALF
    young, shear = MATERIAL.young_modulus, MATERIAL.young_modulus / (2.0 * (1.0 + MATERIAL.poisson_ratio))
    area = np.pi * a * b
    bend = np.pi / 4.0 * young * np.array([a * b**3, a**3 * b, 0.0])
    bend[2] = shear * np.pi * a**3 * b**3 / (a**2 + b**2)
    place, tangent, normal = (v[0] for v in helix(np.zeros(1)))
    frame = np.stack([normal, np.cross(tangent, normal), tangent], axis=1)
    curvature = np.array([0.0, COIL, RISE]) / PACE**2
    weight = np.array([0.0, 0.0, -MATERIAL.density * area * GRAVITY])
    flight = Flight(
        LENGTH, np.array([shear, shear, young]) * area, bend, lambda s: curvature, weight, place,
        quaternion_from_matrix(frame[None])[0],
    )  # fmt: skip
    guess = np.zeros(6)
    for share in np.linspace(0.1, 1.0, 10):
        flight.load = share * weight[:, None]
        guess[:3] = share * weight * LENGTH
        guess = flight.solve(guess, free_end, [1e-4] * 3 + [1e-5] * 3, tolerance=1e-9)
    return flight(guess, at=np.linspace(0.0, LENGTH, 101), tolerance=1e-12)[:3, 0].T


def sagged(order: int, elements: int) -> np.ndarray:
    """Places of the nodes of Tendril's rod at rest."""
    places, tangents, normals = helix(np.linspace(0.0, TURN, 721))
    rod = Rod(
        "rod", places, tangents, normals, elements=elements, order=order, radius=HALF, aspect=ASPECT,
        material=MATERIAL, start=RodEnd("clamped"),
    )  # fmt: skip
    simulation = Simulation(Scene(rods=(rod,), settings=Settings((0, 0, -GRAVITY), 4.0e-3, 100_000, 1)))
    let_rest(simulation, tolerance=1e-12)
    find_rest(simulation)
    return simulation.frame().positions[1:]


def study(output: Output) -> Result:
    exact, drawn = continuous(), helix(np.linspace(0.0, TURN, 101))[0]
    rows, shapes = [], {}
    sag = float(np.linalg.norm(exact[-1] - drawn[-1]))
    rows.append(Row("way of the tip, of the length", sag / LENGTH))
    errors = {}
    for order, meshes in ELEMENTS.items():
        found = [sagged(order, n) for n in meshes]
        shapes[order] = found[-1]
        errors[order] = np.array([np.linalg.norm(places[-1] - exact[-1]) for places in found])
        expected = 2.0 * max(order, 1)
        measured = slope(1.0 / np.array(meshes[-3:]), errors[order][-3:])
        bound = near(0.4)
        rows.append(Row(f"slope, {NAMES[order]}", measured, "", None, expected, "order of the quadrature", bound))
        rows.append(
            Row(f"error of the tip, {meshes[-1]} {NAMES[order]}", float(errors[order][-1]), "m", None, 0.0,
                "continuous rod, scipy", None if order < 2 else at_most(1e-4 * LENGTH))
        )  # fmt: skip
        columns = {"elements": np.array(meshes), "error (m)": errors[order]}
        output.series(f"order{order}", columns)
    draw(output, exact, drawn, shapes, errors)
    return Result(rows)


def draw(output: Output, exact, drawn, shapes, errors) -> None:
    caption = (
        "From above and from the side: as drawn (dotted), continuous rod (line), Tendril's nodes; errors of the tip"
    )
    with output.plot("shape", caption, size=(8.5, 3.0), panels=3) as (above, side, right):
        for axis, columns, names in ((above, (0, 1), "xy"), (side, (0, 2), "xz")):
            axis.plot(*drawn[:, columns].T, "k:", lw=0.8)
            axis.plot(*exact[:, columns].T, "k-", lw=0.8)
            for order, colour in ((2, "tab:green"), (3, "tab:red")):
                axis.plot(*shapes[order][:, columns].T, "o", ms=2.5, color=colour, label=NAMES[order])
            axis.set(xlabel=f"{names[0]} (m)", ylabel=f"{names[1]} (m)", aspect="equal")
        above.legend(fontsize=6)
        for order, error in errors.items():
            freedoms = 6 * (np.array(ELEMENTS[order]) * max(order, 1) + 1)
            right.loglog(freedoms, error, "o-", ms=3, label=NAMES[order])
        right.set(xlabel="degrees of freedom", ylabel="error of the tip (m)", xlim=(60, 1000), ylim=(1e-12, 0.1))
        right.xaxis.set_minor_formatter("")
        right.legend(fontsize=6)
