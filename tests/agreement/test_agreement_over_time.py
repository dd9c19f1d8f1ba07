"""A measure by week is a line on an even axis, with gaps where there is no figure."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tasks.agreement.charts import MOST_LABELS, MOST_VALUES, WeekChart, line
from tasks.agreement.stored import Estimate, Figure, Missing, Part, Why

BEGIN = date(2026, 3, 2)
MARKS = (0.667, 0.8)


def week(
    number: int, value: float | None = 0.7, *, low: float = 0.6, high: float = 0.8, units: int = 9
) -> Part:
    figure: Estimate = Missing(Why.ONE_CATEGORY)
    if value is not None:
        figure = Figure(value, low, high, undefined=0)
    name = str(BEGIN + timedelta(weeks=number))
    return Part(name, units, ratings=0, prevalence=[], figures={"alpha-ordinal": figure})


def drawn(*weeks: Part) -> WeekChart:
    return line(list(weeks), "alpha-ordinal", MARKS)


def places(positions: list[str]) -> list[float]:
    return [float(each.removesuffix("%")) for each in positions]


def test_weeks_are_evenly_apart_and_one_in_which_nothing_came_keeps_its_place() -> None:
    first, second, fifth = places([dot.x for dot in drawn(week(0), week(1), week(4)).dots])
    assert fifth - second == pytest.approx(3 * (second - first), abs=0.02)


def test_the_line_has_a_gap_where_there_is_no_figure() -> None:
    chart = drawn(week(0), week(1), week(2, None), week(3), week(4), week(6))
    dots = chart.dots
    assert len(dots) == 5
    assert chart.between == [(dots[0], dots[1]), (dots[2], dots[3])]


def test_a_dot_has_its_interval_and_a_figure_below_the_axis_stands_at_its_edge() -> None:
    bottom, _half, _mark, _other, top = places([height for height, _ in drawn(week(0)).grid])
    plain, below = drawn(week(0), week(1, -0.2, low=-0.4, high=0.1)).dots
    low, value, high = places([plain.low, plain.y, plain.high])
    assert bottom > low > value > high > top  # heights go downwards
    assert (value - top) / (bottom - top) == pytest.approx(0.3, abs=0.001)
    assert (below.is_below, below.words) == (True, "−0.20")
    assert places([below.y, below.low]) == [bottom, bottom]


def test_every_week_is_labelled_with_its_number_while_there_is_room() -> None:
    labels = drawn(week(0), week(1, None, units=1), week(3, units=1_200)).labels
    assert [(label.week, label.units) for label in labels] == [
        ("2 Mar", "9"),
        ("9 Mar", "1"),
        ("16 Mar", "0"),
        ("23 Mar", "1,200"),
    ]


@pytest.mark.parametrize("count", [7, 30, 104])
def test_of_many_weeks_some_are_labelled_and_the_last_figure_is_written(count: int) -> None:
    chart = drawn(*map(week, range(count)))
    assert len(chart.dots) == count
    assert MOST_LABELS / 2 < len(chart.labels) <= MOST_LABELS
    written = [dot.words for dot in chart.dots if dot.words]
    assert written == (["0.70"] * count if count <= MOST_VALUES else ["0.70"])


def test_a_project_without_ratings_has_an_empty_chart() -> None:
    chart = drawn()
    assert (chart.dots, chart.between, chart.labels) == ([], [], [])


def test_shares_have_no_marks_on_the_axis() -> None:
    assert [mark for _, mark in line([week(0)], "alpha-ordinal", ()).grid] == ["0", ".5", "1"]
    assert [mark for _, mark in drawn(week(0)).grid] == ["0", ".5", ".667", ".8", "1"]
