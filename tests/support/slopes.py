"""Orders of error, measured."""

import numpy as np


def slope(steps, errors):
    """The order p of errors ~ stepsᵖ, by least squares on logarithms."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
