"""The rating form as values: items on the desk, answers to them, and evaluated forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rubrics.documents.shipped import shipped
from rubrics.judging.verdict import Verdict
from tasks.answers.slot_answers import Answers
from tasks.rating_form import evaluate as evaluation
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.item_view import CandidateSetView, ItemView, ResponseView
from tasks.rating_form.row_view import Row
from tests.desk_steps import FAULTLESS


def quality_desk(*texts: str) -> ItemView:
    return ItemView(
        rubric=shipped("response-quality"),
        responses=tuple(
            ResponseView(f"r{place}", 100 + place, place, f"model {place}", text)
            for place, text in enumerate(texts, start=1)
        ),
        has_history=True,
        query="How do I boil an egg?",
    )


def dialogue_desk(
    *texts: str, persona: bool = True, history: bool = True, sets: bool = True
) -> ItemView:
    responses = tuple(
        ResponseView(f"r{place}", 200 + place, place, "gull", text)
        for place, text in enumerate(texts, start=1)
    )
    return ItemView(
        rubric=shipped("dialogue"),
        responses=responses,
        sets=(CandidateSetView("s1", "m1", "gull", responses, frozenset({"diversity"})),)
        if sets
        else (),
        persona=("i keep bees.", "i live by the sea.") if persona else (),
        has_history=history,
        query="do you like the sea?" if history else "",
    )


def answered(score: int | None = None, key: str = "r1", **checks: str) -> dict[str, str]:
    """A response's four answers, faultless where not named, other checks, and its score."""
    given = {
        f"{key}.quality.{code}": value for code, value in (FAULTLESS | checks).items() if value
    }
    return given | ({f"{key}.quality": str(score)} if score is not None else {})


def evaluate(
    desk: ItemView, fields: Mapping[str, str], *, seen: Iterable[str] = (), submitting: bool = False
) -> EvaluatedForm:
    """The form with the answers in these fields."""
    return evaluation.evaluate(desk, Answers.read(fields), seen=seen, submitting=submitting)


def submit(desk: ItemView, answers: Mapping[str, str], *seen: str) -> EvaluatedForm:
    return evaluate(desk, answers, seen=seen, submitting=True)


def row(evaluated: EvaluatedForm, identifier: str = "r1-quality") -> Row:
    found = evaluated.row(identifier)
    assert found is not None, f"{identifier} is not among {[row.id for row in evaluated.rows]}"
    return found


def open_scores(found: Row) -> tuple[int, ...]:
    assert isinstance(found.judgement, Verdict)
    return found.judgement.open
