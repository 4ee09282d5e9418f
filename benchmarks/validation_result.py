"""What a study of `dev.py validate` hands back, and how it writes its series and plots."""

from __future__ import annotations

import contextlib
import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Figure = float | int | str | None
LARGEST_PICTURE = 80_000  # bytes
LONGEST_SERIES = 600  # rows of a kept series; more tells a reader nothing


@dataclass(frozen=True)
class Bound:
    """What a figure has to keep to: ``lowest`` ≤ figure ≤ ``highest``, or ``share`` of the reference away from it."""

    lowest: float = -math.inf
    highest: float = math.inf
    share: float | None = None
    distance: float | None = None

    def __str__(self) -> str:
        if self.share is not None:
            return f"within {number(100 * self.share)} %"
        if self.distance is not None:
            return f"within ±{number(self.distance)}"
        if math.isinf(self.lowest):
            return f"≤ {number(self.highest)}"
        if math.isinf(self.highest):
            return f"≥ {number(self.lowest)}"
        return f"{number(self.lowest)} … {number(self.highest)}"

    def kept(self, ours: float, reference: float | None) -> bool:
        """Whether ``ours`` keeps to it; what is not a number never does."""
        if self.share is not None or self.distance is not None:
            if reference is None:
                raise ValueError("a bound relative to a reference needs one")
            reach = self.distance if self.distance is not None else self.share * abs(reference)
            return bool(abs(ours - reference) <= reach)
        return bool(self.lowest <= ours <= self.highest)


def within(share: float) -> Bound:
    """At most ``share`` of the reference away from it: 0.001 is 0.1 %."""
    return Bound(share=share)


def near(distance: float) -> Bound:
    """At most ``distance`` away from the reference, in the unit of the row."""
    return Bound(distance=distance)


def at_most(highest: float) -> Bound:
    return Bound(highest=highest)


def at_least(lowest: float) -> Bound:
    return Bound(lowest=lowest)


@dataclass(frozen=True)
class Row:
    """One line of a study's table. ``paper`` may be a number or words; ``source`` says where the reference is from.

    Without a ``bound`` the row only informs: a baseline, a timing, what others measured.
    """

    quantity: str
    ours: Figure
    unit: str = ""
    paper: Figure = None
    reference: float | None = None
    source: str = ""
    bound: Bound | None = None

    @property
    def ok(self) -> bool:
        if self.bound is None:
            return True
        return isinstance(self.ours, (int, float)) and self.bound.kept(float(self.ours), self.reference)

    def plain(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {
            "quantity": self.quantity,
            "unit": self.unit,
            "paper": _finite(self.paper),
            "ours": _finite(self.ours),
            "reference": _finite(self.reference),
            "source": self.source,
            "bound": None if self.bound is None else str(self.bound),
            "ok": self.ok,
        }


@dataclass(frozen=True)
class Result:
    """A study's table and what is to be said about it, one paragraph a note (Markdown)."""

    rows: Sequence[Row]
    notes: Sequence[str] = ()


@dataclass
class Output:
    """Where a study puts its series and plots: ``folder``/``name``-…"""

    folder: Path
    name: str
    plots: list[dict[str, str]] = field(default_factory=list)
    series_files: list[str] = field(default_factory=list)

    def series(self, key: str, columns: Mapping[str, Sequence[float] | np.ndarray]) -> None:
        """Write columns of equal length as CSV; of a long series every n-th row is kept, and the last."""
        file = self.folder / f"{self.name}-{key}.csv"
        data = [list(column) for column in columns.values()]
        count = len(data[0])
        if any(len(column) != count for column in data):
            raise ValueError(f"{file.name}: columns of different length")
        stride = max(1, math.ceil(count / LONGEST_SERIES))
        kept = list(range(0, count, stride))
        if kept and kept[-1] != count - 1:
            kept.append(count - 1)
        with file.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(columns.keys())
            for i in kept:
                writer.writerow([number(column[i], 7) for column in data])
        self.series_files.append(file.name)

    @contextlib.contextmanager
    def plot(self, key: str, caption: str, size: tuple[float, float] = (7.0, 3.2), panels: int = 1) -> Iterator[Any]:
        """Give axes (a list of them where ``panels`` > 1) and save the figure as a small PNG when the block ends."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        style = {"font.size": 8.5, "axes.grid": True, "grid.alpha": 0.3, "legend.fontsize": 7.5, "lines.linewidth": 1.2}
        with pyplot.rc_context(style):
            figure, axes = pyplot.subplots(1, panels, figsize=size, layout="constrained")
            yield axes
            file = self.folder / f"{self.name}-{key}.png"
            figure.savefig(file, dpi=100, metadata={"Software": None})
            pyplot.close(figure)
        _shrink(file)
        self.plots.append({"file": file.name, "caption": caption})

    def keep(self, title: str, section: str, place: int, text: str, result: Result, seconds: float) -> Path:
        """Write ``name``.json, of which the page is made."""
        content = {
            "title": title,
            "section": section,
            "place": place,
            "text": text,
            "rows": [row.plain() for row in result.rows],
            "notes": list(result.notes),
            "plots": self.plots,
            "series": self.series_files,
            "seconds": round(seconds, 1),
        }
        file = self.folder / f"{self.name}.json"
        file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return file


def number(value: Figure, digits: int = 4) -> str:
    """A figure as a reader wants it: ``digits`` significant ones."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    value = float(value)
    if not math.isfinite(value):
        return "∞" if value > 0 else ("−∞" if value < 0 else "not a number")
    return f"{value:.{digits}g}"


def _finite(value: Any) -> Figure:
    if value is None or isinstance(value, str):
        return value
    value = float(value)
    return value if math.isfinite(value) else number(value)


def _shrink(file: Path) -> None:
    """Keep a palette of colours instead of all: a third of the size, and no difference in a plot."""
    from PIL import Image

    with Image.open(file) as picture:
        small = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    small.save(file, optimize=True)
    if file.stat().st_size > LARGEST_PICTURE:
        raise ValueError(f"{file.name} has {file.stat().st_size} bytes; {LARGEST_PICTURE} are allowed")
