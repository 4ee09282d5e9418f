"""Cross-sections of rods: what the shape and the material give per length."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..scene import Material


@dataclass(frozen=True, eq=False)
class Section:
    """Cross-sections in their own axes d1, d2 with their material, at any number (…) of places.

    ``area`` (…) A m²; ``second_moments`` (…, 3): I₁, I₂ about d1, d2 and I₁ + I₂, m⁴. ``shear_stretch_stiffness``
    (…, 3) is the diagonal of Kᵛ (87), N; ``bend_twist_stiffness`` (…, 3) that of Kᵘ (88), N·m². ``mass_per_length``
    (…) ρA kg/m; ``inertia_per_length`` (…, 3) ρ(I₁, I₂, I₁ + I₂) kg·m.
    """

    area: np.ndarray
    second_moments: np.ndarray
    shear_stretch_stiffness: np.ndarray
    bend_twist_stiffness: np.ndarray
    mass_per_length: np.ndarray
    inertia_per_length: np.ndarray


def shear_modulus(material: Material) -> float:
    """Return G = E / (2 (1 + ν)), Pa."""
    return material.young_modulus / (2.0 * (1.0 + material.poisson_ratio))


def shear_factor(ratio: float, poisson: float) -> float:
    """Return κ of a solid ellipse sheared along the half axis that is ``ratio`` times the other.

    Cowper 1966; for a circle (126), 6 (1 + ν)/(7 + 6 ν).
    """
    n = ratio * ratio
    below = (40.0 + 37.0 * poisson) * n * n + (16.0 + 10.0 * poisson) * n + poisson
    return 12.0 * (1.0 + poisson) * n * (3.0 * n + 1.0) / below


def elliptic_section(radius, aspect: float, material: Material, shear_correction: bool = False) -> Section:
    """Return solid elliptic sections with half axes ``radius`` (…) along d1 and ``aspect``·radius along d2.

    A = π a b, I₁ = π a b³/4, I₂ = π a³ b/4. Kᵛ = diag(κ₁GA, κ₂GA, EA) (87), with κ = 1 unless ``shear_correction``;
    Kᵘ = diag(EI₁, EI₂, GJ) (88) with Saint-Venant's J = π a³ b³/(a² + b²), which is I₁ + I₂ for a circle.
    """
    a = np.asarray(radius, dtype=np.float64)
    b = aspect * a
    young, shear, poisson = material.young_modulus, shear_modulus(material), material.poisson_ratio
    one, two = (shear_factor(1.0 / aspect, poisson), shear_factor(aspect, poisson)) if shear_correction else (1.0, 1.0)
    area = math.pi * a * b
    bend_1, bend_2 = 0.25 * math.pi * a * b**3, 0.25 * math.pi * a**3 * b
    twist = math.pi * a**3 * b**3 / (a**2 + b**2)
    moments = np.stack([bend_1, bend_2, bend_1 + bend_2], axis=-1)
    return Section(
        area=area,
        second_moments=moments,
        shear_stretch_stiffness=area[..., None] * np.array([one * shear, two * shear, young]),
        bend_twist_stiffness=np.stack([young * bend_1, young * bend_2, shear * twist], axis=-1),
        mass_per_length=material.density * area,
        inertia_per_length=material.density * moments,
    )


def circular_section(radius, material: Material, shear_correction: bool = False) -> Section:
    """Return solid round sections: ``elliptic_section`` with equal half axes."""
    return elliptic_section(radius, 1.0, material, shear_correction)
