"""Cross-sections of rods: what the shape and the material give per length."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..scene import Material


@dataclass(frozen=True, eq=False)
class Section:
    """A cross-section in its own axes d1, d2 with its material.

    ``area`` A m²; ``second_moments`` (I₁, I₂, J) m⁴ about d1, d2 and, polar, d3. ``shear_stretch_stiffness`` is the
    diagonal of Kᵛ (87), N; ``bend_twist_stiffness`` that of Kᵘ (88), N·m². ``mass_per_length`` ρA kg/m;
    ``inertia_per_length`` ρ(I₁, I₂, J) kg·m.
    """

    area: float
    second_moments: np.ndarray
    shear_stretch_stiffness: np.ndarray
    bend_twist_stiffness: np.ndarray
    mass_per_length: float
    inertia_per_length: np.ndarray


def shear_modulus(material: Material) -> float:
    """Return G = E / (2 (1 + ν)), Pa."""
    return material.young_modulus / (2.0 * (1.0 + material.poisson_ratio))


def circular_section(radius: float, material: Material) -> Section:
    """Return the section of a solid round rod: A = π r², I₁ = I₂ = π r⁴/4, J = I₁ + I₂.

    Kᵛ = diag(GA, GA, EA) (87) without shear correction (κ = 1), Kᵘ = diag(EI₁, EI₂, GJ) (88).
    """
    young = material.young_modulus
    shear = shear_modulus(material)
    area = math.pi * radius**2
    bend = 0.25 * math.pi * radius**4
    moments = np.array([bend, bend, bend + bend])
    return Section(
        area=area,
        second_moments=moments,
        shear_stretch_stiffness=area * np.array([shear, shear, young]),
        bend_twist_stiffness=moments * np.array([young, young, shear]),
        mass_per_length=material.density * area,
        inertia_per_length=material.density * moments,
    )
