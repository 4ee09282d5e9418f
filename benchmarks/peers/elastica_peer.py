"""PyElastica: Cosserat rods with explicit steps, as small as their waves ask for."""

import importlib.metadata
import math

import elastica
import numpy as np
from blocks import LOOK, Case, gather, serve
from scenes import DENSITY, GRAVITY, POISSON, ROD_LENGTH, ROD_RADIUS, SEGMENTS, YOUNG
from settle import settle

STEPS = 100


class System(
    elastica.BaseSystemCollection, elastica.Constraints, elastica.Forcing, elastica.Damping, elastica.CallBacks
):
    """A rod on its own."""


def rod(segments: int) -> Case:
    system = System()
    made = elastica.CosseratRod.straight_rod(
        segments, np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), ROD_LENGTH, ROD_RADIUS, DENSITY,
        youngs_modulus=YOUNG, shear_modulus=YOUNG / (2.0 * (1.0 + POISSON)),
    )  # fmt: skip
    system.append(made)
    system.constrain(made).using(elastica.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
    system.add_forcing_to(made).using(elastica.GravityForces, acc_gravity=np.array([0.0, 0.0, -GRAVITY]))
    system.finalize()
    stepper = elastica.PositionVerlet()
    # The fastest wave crosses an element in dx / sqrt(E/rho).
    longest = 0.3 * ROD_LENGTH / segments / math.sqrt(YOUNG / DENSITY)
    step = np.float64(LOOK / (STEPS * math.ceil(LOOK / (STEPS * longest))))
    clock = [np.float64(0.0)]

    def advance():
        for _ in range(STEPS):
            clock[0] = stepper.step(system, clock[0], step)

    def tip():
        place = made.position_collection[:, -1]
        return [float(place[0]), float(place[2])]

    def one():
        clock[0] = stepper.step(system, clock[0], step)

    def kinetic():
        return float(np.sum(made.velocity_collection**2))

    def stop():
        made.velocity_collection[:] = 0.0
        made.omega_collection[:] = 0.0

    def rest():
        return settle(one, kinetic, stop, tip)

    remark = f"explicit, steps of {step * 1e3:.2g} ms"
    return Case(advance, STEPS, segments + 1, remark, float(step), tip, rest)


if __name__ == "__main__":
    version = importlib.metadata.version("pyelastica")
    serve(*gather({f"rod {n}": lambda n=n: rod(n) for n in SEGMENTS}), f"PyElastica {version}")
