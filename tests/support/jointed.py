"""What tests of jointed bodies share."""

import numpy as np

from tendril.solver import Settings
from tendril.solver.joints.arrays import joint_values


def row(index, value, rest=0.0):
    """Six numbers, all ``rest`` but one."""
    result = np.full(6, rest)
    result[index] = value
    return result


def read(simulation, index=0):
    """What the artist reads of a joint."""
    state, model = simulation.state, simulation.model
    return joint_values(
        index, state.x.reshape(-1, 3), state.q.reshape(-1, 4), model.joint_data, model.joint_flags, state.turns
    )


def settings(substeps=20, frames=25, gravity=9.81, **options):
    return Settings(
        gravity=(0.0, 0.0, -gravity), frame_duration=1.0 / 24.0, frame_count=frames, substeps=substeps, **options
    )
