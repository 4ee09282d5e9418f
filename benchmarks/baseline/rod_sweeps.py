"""The elastic constraints of rods solved one after the other, (56): the Gauss–Seidel solve of Fig. 11.

Strains and their gradients are the product's; only the solve is another. Nothing but rods may be in the scene.
"""

from __future__ import annotations

import numba
import numpy as np

from tendril.solver.jit import kernel
from tendril.solver.lie.so3 import plus
from tendril.solver.lie.vec3 import load3, scale3, times3
from tendril.solver.mechanism import evaluate, node_of
from tendril.solver.model import JACOBIAN, NODES, PAIRS, ROW
from tendril.solver.rods.strain import load4
from tendril.solver.step import predict, store4, update_velocity

U0, U1, U3, U4, U6, U9, U27 = (np.uint64(i) for i in (0, 1, 3, 4, 6, 9, 27))


@kernel
def gradient(model, work, k, g, e, j):
    """∂C/∂p and ∂C/∂θ of row e of Gauss point g, by local node j."""
    o = model.connectors[k, JACOBIAN] + (g * model.connectors[k, NODES] + j) * U27
    if e < U3:
        return load3(work.jac, o + e * U3), load3(work.jac, o + U9 + e * U3)
    return (0.0, 0.0, 0.0), load3(work.jac, o + U9 + U9 + (e - U3) * U3)


@kernel
def solve_row(k, g, e, model, state, work, dt):
    """(56), (57), (58) of one scalar constraint, where the one before has left the nodes."""
    evaluate(k, model, state, work, 0, False)
    row = model.connectors[k, ROW] + g * U6 + e
    alpha = model.compliance[row] / (dt * dt)
    s = alpha
    for j in range(model.connectors[k, NODES]):
        i = node_of(k, j, model)
        p, t = gradient(model, work, k, g, e, j)
        for d in range(3):
            s += model.weight[i * U4] * p[d] * p[d] + model.weight[i * U4 + U1 + np.uint64(d)] * t[d] * t[d]
    amount = (-work.c[row] - alpha * state.lam[row]) / s
    state.lam[row] += amount
    for j in range(model.connectors[k, NODES]):
        i = node_of(k, j, model)
        p, t = gradient(model, work, k, g, e, j)
        for d in range(3):
            state.x[i * U3 + np.uint64(d)] += model.weight[i * U4] * amount * p[d]
        turn = scale3(amount, times3(load3(model.weight, i * U4 + U1), t))
        store4(state.q, i * U4, plus(load4(state.q, i * U4), turn))


@numba.njit(error_model="numpy", nogil=True)
def run(model, state, work, dt, steps, substeps, iterations, node, out):
    """Advance ``steps`` steps of ``substeps`` substeps of Δt each; out (steps, 3): where ``node`` is after each."""
    for step in range(steps):
        for _ in range(substeps):
            for i in range(np.uint64(model.mass.shape[0])):
                predict(i, model, state, dt)
            for r in range(state.lam.shape[0]):
                state.lam[r] = 0.0
            for _ in range(iterations):
                for k in range(np.uint64(model.connectors.shape[0])):
                    for g in range(model.connectors[k, PAIRS]):
                        for e in range(U6):
                            solve_row(k, g, e, model, state, work, dt)
            for i in range(np.uint64(model.mass.shape[0])):
                update_velocity(i, state, dt)
        for d in range(3):
            out[step, d] = state.x[3 * node + d]
