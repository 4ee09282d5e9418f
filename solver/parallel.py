"""Islands on several threads, with the same bits for any number of them.

Islands neither read nor write what another one writes (``assembly`` gives each its own twins of moved nodes), so it
does not matter who solves them when. A frame is cut into groups of neighbouring islands of about equal cost; the
caller and the threads of a small pool take one group after the other, each group one compiled call that holds no GIL.
No fork and join inside compiled code: that took 11-16 ms on busy cores.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .model import CUT_LAST, PAIRS, TREE_FIRST, TREE_LAST, Model, Work, cut_rows

THREADS_VARIABLE = "TENDRIL_THREADS"  # for a farm, or a machine that has other work to do
WORTH = 1.0e-3  # s of a frame below which threads cost more than they bring
GROUPS_EACH = 4  # groups a thread: few calls, and nobody waits long for the last one
PAIR_COST = 0.6e-6  # s of a row pair in one iteration; only ratios and the order of magnitude matter
BODY_COST = 0.2e-6  # s of an island, however small
LOOP_COST = 0.1e-6  # s of a row that closes a loop, a connector of its island


def thread_count(wanted: int | None) -> int:
    """Threads to use: ``wanted``, or as many as this process may use, or as the environment says."""
    if wanted is None:
        text = os.environ.get(THREADS_VARIABLE, "")
        if text.isdecimal() and int(text) > 0:
            return int(text)
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if wanted < 1:
        raise ValueError("threads must be 1 or more")
    return wanted


def island_costs(model: Model) -> np.ndarray:
    """Rough seconds of one iteration over each island, (B,)."""
    pairs = np.concatenate([[0], np.cumsum(model.connectors[:, PAIRS].astype(np.int64))])
    costs = np.empty(len(model.islands))
    for number, island in enumerate(model.islands):
        first, last = int(island[TREE_FIRST]), int(island[CUT_LAST])
        loops = cut_rows(model, island) * (int(island[TREE_LAST]) - first)
        costs[number] = BODY_COST + PAIR_COST * (pairs[last] - pairs[first]) + LOOP_COST * loops
    return costs


def cut(costs: np.ndarray, count: int) -> list[tuple[int, int]]:
    """Cut islands into at most ``count`` runs of about equal cost: (first, last) of each, none of them empty."""
    ends = np.cumsum(costs)
    wanted = ends[-1] * np.arange(1, count) / count
    bounds = np.unique(np.concatenate([[0], np.searchsorted(ends - 0.5 * costs, wanted), [len(costs)]]))
    return [(int(a), int(b)) for a, b in itertools.pairwise(bounds)]


def make_groups(model: Model, passes: int, threads: int) -> list[tuple[int, int]]:
    """Groups of islands (first, last), one where more are not worth it; ``passes``: iterations of a frame."""
    islands = len(model.islands)
    if threads > 1 and islands > 1:
        costs = island_costs(model)
        if costs.sum() * passes > WORTH:
            return cut(costs, min(islands, GROUPS_EACH * threads))
    return [(0, islands)]


def own_scratch(work: Work) -> Work:
    """The same scratch, but an own copy of what every island uses in turn."""
    own = ("panel", "delta", "element", "loop_matrix", "loop_side")
    return work._replace(**{name: np.zeros_like(getattr(work, name)) for name in own})


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """The pool of helpers, made once and shared by all simulations."""
    return ThreadPoolExecutor(threads, thread_name_prefix="tendril-islands")


def run(groups: list[tuple[int, int]], works: list[Work], solve: Callable) -> list:
    """Call ``solve(work, first, last)`` for all groups, a thread for each of ``works``; return the answers in order."""
    answers = [None] * len(groups)
    queue = iter(range(len(groups)))

    def take(work: Work, numbers: Iterator[int]) -> None:
        for number in numbers:
            answers[number] = solve(work, *groups[number])

    helpers = [_pool(len(works) - 1).submit(take, work, queue) for work in works[1:]] if len(works) > 1 else []
    try:
        take(works[0], queue)
    finally:
        for helper in helpers:
            helper.result()
    return answers
