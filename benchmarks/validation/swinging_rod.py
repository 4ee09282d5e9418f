"""A rod of 1 m, drawn horizontal, clamped at one end, swings 100 frames at default settings, of 20, 40 and 80 elements.

Its length is measured along the polynomials of its elements, in every frame. A hair (3.9 GPa, radius 0.04 mm) and a
fishing line (2.5 GPa, 0.5 mm) have to stay within 0.1 %; Blender 5.2's hair dynamics made such a rod 5 % to 86 %
longer. Soft rubber, as the default material is (10 MPa), does stretch when it swings: there the bound is on
what is longer than Hooke's law allows, ∫ N/EA with the forces N that the motion needs, Σ m (a − g) beyond.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tendril.solver import Material, Rod, RodEnd, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, at_most

TITLE = "A swinging rod keeps its length"
SECTION = "Whole mechanisms"
PLACE = 20
ELEMENTS = (20, 40, 80)


MATERIALS = {
    "hair": (Material(3.9e9, 0.4, 1320.0), 4e-5),
    "fishing line": (Material(2.5e9, 0.39, 1140.0), 0.0005),
}
SETTINGS = Settings(frame_count=100)
DEFAULT = Material()


def rod(elements: int, order: int, material: Material = DEFAULT, radius: float = 0.01) -> Rod:
    held = RodEnd("clamped")
    points = ((0, 0, 0), (1, 0, 0))
    return Rod("rod", points, elements=elements, order=order, radius=radius, material=material, start=held)


def length(nodes: np.ndarray, order: int) -> float:
    """Length of the centre line through an order's nodes, by Gauss quadrature of |p′|."""
    points, weights = np.polynomial.legendre.leggauss(8)
    grid = np.linspace(-1.0, 1.0, order + 1)
    slopes = np.stack([np.polyval(np.polyder(np.polyfit(grid, unit, order)), points) for unit in np.eye(order + 1)], 1)
    firsts = range(0, len(nodes) - 1, order)
    return float(sum(weights @ np.linalg.norm(slopes @ nodes[i : i + order + 1], axis=1) for i in firsts))


def stretches(elements: int, order: int, material: Material, radius: float) -> np.ndarray:
    """How much longer the rod is in each frame, %."""
    simulation = Simulation(Scene(rods=(rod(elements, order, material, radius),), settings=SETTINGS))
    nodes = simulation.rods["rod"]
    return np.array([100 * (length(frame.positions[nodes], order) - 1) for frame in simulation.frames()])


def excess(elements: int) -> tuple[np.ndarray, np.ndarray]:
    """Stretch of the default rod of linear elements in each substep, %, and what Hooke's law makes of its motion."""
    step, count = SETTINGS.time_step, SETTINGS.sample_count
    settings = replace(SETTINGS, frame_duration=step, substeps=1, frame_count=count)
    simulation = Simulation(Scene(rods=(rod(elements, 1),), settings=settings))
    nodes = simulation.rods["rod"]
    x = np.array([frame.positions[nodes] for frame in simulation.frames()])
    v = np.diff(x, axis=0, prepend=x[:1]) / step
    a = np.diff(v, axis=0) / step - SETTINGS.gravity
    mass = simulation.model.mass[nodes.start + 1 : nodes.stop]
    force = np.cumsum((mass[:, None] * a[:, 1:])[:, ::-1], axis=1)[:, ::-1]
    along = np.diff(x[1:], axis=1)
    tension = -(force * along).sum(axis=2) / np.linalg.norm(along, axis=2)
    stiffness = Material().young_modulus * np.pi * 0.01**2
    return 100 * (np.linalg.norm(along, axis=2).sum(axis=1) - 1), 100 * tension.mean(axis=1) / stiffness


def study(output: Output) -> Result:
    rows, columns = [], {"frame": np.arange(100)}
    with output.plot("length", "How much longer the rod is than drawn.", (9.0, 3.2), panels=2) as axes:
        for name, (material, radius) in MATERIALS.items():
            for elements in ELEMENTS:
                found = {order: stretches(elements, order, material, radius) for order in (1, 2, 3)}
                longest = max(float(one.max()) for one in found.values())
                words = f"{name}, {elements} elements of orders 1, 2, 3: longer by at most"
                rows.append(Row(words, longest, "%", bound=at_most(0.1)))
                columns[f"{name}, {elements} cubic"] = found[3]
                axes[0].plot(found[3], label=f"{name}, {elements} cubic", lw=0.8)
        for elements in ELEMENTS:
            found, hooke = excess(elements)
            words = f"10 MPa, {elements} elements: "
            rows.append(Row(words + "longest", float(found.max()), "%", None, float(hooke.max()), "Hooke's law"))
            rows.append(Row(words + "beyond Hooke's law", float(np.abs(found - hooke).max()), "%", bound=at_most(0.01)))
        time = np.arange(1, len(found) + 1) * SETTINGS.time_step
        axes[1].plot(time, found, label="10 MPa, 80 linear elements")
        axes[1].plot(time, hooke, "--", label="Hooke's law")
        for axis, name in zip(axes, ("frame", "time (s)"), strict=True):
            axis.set(xlabel=name, ylabel="longer by (%)")
            axis.legend()
    output.series("length", columns)
    rows.append(Row("Blender's hair dynamics", "5 % to 86 %"))
    return Result(rows)
