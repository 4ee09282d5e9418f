"""The position and velocity solve of one island: trees of rods, joints and bodies, directly (paper sections 4, 8).

One iteration evaluates every connector of the tree at the current state, eliminates from the leaves to the root,
substitutes back, and moves all nodes by Δx = W f, eqs. (55), (57), (58). Connectors that close a loop are then solved
one after the other as blocks, eq. (124). The velocity solve (65), (66) is the same pass with C := J v.
"""

import numpy as np

from .jit import helper, kernel
from .joints.joint import evaluate_joint
from .lie.mat3 import apply9, load9
from .lie.so3 import plus
from .lie.vec3 import accumulate3, add3, load3, scale3, store3, times3
from .linalg.elimination import (
    FIXED,
    LOADED,
    SINGLE,
    add_force,
    add_loaded,
    add_single,
    begin,
    factorize,
    hand_on,
    substitute,
)
from .model import (
    CHILD,
    CHILD_MODE,
    CUT_LAST,
    FACTOR,
    FIRST,
    INDEX,
    JACOBIAN,
    KIND,
    NODE_FIRST,
    NODE_LAST,
    NODES,
    PAIRS,
    PARENT,
    PARENT_MODE,
    PARENT_NODE,
    ROD_ELEMENT,
    ROW,
    SECOND,
    TABLE,
    TREE_FIRST,
    TREE_LAST,
)
from .rods.strain import element_strain, load4

U0, U1, U2, U3, U4, U6, U9 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 6, 9))
U18, U27 = np.uint64(18), np.uint64(27)


@helper
def evaluate(k, model, state, work, sample, velocity):
    """Evaluate C, its Jacobian and (joints) compliance of connector k. Return whether the velocity solve wants it."""
    row, oj = model.connectors[k, ROW], model.connectors[k, JACOBIAN]
    if model.connectors[k, KIND] == ROD_ELEMENT:
        element_strain(
            state.x, state.q, model.connectors[k, FIRST], model.connectors[k, PAIRS], model.inverse_length[k],
            model.basis, model.connectors[k, TABLE], model.rest, row, work.c, work.jac, oj, work.element,
        )  # fmt: skip
        return model.damping[k] > 0.0
    evaluate_joint(
        state.x, state.q, model.joint_data, model.joint_flags, model.connectors[k, INDEX], sample, model.targets,
        state.turns, state.lam, row, work.c, row, work.jac, oj, work.alpha, row, velocity,
    )  # fmt: skip
    return True


@helper
def node_of(k, j, model):
    """Node number of local node j of connector k."""
    if model.connectors[k, KIND] == ROD_ELEMENT:
        return model.connectors[k, FIRST] + j
    return model.connectors[k, FIRST] if j == U0 else model.connectors[k, SECOND]


@helper
def constraint_rate(k, model, state, work):
    """C := J v of connector k, for the velocity solve (65); a joint has left minus the speed of its target in C."""
    m, n = model.connectors[k, PAIRS], model.connectors[k, NODES]
    row, oj = model.connectors[k, ROW], model.connectors[k, JACOBIAN]
    joint = model.connectors[k, KIND] != ROD_ELEMENT
    for g in range(m):
        cv = (0.0, 0.0, 0.0)
        cu = (0.0, 0.0, 0.0)
        if joint:
            cv, cu = load3(work.c, row), load3(work.c, row + U3)
        for j in range(n):
            i = node_of(k, j, model)
            v, w = load3(state.v, i * U3), load3(state.w, i * U3)
            o = oj + (g * n + j) * U27
            cv = add3(cv, add3(apply9(load9(work.jac, o), v), apply9(load9(work.jac, o + U9), w)))
            cu = add3(cu, apply9(load9(work.jac, o + U18), w))
        store3(work.c, row + g * U6, cv)
        store3(work.c, row + g * U6 + U3, cu)


@helper
def assemble(k, model, work, lam, scale):
    """Build T, Y and z of connector k and factor it. Return whether it could be factored."""
    m, n = model.connectors[k, PAIRS], model.connectors[k, NODES]
    row, oj, of = model.connectors[k, ROW], model.connectors[k, JACOBIAN], model.connectors[k, FACTOR]
    child, parent = model.connectors[k, CHILD], model.connectors[k, PARENT]
    keep = model.connectors[k, PARENT_MODE] != FIXED
    begin(m, row, of, work.c, lam, work.alpha, scale, work.factor)
    for j in range(n):
        i = node_of(k, j, model)
        mode = SINGLE
        if j == child:
            mode = model.connectors[k, CHILD_MODE]
        elif j == parent:
            mode = model.connectors[k, PARENT_MODE]
        if mode == SINGLE:
            w = model.weight[i * U4]
            add_single(m, n, j, oj, of, work.jac, w, load3(model.weight, i * U4 + U1), j == parent, work.factor)
        elif mode == LOADED:
            add_loaded(m, n, j, oj, of, work.jac, i, work.effective, work.shift, j == parent, work.factor)
    return factorize(m, of, keep, work.factor, work.panel)


@helper
def return_force(k, model, work, lam):
    """Substitute back through connector k and put J_jᵀ Δλ on its nodes."""
    m, n = model.connectors[k, PAIRS], model.connectors[k, NODES]
    keep = model.connectors[k, PARENT_MODE] != FIXED
    i = model.connectors[k, PARENT_NODE]
    fp, ft = load3(work.force, i * U6), load3(work.force, i * U6 + U3)
    substitute(
        m, model.connectors[k, ROW], model.connectors[k, FACTOR], keep, fp, ft, work.factor, lam, work.delta
    )  # fmt: skip
    for j in range(n):
        i = node_of(k, j, model)
        if model.weight[i * U4] > 0.0 or model.weight[i * U4 + U1] > 0.0:
            add_force(m, n, j, model.connectors[k, JACOBIAN], work.jac, work.delta, i, work.force)


@helper
def move(i, model, state, work, velocity):
    """Δx = W f at node i: to the position (58), or to the velocity."""
    dp = scale3(model.weight[i * U4], load3(work.force, i * U6))
    dt = times3(load3(model.weight, i * U4 + U1), load3(work.force, i * U6 + U3))
    if velocity:
        accumulate3(state.v, i * U3, dp)
        accumulate3(state.w, i * U3, dt)
    else:
        accumulate3(state.x, i * U3, dp)
        q = plus(load4(state.q, i * U4), dt)
        o = i * U4
        state.q[o] = q[0]
        state.q[o + U1] = q[1]
        state.q[o + U2] = q[2]
        state.q[o + U3] = q[3]
    for e in range(U6):
        work.force[i * U6 + e] = 0.0


@helper
def clear_node(i, model, work):
    """Start a pass: Ŵ = W, d = 0, f = 0."""
    o = i * U27
    for e in range(U27):
        work.effective[o + e] = 0.0
    w = model.weight[i * U4]
    work.effective[o] = w
    work.effective[o + U4] = w
    work.effective[o + np.uint64(8)] = w
    work.effective[o + U18] = model.weight[i * U4 + U1]
    work.effective[o + U18 + U4] = model.weight[i * U4 + U2]
    work.effective[o + U18 + np.uint64(8)] = model.weight[i * U4 + U3]
    for e in range(U6):
        work.shift[i * U6 + e] = 0.0
        work.force[i * U6 + e] = 0.0


@helper
def scale_of(k, model, time_step, velocity):
    """What turns α into α̃: 1/Δt² (37), or for damping 1/(b Δt) (65); a joint's row brings 1/d of its own."""
    if not velocity:
        return 1.0 / (time_step * time_step)
    if model.connectors[k, KIND] == ROD_ELEMENT:
        return 1.0 / (model.damping[k] * time_step)
    return 1.0 / time_step


@kernel
def solve_island(island, model, state, work, lam, time_step, sample, velocity):
    """Run one iteration over an island. Return −1, or the number of a connector that could not be factored."""
    first, last = model.islands[island, TREE_FIRST], model.islands[island, TREE_LAST]
    cut = model.islands[island, CUT_LAST]
    node_first, node_last = model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]
    bad = np.int64(-1)
    for e in range(node_first, node_last):
        clear_node(model.island_nodes[e], model, work)
    for k in range(first, last):
        wanted = evaluate(k, model, state, work, sample, velocity)
        if velocity:
            if not wanted:
                continue
            constraint_rate(k, model, state, work)
        if not assemble(k, model, work, lam, scale_of(k, model, time_step, velocity)):
            bad = np.int64(k)
        if model.connectors[k, PARENT_MODE] != FIXED:
            hand_on(
                model.connectors[k, PAIRS], model.connectors[k, FACTOR], model.connectors[k, PARENT_NODE],
                work.effective, work.shift, work.factor,
            )  # fmt: skip
    for i in range(last - first):
        k = last - U1 - i
        if velocity and model.connectors[k, KIND] == ROD_ELEMENT and model.damping[k] <= 0.0:
            continue
        return_force(k, model, work, lam)
    for e in range(node_first, node_last):
        move(model.island_nodes[e], model, state, work, velocity)
    for k in range(last, cut):  # loops are closed block by block, each seeing what the one before did
        wanted = evaluate(k, model, state, work, sample, velocity)
        if velocity:
            if not wanted:
                continue
            constraint_rate(k, model, state, work)
        if not assemble(k, model, work, lam, scale_of(k, model, time_step, velocity)):
            bad = np.int64(k)
        return_force(k, model, work, lam)
        for j in range(model.connectors[k, NODES]):
            move(node_of(k, j, model), model, state, work, velocity)
    return bad


