"""The rubric in at most five lines, for the first visit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rubrics.judging.parts import Level
from rubrics.pages.outline import MOST, OutlineLine, outline
from tests.factories import rubric_document


def test_the_outline_of_a_single_scale_lists_the_levels_with_their_own_texts() -> None:
    told = outline(rubric_document("response-quality"))
    assert [(line.range, line.title) for line in told.lines] == [
        ("1–7", "Quality"),
        ("7", "Great"),
        ("5", "Mediocre"),
        ("3", "Bad"),
        ("1", "Terrible"),
    ]
    assert told.lines[0].text.startswith("How good is this response")
    assert told.more == 0


def test_several_scales_are_told_one_a_line_with_what_they_ask() -> None:
    rubric = rubric_document("dialogue")
    told = outline(rubric)
    assert told.lines == tuple(
        OutlineLine("1–5", dimension.title, dimension.question) for dimension in rubric.dimensions
    )


@pytest.mark.parametrize(("number", "lines", "more"), [(5, 5, 0), (6, 4, 2), (9, 4, 5)])
def test_more_scales_than_lines_are_counted(number: int, lines: int, more: int) -> None:
    rubric = rubric_document("response-quality")
    many = replace(rubric, dimensions=rubric.dimensions * number)
    told = outline(many)
    assert (len(told.lines), told.more) == (lines, more)


def test_a_long_scale_shows_both_ends_and_what_is_evenly_between() -> None:
    rubric = rubric_document("response-quality")
    levels = tuple(Level(score, f"L{score}", f"Text {score}.") for score in range(1, 11))
    long = replace(rubric.dimensions[0], lowest=1, highest=10, levels=levels)
    told = outline(replace(rubric, dimensions=(long,)))
    assert [line.range for line in told.lines] == ["1–10", "10", "7", "4", "1"]
    assert len(told.lines) == MOST
