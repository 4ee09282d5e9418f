"""A body on a helical spring, tuned so that bouncing and twisting are equally fast, hands its energy to and fro.

Spring of 6 turns, radius 5 cm, pitch 20°, 48 cubic elements, drawn without stress; the body is let go and drops onto
it. 12 s at default settings. Theory: the helix stays one (Love), so that
U(z, θ) = L/2 (EI (κ − κ₀)² + GJ (τ − τ₀)²) with sin α = z/L, R = L cos α/θ, κ = cos²α/R, τ = sin α cos α/R; its
Hessian where the body hangs at rest, with masses m + m_spring/3 and I + m_spring R²/3, gives two frequencies, and their
difference the time in which the energy goes to the twist and comes back. Backward Euler damps mode ω by ω²Δt/2.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import curve_fit, fsolve

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation

from ..validation_result import Output, Result, Row, within

TITLE = "Wilberforce's pendulum"
SECTION = "Whole mechanisms"
PLACE = 60
COIL, PITCH, TURNS, RADIUS, MASS, GRAVITY = 0.05, np.radians(20.0), 6, 0.0025, 0.5, 9.81
WIRE = Material(young_modulus=1.9e10, poisson_ratio=0.45, density=300.0)
LENGTH = 2 * np.pi * COIL * TURNS / np.cos(PITCH)
SECTION_MOMENT = np.pi * RADIUS**4 / 4
BEND = WIRE.young_modulus * SECTION_MOMENT
TWIST = BEND / (1 + WIRE.poisson_ratio)
WEIGHT = WIRE.density * np.pi * RADIUS**2 * LENGTH  # kg
SETTINGS = Settings(frame_count=289)


def energy(z: float, winding: float) -> float:
    """U(z, θ) of a helix of the wire's length."""
    sine = z / LENGTH
    cosine = np.sqrt(1 - sine**2)
    curvature, torsion = cosine * winding / LENGTH, sine * winding / LENGTH
    bent, twisted = np.cos(PITCH) ** 2 / COIL, np.sin(PITCH) * np.cos(PITCH) / COIL
    return LENGTH / 2 * (BEND * (curvature - bent) ** 2 + TWIST * (torsion - twisted) ** 2)


def derivatives(z: float, winding: float) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian of U by central differences."""
    steps = np.diag([1e-5, 1e-3])

    def at(offset: np.ndarray) -> float:
        return energy(z + offset[0], winding + offset[1])

    gradient = np.array([(at(h) - at(-h)) / (2 * h.sum()) for h in steps])
    hessian = np.array([
        [(at(a + b) - at(a - b) - at(b - a) + at(-a - b)) / (4 * a.sum() * b.sum()) for b in steps] for a in steps
    ])  # fmt: skip
    return gradient, hessian


def theory() -> tuple[np.ndarray, float]:
    """The two angular frequencies and the body's moment of inertia about the axis that tunes them."""
    start = np.array([LENGTH * np.sin(PITCH), 2 * np.pi * TURNS])
    load = np.array([(MASS + WEIGHT / 2) * GRAVITY, 0.0])
    rest = fsolve(lambda y: derivatives(*y)[0] - load, start)
    hessian = derivatives(*rest)[1]
    mass = MASS + WEIGHT / 3
    inertia = hessian[1, 1] / hessian[0, 0] * mass
    frequencies = np.sqrt(eigh(hessian, np.diag([mass, inertia]), eigvals_only=True))
    return frequencies, inertia - WEIGHT * COIL**2 / 3


def scene(inertia: float) -> Scene:
    phi = np.linspace(0, 2 * np.pi * TURNS, 24 * TURNS + 1)
    rise = COIL * np.tan(PITCH)
    points = np.stack((COIL * np.cos(phi), COIL * np.sin(phi), -rise * phi), axis=1)
    tangents = np.stack((-COIL * np.sin(phi), COIL * np.cos(phi), 0 * phi - rise), axis=1)
    rod = Rod("spring", points, tangents, elements=8 * TURNS, order=3, radius=RADIUS, material=WIRE,
              start=RodEnd("clamped"))  # fmt: skip
    body = RigidBody("body", (0, 0, points[-1, 2]), mass=MASS, inertia=(inertia, inertia, inertia))
    joint = Joint("joint", "fixed", Partner("spring", "end"), Partner("body"), points[-1])
    return Scene((body,), (rod,), (joint,), SETTINGS)


def two_modes(t, c, w1, w2, d1, d2, a1, b1, a2, b2):
    """What two damped modes make of one coordinate."""
    first = np.exp(-d1 * t) * (a1 * np.cos(w1 * t) + b1 * np.sin(w1 * t))
    return c + first + np.exp(-d2 * t) * (a2 * np.cos(w2 * t) + b2 * np.sin(w2 * t))


def study(output: Output) -> Result:
    frequencies, inertia = theory()
    simulation = Simulation(scene(inertia))
    node = simulation.bodies["body"]
    heights, turns, bounce, spin = [], [], [], []
    for frame in simulation.frames():
        q = frame.rotations[node]
        heights.append(frame.positions[node, 2])
        turns.append(2 * np.arctan2(q[3], q[0]))
        bounce.append(MASS / 2 * simulation.state.v.reshape(-1, 3)[node, 2] ** 2)
        spin.append(inertia / 2 * simulation.state.w.reshape(-1, 3)[node, 2] ** 2)
    t = np.arange(len(heights)) * SETTINGS.frame_duration
    damping = frequencies**2 * SETTINGS.time_step / 2
    fits = []
    for values in (np.array(heights), np.unwrap(turns)):
        start = [values.mean(), *frequencies, *damping, *np.full(4, values.std() / 2)]
        fits.append(curve_fit(two_modes, t, values, start, maxfev=20000)[0])
    exact = 2 * np.pi / np.ptp(frequencies)
    periods = [2 * np.pi / abs(fit[2] - fit[1]) for fit in fits]
    found = np.sort(np.abs(fits[0][1:3]))
    rows = [
        Row("slow mode", found[0] / (2 * np.pi), "Hz", None, frequencies[0] / (2 * np.pi), "helix", within(0.01)),
        Row("fast mode", found[1] / (2 * np.pi), "Hz", None, frequencies[1] / (2 * np.pi), "helix", within(0.01)),
        Row("exchange, by height", periods[0], "s", None, exact, "helix", within(0.01)),
        Row("exchange, by twist", periods[1], "s", None, exact, "helix", within(0.01)),
        Row("damping of the slow mode", fits[0][3], "1/s", None, damping[0], "backward Euler"),
    ]
    with output.plot("energies", "Kinetic energy of bouncing and of twisting, and the period of theory.") as axes:
        axes.plot(t, 1e3 * np.array(bounce), label="bouncing")
        axes.plot(t, 1e3 * np.array(spin), label="twisting")
        for k in range(int(t[-1] / exact) + 1):
            axes.axvline(k * exact, color="k", ls="--", lw=0.8)
        axes.set(xlabel="time (s)", ylabel="energy (mJ)")
        axes.legend()
    output.series("motion", {"time (s)": t, "height (m)": heights, "twist (rad)": np.unwrap(turns),
                             "bouncing (J)": bounce, "twisting (J)": spin})  # fmt: skip
    return Result(rows)
