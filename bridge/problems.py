"""What is wrong with a scene: which object, and the sentence that tells how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Problem(NamedTuple):
    """One thing to mend before a bake. ``object_name`` is empty where the scene itself is meant."""

    object_name: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.object_name}: {self.sentence}" if self.object_name else self.sentence


class ReadError(ValueError):
    """A Blender scene that cannot be read; ``problems`` has every reason, each with its object."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Refused(Exception):
    """Raised while one object is read: its one argument is the sentence."""


def fill_list(scene, problems: Iterable[Problem]) -> None:
    """Put ``problems`` into the list that the sidebar shows."""
    settings = scene.tendril
    settings.problems.clear()
    for problem in problems:
        entry = settings.problems.add()
        entry.object_name, entry.sentence = problem
    settings.problem_index = 0
    settings.is_checked = True
