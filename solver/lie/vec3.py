"""Vectors of three as tuples, and their place in flat arrays (offsets are ``np.uint64``, see ``mat3``)."""

import numpy as np

from ..jit import helper

U1 = np.uint64(1)
U2 = np.uint64(2)


@helper
def load3(a, o):
    """Load (a[o], a[o+1], a[o+2])."""
    return (a[o], a[o + U1], a[o + U2])


@helper
def store3(a, o, v):
    """Store v at a[o … o+2]."""
    a[o] = v[0]
    a[o + U1] = v[1]
    a[o + U2] = v[2]


@helper
def accumulate3(a, o, v):
    """Add v to a[o … o+2]."""
    a[o] += v[0]
    a[o + U1] += v[1]
    a[o + U2] += v[2]


@helper
def add3(u, v):
    """u + v."""
    return (u[0] + v[0], u[1] + v[1], u[2] + v[2])


@helper
def sub3(u, v):
    """u − v."""
    return (u[0] - v[0], u[1] - v[1], u[2] - v[2])


@helper
def scale3(s, v):
    """s v."""
    return (s * v[0], s * v[1], s * v[2])


@helper
def times3(u, v):
    """Component by component: diag(u) v."""
    return (u[0] * v[0], u[1] * v[1], u[2] * v[2])


@helper
def dot3(u, v):
    """u · v."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@helper
def cross3(u, v):
    """u × v."""
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
