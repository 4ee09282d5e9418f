"""`docs/benchmarks.md` and its plots, from what was measured."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

from tendril.solver.joints.types import JOINT_TYPES

from .bounds import Bound
from .equal_error import NAMES, Match
from .scenes import Row
from .workers import Sample, Worker

INTRODUCTION = """# Benchmarks

`python3 dev.py bench` measures all of this in one run and writes this page. Times are CPU time of one thread, the
least of {repeats} blocks of about 30 ms (the median is beside it); the blocks of everything compared take turns, also
across programs, because no machine is quiet. Ratios count; the times are of the machine of this run: {machine}.

The figures of the paper (*Orientation in Extended Position-Based Dynamics*, Tables 1 and 2) are of an AMD Ryzen 9
7900X, whose clock is higher. Rows that have contact there are elastic only here, and say so.
"""


ROBOT = (
    ""
    if "planar" in JOINT_TYPES
    else "The robot is moved by its three sliders, not by height and normal of its platform: no joint does that.\n"
)


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(" --- " if k == 0 else " ---: " for k in range(len(head)))
             + "|"]  # fmt: skip
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def micro(seconds: float) -> str:
    return f"{seconds * 1e6:.3g}"


def paper_table(rows: list[Row], samples: dict[str, Sample]) -> str:
    lines = []
    for row in rows:
        sample = samples.get(f"{row.table}: {row.name}")
        if sample is None:
            continue
        element = f"{sample.least / row.elements * 1e9:.0f}" if row.elements else ""
        mark = " ¹" if row.contact else ""
        lines.append([row.table, row.name + mark, micro(sample.least), micro(sample.median), element,
                      micro(row.paper), f"{sample.least / row.paper:.2f}"])  # fmt: skip
    head = ["Table", "Row", "µs a step", "median", "ns an element", "paper, µs", "ratio"]
    return table(head, lines) + "\n¹ without its contact, which is not there yet.\n" + ROBOT


def twin_table(samples: dict[str, Sample], elements: int) -> str:
    lines = []
    for order, name in ((1, "linear"), (2, "quadratic"), (3, "cubic")):
        ours = samples[f"solver {order}"].least
        row = [name, f"{ours / elements * 1e9:.0f}"]
        for kind in ("any", "fixed"):
            twin = samples.get(f"twin {kind} {order}")
            row += [f"{twin.least / elements * 1e9:.0f}", f"{ours / twin.least:.2f}"] if twin else ["", ""]
        lines.append(row)
    return table(["Element", "Tendril", "C++", "ratio", "C++, order known", "ratio"], lines)


def peer_tables(ours: dict[str, Sample], peers: list[Worker]) -> str:
    pendulum = ours["1: Triple pendulum"]
    lines = [["Tendril", micro(pendulum.least), micro(pendulum.median), "1", "all six coordinates of each body"]]
    for peer in peers:
        sample = peer.samples.get("pendulum")
        if sample:
            lines.append([peer.about, micro(sample.least), micro(sample.median), f"{sample.least / pendulum.least:.2f}",
                          sample.remark])  # fmt: skip
    text = "### Triple pendulum, steps of 1 ms\n\n" + table(["", "µs a step", "median", "× ours", ""], lines)
    lines = []
    for name, mine in ours.items():
        if not name.startswith("rod "):
            continue
        second = mine.least / mine.time_step
        lines.append([f"Tendril, {name[4:]} linear", micro(mine.least), f"{mine.least / mine.nodes * 1e9:.0f}",
                      f"{second * 1e3:.3g}", "1", place(mine)])  # fmt: skip
        for peer in peers:
            sample = peer.samples.get(name)
            if sample:
                theirs = sample.least / sample.time_step
                lines.append([f"{peer.about}, {name[4:]}: {sample.remark}", micro(sample.least),
                              f"{sample.least / sample.nodes * 1e9:.0f}", f"{theirs * 1e3:.3g}",
                              f"{theirs / second:.2f}", place(sample)])  # fmt: skip
    text += (
        "\n### A cantilever let go (section 9.2), steps of 2 ms\n\n"
        "The tip after 0.2 s shows that all simulate the same rod; one without stretch and shear (MuJoCo, pyPBD)\n"
        "cannot end at the same place, and pyPBD gives its last segment's centre.\n\n"
    )
    return text + table(["", "µs a step", "ns a node", "ms a simulated s", "× ours", "tip after 0.2 s, m"], lines)


def error_table(found: list[Match]) -> str:
    lines = [
        [f"{m.peer}, {m.segments}", f"{m.error * 1e3:.2f}", f"{m.elements} {NAMES[m.order]}", f"{m.ratio:.0f}"]
        for m in found
    ]
    text = (
        "### The cantilever at rest, at equal error of the tip\n\n"
        "The error is against the exact rod of the same kind (with stretch and shear or without), clamped where the\n"
        "program really clamps it: half a segment in for the peers, which hold their first segment whole. MuJoCo's\n"
        "edges are soft constraints that stretch, probably most of its error, and PyElastica stays 0.2 to 0.4 mm off\n"
        "for a reason that was not looked for: only the rows of pyPBD clearly compare discretisations. × ours: CPU\n"
        "time for a simulated second.\n\n"
    )
    return text + table(["", "error, mm", "ours that is at least as near", "× ours"], lines)


def place(sample: Sample) -> str:
    return ", ".join(f"{value:.4f}" for value in sample.tip) if sample.tip else ""


def bound_table(bounds: list[Bound]) -> str:
    return table(["Bound", "Wanted", "Measured", ""], [[b.name, b.wanted, b.shown, "ok" if b.ok else "**missed**"]
                                                      for b in bounds])  # fmt: skip


def plot(path: Path, rows: list[Row], samples: dict[str, Sample], scaling: dict) -> None:
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 6), layout="constrained")
    shown = [row for row in rows if f"{row.table}: {row.name}" in samples]
    ratios = [samples[f"{row.table}: {row.name}"].least / row.paper for row in shown]
    colours = ["#9ecae1" if row.contact else "#3182bd" for row in shown]
    left.barh([row.name + (" (no contact)" if row.contact else "") for row in shown], ratios, color=colours)
    left.axvline(1.0, color="black", linewidth=1)
    left.axvline(0.6, color="black", linewidth=1, linestyle="--")
    left.invert_yaxis()
    left.set_xlabel("time a step, in units of the paper's")
    for name, line in scaling.items():
        right.loglog(line["counts"], line["times"], marker="o", label=f"{name}: exponent {line['exponent']:.3f}")
    right.set_xlabel("elements, or rods")
    right.set_ylabel("CPU seconds a step")
    right.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
