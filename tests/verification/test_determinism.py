"""The same bits: two runs, islands alone or together, frames or substeps, looked at or not."""

import dataclasses

import numpy as np

from tendril.solver import Joint, Material, Motion, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation

SOFT = Material(young_modulus=3e6, poisson_ratio=0.3, density=1000.0)


def rig(name, shift, settings):
    """A moved clamp, a rope, a body, a sprung hinge, an arm; all names begin with ``name``."""
    count = settings.sample_count
    path = np.zeros((count, 3))
    path[:, 0] = shift + 0.1 * np.sin(np.arange(count) * settings.time_step * 8.0)
    frame = np.tile(np.array([0.0, 0.0, 1.0, 0.0]), (count, 1))  # tangent down
    rod = Rod(
        f"{name} rope",
        [[shift, 0, 0], [shift, 0, -0.5]],
        elements=4,
        order=2,
        radius=0.02,
        material=SOFT,
        damping=0.002,
        start=RodEnd("clamped", Motion(path, frame)),
    )
    bodies = (
        RigidBody(f"{name} body", (shift, 0, -0.6), mass=1.0, inertia=(0.01, 0.02, 0.025), angular_velocity=(1, 2, 3)),
        RigidBody(f"{name} arm", (shift + 0.4, 0, -0.6), mass=0.3, inertia=(0.001, 0.002, 0.0015)),
    )
    joints = (
        Joint(
            f"{name} ball",
            "spherical",
            Partner(f"{name} rope", "end"),
            Partner(f"{name} body"),
            position=(shift, 0, -0.5),
        ),
        Joint(
            f"{name} hinge",
            "revolute",
            Partner(f"{name} body"),
            Partner(f"{name} arm"),
            position=(shift + 0.2, 0, -0.6),
            stiffness=(0, 0, 0, 0, 0, 2.0),
            damping=(0, 0, 0, 0, 0, 0.05),
            upper=(np.inf,) * 5 + (0.4,),
        ),
    )
    return bodies, (rod,), joints


def scene(settings, *shifts):
    parts = [rig(f"rig {shift}", shift, settings) for shift in shifts]
    return Scene(*(sum((p[k] for p in parts), ()) for k in range(3)), settings)


def settings(frames=13, substeps=8, step=1.0 / 192.0, **options):
    return Settings(frame_duration=step * substeps, frame_count=frames, substeps=substeps, **options)


def run(scene_, look=False):
    simulation = Simulation(scene_)
    frames = []
    for frame in simulation.frames():
        frames.append(np.concatenate([frame.positions, frame.rotations], axis=1))
        if look:
            simulation.energy(), simulation.momentum(), simulation.residuals()
    return simulation, np.array(frames)


def test_two_runs_give_the_same_bits():
    (_, one), (_, two) = (run(scene(settings(), 0.0, 3.0)) for _ in range(2))
    assert one.tobytes() == two.tobytes()
    assert np.abs(one[-1] - one[0]).max() > 0.1


def test_substeps_of_a_frame_are_frames():
    (_, whole), (_, fine) = run(scene(settings(), 0.0)), run(scene(settings(frames=97, substeps=1), 0.0))
    assert settings().time_step == settings(frames=97, substeps=1).time_step
    assert whole.tobytes() == fine[::8].tobytes()


def test_islands_alone_and_together_give_the_same_bits():
    together, both = run(scene(settings(), 0.0, 3.0))
    for shift in (0.0, 3.0):
        alone, one = run(scene(settings(), shift))
        name = f"rig {shift}"
        for here, there in (
            (alone.rods[f"{name} rope"], together.rods[f"{name} rope"]),
            (alone.bodies[f"{name} body"], together.bodies[f"{name} body"]),
            (alone.bodies[f"{name} arm"], together.bodies[f"{name} arm"]),
        ):
            assert one[:, here].tobytes() == both[:, there].tobytes()


def test_looking_changes_nothing():
    (_, blind), (_, seen) = run(scene(settings(), 0.0)), run(scene(settings(), 0.0), look=True)
    assert blind.tobytes() == seen.tobytes()


def test_iterations_too():
    two = dataclasses.replace(settings(), iterations=3)
    assert run(scene(two, 0.0))[1].tobytes() == run(scene(two, 0.0))[1].tobytes()
