"""Checks of single values: each returns the value in the solver's own form or raises ``SceneError``."""

from __future__ import annotations

import operator

import numpy as np

from .scene import SceneError

SMALLEST = 1.0e-30  # of a number that must be positive: its inverse must be finite
LARGEST = 1.0e30
FARTHEST = 1.0e9  # m, rad, m/s: beyond it a float64 no longer resolves a tenth of a micrometre


def text(owner: str, label: str, value) -> str:
    """Return a string, or raise."""
    if not isinstance(value, str):
        raise SceneError(owner, f"{label} is {value!r}; it must be a text")
    return value


def choice(owner: str, label: str, value, allowed) -> str:
    """Return one of the allowed words, or raise."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(f'"{word}"' for word in allowed)
        raise SceneError(owner, f"{label} is {value!r}; choose one of {words}")
    return value


def instance(owner: str, label: str, value, kind: type):
    """Return an object of the given dataclass, or raise."""
    if not isinstance(value, kind):
        raise SceneError(owner, f"{label} is a {type(value).__name__}; it must be a {kind.__name__}")
    return value


def whole(owner: str, label: str, value, least: int, most: int) -> int:
    """Return a whole number in [least, most], or raise."""
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise SceneError(owner, f"{label} is {value!r}; it must be a whole number")
    if not least <= number <= most:
        raise SceneError(owner, f"{label} is {number}; set it between {least} and {most}")
    return number


def real(owner: str, label: str, value) -> float:
    """Return a float that is not NaN (but may be infinite), or raise."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise SceneError(owner, f"{label} is {value!r}; it must be a number") from None
    if np.isnan(number):
        raise SceneError(owner, f"{label} is not a number (NaN); give it a value")
    return number


def positive(owner: str, label: str, value) -> float:
    """Return a float in [1e-30, 1e30], or raise."""
    number = real(owner, label, value)
    if not number > 0.0:
        raise SceneError(owner, f"{label} is {number:g}; it must be greater than zero")
    if not SMALLEST <= number <= LARGEST:
        size = "infinite" if np.isinf(number) else f"{number:g}"
        raise SceneError(owner, f"{label} is {size}; it must be between {SMALLEST:g} and {LARGEST:g}")
    return number


def not_negative(owner: str, label: str, value) -> float:
    """Return a float in [0, 1e30], or raise."""
    number = real(owner, label, value)
    if not 0.0 <= number <= LARGEST:
        raise SceneError(owner, f"{label} is {number:g}; it must be zero or more, and finite")
    return number


def array(owner: str, label: str, value, shape: tuple) -> np.ndarray:
    """Return a fresh C-contiguous float64 array without NaN; −1 in ``shape`` stands for any length."""
    try:
        numbers = np.array(value, dtype=np.float64, order="C", copy=True)
    except (TypeError, ValueError, OverflowError):
        raise SceneError(owner, f"{label} cannot be read as numbers; it must be an array of {_of(shape)}") from None
    fits = numbers.ndim == len(shape)
    fits = fits and all(want in (-1, have) for want, have in zip(shape, numbers.shape, strict=True))
    if not fits:
        raise SceneError(owner, f"{label} has the shape {_of(numbers.shape)}; it must be {_of(shape)}")
    if np.isnan(numbers).any():
        raise SceneError(
            owner, f"{label} contains a value that is not a number (NaN){_where(np.isnan(numbers))}; mend it"
        )
    return numbers


def _of(shape: tuple) -> str:
    return "(" + ", ".join("any" if size == -1 else str(size) for size in shape) + ")"


def _where(bad: np.ndarray) -> str:
    """Say at which row of a table the first bad value is."""
    if bad.ndim < 2:
        return ""
    return f" at number {int(np.argwhere(bad)[0][0]) + 1}"


def finite(owner: str, label: str, value, shape: tuple) -> np.ndarray:
    """Return an array whose values are all within ±1e9, or raise."""
    numbers = array(owner, label, value, shape)
    bad = ~np.isfinite(numbers)
    if bad.any():
        raise SceneError(owner, f"{label} contains an infinite value{_where(bad)}; mend it")
    bad = np.abs(numbers) > FARTHEST
    if bad.any():
        raise SceneError(owner, f"{label} goes beyond {FARTHEST:g}{_where(bad)}; bring it closer to the origin")
    return numbers


def quaternion(owner: str, label: str, value, shape: tuple = (4,)) -> np.ndarray:
    """Return unit quaternions ``w x y z``; what is unit to rounding stays as it is, bit for bit."""
    numbers = finite(owner, label, value, shape)
    square = np.sum(numbers * numbers, axis=-1, keepdims=True)
    if np.any(square < 1.0e-20):
        raise SceneError(
            owner, f"{label} is a quaternion of length zero{_where(square < 1e-20)}; it must be a rotation"
        )
    unit = np.abs(square - 1.0) <= 8.0 * np.finfo(np.float64).eps
    return np.ascontiguousarray(np.where(unit, numbers, numbers / np.sqrt(square)))


def directions(owner: str, label: str, value, shape: tuple) -> np.ndarray:
    """Return vectors of any length but zero, or raise."""
    numbers = finite(owner, label, value, shape)
    zero = np.sum(numbers * numbers, axis=-1) < 1.0e-24
    if np.any(zero):
        raise SceneError(owner, f"{label} number {int(np.argmax(zero)) + 1} has no length; give it a direction")
    return numbers
