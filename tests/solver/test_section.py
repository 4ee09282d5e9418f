"""Cross-sections against the textbook formulas."""

import math

import numpy as np
import pytest

from tendril.solver.rods.section import circular_section, elliptic_section, shear_factor, shear_modulus
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


def test_an_ellipse_by_quadrature():
    """A, ∫ y² dA about d1 and ∫ x² dA about d2, exact polar quadrature of the unit disc stretched to the half axes."""
    a, aspect = 0.03, 0.4
    nodes, weights = np.polynomial.legendre.leggauss(4)
    radii, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    angles = 2.0 * np.pi * np.arange(8) / 8
    area = a * aspect * a * 2.0 * np.pi * np.sum(weights * radii)
    squares = a * aspect * a * np.pi / 4.0 * sum(
        w * r**3 * np.array([(aspect * a * math.sin(t)) ** 2, (a * math.cos(t)) ** 2])
        for r, w in zip(radii, weights, strict=True)
        for t in angles
    )  # fmt: skip
    section = elliptic_section(a, aspect, MATERIAL)
    assert float(section.area) == pytest.approx(area, rel=1e-13)
    np.testing.assert_allclose(section.second_moments, [*squares, squares.sum()], rtol=1e-13)


def test_an_ellipse_twists_by_its_membrane():
    """J = 2∫ψ dA with ∇²ψ = −2, ψ = 0 on the edge, by finite differences on the unit disc: Prandtl's stress function.

    ψ = a²b²/(a² + b²) (1 − x²/a² − y²/b²) is checked against the equation, then integrated over the ellipse.
    """
    a, b = 0.05, 0.02
    factor = a**2 * b**2 / (a**2 + b**2)

    def psi(x, y):
        return factor * (1.0 - (x / a) ** 2 - (y / b) ** 2)

    h = 1e-4
    laplacian = (psi(h, 0) + psi(-h, 0) + psi(0, h) + psi(0, -h) - 4.0 * psi(0, 0)) / h**2
    assert laplacian == pytest.approx(-2.0, rel=1e-6)
    nodes, weights = np.polynomial.legendre.leggauss(6)
    radii, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    volume = 2.0 * np.pi * a * b * np.sum(weights * radii * psi(a * radii, 0.0))
    stiffness = elliptic_section(a, b / a, MATERIAL).bend_twist_stiffness[2]
    assert stiffness == pytest.approx(shear_modulus(MATERIAL) * 2.0 * volume, rel=1e-12)


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.5])
def test_the_shear_factor_of_a_circle(poisson):
    """(126), and Cowper's limits of an ellipse at ν = 0: 12 n (3 n + 1)/(40 n² + 16 n), n the square of the ratio."""
    assert shear_factor(1.0, poisson) == pytest.approx(6.0 * (1.0 + poisson) / (7.0 + 6.0 * poisson), rel=1e-14)
    assert shear_factor(1e6, 0.0) == pytest.approx(0.9, rel=1e-6), "sheared along a long axis"
    assert shear_factor(1e-6, 0.0) == pytest.approx(0.75, rel=1e-6), "sheared along a short axis"


def test_shear_correction_softens_shear_alone():
    plain, corrected = (elliptic_section(0.02, 0.5, MATERIAL, on) for on in (False, True))
    ratio = corrected.shear_stretch_stiffness / plain.shear_stretch_stiffness
    expected = [shear_factor(2.0, 0.3), shear_factor(0.5, 0.3), 1.0]
    np.testing.assert_allclose(ratio, expected, rtol=1e-14)
    np.testing.assert_array_equal(corrected.bend_twist_stiffness, plain.bend_twist_stiffness)
