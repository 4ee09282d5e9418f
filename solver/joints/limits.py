"""Rows of a joint that are not simply locked: limits, springs, dampers, and the swing and twist of a rotation.

**Which limits act.** A limit on a coordinate c ≤ U is a complementarity: at a solution either the limit carries nothing
and the row's total multiplier λ is what its spring gives, or c = U and λ < f_U, where f_U = −Δt² k (U − target) is what
the spring would give at U (0 without a spring): the limit pushes on top of the spring and never pulls. Both cases
together are one test on the present iterate, the primal-dual active set:

    active  ⇔  (f_U − λ) + ρ (c − U) > 0,    ρ > 0 the inertia felt by the row.

In the first iteration λ = 0 says nothing, and the λ of the last substep stands for it: what rests on its limit is held
there, although at the predicted state (where gravity has moved places and turned nothing) it may not be past it. Later
iterations release a limit that pulls and seize one that was overrun. ρ only steers the first guess. Lower bounds mirror
it. λ is the row's total in either case, so it stays valid when the row changes sides.

**Swing and twist.** The relative rotation R_Δ = R̄₁ᵀR̄₂ with quaternion (w, x, y, z) is R_swing R_twist (paper eq. 76).
With n² = w² + z² and m² = x² + y²: twist τ = 2 atan2(z, w), swing angle θ = 2 atan2(m, n), swing axis
a = (xw − yz, xz + yw, 0)/(mn). No arccos, so nothing is lost at 0 and π (errata of paper eqs. 168, 169). For a turn δ
of body 2 relative to body 1, seen in body 1's joint frame, and the swing vector s = θ a:

    δ = Γ(s)ᵀ δs + R_swing e₃ δτ    with δs ⟂ e₃, hence
    δθ = a·δ,    δτ = δ_z + tan(θ/2) (a_y δ_x − a_x δ_y),
    δs = [1 − e s_y²,  e s_x s_y,  −s_y;  e s_x s_y,  1 − e s_x²,  s_x] δ,    e = (1 − θ cot θ)/θ².

At θ = π the twist is undefined: its limit sleeps there, and the swing rows are evaluated a hair before π.
"""

import math

from ..jit import helper
from ..lie.series import inverse_gamma_c

TWO_PI = 2.0 * math.pi
LARGEST_TANGENT = 2.0e3  # tan(θ/2) of a swing 1e-3 before π; beyond it twist means nothing
RELEASED = 1.0e30  # compliance of a limit that let go within the substep: its λ goes back to 0

INACTIVE = 0
ACTIVE = 1
DAMPED = 2


@helper
def limit_side(value, lower, upper, spring_lower, spring_upper, multiplier, weight):
    """Say which bound acts: 1 the upper, −1 the lower, 0 none (see the header)."""
    if upper < math.inf and spring_upper - multiplier + weight * (value - upper) > 0.0:
        return 1
    if lower > -math.inf and spring_lower - multiplier + weight * (value - lower) < 0.0:
        return -1
    return 0


@helper
def settle_row(value, target, rate, lower, upper, stiffness, damping, weight, multiplier, guess, step, velocity):
    """Decide what an unlocked row does now: returns (constraint value, compliance, INACTIVE, ACTIVE or DAMPED).

    ``value`` − ``target`` is the spring's stretch, ``rate`` the speed of the target, ``multiplier`` the row's λ,
    ``guess`` what stands for it where limits are chosen.
    """
    spring = step * step * stiffness
    side = limit_side(value, lower, upper, spring * (target - lower), spring * (target - upper), guess, weight)
    if side != 0:
        bound = upper if side > 0 else lower
        return (0.0 if velocity else value - bound), 0.0, ACTIVE
    if velocity:
        if damping > 0.0:
            return -rate, 1.0 / damping, DAMPED
        return 0.0, 1.0, INACTIVE
    if stiffness > 0.0:
        return value - target, 1.0 / stiffness, ACTIVE
    if multiplier != 0.0:
        return 0.0, RELEASED, ACTIVE
    return 0.0, 1.0, INACTIVE


@helper
def unwrap(angle, near):
    """The angle plus the whole turns that bring it closest to ``near``."""
    return angle + TWO_PI * math.floor((near - angle) / TWO_PI + 0.5)


@helper
def twist_angle(q):
    """τ of R_Δ, −2π … 2π before unwrapping (paper eq. 78)."""
    return 2.0 * math.atan2(q[3], q[0])


@helper
def rough_twist(q):
    """τ of R_Δ to a hundredth of a radian: enough to count turns by, at a third of the price."""
    w, z = abs(q[0]), abs(q[3])
    ratio = min(w, z) / max(w, z, 1e-300)
    half = ratio * (0.25 * math.pi + 0.273 * (1.0 - ratio))  # arctan in 0 … 1, to 0.004
    if z > w:
        half = 0.5 * math.pi - half
    if q[0] < 0.0:
        half = math.pi - half
    return -2.0 * half if q[3] < 0.0 else 2.0 * half


@helper
def swing_angle(q):
    """θ of R_Δ, 0 … π (paper eq. 77 without the arccos)."""
    return 2.0 * math.atan2(math.sqrt(q[1] * q[1] + q[2] * q[2]), math.sqrt(q[0] * q[0] + q[3] * q[3]))


@helper
def swing_axis(q):
    """(a_x, a_y) of R_Δ; where there is no swing, or half a turn of it, one of the axes that will do."""
    x, y = q[1] * q[0] - q[2] * q[3], q[1] * q[3] + q[2] * q[0]
    length = math.sqrt(x * x + y * y)
    if length > 1e-12:
        return x / length, y / length
    half_turn = math.sqrt(q[1] * q[1] + q[2] * q[2])
    if half_turn > 0.5:
        return q[1] / half_turn, q[2] / half_turn
    return 1.0, 0.0


@helper
def swing_tangent(q):
    """tan(θ/2), kept finite."""
    m = math.sqrt(q[1] * q[1] + q[2] * q[2])
    n = math.sqrt(q[0] * q[0] + q[3] * q[3])
    return LARGEST_TANGENT if m > LARGEST_TANGENT * n else m / n


@helper
def swing_rows(q):
    """Swing vector (s_x, s_y) of R_Δ, and the derivative of (s_x, s_y, τ) by δ as a tile (see the header)."""
    m = math.sqrt(q[1] * q[1] + q[2] * q[2])
    n = math.sqrt(q[0] * q[0] + q[3] * q[3])
    if m < 1e-4:  # s = (θ / sin θ) · 2 (xw − yz, xz + yw), and θ / sin θ = 1 + θ²/6 + …; θ = 2 asin m
        angle = 2.0 * m
        factor = 2.0 * (1.0 + 2.0 / 3.0 * m * m)
    else:
        angle = 2.0 * math.atan2(m, n)
        factor = angle / (m * max(n, 1e-12))
    x = factor * (q[1] * q[0] - q[2] * q[3])
    y = factor * (q[1] * q[3] + q[2] * q[0])
    safe = min(angle, math.pi - 1e-3)
    e = 4.0 * inverse_gamma_c(4.0 * safe * safe)
    h = 0.5 * (1.0 + 1.0 / 3.0 * m * m) if m < 1e-4 else swing_tangent(q) / angle
    gradient = (1.0 - e * y * y, e * x * y, -y, e * x * y, 1.0 - e * x * x, x, h * y, -h * x, 1.0)
    return (x, y), gradient
