"""Coefficients of the closed forms of SO(3) as functions of x = θ², θ the rotation angle.

Each is a quotient that loses its digits as θ → 0: below x = 0.25 a Taylor series in x is used (truncated below
1e-17), above it the C library's functions. The series are nested products with constants, never quotients: a division
takes as long as four of their steps, and a rod element evaluates some forty.
"""

import math

from ..jit import helper

SERIES_BELOW = 0.25


@helper
def half_sine(x):
    """sin(θ/2)/θ, for the quaternion exponential."""
    if x < SERIES_BELOW:
        rest = 1.0 / 645120.0 - x * (1.0 / 185794560.0 - x * (1.0 / 81749606400.0))
        return 0.5 - x * (1.0 / 48.0 - x * (1.0 / 3840.0 - x * rest))
    t = math.sqrt(x)
    return math.sin(0.5 * t) / t


@helper
def half_cosine(x):
    """cos(θ/2)."""
    if x < SERIES_BELOW:
        rest = 1.0 / 46080.0 - x * (1.0 / 10321920.0 - x * (1.0 / 3715891200.0 - x * (1.0 / 1961990553600.0)))
        return 1.0 - x * (1.0 / 8.0 - x * (1.0 / 384.0 - x * rest))
    return math.cos(0.5 * math.sqrt(x))


@helper
def gamma_a(x):
    """a = (1 − cos θ)/θ² of Γ = I − a θ̂ + b θ̂² (paper eq. 25)."""
    if x < SERIES_BELOW:
        rest = 1.0 / 40320.0 - x * (1.0 / 3628800.0 - x * (1.0 / 479001600.0 - x * (1.0 / 87178291200.0)))
        return 0.5 - x * (1.0 / 24.0 - x * (1.0 / 720.0 - x * rest))
    return (1.0 - math.cos(math.sqrt(x))) / x


@helper
def gamma_b(x):
    """b = (θ − sin θ)/θ³ of Γ (paper eq. 25)."""
    if x < SERIES_BELOW:
        rest = 1.0 / 362880.0 - x * (1.0 / 39916800.0 - x * (1.0 / 6227020800.0 - x * (1.0 / 1307674368000.0)))
        return 1.0 / 6.0 - x * (1.0 / 120.0 - x * (1.0 / 5040.0 - x * rest))
    t = math.sqrt(x)
    return (t - math.sin(t)) / (t * x)


@helper
def gamma_a_slope(x, a, b):
    """a₁ = (da/dθ)/θ = (1 − 2a − b θ²)/θ²  [sin θ/θ = 1 − b θ²]."""
    if x < SERIES_BELOW:
        rest = 1.0 / 453600.0 - x * (1.0 / 47900160.0 - x * (1.0 / 7264857600.0 - x * (1.0 / 1494484992000.0)))
        return -(1.0 / 12.0 - x * (1.0 / 180.0 - x * (1.0 / 6720.0 - x * rest)))
    return (1.0 - 2.0 * a - b * x) / x


@helper
def gamma_b_slope(x, a, b):
    """b₁ = (db/dθ)/θ = (a − 3b)/θ²."""
    if x < SERIES_BELOW:
        rest = 1.0 / 4989600.0 - x * (1.0 / 622702080.0 - x * (1.0 / 108972864000.0 - x * (1.0 / 25406244864000.0)))
        return -(1.0 / 60.0 - x * (1.0 / 1260.0 - x * (1.0 / 60480.0 - x * rest)))
    return (a - 3.0 * b) / x


@helper
def inverse_gamma_c(x):
    """c = (1 − (θ/2) cot(θ/2))/θ² of Γ⁻¹ = I + ½ θ̂ + c θ̂² (paper eq. 27, in a form without 0/0 at π)."""
    if x < SERIES_BELOW:
        rest = 1.0 / 1209600.0 + x * (1.0 / 47900160.0 + x * (691.0 / 1307674368000.0 + x * (1.0 / 74724249600.0)))
        return 1.0 / 12.0 + x * (1.0 / 720.0 + x * (1.0 / 30240.0 + x * rest))
    h = 0.5 * math.sqrt(x)
    return (1.0 - h / math.tan(h)) / x
