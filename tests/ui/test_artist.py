"""An artist's whole way through the window, with pointer and keyboard."""

from __future__ import annotations

import re


def longest_gap(log: str, phase: str) -> float:
    """Seconds of the longest time in which the window did nothing."""
    return float(re.search(rf"pulse {phase}: .*longest gap ([\d.]+) s", log)[1])


def test_artist_bakes(in_window):
    log = in_window("artist", limit=600.0).log
    print("\n".join(line for line in log.splitlines() if "pulse" in line))
    assert "Traceback" not in log
    for line in (
        "tagged Head RIGID_BODY",
        "tagged Rope ROD",
        "tagged Hook JOINT",
        "radius from bevel True",
        "elements 16",
        "substeps 40",
        "problems [('Head', 'Its mesh is not closed",
        "('Hook', 'It has no partners",
        "selected Head",
        "selected Hook",
        "mended True",
        "compiles at first use True",
        "stopped CANCELLED True True",
        "keys kept True",
        "one undo True",
        "redo ",
        "finished FINISHED 48",
        "cleared True",
        "clear undone",
    ):
        assert line in log, f"{line!r} is missing\n{log[-4000:]}"
    for phase in ("compiling", "solving", "writing", "again"):  # on a busy machine too; a frozen window takes more
        assert longest_gap(log, phase) < 3.0, phase
