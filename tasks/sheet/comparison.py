"""Two fillings of one form beside each other, for whoever entered both and has to choose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from .parts import Fact, Question, Row, Sheet, TargetSheet


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing said differently: what it is about, and the words on either side; "" for nothing said."""

    about: str
    here: str
    there: str


def differences(here: Sheet, there: Sheet) -> tuple[Difference, ...]:
    """Everything in which two sheets of one item differ, in the order of the page."""
    one, other = dict(_said(here)), dict(_said(there))
    return tuple(
        Difference(about, one.get(about, ""), other.get(about, ""))
        for about in dict.fromkeys((*one, *other))
        if one.get(about, "") != other.get(about, "")
    )


def _said(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for target in (*sheet.responses, *sheet.sets):
        for row in target.rows:
            yield from _said_in(row)
        for fact in target.facts:
            yield from _said_of(target, fact)
        if target.comment:
            yield _("%(name)s, comment") % {"name": target.name}, target.comment
    if sheet.comment:
        yield _("Comment on the whole item"), sheet.comment


def _said_in(row: Row) -> Iterator[tuple[str, str]]:
    place = f"{row.target.name}, {row.dimension.title}"
    if row.score is not None:
        yield place, str(row.score)
    for question in (*row.corpus, *row.questions):
        if question.given:
            yield f"{place}: {question.check.wording}", _answer(question)
    for tick in (*row.ticks, *((row.none_of_these,) if row.none_of_these else ())):
        if tick.checked and not tick.locked:
            yield f"{place}: {tick.check.wording}", _("ticked")
    for detection in row.detections:
        if not detection.pending:
            yield f"{place}: {detection.question}", _("yes") if detection.answer == "yes" else _("no")


def _answer(question: Question) -> str:
    wording = next(choice.wording for choice in question.choices if choice.checked)
    if not question.marked:
        return wording
    lines = ", ".join(str(number) for number in question.marked)
    return _("%(answer)s (lines %(lines)s)") % {"answer": wording, "lines": lines}


def _said_of(target: TargetSheet, fact: Fact) -> Iterator[tuple[str, str]]:
    if fact.blank:
        return
    place = _("%(name)s, claim %(number)s") % {"name": target.name, "number": fact.number}
    outcomes = {
        "holds": _("it holds"),
        "refuted": _("it is refuted"),
        "undetermined": _("undetermined"),
    }
    parts = (fact.claim, outcomes.get(fact.outcome, ""), fact.sources)
    yield place, " · ".join(part for part in parts if part)
