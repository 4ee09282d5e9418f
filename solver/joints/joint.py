"""The one kernel of all joints: constraint vector C, Jacobian and compliance of six rows between two nodes.

Derivation. The joint frame fixed to node i has origin p̄ᵢ = pᵢ + Rᵢ rᵢᴶ and axes R̄ᵢ = Rᵢ Rᵢᴶ (paper eqs. 69, 70). All
that is measured is body 2 relative to body 1: a positive angle turns body 2 about +z of body 1, a positive slide moves
body 2 along it. Perturbations θᵢ act on the right of Rᵢ; eqs. 20–28 give every block. With y = R₁ᵀ(p̄₂ − p₁) and
R_Δ = R̄₁ᵀR̄₂:

* Place, all three rows locked (fixed, hinge, ball; eqs. 71, 72, 75): C = p̄₁ − p̄₂ in the world, which is linear in p.
      ∂p₁ = I,    ∂θ₁ = −R₁ r̂₁,    ∂p₂ = −I,    ∂θ₂ = R₂ r̂₂.
* Place otherwise (slider; eqs. 79, 80, errata of 173, 174): C = R̄₁ᵀ(p̄₂ − p̄₁), in body 1's joint frame.
      ∂p₁ = −R̄₁ᵀ,    ∂θ₁ = R₁ᴶᵀ ŷ,    ∂p₂ = R̄₁ᵀ,    ∂θ₂ = −R̄₁ᵀ R₂ r̂₂.
* Turn, all three rows alike (fixed, slider, ball): φ = R̄₂ ⊟ R̄₁ = log R_Δ, one sign throughout (errata of eqs. 73,
  81); of the two logarithms φ and φ − 2π φ/|φ| the one nearer to the target, so that a drive may pass half a turn.
      ∂θ₁ = −Γ⁻¹(φ)ᵀ R₁ᴶᵀ,    ∂θ₂ = Γ⁻¹(φ) R₂ᴶᵀ.
* Turn otherwise (hinge): swing vector and twist of R_Δ, see ``limits``. A rotation vector will not do: its x and y
  change sign when the angle passes π, so a lock on them would throw the hinge about. The swing vector of a hinge stays
  near 0 at any angle, and the twist is unwrapped to the branch nearest to the angle at the end of the last substep, so
  that it counts turns. No λ outlives a substep, so none is carried across the flip. With δ = R̄₁ᵀR₂ θ₂ − R₁ᴶᵀ θ₁ and
  G the derivative of (s, τ) by δ:
      ∂θ₁ = −G R₁ᴶᵀ,    ∂θ₂ = G R̄₁ᵀ R₂.

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
from ..lie.mat3 import IDENTITY, apply9, hat9, mul9, scale9, store9, transpose9, transpose_apply9, transpose_mul9
from ..lie.so3 import gamma_inverse, log, matrix, quaternion_conjugate_mul, quaternion_mul
from ..lie.vec3 import add3, dot3, load3, scale3, store3, sub3
from .arrays import (
    ARM_1,
    ARM_2,
    BALL_LIMITS,
    DAMPING,
    DATA_STRIDE,
    FLAG_STRIDE,
    HINGE_ANGLE,
    LOCKS,
    LOWER,
    NODE_1,
    NODE_2,
    STIFFNESS,
    SWING_LIMIT,
    SWING_TWIST,
    TARGET_OFFSET,
    TARGET_STRIDE,
    TIME_STEP,
    TURN_1,
    TURN_2,
    TURN_STRIDE,
    TWIST_LOWER,
    TWIST_UPPER,
    UPPER,
    WEIGHT,
    WORLD_PLACE,
)
from .limits import (
    DAMPED,
    INACTIVE,
    LARGEST_TANGENT,
    RELEASED,
    TWO_PI,
    limit_side,
    settle_row,
    swing_angle,
    swing_axis,
    swing_tangent,
    swing_twist,
    twist_angle,
    unwrap,
)

U0, U1, U2, U3, U4, U5 = (np.uint64(i) for i in range(6))
NINE = np.uint64(9)
TURN_TILE = np.uint64(18)  # D stands behind A and B
NODE_TILES = np.uint64(27)


@helper
def load4(a, o):
    """Load the quaternion a[o … o+3]."""
    return (a[o], a[o + U1], a[o + U2], a[o + U3])


@helper
def place_rows(world, p1, m1, r1, local_1, p2, m2, r2):
    """C and ∂p₁, ∂θ₁, ∂p₂, ∂θ₂ of the place rows (header); R₁, R₂ and R₁ᴶ come as tiles."""
    origin_2 = add3(p2, apply9(m2, r2))
    arm_2 = mul9(m2, hat9(r2))
    if world:
        value = sub3(add3(p1, apply9(m1, r1)), origin_2)
        return value, IDENTITY, scale9(-1.0, mul9(m1, hat9(r1))), scale9(-1.0, IDENTITY), arm_2
    to_joint = transpose9(mul9(m1, local_1))
    y = transpose_apply9(m1, sub3(origin_2, p1))
    value = transpose_apply9(local_1, sub3(y, r1))
    turn_1, turn_2 = transpose_mul9(local_1, hat9(y)), scale9(-1.0, mul9(to_joint, arm_2))
    return value, scale9(-1.0, to_joint), turn_1, to_joint, turn_2


@helper
def nearest_log(q, target):
    """Of the two rotation vectors of q shorter than 2π, the one nearer to ``target``."""
    t = log(q)
    angle = math.sqrt(dot3(t, t))
    if angle > 1e-3:
        other = scale3(1.0 - TWO_PI / angle, t)
        here, there = sub3(t, target), sub3(other, target)
        if dot3(there, there) < dot3(here, here):
            return other
    return t


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


@kernel
def evaluate_joint(
    x,
    q,
    joint_data,
    joint_flags,
    index,
    sample,
    targets,
    turns,
    lam,
    lam_offset,
    c,
    c_offset,
    jac,
    jac_offset,
    alpha,
    alpha_offset,
    velocity,
):
    """Evaluate the six rows of joint ``index`` at the present state; return whether one of them is damped.

    x (3 a node, m, world), q (4 a node); joint_data, joint_flags, targets, turns: see ``arrays``; ``sample``: that of
    the substep's end; lam[lam_offset …]: the six λ so far (0 in the first iteration). ``index`` and all offsets are
    ``np.uint64``.

    out c[c_offset …]: six values; jac[jac_offset …]: for each node ∂place/∂p, ∂place/∂θ, ∂turn/∂θ, row-major 3×3;
    alpha[alpha_offset …]: six compliances, m/N and rad/(N·m). A row that does nothing has Jacobian 0, value 0 and
    compliance 1.

    ``velocity`` True: rows of the damping solve (paper section 4.4): compliance 1/damping (times 1/Δt for the caller),
    0 for locks and acting limits, and as value minus the speed of the target, so that the row is J v + c.
    """
    d, f = index * DATA_STRIDE, index * FLAG_STRIDE
    node_1, node_2 = joint_flags[f + NODE_1], joint_flags[f + NODE_2]
    q1, q2 = load4(q, node_1 * U4), load4(q, node_2 * U4)
    local_q1, local_q2 = load4(joint_data, d + TURN_1), load4(joint_data, d + TURN_2)
    m1, m2, local_1 = matrix(q1), matrix(q2), matrix(local_q1)
    t = joint_flags[f + TARGET_OFFSET] + np.uint64(sample) * joint_flags[f + TARGET_STRIDE]
    t_before = t - joint_flags[f + TARGET_STRIDE] if sample > 0 else t

    value, a1, b1, a2, b2 = place_rows(
        joint_flags[f + WORLD_PLACE] != U0,
        load3(x, node_1 * U3),
        m1,
        load3(joint_data, d + ARM_1),
        local_1,
        load3(x, node_2 * U3),
        m2,
        load3(joint_data, d + ARM_2),
    )
    store3(c, c_offset, value)
    store9(jac, jac_offset, a1)
    store9(jac, jac_offset + NINE, b1)
    store9(jac, jac_offset + NODE_TILES, a2)
    store9(jac, jac_offset + NODE_TILES + NINE, b2)

    relative = quaternion_conjugate_mul(quaternion_mul(q1, local_q1), quaternion_mul(q2, local_q2))
    to_joint_1 = transpose9(local_1)
    if joint_flags[f + SWING_TWIST] != U0:
        value, gradient = swing_twist(relative)
        value = (value[0], value[1], unwrap(value[2], turns[index * TURN_STRIDE + HINGE_ANGLE]))
        d1 = scale9(-1.0, mul9(gradient, to_joint_1))
        d2 = mul9(gradient, mul9(to_joint_1, transpose_mul9(m1, m2)))
    else:
        value = nearest_log(relative, load3(targets, t + U3))
        inverse = gamma_inverse(value)
        d1 = scale9(-1.0, mul9(transpose9(inverse), to_joint_1))
        d2 = mul9(inverse, transpose9(matrix(local_q2)))
    store3(c, c_offset + U3, value)
    store9(jac, jac_offset + TURN_TILE, d1)
    store9(jac, jac_offset + NODE_TILES + TURN_TILE, d2)

    damped = settle_rows(
        joint_data, d, joint_flags, f, targets, t, t_before,
        lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
    )  # fmt: skip
    swings = joint_data[d + SWING_LIMIT] < math.inf
    twists = joint_data[d + TWIST_LOWER] > -math.inf or joint_data[d + TWIST_UPPER] < math.inf
    if swings or twists:
        target = load3(targets, t + U3)
        rate = scale3(1.0 / joint_data[d + TIME_STEP], sub3(target, load3(targets, t_before + U3)))
        inverse = gamma_inverse(value)
        left_2 = mul9(to_joint_1, transpose_mul9(m1, m2))
        mode = index * TURN_STRIDE + BALL_LIMITS
        before, acts = turns[mode], 0.0
        spring, total = ball_torques(joint_data, d, inverse, sub3(value, target), lam, lam_offset)
        if swings and limit_swing(
            joint_data, d, relative, value, target, rate, spring, total, before == 1.0 or before == 3.0,
            to_joint_1, left_2, d1, d2, lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
        ):  # fmt: skip
            acts += 1.0
        if twists and limit_twist(
            joint_data, d, relative, spring, total, before >= 2.0, to_joint_1, left_2,
            lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
        ):  # fmt: skip
            acts += 2.0
        turns[mode] = acts
    return damped


@kernel
def settle_rows(
    data, d, flags, f, targets, t, t_before,
    lam, lam_offset, c, c_offset, jac, jac_offset, alpha, alpha_offset, velocity,
):  # fmt: skip
    """Turn the six raw values in ``c`` into what each row does now; return whether one is damped."""
    damped = False
    step = data[d + TIME_STEP]
    for i in range(6):
        row = np.uint64(i)
        if flags[f + LOCKS + row] != U0:
            alpha[alpha_offset + row] = 0.0
            if velocity:
                c[c_offset + row] = 0.0
            continue
        value, compliance, mode = settle_row(
            c[c_offset + row],
            targets[t + row],
            (targets[t + row] - targets[t_before + row]) / step,
            data[d + LOWER + row],
            data[d + UPPER + row],
            data[d + STIFFNESS + row],
            data[d + DAMPING + row],
            data[d + WEIGHT + row],
            lam[lam_offset + row],
            step,
            velocity,
        )
        c[c_offset + row] = value
        alpha[alpha_offset + row] = compliance
        if mode == INACTIVE:
            clear_row(jac, jac_offset, row)
        elif mode == DAMPED:
            damped = True
    return damped


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
            1.0, lam[lam_offset + U4], data[d + TIME_STEP], velocity,
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
def update_turns(q, joint_data, joint_flags, index, turns):
    """Remember the angle of a hinge at the end of a substep, so that the next one counts on from it."""
    d, f = index * DATA_STRIDE, index * FLAG_STRIDE
    if joint_flags[f + SWING_TWIST] != U0:
        turn_1 = quaternion_mul(load4(q, joint_flags[f + NODE_1] * U4), load4(joint_data, d + TURN_1))
        turn_2 = quaternion_mul(load4(q, joint_flags[f + NODE_2] * U4), load4(joint_data, d + TURN_2))
        o = index * TURN_STRIDE + HINGE_ANGLE
        turns[o] = unwrap(twist_angle(quaternion_conjugate_mul(turn_1, turn_2)), turns[o])
