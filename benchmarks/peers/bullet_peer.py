"""Bullet through PyBullet: the pendulum in reduced coordinates (Featherstone)."""

import importlib.metadata
import os
import sys

sys.stdout.flush()
_keep = os.dup(1)
os.dup2(2, 1)  # its banner does not belong into the answers
import pybullet  # noqa: E402

os.dup2(_keep, 1)

from blocks import Case, gather, serve  # noqa: E402
from scenes import GRAVITY, LINK_LENGTH, LINK_MASS, LINKS, PENDULUM_STEP, START_ANGLE, link_inertia  # noqa: E402

STEPS = 200


def pendulum() -> Case:
    pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(0, 0, -GRAVITY)
    pybullet.setTimeStep(PENDULUM_STEP)
    body = pybullet.createMultiBody(
        0, -1, -1, [0, 0, 0], [0, 0, 0, 1],
        linkMasses=[LINK_MASS] * LINKS, linkCollisionShapeIndices=[-1] * LINKS, linkVisualShapeIndices=[-1] * LINKS,
        linkPositions=[[0, 0, -LINK_LENGTH if k else 0.0] for k in range(LINKS)],
        linkOrientations=[[0, 0, 0, 1]] * LINKS,
        linkInertialFramePositions=[[0, 0, -0.5 * LINK_LENGTH]] * LINKS,
        linkInertialFrameOrientations=[[0, 0, 0, 1]] * LINKS, linkParentIndices=list(range(LINKS)),
        linkJointTypes=[pybullet.JOINT_REVOLUTE] * LINKS, linkJointAxis=[[0, 1, 0]] * LINKS,
    )  # fmt: skip
    for k in range(LINKS):
        pybullet.changeDynamics(
            body, k, localInertiaDiagonal=link_inertia(), linearDamping=0, angularDamping=0, jointDamping=0
        )
        pybullet.setJointMotorControl2(body, k, pybullet.VELOCITY_CONTROL, force=0)
    pybullet.resetJointState(body, 0, -START_ANGLE)

    def advance():
        for _ in range(STEPS):
            pybullet.stepSimulation()

    def tip():
        place = pybullet.getLinkState(body, LINKS - 1)[0]
        return [place[0], place[2]]

    return Case(advance, STEPS, LINKS, "reduced coordinates", PENDULUM_STEP, tip)


if __name__ == "__main__":
    serve(*gather({"pendulum": pendulum}), f"Bullet (PyBullet {importlib.metadata.version('pybullet')})")
