"""Coefficients of the closed forms of SO(3) as functions of x = θ², θ the rotation angle.

Each is a quotient that loses its digits as θ → 0: below x = 0.25 a Taylor series in x is used (truncated below
1e-17), above it the C library's functions.
"""

import math

from ..jit import helper

SERIES_BELOW = 0.25


@helper
def half_sine(x):
    """sin(θ/2)/θ, for the quaternion exponential."""
    if x < SERIES_BELOW:
        y = 0.25 * x
        return 0.5 * (1.0 - y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0 * (1.0 - y / 110.0)))))
    t = math.sqrt(x)
    return math.sin(0.5 * t) / t


@helper
def half_cosine(x):
    """cos(θ/2)."""
    if x < SERIES_BELOW:
        y = 0.25 * x
        rest = 1.0 - y / 30.0 * (1.0 - y / 56.0 * (1.0 - y / 90.0 * (1.0 - y / 132.0)))
        return 1.0 - y / 2.0 * (1.0 - y / 12.0 * rest)
    return math.cos(0.5 * math.sqrt(x))


@helper
def gamma_a(x):
    """a = (1 − cos θ)/θ² of Γ = I − a θ̂ + b θ̂² (paper eq. 25)."""
    if x < SERIES_BELOW:
        rest = 1.0 - x / 56.0 * (1.0 - x / 90.0 * (1.0 - x / 132.0 * (1.0 - x / 182.0)))
        return 0.5 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * rest))
    return (1.0 - math.cos(math.sqrt(x))) / x


@helper
def gamma_b(x):
    """b = (θ − sin θ)/θ³ of Γ (paper eq. 25)."""
    if x < SERIES_BELOW:
        rest = 1.0 - x / 72.0 * (1.0 - x / 110.0 * (1.0 - x / 156.0 * (1.0 - x / 210.0)))
        return (1.0 - x / 20.0 * (1.0 - x / 42.0 * rest)) / 6.0
    t = math.sqrt(x)
    return (t - math.sin(t)) / (t * x)


@helper
def gamma_a_slope(x, a, b):
    """a₁ = (da/dθ)/θ = (1 − 2a − b θ²)/θ²  [sin θ/θ = 1 − b θ²]."""
    if x < SERIES_BELOW:
        rest = 1.0 - x * 5.0 / 528.0 * (1.0 - x * 3.0 / 455.0 * (1.0 - x * 7.0 / 1440.0))
        return -(1.0 - x / 15.0 * (1.0 - x * 3.0 / 112.0 * (1.0 - x * 2.0 / 135.0 * rest))) / 12.0
    return (1.0 - 2.0 * a - b * x) / x


@helper
def gamma_b_slope(x, a, b):
    """b₁ = (db/dθ)/θ = (a − 3b)/θ²."""
    if x < SERIES_BELOW:
        rest = 1.0 - x * 2.0 / 165.0 * (1.0 - x * 5.0 / 624.0 * (1.0 - x / 175.0))
        return -(1.0 - x / 21.0 * (1.0 - x / 48.0 * rest)) / 60.0
    return (a - 3.0 * b) / x


@helper
def inverse_gamma_c(x):
    """c = (1 − (θ/2) cot(θ/2))/θ² of Γ⁻¹ = I + ½ θ̂ + c θ̂² (paper eq. 27, in a form without 0/0 at π)."""
    if x < SERIES_BELOW:
        rest = 1.0 / 1209600.0 + x * (1.0 / 47900160.0 + x * (691.0 / 1307674368000.0 + x / 74724249600.0))
        return 1.0 / 12.0 + x * (1.0 / 720.0 + x * (1.0 / 30240.0 + x * rest))
    h = 0.5 * math.sqrt(x)
    return (1.0 - h / math.tan(h)) / x
