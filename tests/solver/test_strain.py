"""Strains of an element: Jacobian against finite differences on the manifold, objectivity, and closed forms."""

import numpy as np
import pytest
from dense import evaluate, jacobian, move, quaternion_exp, quaternion_product

from tendril.solver import Rod, Scene, Simulation
from tendril.solver.orientation import matrix_from_quaternion
from tendril.solver.rods.basis import basis

LENGTH = 0.7
ORDERS = [1, 2, 3]


def element(order):
    """A single element, its strains not reduced by rest strains, between nodes 1 … order + 1."""
    simulation = Simulation(Scene(rods=(Rod("rod", [[0, 0, 0], [LENGTH, 0, 0]], elements=1, order=order),)))
    simulation.model.rest[:] = 0.0
    return simulation


def place(simulation, positions, rotations):
    """Put the nodes of the element somewhere."""
    simulation.state.x[3:] = np.ravel(positions)
    simulation.state.q[4:] = np.ravel(rotations)


def strains(simulation):
    """(m, 6) v, u at the Gauss points."""
    evaluate(simulation)
    return simulation.work.c.reshape(-1, 6).copy()


def random_rotation(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_state(order, rng, angle):
    """Random places, and rotations ``angle`` away from the first node's, about random axes."""
    axes = rng.normal(size=(order, 3))
    axes *= angle / np.linalg.norm(axes, axis=1, keepdims=True)
    first = random_rotation(rng)
    rotations = [first, *quaternion_product(first, quaternion_exp(axes))]
    signs = rng.choice([-1.0, 1.0], size=(order + 1, 1))  # q and −q are one rotation
    return rng.normal(size=(order + 1, 3)), signs * rotations


def difference_error(simulation, step=3e-5):
    """Largest relative error of the Jacobian against central differences of fourth order."""
    x, q = simulation.state.x.copy(), simulation.state.q.copy()
    strains(simulation)
    analytic = jacobian(simulation)

    def at(column, amount):
        simulation.state.x[:], simulation.state.q[:] = x, q
        change = np.zeros(analytic.shape[1])
        change[column] = amount
        move(simulation, change)
        return strains(simulation).ravel()

    numeric = np.zeros_like(analytic)
    for column in range(6, analytic.shape[1]):
        near, far = at(column, step) - at(column, -step), at(column, 2 * step) - at(column, -2 * step)
        numeric[:, column] = (8.0 * near - far) / (12.0 * step)
    return np.abs(analytic - numeric).max() / max(1.0, np.abs(numeric).max())


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.3, 0.499, 0.501, 1.5, 2.5, 3.0, 3.1])
@pytest.mark.parametrize("order", ORDERS)
def test_the_jacobian_is_the_derivative(order, angle):
    simulation, rng = element(order), np.random.default_rng(100 * order + int(10 * angle))
    for _ in range(4):
        place(simulation, *random_state(order, rng, angle))
        assert difference_error(simulation) < 1e-7


@pytest.mark.parametrize("angle", [0.0, 1e-6, 0.4, 2.0, 3.1])
@pytest.mark.parametrize("order", ORDERS)
def test_a_rigid_motion_leaves_the_strains(order, angle):
    simulation, rng = element(order), np.random.default_rng(order)
    for _ in range(5):
        positions, rotations = random_state(order, rng, angle)
        place(simulation, positions, rotations)
        before = strains(simulation)
        turn, shift = random_rotation(rng), rng.normal(size=3)
        place(simulation, positions @ matrix_from_quaternion(turn).T + shift, quaternion_product(turn, rotations))
        scale = max(1.0, np.abs(before).max())
        np.testing.assert_allclose(strains(simulation), before, rtol=0.0, atol=2e-12 * scale)


@pytest.mark.parametrize("order", ORDERS)
def test_a_straight_stretched_twisted_element(order):
    simulation, stretch, rate = element(order), 1.3, 0.8
    s = LENGTH * np.arange(order + 1) / order
    rotations = quaternion_exp(np.outer(rate * s, [0.0, 0.0, 1.0]))
    place(simulation, np.outer(stretch * s, [0.0, 0.0, 1.0]), rotations)
    expected = np.tile([0.0, 0.0, stretch, 0.0, 0.0, rate], (order, 1))
    np.testing.assert_allclose(strains(simulation), expected, atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_a_sheared_element(order):
    simulation = element(order)
    s = LENGTH * np.arange(order + 1) / order
    place(simulation, np.outer(s, [0.2, -0.1, 1.1]), np.tile([1.0, 0, 0, 0], (order + 1, 1)))
    np.testing.assert_allclose(strains(simulation), np.tile([0.2, -0.1, 1.1, 0, 0, 0], (order, 1)), atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("axis", [0, 1])
def test_an_element_on_a_circle(order, axis):
    """Rotations linear in s about one axis: u is the curvature exactly; v is e₃ as well as polynomials follow sines."""
    simulation, curvature = element(order), 0.5
    s = LENGTH * np.arange(order + 1) / order
    rotations = quaternion_exp(np.outer(curvature * s, np.eye(3)[axis]))
    along, across = np.sin(curvature * s) / curvature, (1.0 - np.cos(curvature * s)) / curvature
    positions = np.zeros((order + 1, 3))
    positions[:, 2] = along
    positions[:, 1 - axis] = -across if axis == 0 else across
    place(simulation, positions, rotations)
    found = strains(simulation)
    np.testing.assert_allclose(found[:, 3:], np.tile(curvature * np.eye(3)[axis], (order, 1)), atol=1e-13)
    bound = {1: 1e-2, 2: 3e-3, 3: 1e-4}[order]
    np.testing.assert_allclose(found[:, :3], np.tile([0, 0, 1.0], (order, 1)), atol=bound)


def test_tables_know_the_element():
    """The strain of one linear element is its chord in the middle frame."""
    simulation = element(1)
    turn = np.array([0.0, 0.6, 0.0])
    place(simulation, [[0, 0, 0], [0.3, 0.1, 0.5]], quaternion_exp(np.array([[0.0, 0, 0], turn])))
    middle = matrix_from_quaternion(quaternion_exp(0.5 * turn))
    expected = middle.T @ np.array([0.3, 0.1, 0.5]) / LENGTH
    np.testing.assert_allclose(strains(simulation)[0], [*expected, *(turn / LENGTH)], atol=1e-14)
    assert basis(1).points[0] == 0.5


def on_an_arc(order, angle, axis, twist=0.0):
    """Places and rotations of an element bent to an arc of ``angle`` about a local axis."""
    share = np.arange(order + 1) / order
    bend = np.eye(3)[axis]
    rotations = quaternion_product(
        quaternion_exp(np.outer(angle * share, bend)), quaternion_exp(np.outer(twist * share, [0.0, 0.0, 1.0]))
    )
    along, across = LENGTH * np.sin(angle * share) / angle, LENGTH * (1.0 - np.cos(angle * share)) / angle
    positions = np.outer(along, [0.0, 0.0, 1.0]) + np.outer(across, np.cross(bend, [0.0, 0.0, 1.0]))
    return positions, rotations


@pytest.mark.parametrize("angle", [2.0, 3.1, np.pi, 3.2, 4.0, 5.2])
@pytest.mark.parametrize("order", ORDERS)
def test_an_element_bent_by_more_than_half_a_turn(order, angle):
    """The curvature is that of the arc, not that of the shorter turn the other way, which would invert the strains."""
    simulation = element(order)
    for axis in (0, 1):
        place(simulation, *on_an_arc(order, angle, axis))
        found = strains(simulation)
        np.testing.assert_allclose(found[:, 3:], np.tile(angle / LENGTH * np.eye(3)[axis], (order, 1)), atol=1e-9)
        assert found[:, 2].min() > 0.0
        assert difference_error(simulation) < 1e-6


@pytest.mark.parametrize("order", ORDERS)
def test_bending_past_half_a_turn_is_smooth(order):
    simulation, steps = element(order), np.linspace(np.pi - 0.01, np.pi + 0.01, 21)
    found = []
    for angle in steps:
        place(simulation, *on_an_arc(order, angle, 1, twist=0.3))
        found.append(strains(simulation))
    assert np.abs(np.diff(found, axis=0)).max() < 0.01 / LENGTH


@pytest.mark.parametrize("order", ORDERS)
def test_a_twist_past_half_a_turn_takes_the_shorter_way(order):
    """Nothing tells the two ways round apart, and both have the same energy at half a turn."""
    simulation, twist = element(order), np.pi + 0.2
    places = np.outer(LENGTH * np.arange(order + 1) / order, [0.0, 0.0, 1.0])
    share = np.arange(order + 1) / order
    place(simulation, places, quaternion_exp(np.outer(twist * share, [0.0, 0.0, 1.0])))
    if order == 1:
        assert strains(simulation)[0, 5] == pytest.approx((twist - 2 * np.pi) / LENGTH)


# ---------------------------------------------------------------- order 0, the chain of rigid bodies


def chain_state(rng, angle):
    """Two random places, and rotations ``angle`` apart."""
    return random_state(1, rng, angle)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.3, 0.499, 0.501, 1.5, 2.5, 3.0, 3.1])
def test_the_jacobian_of_a_chain_link_is_the_derivative(angle):
    simulation, rng = element(0), np.random.default_rng(int(10 * angle))
    for _ in range(4):
        place(simulation, *chain_state(rng, angle))
        assert difference_error(simulation) < 1e-7


@pytest.mark.parametrize("angle", [0.0, 0.4, 2.0, 3.1])
def test_a_chain_link_has_the_strains_of_the_paper(angle):
    """v = ½ (R₁ᵀ + R₂ᵀ)(p₂ − p₁)/l (89) and u = log(R₁ᵀ R₂)/l (90), with matrices."""
    simulation, rng = element(0), np.random.default_rng(3)
    positions, rotations = chain_state(rng, angle)
    place(simulation, positions, rotations)
    one, two = (matrix_from_quaternion(q) for q in rotations)
    v = 0.5 * (one.T + two.T) @ (positions[1] - positions[0]) / LENGTH
    turn = one.T @ two
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    size = np.linalg.norm(axis)
    u = axis / max(size, 1e-300) * np.arctan2(0.5 * size, 0.5 * (np.trace(turn) - 1.0)) / LENGTH
    np.testing.assert_allclose(strains(simulation)[0], [*v, *u], atol=1e-11)


def test_a_rigid_motion_leaves_the_strains_of_a_chain_link():
    simulation, rng = element(0), np.random.default_rng(4)
    positions, rotations = chain_state(rng, 1.3)
    place(simulation, positions, rotations)
    before = strains(simulation)
    turn, shift = random_rotation(rng), rng.normal(size=3)
    place(simulation, positions @ matrix_from_quaternion(turn).T + shift, quaternion_product(turn, rotations))
    np.testing.assert_allclose(strains(simulation), before, atol=1e-13)
