"""A real Blender window for the tests of this folder; they skip, saying why, where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools import window

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture(scope="session")
def blender():
    """A real Blender with the extension installed: ``devtools.window.Window``."""
    try:
        result = window.Window()
    except window.NoBlenderError as error:
        pytest.skip(f"no real Blender: {error}")
    try:
        result.install()
        yield result
    finally:
        result.close()


@pytest.fixture
def in_window(blender):
    """``in_window(NAME, [words for Blender])`` runs ``scripts/NAME.py`` in the window and returns its ``Session``."""

    def start(name: str, *words: str | Path, limit: float = 300.0) -> window.Session:
        session = blender.script(SCRIPTS / f"{name}.py", name, words, limit)
        assert session.code == 0, f"{name} ended with {session.code}\n{session.log[-6000:]}"
        assert session.picture.is_file(), f"{name} left no picture\n{session.log[-6000:]}"
        return session

    return start
