"""Algorithm 1 of the paper, line by line; a frame is one compiled call.

Contact (lines 1, 9, 15) has no part in it yet. Islands do not touch each other, so each runs through all substeps of
the frame before the next begins.
"""

import math

import numpy as np
from numba import types

from .closing import solve_island
from .jit import entry, helper, kernel
from .joints.joint import update_turns
from .lie.so3 import minus, plus
from .lie.vec3 import cross3, load3, scale3, store3, sub3, times3
from .mechanism import prepare_inertia
from .model import (
    CUT_LAST,
    DAMPED,
    HOLD_PLACE,
    HOLD_TURN,
    INDEX,
    JOINT,
    KIND,
    MODEL,
    NODE_FIRST,
    NODE_LAST,
    STATE,
    TREE_FIRST,
    WORK,
)
from .rods.strain import load4

U0, U1, U2, U3, U4, U5, U6 = (np.uint64(i) for i in range(7))

RUNAWAY = 1.0e9  # m; a node this far out has left the scene for good

STEP_OK, STEP_NODE, STEP_CONNECTOR = 0, 1, 2


@helper
def store4(a, o, q):
    """Store a quaternion at a[o … o+3]."""
    a[o] = q[0]
    a[o + U1] = q[1]
    a[o + U2] = q[2]
    a[o + U3] = q[3]


@helper
def predict(i, model, state, dt):
    """Move a node by inertia and gravity alone: p̃ (48) and R̃ (46), and start the iterations there."""
    p, q = load3(state.x, i * U3), load4(state.q, i * U4)
    store3(state.x_old, i * U3, p)
    store4(state.q_old, i * U4, q)
    if (model.held[i] & HOLD_PLACE) == 0:
        v = load3(state.v, i * U3)
        for e in range(U3):
            state.x[i * U3 + e] = p[e] + dt * (v[e] + dt * model.gravity[e])
    if (model.held[i] & HOLD_TURN) == 0:
        w, inertia = load3(state.w, i * U3), load3(model.inertia, i * U3)
        gyroscopic = cross3(w, times3(inertia, w))
        turn = sub3(scale3(dt, w), scale3(dt * dt, times3(load3(model.weight, i * U4 + U1), gyroscopic)))
        store4(state.q, i * U4, plus(q, turn))


@helper
def follow(i, model, state, sample):
    """Put a held node where its motion wants it at this sample."""
    k = model.motion[i]
    if k < 0:
        return
    if model.held[i] & HOLD_PLACE:
        for e in range(U3):
            state.x[i * U3 + e] = model.motions[k, sample, e]
    if model.held[i] & HOLD_TURN:
        for e in range(U4):
            state.q[i * U4 + e] = model.motions[k, sample, U3 + e]


@helper
def update_velocity(i, state, dt):
    """v = (p − p_old)/Δt, ω = (R ⊟ R_old)/Δt (44)."""
    store3(state.v, i * U3, scale3(1.0 / dt, sub3(load3(state.x, i * U3), load3(state.x_old, i * U3))))
    store3(state.w, i * U3, scale3(1.0 / dt, minus(load4(state.q, i * U4), load4(state.q_old, i * U4))))


@helper
def lost(i, state):
    """Whether a node is no longer a finite place in the scene."""
    p, q = load3(state.x, i * U3), load4(state.q, i * U4)
    s = abs(p[0]) + abs(p[1]) + abs(p[2])
    return not (s < RUNAWAY and math.isfinite(q[0] + q[1] + q[2] + q[3]))


@kernel
def substep(island, model, state, work, dt, sample, iterations):
    """Advance one island by Δt, to ``sample``. Return (status, node or connector)."""
    first, last = model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]
    tree, cut = model.islands[island, TREE_FIRST], model.islands[island, CUT_LAST]
    for e in range(first, last):  # line 2
        i = model.island_nodes[e]
        predict(i, model, state, dt)
        follow(i, model, state, sample)
        store3(state.x_free, i * U3, load3(state.x, i * U3))
        store4(state.q_free, i * U4, load4(state.q, i * U4))
    if cut > tree:
        prepare_inertia(island, model, state, work, True)
        row_first, row_last = rows_of(island, model)
        for r in range(row_first, row_last):
            state.lam[r] = 0.0
        for iteration in range(iterations):  # lines 4-8
            bad = solve_island(island, model, state, work, state.lam, dt, sample, iteration, False)
            if bad >= 0:
                return STEP_CONNECTOR, bad
    for e in range(first, last):  # line 10
        i = model.island_nodes[e]
        if lost(i, state):
            return STEP_NODE, np.int64(i)
        update_velocity(i, state, dt)
    if model.islands[island, DAMPED] > U0:  # lines 11-14
        row_first, row_last = rows_of(island, model)
        for r in range(row_first, row_last):
            work.mu[r] = 0.0
        prepare_inertia(island, model, state, work, False)
        bad = solve_island(island, model, state, work, work.mu, dt, sample, 0, True)
        if bad >= 0:
            return STEP_CONNECTOR, bad
    for e in range(first, last):
        i = model.island_nodes[e]
        store3(state.v, i * U3, scale3(model.decay[i * U2], load3(state.v, i * U3)))
        store3(state.w, i * U3, scale3(model.decay[i * U2 + U1], load3(state.w, i * U3)))
    for k in range(tree, cut):
        if model.connectors[k, KIND] == JOINT:
            update_turns(
                state.q, model.joint_data, model.joint_flags, model.connectors[k, INDEX], state.turns
            )  # fmt: skip
    return STEP_OK, np.int64(-1)


@helper
def rows_of(island, model):
    """First and last row of λ of an island: connectors lie in order, and so do their rows."""
    first, last = model.islands[island, TREE_FIRST], model.islands[island, CUT_LAST]
    end = last - U1
    return model.connectors[first, np.uint64(12)], model.connectors[end, np.uint64(12)] + U6 * model.connectors[end, U2]


@entry(types.UniTuple(types.int64, 3)(MODEL, STATE, WORK, types.int64, types.int64, types.float64, types.int64, types.int64, types.int64))
def step_frame(model, state, work, first_island, last_island, dt, sample, substeps, iterations):
    """Advance islands [first_island, last_island) by ``substeps`` substeps from ``sample``.

    Return (status, number, island): STEP_OK, or STEP_NODE / STEP_CONNECTOR and which node or connector gave up.
    """
    for b in range(first_island, last_island):
        island = np.uint64(b)
        for s in range(substeps):
            status, number = substep(island, model, state, work, dt, sample + s + 1, iterations)
            if status != STEP_OK:
                return status, number, b
    return STEP_OK, np.int64(-1), np.int64(-1)
