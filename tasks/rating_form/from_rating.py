"""Form data from a stored rating: its answers by field name, on its annotator's desk."""

from __future__ import annotations

from collections.abc import Sequence

from rubrics.schema import Scope
from tasks.fact_checks import Clock
from tasks.models import FactCheck, Placement, Rating
from tasks.rating_form.fields import TICKED
from tasks.rating_form.item_view import ItemView, ShownResponse


def answers_of(rating: Rating, desk: ItemView) -> dict[str, str]:
    """Return all answers of a rating by field name."""
    corpora = {shown.model: shown.corpus_key for shown in desk.sets}
    keys: dict[int | str, str] = {response.pk: response.key for response in desk.responses}
    keys.update({shown.model: shown.key for shown in desk.sets})
    answers = {"comment": rating.comment, **rating.asked}
    for score in rating.scores.all():
        key = keys.get(score.model if score.response_id is None else score.response_id)
        if key is None:
            continue
        answers[f"{key}.{score.dimension}"] = str(score.value)
        about_corpus = {
            check.code
            for check in desk.rubric.dimension(score.dimension).checks
            if check.scope is Scope.CORPUS and score.response_id is None
        }
        for code, value in score.checks.items():
            place = corpora[score.model] if code in about_corpus else key
            name = f"{place}.{score.dimension}.{code}"
            if f"{name}.asked" in rating.asked:
                continue
            if code.endswith(".lines"):
                lines = [f"{name.removesuffix('s')}.{number}" for number in value.split(",")]
                answers.update(dict.fromkeys(lines, TICKED))
            else:
                answers[name] = value
    for placement in Placement.objects.filter(rating=rating):
        answers[f"{keys[placement.response_id]}.comment"] = placement.comment
    return answers | look_ups_of(rating, desk.responses)


def look_ups_of(rating: Rating, responses: Sequence[ShownResponse]) -> dict[str, str]:
    """Return the fields of the claims that were looked up, with their clocks stopped."""
    keys = {response.pk: response.key for response in responses}
    answers: dict[str, str] = {}
    for fact in FactCheck.objects.filter(rating=rating):
        prefix = f"{keys[fact.response_id]}.fact.{fact.position}"
        answers[f"{prefix}.claim"] = fact.claim
        answers[f"{prefix}.outcome"] = fact.outcome
        answers[f"{prefix}.sources"] = fact.sources
        if fact.seconds is not None:
            answers[f"{prefix}.clock"] = str(Clock(fact.seconds))
    return answers
