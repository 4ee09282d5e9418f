"""A scene of the solver, as plain data, turned into the arrays of the baseline."""

from __future__ import annotations

import numpy as np

from tendril.solver import Scene
from tendril.solver.model import HOLD_PLACE
from tendril.solver.simulation import Simulation

from .rigid import Bodies
from .rows import PLANAR, PRISMATIC, REVOLUTE, SPHERICAL

KINDS = {"revolute": REVOLUTE, "spherical": SPHERICAL, "prismatic": PRISMATIC, "planar": PLANAR}


def bodies_of(scene: Scene) -> Bodies:
    """Bodies and joints of ``scene``, in its order of joints. One body at most is animated."""
    simulation = Simulation(scene)
    scene, node = simulation.scene, {"": 0, **simulation.bodies}
    count = 1 + len(scene.bodies)
    x, q, v, w = np.zeros((count, 3)), np.tile([1.0, 0, 0, 0], (count, 1)), np.zeros((count, 3)), np.zeros((count, 3))
    mass, inertia, led, path = np.zeros(count), np.ones((count, 3)), 0, np.zeros((1, 7))
    for body in scene.bodies:
        i = node[body.name]
        x[i], q[i], v[i], w[i] = body.position, body.rotation, body.velocity, body.angular_velocity
        if body.kind == "active":
            mass[i], inertia[i] = body.mass, body.inertia
        if body.kind == "animated":
            led, path = i, np.hstack((body.motion.positions, body.motion.rotations))
            x[i], q[i] = path[0, :3], path[0, 3:]
    active = mass > 0.0
    ends = np.array([[node[j.body_1.name], node[j.body_2.name]] for j in scene.joints], np.uint64)
    assert (simulation.model.held[:count][active] & HOLD_PLACE == 0).all()
    return Bodies(
        x=x.ravel(), q=q.ravel(), v=v.ravel(), w=w.ravel(), inertia=inertia.ravel(),
        inverse_mass=np.where(active, 1.0 / np.where(active, mass, 1.0), 0.0),
        inverse_inertia=np.where(active[:, None], 1.0 / inertia, 0.0).ravel(),
        x_old=x.ravel().copy(), q_old=q.ravel().copy(), x_free=x.ravel().copy(), q_free=q.ravel().copy(),
        kinds=np.array([KINDS[joint.kind] for joint in scene.joints]), ends=ends,
        geometry=np.concatenate([s for joint, pair in zip(scene.joints, ends) for s in _sides(joint, pair, x, q)]),
        lam=np.zeros(6 * len(scene.joints)), c=np.zeros(6), jac=np.zeros(72), system=np.zeros(36),
        force=np.zeros(6 * count), led=np.array([led], np.uint64), path=path,
        gravity=np.array(scene.settings.gravity, float),
    )  # fmt: skip


def _sides(joint, pair, x, q):
    """Arm and turn of the joint frame in the axes of both bodies."""
    for i in pair.astype(int):
        turn = matrix(q[i])
        yield np.concatenate((turn.T @ (joint.position - x[i]), product(q[i] * [1, -1, -1, -1], joint.rotation)))


def product(p, q):
    """Compose two rotations."""
    return np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])))


def about(axis: int, angle: float) -> np.ndarray:
    """The quaternion of a turn about a coordinate axis."""
    q = np.zeros(4)
    q[0], q[1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return q


def matrix(q):
    """The rotation matrix of a unit quaternion."""
    w, u = q[0], np.asarray(q[1:])
    hat = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + 2 * w * hat + 2 * hat @ hat
