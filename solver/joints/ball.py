"""The swing and twist limits of a ball joint, which take rows from its springs.

Ball limits (eqs. 76–78, 164–172) are scalars: δθ = a·δ, δτ = (tan(θ/2) a_y, −tan(θ/2) a_x, 1)·δ. While the swing limit
acts, rows 3 and 4 become the swing about a (held at the limit) and the spring about b = e₃×a, with stiffness and
damping k_x b_x² + k_y b_y²: exact where k_x = k_y. While the twist limit acts, it takes row 5. Whether they act takes
account of the torque T = −Γ⁻¹(φ) K (φ − target) of the springs along the gradient g of the limit, f = Δt² T·g/|g|², so
that a spring stronger than the load lifts off its stop. A ball's twist is taken on the branch nearest to the middle of
its limits, without counting turns.
"""

import math

import numpy as np

from ..jit import helper, kernel
from ..lie.mat3 import apply9, transpose_apply9
from ..lie.so3 import gamma_inverse
from ..lie.vec3 import dot3, load3, scale3, store3, sub3
from .arrays import DAMPING, STIFFNESS, SWING_LIMIT, TIME_STEP, TWIST_LOWER, TWIST_UPPER, WEIGHT
from .limits import (
    INACTIVE,
    LARGEST_TANGENT,
    RELEASED,
    limit_side,
    settle_row,
    swing_angle,
    swing_axis,
    swing_tangent,
    twist_angle,
    unwrap,
)

U3, U4, U5 = np.uint64(3), np.uint64(4), np.uint64(5)
NINE = np.uint64(9)
TURN_TILE = np.uint64(18)  # D stands behind A and B
NODE_TILES = np.uint64(27)


@kernel
def clear_row(jac, jac_offset, row):
    """Zero the row's Jacobian for both nodes."""
    for j in range(2):
        o = jac_offset + np.uint64(j) * NODE_TILES
        if row < U3:
            store3(jac, o + row * U3, (0.0, 0.0, 0.0))
            store3(jac, o + NINE + row * U3, (0.0, 0.0, 0.0))
        else:
            store3(jac, o + TURN_TILE + (row - U3) * U3, (0.0, 0.0, 0.0))


@helper
def store_turn_row(jac, jac_offset, row, row_1, row_2):
    """Store ∂θ₁ and ∂θ₂ of one turn row (3, 4 or 5)."""
    o = jac_offset + TURN_TILE + (row - U3) * U3
    store3(jac, o, row_1)
    store3(jac, o + NODE_TILES, row_2)


@helper
def ball_torques(data, d, inverse, stretch, lam, lam_offset):
    """Δt² T of the springs, and of the turn rows so far if they were springs: on body 2, in body 1's joint frame."""
    k = load3(data, d + STIFFNESS + U3)
    step = data[d + TIME_STEP]
    spring = apply9(inverse, (k[0] * stretch[0], k[1] * stretch[1], k[2] * stretch[2]))
    return scale3(-step * step, spring), apply9(inverse, load3(lam, lam_offset + U3))


@kernel
def limit_swing(
    data, d, relative, turn, target, rate, spring, total, acted, left_1, left_2, d1, d2,
    lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
):  # fmt: skip
    """Let the swing limit of a ball take row 3, and make row 4 the spring along the cone. Return whether it acts.

    ``turn`` = φ with its Jacobians ``d1``, ``d2``; ``left_1`` = R₁ᴶᵀ and ``left_2`` = R̄₁ᵀR₂: δ = left_2 θ₂ − left_1 θ₁.
    ``acted``: row 3 was the limit in the last iteration, so its λ is the limit's.
    """
    ax, ay = swing_axis(relative)
    axis, side = (ax, ay, 0.0), (-ay, ax, 0.0)
    excess = swing_angle(relative) - data[d + SWING_LIMIT]
    multiplier = lam[lam_offset + U3] if acted else dot3(axis, total)
    held = limit_side(excess, -math.inf, 0.0, 0.0, dot3(axis, spring), multiplier, data[d + WEIGHT + U3]) != 0
    k, b = load3(data, d + STIFFNESS + U3), load3(data, d + DAMPING + U3)
    released = acted and not held and multiplier != 0.0 and k[0] == 0.0 and not velocity
    if held or released:
        row_1, row_2 = transpose_apply9(left_1, axis), transpose_apply9(left_2, axis)
        store_turn_row(jac, jac_offset, U3, scale3(-1.0, row_1), row_2)
        c[c_offset + U3] = excess if held and not velocity else 0.0
        alpha[alpha_offset + U3] = 0.0 if held else RELEASED
    if held:
        value, compliance, mode = settle_row(
            dot3(side, turn), dot3(side, target), dot3(side, rate), -math.inf, math.inf,
            k[0] * ay * ay + k[1] * ax * ax, b[0] * ay * ay + b[1] * ax * ax,
            1.0, lam[lam_offset + U4], lam[lam_offset + U4], data[d + TIME_STEP], velocity,
        )  # fmt: skip
        c[c_offset + U4] = value
        alpha[alpha_offset + U4] = compliance
        store_turn_row(jac, jac_offset, U4, transpose_apply9(d1, side), transpose_apply9(d2, side))
        if mode == INACTIVE:
            clear_row(jac, jac_offset, U4)
    return held


@kernel
def limit_twist(
    data, d, relative, spring, total, acted, left_1, left_2,
    lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
):  # fmt: skip
    """Let the twist limit of a ball take row 5; arguments as in ``limit_swing``. Return whether it acts."""
    ax, ay = swing_axis(relative)
    lower, upper = data[d + TWIST_LOWER], data[d + TWIST_UPPER]
    middle = 0.5 * (lower + upper) if lower > -math.inf and upper < math.inf else 0.0
    twist = unwrap(twist_angle(relative), middle)
    tangent = swing_tangent(relative)
    gradient = (tangent * ay, -tangent * ax, 1.0)
    share = 1.0 / (1.0 + tangent * tangent)
    force = share * dot3(gradient, spring)
    multiplier = lam[lam_offset + U5] if acted else share * dot3(gradient, total)
    bound = limit_side(twist, lower, upper, force, force, multiplier, data[d + WEIGHT + U5])
    held = bound != 0 and tangent < LARGEST_TANGENT
    released = acted and not held and multiplier != 0.0 and data[d + STIFFNESS + U5] == 0.0 and not velocity
    if held or released:
        row_1, row_2 = transpose_apply9(left_1, gradient), transpose_apply9(left_2, gradient)
        store_turn_row(jac, jac_offset, U5, scale3(-1.0, row_1), row_2)
        c[c_offset + U5] = twist - (upper if bound > 0 else lower) if held and not velocity else 0.0
        alpha[alpha_offset + U5] = 0.0 if held else RELEASED
    return held


@kernel
def limit_ball(
    data, d, relative, turn, targets, t, t_before, left_1, left_2, d1, d2, turns, mode,
    lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
):  # fmt: skip
    """Apply the limits of a ball to its settled rows and remember in ``turns[mode]`` which of them act."""
    swings = data[d + SWING_LIMIT] < math.inf
    twists = data[d + TWIST_LOWER] > -math.inf or data[d + TWIST_UPPER] < math.inf
    if not (swings or twists):
        return
    target = load3(targets, t + U3)
    rate = scale3(1.0 / data[d + TIME_STEP], sub3(target, load3(targets, t_before + U3)))
    spring, total = ball_torques(data, d, gamma_inverse(turn), sub3(turn, target), lam, lam_offset)
    before, acts = turns[mode], 0.0
    if swings and limit_swing(
        data, d, relative, turn, target, rate, spring, total, before == 1.0 or before == 3.0, left_1, left_2, d1, d2,
        lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
    ):  # fmt: skip
        acts += 1.0
    if twists and limit_twist(
        data, d, relative, spring, total, before >= 2.0, left_1, left_2,
        lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
    ):  # fmt: skip
        acts += 2.0
    turns[mode] = acts
