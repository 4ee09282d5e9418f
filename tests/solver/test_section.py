"""Cross-sections against the textbook formulas."""

import math

import numpy as np
import pytest

from tendril.solver.rods.section import circular_section, shear_modulus
from tendril.solver.scene import Material

MATERIAL = Material(young_modulus=2.1e11, poisson_ratio=0.3, density=7850.0)


def test_stiffness_follows_the_paper():
    """(87) and (88): diag(GA, GA, EA), diag(EI₁, EI₂, GJ)."""
    section = circular_section(0.02, MATERIAL)
    area, bend = math.pi * 4e-4, math.pi * 1.6e-7 / 4.0
    shear = 2.1e11 / 2.6
    assert section.area == pytest.approx(area, rel=1e-15)
    assert shear_modulus(MATERIAL) == pytest.approx(shear, rel=1e-15)
    np.testing.assert_allclose(section.shear_stretch_stiffness, [shear * area, shear * area, 2.1e11 * area], rtol=1e-14)
    np.testing.assert_allclose(
        section.bend_twist_stiffness, [2.1e11 * bend, 2.1e11 * bend, shear * 2 * bend], rtol=1e-14
    )


def test_inertia_per_length():
    """A disc of mass m has the moments m r²/4, m r²/4, m r²/2."""
    section = circular_section(0.02, MATERIAL)
    mass = section.mass_per_length
    assert mass == pytest.approx(7850.0 * math.pi * 4e-4, rel=1e-15)
    np.testing.assert_allclose(section.inertia_per_length, mass * 4e-4 * np.array([0.25, 0.25, 0.5]), rtol=1e-14)


def test_moments_by_quadrature():
    """∫ y² dA, ∫ x² dA and their sum, by polar quadrature exact for the integrand."""
    nodes, weights = np.polynomial.legendre.leggauss(4)
    radii = 0.03 * (nodes + 1.0) / 2.0
    angles = 2.0 * np.pi * np.arange(8) / 8
    y_square = sum(w * r * (r * math.sin(a)) ** 2 for r, w in zip(radii, weights, strict=True) for a in angles)
    expected = y_square * 0.015 * 2.0 * np.pi / 8
    section = circular_section(0.03, MATERIAL)
    np.testing.assert_allclose(section.second_moments, [expected, expected, 2 * expected], rtol=1e-13)


@pytest.mark.parametrize("poisson, factor", [(0.0, 0.5), (0.5, 1 / 3), (-0.5, 1.0)])
def test_shear_modulus(poisson, factor):
    """G/E at three Poisson's ratios."""
    assert shear_modulus(Material(1.0, poisson, 1.0)) == pytest.approx(factor)
