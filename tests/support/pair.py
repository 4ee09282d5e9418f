"""Two nodes joined, for tests of the joint kernel."""

import numpy as np
from numba import njit

from tendril.solver.joints import arrays, joint
from tendril.solver.scene import Joint, Settings

DT = 2e-3
SETTINGS = Settings(frame_duration=DT, frame_count=4, substeps=1)


@njit
def evaluate(x, q, data, flags, index, sample, targets, turns, lam, c, jac, alpha, velocity):
    return joint.evaluate_joint(
        x, q, data, flags, np.uint64(index), sample, targets, turns, lam, np.uint64(6 * index),
        c, np.uint64(0), jac, np.uint64(0), alpha, np.uint64(0), velocity,
    )  # fmt: skip


@njit
def update(x, q, data, flags, index, sample, turns):
    lam = np.zeros(6 * index + 6)
    joint.update_turns(x, q, data, flags, np.uint64(index), sample, lam, np.uint64(6 * index), turns)


def quaternion_exp(t):
    t = np.asarray(t, dtype=float)
    angle = np.linalg.norm(t)
    return np.array([np.cos(angle / 2), *(0.5 * np.sinc(angle / (2 * np.pi)) * t)])


def multiply(p, q):
    return arrays._multiply(p, q)


def matrix(q):
    return arrays._matrix(q)


class Pair:
    """Two nodes joined, the world being node 0, and the kernel's outputs for them."""

    def __init__(self, kind, seed=0, settings=SETTINGS, identity=False, **options):
        random = np.random.default_rng(seed)
        self.kind, self.settings = kind, settings
        positions, rotations = np.zeros((3, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
        place, turn = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        if not identity:
            positions[1:] = random.normal(size=(2, 3))
            rotations[1:] = [quaternion_exp(random.normal(size=3)) for _ in range(2)]
            place, turn = random.normal(size=3), quaternion_exp(random.normal(size=3))
        self.joint = Joint("joint", kind, position=place, rotation=turn, **options)
        mass, inertia = np.array([0.0, 1.0, 0.5]), np.array([np.zeros(3), np.ones(3), np.full(3, 2.0)])
        self.data, self.flags, self.targets, self.turns = arrays.joint_arrays(
            (self.joint,), [1], [2], positions, rotations, settings, mass, inertia
        )
        self.x, self.q = positions.ravel().copy(), rotations.ravel().copy()
        self.lam = np.zeros(6)

    def evaluate(self, velocity=False, sample=0, lam=None, keep=False):
        c, jac, alpha = np.full(6, np.nan), np.full(54, np.nan), np.full(6, np.nan)
        turns = self.turns if keep else self.turns.copy()
        lam = self.lam if lam is None else np.asarray(lam, dtype=float)
        self.damped = evaluate(
            self.x, self.q, self.data, self.flags, 0, sample, self.targets, turns, lam, c, jac, alpha, velocity
        )
        tiles = jac.reshape(2, 3, 3, 3)
        dense = np.zeros((6, 12))
        for node in range(2):
            dense[:3, 6 * node : 6 * node + 3] = tiles[node, 0]
            dense[:3, 6 * node + 3 : 6 * node + 6] = tiles[node, 1]
            dense[3:, 6 * node + 3 : 6 * node + 6] = tiles[node, 2]
        assert np.isfinite(c).all() and np.isfinite(dense).all() and np.isfinite(alpha).all()
        return c, dense, alpha

    def move(self, place, turn):
        """Put body 2 so that its joint frame stands at ``place``, turned by quaternion ``turn``, in body 1's."""
        frame = multiply(self.q[4:8], self.data[3:7])
        origin = self.x[3:6] + matrix(self.q[4:8]) @ self.data[0:3]
        rotation = multiply(multiply(frame, turn), arrays._conjugate(self.data[10:14]))
        self.q[8:12] = rotation / np.linalg.norm(rotation)
        self.x[6:9] = origin + matrix(frame) @ place - matrix(self.q[8:12]) @ self.data[7:10]
        return self

    def turn(self, z):
        """Turn body 2 about the joint's z axis."""
        return self.move(np.zeros(3), quaternion_exp([0.0, 0.0, z]))

    def end_substep(self, sample=0):
        update(self.x, self.q, self.data, self.flags, 0, sample, self.turns)

    def differences(self, size=1e-5, **options):
        """Central differences of fourth order on the manifold, of the same active set."""
        result = np.zeros((6, 12))
        for column in range(12):
            node, axis, x, q = 1 + column // 6, column % 6, self.x.copy(), self.q.copy()

            def at(step, node=node, axis=axis, x=x, q=q):
                self.x, self.q = x.copy(), q.copy()
                if axis < 3:
                    self.x[3 * node + axis] += step
                else:
                    rotated = multiply(q[4 * node : 4 * node + 4], quaternion_exp(step * np.eye(3)[axis - 3]))
                    self.q[4 * node : 4 * node + 4] = rotated
                return self.evaluate(**options)[0]

            near, far = at(size) - at(-size), at(2 * size) - at(-2 * size)
            result[:, column] = (8 * near - far) / (12 * size)
            self.x, self.q = x, q
        return result

    def check(self, tolerance=1e-7, **options):
        value, jacobian, alpha = self.evaluate(**options)
        np.testing.assert_allclose(jacobian, self.differences(**options), rtol=0, atol=tolerance)
        return value, jacobian, alpha


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)
