"""Sentences in a panel: Blender's labels do not wrap by themselves."""

from __future__ import annotations

import textwrap

LETTER = 6.5  # pixels, on the average, at an interface scale of 1
MARGIN = 60


def sentence(context, layout, text: str, icon: str = "NONE") -> None:
    """Draw ``text`` over as many lines as the region's width asks for."""
    scale = context.preferences.system.ui_scale
    width = context.region.width if context.region else 300
    letters = max(int((width / scale - MARGIN) / LETTER), 20)
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(textwrap.wrap(text, letters)):
        if icon == "NONE":
            column.label(text=line)
        else:
            column.label(text=line, icon=icon if number == 0 else "BLANK1")
