"""The studies of `python3 dev.py validate`: each module here is one, but for those whose name begins with `_`.

A study is a module with

    TITLE = "Fig. 3: linearity of constraints"   its heading on the page
    SECTION = "Joints"                           which part of the page, one of SECTIONS
    PLACE = 10                                   its place there, by number

    def study(output: Output) -> Result: ...

and a docstring whose text introduces it on the page. `benchmarks/validation_result.py` has the rest:

    rows = [Row("tip", ours, "mm", paper=None, reference=exact, source="elastica, scipy", bound=within(1e-3))]
    output.series("path", {"time (s)": t, "tip (m)": z})           → NAME-path.csv
    with output.plot("path", "The tip over time") as axes: ...    → NAME-path.png, shown on the page
    return Result(rows, notes=["…"])
"""

import sys
from pathlib import Path

SECTIONS = ("Joints", "Rods", "Dynamics", "Whole mechanisms")

# References and helpers that tests use as well: `planar_rod`, `cosserat_rod`, `resting`, `equilibrium` …
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))
