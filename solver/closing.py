"""Closing loops exactly on top of the tree.

Connectors that close loops are cut out of the tree. With J their Jacobian and Ĝ the response of the factored tree to
forces on its nodes, their multipliers solve the small dense system

    (J Ĝ Jᵀ + α̃) Δλ = −C − α̃ λ − J Δx,       Δx the step of the tree alone,

and the tree then answers to Jᵀ Δλ. A column of J Ĝ Jᵀ is one more pass over the tree with the factors there are.
Rows that repeat what others say (a hinge in a planar four-bar linkage) make the system singular: its diagonal is
raised by ``REDUNDANCY`` of J W̃ Jᵀ, what the row would feel without the tree. That moves nothing that a row has a say
in by more than this fraction, and splits the force between rows that say the same.
Beyond ``CLOSED_ROWS`` rows in an island this is dearer than it is worth, and the cut connectors are solved one after
the other as blocks (paper section 8.1).
"""

import numpy as np

from .jit import helper, kernel, stage
from .joints.arrays import DRIVE_CHANGED, TURN_STRIDE
from .lie.mat3 import apply9, load9
from .lie.vec3 import accumulate3, add3, load3, scale3, store3
from .mechanism import (
    HELD,
    clear_force,
    collect_step,
    evaluate_all,
    move,
    node_of,
    put_all_forces,
    respond,
    scale_of,
    solve_tree,
    start_node,
    start_residual,
    step_of,
    takes_part,
)
from .model import (
    CUT_LAST,
    INDEX,
    JACOBIAN,
    JOINT,
    KIND,
    NODE_FIRST,
    NODE_LAST,
    NODES,
    PAIRS,
    ROW,
    TREE_FIRST,
    TREE_LAST,
)

U0, U1, U3, U4, U6, U9, U18, U27 = (np.uint64(i) for i in (0, 1, 3, 4, 6, 9, 18, 27))

REDUNDANCY = 1.0e-9
CLOSED_ROWS = np.uint64(192)
SETTLED = np.int64(-2)


@helper
def jacobian_times(k, model, work, step, out, o):
    """out[o …] += J step of connector k."""
    m, n, oj = model.connectors[k, PAIRS], model.connectors[k, NODES], model.connectors[k, JACOBIAN]
    for j in range(n):
        i = node_of(k, j, model)
        if model.held[i] == HELD:
            continue
        dp, dt = load3(step, i * U6), load3(step, i * U6 + U3)
        for g in range(m):
            p = oj + (g * n + j) * U27
            accumulate3(out, o + g * U6, add3(apply9(load9(work.jac, p), dp), apply9(load9(work.jac, p + U9), dt)))
            accumulate3(out, o + g * U6 + U3, apply9(load9(work.jac, p + U18), dt))


@helper
def push(k, model, work, force, o):
    """d_j += W̃ J_jᵀ force[o …] on the nodes of connector k."""
    m, n, oj = model.connectors[k, PAIRS], model.connectors[k, NODES], model.connectors[k, JACOBIAN]
    for j in range(n):
        i = node_of(k, j, model)
        if model.held[i] == HELD:
            continue
        fp, ft = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for g in range(m):
            p = oj + (g * n + j) * U27
            a, b, d = load9(work.jac, p), load9(work.jac, p + U9), load9(work.jac, p + U18)
            v, u = load3(force, o + g * U6), load3(force, o + g * U6 + U3)
            fp = add3(fp, apply9((a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]), v))
            ft = add3(ft, apply9((b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]), v))
            ft = add3(ft, apply9((d[0], d[3], d[6], d[1], d[4], d[7], d[2], d[5], d[8]), u))
        accumulate3(work.start, i * U6, scale3(model.weight[i * U4], fp))
        accumulate3(work.start, i * U6 + U3, apply9(load9(work.turn_weight, i * U9), ft))


@helper
def is_empty(k, r, model, work):
    """Whether row r of connector k asks for nothing, as a free row of a joint: its column in J Ĝ Jᵀ is 0 then."""
    n, g, e = model.connectors[k, NODES], r // U6, r % U6
    total = 0.0
    for j in range(n):
        p = model.connectors[k, JACOBIAN] + (g * n + j) * U27
        if e < U3:
            for c in range(U3):
                total += abs(work.jac[p + e * U3 + c]) + abs(work.jac[p + U9 + e * U3 + c])
        else:
            for c in range(U3):
                total += abs(work.jac[p + U9 + e * U3 + c])  # ∂turn/∂θ lies 9 behind ∂place/∂θ, rows 3 … 5
    return total == 0.0


@kernel
def restart(island, model, work):
    """No forces and no displacements on the nodes of an island; the step collected so far stays."""
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        o = model.island_nodes[e] * U6
        for r in range(U6):
            work.start[o + r] = 0.0
            work.force[o + r] = 0.0


@kernel
def answer(island, model, work, lam, velocity):
    """Let the tree respond to the displacements in ``work.start``, and collect where its nodes go."""
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        o = model.island_nodes[e] * U6
        for r in range(U6):
            work.shift[o + r] = work.start[o + r]
    respond(model.islands[island, TREE_FIRST], model.islands[island, TREE_LAST], model, work, lam, velocity)
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        collect_step(model.island_nodes[e], model, work)


@kernel
def solve_dense(rows, a, b):
    """Solve the symmetric positive definite system a (rows × rows, row-major) x = b in place, L D Lᵀ by rows."""
    for i in range(rows):
        for j in range(i):
            s = a[i * rows + j]
            for e in range(j):
                s -= a[i * rows + e] * a[j * rows + e] * a[e * rows + e]
            a[i * rows + j] = s / a[j * rows + j]
        s = a[i * rows + i]
        for e in range(i):
            s -= a[i * rows + e] * a[i * rows + e] * a[e * rows + e]
        a[i * rows + i] = s
        for e in range(i):
            b[i] -= a[i * rows + e] * b[e]
    good = True
    for i in range(rows):
        good = good and a[i * rows + i] > 0.0
        b[i] /= a[i * rows + i]
    for e in range(rows):
        i = rows - U1 - e
        for j in range(i + U1, rows):
            b[i] -= a[j * rows + i] * b[j]
    return good


@stage
def respond_to_row(island, first, last, k, r, rows, model, work, velocity):
    """Fill a column of J Ĝ Jᵀ: how all cut rows answer to a unit multiplier on row r of connector k.

    Return (J W̃ Jᵀ)_rr, the answer without the tree.
    """
    base = model.connectors[first, ROW]
    column = model.connectors[k, ROW] - base + r
    for e in range(U6 * model.connectors[k, PAIRS]):
        work.delta[e] = 0.0
    work.delta[r] = 1.0
    restart(island, model, work)
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        o = model.island_nodes[e] * U6
        for c in range(U6):
            work.step[o + c] = 0.0
    push(k, model, work, work.delta, U0)
    for e in range(U6 * model.connectors[k, PAIRS]):
        work.panel[e] = 0.0
    jacobian_times(k, model, work, work.start, work.panel, U0)
    alone = work.panel[r]
    answer(island, model, work, work.unused, velocity)
    for c in range(first, last):
        o = column * rows + model.connectors[c, ROW] - base
        if takes_part(c, model, velocity):
            jacobian_times(c, model, work, work.step, work.loop_matrix, o)
    return alone


@stage
def close_loops(island, model, work, lam, time_step, velocity):
    """Find the multipliers of the cut connectors and let the tree answer; out ``work.step``."""
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        i = model.island_nodes[e]
        dp, dt = step_of(i, model, work)
        store3(work.step, i * U6, dp)
        store3(work.step, i * U6 + U3, dt)
    first, last = model.islands[island, TREE_LAST], model.islands[island, CUT_LAST]
    base = model.connectors[first, ROW]
    rows = model.connectors[last - U1, ROW] + U6 * model.connectors[last - U1, PAIRS] - base
    for e in range(rows):
        work.loop_side[e] = 0.0
    for e in range(rows * rows):
        work.loop_matrix[e] = 0.0
    for k in range(first, last):
        if takes_part(k, model, velocity):
            jacobian_times(k, model, work, work.step, work.loop_side, model.connectors[k, ROW] - base)
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        o = model.island_nodes[e] * U6
        for c in range(U6):
            work.tree_step[o + c] = work.step[o + c]
    for k in range(first, last):
        scale = scale_of(k, model, time_step, velocity)
        for r in range(U6 * model.connectors[k, PAIRS]):
            e, o = model.connectors[k, ROW] + r, model.connectors[k, ROW] - base + r
            alpha = 1.0
            if takes_part(k, model, velocity):
                alpha = scale * work.alpha[e]
                work.loop_side[o] = -work.c[e] - alpha * lam[e] - work.loop_side[o]
                if not is_empty(k, r, model, work):
                    alpha += REDUNDANCY * respond_to_row(island, first, last, k, r, rows, model, work, velocity)
            work.loop_matrix[o * rows + o] += alpha
    good = solve_dense(rows, work.loop_matrix, work.loop_side)
    restart(island, model, work)
    for e in range(model.islands[island, NODE_FIRST], model.islands[island, NODE_LAST]):
        o = model.island_nodes[e] * U6
        for c in range(U6):
            work.step[o + c] = work.tree_step[o + c]
    for k in range(first, last):
        o = model.connectors[k, ROW] - base
        for r in range(U6 * model.connectors[k, PAIRS]):
            lam[model.connectors[k, ROW] + r] += work.loop_side[o + r]
        if takes_part(k, model, velocity):
            push(k, model, work, work.loop_side, o)
    answer(island, model, work, lam, velocity)
    return good


@helper
def member(e, first, tree, node_first, model):
    """Node e of a group: of the whole island, or of the connector ``first`` that is solved alone."""
    return model.island_nodes[node_first + e] if tree else node_of(first, e, model)


@helper
def drives_change(island, model, state):
    """Whether a drive of an island has another side than before; all are as before from now on."""
    changed = False
    for k in range(model.islands[island, TREE_FIRST], model.islands[island, CUT_LAST]):
        if model.connectors[k, KIND] == JOINT:
            o = model.connectors[k, INDEX] * TURN_STRIDE + DRIVE_CHANGED
            changed = changed or state.turns[o] > 0.0
            state.turns[o] = 0.0
    return changed


@stage
def solve_island(island, model, state, work, lam, time_step, sample, iteration, velocity, extra):
    """Run one iteration over an island. Return −1, or the number of a connector that could not be factored.

    ``extra``: only if a drive asks for it (``joints.drives``); else nothing is done, and SETTLED returned.
    Where loops are not closed exactly, each cut connector follows as a group of its own, eq. (124). One loop over the
    groups, so that the solve is compiled once.
    """
    tree_last, cut = model.islands[island, TREE_LAST], model.islands[island, CUT_LAST]
    node_first = model.islands[island, NODE_FIRST]
    exact = cut > tree_last and model.connectors[cut - U1, ROW] - model.connectors[tree_last, ROW] < CLOSED_ROWS
    bad = np.int64(-1)
    for last in range(tree_last, (tree_last if exact else cut) + U1):
        tree = last == tree_last
        first = model.islands[island, TREE_FIRST] if tree else last - U1
        if not tree and not takes_part(first, model, velocity):
            continue
        count = model.islands[island, NODE_LAST] - node_first if tree else model.connectors[first, NODES]
        again = tree and iteration > 0 and not velocity
        if tree and extra:
            drives_change(island, model, state)
        evaluate_all(first, cut if tree and (exact or again) else last, model, state, work, sample, velocity)
        if tree and extra and not drives_change(island, model, state):
            return SETTLED
        if again:
            for e in range(count):
                clear_force(member(e, first, tree, node_first, model), work)
            put_all_forces(first, cut, model, state, work)
        for e in range(count):
            i = member(e, first, tree, node_first, model)
            if again:
                start_residual(i, model, state, work)
            else:
                clear_force(i, work)
            start_node(i, model, work)
        failed = solve_tree(first, last, again, model, work, lam, time_step, velocity)
        if exact and not close_loops(island, model, work, lam, time_step, velocity):
            failed = np.int64(tree_last)
        for e in range(count):
            i = member(e, first, tree, node_first, model)
            if tree or model.held[i] != HELD:  # the world and static bodies belong to no island: nobody writes to them
                dp, dt = step_of(i, model, work)
                if exact:
                    dp, dt = load3(work.step, i * U6), load3(work.step, i * U6 + U3)
                move(i, dp, dt, state, velocity)
        bad = max(bad, failed)
    return bad
