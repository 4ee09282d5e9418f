"""Trees and loops: who is eliminated into whom."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tendril.solver.forest import Edge, plant


def joint(number, a, b):
    return Edge(number, a, b, 0, 1, True)


def rod(number, a, b, order=1):
    return Edge(number, a, b, 0, order, False)


def forest(edges, moving, weight=None, extra=None, single=()):
    weight = np.ones(len(moving)) if weight is None else np.asarray(weight, float)
    return plant(list(edges), np.array(moving, bool), weight, extra or {}, list(single))


def check_order(islands, moving):
    """Every tree edge once; a node hands on to its parent once, after all that was handed to it."""
    for island in islands:
        gone, links = set(), {}
        for branch in island.tree:
            assert {branch.child, branch.parent} == {branch.edge.a, branch.edge.b}
            assert branch.child_local == (branch.edge.local_a if branch.child == branch.edge.a else branch.edge.local_b)
            assert branch.parent_local == (
                branch.edge.local_a if branch.parent == branch.edge.a else branch.edge.local_b
            )
            assert branch.parent not in gone and branch.child not in gone
            if moving[branch.child]:
                gone.add(branch.child)
            if moving[branch.child] and moving[branch.parent]:
                links[branch.child] = branch.parent
        free = {n for n in island.nodes if moving[n]}
        touched = {n for b in island.tree for n in (b.child, b.parent) if moving[n]}
        assert touched - gone == {root_of(n, links) for n in touched}, "one root a tree"
        assert touched <= free


def root_of(node, links):
    while node in links:
        node = links[node]
    return node


def test_a_chain_is_eliminated_from_the_leaves():
    islands = forest([joint(0, 0, 1), joint(1, 1, 2), joint(2, 2, 3)], [0, 1, 1, 1], weight=[0, 9, 1, 1])
    assert [b.edge.connector for b in islands[0].tree] == [0, 2, 1] or [b.edge.connector for b in islands[0].tree] == [
        2,
        1,
        0,
    ]
    assert islands[0].tree[-1].parent == 1, "the heaviest is the root"
    assert islands[0].nodes == [1, 2, 3]
    check_order(islands, [0, 1, 1, 1])


def test_the_root_is_the_heaviest_node_and_the_first_of_equals():
    edges = [rod(0, 1, 2), rod(1, 2, 3), rod(2, 3, 4)]
    assert forest(edges, [0, 1, 1, 1, 1], weight=[0, 1, 2, 3, 1])[0].tree[-1].parent == 3
    assert forest(edges, [0, 1, 1, 1, 1], weight=[0, 1, 1, 1, 1])[0].tree[-1].parent == 1


def test_a_loop_is_cut_once_and_at_a_joint():
    edges = [rod(0, 1, 2), rod(1, 2, 3), joint(2, 3, 4), joint(3, 4, 1)]
    islands = forest(edges, [0, 1, 1, 1, 1])
    assert len(islands) == 1
    assert [e.connector for e in islands[0].cut] == [3]
    assert sorted(b.edge.connector for b in islands[0].tree) == [0, 1, 2]


def test_two_joints_between_the_same_bodies():
    islands = forest([joint(0, 1, 2), joint(1, 1, 2)], [0, 1, 1])
    assert [e.connector for e in islands[0].cut] == [1]


def test_jointed_bodies_tied_to_the_ground_twice_are_a_loop_but_a_rod_is_not():
    twice = forest([joint(0, 0, 1), joint(1, 1, 2), joint(2, 2, 0)], [0, 1, 1])
    assert [e.connector for e in twice[0].cut] == [2]
    bridge = forest([rod(0, 1, 2), rod(1, 2, 3), joint(2, 0, 1), joint(3, 3, 0)], [0, 1, 1, 1])
    assert not bridge[0].cut
    clamped = forest([rod(0, 1, 2), rod(1, 2, 3)], [0, 0, 1, 0])
    assert not clamped[0].cut
    assert clamped[0].nodes == [1, 2, 3]


def test_two_grounded_groups_joined_are_a_loop():
    islands = forest([joint(0, 0, 1), joint(1, 0, 2), joint(2, 1, 2)], [0, 1, 1])
    assert [e.connector for e in islands[0].cut] == [2]
    assert sorted(b.edge.connector for b in islands[0].tree) == [0, 1]
    assert len(islands) == 1


def test_what_does_not_touch_is_an_island_of_its_own_and_the_world_joins_nothing():
    islands = forest([joint(0, 0, 1), joint(1, 0, 2), rod(2, 3, 4)], [0, 1, 1, 1, 1, 1], single=[5])
    assert [i.nodes for i in islands] == [[1], [2], [3, 4], [5]]
    assert [[b.edge.connector for b in i.tree] for i in islands] == [[0], [1], [2], []]


def test_a_static_body_joins_nothing():
    islands = forest([joint(0, 1, 2), joint(1, 1, 3)], [0, 0, 1, 1])
    assert [i.nodes for i in islands] == [[2], [3]]


def test_nodes_of_a_connector_alone_are_listed():
    islands = forest([rod(0, 1, 4, order=3)], [0, 1, 1, 1, 1], extra={0: [2, 3]})
    assert islands[0].nodes == [1, 2, 3, 4]


def test_a_moved_body_that_nothing_touches_is_listed():
    islands = forest([], [0, 0, 1], single=[1, 2])
    assert [i.nodes for i in islands] == [[1], [2]]


def test_a_rod_between_two_clamps_has_an_island():
    islands = forest([rod(0, 1, 3, order=2)], [0, 0, 1, 0], extra={0: [2]})
    assert [len(i.tree) for i in islands] == [1]
    assert islands[0].nodes == [1, 2, 3]


def test_a_long_chain_needs_no_deep_stack():
    count = 20000
    edges = [rod(i, i + 1, i + 2) for i in range(count)]
    islands = forest(edges, [0] + [1] * (count + 1))
    assert len(islands[0].tree) == count
    assert islands[0].tree[-1].parent == 1


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_graph(data):
    nodes = data.draw(st.integers(2, 12))
    moving = [False, *(data.draw(st.lists(st.booleans(), min_size=nodes - 1, max_size=nodes - 1)))]
    pairs = data.draw(st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), max_size=20))
    pairs = [(a, b) for a, b in pairs if a != b and (moving[a] or moving[b])]
    weight = data.draw(st.lists(st.sampled_from([1.0, 2.0, 1e6]), min_size=nodes, max_size=nodes))
    edges = [joint(k, a, b) for k, (a, b) in enumerate(pairs)]
    single = [n for n in range(1, nodes) if moving[n]]
    islands = forest(edges, moving, weight, single=single)
    check_order(islands, moving)
    used = sorted([b.edge.connector for i in islands for b in i.tree] + [e.connector for i in islands for e in i.cut])
    assert used == list(range(len(edges)))
    listed = [n for i in islands for n in i.nodes]
    assert sorted(listed) == single, "every moving node in one island"
    for island in islands:
        links = {b.child: b.parent for b in island.tree if moving[b.child] and moving[b.parent]}
        touched = {n for b in island.tree for n in (b.child, b.parent) if moving[n]}
        for n in touched:
            assert weight[root_of(n, links)] >= weight[n], "the root is the heaviest"
        for edge in island.cut:
            assert {n for n in (edge.a, edge.b) if moving[n]} <= set(island.nodes)
