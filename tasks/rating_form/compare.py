"""Comparison of two versions of one form, for the annotator who must choose between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from .view_models import EarlierAnswers, Fact, Question, Row, Sheet, TargetSheet


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two forms, in words."""

    about: str
    here: str  # "" for no answer
    there: str


def differences(here: Sheet, there: Sheet) -> tuple[Difference, ...]:
    """Return the differences between two sheets of one item, in page order.

    Blanks at both ends of an answer make no difference.
    """
    one, other = ({about: said.strip() for about, said in _said(sheet)} for sheet in (here, there))
    return tuple(
        Difference(about, one.get(about, ""), other.get(about, ""))
        for about in dict.fromkeys((*one, *other))
        if one.get(about, "") != other.get(about, "")
    )


def annotate_with_earlier(sheet: Sheet, earlier: Sheet) -> Sheet:
    """Return a sheet that also shows the answers of an earlier one, at each row and target."""
    there = {target.key: target for target in (*earlier.responses, *earlier.sets)}
    return replace(
        sheet,
        responses=tuple(_beside(target, there[target.key]) for target in sheet.responses),
        sets=tuple(_beside(target, there[target.key]) for target in sheet.sets),
    )


def fixed(sheet: Sheet) -> Sheet:
    """Return a read-only copy of a sheet."""
    return replace(
        sheet,
        responses=tuple(map(_fixed, sheet.responses)),
        sets=tuple(map(_fixed, sheet.sets)),
    )


def _fixed(target: TargetSheet) -> TargetSheet:
    return replace(target, fixed=True, rows=tuple(replace(row, fixed=True) for row in target.rows))


def _beside(target: TargetSheet, earlier: TargetSheet) -> TargetSheet:
    before = {row.name: _before(row) for row in earlier.rows}
    comment = [_("Comment: %(text)s") % {"text": earlier.comment}] if earlier.comment else []
    claims = [text for fact in earlier.facts for _about, text in _said_of(earlier, fact)]
    rows = tuple(replace(row, before=before[row.name]) for row in target.rows)
    return replace(target, rows=rows, before=(*comment, *claims))


def _before(row: Row) -> EarlierAnswers:
    level = next((level.level for level in row.levels if level.checked), None)
    return EarlierAnswers(
        f"{level.score} {level.label}".strip() if level else "–",
        tuple(f"{wording}: {answer}" for wording, answer in _answers(row)),
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
    for wording, answer in _answers(row):
        yield f"{place}: {wording}", answer


def _answers(row: Row) -> Iterator[tuple[str, str]]:
    """Yield each question or tick answered in a row, with its answer, in words."""
    for question in (*row.corpus, *row.questions):
        if question.given:
            yield question.check.wording, _answer(question)
    for tick in (*row.ticks, *((row.none_of_these,) if row.none_of_these else ())):
        if tick.checked and not tick.locked:
            yield tick.check.wording, _("ticked")
    for detection in row.detections:
        if not detection.pending:
            yield detection.question, _("yes") if detection.answer == "yes" else _("no")


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
    parts = (fact.claim.strip(), outcomes.get(fact.outcome, ""), fact.sources.strip())
    yield place, " · ".join(part for part in parts if part)
