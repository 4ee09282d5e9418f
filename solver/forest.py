"""From a graph of connectors to trees: who is eliminated into whom, and which connectors close loops.

Nodes that move are vertices, connectors are edges between their two ends. Rod elements are laid into the forest first,
then joints in the scene's order. An edge that would close a loop among moving nodes is *cut*: it is solved on its own
after the tree. So is a joint that ties a group of jointed bodies to the ground a second time, because without the
compliance of a rod in the loop its rows may repeat what the first tie says, and T would be singular.
Each tree is rooted at its heaviest node, so that light things are eliminated into heavy ones. An island may hold
several trees, joined by cut edges alone: a linkage that stands on the ground with two legs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Edge(NamedTuple):
    """A connector as an edge: its end nodes, the local numbers of these, and whether it is a joint."""

    connector: int
    a: int
    b: int
    local_a: int
    local_b: int
    joint: bool


class Branch(NamedTuple):
    """An edge in order of elimination: from child to parent (node, local number)."""

    edge: Edge
    child: int
    parent: int
    child_local: int
    parent_local: int


class Island(NamedTuple):
    """What moves together: branches leaves first, cut edges, and nodes in ascending order."""

    tree: list[Branch]
    cut: list[Edge]
    nodes: list[int]


class Groups:
    """Union-find with path halving."""

    def __init__(self, count: int):
        self.parent = list(range(count))

    def find(self, i: int) -> int:
        """The representative of i's group."""
        parent = self.parent
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def unite(self, i: int, j: int) -> None:
        """Make one group of two; the smaller representative stays, so that the result has one order."""
        i, j = self.find(i), self.find(j)
        self.parent[max(i, j)] = min(i, j)


def split_loops(edges: list[Edge], moving: np.ndarray) -> tuple[list[Edge], list[Edge], Groups]:
    """Sort edges into tree edges and cut edges; also return the groups of nodes that move together."""
    together, rigid = Groups(len(moving)), Groups(len(moving))
    grounded = np.zeros(len(moving), bool)  # by representative in ``rigid``
    tree: list[Edge] = []
    cut: list[Edge] = []
    for edge in edges:
        free = [n for n in (edge.a, edge.b) if moving[n]]
        ties = [grounded[rigid.find(n)] for n in free] if edge.joint else []
        loop = len(free) == 2 and together.find(edge.a) == together.find(edge.b)
        ties_again = edge.joint and len(free) > 0 and all(ties)
        (cut if loop or ties_again else tree).append(edge)
        if len(free) == 2:
            together.unite(edge.a, edge.b)
        if edge.joint and len(free) == 2:
            rigid.unite(edge.a, edge.b)
        if edge.joint and free:
            grounded[rigid.find(free[0])] |= any(ties) or len(free) == 1
    return tree, cut, together


def grow(root: int, incident: dict[int, list[Edge]], moving: np.ndarray) -> list[Branch]:
    """Order the tree edges that hang on ``root`` leaves first (depth first, without recursion)."""
    branches: list[Branch] = []
    seen = {root}
    stack: list[tuple[int, Iterator[Edge], Branch | None]] = [(root, iter(incident.get(root, ())), None)]
    while stack:
        node, edges, up = stack[-1]
        for edge in edges:
            if up is not None and edge is up.edge:
                continue
            other_first = edge.b == node
            child = edge.a if other_first else edge.b
            locals_ = (edge.local_a, edge.local_b) if other_first else (edge.local_b, edge.local_a)
            branch = Branch(edge, child, node, *locals_)
            if not moving[child]:
                branches.append(branch)
                continue
            if child in seen:
                continue
            seen.add(child)
            stack.append((child, iter(incident.get(child, ())), branch))
            break
        else:
            stack.pop()
            if up is not None:
                branches.append(up)
    return branches


def plant(
    edges: list[Edge], moving: np.ndarray, weight: np.ndarray, extra: dict[int, list[int]], single: list[int]
) -> list[Island]:
    """Make the islands of a scene.

    ``moving`` (N,) bool; ``weight`` (N,) kg decides the roots; ``extra[connector]``: nodes that belong to a connector
    alone; ``single``: nodes that must be listed although no connector may touch them (free and animated bodies).
    """
    tree, cut, together = split_loops(edges, moving)
    incident: dict[int, list[Edge]] = {}
    members: dict[int, set[int]] = {}
    grounded_only = []
    for edge in tree:
        for n in (edge.a, edge.b):
            if moving[n]:
                incident.setdefault(n, []).append(edge)
        if not (moving[edge.a] or moving[edge.b]):
            grounded_only.append(edge)
    for n in single:
        members.setdefault(together.find(n) if moving[n] else n, set()).add(n)
    home: dict[int, int] = {}
    for edge in tree + cut:
        free = [n for n in (edge.a, edge.b) if moving[n]]
        key = together.find(free[0]) if free else -1 - edge.connector
        home[edge.connector] = key
        held = [n for n in (edge.a, edge.b) if n > 0 and not moving[n]]
        members.setdefault(key, set()).update(free + extra.get(edge.connector, []) + ([] if edge.joint else held))
    cuts: dict[int, list[Edge]] = {}
    for edge in cut:
        cuts.setdefault(home[edge.connector], []).append(edge)
    alone = {home[e.connector]: [Branch(e, e.a, e.b, e.local_a, e.local_b)] for e in grounded_only}
    islands = []
    for key in sorted(members, key=lambda k: min(members[k])):
        nodes = sorted(members[key])
        free = [n for n in nodes if moving[n] and n in incident]
        branches = alone.get(key, []) if not free else []
        grown: set[int] = set()
        for root in sorted(free, key=lambda n: (-weight[n], n)):
            if root not in grown:
                tree_of_root = grow(root, incident, moving)
                branches += tree_of_root
                grown |= {root} | {n for b in tree_of_root for n in (b.child, b.parent)}
        islands.append(Island(branches, cuts.get(key, []), nodes))
    return islands
