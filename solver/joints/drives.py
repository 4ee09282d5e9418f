"""Drives: motors that keep a speed, and springs to a target, with a most that they can do.

**A drive is a row whose multiplier is bounded.** A motor wants C = c − (c_old + v Δt) = 0, c_old the row's value at the
end of the last substep; a spring wants C + α̃ λ = 0 with C = c − target and α̃ = 1/(k Δt²). Both give |λ| ≤ f = Δt² F. At
a solution either the equation holds within the bounds, or λ = ±f and the equation is missed on the side to which the
force points. With ρ the inertia the row feels, both cases are one test on the present iterate, a projection:

    λ* = λ − ρ (C + α̃ λ)/(1 + ρ α̃),        λ* > f: at +f,    λ* < −f: at −f,    else the equation.

At ±f the row is a given force: its compliance is ``RELEASED`` and C = ∓α̃ f, so that elimination returns λ = ±f to
rounding, and its reaction on body 1 is exact. In the first iteration λ = 0 says nothing; the side of the last substep
stands for it. Where an iteration has made a side change, another one follows (``closing.drives_change``, ``step``), so
that no drive ever does more than its maximum, even if the artist asks for one iteration. Many drives that reach their
maximum in one substep may lead each other round in a circle: whoever has changed ``PATIENCE`` times stays at its
maximum for the rest of the substep.

**Limits.** A bound U of the row acts on top of the drive: it holds c = U if the total λ is less than the most that the
drive does there, f_U: (f_U − λ) + ρ (c − U) > 0. For a motor f_U = f where c_old + v Δt ≥ U, else −f.
"""

import math

import numpy as np

from ..jit import helper, kernel
from .arrays import (
    DRIVE_CHANGED,
    DRIVE_FLIPS,
    DRIVE_SIDE,
    DRIVES,
    LOWER,
    MAXIMUM,
    MOTOR,
    ROW_VALUE,
    SPEED_OFFSET,
    SPEED_STRIDE,
    STIFFNESS,
    TIME_STEP,
    UPPER,
    WEIGHT,
)
from .limits import RELEASED, TWO_PI

U0, U3, U6 = (np.uint64(i) for i in (0, 3, 6))

PATIENCE = 4


@helper
def force_at(stretch, compliance, most, tie):
    """λ of the drive alone where it is off by ``stretch``; ``tie``: the sign of a motor's where it is not off."""
    if compliance > 0.0:
        return max(-most, min(most, -stretch / compliance))
    if stretch == 0.0:
        return tie * most
    return -most if stretch > 0.0 else most


@helper
def drive_row(value, stretch, lower, upper, compliance, most, weight, multiplier, side):
    """Decide what a driven row does: returns (C, α̃, side), RELEASED standing for α̃ at the maximum.

    ``stretch`` is C of the drive, ``side`` what was decided before: 0, ±1 at the maximum, ±2 at a limit.
    """
    if upper < math.inf:
        top = force_at(stretch + upper - value, compliance, most, 1.0)
        if top - multiplier + weight * (value - upper) > 0.0:
            return value - upper, 0.0, 2.0
    if lower > -math.inf:
        bottom = force_at(stretch + lower - value, compliance, most, -1.0)
        if bottom - multiplier + weight * (value - lower) < 0.0:
            return value - lower, 0.0, -2.0
    if most < math.inf:
        guess = multiplier
        if multiplier == 0.0 and abs(side) == 1.0:
            guess = side * most
        trial = guess - weight * (stretch + compliance * guess) / (1.0 + weight * compliance)
        if trial > most:
            return -most, RELEASED, 1.0
        if trial < -most:
            return most, RELEASED, -1.0
    return stretch, compliance, 0.0


@helper
def wrapped(angle):
    """The angle less whole turns, −π … π."""
    return angle - TWO_PI * math.floor(angle / TWO_PI + 0.5)


@kernel
def settle_drives(data, d, flags, f, targets, t, sample, turns, o, lam, lam_offset, c, c_offset, alpha, alpha_offset):
    """Settle the driven rows of the position solve, whose raw values are in ``c``; ``o``: the joint's in ``turns``."""
    step = data[d + TIME_STEP]
    before = o + ROW_VALUE + (U0 if sample % 2 else U6)  # what the sample before has left
    speeds = flags[f + SPEED_OFFSET] + np.uint64(sample) * flags[f + SPEED_STRIDE]
    for i in range(6):
        row = np.uint64(i)
        drive = flags[f + DRIVES + row]
        if drive == U0:
            continue
        value, compliance = c[c_offset + row], 0.0
        if drive == MOTOR:
            stretch = value - turns[before + row] - step * targets[speeds + row]
            if row >= U3:
                stretch = wrapped(stretch)
        else:
            stretch = value - targets[t + row]
            compliance = 1.0 / (step * step * data[d + STIFFNESS + row])
        found, give, side = drive_row(
            value, stretch, data[d + LOWER + row], data[d + UPPER + row], compliance, data[d + MAXIMUM + row],
            data[d + WEIGHT + row], lam[lam_offset + row], turns[o + DRIVE_SIDE + row],
        )  # fmt: skip
        if side != turns[o + DRIVE_SIDE + row] and turns[o + DRIVE_FLIPS] >= PATIENCE:
            kept = turns[o + DRIVE_SIDE + row]
            if abs(kept) == 1.0 and abs(side) != 2.0:
                found, give, side = -kept * data[d + MAXIMUM + row], RELEASED, kept
        if give == RELEASED:  # C = ∓α̃ f with α̃ = α/Δt²
            c[c_offset + row] = found * (RELEASED / (step * step))
            alpha[alpha_offset + row] = RELEASED
        else:
            c[c_offset + row] = found
            alpha[alpha_offset + row] = give * step * step
        if side != turns[o + DRIVE_SIDE + row]:
            turns[o + DRIVE_SIDE + row] = side
            turns[o + DRIVE_CHANGED] = 1.0
            turns[o + DRIVE_FLIPS] += 1.0
