"""SO(3): exp, log, ⊞, ⊟ and every Jacobian block of the paper, near 0, at the series' end and near π."""

import decimal
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from tendril.solver.lie import mat3, so3, vec3


def wrap(function, *shapes):
    """A Python function of arrays around a helper, which itself must not be called from Python."""
    if len(shapes) == 1:

        @njit
        def compiled(a):
            return function(a)

    elif len(shapes) == 2:

        @njit
        def compiled(a, b):
            return function(a, b)

    def call(*arguments):
        flat = [tuple(float(v) for v in np.ravel(a)) if np.ndim(a) else float(a) for a in arguments]
        result = compiled(*flat)
        return np.reshape(result, (3, 3)) if np.size(result) == 9 else np.asarray(result)

    return call


exp, log = wrap(so3.exp, 3), wrap(so3.log, 4)
plus, minus = wrap(so3.plus, 4, 3), wrap(so3.minus, 4, 4)
multiply, conjugate_multiply = wrap(so3.quaternion_mul, 4, 4), wrap(so3.quaternion_conjugate_mul, 4, 4)
normalize, matrix = wrap(so3.quaternion_normalize, 4), wrap(so3.matrix, 4)
rotate, rotate_inverse = wrap(so3.rotate, 4, 3), wrap(so3.rotate_inverse, 4, 3)
gamma, gamma_inverse = wrap(so3.gamma, 3), wrap(so3.gamma_inverse, 3)
gamma_derivative = wrap(so3.gamma_derivative, 3, 3)


def hat(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)


AXES = [unit(v) for v in ([1, 0, 0], [0, -1, 0], [0, 0, 1], [1, 2, -3], [-0.3, 0.1, 0.9])]
SMALL = [0.0, 1e-300, 1e-12, 1e-8, 1e-5, 1e-4, 1e-2]
SERIES = [math.sqrt(0.25) + d for d in (-1e-3, -1e-9, 0.0, 1e-9, 1e-3)]
LARGE = [1.0, 2.0, 3.0, math.pi - 1e-3, math.pi - 1e-6, math.pi - 1e-9]
ANGLES = SMALL + SERIES + LARGE
VECTORS = [angle * axis for angle in ANGLES for axis in AXES]
ROTATIONS = [Rotation.from_rotvec(v).as_quat(scalar_first=True) for v in np.random.default_rng(1).normal(size=(6, 3))]

component = st.floats(-2.0, 2.0)
vectors = st.tuples(component, component, component).map(np.array)


def derivative(f, at, moved, difference, size=2e-4):
    """Central differences of eighth order of f on the manifold: ``moved(at, t)`` ⊞, ``difference`` ⊟ of the values."""
    middle, result = f(at), []
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    for axis in np.eye(3):
        total = 0.0
        for k, weight in enumerate(weights, start=1):
            ahead = difference(f(moved(at, k * size * axis)), middle)
            total = total + weight * (ahead - difference(f(moved(at, -k * size * axis)), middle))
        result.append(total / size)
    return np.array(result).T


def flat(at, t):
    return at + t


def subtract(a, b):
    return a - b


def precise(x):
    return decimal.Decimal(float(x))


def precise_quaternion(vector):
    """exp by its power series in 60 digits."""
    with decimal.localcontext() as context:
        context.prec = 60
        half = [precise(v) / 2 for v in vector]
        y = sum(v * v for v in half)
        sine = cosine = decimal.Decimal(0)
        even = odd = decimal.Decimal(1)
        for k in range(30):
            cosine += even
            sine += odd
            even *= -y / ((2 * k + 1) * (2 * k + 2))
            odd *= -y / ((2 * k + 2) * (2 * k + 3))
        return np.array([float(cosine), *(float(v * sine) for v in half)])


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_is_exact(angle):
    for axis in AXES:
        q = exp(angle * axis)
        np.testing.assert_allclose(q, precise_quaternion(angle * axis), rtol=1e-15, atol=2e-16)
        assert abs(q @ q - 1.0) < 4e-16


def test_exp_is_the_matrix_exponential():
    for v in VECTORS:
        np.testing.assert_allclose(matrix(exp(v)), expm(hat(v)), rtol=0, atol=4e-15)


@pytest.mark.parametrize("angle", ANGLES)
def test_log_undoes_exp(angle):
    for axis in AXES:
        v = angle * axis
        np.testing.assert_allclose(log(precise_quaternion(v)), v, rtol=2e-15, atol=1e-15 if angle else 0)
        np.testing.assert_allclose(log(-precise_quaternion(v)), v, rtol=2e-15, atol=1e-15 if angle else 0)


def test_log_is_the_matrix_logarithm():
    for v in VECTORS:
        if 1e-3 < np.linalg.norm(v) < 3.0:
            upper = logm(expm(hat(v))).real
            np.testing.assert_allclose(log(exp(v)), [upper[2, 1], upper[0, 2], upper[1, 0]], atol=1e-12)


def test_log_is_the_shortest_past_half_a_turn():
    for axis in AXES:
        for past in (1e-9, 1e-6, 0.5, math.pi):
            v = (math.pi + past) * axis
            np.testing.assert_allclose(log(exp(v)), (past - math.pi) * axis, atol=2e-15)


def test_log_at_half_a_turn_is_half_a_turn():
    for axis in AXES:
        v = log([0.0, *axis])
        assert np.linalg.norm(v) == pytest.approx(math.pi, abs=1e-15)
        np.testing.assert_allclose(matrix(exp(v)), matrix([0.0, *axis]), atol=1e-15)


@given(vectors, vectors)
@settings(max_examples=200, deadline=None)
def test_minus_undoes_plus(a, b):
    """Eq. 11, both ways round."""
    q1, q2 = exp(a), exp(b)
    np.testing.assert_allclose(matrix(plus(q2, minus(q1, q2))), matrix(q1), atol=4e-15)
    if np.linalg.norm(b) < 3.1:
        np.testing.assert_allclose(minus(plus(q1, b), q1), b, atol=4e-15)


def test_signs_are_those_of_the_conventions():
    """plus(R, θ) = R exp(θ), minus(R1, R2) = log(R2ᵀ R1)."""
    for q in ROTATIONS:
        t = np.array([0.3, -0.2, 0.1])
        np.testing.assert_allclose(matrix(plus(q, t)), matrix(q) @ expm(hat(t)), atol=1e-15)
        other = ROTATIONS[0]
        relative = Rotation.from_matrix(matrix(other).T @ matrix(q))
        np.testing.assert_allclose(minus(q, other), relative.as_rotvec(), atol=2e-15)


@given(vectors, vectors, vectors)
@settings(max_examples=100, deadline=None)
def test_quaternions_compose_like_matrices(a, b, p):
    q1, q2 = exp(a), exp(b)
    np.testing.assert_allclose(matrix(multiply(q1, q2)), matrix(q1) @ matrix(q2), atol=4e-15)
    np.testing.assert_allclose(matrix(conjugate_multiply(q1, q2)), matrix(q1).T @ matrix(q2), atol=4e-15)
    np.testing.assert_allclose(rotate(q1, p), matrix(q1) @ p, atol=8e-15)
    np.testing.assert_allclose(rotate_inverse(q1, p), matrix(q1).T @ p, atol=8e-15)
    np.testing.assert_allclose(normalize(3.0 * q1), q1, atol=4e-16)
    np.testing.assert_allclose(matrix(q1), Rotation.from_rotvec(a).as_matrix(), atol=4e-15)


def test_plus_keeps_unit_length():
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for t in np.random.default_rng(0).normal(size=(500, 3)):
        q = plus(q, t)
    assert abs(q @ q - 1.0) < 4e-16


# Jacobian blocks, by their number in the paper.


@pytest.mark.parametrize("q", ROTATIONS)
def test_jacobian_of_a_rotated_point(q):
    """(20) D_R (R p) = −R p̂."""
    p = np.array([0.4, -1.2, 0.7])
    found = derivative(lambda q: matrix(q) @ p, q, plus, subtract)
    np.testing.assert_allclose(found, -matrix(q) @ hat(p), atol=1e-11)


@pytest.mark.parametrize("q", ROTATIONS)
def test_jacobian_of_the_transpose(q):
    """(21) D_R Rᵀ = −R."""
    found = derivative(lambda q: q * [1, -1, -1, -1], q, plus, minus)
    np.testing.assert_allclose(found, -matrix(q), atol=1e-11)


@pytest.mark.parametrize("q", ROTATIONS)
def test_jacobians_of_a_product(q):
    """(22), (23) D_R₁ (R₁ R₂) = R₂ᵀ, D_R₂ (R₁ R₂) = I."""
    other = ROTATIONS[2]
    left = derivative(lambda q: multiply(q, other), q, plus, minus)
    right = derivative(lambda q: multiply(other, q), q, plus, minus)
    np.testing.assert_allclose(left, matrix(other).T, atol=1e-11)
    np.testing.assert_allclose(right, np.eye(3), atol=1e-11)


@pytest.mark.parametrize("angle", [*ANGLES, math.pi, 4.0, 6.0])
def test_gamma_is_the_jacobian_of_exp(angle):
    """(24)–(26)."""
    for axis in AXES:
        v = angle * axis
        found = derivative(exp, v, flat, minus)
        np.testing.assert_allclose(gamma(v), found, atol=1e-11)


@pytest.mark.parametrize("angle", ANGLES)
def test_gamma_inverse_is_the_jacobian_of_log(angle):
    """(27), without crossing the flip at π: there the closed forms are compared."""
    for axis in AXES:
        v = angle * axis
        np.testing.assert_allclose(gamma_inverse(v) @ gamma(v), np.eye(3), atol=4e-15)
        if angle <= math.pi - 1e-3:
            q, size = exp(v), min(2e-4, 0.2 * (math.pi - angle))
            found = derivative(log, q, plus, subtract, size)
            np.testing.assert_allclose(gamma_inverse(v), found, atol=1e-10)


def test_gamma_inverse_at_half_a_turn():
    """Γ⁻¹ has no 0/0 at π: there c = 1/π²."""
    for axis in AXES:
        h = hat(math.pi * axis)
        np.testing.assert_allclose(
            gamma_inverse(math.pi * axis), np.eye(3) + 0.5 * h + h @ h / math.pi**2, rtol=0, atol=1e-15
        )


@pytest.mark.parametrize("angle", [a for a in ANGLES if a <= math.pi - 1e-3])
def test_jacobians_of_minus(angle):
    """(28) D_R₁ = Γ⁻¹, D_R₂ = −Γ⁻ᵀ."""
    q2 = ROTATIONS[3]
    for axis in AXES:
        q1, size = plus(q2, angle * axis), min(2e-4, 0.2 * (math.pi - angle))
        inverse = gamma_inverse(minus(q1, q2))
        first = derivative(lambda q: minus(q, q2), q1, plus, subtract, size)
        second = derivative(lambda q, q1=q1: minus(q1, q), q2, plus, subtract, size)
        np.testing.assert_allclose(first, inverse, atol=1e-10)
        np.testing.assert_allclose(second, -inverse.T, atol=1e-10)


@pytest.mark.parametrize("angle", [*ANGLES, math.pi, 4.0])
def test_contracted_derivative_of_gamma(angle):
    """K = ∂(Γ(θ) w)/∂θ."""
    w = np.array([0.7, -0.2, 1.1])
    for axis in AXES:
        v = angle * axis
        found = derivative(lambda v: gamma(v) @ w, v, flat, subtract, 1e-2 if 0.3 < angle < 1.0 else 2e-3)
        np.testing.assert_allclose(gamma_derivative(v, w), found, atol=1e-11)


def test_contracted_derivative_is_continuous_where_the_series_ends():
    w = np.array([0.7, -0.2, 1.1])
    for axis in AXES:
        below, above = gamma_derivative((0.5 - 1e-15) * axis, w), gamma_derivative((0.5 + 1e-15) * axis, w)
        np.testing.assert_allclose(below, above, atol=1e-13)


# Tiles.


def test_tiles_are_matrices():
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 3, 3))
    u, v = random.normal(size=(2, 3))
    cases = [
        (mat3.add9, (a, b), a + b),
        (mat3.sub9, (a, b), a - b),
        (mat3.scale9, (2.5, a), 2.5 * a),
        (mat3.transpose9, (a,), a.T),
        (mat3.mul9, (a, b), a @ b),
        (mat3.mul_transpose9, (a, b), a @ b.T),
        (mat3.transpose_mul9, (a, b), a.T @ b),
        (mat3.apply9, (a, v), a @ v),
        (mat3.transpose_apply9, (a, v), a.T @ v),
        (mat3.scale_columns9, (a, v), a @ np.diag(v)),
        (mat3.diagonal9, (v,), np.diag(v)),
        (mat3.outer9, (u, v), np.outer(u, v)),
        (mat3.hat9, (v,), hat(v)),
        (mat3.hat_mul9, (v, a), hat(v) @ a),
        (vec3.add3, (u, v), u + v),
        (vec3.sub3, (u, v), u - v),
        (vec3.scale3, (2.5, v), 2.5 * v),
        (vec3.times3, (u, v), u * v),
        (vec3.dot3, (u, v), u @ v),
        (vec3.cross3, (u, v), np.cross(u, v)),
    ]
    for function, arguments, expected in cases:
        result = wrap(function, *arguments)(*arguments)
        np.testing.assert_allclose(result, expected, rtol=1e-14, atol=1e-15, err_msg=function.__name__)


@njit
def _copy(source, target):
    o = np.uint64(5)
    mat3.store9(target, o, mat3.load9(source, o))
    vec3.store3(target, np.uint64(20), vec3.load3(source, np.uint64(20)))
    vec3.accumulate3(target, np.uint64(20), vec3.load3(source, np.uint64(23)))


def test_loads_and_stores():
    source, target = np.arange(30.0), np.zeros(30)
    _copy(source, target)
    expected = np.zeros(30)
    expected[5:14] = source[5:14]
    expected[20:23] = source[20:23] + source[23:26]
    np.testing.assert_array_equal(target, expected)
