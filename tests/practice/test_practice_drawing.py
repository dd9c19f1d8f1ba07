"""How a round is drawn from a rubric's examples, and when an answer is right."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, strategies as st

from rubrics.documents.shipped import SLUGS, shipped
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from rubrics.judging.parts import Needs
from rubrics.judging.practice_rounds import AUTOMATIC, draw_round, examples_of, rubric_of_dimension
from rubrics.judging.rules import judge
from rubrics.judging.verdict import Verdict
from tasks.practice.comparison import Comparison

QUALITY, DIALOGUE = (shipped(slug) for slug in SLUGS)
seeds = st.text(max_size=8)


def counted(names: list[str], part: slice) -> Counter[tuple[str, ...]]:
    return Counter(tuple(name.split(".")[part]) for name in names)


@pytest.mark.parametrize("slug", SLUGS)
def test_an_example_can_be_used_if_it_has_a_text_and_its_score_is_open(slug: str) -> None:
    rubric = shipped(slug)
    found = examples_of(rubric)
    for dimension in rubric.dimensions:
        for level in dimension.levels:
            for place, example in enumerate(level.examples, start=1):
                name = f"{dimension.code}.{level.score}.{place}"
                verdict = judge(dimension, example.checks)
                is_open = isinstance(verdict, Verdict) and example.score in verdict.open
                has_text = any((example.response or "", *example.candidates))
                assert (name in found) == (is_open and has_text)


def test_an_example_without_a_text_or_with_a_barred_score_cannot_be_used() -> None:
    [dimension] = QUALITY.dimensions
    level = dimension.levels[0]
    bad = (
        replace(level.examples[0], response="  "),
        replace(level.examples[0], checks=("language_error",)),
    )
    levels = (replace(level, examples=(*bad, level.examples[1])), *dimension.levels[1:])
    found = examples_of(replace(QUALITY, dimensions=(replace(dimension, levels=levels),)))
    names = [name for name in found if name.startswith(f"quality.{level.score}.")]
    assert names == [f"quality.{level.score}.3"]


@given(seeds, st.integers(4, 20))
def test_a_round_has_two_automatic_scores_and_every_level_before_one_twice(
    seed: str, number: int
) -> None:
    names = draw_round(QUALITY, number, [], seed)
    assert len(names) == len(set(names)) == number
    found = examples_of(QUALITY)
    assert sum(found[name].is_automatic for name in names) >= AUTOMATIC
    levels = counted(names, slice(0, 2))
    if number >= 9:  # the two automatic scores may be of one level
        assert len(levels) == 7
    assert draw_round(QUALITY, number, [], seed) == names


@given(seeds)
def test_dimensions_come_in_turn(seed: str) -> None:
    names = draw_round(DIALOGUE, 8, [], seed)
    dimensions = counted(names, slice(0, 1))
    assert len(dimensions) == len(DIALOGUE.dimensions)
    assert max(dimensions.values()) - min(dimensions.values()) <= AUTOMATIC


@given(seeds)
def test_used_examples_are_drawn_last(seed: str) -> None:
    rounds: list[list[str]] = []
    for number in range(3):
        rounds.append(draw_round(QUALITY, 8, rounds, f"{seed}/{number}"))
    assert len({name for names in rounds for name in names}) == 24
    everything = draw_round(QUALITY, 20, [[*examples_of(QUALITY)]], seed)
    assert len(set(everything)) == 20


def test_a_rubric_with_few_examples_has_those() -> None:
    [dimension] = QUALITY.dimensions
    few = replace(dimension, levels=dimension.levels[:1])
    rubric = replace(QUALITY, dimensions=(few,))
    assert set(draw_round(rubric, 20, [], "x")) == set(examples_of(rubric))


@pytest.mark.parametrize("slug", SLUGS)
def test_only_the_row_of_the_dimension_is_asked_whatever_it_needs(slug: str) -> None:
    for dimension in shipped(slug).dimensions:
        [found] = rubric_of_dimension(shipped(slug), dimension.code).dimensions
        assert found.code == dimension.code
        assert (found.needs, found.aids) == (Needs(), ())
        assert not [check for check in found.checks if check.marks_persona]
        assert found.rules == dimension.rules


# --- right, near, wrong ---


def compared(dimension: Dimension, here: int | None, there: int) -> Comparison:
    row = SimpleNamespace(dimension=dimension, without="")
    own, its = (cast(Any, SimpleNamespace(**vars(row), score=score)) for score in (here, there))
    named = cast(Any, SimpleNamespace(dimension=dimension))
    return Comparison(named, own, its, (), ())


@pytest.mark.parametrize(
    ("low", "high", "here", "there", "exact", "near"),
    [
        (1, 7, 4, 4, True, True),
        (1, 7, 5, 4, False, True),
        (1, 7, 6, 4, False, False),
        (1, 11, 9, 11, False, False),  # eleven levels: within one
        (0, 100, 60, 70, False, True),  # more: within a tenth of the scale
        (0, 100, 59, 70, False, False),
        (1, 7, None, 4, False, False),
    ],
)
def test_near_is_within_one_or_within_a_tenth_of_a_long_scale(
    low: int, high: int, here: int | None, there: int, exact: bool, near: bool
) -> None:
    dimension = replace(QUALITY.dimensions[0], lowest=low, highest=high)
    found = compared(dimension, here, there)
    assert (found.is_exact, found.is_close) == (exact, near)


def test_classes_are_near_only_if_they_are_equal() -> None:
    dimension = replace(QUALITY.dimensions[0], better=Better.NONE)
    assert not compared(dimension, 4, 5).is_close
    assert compared(dimension, 5, 5).is_close
    assert compared(dimension, 4, 5).difference is None


@pytest.mark.parametrize(
    ("here", "says", "distance"),
    [
        (4, "It is a 4, as you said.", ""),
        (6, "It is a 4. You gave 6.", "2 too high"),
        (3, "It is a 4. You gave 3.", "1 too low"),
    ],
)
def test_the_outcome_is_one_sentence(here: int, says: str, distance: str) -> None:
    found = compared(QUALITY.dimensions[0], here, 4)
    assert (found.headline, found.distance) == (says, distance)
