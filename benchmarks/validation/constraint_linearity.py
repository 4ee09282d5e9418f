"""One XPBD update with a global solve of (55), hard constraints, unit masses, in the plane (paper section 5.1).

Above, the point (0.6, −0.4) is to come to the origin by a normed, a linear and a nonlinear form of the same
constraint; below, three points are to meet. What matters is how far from it one update ends. The paper shows its
nonlinear form only in the picture; here it is x + x³, y + y³, whose one update has the closed form 2x³/(1 + 3x²). The
last rows are the same three points as bodies on ball joints in Tendril itself, one substep.
"""

from __future__ import annotations

import numpy as np

from tendril.solver import Joint, Partner, RigidBody, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, at_least, at_most, within

TITLE = "Fig. 3: linearity of constraints"
SECTION = "Joints"
PLACE = 10
POINT = np.array([0.6, -0.4])
THREE = np.array([[0.0, 0.0], [1.0, 0.3], [0.7, 1.2]])


def update(c: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return Δx = Jᵀ (J Jᵀ)⁻¹ (−C): (55) and (57) with M = 1, α = 0, λ = 0."""
    return j.T @ np.linalg.solve(j @ j.T, -c)


def normed(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    length = np.linalg.norm(p)
    return np.array([length]), p[None] / length


def linear(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return p, np.eye(2)


def nonlinear(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return p + p**3, np.diag(1 + 3 * p**2)


def meet_normed(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two distances of three points (67)."""
    a, b = p[0] - p[1], p[1] - p[2]
    na, nb = a / np.linalg.norm(a), b / np.linalg.norm(b)
    zero = np.zeros(2)
    return np.array([np.linalg.norm(a), np.linalg.norm(b)]), np.array([[*na, *-na, *zero], [*zero, *nb, *-nb]])


def meet_vector(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two differences of three points (68)."""
    one, zero = np.eye(2), np.zeros((2, 2))
    return np.concatenate((p[0] - p[1], p[1] - p[2])), np.block([[one, -one, zero], [zero, one, -one]])


def normed_by_hand() -> float:
    """How far three normed points are apart after one update: 2×2 system solved by Cramer's rule."""
    a, b = THREE[0] - THREE[1], THREE[1] - THREE[2]
    la, lb = np.hypot(*a), np.hypot(*b)
    c = (a @ b) / (la * lb)
    ma, mb = (2 * la + c * lb) / (4 - c * c), (2 * lb + c * la) / (4 - c * c)
    a_left = a - 2 * ma * a / la + mb * b / lb
    b_left = b - 2 * mb * b / lb + ma * a / la
    return float(max(np.hypot(*a_left), np.hypot(*b_left)))


def spread(p: np.ndarray) -> float:
    return float(max(np.linalg.norm(p[0] - p[1]), np.linalg.norm(p[1] - p[2])))


def in_tendril() -> np.ndarray:
    """Where three bodies on ball joints are after one substep from the places of ``THREE``."""
    bodies = tuple(RigidBody(f"body {i}") for i in range(3))
    joints = tuple(
        Joint(f"joint {i}", "spherical", Partner(f"body {i}"), Partner(f"body {i + 1}")) for i in range(2)
    )
    settings = Settings(gravity=(0, 0, 0), frame_duration=0.01, substeps=1, frame_count=2)
    simulation = Simulation(Scene(bodies, joints=joints, settings=settings))
    places = simulation.state.x.reshape(-1, 3)
    for i in range(3):
        places[simulation.bodies[f"body {i}"], :2] = THREE[i]
    frame = simulation.advance()
    return np.array([frame.positions[simulation.bodies[f"body {i}"]] for i in range(3)])


def study(output: Output) -> Result:
    ends = {form.__name__: POINT + update(*form(POINT)) for form in (normed, linear, nonlinear)}
    by_hand = np.linalg.norm(2 * POINT**3 / (1 + 3 * POINT**2))
    blue, green = (THREE + update(*form(THREE)).reshape(3, 2) for form in (meet_normed, meet_vector))
    bodies = in_tendril()
    centre = np.append(THREE.mean(0), 0.0)
    exact, same = at_most(1e-14), within(1e-12)
    left = {name: float(np.linalg.norm(end)) for name, end in ends.items()}
    rows = [
        Row("point, normed form: left", left["normed"], "m", "0", 0.0, "linear along the radius", exact),
        Row("point, vector form: left", left["linear"], "m", "0", 0.0, "linear", exact),
        Row("point, nonlinear form: left", left["nonlinear"], "m", "not 0", float(by_hand), "closed form", same),
        Row("three points, normed: apart", spread(blue), "m", "not 0", normed_by_hand(), "Cramer's rule", same),
        Row("three points, vector: apart", spread(green), "m", "0", 0.0, "linear", exact),
        Row("bodies in Tendril: apart", spread(bodies), "m", "0", 0.0, "linear", exact),
        Row("bodies in Tendril: off", float(np.abs(bodies - centre).max()), "m", None, 0.0, "centre of mass", exact),
        Row("normed against vector", spread(blue) / max(spread(green), 1e-16), "times", bound=at_least(1e10)),
    ]
    _plot(output, ends, blue, green)
    return Result(rows)


def _plot(output: Output, ends: dict[str, np.ndarray], blue: np.ndarray, green: np.ndarray) -> None:
    caption = "One update. Left: |C| of three forms and where the point goes. Right: three points that are to meet."
    x, y = np.meshgrid(np.linspace(-0.8, 0.8, 81), np.linspace(-0.8, 0.8, 81))
    fields = (np.hypot(x, y), np.abs(x) + np.abs(y), np.hypot(x + x**3, y + y**3))
    with output.plot("updates", caption, (9.5, 2.7), panels=4) as axes:
        for axis, (name, end), field in zip(axes, ends.items(), fields, strict=False):
            axis.contour(x, y, field, 9, linewidths=0.6)
            axis.plot(*np.array([POINT, end]).T, "k-", lw=0.7)
            axis.plot(*POINT, "ro", *end, "r*", ms=8)
            axis.set(title=name, aspect="equal")
        axes[3].plot(*THREE.T, "ko:", label="start")
        axes[3].plot(*blue.T, "b*", ms=8, label="normed")
        axes[3].plot(*green.T, "g*", ms=8, label="vector")
        axes[3].set(title="three points", aspect="equal")
        axes[3].legend()
