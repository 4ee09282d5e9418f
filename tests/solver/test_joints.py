"""Joints: Jacobians against finite differences for every type and mode, limits, unwrapping and signs."""

import dataclasses
import itertools

import numpy as np
import pytest
from pair import DT, SETTINGS, Pair, evaluate, multiply, quaternion_exp, unit

from tendril.solver.joints import arrays, types
from tendril.solver.scene import Joint

KINDS = list(types.JOINT_TYPES)

STATES = {
    "random": lambda random: quaternion_exp(random.normal(size=3)),
    "start": lambda random: np.array([1.0, 0.0, 0.0, 0.0]),
    "near 0": lambda random: quaternion_exp(1e-4 * random.normal(size=3)),
    "tiny": lambda random: quaternion_exp(1e-9 * random.normal(size=3)),
    "series": lambda random: quaternion_exp(np.array([0.3, 0.4, 0.0]) + 1e-6 * random.normal(size=3)),
    "near pi": lambda random: quaternion_exp((np.pi - 3e-3) * unit(random.normal(size=3))),
    "hinge at pi": lambda random: multiply(quaternion_exp([0.0, 0.0, np.pi]), quaternion_exp([1e-6, -1e-6, 0.0])),
    "swing near pi": lambda random: quaternion_exp((np.pi - 3e-2) * unit([1.0, 2.0, 1e-3])),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", KINDS)
def test_jacobian_of_locks_and_springs(kind, state):
    """All free rows sprung, so that every row has a Jacobian; then none, so that only the locks have."""
    for seed in range(5):
        random = np.random.default_rng(seed + 100)
        turn = STATES[state](random)
        place = 1e-3 * random.normal(size=3) if state != "start" else np.zeros(3)
        if state == "hinge at pi" and kind in ("fixed", "prismatic", "spherical"):
            turn = quaternion_exp([0.0, 0.0, np.pi - 1e-3])
        sprung = Pair(kind, seed, stiffness=np.full(6, 50.0), target=np.full(6, 0.01))
        if state == "hinge at pi":
            sprung.turn(2.5).end_substep()
        sprung.move(place, turn)
        _, jacobian, alpha = sprung.check(tolerance=1e-7 if state != "swing near pi" else 2e-5)
        locked = np.array([mode == "locked" for mode in types.JOINT_TYPES[kind].rows])
        np.testing.assert_array_equal(alpha, np.where(locked, 0.0, 1.0 / 50.0))
        assert (np.abs(jacobian).max(axis=1) > 0.1).all()
        free = Pair(kind, seed).move(place, turn)
        value, jacobian, alpha = free.evaluate()
        np.testing.assert_array_equal(alpha, np.where(locked, 0.0, 1.0))
        assert (value[~locked] == 0.0).all() and (jacobian[~locked] == 0.0).all()
        assert (np.abs(jacobian[locked]).max(axis=1) > 0.1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_violated_at_the_start(kind):
    for seed in range(5):
        value, _, _ = Pair(kind, seed, stiffness=np.full(6, 1.0)).evaluate()
        np.testing.assert_allclose(value, 0.0, atol=1e-14)


def test_place_rows_of_a_hinge_are_linear_in_the_world():
    pair = Pair("revolute", 3)
    _, jacobian, _ = pair.evaluate()
    np.testing.assert_array_equal(jacobian[:3, :3], np.eye(3))
    np.testing.assert_array_equal(jacobian[:3, 6:9], -np.eye(3))


def test_positive_angle_turns_body_2_about_plus_z_of_body_1():
    for kind in ("revolute", "cylindrical"):
        pair = Pair(kind, identity=True, stiffness=np.eye(6)[5])
        pair.q[8:12] = [np.cos(0.15), 0.0, 0.0, np.sin(0.15)]
        value, jacobian, _ = pair.evaluate()
        assert value[5] == pytest.approx(0.3)
        assert jacobian[5, 11] == pytest.approx(1.0) and jacobian[5, 5] == pytest.approx(-1.0)
        values = arrays.joint_values(0, pair.x.reshape(-1, 3), pair.q.reshape(-1, 4), pair.data, pair.flags, pair.turns)
        assert values.twist == pytest.approx(0.3)


def test_positive_slide_moves_body_2_along_plus_z_of_body_1():
    pair = Pair("prismatic", identity=True, stiffness=np.eye(6)[2])
    pair.x[8] += 0.25
    value, jacobian, _ = pair.evaluate()
    assert value[2] == pytest.approx(0.25)
    assert jacobian[2, 8] == pytest.approx(1.0)
    values = arrays.joint_values(0, pair.x.reshape(-1, 3), pair.q.reshape(-1, 4), pair.data, pair.flags, pair.turns)
    np.testing.assert_allclose(values.place, [0.0, 0.0, 0.25])


def test_hinge_spins_through_many_turns_without_a_jump():
    """The lock rows stay continuous and the angle counts on, forwards and backwards, with an inexact hinge."""
    pair = Pair("revolute", 5, stiffness=np.eye(6)[5])
    lean = quaternion_exp([0.02, -0.01, 0.0])
    angles = np.concatenate([np.arange(0.0, 30.0, 0.4), np.arange(30.0, -30.0, -0.4)])
    last = None
    for angle in angles:
        pair.move(np.zeros(3), multiply(lean, quaternion_exp([0.0, 0.0, angle])))
        value, _, _ = pair.evaluate()
        np.testing.assert_allclose(value[3:], [0.02, -0.01, angle], atol=1e-12)
        if last is not None:
            assert np.abs(value - last).max() < 0.41
        last = value
        pair.end_substep()
    values = arrays.joint_values(0, pair.x.reshape(-1, 3), pair.q.reshape(-1, 4), pair.data, pair.flags, pair.turns)
    assert values.twist == pytest.approx(angles[-1])


@pytest.mark.parametrize("angle", [np.pi - 1e-6, np.pi, np.pi + 1e-6, 3 * np.pi, -np.pi, 2 * np.pi, 4 * np.pi])
def test_jacobian_of_a_hinge_at_the_flip(angle):
    pair = Pair("revolute", 7, stiffness=np.eye(6)[5], target=4 * np.pi * np.eye(6)[5])
    for part in np.linspace(0.0, angle, 12):
        pair.turn(part).end_substep()
    pair.move(np.zeros(3), multiply(quaternion_exp([0.01, 0.02, 0.0]), quaternion_exp([0.0, 0.0, angle])))
    value, _, _ = pair.check()
    assert value[5] == pytest.approx(angle - 4 * np.pi)


def test_limit_beyond_full_turns():
    limit = np.radians(720.0)
    pair = Pair("revolute", 1, upper=np.where(np.arange(6) == 5, limit, np.inf))
    for angle in np.arange(0.0, limit + 0.2, 0.1):
        value, jacobian, alpha = pair.turn(angle).evaluate()
        if angle <= limit:
            assert alpha[5] == 1.0 and (jacobian[5] == 0.0).all()
        else:
            assert alpha[5] == 0.0 and value[5] == pytest.approx(angle - limit, abs=1e-9)
        pair.end_substep()


LIMITS = [
    ("revolute", 5, -0.4, 0.7),
    ("revolute", 5, 0.0, np.inf),
    ("prismatic", 2, -0.1, 0.3),
    ("cylindrical", 2, -0.1, 0.3),
    ("cylindrical", 5, -0.4, 0.7),
    ("planar", 0, -0.1, np.inf),
    ("universal", 4, -0.4, 0.7),
]


@pytest.mark.parametrize(("kind", "row", "lower", "upper"), LIMITS)
def test_limit_acts_only_when_violated(kind, row, lower, upper):
    bounds = {
        "lower": np.where(np.arange(6) == row, lower, -np.inf),
        "upper": np.where(np.arange(6) == row, upper, np.inf),
    }
    inside = ((lower + 0.05, None), (upper - 0.05, None))
    for coordinate, expected in ((lower - 0.05, -0.05), *inside, (upper + 0.05, 0.05)):
        if not np.isfinite(coordinate):
            continue
        pair = Pair(kind, 2, **bounds)
        vector = coordinate * np.eye(6)[row]
        pair.move(vector[:3], quaternion_exp(vector[3:]))
        value, jacobian, alpha = pair.evaluate()
        if expected is None:
            assert value[row] == 0.0 and alpha[row] == 1.0 and (jacobian[row] == 0.0).all()
        else:
            pair.check()
            assert value[row] == pytest.approx(expected) and alpha[row] == 0.0
            assert np.abs(jacobian[row]).max() > 0.5


def test_a_limit_that_pulls_lets_go_and_gives_its_multiplier_back():
    pair = Pair("revolute", 2, upper=np.where(np.arange(6) == 5, 0.5, np.inf)).turn(0.5)
    push, pull = -0.01 * np.eye(6)[5], 0.01 * np.eye(6)[5]
    value, _, alpha = pair.evaluate(lam=push)
    assert alpha[5] == 0.0 and value[5] == pytest.approx(0.0, abs=1e-12)
    value, jacobian, alpha = pair.evaluate(lam=pull)
    assert alpha[5] > 1e20 and value[5] == 0.0 and np.abs(jacobian[5]).max() > 0.5


def test_spring_at_a_limit():
    """Whether the stop carries load is decided against the spring: both sides of the balance."""
    options = {"upper": np.where(np.arange(6) == 5, 0.5, np.inf), "stiffness": 100.0 * np.eye(6)[5]}
    for target, excess, held in ((0.4, 1e-9, False), (0.4, 1e-2, True), (0.6, 0.0, True), (0.6, -0.1, False)):
        pair = Pair("revolute", 2, target=target * np.eye(6)[5], **options).turn(0.5 + excess)
        value, _, alpha = pair.evaluate()
        if held:
            assert alpha[5] == 0.0 and value[5] == pytest.approx(excess, abs=1e-12)
        else:
            assert alpha[5] == pytest.approx(0.01) and value[5] == pytest.approx(0.5 + excess - target)


def test_moving_targets_and_their_speed():
    target = np.zeros((SETTINGS.sample_count, 6))
    target[:, 5] = [0.0, 0.1, 0.25, 0.25]
    pair = Pair("revolute", 1, target=target, stiffness=10.0 * np.eye(6)[5], damping=3.0 * np.eye(6)[5])
    for sample, (stretch, rate) in enumerate(((0.0, 0.0), (0.1, 0.1), (0.25, 0.15), (0.25, 0.0))):
        assert pair.evaluate(sample=sample)[0][5] == pytest.approx(-stretch, abs=1e-12)
        value, _, alpha = pair.evaluate(sample=sample, velocity=True)
        assert pair.damped and alpha[5] == pytest.approx(1.0 / 3.0)
        assert value[5] == pytest.approx(-rate / DT)
        np.testing.assert_array_equal(value[:5], 0.0)


def test_rows_of_a_motor():
    """C is the angle less where the last substep left it and what the speed adds, until the maximum is reached."""
    pair = Pair("revolute", 3, speed=np.where(np.arange(6) == 5, 2.0, np.inf), maximum=np.full(6, 7.0))
    pair.turn(0.4).end_substep(sample=0)
    pair.turn(0.4 + 2.0 * DT + 1e-5)
    value, _, alpha = pair.check(sample=1)
    assert value[5] == pytest.approx(1e-5) and alpha[5] == 0.0
    most = 7.0 * DT**2
    for side in (1.0, -1.0):
        value, jacobian, alpha = pair.evaluate(sample=1, lam=2.0 * side * most * np.eye(6)[5])
        assert value[5] / alpha[5] * DT**2 == pytest.approx(-side * most) and np.abs(jacobian[5]).max() > 0.5
    assert pair.evaluate(sample=1, velocity=True)[2][5] == 1.0 and not pair.damped


def test_drive_side_is_kept_from_substep_to_substep():
    """A motor at its maximum stays there while it is too slow, and lets go once it is not."""
    pair = Pair("revolute", 3, speed=np.where(np.arange(6) == 5, 2.0, np.inf), maximum=np.full(6, 7.0))
    pair.evaluate(sample=1, lam=np.eye(6)[5], keep=True)
    side = int(arrays.DRIVE_SIDE) + 5
    assert pair.turns[side] == 1.0 and pair.turns[int(arrays.DRIVE_CHANGED)] == 1.0
    pair.turn(1.9 * DT).evaluate(sample=1, keep=True)
    assert pair.turns[side] == 1.0
    pair.turn(2.0 * DT + 1e-5).evaluate(sample=1, keep=True)
    assert pair.turns[side] == 0.0
    pair.turn(2.1 * DT).evaluate(sample=1, keep=True)
    assert pair.turns[side] == -1.0  # much too fast: it brakes with all it has


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_the_damping_solve(kind):
    locked = np.array([mode == "locked" for mode in types.JOINT_TYPES[kind].rows])
    pair = Pair(kind, 4, damping=np.full(6, 2.0)).move(np.zeros(3), quaternion_exp([0.1, 0.2, 0.3]))
    value, jacobian, alpha = pair.evaluate(velocity=True)
    assert pair.damped == (not locked.all())
    np.testing.assert_array_equal(alpha, np.where(locked, 0.0, 0.5))
    np.testing.assert_array_equal(value, 0.0)
    sprung = Pair(kind, 4, stiffness=np.full(6, 2.0)).move(np.zeros(3), quaternion_exp([0.1, 0.2, 0.3]))
    np.testing.assert_allclose(jacobian, sprung.evaluate()[1])
    assert not Pair(kind, 4, stiffness=np.full(6, 2.0)).evaluate(velocity=True)[1][~locked].any()


def test_acting_limit_is_kept_by_the_damping_solve():
    pair = Pair("revolute", 2, upper=np.where(np.arange(6) == 5, 0.5, np.inf), damping=np.eye(6)[5]).turn(0.5)
    _, jacobian, alpha = pair.evaluate(velocity=True, lam=-0.1 * np.eye(6)[5])
    assert alpha[5] == 0.0 and not pair.damped and np.abs(jacobian[5]).max() > 0.5
    _, _, alpha = pair.evaluate(velocity=True)
    assert pair.damped


def test_world_is_a_partner():
    """A joint to node 0 leaves its frame where it was drawn."""
    place, turn = np.array([1.0, 2.0, 3.0]), quaternion_exp([0.3, 0.2, 0.1])
    joints = (Joint("joint", "fixed", position=place, rotation=turn),)
    positions, rotations = np.array([[0.0] * 3, [4.0, 5.0, 6.0]]), np.array([[1.0, 0, 0, 0], quaternion_exp([1, 0, 0])])
    data, *_ = arrays.joint_arrays(joints, [0], [1], positions, rotations, SETTINGS)
    np.testing.assert_allclose(data[0:3], place)
    np.testing.assert_allclose(data[3:7], turn)


def test_layout_of_several_joints():
    """Joints with still and with moving targets lie one behind the other."""
    random = np.random.default_rng(0)
    moving = random.normal(size=(SETTINGS.sample_count, 6))
    joints = [
        Joint("a", "fixed"),
        Joint("b", "prismatic", target=moving, stiffness=np.ones(6)),
        Joint("c", "spherical", target=np.arange(6.0) / 10, stiffness=np.ones(6)),
    ]
    positions, rotations = np.zeros((4, 3)), np.tile([1.0, 0, 0, 0], (4, 1))
    data, flags, targets, turns = arrays.joint_arrays(joints, [0, 1, 2], [1, 2, 3], positions, rotations, SETTINGS)
    assert flags.dtype == np.uint64 and data.dtype == targets.dtype == turns.dtype == np.float64
    for index, sample in itertools.product(range(3), range(4)):
        c, jac, alpha = np.zeros(6), np.zeros(54), np.zeros(6)
        x, q, lam = positions.ravel(), rotations.ravel(), np.zeros(18)
        evaluate(x, q, data, flags, index, sample, targets, turns, lam, c, jac, alpha, False)
        target = np.broadcast_to(joints[index].target, (4, 6))[sample]
        free = [mode == "free" for mode in types.JOINT_TYPES[joints[index].kind].rows]
        np.testing.assert_allclose(c, np.where(free, -target, 0.0), atol=1e-12)


def test_the_table():
    for identifier, joint_type in types.JOINT_TYPES.items():
        assert identifier == joint_type.identifier and joint_type.label
        assert len(joint_type.description) > 10
        owned = [row for coordinate in joint_type.coordinates for row in coordinate.rows]
        assert len(owned) == len(set(owned)) and set(owned) <= set(joint_type.free_rows)
        assert set(owned) == set(joint_type.free_rows)
        for coordinate in joint_type.coordinates:
            assert {types.ROW_UNITS[row] for row in coordinate.rows} == {coordinate.unit}
    assert dataclasses.is_dataclass(types.JointType)
