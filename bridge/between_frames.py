"""Keys of tilt between frames, where Blender's bevel frame spins although the curve hardly moves.

The bevel frame of a whole spline hangs on the direction in which it starts, and turns by up to half a turn while that
passes the object's own Z axis: any rope that hangs and swings does so. Tilt makes up for it on every frame; between
two frames, where motion blur looks, linear keys would not. So the tilt is computed there as well, halfway, and halfway
again where a line between its neighbours is not good enough.
"""

from __future__ import annotations

import numpy as np

from . import bezier

GOOD = np.radians(3.0)  # a straight line between two keys may be this far from the tilt
ASIDE = 0.28  # of the way, where a curve that is even about the middle differs from a straight line as well
FINEST = 1.0 / 128.0  # of a frame


def refined(controls, normals, tilt, laid):
    """Return times (m,), in frames from the first, and the tilt (m, points) there: every frame, and more where needed.

    ``controls``: (co, left, right), (n, points, 3) each; ``normals`` (n, points, 3): the directions d1; ``tilt``
    (n, points). ``laid`` makes (axis, direction) of control points, as ``bezier.bevel_frames``.
    """
    count = len(tilt)
    times, values = [np.arange(count, dtype=np.float64)], [tilt]
    # where d1 itself turns by more than 90° in one frame nobody can say what is between
    steady = np.einsum("npi,npi->np", normals[1:], normals[:-1]).min(axis=1, initial=1.0) > 0.0
    turning = np.abs(np.diff(tilt, axis=0)).max(axis=1, initial=0.0) > GOOD
    start = np.flatnonzero(steady & turning).astype(np.float64)
    before, after, width = tilt[start.astype(int)], tilt[start.astype(int) + 1], 1.0
    while len(start) and width > FINEST:
        found = _tilt_near(controls, normals, start + 0.5 * width, laid, 0.5 * (before + after))
        aside = (1.0 - ASIDE) * before + ASIDE * after
        miss = _tilt_near(controls, normals, start + ASIDE * width, laid, aside) - aside
        miss = np.maximum(np.abs(miss), np.abs(found - 0.5 * (before + after)))
        bad = miss.max(axis=1) > GOOD
        width *= 0.5
        middle, found = start[bad] + width, found[bad]
        times.append(middle)
        values.append(found)
        start = np.concatenate([start[bad], middle])
        before, after = np.concatenate([before[bad], found]), np.concatenate([found, after[bad]])
    joined = np.concatenate(times)
    order = np.argsort(joined, kind="stable")
    return joined[order], np.concatenate(values)[order]


def _tilt_near(controls, normals, times, laid, guess):
    """Return the tilt (k, points) at times between frames, in whole turns nearest to ``guess``.

    Control points move along straight lines there.
    """
    co, left, right = (at_times(values, times).astype(np.float32) for values in controls)
    axis, direction = laid(co, left, right)
    tilt = bezier.tilts(axis, direction, bezier.perpendicular(at_times(normals, times), direction), False)
    first = _within_half_a_turn(tilt[:, :1] - guess[:, :1])  # the whole spline turns as one
    return guess + first + _within_half_a_turn(tilt - guess - first)


def worth_a_shape(times, frame_count):
    """Return those of ``times`` that are kept where each costs a shape of all splines: at most two a frame on average.

    The finest fractions of a frame go first, which are many where many rods hang in one object.
    """
    step = FINEST
    while len(times) > 2 * frame_count:
        step *= 2.0
        times = times[np.remainder(times, step) == 0.0]
    return times


def at_times(values, times):
    """Interpolate ``values`` (n, …), one a frame, at ``times`` (k,) in frames."""
    frame = np.minimum(np.floor(times).astype(int), len(values) - 2)
    part = (times - frame).reshape(-1, *[1] * (np.ndim(values) - 1))
    return (1.0 - part) * values[frame] + part * values[frame + 1]


def _within_half_a_turn(angle):
    return angle - 2.0 * np.pi * np.rint(angle / (2.0 * np.pi))
