"""Frequency and decay of a free vibration."""

from __future__ import annotations

import numpy as np


def read(motion: np.ndarray, step: float, stride: int) -> tuple[float, float]:
    """Frequency, rad/s, and rate of decay, 1/s, of a damped sine: x(t + 2h) = 2 Re(z) x(t + h) − |z|² x(t)."""
    later, now, before = motion[2 * stride :], motion[stride:-stride], motion[: -2 * stride]
    (a, b), *_ = np.linalg.lstsq(np.stack([now, -before], axis=1), later, rcond=None)
    z = np.log(complex(0.5 * a, np.sqrt(b - 0.25 * a * a))) / (stride * step)
    return float(z.imag), float(-z.real)
