"""Tables of the rod elements: what holds for any order, and the lumped weights of the paper."""

import numpy as np
import pytest

from tendril.solver.rods.basis import basis, lagrange

ORDERS = [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("order", ORDERS)
def test_a_basis_function_is_one_at_its_node_and_zero_at_the_others(order):
    values, _ = lagrange(order, np.arange(order + 1) / order)
    np.testing.assert_allclose(values, np.eye(order + 1), atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_the_basis_adds_up_to_one(order):
    values, slopes = lagrange(order, np.linspace(0.0, 1.0, 23))
    np.testing.assert_allclose(values.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(slopes.sum(axis=1), 0.0, atol=1e-10)


@pytest.mark.parametrize("order", ORDERS)
def test_polynomials_up_to_the_order_and_their_slopes_are_exact(order):
    table, nodes = basis(order), np.arange(order + 1) / order
    for power in range(order + 1):
        np.testing.assert_allclose(table.values @ nodes**power, table.points**power, atol=1e-13)
        slope = power * table.points ** max(power - 1, 0)
        np.testing.assert_allclose(table.slopes @ nodes**power, slope, atol=1e-11)


@pytest.mark.parametrize("order", ORDERS)
def test_gauss_points_integrate_degree_2k_minus_1_and_no_more(order):
    table = basis(order)
    for power in range(2 * order):
        assert table.weights @ table.points**power == pytest.approx(1.0 / (power + 1), abs=1e-14)
    assert abs(table.weights @ table.points ** (2 * order) - 1.0 / (2 * order + 1)) > 1e-9


def test_gauss_points_are_those_of_the_errata():
    np.testing.assert_allclose(basis(1).points, [0.5])
    np.testing.assert_allclose(basis(2).points, 0.5 + np.array([-1, 1]) * np.sqrt(3) / 6)
    np.testing.assert_allclose(basis(3).points, 0.5 + np.array([-1, 0, 1]) * np.sqrt(15) / 10, atol=1e-15)


def test_lumped_weights_are_those_of_the_paper():
    np.testing.assert_allclose(basis(1).lumped, np.array([1, 1]) / 2, atol=1e-15)
    np.testing.assert_allclose(basis(2).lumped, np.array([1, 4, 1]) / 6, atol=1e-15)
    np.testing.assert_allclose(basis(3).lumped, np.array([1, 3, 3, 1]) / 8, atol=1e-15)


def test_the_flat_table_is_values_and_slopes_by_gauss_point_then_lumped_weights():
    table = basis(3)
    points = table.flat()[:24].reshape(3, 2, 4)
    np.testing.assert_array_equal(points[:, 0], table.values)
    np.testing.assert_array_equal(points[:, 1], table.slopes)
    np.testing.assert_array_equal(table.flat()[24:], table.lumped)


@pytest.mark.parametrize("order", [0, 8])
def test_orders_without_positive_masses_are_refused(order):
    with pytest.raises((ValueError, IndexError)):
        basis(order)
    if order == 8:
        with pytest.raises(ValueError, match="order 8"):
            basis(order)
