"""Solutions of the continuous rod: planar statics with shear and stretch, and Timoshenko's bending frequencies."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq


class Section:
    """Stiffnesses of a round rod, shear correction κ = 1: EA, GA (N), EI, GJ (N m²), ρA (kg/m), ρI (kg m)."""

    def __init__(self, radius, material):
        young, density = material.young_modulus, material.density
        shear = young / (2.0 * (1.0 + material.poisson_ratio))
        area, moment = np.pi * radius**2, np.pi * radius**4 / 4.0
        self.stretch, self.shear, self.bend, self.twist = (
            young * area,
            shear * area,
            young * moment,
            2.0 * shear * moment,
        )
        self.mass, self.inertia = density * area, density * moment


def hanging_cantilever(section, length, gravity, weight=0.0):
    """Place (x, z) and angle of the tip of a rod clamped along x that bends under its own weight and one at its tip.

    The exact planar rod: r′ = v₃ t + v₁ n with v₃ = 1 + N/EA, v₁ = Q/GA, φ′ = m/EI, m′ = −r′ × f, m(L) = 0, where
    f(s) is the weight beyond s. Shooting for m(0), each flight to 1e-13.
    """

    def flight(moment):
        def slope(s, y):
            load = np.array([0.0, -section.mass * gravity * (length - s) - weight])
            t, n = np.array([np.cos(y[2]), np.sin(y[2])]), np.array([-np.sin(y[2]), np.cos(y[2])])
            r = (1.0 + load @ t / section.stretch) * t + load @ n / section.shear * n
            return [r[0], r[1], y[3] / section.bend, -(r[0] * load[1] - r[1] * load[0])]

        return solve_ivp(slope, (0.0, length), [0.0, 0.0, 0.0, moment], method="DOP853", rtol=1e-13, atol=1e-14).y[
            :, -1
        ]

    most = -(section.mass * gravity * length / 2.0 + weight) * length * 1.01
    moment = brentq(lambda m: flight(m)[3], most, 0.0, xtol=1e-14, rtol=1e-14)
    return flight(moment)[:3]


def cantilever_frequencies(section, length, count):
    """The lowest bending frequencies, rad/s, of a clamped rod with shear and rotary inertia (Timoshenko).

    w′ = θ + Q/GA, θ′ = M/EI, Q′ = −ρA ω² w, M′ = −Q − ρI ω² θ: linear, so the flight is a matrix exponential, and
    ω makes the block that takes (Q, M) at the clamp to (Q, M) at the tip singular.
    """

    def singular(omega):
        a = np.zeros((4, 4))
        a[0, 1], a[0, 2] = 1.0, 1.0 / section.shear
        a[1, 3] = 1.0 / section.bend
        a[2, 0] = -section.mass * omega**2
        a[3, 1], a[3, 2] = -section.inertia * omega**2, -1.0
        return np.linalg.det(expm(a * length)[2:, 2:])

    slender = slender_frequency(section, length)
    found, step, omega = [], 0.2 * slender, 0.4 * slender
    while len(found) < count:
        if singular(omega) * singular(omega + step) < 0.0:
            found.append(brentq(singular, omega, omega + step, xtol=1e-13 * slender))
        omega += step
    return np.array(found)


def slender_frequency(section, length):
    """First bending frequency, rad/s, of Euler and Bernoulli."""
    return 1.875104068711961**2 * np.sqrt(section.bend / section.mass) / length**2


def cantilever_frequency(section, length):
    """First bending frequency, rad/s, of Timoshenko, and of Euler and Bernoulli."""
    return cantilever_frequencies(section, length, 1)[0], slender_frequency(section, length)
