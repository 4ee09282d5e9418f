"""The bounds of `dev.py validate`: a missed one is seen, whatever the figure is."""

import csv
import math

import pytest

from tendril.benchmarks.validation_result import Output, Row, at_least, at_most, near, number, within


@pytest.mark.parametrize(
    ("bound", "ours", "reference", "kept"),
    [
        (within(0.01), 1.009, 1.0, True),
        (within(0.01), 1.011, 1.0, False),
        (within(0.01), -1.009, -1.0, True),
        (near(0.2), 3.9, 4.0, True),
        (near(0.2), 3.7, 4.0, False),
        (at_most(1.0), 1.0, None, True),
        (at_most(1.0), math.nan, None, False),
        (at_least(1.0), 0.5, None, False),
        (within(0.01), math.nan, 1.0, False),
    ],
)
def test_bound(bound, ours, reference, kept):
    assert Row("x", ours, reference=reference, bound=bound).ok is kept


def test_words_keep_no_bound():
    assert not Row("x", "blew up", bound=at_most(1.0)).ok
    assert Row("x", "blew up").ok


def test_a_relative_bound_needs_a_reference():
    with pytest.raises(ValueError, match="reference"):
        _ = Row("x", 1.0, bound=within(0.1)).ok


def test_numbers_a_page_can_show():
    assert number(0.000123456) == "0.0001235"
    assert number(math.inf) == "∞"
    assert number(None) == ""
    assert Row("x", math.nan).plain()["ours"] == "not a number"


def test_a_long_series_keeps_its_ends(tmp_path):
    output = Output(tmp_path, "study")
    output.series("path", {"t": range(10001), "x": range(10001)})
    rows = list(csv.reader((tmp_path / "study-path.csv").open()))
    assert rows[0] == ["t", "x"] and rows[1] == ["0", "0"] and rows[-1] == ["10000", "10000"]
    assert len(rows) < 610
    with pytest.raises(ValueError, match="length"):
        output.series("odd", {"t": [1], "x": [1, 2]})
