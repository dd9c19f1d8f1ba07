"""Every example of both rubrics is judged: its checks can hold together, its score is open, and
they tell it apart from the other described levels."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from rubrics.documents.shipped import SLUGS, shipped
from rubrics.judging.detectors import is_empty, same_as_query
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Detector, Unit
from rubrics.judging.parts import Example, Level
from rubrics.judging.repetition import repeats
from rubrics.judging.rules import judge
from rubrics.judging.verdict import Verdict
from rubrics.pages.rubric_page import example_answers


def dimensions() -> Iterator[Dimension]:
    for slug in SLUGS:
        yield from shipped(slug).dimensions


def examples() -> Iterator[tuple[Dimension, Level, Example]]:
    for dimension in dimensions():
        for level in dimension.levels:
            for example in level.examples:
                yield dimension, level, example


def test_every_example_stands_at_its_own_level() -> None:
    for _, level, example in examples():
        assert example.score == level.score


# How many examples a described level and one between have: one practises on those of the first.
AT_LEVELS = {"response-quality": (range(3, 7), range(3, 6)), "dialogue": (range(2, 6), range(1, 2))}


@pytest.mark.parametrize("slug", SLUGS)
def test_every_level_has_a_few_examples(slug: str) -> None:
    described, between = AT_LEVELS[slug]
    for dimension in shipped(slug).dimensions:
        for level in dimension.levels:
            allowed = between if level.between else described
            assert len(level.examples) in allowed, f"{dimension.code} {level.score}"


def test_every_example_can_be_given_its_score() -> None:
    for dimension, level, example in examples():
        verdict = judge(dimension, example.checks)
        assert isinstance(verdict, Verdict), f"{dimension.code} {level.score}: {verdict}"
        assert example.score in verdict.open, f"{dimension.code} {level.score}: {example.why}"


def test_the_checks_of_an_example_tell_its_level_from_every_other_described_one() -> None:
    """Barred, or open with a remark: an example that would stand as well at another described level
    teaches nothing."""
    for dimension, level, example in examples():
        if level.between:
            continue
        verdict = judge(dimension, example.checks)
        assert isinstance(verdict, Verdict)
        assert not verdict.remarks_on(example.score)
        for other in dimension.levels:
            if not other.between and other.score in verdict.open and other.score != example.score:
                assert verdict.remarks_on(other.score), (
                    f"{dimension.code} {level.score}, also {other.score}"
                )


def test_no_check_of_an_example_is_idle_or_forgotten_by_the_detectors() -> None:
    """What the program would ask about is ticked, and nothing is ticked that it knows to be
    otherwise."""
    seen = {
        Detector.EMPTY: lambda example: is_empty(example.response),
        Detector.REPEATS: lambda example: repeats(example.response) is not None,
        Detector.SAME_AS_QUERY: lambda example: same_as_query(
            example.response, example.history[-1].text
        ),
    }
    for dimension, _, example in examples():
        if dimension.unit is Unit.RESPONSE:
            for check in dimension.checks:
                if check.detector:
                    assert seen[check.detector](example) == (check.code in example.checks), (
                        example.response
                    )


def test_every_example_has_what_its_dimension_needs() -> None:
    for dimension, _, example in examples():
        assert bool(example.persona) == dimension.needs.persona
        assert example.history
        assert len(example.candidates) >= dimension.needs.candidates
        assert bool(example.elsewhere) == bool(dimension.needs.other_histories)


def test_no_two_examples_are_the_same() -> None:
    shown = [
        (dimension.code, example.response, example.candidates, example.persona, example.history)
        for dimension, _, example in examples()
    ]
    assert len(set(shown)) == len(shown)


# --- practice ---


def practised() -> Iterator[tuple[Example, Verdict]]:
    """Each example of response quality with the verdict on it."""
    dimension = shipped("response-quality").dimension("quality")
    for level in dimension.levels:
        for example in level.examples:
            verdict = judge(dimension, example.checks)
            assert isinstance(verdict, Verdict)
            yield example, verdict


def test_response_quality_can_be_practised() -> None:
    """Eight examples at a time, two of which have an automatic score."""
    usable = [
        (example, verdict)
        for example, verdict in practised()
        if example.response and not is_empty(example.response) and example.score in verdict.open
    ]
    assert len(usable) >= 24
    assert usable == list(practised())
    forced = [example.score for example, verdict in usable if verdict.forced is not None]
    assert len(forced) >= 6
    assert set(forced) == {1, 3}


def test_an_example_whose_score_no_rule_sets_has_an_answer_to_every_question() -> None:
    dimension = shipped("response-quality").dimension("quality")
    for example, verdict in practised():
        if verdict.forced is None:
            answers = example_answers(example, dimension, dimension.checks)
            answered = [check for check, answer, _is_good in answers if answer]
            assert answered == [check for check, _ in dimension.required_checks], example.response


def test_every_clause_with_a_rule_acts_on_an_example() -> None:
    """As the reason of a bar or of a remark. RQ-04 and the order of RQ-11 are between responses;
    an empty response (RQ-06) shows nothing."""
    rules = shipped("response-quality").dimension("quality").rules
    acting = {
        reason.clause
        for _, verdict in practised()
        for reason in (
            *(reason for bar in verdict.barred for reason in bar.reasons),
            *(remark.reason for remark in verdict.remarks),
        )
    }
    assert {rule.clause for rule in rules} - acting == {"RQ-04", "RQ-06"}


def test_why_a_level_between_says_between_which() -> None:
    """All but the first, which is as short as the desk needs it."""
    for level in shipped("response-quality").dimension("quality").levels:
        for example in level.examples[1:] if level.between else ():
            for neighbour in (level.score - 1, level.score + 1):
                assert re.search(rf"\ba {neighbour}\b", example.why), example.why


# --- wordings ---


@pytest.mark.parametrize("slug", SLUGS)
def test_wordings_are_short_enough_for_a_button_and_told_apart(slug: str) -> None:
    for dimension in shipped(slug).dimensions:
        for check in dimension.checks:
            assert len(check.wording.split()) <= 5
            assert check.help.endswith((".", "?"))
        assert len({check.wording for check in dimension.checks}) == len(dimension.checks)
        # Two rules may say the same only as one sentence with one clause (the desk shows it once).
        assert all(
            len({(rule.clause, rule.reading) for rule in dimension.rules if rule.reason == reason})
            == 1
            for reason in {rule.reason for rule in dimension.rules}
        )
        for rule in dimension.rules:
            assert rule.reason.endswith((".", "?"))
