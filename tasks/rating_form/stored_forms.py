"""Stored ratings and drafts as the form: their answers by field, and the form evaluated."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tasks.answers.fact_checks import Clock
from tasks.answers.slot_answers import (
    ASKED,
    COMMENT,
    FACT,
    NO_ANSWERS,
    NOT_SURE,
    TICKED,
    WHOLE,
    Answers,
    Claim,
    FieldName,
    SlotAnswers,
)
from tasks.models import Draft, FactCheck, Placement, Rating, Score

from .evaluate import evaluate
from .evaluated_form import EvaluatedForm
from .item_view import ItemView


def first_evaluated(
    desk: ItemView, corrected: Rating | None = None, draft: Draft | None = None
) -> EvaluatedForm:
    """Return the form as its annotator first sees it: the draft, else the corrected rating."""
    if draft is not None:
        return evaluate(desk, Answers.read(draft.answers), seen=draft.seen.split())
    return evaluate(desk, NO_ANSWERS if corrected is None else answers_of(corrected, desk))


def evaluated_of(rating: Rating, desk: ItemView) -> EvaluatedForm:
    """Return the form with the answers of a rating, ignoring what was entered since."""
    return evaluate(replace(desk, about_corpora={}), answers_of(rating, desk))


def answers_of(rating: Rating, desk: ItemView) -> Answers:
    """Return all answers of a rating."""
    return Answers.of(_posted_answers(rating, desk))


def _posted_answers(rating: Rating, desk: ItemView) -> Iterator[tuple[FieldName, str]]:
    response_keys: dict[int | str | None, str] = {view.pk: view.key for view in desk.responses}
    yield FieldName(COMMENT), rating.comment
    yield FieldName(NOT_SURE), TICKED if rating.not_sure else ""
    for name, answer in rating.asked.items():
        yield FieldName.read(name), answer
    for placement in Placement.objects.filter(rating=rating):
        key = response_keys[placement.response_id]
        yield FieldName(key, COMMENT), placement.comment
        for check, part, value in SlotAnswers.stored(None, placement.checks).entries:
            yield FieldName(key, WHOLE, check, part), value
    yield from look_ups(rating, response_keys)
    response_keys |= {group.model: group.key for group in desk.sets}
    for score in rating.scores.all():
        target = score.model if score.response_id is None else score.response_id
        if target in response_keys:
            yield from _answers_of_score(score, response_keys[target], rating.asked)


def _answers_of_score(
    stored_score: Score, key: str, questions: Mapping[str, str]
) -> Iterator[tuple[FieldName, str]]:
    """Yield a score and the answers stored with it.

    The answer to a question of the program stands in for the tick that it is stored as.
    """
    answers = SlotAnswers.stored(stored_score.value, stored_score.checks, stored_score.without)
    for check, part, value in answers.entries:
        name = FieldName(key, stored_score.dimension, check, part)
        if str(name._replace(part=ASKED)) not in questions:
            yield name, value


def look_ups(rating: Rating, response_keys: Mapping[Any, str]) -> Iterator[tuple[FieldName, str]]:
    """Yield the claims that were looked up, with their clocks stopped."""
    for fact in FactCheck.objects.filter(rating=rating):
        clock = "" if fact.seconds is None else str(Clock(fact.seconds))
        key = response_keys[fact.response_id]
        number = str(fact.position)
        claim = Claim(fact.claim, fact.outcome, fact.sources, clock)
        for part, value in claim._asdict().items():
            yield FieldName(key, FACT, number, part), value
