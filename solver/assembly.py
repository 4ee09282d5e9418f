"""Scene → Model: nodes, connectors, islands and all constants, in the order the kernels want them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .forest import Edge, plant
from .joints.arrays import DRIVEN, FLAG_STRIDE, JointArrays, joint_arrays
from .linalg.elimination import FIXED, LOADED, SINGLE
from .model import (
    CHAIN_LINK,
    CONNECTOR_COLUMNS,
    HOLD_PLACE,
    HOLD_TURN,
    ISLAND_COLUMNS,
    JOINT,
    ROD_ELEMENT,
    Model,
    State,
    factor_size,
)
from .rods.basis import basis
from .rods.discretise import Discretisation, discretise
from .rods.section import Section, elliptic_section
from .scene import Joint, Motion, Partner, RigidBody, Rod, Scene

HOLDS = {"free": 0, "pinned": HOLD_PLACE, "clamped": HOLD_PLACE | HOLD_TURN}


class Element(NamedTuple):
    """A rod element on its way into the model; order 0 is a chain link, which is laid out like order 1."""

    rod: int
    first: int
    last: int
    order: int
    length: float
    stiffness: np.ndarray  # (m, 6) diagonal of Kᵛ, Kᵘ at the Gauss points

    @property
    def pairs(self) -> int:
        """Row pairs m."""
        return max(self.order, 1)


class Assembly:
    """Collects nodes and connectors of a validated scene; ``model()`` and ``state()`` hand out the arrays."""

    def __init__(self, scene: Scene):
        self.scene = scene
        self.positions: list[np.ndarray] = []
        self.rotations: list[np.ndarray] = []
        self.mass: list[float] = []
        self.inertia: list[np.ndarray] = []
        self.velocity: list[np.ndarray] = []
        self.spin: list[np.ndarray] = []
        self.damping: list[tuple[float, float]] = []
        self.held: list[int] = []
        self.motion: list[int] = []
        self.owner: list[str] = []
        self.motions: list[np.ndarray] = []
        self.bodies: dict[str, int] = {}
        self.rods: dict[str, slice] = {}
        self.elements: list[Element] = []
        self.natural: list[Discretisation] = []
        self.arcs: dict[str, np.ndarray] = {}
        self.joint_nodes: list[tuple[int, int]] = []
        self.listed: list[int] = []
        self._add_node("", np.zeros(3), np.array([1.0, 0, 0, 0]), held=HOLD_PLACE | HOLD_TURN)
        for body in scene.bodies:
            self._add_body(body)
        for number, rod in enumerate(scene.rods):
            self._add_rod(number, rod)
        self.public_nodes = len(self.mass)
        for joint in scene.joints:
            self.joint_nodes.append((self._partner(joint, joint.body_1), self._partner(joint, joint.body_2)))
        self.weight = self._weights()
        self.joints = self._joints()

    def _add_node(
        self, owner, position, rotation, mass=0.0, inertia=(0.0, 0.0, 0.0), held=0, motion: Motion | None = None,
        velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), damping=(0.0, 0.0),
    ) -> int:  # fmt: skip
        self.owner.append(owner)
        self.positions.append(np.asarray(position, float))
        self.rotations.append(np.asarray(rotation, float))
        self.mass.append(mass)
        self.inertia.append(np.asarray(inertia, float))
        self.held.append(held)
        self.velocity.append(np.asarray(velocity, float))
        self.spin.append(np.asarray(spin, float))
        self.damping.append(damping)
        self.motion.append(-1 if motion is None else len(self.motions))
        if motion is not None:
            self.motions.append(np.concatenate([motion.positions, motion.rotations], axis=1))
        return len(self.mass) - 1

    def _add_body(self, body: RigidBody) -> None:
        active = body.kind == "active"
        node = self._add_node(
            body.name, body.position, body.rotation, body.mass if active else 0.0,
            body.inertia if active else np.zeros(3), 0 if active else HOLD_PLACE | HOLD_TURN,
            body.motion if body.kind == "animated" else None, body.velocity if active else np.zeros(3),
            body.angular_velocity if active else np.zeros(3), (body.linear_damping, body.angular_damping),
        )  # fmt: skip
        self.bodies[body.name] = node
        if body.kind != "static":
            self.listed.append(node)

    def _add_rod(self, number: int, rod: Rod) -> None:
        """Lay nodes along the centre line and give each its lumped share of mass and inertia (6.3.6)."""
        m, first = max(rod.order, 1), len(self.mass)
        table = basis(m)
        breaks = sorted({p.at for j in self.scene.joints for p in (j.body_1, j.body_2) if p.name == rod.name and p.at})
        line = discretise(rod.points, rod.tangents, rod.normals, rod.elements, m, rod.name, rod.closed, breaks)
        natural = line
        if rod.rest_curve is not None:
            rest = (rod.rest_curve.points, rod.rest_curve.tangents, rod.rest_curve.normals)
            natural = discretise(*rest, rod.elements, m, rod.name, rod.closed, breaks)
        self.natural.append(natural)
        count = len(line.positions)
        share = np.zeros(count)
        for e, length in enumerate(natural.lengths):
            nodes = first + (e * m + np.arange(m + 1)) % (count if rod.closed else count + 1)
            share[nodes - first] += table.lumped * length
            radius = line.at_points(rod.radius, line.arcs[e * m] + line.lengths[e] * table.points)
            section = _section(rod, radius)
            stiffness = np.concatenate([section.shear_stretch_stiffness, section.bend_twist_stiffness], axis=1)
            self.elements.append(Element(number, int(nodes[0]), int(nodes[-1]), rod.order, length, stiffness))
        section = _section(rod, line.at_points(rod.radius, line.arcs))
        for i in range(count):
            end = None if rod.closed else rod.start if i == 0 else rod.end if i == count - 1 else None
            held = HOLDS[end.hold] if end else 0
            self._add_node(
                rod.name, line.positions[i], line.rotations[i], share[i] * section.mass_per_length[i],
                share[i] * section.inertia_per_length[i], held, end.motion if end and held else None,
                damping=(rod.linear_damping, 0.0),
            )  # fmt: skip
        self.rods[rod.name] = slice(first, first + count)
        self.arcs[rod.name] = line.arcs / line.lengths.sum()

    def _partner(self, joint: Joint, partner: Partner) -> int:
        """The node a joint takes hold of. A node that is moved by keys gets a twin for each joint, in its island."""
        if not partner.name:
            return 0
        if partner.name in self.bodies:
            node = self.bodies[partner.name]
        else:
            nodes = self.rods[partner.name]
            node = nodes.start if partner.end == "start" else nodes.stop - 1
            if partner.at is not None:
                node = nodes.start + int(np.argmin(np.abs(self.arcs[partner.name] - partner.at)))
        if self.motion[node] < 0 or self._moving(node):
            return node
        twin = self._add_node(joint.name, self.positions[node], self.rotations[node], held=self.held[node])
        self.motion[twin] = self.motion[node]
        return twin

    def _moving(self, node: int) -> bool:
        return self.held[node] != HOLD_PLACE | HOLD_TURN

    # ------------------------------------------------------------------ arrays

    def state(self) -> State:
        """The state at the start."""
        x, q = np.concatenate(self.positions), np.concatenate(self.rotations)
        v, w = np.concatenate(self.velocity), np.concatenate(self.spin)
        rows = 6 * (sum(e.pairs for e in self.elements) + len(self.joint_nodes))
        return State(x, q, v, w, x.copy(), q.copy(), x.copy(), q.copy(), np.zeros(rows), self.joints.turns.copy())

    def _weights(self) -> np.ndarray:
        """(N, 4): 1/mass and 1/inertia of every node, 0 where it is held."""
        mass, inertia, held = np.array(self.mass), np.array(self.inertia), np.array(self.held)
        weight = np.zeros((len(mass), 4))
        place, turn = (held & HOLD_PLACE) == 0, (held & HOLD_TURN) == 0
        weight[place, 0], weight[turn, 1:] = 1.0 / mass[place], 1.0 / inertia[turn]
        return weight

    def _joints(self) -> JointArrays:
        ones, twos = (np.array([pair[side] for pair in self.joint_nodes], np.int64) for side in (0, 1))
        return joint_arrays(
            self.scene.joints, ones, twos, np.array(self.positions), np.array(self.rotations), self.scene.settings,
            self.weight[:, 0], self.weight[:, 1:],
        )  # fmt: skip

    def _islands(self):
        edges, extra = [], {}
        for k, e in enumerate(self.elements):
            edges.append(Edge(k, e.first, e.last, 0, e.pairs, False))
            extra[k] = list(range(e.first + 1, e.first + e.pairs))
        for j, (one, two) in enumerate(self.joint_nodes):
            edges.append(Edge(len(self.elements) + j, one, two, 0, 1, True))
        moving = np.array([self._moving(n) for n in range(len(self.mass))])
        twins = list(range(self.public_nodes, len(self.mass)))
        for j, pair in enumerate(self.joint_nodes):
            extra[len(self.elements) + j] = [n for n in pair if n in twins]
        return plant(edges, moving, np.array(self.mass), extra, self.listed), moving

    def model(self) -> Model:
        """Everything constant, connectors in order of elimination."""
        islands, moving = self._islands()
        orders = sorted({e.pairs for e in self.elements})
        tables = {order: basis(order).flat() for order in orders}
        table_at = dict(zip(orders, np.cumsum([0] + [len(tables[o]) for o in orders])[:-1], strict=False))
        rows_of_connectors, island_rows, island_nodes = [], [], []
        order_of_work: list[int] = []
        offsets = np.zeros(3, int)  # row, jacobian, factor
        loaded = np.zeros(len(moving), bool)

        def add(connector: int, child: int, parent: int, locals_: tuple[int, int], tree: bool) -> None:
            is_joint = connector >= len(self.elements)
            index = connector - len(self.elements) if is_joint else connector
            m = 1 if is_joint else self.elements[index].pairs
            first, second = self.joint_nodes[index] if is_joint else self.elements[index][1:3]
            kind = JOINT if is_joint else ROD_ELEMENT if self.elements[index].order else CHAIN_LINK
            # A body's inverse inertia is a full matrix once geometric stiffness is in it: it counts as loaded at once.
            mode = [FIXED if not moving[n] else LOADED if is_joint or loaded[n] else SINGLE for n in (child, parent)]
            rows_of_connectors.append(
                [kind, index, m, m + 1, first, second, *locals_, child, parent,
                 *mode, *offsets, 0 if is_joint else table_at[m]]
            )  # fmt: skip
            order_of_work.append(connector)
            offsets[:] += (6 * m, m * (m + 1) * 27, factor_size(m))
            loaded[parent] = loaded[parent] or (tree and moving[parent])

        for island in islands:
            first = len(rows_of_connectors)
            for branch in island.tree:
                add(branch.edge.connector, branch.child, branch.parent, (branch.child_local, branch.parent_local), True)
            last = len(rows_of_connectors)
            for edge in island.cut:
                add(edge.connector, edge.a, edge.b, (edge.local_a, edge.local_b), False)
            members = order_of_work[first:]
            start = len(island_nodes)
            island_nodes += island.nodes
            damped = any(self._damped(k) for k in members)
            driven = any(self._driven(k) for k in members)
            island_rows.append(
                [first, last, len(rows_of_connectors), start, len(island_nodes), int(damped), int(driven)]
            )
        return self._model(rows_of_connectors, island_rows, island_nodes, order_of_work, tables, moving)

    def _damped(self, connector: int) -> bool:
        if connector < len(self.elements):
            return self.scene.rods[self.elements[connector].rod].damping > 0.0
        return bool(np.any(np.asarray(self.scene.joints[connector - len(self.elements)].damping) > 0.0))

    def _driven(self, connector: int) -> bool:
        joint = connector - len(self.elements)
        return joint >= 0 and bool(self.joints.joint_flags.reshape(-1, int(FLAG_STRIDE))[joint, int(DRIVEN)])

    def _model(self, connectors, islands, island_nodes, order_of_work, tables, moving) -> Model:
        settings, dt = self.scene.settings, self.scene.settings.time_step
        rest, compliance, inverse_length, damping = [], [], [], []
        for k in order_of_work:
            if k >= len(self.elements):
                rest.append(np.zeros(6))
                compliance.append(np.ones(6))
                inverse_length.append(0.0)
                damping.append(0.0)
                continue
            element = self.elements[k]
            rest.append(np.tile([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], element.pairs))
            weights = basis(element.pairs).weights[:, None]
            compliance.append((1.0 / (element.length * weights * element.stiffness)).ravel())  # (109)
            inverse_length.append(1.0 / element.length)
            damping.append(self.scene.rods[element.rod].damping)
        mass, inertia, held = np.array(self.mass), np.array(self.inertia), np.array(self.held, np.int64)
        place, turn = (held & HOLD_PLACE) == 0, (held & HOLD_TURN) == 0
        return Model(
            mass=np.where(place, mass, 0.0), inertia=np.where(turn[:, None], inertia, 0.0).ravel(),
            weight=self.weight.ravel(), decay=np.exp(-dt * np.array(self.damping)).ravel(), held=held,
            motion=np.array(self.motion, np.int64), motions=_stack(self.motions, (1, 7)),
            connectors=np.array(connectors, np.uint64).reshape(-1, CONNECTOR_COLUMNS),
            islands=np.array(islands, np.uint64).reshape(-1, ISLAND_COLUMNS),
            island_nodes=np.array(island_nodes, np.uint64), basis=np.concatenate([*tables.values(), np.zeros(0)]),
            inverse_length=np.array(inverse_length, float), damping=np.array(damping, float),
            rest=np.concatenate([*rest, np.zeros(0)]), compliance=np.concatenate([*compliance, np.zeros(0)]),
            joint_data=self.joints.joint_data, joint_flags=self.joints.joint_flags, targets=self.joints.targets,
            gravity=np.asarray(settings.gravity, float),
        )  # fmt: skip


def _section(rod: Rod, radius: np.ndarray) -> Section:
    """The rod's sections where it has these radii."""
    return elliptic_section(radius, rod.aspect, rod.material, rod.shear_correction)


def _stack(arrays: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Stack equal arrays, or make an empty one of the right rank."""
    return np.ascontiguousarray(np.stack(arrays)) if arrays else np.zeros((0, *shape))
