"""Coefficients of so(3)'s closed forms against power series summed in sixty digits."""

import decimal
import math

import numpy as np
import pytest
from numba import njit

from tendril.solver.lie import series

D = decimal.Decimal
POINTS = [0.0, 1e-30, 1e-16, 1e-8, 1e-4, 1e-2, 0.1, 0.2, 0.25 - 1e-12, 0.25, 0.25 + 1e-12, 0.3, 0.5, 1.0, 4.0, 9.0]
POINTS += [math.pi**2 - 1e-6, math.pi**2]


def power_series(x, term):
    """Σ (−1)ᵏ xᵏ term(k) in sixty digits; ``term`` is a fraction's (numerator, denominator)."""
    with decimal.localcontext() as context:
        context.prec = 60
        x, power, total = D(float(x)), D(1), D(0)
        for k in range(60):
            numerator, denominator = term(k)
            total += power * D(numerator) / D(denominator)
            power *= -x
        return total


def half_sine(x):
    return power_series(x, lambda k: (1, 2 ** (2 * k + 1) * math.factorial(2 * k + 1)))


def half_cosine(x):
    return power_series(x, lambda k: (1, 4**k * math.factorial(2 * k)))


def gamma_a(x):
    return power_series(x, lambda k: (1, math.factorial(2 * k + 2)))


def gamma_b(x):
    return power_series(x, lambda k: (1, math.factorial(2 * k + 3)))


def gamma_a_slope(x):
    """2 da/dx."""
    return power_series(x, lambda k: (-2 * (k + 1), math.factorial(2 * k + 4)))


def gamma_b_slope(x):
    return power_series(x, lambda k: (-2 * (k + 1), math.factorial(2 * k + 5)))


def inverse_gamma_c(x):
    """(1 − ½ θ sin θ / (1 − cos θ)) / θ²: with a = (1 − cos θ)/θ² and s = sin θ/θ, (a − s/2)/(a θ²)."""
    with decimal.localcontext() as context:
        context.prec = 60
        return power_series(x, lambda k: (k + 1, math.factorial(2 * k + 4))) / gamma_a(x)


@njit
def _simple(x):
    a, b = series.gamma_a(x), series.gamma_b(x)
    return (
        series.half_sine(x), series.half_cosine(x), a, b,
        series.gamma_a_slope(x, a, b), series.gamma_b_slope(x, a, b), series.inverse_gamma_c(x),
    )  # fmt: skip


REFERENCES = (half_sine, half_cosine, gamma_a, gamma_b, gamma_a_slope, gamma_b_slope, inverse_gamma_c)
# The quotients lose digits right above the switch: units of rounding that are allowed there.
TOLERANCES = (4e-16, 4e-16, 4e-15, 2e-14, 2e-13, 2e-12, 1e-14)


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("which", range(len(REFERENCES)), ids=[f.__name__ for f in REFERENCES])
def test_coefficient(which, x):
    expected = float(REFERENCES[which](x))
    tolerance = 6e-16 if x < series.SERIES_BELOW else TOLERANCES[which]
    np.testing.assert_allclose(_simple(x)[which], expected, rtol=tolerance, atol=2e-16 if which == 1 else 0)
