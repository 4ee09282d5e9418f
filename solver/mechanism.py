"""The position and velocity solve of one island: trees of rods, joints and bodies, directly (paper sections 4, 8).

One iteration evaluates every connector of the tree at the current state, eliminates from the leaves to the root,
substitutes back, and moves all nodes, eqs. (55), (57), (58). Connectors that close a loop are then solved one after
the other as blocks, eq. (124). The velocity solve (65), (66) is the same pass with C := J v.

Beyond the paper (docs/decisions/geometric-stiffness.md): where forces are large, ∇Cᵀλ turns with the nodes, and a
solver that ignores it is an explicit one that heavy things on light chains blow up. So the inverse mass of a node is
W̃ = (M + K)⁻¹ with K of ``geometric_stiffness``, and from the second iteration on the residual of (51),

    r = M (x ⊟ x̃) − ∇Cᵀ λ,        Δx = W̃ (∇Cᵀ Δλ − r),

is no longer neglected, so that the iterations end in the backward Euler step whatever W̃ is.
"""

import numpy as np

from .geometric_stiffness import add_joint_stiffness, add_rod_stiffness, start_inertia, turn_weight
from .jit import helper, kernel, stage
from .joints.joint import evaluate_joint
from .lie.mat3 import apply9, load9, store9
from .lie.so3 import minus, plus
from .lie.vec3 import accumulate3, add3, load3, scale3, store3, sub3, times3
from .linalg.elimination import (
    FIXED,
    LOADED,
    SINGLE,
    add_force,
    add_loaded,
    add_single,
    begin,
    clear_right_side,
    factorize,
    forward,
    hand_on,
    hand_shift_on,
    substitute,
    subtract_shift,
)
from .model import (
    CHAIN_LINK,
    CHILD,
    CHILD_MODE,
    CUT_LAST,
    FACTOR,
    FIRST,
    HOLD_PLACE,
    HOLD_TURN,
    INDEX,
    JACOBIAN,
    JOINT,
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
)
from .rods.strain import chain_strain, element_strain, load4

U0, U1, U2, U3, U4, U6, U9 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 6, 9))
U8, U18, U27 = np.uint64(8), np.uint64(18), np.uint64(27)
HELD = HOLD_PLACE | HOLD_TURN


@helper
def evaluate(k, model, state, work, sample, velocity):
    """Evaluate C, its Jacobian and (joints) compliance of connector k. Return whether the velocity solve wants it."""
    row, oj = model.connectors[k, ROW], model.connectors[k, JACOBIAN]
    first, last, kind = model.connectors[k, FIRST], model.connectors[k, SECOND], model.connectors[k, KIND]
    if kind == ROD_ELEMENT:
        element_strain(
            state.x, state.q, first, last, model.connectors[k, PAIRS], model.inverse_length[k],
            model.basis, model.connectors[k, TABLE], model.rest, row, work.c, work.jac, oj, work.element,
        )  # fmt: skip
        return model.damping[k] > 0.0
    if kind == CHAIN_LINK:
        chain_strain(state.x, state.q, first, last, model.inverse_length[k], model.rest, row, work.c, work.jac, oj)
        return model.damping[k] > 0.0
    evaluate_joint(
        state.x, state.q, model.joint_data, model.joint_flags, model.connectors[k, INDEX], sample, model.targets,
        state.turns, state.lam, row, work.c, row, work.jac, oj, work.alpha, row, velocity,
    )  # fmt: skip
    return True


@helper
def node_of(k, j, model):
    """Node number of local node j of connector k."""
    return model.connectors[k, SECOND] if j == model.connectors[k, PAIRS] else model.connectors[k, FIRST] + j


@helper
def constraint_rate(k, model, state, work):
    """C := J v of connector k, less the speed of a joint's target, for the velocity solve (65)."""
    m, n = model.connectors[k, PAIRS], model.connectors[k, NODES]
    row, oj = model.connectors[k, ROW], model.connectors[k, JACOBIAN]
    joint = model.connectors[k, KIND] == JOINT
    for g in range(m):
        o = row + g * U6
        cv, cu = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if joint:
            cv, cu = load3(work.c, o), load3(work.c, o + U3)
        for j in range(n):
            i = node_of(k, j, model)
            v, w = load3(state.v, i * U3), load3(state.w, i * U3)
            p = oj + (g * n + j) * U27
            cv = add3(cv, add3(apply9(load9(work.jac, p), v), apply9(load9(work.jac, p + U9), w)))
            cu = add3(cu, apply9(load9(work.jac, p + U18), w))
        store3(work.c, o, cv)
        store3(work.c, o + U3, cu)


@helper
def assemble(k, keep, shifted, model, work, lam, scale):
    """Build T, Y and z of connector k and factor it. Return whether it could be factored.

    ``keep``: the parent is still to be moved by others; ``shifted``: nodes that carry nothing have a d of their own.
    """
    m, n = model.connectors[k, PAIRS], model.connectors[k, NODES]
    row, oj, of = model.connectors[k, ROW], model.connectors[k, JACOBIAN], model.connectors[k, FACTOR]
    child, parent = model.connectors[k, CHILD], model.connectors[k, PARENT]
    begin(m, row, of, work.c, lam, work.alpha, scale, work.factor)
    for j in range(n):
        i = node_of(k, j, model)
        mode = SINGLE
        if j == child:
            mode = model.connectors[k, CHILD_MODE]
        elif j == parent:
            mode = model.connectors[k, PARENT_MODE]
        held = keep and j == parent
        if mode == SINGLE:
            o = i * U9
            w = model.weight[i * U4]
            wr = (work.turn_weight[o], work.turn_weight[o + U4], work.turn_weight[o + U8])
            add_single(m, n, j, oj, of, work.jac, w, wr, held, work.factor)
            if shifted:
                subtract_shift(m, n, j, oj, of, work.jac, i, work.shift, work.factor)
        elif mode == LOADED:
            add_loaded(m, n, j, oj, of, work.jac, i, work.effective, held, work.factor)
            subtract_shift(m, n, j, oj, of, work.jac, i, work.shift, work.factor)
    return factorize(m, of, keep, work.factor, work.panel)


@helper
def return_force(k, keep, model, work, lam):
    """Substitute back through connector k and put J_jᵀ Δλ on its nodes."""
    i = model.connectors[k, PARENT_NODE]
    fp, ft = load3(work.force, i * U6), load3(work.force, i * U6 + U3)
    substitute(
        model.connectors[k, PAIRS], model.connectors[k, ROW], model.connectors[k, FACTOR], keep, fp, ft,
        work.factor, lam, work.delta,
    )  # fmt: skip
    put_force(k, model, work)


@helper
def put_force(k, model, work):
    """f_j += J_jᵀ δ on the nodes of connector k that can move, δ in ``work.delta``."""
    m, n = model.connectors[k, PAIRS], model.connectors[k, NODES]
    for j in range(n):
        i = node_of(k, j, model)
        if model.held[i] != HELD:
            add_force(m, n, j, model.connectors[k, JACOBIAN], work.jac, work.delta, i, work.force)


@kernel
def put_all_forces(first, last, model, state, work):
    """Put ∇Cᵀλ of the evaluated connectors [first, last) on their nodes."""
    for k in range(first, last):
        row = model.connectors[k, ROW]
        for r in range(U6 * model.connectors[k, PAIRS]):
            work.delta[r] = state.lam[row + r]
        put_force(k, model, work)


@helper
def step_of(i, model, work):
    """Δx = d + W̃ f at node i."""
    o = i * U6
    dp = add3(load3(work.start, o), scale3(model.weight[i * U4], load3(work.force, o)))
    dt = apply9(load9(work.turn_weight, i * U9), load3(work.force, o + U3))
    return dp, add3(load3(work.start, o + U3), dt)


@helper
def collect_step(i, model, work):
    """Add the step of node i to ``work.step``."""
    dp, dt = step_of(i, model, work)
    accumulate3(work.step, i * U6, dp)
    accumulate3(work.step, i * U6 + U3, dt)


@helper
def move(i, dp, dt, state, velocity):
    """Move node i by its step: in position (58), or in velocity."""
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


@helper
def clear_force(i, work):
    """f = 0 and d = 0 at node i."""
    for e in range(U6):
        work.force[i * U6 + e] = 0.0
        work.start[i * U6 + e] = 0.0


@helper
def start_residual(i, model, state, work):
    """d = −W̃ r with r = M (x ⊟ x̃) − ∇Cᵀλ, the residual of (51); ``work.force`` holds ∇Cᵀλ and is cleared."""
    dx = sub3(load3(state.x, i * U3), load3(state.x_free, i * U3))
    dq = minus(load4(state.q, i * U4), load4(state.q_free, i * U4))
    rp = sub3(scale3(model.mass[i], dx), load3(work.force, i * U6))
    rt = sub3(times3(load3(model.inertia, i * U3), dq), load3(work.force, i * U6 + U3))
    clear_force(i, work)
    store3(work.start, i * U6, scale3(-model.weight[i * U4], rp))
    store3(work.start, i * U6 + U3, scale3(-1.0, apply9(load9(work.turn_weight, i * U9), rt)))


@helper
def start_node(i, model, work):
    """Start a pass at node i: Ŵ = W̃, d as ``work.start`` says."""
    o = i * U27
    for e in range(U18):
        work.effective[o + e] = 0.0
    w = model.weight[i * U4]
    work.effective[o] = w
    work.effective[o + U4] = w
    work.effective[o + U8] = w
    store9(work.effective, o + U18, load9(work.turn_weight, i * U9))
    for e in range(U6):
        work.shift[i * U6 + e] = work.start[i * U6 + e]


@helper
def scale_of(k, model, time_step, velocity):
    """What turns α into α̃: 1/Δt² (37), or for damping 1/(b Δt) (65); a joint's row brings 1/d of its own."""
    if not velocity:
        return 1.0 / (time_step * time_step)
    if model.connectors[k, KIND] != JOINT:
        return 1.0 / (model.damping[k] * time_step)
    return 1.0 / time_step


@stage
def prepare_inertia(island, model, state, work, dt, stiffened):
    """W̃ = (M + K)⁻¹ of all nodes of an island, K from the λ of the substep before (or 0)."""
    node_first, node_last = model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]
    for e in range(node_first, node_last):
        start_inertia(model.island_nodes[e], model.inertia, work.turn_weight)
    if stiffened:
        for k in range(model.islands[island, TREE_FIRST], model.islands[island, CUT_LAST]):
            row = model.connectors[k, ROW]
            if model.connectors[k, KIND] != JOINT:
                add_rod_stiffness(
                    model.connectors[k, FIRST], model.connectors[k, SECOND], model.connectors[k, PAIRS], model.basis,
                    model.connectors[k, TABLE], state.lam, row, model.compliance, dt, work.turn_weight,
                )  # fmt: skip
            else:
                add_joint_stiffness(
                    state.q, model.connectors[k, FIRST], model.connectors[k, SECOND], model.held, model.joint_data,
                    model.joint_flags, model.connectors[k, INDEX], state.lam, row, work.turn_weight,
                )  # fmt: skip
    for e in range(node_first, node_last):
        i = model.island_nodes[e]
        store9(work.turn_weight, i * U9, turn_weight(i, model.weight, work.turn_weight))


@helper
def takes_part(k, model, velocity):
    """Whether connector k has a part in this solve: a rod without damping has none in the velocity solve."""
    return not (velocity and model.connectors[k, KIND] != JOINT and model.damping[k] <= 0.0)


@stage
def evaluate_all(first, last, model, state, work, sample, velocity):
    """Evaluate C, or J v, and the Jacobian of connectors [first, last)."""
    for k in range(first, last):
        if takes_part(k, model, velocity):
            evaluate(k, model, state, work, sample, velocity)
            if velocity:
                constraint_rate(k, model, state, work)


@stage
def solve_tree(first, last, shifted, model, work, lam, time_step, velocity):
    """Eliminate connectors [first, last) leaves to root and substitute back. Return −1 or the one that failed.

    They are evaluated already; ``shifted``: nodes start with a displacement d of their own.
    """
    bad = np.int64(-1)
    for k in range(first, last):
        if not takes_part(k, model, velocity):
            continue
        keep = model.connectors[k, PARENT_MODE] != FIXED
        if not assemble(k, keep, shifted, model, work, lam, scale_of(k, model, time_step, velocity)):
            bad = np.int64(k)
        if keep:
            hand_on(
                model.connectors[k, PAIRS], model.connectors[k, FACTOR], model.connectors[k, PARENT_NODE],
                work.effective, work.shift, work.factor,
            )  # fmt: skip
    for i in range(last - first):
        k = last - U1 - i
        if takes_part(k, model, velocity):
            return_force(k, model.connectors[k, PARENT_MODE] != FIXED, model, work, lam)
    return bad


@kernel
def respond(first, last, model, work, lam, velocity):
    """Solve the factored tree again for a displacement ``work.shift`` that forces from outside gave its nodes."""
    for k in range(first, last):
        if not takes_part(k, model, velocity):
            continue
        m, n, of = model.connectors[k, PAIRS], model.connectors[k, NODES], model.connectors[k, FACTOR]
        clear_right_side(m, of, work.factor)
        for j in range(n):
            i = node_of(k, j, model)
            if model.held[i] != HELD:
                subtract_shift(m, n, j, model.connectors[k, JACOBIAN], of, work.jac, i, work.shift, work.factor)
        forward(m, of, work.factor)
        if model.connectors[k, PARENT_MODE] != FIXED:
            hand_shift_on(m, of, model.connectors[k, PARENT_NODE], work.shift, work.factor)
    for i in range(last - first):
        k = last - U1 - i
        if takes_part(k, model, velocity):
            return_force(k, model.connectors[k, PARENT_MODE] != FIXED, model, work, lam)
