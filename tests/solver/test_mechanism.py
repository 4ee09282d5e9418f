"""The direct solve of a tree of rods, joints and bodies against dense solves of eqs. (55), (57) and (65), (66).

One substep of a scene at rest without gravity is one iteration from the state given: x̃ = x, λ = 0.
"""

import dataclasses

import numpy as np
import pytest
from dense import evaluate, inverse_mass, jacobian, mass, move, rows_of, solve_refined, step_of

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation
from tendril.solver.joints.types import JOINT_TYPES
from tendril.solver.model import CUT_LAST, INDEX, KIND, ROD_ELEMENT, TREE_LAST

DT = 1e-2
SETTINGS = Settings(gravity=(0.0, 0.0, 0.0), frame_duration=DT, frame_count=5, substeps=1)
SOFT = Material(young_modulus=2e5, poisson_ratio=0.3, density=1100.0)
FREE, PINNED, CLAMPED = (RodEnd(hold) for hold in ("free", "pinned", "clamped"))
ROUNDING = 3e-9  # six decades of mass cost six digits of fifteen where a light thing is locked between heavy ones
KINDS = ("fixed", "revolute", "spherical", "prismatic")


def rod(name, first, last, **settings):
    settings = {"elements": 3, "order": 3, "radius": 0.04, "material": SOFT} | settings
    return Rod(name, np.array([first, last], float), **settings)


def body(name, place, mass=1.5, size=0.3):
    inertia = mass * size**2 * np.array([0.4, 0.5, 0.7])
    return RigidBody(name, np.array(place, float), mass=mass, inertia=inertia)


def single(order, elements, start, end):
    return Scene(rods=(rod("rod", [0, 0, 0], [1, 0, 0], order=order, elements=elements, start=start, end=end),))


def star(masses=(1.0, 1.0, 1.0, 1.0), kinds=KINDS):
    """A body with a rod, a body and a rod with a body at its end, all on joints, and the world on one of them."""
    bodies = (
        body("hub", [0, 0, 0], masses[0]),
        body("arm", [0, 1, 0], masses[1]),
        body("weight", [1.2, 0, 0], masses[2]),
        body("hand", [0, 2, 0.3], masses[3]),
    )
    rods = (
        rod("beam", [0.2, 0, 0], [1, 0, 0], order=2),
        rod("rope", [0, 0, 0.2], [0, 0, 1.3], order=3, end=CLAMPED),
        rod("whip", [0, 0, -0.2], [0, 0.2, -1], order=1, elements=5),
    )
    joints = (
        Joint("a", kinds[0], Partner("hub"), Partner("beam", "start"), position=(0.2, 0, 0)),
        Joint("b", kinds[1], Partner("beam", "end"), Partner("weight"), position=(1, 0, 0)),
        Joint("c", kinds[2], Partner("rope", "start"), Partner("hub"), position=(0, 0, 0.2)),
        Joint("d", kinds[3], Partner("hub"), Partner("arm"), position=(0, 0.5, 0), rotation=(0.8, 0.6, 0, 0)),
        Joint("e", "revolute", Partner("arm"), Partner("hand"), position=(0, 1.5, 0.1), rotation=(0.8, 0, 0.6, 0)),
        Joint("f", "fixed", Partner("whip", "start"), Partner("hub"), position=(0, 0, -0.2)),
    )
    return Scene(bodies=bodies, rods=rods, joints=joints)


def chain(masses, first="spherical"):
    """Bodies on hinges from the world down."""
    bodies = tuple(body(f"link {i}", [0.0, 0.0, -i - 0.5], m) for i, m in enumerate(masses))
    joints = tuple(
        Joint(
            f"joint {i}",
            first if i == 0 else KINDS[i % 3],
            Partner(f"link {i - 1}" if i else ""),
            Partner(f"link {i}"),
            position=(0, 0.05 * i, -i),
            rotation=(np.cos(i), np.sin(i), 0, 0),
        )
        for i in range(len(masses))
    )
    return Scene(bodies=bodies, joints=joints)


SCENES = {
    **{
        f"rod of order {k}, {start.hold}-{end.hold}": single(k, n, start, end)
        for k, n in ((1, 6), (2, 4), (3, 3))
        for start, end in ((FREE, FREE), (CLAMPED, FREE), (PINNED, PINNED), (CLAMPED, CLAMPED), (FREE, PINNED))
    },
    "one element": single(3, 1, CLAMPED, CLAMPED),
    "star": star(),
    "star of balls": star(kinds=("spherical",) * 4),
    "star of fixed": star(kinds=("fixed",) * 4),
    "star with a heavy hub": star((1e6, 1.0, 1.0, 1.0)),
    "star with a heavy weight": star((1.0, 1.0, 1e6, 1.0)),
    "star with a light hub": star((1e-3, 1e3, 1e3, 1e3)),
    "star with a heavy hand": star((1.0, 1.0, 1.0, 1e6)),
    "chain": chain((1.0, 2.0, 3.0, 1.0, 0.5)),
    "chain growing heavy": chain((1e-3, 1e-1, 1e1, 1e3)),
    "chain growing light": chain((1e3, 1e1, 1e-1, 1e-3)),
    "chain on a fixed joint, growing heavy": chain((1e-3, 1e-1, 1e1, 1e3), first="fixed"),
    "chain of light and heavy": chain((1e3, 1e-3, 1e3, 1e-3, 1e3)),
    "free chain": dataclasses.replace(chain((1.0, 1e3, 1e-3, 1.0)), joints=chain((1.0, 1e3, 1e-3, 1.0)).joints[1:]),
}


def simulate(scene, iterations=1, seed=0, noise=0.02, gravity=(0.0, 0.0, 0.0)):
    """A simulation whose nodes have been moved a little at random."""
    scene = dataclasses.replace(scene, settings=dataclasses.replace(SETTINGS, iterations=iterations, gravity=gravity))
    simulation = Simulation(scene)
    step = noise * np.random.default_rng(seed).normal(size=6 * len(simulation.model.mass))
    move(simulation, step * (inverse_mass(simulation.model) > 0.0))
    return simulation


def dense_iteration(simulation, lam, moved):
    """One step Δλ, Δx of Newton's method on (51), (52), the Hessian of C left out, from λ and x ⊟ x̃.

    With d = W (∇Cᵀλ − M (x ⊟ x̃)): (∇C W ∇Cᵀ + α̃) Δλ = −C − α̃ λ − ∇C d and Δx = d + W ∇Cᵀ Δλ. In the first
    iteration λ = 0 and d = 0: (55), (57).
    """
    evaluate(simulation)
    c, alpha, w, j = simulation.work.c, simulation.work.alpha, inverse_mass(simulation.model), jacobian(simulation)
    compliance = alpha / DT**2
    d = w * (j.T @ lam - mass(simulation.model) * moved)
    dlam = solve_refined((j * w) @ j.T + np.diag(compliance), -c - compliance * lam - j @ d)
    return dlam, d + w * (j.T @ dlam)


@pytest.mark.parametrize("name", SCENES)
def test_one_iteration_is_the_dense_solve(name):
    simulation = simulate(SCENES[name])
    assert np.all(simulation.model.islands[:, CUT_LAST] == simulation.model.islands[:, TREE_LAST]), "no loops here"
    lam, move_expected = dense_iteration(simulation, np.zeros(len(simulation.state.lam)), 0.0)
    x, q = simulation.state.x.copy(), simulation.state.q.copy()
    simulation.advance()
    found = step_of(simulation, x, q)
    assert np.abs(move_expected).max() > 1e-4
    np.testing.assert_allclose(found, move_expected, rtol=0.0, atol=ROUNDING * np.abs(move_expected).max())
    # what each row does to its own nodes, so that rows of light and heavy things count alike
    w, j = inverse_mass(simulation.model), jacobian(simulation)
    effect = np.sqrt(np.sum(j * j * w, axis=1))
    np.testing.assert_allclose(
        effect * simulation.state.lam, effect * lam, rtol=0.0, atol=1e-9 * (effect * np.abs(lam)).max()
    )


@pytest.mark.parametrize("name", ["star", "rod of order 2, pinned-pinned", "chain"])
def test_more_iterations_are_newtons_method(name):
    simulation = simulate(SCENES[name], iterations=3)
    twin = simulate(SCENES[name])
    x, q = simulation.state.x.copy(), simulation.state.q.copy()
    lam = np.zeros(len(twin.state.lam))
    for _ in range(3):
        dlam, step = dense_iteration(twin, lam, step_of(twin, x, q))
        lam += dlam
        move(twin, step)
    simulation.advance()
    np.testing.assert_allclose(simulation.state.x, twin.state.x, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(step_of(simulation, twin.state.x, twin.state.q), 0.0, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(simulation.state.lam, lam, rtol=0.0, atol=1e-8 * np.abs(lam).max())


@pytest.mark.parametrize(
    "name", ["star", "star with a heavy weight", "rod of order 3, clamped-free", "chain of light and heavy"]
)
def test_iterations_converge_to_backward_euler(name):
    """Whatever geometric stiffness is added to W: both residuals (51), (52) go to rounding, also under way."""
    simulation = simulate(SCENES[name], iterations=25, noise=0.005, gravity=(1.0, 2.0, -9.81))
    for _ in range(4):
        simulation.advance()
        size = (simulation.model.mass.max() + simulation.model.inertia.max()) * 1e-2
        residuals = simulation.residuals()
        assert residuals.primal < 1e-11 * size
        assert residuals.constraint < 1e-11


@pytest.mark.parametrize(
    "name", ["star", "star with a heavy weight", "rod of order 3, clamped-free", "rod of order 1, free-free"]
)
def test_the_velocity_solve_is_the_dense_one(name):
    """(65), (66): rods with β = b/α, joints that lock, one hinge with a damper of its own, one rod without damping."""
    scene = SCENES[name]
    rods = tuple(dataclasses.replace(r, damping=0.0 if r.name == "beam" else 0.03) for r in scene.rods)
    damper = (0.0,) * 5 + (0.7,)
    joints = tuple(dataclasses.replace(j, damping=damper) if j.name == "e" else j for j in scene.joints)
    simulation = simulate(dataclasses.replace(scene, rods=rods, joints=joints))
    x, q = simulation.state.x.copy(), simulation.state.q.copy()
    simulation.advance()
    before = step_of(simulation, x, q) / DT
    evaluate(simulation)
    w, j, alpha = inverse_mass(simulation.model), jacobian(simulation), simulation.work.alpha
    compliance, wanted = np.zeros(len(alpha)), np.ones(len(alpha), bool)
    for k, connector in enumerate(simulation.model.connectors):
        rows = rows_of(connector)
        if connector[KIND] == ROD_ELEMENT:
            b = simulation.model.damping[k]
            wanted[rows] = b > 0.0
            compliance[rows] = alpha[rows] / (b * DT) if b > 0.0 else 0.0
            continue
        joint = joints[int(connector[INDEX])]
        for row in range(6):
            if row in JOINT_TYPES[joint.kind].free_rows:
                wanted[rows[row]] = joint.damping[row] > 0.0
                if joint.damping[row] > 0.0:
                    compliance[rows[row]] = 1.0 / (joint.damping[row] * DT)
                    j[rows[row]] = hinge_row(simulation, connector)
    j, compliance = j[wanted], compliance[wanted]
    mu = solve_refined((j * w) @ j.T + np.diag(compliance), -(j @ before))
    expected = before + w * (j.T @ mu)
    found = np.concatenate([simulation.state.v.reshape(-1, 3), simulation.state.w.reshape(-1, 3)], axis=1).ravel()
    assert np.abs(expected - before).max() > 1e-2 * np.abs(before).max()
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(before).max())


def hinge_row(simulation, connector):
    """∂(twist)/∂θ: near zero swing, the difference of the two angular velocities along the axis."""
    from dense import nodes_of

    from tendril.solver.joints.arrays import DATA_STRIDE, TURN_1, TURN_2
    from tendril.solver.orientation import matrix_from_quaternion

    data = simulation.model.joint_data.reshape(-1, int(DATA_STRIDE))[int(connector[INDEX])]
    row = np.zeros(6 * len(simulation.model.mass))
    one, two = nodes_of(connector)
    q = simulation.state.q.reshape(-1, 4)
    locals_ = [matrix_from_quaternion(data[int(t) : int(t) + 4]) for t in (TURN_1, TURN_2)]
    axes = [matrix_from_quaternion(q[n]) @ local for n, local in zip((one, two), locals_, strict=True)]
    relative = axes[0].T @ axes[1]
    # twist τ of R_Δ = swing · twist: dτ = (tan(s/2) a_y, −tan(s/2) a_x, 1)·δ, δ in body 1's joint frame
    tilt = relative[:, 2]
    half = np.hypot(tilt[0], tilt[1])
    factor = 0.0 if half == 0.0 else np.tan(0.5 * np.arctan2(half, tilt[2])) / half
    gradient = np.array([factor * tilt[0], factor * tilt[1], 1.0])  # a = (−tilt_y, tilt_x)/sin s
    row[6 * one + 3 : 6 * one + 6] = -gradient @ locals_[0].T
    row[6 * two + 3 : 6 * two + 6] = gradient @ relative @ locals_[1].T
    return row


def ring():
    """A ring of four bodies on balls: the loop is cut in one place."""
    places = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0.3], [0, 1, 0]])
    bodies = tuple(body(f"{i}", p) for i, p in enumerate(places))
    joints = tuple(
        Joint(
            f"j{i}",
            "spherical",
            Partner(f"{i}"),
            Partner(f"{(i + 1) % 4}"),
            position=(places[i] + places[(i + 1) % 4]) / 2,
        )
        for i in range(4)
    )
    return Scene(bodies=bodies, joints=joints)


def hoop():
    """A body on a rod whose ends are joined: the loop goes through the rod's compliance."""
    rods = (rod("rod", [0, 0, 0], [1, 0, 0], order=2),)
    joints = (
        Joint("a", "fixed", Partner("rod", "start"), Partner("body"), position=(0, 0, 0)),
        Joint("b", "revolute", Partner("rod", "end"), Partner("body"), position=(1, 0, 0)),
    )
    return Scene((body("body", [0.5, 0, 0.5]),), rods, joints)


@pytest.mark.parametrize("scene", [ring(), hoop()])
def test_loops_are_closed_as_the_dense_solve_does(scene):
    simulation = simulate(scene)
    assert np.sum(simulation.model.islands[:, CUT_LAST] - simulation.model.islands[:, TREE_LAST]) == 1
    _, expected = dense_iteration(simulation, np.zeros(len(simulation.state.lam)), 0.0)
    x, q = simulation.state.x.copy(), simulation.state.q.copy()
    simulation.advance()
    np.testing.assert_allclose(step_of(simulation, x, q), expected, rtol=0.0, atol=1e-6 * np.abs(expected).max())
    simulation = simulate(scene, iterations=10)
    simulation.advance()
    assert simulation.residuals().constraint < 1e-10


def test_a_linkage_with_two_legs_on_the_ground():
    """Joints in an order that makes two trees and a cut between them: no leg may be forgotten."""
    bodies = (body("left", [0, 0, 0.5]), body("bar", [0.5, 0, 1.0]), body("right", [1, 0, 0.5]))
    y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # hinges about y
    joints = (
        Joint("foot 1", "revolute", Partner(), Partner("left"), position=(0, 0, 0), rotation=y),
        Joint("foot 2", "revolute", Partner(), Partner("right"), position=(1, 0, 0), rotation=y),
        Joint("knee 1", "revolute", Partner("left"), Partner("bar"), position=(0, 0, 1), rotation=y),
        Joint("knee 2", "revolute", Partner("bar"), Partner("right"), position=(1, 0, 1), rotation=y),
    )
    simulation = simulate(Scene(bodies=bodies, joints=joints), iterations=40)
    assert len(simulation.model.connectors) == 4
    simulation.advance()
    assert simulation.residuals().constraint < 1e-8


def test_momentum_is_kept_by_the_solve():
    """Σ M Δx = 0 for everything that floats freely, to the rounding of places, for masses six decades apart."""
    scene = SCENES["free chain"]
    simulation = simulate(scene)
    x = simulation.state.x.copy()
    simulation.advance()
    moved = simulation.model.mass[:, None] * (simulation.state.x - x).reshape(-1, 3)
    rounding = np.finfo(float).eps * np.sum(simulation.model.mass[:, None] * np.abs(x.reshape(-1, 3)), axis=0).max()
    assert np.abs(moved).max() > 1e-3
    assert np.abs(moved.sum(axis=0)).max() < 2.0 * rounding
