"""What every peer builds: the triple pendulum of Table 1 and the cantilever of section 9.2, in numbers."""

import math

LINKS, LINK_LENGTH, LINK_MASS, LINK_WIDTH = 3, 0.5, 1.0, 0.05
START_ANGLE = math.radians(80.0)  # from the downward vertical
PENDULUM_STEP = 1e-3

ROD_LENGTH, ROD_RADIUS, YOUNG, POISSON, DENSITY = 1.0, 0.05, 5e6, 0.4, 1000.0
ROD_STEP = 2e-3
SEGMENTS = (30, 60, 120)
GRAVITY = 9.81


def link_inertia() -> tuple[float, float, float]:
    """Principal moments of a link, its axis last."""
    across = LINK_MASS / 12.0 * (LINK_WIDTH**2 + LINK_LENGTH**2)
    return across, across, LINK_MASS / 6.0 * LINK_WIDTH**2
