"""A dimension says which end of its scale is good: high, low, neither, or that it has classes."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils.translation import override

from rubrics.documents.document import dump
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging import schema
from rubrics.judging.rules import judge_item
from rubrics.judging.verdict import TargetState, Verdict
from rubrics.pages.fact_effects import consequence
from rubrics.pages.outline import outline
from rubrics.pages.rule_groups import rule_groups
from tasks.rating_form import verdict_words
from tasks.rating_form.fields import Target
from tasks.rating_form.headlines import headline_of
from tests.made_rubrics import rule, tick
from tests.number_rubrics import rubric_of, scale

SEVERE = tick("severe", wording="Severe error")
LOOPS = tick("loops", wording="Loops")


def errors(better: str, *rules: dict[str, Any]) -> schema.Rubric:
    """A scale of errors from 0 to 3, with its rules."""
    content = scale(0, 3, "errors", at_0="None", at_1="Minor", at_3="Critical")
    return rubric_of(content | {"better": better, "checks": [SEVERE, LOOPS], "rules": [*rules]})


RANK = rule("rank", "rank_below", {"all_of": ["severe"]})
FLOOR = rule("floor", "floor", {"all_of": ["severe"]}, score=2)
CAP = rule("cap", "cap", {"all_of": ["loops"]}, score=1)
FORCE = rule("force", "force", {"all_of": ["loops"]}, score=3)


# --- the document ---


def test_high_is_the_default_and_is_not_dumped() -> None:
    assert "better" not in dump(errors("high"))["dimensions"][0]
    assert dump(errors("low"))["dimensions"][0]["better"] == "low"


@pytest.mark.parametrize(
    ("better", "refused", "says"),
    [
        ("neither", RANK, "rank_below needs a good end, and errors is better: neither"),
        ("none", RANK, "rank_below needs a good end, and errors is better: none"),
        ("none", CAP, "cap needs an order, and errors is better: none, that is, has classes"),
        ("none", FLOOR, "floor needs an order, and errors is better: none, that is, has classes"),
    ],
)
def test_a_rule_that_needs_an_order_or_a_good_end_is_refused_without_one(
    better: str, refused: dict[str, Any], says: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        errors(better, refused)
    (fault,) = caught.value.faults
    assert fault.startswith(f"dimensions.errors.rules.{refused['code']}.effect: {says}; ")


def test_classes_are_at_most_as_many_as_there_are_buttons() -> None:
    assert rubric_of(scale(0, 10) | {"better": "none"})
    with pytest.raises(DocumentError) as caught:
        rubric_of(scale(0, 11) | {"better": "none"})
    assert caught.value.faults == (
        "dimensions.scale.better: none, with 12 scores; classes are buttons, 11 at most",
    )


@pytest.mark.parametrize("better", ["high", "low", "neither"])
def test_an_order_has_caps_and_floors(better: str) -> None:
    assert errors(better, CAP, FLOOR | {"score": 1}).dimensions[0].rules


# --- the low end is the good one ---


def test_a_response_ranked_below_scores_higher_where_low_is_better() -> None:
    (dimension,) = errors("low", RANK).dimensions
    item = judge_item(
        dimension, [TargetState("r1", frozenset({"severe"}), 1), TargetState("r2", frozenset(), 1)]
    )
    (pair,) = item.out_of_order
    assert (pair.lower, pair.higher) == ("r1", "r2")
    lower, higher = item.of("r1"), item.of("r2")
    assert isinstance(lower, Verdict)
    assert isinstance(higher, Verdict)
    assert (lower.open, higher.open) == ((2, 3), (0, 1, 2, 3))


def test_a_target_that_is_forced_to_the_highest_score_is_above_no_other_where_low_is_better() -> (
    None
):
    (dimension,) = errors("low", RANK, FORCE).dimensions
    item = judge_item(
        dimension,
        [TargetState("r1", frozenset({"severe"})), TargetState("r2", frozenset({"loops"}))],
    )
    verdict = item.of("r1")
    assert isinstance(verdict, Verdict)
    assert verdict.open == (0, 1, 2, 3)


def test_the_proof_says_on_which_side_no_score_is_open() -> None:
    with pytest.raises(DocumentError) as caught:
        errors(
            "low",
            RANK,
            rule("floor", "floor", {"none_of": ["severe"]}, score=2),
            rule("cap", "cap", {"all_of": ["severe"]}, score=2),
        )
    (fault,) = caught.value.faults
    assert (
        'with "severe" no score above 2 is open, and beside it with no fact asserted none below 2'
        in fault
    )


def test_a_check_that_keeps_a_score_from_the_good_end_is_a_fault() -> None:
    (high,) = errors("high", CAP, FLOOR | {"score": 1}).dimensions
    (low,) = errors("low", CAP, FLOOR | {"score": 1}).dimensions
    (neither,) = errors("neither", CAP, FLOOR | {"score": 1}).dimensions
    assert (high.faults, low.faults, neither.faults) == ({"loops"}, {"severe"}, frozenset())


def test_the_words_say_higher_and_above_where_low_is_better() -> None:
    rubric = errors("low", RANK)
    (dimension,) = rubric.dimensions
    said = [TargetState("r1", frozenset({"severe"}), 1), TargetState("r2", frozenset(), 1)]
    item = judge_item(dimension, said)
    reason = item.out_of_order[0].reason
    verdict = item.of("r1")
    assert isinstance(verdict, Verdict)
    target = Target("r1")
    with override("en"):
        [entry] = rule_groups(dimension, rubric, "d")
        [shown] = entry.rules_in_words
        assert "must score higher than every response without it" in shown.sentence
        assert consequence(dimension, "severe") == "scores above the others"
        (line,) = headline_of(verdict, dimension, target).limits
        assert line.short_text == "Above B, which has a 1."
        assert verdict_words.out_of_order("A", ["B"], reason, is_low=True).startswith(
            "A must score higher than B."
        )
        free = judge_item(dimension, [said[0], TargetState("r2", frozenset())]).of("r1")
        assert isinstance(free, Verdict)
        assert headline_of(free, dimension, target).limits[0].short_text == "Above B."


def test_an_outline_begins_with_the_best_level() -> None:
    for better, first in (("high", "Critical"), ("low", "None")):
        assert outline(errors(better)).lines[1].title == first


@pytest.mark.parametrize(("better", "score"), [("high", 3), ("low", 0)])
def test_a_forced_score_warns_unless_it_is_the_best(better: str, score: int) -> None:
    tones = []
    for forced in (score, 1):
        force = rule("forces", "force", {"all_of": ["severe"]}, score=forced)
        (dimension,) = errors(better, force).dimensions
        verdict = judge_item(dimension, [TargetState("r1", frozenset({"severe"}))]).of("r1")
        tones.append(headline_of(verdict, dimension, Target("r1")).tone)
    assert tones == ["open", "forced"]
