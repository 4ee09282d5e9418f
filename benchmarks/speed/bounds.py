"""What the speed has to be, checked in the run that measured it."""

from __future__ import annotations

from dataclasses import dataclass

from .equal_error import NAMES, SLOWER, Match
from .scenes import Row
from .workers import Sample, Worker

PAPER = 0.6  # of the paper's time, in rows without contact
TWIN = 1.15
ROD_PEERS = 5.0
MUJOCO = 2.0
EXPONENT = 1.05
COMPILE = 30.0  # s of CPU
START = 1.5  # s


@dataclass
class Bound:
    """One bound: ``shown`` is what was measured."""

    name: str
    wanted: str
    shown: str
    ok: bool


def most(name: str, value: float, bound: float, unit: str = "") -> Bound:
    return Bound(name, f"≤ {bound:g}{unit}", f"{value:.4g}{unit}", value <= bound)


def least(name: str, value: float, bound: float, unit: str = "×") -> Bound:
    return Bound(name, f"≥ {bound:g}{unit}", f"{value:.3g}{unit}", value >= bound)


def bounds(
    rows: list[Row], samples: dict[str, Sample], peers: list[Worker], matches: list[Match], scaling: dict, start: dict
) -> list[Bound]:
    """All bounds that this run can say something about."""
    found = []
    for row in rows:
        sample = samples.get(f"{row.table}: {row.name}")
        if sample is not None and not row.contact:
            found.append(most(f"{row.name}, of the paper's time", sample.least / row.paper, PAPER))
    for order, name in ((1, "linear"), (2, "quadratic"), (3, "cubic")):
        twin = samples.get(f"twin any {order}")
        if twin is not None:
            found.append(most(f"{name} elements, of the C++ twin's time", samples[f"solver {order}"].least / twin.least,
                              TWIN))  # fmt: skip
    for peer in peers:
        for name, sample in peer.samples.items():
            mine = samples.get(name)
            if name.startswith("rod ") and mine is not None:
                ratio = (sample.least / sample.time_step) / (mine.least / mine.time_step)
                found.append(least(f"faster than {peer.about} on {name[4:]} segments", ratio, ROD_PEERS))
        if peer.about.startswith("MuJoCo") and "pendulum" in peer.samples:
            ratio = peer.samples["pendulum"].least / samples["1: Triple pendulum"].least
            found.append(least(f"faster than {peer.about} on the triple pendulum", ratio, MUJOCO))
    for order, name in NAMES.items():
        for peer in peers:
            ratios = [match.ratio for match in matches if match.order == order and match.peer == peer.about]
            if ratios:
                found.append(least(f"faster than {peer.about} at equal error, {name}", min(ratios), SLOWER))
    for name, line in scaling.items():
        found.append(most(f"exponent of cost, {name}", line["exponent"], EXPONENT))
    found.append(most("first compile of everything, CPU", start["compile"][0], COMPILE, " s"))
    found.append(most("cached start with a first frame", start["start"][1], START, " s"))
    return found
