"""Islands on several threads: the same bits as on one."""

import os

import numpy as np
import pytest

from tendril.solver import (
    Joint,
    Material,
    Motion,
    Partner,
    RigidBody,
    Rod,
    RodEnd,
    Scene,
    Settings,
    Simulation,
    SimulationDiverged,
    parallel,
)

SETTINGS = Settings(frame_duration=0.02, frame_count=4, substeps=5, iterations=2)


def free_body(random, name, place):
    return RigidBody(name, place, unit(random.normal(size=4)), mass=random.uniform(0.1, 3.0),
                     inertia=(0.02, 0.03, 0.04), angular_velocity=random.normal(size=3))  # fmt: skip


def unit(v):
    return v / np.linalg.norm(v)


def rope(random, name, place):
    """A rod of any order, clamped, with a body on its end, and damped or not."""
    end = place + [0.0, 0.0, -0.6]
    rod = Rod(name, [place, end], elements=int(random.integers(1, 7)), order=int(random.integers(0, 4)), radius=0.02,
              material=Material(3e6), damping=float(random.choice([0.0, 1e-3])), start=RodEnd("clamped"))  # fmt: skip
    body = free_body(random, f"{name} body", end + [0.1, 0.0, 0.0])
    return [body], [rod], [Joint(f"{name} hook", "spherical", Partner(name, "end"), Partner(body.name), end)]


def chain(random, name, place, count, ground, closed):
    """Links on balls from ``ground``, and where ``closed`` back to it: a loop."""
    bodies, joints, before = [], [], ground
    for k in range(count):
        bodies.append(free_body(random, f"{name} {k}", place + [0.2 * k + 0.1, 0.0, 0.0]))
        joints.append(Joint(f"{name} joint {k}", "spherical", Partner(before), Partner(bodies[-1].name),
                            place + [0.2 * k, 0.0, 0.0]))  # fmt: skip
        before = bodies[-1].name
    if closed:
        end = place + [0.2 * count, 0.0, 0.0]
        joints.append(Joint(f"{name} end", "spherical", Partner(before), Partner(ground), end))
    return bodies, [], joints


def net(random, name, place, side):
    """A square net of bodies held at its corner: with ``side`` 7, more loops than are closed exactly."""
    bodies, joints = [], []
    for a in range(side):
        for b in range(side):
            bodies.append(free_body(random, f"{name} {a} {b}", place + [0.2 * a, 0.2 * b, 0.0]))
            for c, d in ((a - 1, b), (a, b - 1)):
                if min(c, d) >= 0:
                    middle = place + [0.1 * (a + c), 0.1 * (b + d), 0.0]
                    joints.append(Joint(f"{name} {a} {b} from {c} {d}", "spherical", Partner(f"{name} {c} {d}"),
                                        Partner(bodies[-1].name), middle))  # fmt: skip
    joints.append(Joint(f"{name} corner", "spherical", Partner("wall"), Partner(f"{name} 0 0"), place))
    return bodies, [], joints


def random_scene(seed, count=24):
    """Many islands of all kinds; some hang on one static body, some on an animated one, some on the world."""
    random = np.random.default_rng(seed)
    t = np.arange(SETTINGS.sample_count) * SETTINGS.time_step
    path = Motion(np.stack([0.2 * np.sin(9.0 * t), 0.0 * t, 0.0 * t], axis=1), np.tile([1.0, 0, 0, 0], (len(t), 1)))
    bodies = [
        RigidBody("wall", (0.0, 0.0, 3.0), unit(random.normal(size=4)), kind="static"),
        RigidBody("crane", kind="animated", motion=path),
    ]
    rods, joints = [], []
    for k in range(count):
        place = np.array([2.0 * k, 0.0, 0.0])
        kind = random.integers(0, 5)
        if kind == 0:
            more = [free_body(random, f"stone {k}", place)], [], []
        elif kind == 1:
            more = rope(random, f"rope {k}", place)
        elif kind == 2:
            more = net(random, f"net {k}", place, int(random.choice([2, 3, 7])))
        else:
            ground = str(random.choice(["", "wall", "crane"]))
            more = chain(random, f"chain {k}", place, int(random.integers(1, 6)), ground, bool(random.integers(0, 2)))
        for part, new in zip((bodies, rods, joints), more):
            part += new
    return Scene(tuple(bodies), tuple(rods), tuple(joints), SETTINGS)


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch):
    monkeypatch.setattr(parallel, "WORTH", 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_any_number_of_threads_gives_the_same_bits(seed):
    scene = random_scene(seed)
    one, *others = (Simulation(scene, threads=count) for count in (1, 2, 3))
    assert [len(s._works) for s in (one, *others)] == [1, 2, 3]
    for _ in range(SETTINGS.frame_count - 1):
        wanted = one.advance()
        for other in others:
            frame = other.advance()
            np.testing.assert_array_equal(frame.positions, wanted.positions)
            np.testing.assert_array_equal(frame.rotations, wanted.rotations)
    for name in ("v", "w", "lam", "turns"):
        for other in others:
            np.testing.assert_array_equal(getattr(other.state, name), getattr(one.state, name))


def test_what_stands_still_is_never_written_to():
    scene = random_scene(1)
    simulation = Simulation(scene, threads=2)
    before = simulation.frame()
    for _ in range(SETTINGS.frame_count - 1):
        after = simulation.advance()
    for node in (0, simulation.bodies["wall"]):
        np.testing.assert_array_equal(after.positions[node], before.positions[node])
        np.testing.assert_array_equal(after.rotations[node], before.rotations[node])


def test_the_first_island_that_diverges_is_named_whatever_the_threads():
    bodies = [RigidBody(f"body {k}", (2.0 * k, 0, 0)) for k in range(40)]
    for k in (9, 30):
        bodies[k] = RigidBody(f"body {k}", (9.95e8, 0, 0), velocity=(1e9, 0, 0))  # soon out of sight
    for threads in (1, 3):
        with pytest.raises(SimulationDiverged) as caught:
            Simulation(Scene(tuple(bodies), settings=SETTINGS), threads=threads).advance()
        assert caught.value.object == "body 9"


def test_groups_cover_all_islands_once_and_share_the_cost():
    random = np.random.default_rng(5)
    for count in (1, 2, 5, 8):
        costs = random.uniform(0.5, 1.5, size=300)
        groups = parallel.cut(costs, count)
        assert [k for first, last in groups for k in range(first, last)] == list(range(300))
        assert max(costs[first:last].sum() for first, last in groups) < 1.05 * costs.sum() / count + costs.max()
    assert all(first < last for first, last in parallel.cut(np.array([1.0, 100.0, 1.0]), 8))


def test_a_small_scene_is_one_call(monkeypatch):
    monkeypatch.undo()
    bodies = tuple(RigidBody(f"body {k}", (2.0 * k, 0, 0)) for k in range(4))
    assert len(Simulation(Scene(bodies, settings=SETTINGS), threads=8)._groups) == 1


def test_threads_come_from_the_argument_the_environment_or_the_machine(monkeypatch):
    monkeypatch.setenv(parallel.THREADS_VARIABLE, "3")
    assert parallel.thread_count(None) == 3
    assert parallel.thread_count(2) == 2
    monkeypatch.setenv(parallel.THREADS_VARIABLE, "many")
    assert 1 <= parallel.thread_count(None) <= (os.cpu_count() or 1)
    with pytest.raises(ValueError, match="threads"):
        parallel.thread_count(0)
