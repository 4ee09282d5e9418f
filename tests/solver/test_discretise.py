"""Nodes and frames of drawn curves against closed forms."""

import math

import numpy as np
import pytest

from tendril.solver.orientation import matrix_from_quaternion
from tendril.solver.rods.basis import basis
from tendril.solver.rods.centre_line import CentreLine
from tendril.solver.rods.discretise import discretise, element_bounds
from tendril.solver.scene import SceneError

RADIUS, RISE = 0.7, 0.3  # of the helix (r cos t, r sin t, c t)
SPEED = math.hypot(RADIUS, RISE)
TURNS = 3.0 * math.pi  # t at the end


def helix(t):
    """Places, unit tangents and Frenet normals."""
    t = np.asarray(t)
    place = np.stack([RADIUS * np.cos(t), RADIUS * np.sin(t), RISE * t], axis=-1)
    tangent = np.stack([-RADIUS * np.sin(t), RADIUS * np.cos(t), np.full_like(t, RISE)], axis=-1) / SPEED
    normal = np.stack([-np.cos(t), -np.sin(t), np.zeros_like(t)], axis=-1)
    return place, tangent, normal


def drawn_helix(count, elements=3, order=3, with_tangents=True, with_normals=True):
    """Discretise a helix drawn with ``count`` points; nodes lie off the points, at the same phases for every 2ⁿ + 1."""
    place, tangent, normal = helix(np.linspace(0.0, TURNS, count))
    return discretise(place, tangent if with_tangents else None, normal if with_normals else None, elements, order)


def order_of(errors):
    """Order of convergence when the distance is halved."""
    return np.log2(np.asarray(errors[:-1]) / np.asarray(errors[1:]))


def orthonormality(rotations):
    """Largest departure of the frames from orthonormal ones, quaternions included."""
    frames = matrix_from_quaternion(rotations)
    frames = np.abs(np.swapaxes(frames, 1, 2) @ frames - np.eye(3)).max()
    return max(frames, np.abs(np.linalg.norm(rotations, axis=1) - 1.0).max())


@pytest.mark.parametrize("with_tangents, order", [(True, 4), (False, 2)])
def test_positions_converge_on_a_helix(with_tangents, order):
    """The places of the nodes, compared with equal arc length on the exact helix."""
    exact = helix(np.linspace(0.0, TURNS, 10))[0]
    errors = []
    for count in (17, 33, 65, 129):
        drawn = drawn_helix(count, elements=9, order=1, with_tangents=with_tangents)
        errors.append(np.abs(drawn.positions - exact).max())
    assert np.all(np.abs(order_of(errors) - order) < 0.2), errors
    assert errors[-1] < (1e-7 if with_tangents else 1e-2)


def test_length_converges_on_a_helix():
    """elements · element_length is the length, to O(h⁴)."""
    errors = [abs(3 * drawn_helix(count).lengths[0] - SPEED * TURNS) for count in (17, 33, 65, 129)]
    assert np.all(order_of(errors) > 3.7), errors
    assert errors[-1] < 1e-6


def test_frames_of_a_helix_follow_the_normals():
    """With Frenet normals d1, d2, d3 are normal, binormal and tangent; the angle is interpolated exactly."""
    exact_d3, exact_d1 = helix(np.linspace(0.0, TURNS, 10))[1:]
    errors = []
    for count in (17, 33, 65, 129):
        frames = matrix_from_quaternion(drawn_helix(count).rotations)
        errors.append(max(np.abs(frames[:, :, 0] - exact_d1).max(), np.abs(frames[:, :, 2] - exact_d3).max()))
    assert np.all(order_of(errors) > 2.8), errors
    assert errors[-1] < 1e-4


def test_rotation_minimising_frame_of_a_helix():
    """Against the Frenet frame it turns back by the torsion: angle −τ s, τ = c / (r² + c²)."""
    place, tangent, _ = helix(np.linspace(0.0, TURNS, 385))
    drawn = discretise(place, tangent, None, 4, 3)
    frames = matrix_from_quaternion(drawn.rotations)
    exact = helix(np.linspace(0.0, TURNS, 13))
    frenet_d2 = np.cross(exact[1], exact[2])
    angle = np.arctan2(np.sum(frames[:, :, 0] * frenet_d2, axis=1), np.sum(frames[:, :, 0] * exact[2], axis=1))
    change = np.unwrap(angle) - angle[0]
    arc = SPEED * np.linspace(0.0, TURNS, 13)
    np.testing.assert_allclose(change, -RISE / SPEED**2 * arc, atol=2e-6)


def test_planar_curve_does_not_twist():
    """In a plane the normal of the plane stays where it is in the frame."""
    t = np.linspace(0.0, 5.0, 9)
    place = np.stack([t, np.zeros_like(t), np.sin(2.0 * t)], axis=1)
    tangent = np.stack([np.ones_like(t), np.zeros_like(t), 2.0 * np.cos(2.0 * t)], axis=1)
    turn = matrix_from_quaternion(np.array([0.5, 0.1, -0.7, math.sqrt(1 - 0.75)]))
    drawn = discretise(place @ turn.T, tangent @ turn.T, None, 7, 3)
    inside = matrix_from_quaternion(drawn.rotations).transpose(0, 2, 1) @ turn[:, 1]
    np.testing.assert_allclose(inside, np.broadcast_to(inside[0], inside.shape), atol=2e-13)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_circle(order):
    """Nodes on a circle from exact tangents: equal angles, frames turn about the axis only, length 2πr·¾."""
    angle = np.linspace(0.0, 1.5 * np.pi, 25)
    place = 2.0 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    tangent = np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=1)
    drawn = discretise(place, tangent, None, 5, order)
    exact = np.linspace(0.0, 1.5 * np.pi, 5 * order + 1)
    # Leading error of the cubic with tangents of its own length: r h⁴/384 off the circle; r h⁴/720 per length.
    bound = 2.0 * (1.5 * np.pi / 24) ** 4 / 384 * 1.2
    # Inner nodes of a cubic are beside the circle: its tangent is right at the Gauss points instead.
    shown = slice(None, None, order if order > 2 else 1)
    np.testing.assert_allclose(drawn.positions[shown, 0], 2.0 * np.cos(exact)[shown], atol=bound)
    np.testing.assert_allclose(drawn.positions[shown, 1], 2.0 * np.sin(exact)[shown], atol=bound)
    np.testing.assert_allclose(drawn.positions[:, 2], 0.0, atol=1e-15)
    assert abs(5 * drawn.lengths[0] - 3.0 * np.pi) < 3.0 * np.pi * (1.5 * np.pi / 24) ** 4 / 384
    d1 = matrix_from_quaternion(drawn.rotations)[:, :, 0]
    inward = -np.stack([np.cos(exact), np.sin(exact), 0.0 * exact], axis=1)
    angle_of_d1 = np.sum(d1 * inward, axis=1)
    np.testing.assert_allclose(angle_of_d1, angle_of_d1[0], atol=1e-4)


def test_equal_arc_length_is_exact():
    """Between neighbouring nodes the drawn curve has one length, to 1e-12 of it, on a very uneven curve."""
    rng = np.random.default_rng(5)
    line = CentreLine(rng.normal(size=(7, 3)), rng.normal(size=(7, 3)))
    lengths = line.length * np.arange(31) / 30
    segment, u = line.locate(lengths)
    # A sum over many pieces, independent of the table that ``locate`` uses.
    pieces = np.linspace(0.0, 1.0, 401)
    inside = sum(line.arc(segment, a * u, b * u) for a, b in zip(pieces[:-1], pieces[1:], strict=True))
    np.testing.assert_allclose(line.knots[segment] + inside, lengths, atol=1e-12 * line.length)


def test_hermite_tangents_are_as_long_as_the_segments():
    """The self-consistent length: |p′| at both ends of every segment is its arc length."""
    rng = np.random.default_rng(6)
    line = CentreLine(rng.normal(size=(9, 3)), rng.normal(size=(9, 3)))
    segment = np.arange(8)
    for u in (np.zeros(8), np.ones(8)):
        speed = np.linalg.norm(line.velocity(segment, u), axis=1)
        np.testing.assert_allclose(speed, np.diff(line.knots), rtol=1e-9)


def test_frames_are_orthonormal():
    """On rough input too, with and without normals."""
    rng = np.random.default_rng(7)
    for count in (2, 3, 20):
        points, tangents, normals = rng.normal(size=(3, count, 3))
        for inputs in (
            (points, None, None),
            (points, tangents, None),
            (points, None, normals),
            (points, tangents, normals),
        ):
            drawn = discretise(*inputs, 6, 3)
            assert orthonormality(drawn.rotations) < 1e-14
            assert np.all(np.sum(drawn.rotations[1:] * drawn.rotations[:-1], axis=1) >= 0.0)


def test_straight_rod_has_one_frame():
    """A straight rod along z has the world frame; nodes are evenly spaced."""
    drawn = discretise([[0, 0, 1], [0, 0, 1.5], [0, 0, 5]], None, None, 4, 2)
    np.testing.assert_array_equal(drawn.positions[:, 2], 1.0 + np.arange(9) * 0.5)
    np.testing.assert_array_equal(drawn.rotations, np.tile([1.0, 0, 0, 0], (9, 1)))
    assert drawn.lengths[0] == 1.0


def test_straight_hermite_equals_polyline():
    """Tangents along a straight line change nothing, whatever their lengths."""
    points = np.outer([0.0, 0.3, 1.0, 2.0], [1.0, 2.0, -2.0]) / 3.0
    tangents = np.outer([5.0, 0.1, 1.0, 2.0], [1.0, 2.0, -2.0])
    smooth, plain = discretise(points, tangents, None, 5, 3), discretise(points, None, None, 5, 3)
    np.testing.assert_allclose(smooth.positions, plain.positions, atol=1e-14)
    np.testing.assert_allclose(smooth.rotations, plain.rotations, atol=1e-14)


def test_corner_is_halved():
    """A node on a corner of a polyline has the bisector; nodes beside it the segments' directions."""
    drawn = discretise([[0, 0, 0], [1, 0, 0], [1, 1, 0]], None, [[0, 0, 1]] * 3, 4, 1)
    d3 = matrix_from_quaternion(drawn.rotations)[:, :, 2]
    half = math.sqrt(0.5)
    np.testing.assert_allclose(d3, [[1, 0, 0], [1, 0, 0], [half, half, 0], [0, 1, 0], [0, 1, 0]], atol=1e-15)
    np.testing.assert_allclose(matrix_from_quaternion(drawn.rotations)[:, :, 0], [[0, 0, 1]] * 5, atol=1e-15)


def test_twist_runs_evenly_between_normals():
    """A straight rod whose normals turn by a quarter has the angle in proportion to the length."""
    drawn = discretise([[0, 0, 0], [0, 0, 2]], None, [[1, 0, 0], [0, 3, 0]], 5, 2)
    d1 = matrix_from_quaternion(drawn.rotations)[:, :, 0]
    np.testing.assert_allclose(np.arctan2(d1[:, 1], d1[:, 0]), np.linspace(0, np.pi / 2, 11), atol=1e-14)


def test_full_turn_of_a_polyline():
    """A polyline that goes back on itself keeps finite frames."""
    drawn = discretise([[0, 0, 0], [1, 0, 0], [0.2, 0, 0]], None, None, 6, 3)
    assert orthonormality(drawn.rotations) < 1e-14
    assert 6 * drawn.lengths[0] == pytest.approx(1.8)


def test_ends_are_the_drawn_ends():
    """Bit for bit."""
    place, tangent, _ = helix(np.linspace(0.0, 1.0, 5))
    drawn = discretise(place, tangent, None, 3, 3)
    np.testing.assert_array_equal(drawn.positions[[0, -1]], place[[0, -1]])


def test_same_bits_twice_and_any_scale():
    """Deterministic; a rod a million times larger has the same frames."""
    place, tangent, _ = helix(np.linspace(0.0, 4.0, 7))
    one, two, big = (discretise(place * k, tangent, None, 4, 3) for k in (1.0, 1.0, 2.0**20))
    np.testing.assert_array_equal(one.positions, two.positions)
    np.testing.assert_array_equal(one.rotations, two.rotations)
    np.testing.assert_allclose(big.rotations, one.rotations, atol=1e-12)


def test_normal_along_the_curve_is_refused():
    """The message names the rod and the point."""
    with pytest.raises(SceneError, match="rope: the normal at point 2 lies along the curve"):
        discretise([[0, 0, 0], [1, 0, 0], [2, 0, 0]], None, [[0, 0, 1], [1, 0, 0], [0, 0, 1]], 2, 1, name="rope")


@pytest.mark.parametrize("breaks", [(), (0.5,), (0.37,), (0.1, 0.11, 0.9), (0.0, 1.0, 0.25)])
def test_breaks_end_elements_and_keep_their_number(breaks):
    bounds = element_bounds(8, breaks)
    assert len(bounds) == 9 and bounds[0] == 0.0 and bounds[-1] == 1.0
    assert np.all(np.diff(bounds) > 0.0)
    for place in breaks:
        assert np.abs(bounds - place).min() == 0.0
    if not breaks:
        np.testing.assert_allclose(np.diff(bounds), 0.125)


def test_more_breaks_than_elements_get_an_element_each():
    assert len(element_bounds(2, (0.2, 0.4, 0.6))) == 5


@pytest.mark.parametrize("order", [1, 2, 3])
def test_breaks_put_a_node_at_their_arc_length(order):
    """On a helix: the node at a break is at that share of the length, to the accuracy of the drawn curve."""
    place, tangent, normal = helix(np.linspace(0.0, TURNS, 65))
    drawn = discretise(place, tangent, normal, 12, order, breaks=(0.3, 0.77))
    assert len(drawn.positions) == 12 * order + 1
    for share in (0.3, 0.77):
        exact = helix(np.array([share * TURNS]))[0]
        assert np.linalg.norm(drawn.positions - exact, axis=1).min() < 1e-5
    assert drawn.lengths.sum() == pytest.approx(SPEED * TURNS, rel=1e-6)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_closed_curve_has_a_node_for_every_share(order):
    """A tilted ellipse: no node twice, equal arc lengths across the seam, frames that meet without a jump of twist."""
    angle = 2.0 * np.pi * np.arange(80) / 80
    place = np.stack([np.cos(angle), 0.6 * np.sin(angle), 0.2 * np.sin(2.0 * angle)], axis=1)
    tangent = np.stack([-np.sin(angle), 0.6 * np.cos(angle), 0.4 * np.cos(2.0 * angle)], axis=1)
    ring = discretise(place, tangent, None, 40, order, closed=True)
    assert len(ring.positions) == 40 * order
    steps = np.linalg.norm(ring.positions - np.roll(ring.positions, 1, axis=0), axis=1)
    assert steps.max() / steps.min() < 1.02
    frames = matrix_from_quaternion(ring.rotations)
    turns = np.swapaxes(np.roll(frames, 1, axis=0), 1, 2) @ frames
    twist = 0.5 * (turns[:, 1, 0] - turns[:, 0, 1])
    assert np.abs(twist - twist.mean()).max() < 2e-3, "what is left over is spread evenly"


def tangent_error(elements, order):
    """Largest error of p′ at the Gauss points of a helix, and how far nodes are beside it."""
    place, tangent, _ = helix(np.linspace(0.0, TURNS, 1001))
    drawn, table = discretise(place, tangent, None, elements, order), basis(order)
    nodes = drawn.positions[np.arange(elements)[:, None] * order + np.arange(order + 1)]
    slopes = np.einsum("gj,ejx->egx", table.slopes, nodes) / drawn.lengths[:, None, None]
    exact = helix((np.arange(elements)[:, None] + table.points).ravel() * TURNS / elements)[1]
    beside = np.abs(drawn.positions - helix(np.linspace(0.0, TURNS, elements * order + 1))[0]).max()
    return np.abs(slopes.reshape(-1, 3) - exact).max(), beside


@pytest.mark.parametrize("order, expected", [(1, 2), (2, 3), (3, 6)])
def test_the_tangent_is_right_at_gauss_points(order, expected):
    """As the quadrature needs it for O(h²ᵏ) of a rod that is bent at rest; cubics' are O(h⁴) off the curve."""
    errors, beside = zip(*(tangent_error(n, order) for n in (8, 12, 16)))
    slope = np.log(errors[0] / errors[-1]) / np.log(2.0)
    assert slope == pytest.approx(expected, abs=0.3), errors
    if order == 3:
        assert np.log(beside[0] / beside[-1]) / np.log(2.0) == pytest.approx(4.0, abs=0.3), beside
    else:
        assert beside[-1] < 1e-9


def test_nodes_stay_on_a_curve_that_bends_too_fast():
    """Two cubic elements for one and a half turns: p′ at three points tells too little of it."""
    assert tangent_error(2, 3)[1] < 1e-9
