"""SO(3) on unit quaternions w x y z (body → world): exp, log, ⊞, ⊟, Γ, Γ⁻¹ and the contracted derivative of Γ.

Perturbations act on the right, in the body frame (paper eqs. 9, 10): R ⊞ θ = R exp(θ̂), R₁ ⊟ R₂ = log(R₂ᵀ R₁).
"""

import math

from ..jit import helper
from .mat3 import add9, hat9, outer9, scale9
from .series import gamma_a, gamma_a_slope, gamma_b, gamma_b_slope, half_cosine, half_sine, inverse_gamma_c
from .vec3 import add3, cross3, dot3, scale3


@helper
def quaternion_mul(p, q):
    """Compose two rotations: R(pq) = R(p) R(q)."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@helper
def quaternion_conjugate_mul(p, q):
    """R(p)ᵀ R(q)."""
    return quaternion_mul((p[0], -p[1], -p[2], -p[3]), q)


@helper
def quaternion_normalize(q):
    """Pull a quaternion that drifted by rounding back to unit length."""
    d = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0
    if abs(d) < 1e-6:  # 1/sqrt(1 + d), without the wait for a root and a quotient
        s = 1.0 - d * (0.5 - 0.375 * d)
    else:
        s = 1.0 / math.sqrt(1.0 + d)
    return (s * q[0], s * q[1], s * q[2], s * q[3])


@helper
def matrix(q):
    """The rotation matrix of q as a tile."""
    w, x, y, z = q
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return (
        1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy),
        2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx),
        2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy),
    )  # fmt: skip


@helper
def rotate(q, v):
    """R(q) v."""
    t = cross3((q[1], q[2], q[3]), v)
    t = (2.0 * t[0], 2.0 * t[1], 2.0 * t[2])
    c = cross3((q[1], q[2], q[3]), t)
    return (v[0] + q[0] * t[0] + c[0], v[1] + q[0] * t[1] + c[1], v[2] + q[0] * t[2] + c[2])


@helper
def rotate_inverse(q, v):
    """R(q)ᵀ v."""
    return rotate((q[0], -q[1], -q[2], -q[3]), v)


@helper
def exp(t):
    """exp(θ̂) as a unit quaternion (paper eqs. 6, 31)."""
    x = dot3(t, t)
    s = half_sine(x)
    return (half_cosine(x), s * t[0], s * t[1], s * t[2])


@helper
def log(q):
    """The shortest rotation vector of q (paper eq. 8, on the quaternion: exact to rounding at 0 and at π)."""
    w, x, y, z = q
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    nn = x * x + y * y + z * z
    inverse = 1.0 / w
    t = nn * inverse * inverse
    if t < 0.01:  # 2 atan(√t)/(w √t) as a series
        rest = 1.0 / 9.0 - t * (1.0 / 11.0 - t * (1.0 / 13.0 - t * (1.0 / 15.0)))
        s = 2.0 * inverse * (1.0 - t * (1.0 / 3.0 - t * (1.0 / 5.0 - t * (1.0 / 7.0 - t * rest))))
    else:
        n = math.sqrt(nn)
        s = 2.0 * math.atan2(n, w) / n
    return (s * x, s * y, s * z)


@helper
def plus(q, t):
    """R ⊞ θ = R exp(θ̂) (paper eq. 9), renormalised."""
    return quaternion_normalize(quaternion_mul(q, exp(t)))


@helper
def minus(q1, q2):
    """R₁ ⊟ R₂ = log(R₂ᵀ R₁) (paper eq. 10)."""
    return log(quaternion_conjugate_mul(q2, q1))


@helper
def gamma(t):
    """Γ(θ) = I − a θ̂ + b θ̂², the right Jacobian of exp (paper eq. 25)."""
    x = dot3(t, t)
    a, b = gamma_a(x), gamma_b(x)
    return hat_polynomial(t, x, -a, b)


@helper
def gamma_inverse(t):
    """Γ⁻¹(θ) = I + ½ θ̂ + c θ̂², the right Jacobian of log (paper eq. 27)."""
    x = dot3(t, t)
    return hat_polynomial(t, x, 0.5, inverse_gamma_c(x))


@helper
def hat_polynomial(t, x, f, g):
    """I + f θ̂ + g θ̂², with θ̂² = θθᵀ − x I and x = θ·θ."""
    d = 1.0 - g * x
    xy, xz, yz = g * t[0] * t[1], g * t[0] * t[2], g * t[1] * t[2]
    fx, fy, fz = f * t[0], f * t[1], f * t[2]
    return (
        d + g * t[0] * t[0], xy - fz, xz + fy,
        xy + fz, d + g * t[1] * t[1], yz - fx,
        xz - fy, yz + fx, d + g * t[2] * t[2],
    )  # fmt: skip


@helper
def gamma_derivative(t, w):
    """K = ∂(Γ(θ) w)/∂θ, the derivative of Γ contracted with w (paper App. G, in closed form).

    With c = θ×w and h = θ×c: K = (−a₁ c + b₁ h − b w) θᵀ + [a w − b c]^ + b (θ·w) I.
    """
    x = dot3(t, t)
    a, b = gamma_a(x), gamma_b(x)
    return contracted_derivative(t, w, a, b, gamma_a_slope(x, a, b), gamma_b_slope(x, a, b))


@helper
def contracted_derivative(t, w, a, b, a1, b1):
    """``gamma_derivative`` where the four coefficients are already known."""
    c = cross3(t, w)
    h = cross3(t, c)
    u = (b1 * h[0] - a1 * c[0] - b * w[0], b1 * h[1] - a1 * c[1] - b * w[1], b1 * h[2] - a1 * c[2] - b * w[2])
    s = add3(scale3(a, w), scale3(-b, c))
    d = b * dot3(t, w)
    return add9(add9(outer9(u, t), hat9(s)), scale9(d, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)))
