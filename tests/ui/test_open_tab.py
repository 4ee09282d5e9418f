"""The first thing a user sees."""

from __future__ import annotations


def test_sidebar_has_a_tab(in_window):
    session = in_window("open_tab")
    assert "enabled True" in session.log
    assert "tab Tendril" in session.log
    assert "window True" in session.log
    assert "Traceback" not in session.log
