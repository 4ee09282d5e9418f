"""Bringing a swinging thing to rest: at each peak of kinetic energy all velocities are set to nothing."""

MOST_STEPS = 400_000
STILL = 1e-8  # m that the tip may still move from one peak to the next


def settle(step, kinetic, stop, tip) -> list[float]:
    """Step until the tip stands still; return where.

    Near rest every peak lies at the place of rest to first order, so that a few hundred steps do.
    """
    before, place, seen, calm = 0.0, None, 0, 0
    for _ in range(MOST_STEPS):
        step()
        energy = kinetic()
        if energy < before:
            stop()
            energy = 0.0
            here = tip()
            if place is not None and max(abs(a - b) for a, b in zip(here, place)) < STILL:
                calm += 1
                if calm > 5:
                    return here
            else:
                calm = 0
            place, seen = here, seen + 1
        before = energy
    raise RuntimeError(f"not at rest after {MOST_STEPS} steps and {seen} peaks")
