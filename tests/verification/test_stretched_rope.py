"""A body of 2000 times a rope's mass stretches it by up to a third and swings: one iteration gains no energy."""

import numpy as np
import pytest

from tendril.solver import Joint, Material, Partner, RigidBody, Rod, RodEnd, Scene, Settings, Simulation


@pytest.mark.parametrize(("elements", "order"), [(8, 1), (12, 2), (8, 3), (16, 3)])
@pytest.mark.parametrize("young", [4.0e8, 2.0e8])
def test_a_heavy_body_on_a_soft_rope(elements, order, young):
    rope = Rod(
        "rope", ((0, 0, 0), (0, 0, -2)), elements=elements, order=order, radius=0.005,
        material=Material(young, 0.3, 790.0), start=RodEnd("clamped"),
    )  # fmt: skip
    body = RigidBody("body", (0, 0, -2.1), mass=250.0, inertia=(40.0,) * 3, velocity=(0.01, 0, 0))
    joint = Joint("joint", "fixed", Partner("rope", "end"), Partner("body"), (0, 0, -2))
    simulation = Simulation(Scene((body,), (rope,), (joint,), Settings(frame_count=60)))
    start = simulation.energy().total
    for frame in simulation.frames():
        assert simulation.energy().total < start + 1e-6
        assert np.abs(frame.positions[1:, :2]).max() < 0.02
