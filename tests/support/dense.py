"""A model as dense matrices, read off what the solver's own entry ``measure`` evaluates."""

import numpy as np

from tendril.solver.diagnostics import ELASTIC, MEASURES, measure
from tendril.solver.model import FIRST, JACOBIAN, KIND, NODES, PAIRS, ROD_ELEMENT, ROW, SECOND


def evaluate(simulation, sample=0):
    """Evaluate all connectors at the state of ``simulation``; return the measures and leave C, J, α in its scratch."""
    out = np.zeros(MEASURES)
    time_step = simulation.scene.settings.time_step
    measure(simulation.model, simulation.state, simulation.work, time_step, sample, out)
    return out


def elastic_energy(simulation):
    """½ Cᵀ α⁻¹ C, J."""
    return evaluate(simulation)[ELASTIC]


def nodes_of(connector):
    """The nodes of a connector, in local order."""
    if connector[KIND] == ROD_ELEMENT:
        nodes = int(connector[FIRST]) + np.arange(int(connector[NODES]))
        nodes[-1] = connector[SECOND]  # a ring comes back to its first node
        return nodes
    return np.array([connector[FIRST], connector[SECOND]], dtype=int)


def rows_of(connector):
    """The rows of a connector."""
    return np.arange(int(connector[ROW]), int(connector[ROW] + 6 * connector[PAIRS]))


def jacobian(simulation):
    """∇C (rows, 6 N), columns (p, θ) per node in node order, of the last evaluation."""
    model, tiles = simulation.model, simulation.work.jac
    dense = np.zeros((len(model.rest), 6 * len(model.mass)))
    for connector in model.connectors:
        m, nodes, rows, start = int(connector[PAIRS]), nodes_of(connector), rows_of(connector), int(connector[JACOBIAN])
        block = tiles[start : start + m * len(nodes) * 27].reshape(m, len(nodes), 3, 3, 3)
        for g in range(m):
            place, turn = rows[6 * g : 6 * g + 3], rows[6 * g + 3 : 6 * g + 6]
            for j, node in enumerate(nodes):
                columns = 6 * node + np.arange(6)
                dense[np.ix_(place, columns[:3])] += block[g, j, 0]
                dense[np.ix_(place, columns[3:])] += block[g, j, 1]
                dense[np.ix_(turn, columns[3:])] += block[g, j, 2]
    return dense


def inverse_mass(model):
    """The diagonal of W = M⁻¹ (6 N,), 0 where a node is held."""
    weight = model.weight.reshape(-1, 4)
    return np.concatenate([np.repeat(weight[:, :1], 3, axis=1), weight[:, 1:]], axis=1).ravel()


def mass(model):
    """The diagonal of M (6 N,), 0 where a node is held."""
    return np.concatenate([np.repeat(model.mass[:, None], 3, axis=1), model.inertia.reshape(-1, 3)], axis=1).ravel()


def solve_refined(matrix, right):
    """Solve a symmetric system with its residual in long double: right to rounding, whatever the masses."""
    scale = 1.0 / np.sqrt(np.diag(matrix))
    scaled, right = matrix * scale[:, None] * scale, (right * scale).astype(np.longdouble)
    exact = scaled.astype(np.longdouble)
    solution = np.zeros(len(right), np.longdouble)
    for _ in range(6):
        solution += np.linalg.solve(scaled, np.asarray(right - exact @ solution, float))
    return np.asarray(solution, float) * scale


def quaternion_exp(turn):
    """exp of rotation vectors (…, 3) as unit quaternions (…, 4)."""
    turn = np.asarray(turn, float)
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2.0 * np.pi)) * turn], axis=-1)


def quaternion_product(p, q):
    """R(p) R(q), stacks allowed."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    real = p[..., :1] * q[..., :1] - np.sum(p[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([real, vector], axis=-1)


def quaternion_log(q):
    """The shortest rotation vectors (…, 3) of unit quaternions (…, 4)."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    length = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(length, q[..., :1])
    return q[..., 1:] * np.where(length > 1e-12, angle / np.maximum(length, 1e-300), 2.0)


def conjugate(q):
    """The inverse rotations."""
    return np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0])


def step_of(simulation, x_before, q_before):
    """The move (6 N,) from a state: Δp, and R ⊟ R_before."""
    dp = simulation.state.x.reshape(-1, 3) - x_before.reshape(-1, 3)
    turned = quaternion_product(conjugate(q_before.reshape(-1, 4)), simulation.state.q.reshape(-1, 4))
    return np.concatenate([dp, quaternion_log(turned)], axis=1).ravel()


def move(simulation, step):
    """Move the state by (6 N,): p + Δp, R ⊞ θ."""
    step = step.reshape(-1, 6)
    simulation.state.x[:] += step[:, :3].ravel()
    q = quaternion_product(simulation.state.q.reshape(-1, 4), quaternion_exp(step[:, 3:]))
    simulation.state.q[:] = (q / np.linalg.norm(q, axis=-1, keepdims=True)).ravel()
