"""What a simulation can say about itself: energy, momentum, and the residuals (51), (52) of the last substep."""

import math
from typing import NamedTuple

import numpy as np
from numba import types

from .jit import entry, helper
from .joints.limits import RELEASED
from .lie.so3 import minus, rotate
from .lie.vec3 import add3, cross3, dot3, load3, scale3, store3, sub3, times3
from .linalg.elimination import add_force
from .mechanism import evaluate, node_of
from .model import CUT_LAST, JACOBIAN, MODEL, NODES, PAIRS, ROW, STATE, TREE_FIRST, WORK
from .rods.strain import load4

U0, U1, U2, U3, U4, U6 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 6))

KINETIC, GRAVITATIONAL, ELASTIC, PRIMAL, CONSTRAINT, LINEAR, ANGULAR = 0, 1, 2, 3, 4, 5, 8
MEASURES = 11


class Energy(NamedTuple):
    """Energies, J. The gravitational one is zero at the world's origin."""

    kinetic: float
    gravitational: float
    elastic: float

    @property
    def total(self) -> float:
        """Their sum, J."""
        return self.kinetic + self.gravitational + self.elastic


class Residuals(NamedTuple):
    """Norms of the left-hand sides of (51), in kg·m and kg·m², and of (52), in units of C."""

    primal: float
    constraint: float


@helper
def measure_node(i, model, state, out):
    """Add kinetic and potential energy and momentum about the origin of one node."""
    u, p, v, w = np.uint64(i), load3(state.x, i * U3), load3(state.v, i * U3), load3(state.w, i * U3)
    spin = times3(load3(model.inertia, i * U3), w)
    out[KINETIC] += 0.5 * (model.mass[u] * dot3(v, v) + dot3(w, spin))
    out[GRAVITATIONAL] -= model.mass[u] * dot3(load3(model.gravity, U0), p)
    linear = scale3(model.mass[u], v)
    angular = add3(cross3(p, linear), rotate(load4(state.q, i * U4), spin))
    for e in range(3):
        out[LINEAR + e] += linear[e]
        out[ANGULAR + e] += angular[e]


@helper
def measure_connector(k, model, state, work, dt, sample, out):
    """Add elastic energy ½ Cᵀα⁻¹C and |C + α̃λ|² of one connector, and put ∇Cᵀλ on its nodes."""
    evaluate(k, model, state, work, sample, False)
    m, n, row = model.connectors[k, PAIRS], model.connectors[k, NODES], model.connectors[k, ROW]
    for r in range(row, row + U6 * m):
        c, alpha = work.c[r], work.alpha[r]
        if alpha >= RELEASED:  # a given force
            continue
        if alpha > 0.0:
            out[ELASTIC] += 0.5 * c * c / alpha
        e = c + alpha / (dt * dt) * state.lam[r]
        out[CONSTRAINT] += e * e
    for r in range(U2 * m):
        store3(work.delta, r * U3, load3(state.lam, row + r * U3))
    for j in range(n):
        add_force(m, n, j, model.connectors[k, JACOBIAN], work.jac, work.delta, node_of(k, j, model), work.force)


@entry(types.void(MODEL, STATE, WORK, types.float64, types.int64, types.float64[::1]))
def measure(model, state, work, dt, sample, out):
    """Fill ``out`` (MEASURES,) with energies, residual norms and momentum of the whole scene at ``sample``.

    Leaves the strains of all rods, less their rest values, in ``work.c``.
    """
    out[:] = 0.0
    nodes = np.uint64(model.mass.shape[0])
    for e in range(work.force.shape[0]):
        work.force[e] = 0.0
    for i in range(nodes):
        measure_node(i, model, state, out)
    for b in range(np.uint64(model.islands.shape[0])):
        for k in range(model.islands[b, TREE_FIRST], model.islands[b, CUT_LAST]):
            measure_connector(k, model, state, work, dt, sample, out)
    for i in range(nodes):
        o = i * U3
        held = model.weight[i * U4] <= 0.0
        dx = sub3(load3(state.x, o), load3(state.x_free, o))
        dt_ = minus(load4(state.q, i * U4), load4(state.q_free, i * U4))
        if not held:
            e = sub3(scale3(model.mass[i], dx), load3(work.force, i * U6))
            out[PRIMAL] += dot3(e, e)
        if model.weight[i * U4 + U1] > 0.0:
            e = sub3(times3(load3(model.inertia, o), dt_), load3(work.force, i * U6 + U3))
            out[PRIMAL] += dot3(e, e)
    out[PRIMAL] = math.sqrt(out[PRIMAL])
    out[CONSTRAINT] = math.sqrt(out[CONSTRAINT])


