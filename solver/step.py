"""Algorithm 1 of the paper, line by line; a frame is one compiled call.

Contact (lines 1, 9, 15) has no part in it yet. Islands do not touch each other, so each runs through all substeps of
the frame before the next begins.
"""

import math

import numpy as np
from numba import types

from .closing import SETTLED, solve_island
from .jit import entry, helper, kernel, stage
from .joints.joint import update_turns
from .lie.so3 import minus, plus
from .lie.vec3 import load3, scale3, store3, sub3
from .mechanism import prepare_inertia
from .model import (
    CUT_LAST,
    DAMPED,
    DRIVEN,
    HOLD_PLACE,
    HOLD_TURN,
    INDEX,
    JOINT,
    KIND,
    MODEL,
    NODE_FIRST,
    NODE_LAST,
    PAIRS,
    ROW,
    STATE,
    TREE_FIRST,
    WORK,
)
from .rods.strain import load4

U0, U1, U2, U3, U4, U5, U6 = (np.uint64(i) for i in range(7))

SOLVABLE = 0.1  # determinant of Newton's system below which a spin is too fast for its substep
CORRECTIONS = 16  # iterations beyond those asked for, where drives reach or leave their maximum
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
def free_spin(w, inertia, dt):
    """ω̃ of a body left to itself, body frame: I (ω̃ − ω) + Δt m × I m = 0 with m = (ω + ω̃)/2.

    The implicit midpoint rule keeps energy and |Iω| whatever Δt is, where the explicit term of (46) feeds energy into
    anything that spins until it flies apart. With a_i = Δt (I_k − I_j)/(2 I_i) the system is
    ω̃_i − ω_i + 2 a_i m_j m_k = 0; two steps of Newton's method. Where half a turn passes in a substep there may be no
    solution: ω̃ = ω then.
    """
    h = 0.5 * dt
    if inertia[0] == inertia[1]:  # a round body, such as a rod's node: two linear equations
        k = h * (inertia[2] - inertia[0]) / inertia[0] * w[2]
        s = 1.0 / (1.0 + k * k)
        c = (1.0 - k * k) * s
        k = 2.0 * k * s
        return c * w[0] - k * w[1], c * w[1] + k * w[0], w[2]
    a, b, c = (
        h * (inertia[2] - inertia[1]) / inertia[0],
        h * (inertia[0] - inertia[2]) / inertia[1],
        h * (inertia[1] - inertia[0]) / inertia[2],
    )
    x, y, z = w
    for _ in range(2):
        mx, my, mz = 0.5 * (w[0] + x), 0.5 * (w[1] + y), 0.5 * (w[2] + z)
        f, g, e = x - w[0] + 2.0 * a * my * mz, y - w[1] + 2.0 * b * mx * mz, z - w[2] + 2.0 * c * mx * my
        xx, yy, zz = b * c * mx * mx, a * c * my * my, a * b * mz * mz
        determinant = 1.0 - xx - yy - zz + 2.0 * a * b * c * mx * my * mz
        if not determinant > SOLVABLE:
            return w
        s = 1.0 / determinant
        x -= s * ((1.0 - xx) * f + a * (c * mx * my - mz) * g + a * (b * mx * mz - my) * e)
        y -= s * (b * (c * mx * my - mz) * f + (1.0 - yy) * g + b * (a * my * mz - mx) * e)
        z -= s * (c * (b * mx * mz - my) * f + c * (a * my * mz - mx) * g + (1.0 - zz) * e)
    return x, y, z


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
        w = free_spin(load3(state.w, i * U3), load3(model.inertia, i * U3), dt)
        store4(state.q, i * U4, plus(q, scale3(dt, w)))


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


@stage
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
    # The position solve, lines 4-8, and once more for velocities, lines 11-14: one call, so that it is compiled once.
    solve, velocity, done = np.int64(0), False, cut == tree
    most = iterations + (CORRECTIONS if model.islands[island, DRIVEN] > U0 else 0)
    status, number = STEP_OK, np.int64(-1)
    while not done:
        if velocity:
            status, number = update_velocities(island, model, state, dt)
            if status != STEP_OK:
                break
        if velocity or solve == 0:
            prepare_inertia(island, model, state, work, dt, not velocity)
            clear_multipliers(island, model, work.mu if velocity else state.lam)
        lam, extra = work.mu if velocity else state.lam, solve >= iterations and not velocity
        bad = solve_island(island, model, state, work, lam, dt, sample, solve, velocity, extra)
        if bad >= 0:
            status, number = STEP_CONNECTOR, bad
            break
        solve += 1
        if velocity:
            done = True
        elif bad == SETTLED or solve >= most:
            velocity = model.islands[island, DAMPED] > U0
            done = not velocity
    if status == STEP_OK and not velocity:
        status, number = update_velocities(island, model, state, dt)
    if status == STEP_OK:
        finish(island, model, state, sample)
    return status, number


@kernel
def update_velocities(island, model, state, dt):
    """Line 10 for all nodes of an island, unless one is lost. Return (status, node)."""
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        i = model.island_nodes[e]
        if lost(i, state):
            return STEP_NODE, np.int64(i)
        update_velocity(i, state, dt)
    return STEP_OK, np.int64(-1)


@stage
def finish(island, model, state, sample):
    """Let velocities decay and hinges count their turns."""
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        i = model.island_nodes[e]
        store3(state.v, i * U3, scale3(model.decay[i * U2], load3(state.v, i * U3)))
        store3(state.w, i * U3, scale3(model.decay[i * U2 + U1], load3(state.w, i * U3)))
    for k in range(model.islands[island, TREE_FIRST], model.islands[island, CUT_LAST]):
        if model.connectors[k, KIND] == JOINT:
            update_turns(
                state.x, state.q, model.joint_data, model.joint_flags, model.connectors[k, INDEX], sample,
                state.lam, model.connectors[k, ROW], state.turns,
            )  # fmt: skip


@stage
def clear_multipliers(island, model, lam):
    """λ = 0 in all rows of an island: connectors lie in order, and so do their rows."""
    first, last = model.islands[island, TREE_FIRST], model.islands[island, CUT_LAST]
    end = last - U1
    for r in range(model.connectors[first, ROW], model.connectors[end, ROW] + U6 * model.connectors[end, PAIRS]):
        lam[r] = 0.0


COUNT = types.int64


@entry(types.UniTuple(COUNT, 3)(MODEL, STATE, WORK, COUNT, COUNT, types.float64, COUNT, COUNT, COUNT))
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
