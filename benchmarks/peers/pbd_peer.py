"""PositionBasedDynamics through pyPBD: hinges, and its direct solver for stiff rods (rigid segments, no shear)."""

import importlib.metadata
import math
import os
import sys
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"
sys.stdout.flush()
_keep = os.dup(1)
os.dup2(2, 1)  # what it logs does not belong into the answers
sys.__stdout__ = os.fdopen(_keep, "w")

import numpy as np  # noqa: E402
import pypbd  # noqa: E402
from blocks import Case, gather, serve  # noqa: E402
from scenes import (  # noqa: E402
    DENSITY,
    LINK_LENGTH,
    LINK_MASS,
    LINKS,
    PENDULUM_STEP,
    POISSON,
    ROD_LENGTH,
    ROD_RADIUS,
    ROD_STEP,
    SEGMENTS,
    START_ANGLE,
    YOUNG,
    link_inertia,
)
from settle import settle  # noqa: E402

STEPS = 50
SHAPE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"  # every body has to have one, and it is moved in every step


def begin():
    """An empty scene. The whole library knows one scene at a time, so that each case makes its own current again."""
    simulation = pypbd.Simulation()
    pypbd.Simulation.setCurrent(simulation)
    simulation.init()
    model = pypbd.SimulationModel()
    model.init()
    simulation.setModel(model)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shape.obj")
        with open(path, "w") as file:
            file.write(SHAPE)
        vertices, mesh = pypbd.OBJLoader.loadObjToMesh(path, [1.0, 1.0, 1.0])
    simulation.initDefault()
    simulation.setModel(model)
    stepper = simulation.getTimeStep()
    stepper.setValueUInt(pypbd.TimeStepController.NUM_SUB_STEPS, 1)
    stepper.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS, 1)
    stepper.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS_V, 0)  # for contacts alone
    return simulation, model, vertices, mesh


def add_body(model, vertices, mesh, mass, inertia, place, turn) -> None:
    """Add a rigid body turned about z; gravity points along -y."""
    body = model.addRigidBody(1.0, vertices, mesh)
    half = 0.5 * turn
    body.initBody(mass, place, inertia, [0.0, 0.0, math.sin(half), math.cos(half)], vertices, mesh, [1.0, 1.0, 1.0])


def stepping(simulation, model, time_step: float, steps: int = STEPS):
    def advance():
        pypbd.Simulation.setCurrent(simulation)
        pypbd.TimeManager.getCurrent().setTimeStepSize(time_step)  # one clock for all
        for _ in range(steps):
            simulation.getTimeStep().step(model)

    return advance


def pendulum() -> Case:
    simulation, model, vertices, mesh = begin()
    way = np.array([math.sin(START_ANGLE), -math.cos(START_ANGLE), 0.0])
    across, _, along = link_inertia()
    inertia = [across, along, across]  # a link's own y is its axis
    add_body(model, vertices, mesh, 0.0, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], 0.0)
    for k in range(LINKS):
        add_body(model, vertices, mesh, LINK_MASS, inertia, (k + 0.5) * LINK_LENGTH * way, START_ANGLE)
    for k in range(LINKS):
        model.addHingeJoint(k, k + 1, k * LINK_LENGTH * way, [0.0, 0.0, 1.0])
    bodies = model.getRigidBodies()

    def tip():
        place = np.ravel(bodies[LINKS].getPosition())
        return [float(place[0]), float(place[1])]

    return Case(stepping(simulation, model, PENDULUM_STEP), STEPS, LINKS, "hinges, one iteration", PENDULUM_STEP, tip)


def rod(segments: int) -> Case:
    simulation, model, vertices, mesh = begin()
    length = ROD_LENGTH / segments
    mass = DENSITY * math.pi * ROD_RADIUS**2 * length
    across, along = mass * (length**2 / 12.0 + ROD_RADIUS**2 / 4.0), 0.5 * mass * ROD_RADIUS**2
    for k in range(segments):
        place = [(k + 0.5) * length, 0.0, 0.0]
        # A segment's own y is its axis.
        add_body(model, vertices, mesh, mass if k else 0.0, [across, along, across], place, -0.5 * math.pi)
    pairs = [(k, k + 1) for k in range(segments - 1)]
    joints = [np.array([(k + 1) * length, 0.0, 0.0]) for k in range(segments - 1)]
    n = len(pairs)
    shear = YOUNG / (2.0 * (1.0 + POISSON))
    model.addDirectPositionBasedSolverForStiffRodsConstraint(
        pairs, joints, [ROD_RADIUS] * n, [length] * n, [YOUNG] * n, [shear] * n
    )
    bodies = model.getRigidBodies()
    last = bodies[segments - 1]

    def tip():
        place = np.ravel(last.getPosition())
        return [float(place[0]), float(place[1])]

    def end():
        way = np.ravel(last.getRotationMatrix() @ np.array([0.0, 0.5 * length, 0.0]))
        return [a + float(b) for a, b in zip(tip(), way)]

    def kinetic():
        return sum(float(np.sum(np.square(bodies[k].getVelocity()))) for k in range(1, segments))

    def stop():
        for k in range(1, segments):
            bodies[k].setVelocity([0.0, 0.0, 0.0])
            bodies[k].setAngularVelocity([0.0, 0.0, 0.0])

    def rest():
        return settle(stepping(simulation, model, ROD_STEP, 1), kinetic, stop, end)

    return Case(stepping(simulation, model, ROD_STEP), STEPS, segments, "direct solver for stiff rods, one iteration",
                ROD_STEP, tip, rest)  # fmt: skip


if __name__ == "__main__":
    makers = {"pendulum": pendulum, **{f"rod {n}": lambda n=n: rod(n) for n in SEGMENTS}}
    only = sys.argv[1:]  # one scene at a time
    makers = {name: make for name, make in makers.items() if not only or name in only}
    serve(*gather(makers), f"PositionBasedDynamics (pyPBD {importlib.metadata.version('pypbd')})")
