"""The swing and twist limits of a ball joint, and its springs."""

import numpy as np
import pytest
from pair import Pair, multiply, quaternion_exp, unit

from tendril.solver.joints import arrays

LEAN = quaternion_exp([0.5, -0.6, 0.0])
TWISTED = {"twist": (-0.4, 0.7)}
BALLS = {  # limits, state, whether the swing limit and the twist limit act
    "swing": ({"swing_limit": 0.6}, LEAN, (True, False)),
    "swing, twisted": ({"swing_limit": 0.6}, multiply(LEAN, quaternion_exp([0.0, 0.0, 2.5])), (True, False)),
    "swing near pi": ({"swing_limit": 0.6}, quaternion_exp([0.0, np.pi - 1e-2, 0.0]), (True, False)),
    "inside": ({"swing_limit": 0.9}, LEAN, (False, False)),
    "twist": (TWISTED, quaternion_exp([0.1, 0.2, 1.0]), (False, True)),
    "twist below": (TWISTED, quaternion_exp([0.1, 0.2, -1.0]), (False, True)),
    "twist at pi": (TWISTED, quaternion_exp([0.0, 0.0, np.pi]), (False, True)),
    "both": ({"swing_limit": 0.6, **TWISTED}, multiply(LEAN, quaternion_exp([0.0, 0.0, 1.0])), (True, True)),
}


@pytest.mark.parametrize("stiffness", [0.0, 0.5])
@pytest.mark.parametrize("ball", BALLS)
def test_limits_of_a_ball(ball, stiffness):
    options, turn, (swings, twists) = BALLS[ball]
    if stiffness and ball == "twist at pi":
        pytest.skip("the shortest rotation vector of the springs has its flip there")
    options = dict(options)
    lower, upper = options.pop("twist", (-np.inf, np.inf))
    options["lower"], options["upper"] = np.append(np.full(5, -np.inf), lower), np.append(np.full(5, np.inf), upper)
    for seed in range(3):
        pair = Pair("spherical", seed, stiffness=np.full(6, stiffness), **options).move(np.zeros(3), turn)
        value, jacobian, alpha = pair.evaluate()
        differences = pair.differences()
        if stiffness and swings:  # row 4's axis follows the swing: its Jacobian is that of the frozen axis
            differences[4] = jacobian[4]
        np.testing.assert_allclose(jacobian, differences, rtol=0, atol=1e-7 if ball != "swing near pi" else 1e-5)
        read = arrays.joint_values(0, pair.x.reshape(-1, 3), pair.q.reshape(-1, 4), pair.data, pair.flags, pair.turns)
        if swings:
            assert alpha[3] == 0.0 and value[3] == pytest.approx(read.swing - options["swing_limit"])
        if twists:
            assert alpha[5] == 0.0 and abs(value[5]) > 0.1
        for row, acts in ((3, swings), (5, twists)):
            if not acts:
                assert alpha[row] == (1.0 / stiffness if stiffness else 1.0)


def test_swing_limit_keeps_the_spring_along_the_cone():
    """At the cone the spring loses its pull across it, and keeps the one along it, at any direction of the swing."""
    for direction in np.linspace(0.0, 2 * np.pi, 9):
        axis = np.array([np.cos(direction), np.sin(direction), 0.0])
        pair = Pair("spherical", 1, swing_limit=0.5, stiffness=np.full(6, 1.0))
        pair.move(np.zeros(3), quaternion_exp(0.8 * axis))
        value, jacobian, alpha = pair.evaluate()
        np.testing.assert_allclose(value[3:5], [0.3, 0.0], atol=1e-12)
        np.testing.assert_allclose(alpha[3:5], [0.0, 1.0])
        across = jacobian[3, 9:] @ jacobian[4, 9:]
        assert across == pytest.approx(0.0, abs=1e-12)


def test_ball_limit_that_pulls_lets_go():
    pair = Pair("spherical", 1, swing_limit=0.5).move(np.zeros(3), quaternion_exp([0.6, 0.0, 0.0]))
    _, held, alpha = pair.evaluate(keep=True)
    assert alpha[3] == 0.0 and pair.turns[arrays.BALL_LIMITS] == 1.0
    pair.move(np.zeros(3), quaternion_exp([0.5, 0.0, 0.0]))
    assert pair.evaluate(lam=[0, 0, 0, -0.1, 0, 0])[2][3] == 0.0
    value, jacobian, alpha = pair.evaluate(lam=[0, 0, 0, 0.1, 0, 0])
    assert alpha[3] > 1e20 and value[3] == 0.0
    np.testing.assert_allclose(jacobian[3], held[3], atol=1e-9)


def test_ball_drive_crosses_half_a_turn():
    """With a target of 150°, the ball may be 190° away from the start without a flip."""
    axis = unit([1.0, 2.0, -0.5])
    target = np.radians(150.0) * axis
    pair = Pair("spherical", 1, stiffness=np.full(6, 1.0), target=np.concatenate([np.zeros(3), target]))
    for degrees in (140.0, 170.0, 179.9, 180.1, 190.0, 250.0):
        pair.move(np.zeros(3), quaternion_exp(np.radians(degrees) * axis))
        value, _, _ = pair.check()
        np.testing.assert_allclose(value[3:], np.radians(degrees - 150.0) * axis, atol=1e-9)
