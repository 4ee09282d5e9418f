"""What a test expects of a scene with one thing wrong."""

from __future__ import annotations

import pytest

from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.bridge.problems import ReadError
from bl_ext.user_default.tendril.bridge.read import read_now


def only_problem(scene, name, *words):
    """The one problem found is about ``name`` and its sentence has all of ``words``."""
    problems = check(scene)
    assert [problem.object_name for problem in problems] == [name], problems
    for word in words:
        assert word in problems[0].sentence, problems[0]
    with pytest.raises(ReadError) as raised:
        read_now(scene)
    assert list(raised.value.problems) == problems
