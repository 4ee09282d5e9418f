"""The row of presets and its menu in the window."""

from __future__ import annotations

import re


def test_presets(in_window):
    log = in_window("presets", limit=300.0).log
    assert "Traceback" not in log
    for line in ("picked RIGID_BODY True", "picked JOINT True", "picked ROD True", "saved My Preset", "removed True"):
        assert line in log, log[-4000:]
    before, after = re.search(r"undone (\S+) (\S+)", log).groups()
    assert float(before) != 1000.0 and float(after) == 1000.0
