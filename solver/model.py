"""The arrays the kernels read: what a scene is compiled to.

``Model`` never changes during a simulation, ``State`` does, ``Work`` is scratch. All are flat float64 or index arrays
in named tuples, so that a whole frame is one call of one compiled function.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

# Columns of Model.connectors
KIND, INDEX, PAIRS, NODES = 0, 1, 2, 3  # rod element, joint or chain link; its number; row pairs m; local nodes n
FIRST, SECOND = 4, 5  # first and last node of a rod element; nodes of body 1 and body 2 of a joint
CHILD, PARENT = 6, 7  # which local node is which end of the elimination
CHILD_NODE, PARENT_NODE = 8, 9
CHILD_MODE, PARENT_MODE = 10, 11  # FIXED, SINGLE, LOADED of linalg.elimination
ROW, JACOBIAN, FACTOR, TABLE = 12, 13, 14, 15  # offsets into the scratch arrays and the basis tables
CONNECTOR_COLUMNS = 16

ROD_ELEMENT, JOINT, CHAIN_LINK = 0, 1, 2

# Columns of Model.islands
TREE_FIRST, TREE_LAST, CUT_LAST, NODE_FIRST, NODE_LAST, DAMPED, DRIVEN = 0, 1, 2, 3, 4, 5, 6
ISLAND_COLUMNS = 7

HOLD_PLACE, HOLD_TURN = 1, 2  # bits of Model.held


class Model(NamedTuple):
    """What stays constant. N nodes, K connectors, R rows (6 a row pair), B islands."""

    mass: np.ndarray  # (N,) kg, 0 where held
    inertia: np.ndarray  # (3N,) kg m², body frame
    weight: np.ndarray  # (4N,) 1/mass and 1/inertia, 0 where held
    decay: np.ndarray  # (2N,) exp(−rate Δt), linear and angular
    held: np.ndarray  # (N,) bits HOLD_PLACE, HOLD_TURN
    motion: np.ndarray  # (N,) number of the motion that moves it, or −1
    motions: np.ndarray  # (motions, samples, 7) prescribed positions and rotations
    connectors: np.ndarray  # (K, CONNECTOR_COLUMNS) in order of elimination, island by island
    islands: np.ndarray  # (B, ISLAND_COLUMNS)
    island_nodes: np.ndarray  # nodes, island by island
    basis: np.ndarray  # tables of rods.basis, flat
    inverse_length: np.ndarray  # (K,) 1/l of a rod element
    damping: np.ndarray  # (K,) b of a rod element, s
    rest: np.ndarray  # (R,) strains free of stress
    compliance: np.ndarray  # (R,) α of a rod's rows; a joint writes its own
    joint_data: np.ndarray  # see joints.arrays
    joint_flags: np.ndarray
    targets: np.ndarray
    gravity: np.ndarray  # (3,) m/s²


class State(NamedTuple):
    """What changes, and what diagnostics want to know about the last substep."""

    x: np.ndarray  # (3N,) positions
    q: np.ndarray  # (4N,) rotations
    v: np.ndarray  # (3N,) velocities
    w: np.ndarray  # (3N,) angular velocities, body frame
    x_old: np.ndarray  # at the start of the substep
    q_old: np.ndarray
    x_free: np.ndarray  # inertial prediction x̃ (48)
    q_free: np.ndarray  # and R̃ (46)
    lam: np.ndarray  # (R,) λ
    turns: np.ndarray  # what joints remember, see joints.arrays


class Work(NamedTuple):
    """Scratch of the mechanism; see ``linalg.elimination`` for its layout."""

    c: np.ndarray  # (R,)
    alpha: np.ndarray  # (R,) compliance
    jac: np.ndarray
    factor: np.ndarray
    mu: np.ndarray  # (R,) λ of the velocity solve
    effective: np.ndarray  # (27N,)
    shift: np.ndarray  # (6N,)
    force: np.ndarray  # (6N,)
    start: np.ndarray  # (6N,) d before anything is eliminated, −W̃ r
    step: np.ndarray  # (6N,) Δx of this iteration
    tree_step: np.ndarray  # (6N,) Δx of the tree alone, where loops are closed on top
    unused: np.ndarray  # (R,) takes the λ of the tree where only its response is wanted
    loop_matrix: np.ndarray  # J Ĝ Jᵀ + α̃ of the cut connectors
    loop_side: np.ndarray  # its right side, then Δλ
    turn_weight: np.ndarray  # (9N,) W̃ of the turn, (inertia + geometric stiffness)⁻¹
    panel: np.ndarray
    delta: np.ndarray
    element: np.ndarray


_F1, _F3 = types.float64[::1], types.float64[:, :, ::1]
_I1, _U2, _U1 = types.int64[::1], types.uint64[:, ::1], types.uint64[::1]

MODEL_FIELDS = {
    "held": _I1, "motion": _I1, "motions": _F3, "connectors": _U2, "islands": _U2, "island_nodes": _U1,
    "joint_flags": _U1,
}  # fmt: skip
MODEL = types.NamedTuple([MODEL_FIELDS.get(name, _F1) for name in Model._fields], Model)
STATE = types.NamedUniTuple(_F1, len(State._fields), State)
WORK = types.NamedUniTuple(_F1, len(Work._fields), Work)


def make_work(model: Model) -> Work:
    """Allocate the scratch a model needs, once."""
    pairs = int(model.connectors[:, PAIRS].max(initial=1))
    nodes = len(model.mass)
    jac = factor = 0
    if len(model.connectors):
        m, n = model.connectors[:, PAIRS].astype(int), model.connectors[:, NODES].astype(int)
        jac, factor = int((m * n * 27).sum()), int(sum(factor_size(k) for k in m))
    rows = len(model.rest)
    loops = max([cut_rows(model, island) for island in model.islands], default=0)
    return Work(
        c=np.zeros(rows), alpha=model.compliance.copy(), jac=np.zeros(jac), factor=np.zeros(factor), mu=np.zeros(rows),
        effective=np.zeros(27 * nodes), shift=np.zeros(6 * nodes), force=np.zeros(6 * nodes),
        step=np.zeros(6 * nodes), tree_step=np.zeros(6 * nodes), unused=np.zeros(rows),
        loop_matrix=np.zeros(loops * loops), loop_side=np.zeros(loops), start=np.zeros(6 * nodes),
        turn_weight=np.zeros(9 * nodes),
        panel=np.zeros(18 * pairs), delta=np.zeros(6 * pairs), element=np.zeros(12 * (pairs + 1)),
    )  # fmt: skip


def cut_rows(model: Model, island: np.ndarray) -> int:
    """Rows of the connectors that close loops in an island."""
    return int(sum(6 * model.connectors[k, PAIRS] for k in range(int(island[TREE_LAST]), int(island[CUT_LAST]))))


def factor_size(pairs: int) -> int:
    """Floats of factor scratch of a connector with ``pairs`` row pairs: L, Y and z."""
    rows = 2 * pairs
    return 9 * (rows * (rows + 1) // 2) + 18 * rows + 3 * rows
