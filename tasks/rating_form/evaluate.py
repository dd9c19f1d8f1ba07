"""Build the evaluated form from an item and its answers.

`rubrics.judging.rules` applies the rules. `form_builder` calls it for each row. This module adds
what follows from all rows: the notes between responses, and what was not shown yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from rubrics.judging.verdict import Reason
from tasks.answers.slot_answers import COMMENT, NOT_SURE, REPLY, Answers

from .between_responses import Note
from .error_list import error_list
from .evaluated_form import EvaluatedForm
from .form_builder import FormBuilder
from .item_view import ItemView
from .row_view import Row
from .seen_names import SETS, proposal_name, remark_name


def evaluate(
    desk: ItemView,
    answers: Answers,
    *,
    seen: Iterable[str] = (),
    submitting: bool = False,
    looking_up: str = "",
) -> EvaluatedForm:
    """Return the form with these answers.

    `seen` lists what was shown before (`seen_names`).
    `submitting` turns missing answers into errors and asks about what the program detects.
    `looking_up` is the claim (`r1.fact.1`) about to be looked up.

    The responses are judged first. The candidate sets appear once these are complete, and lack
    answers only from the next submit on.
    """
    seen_before = frozenset(seen)
    sets_were_shown = SETS in seen_before
    first_pass = FormBuilder(
        desk, answers, submitting=submitting, looking_up=looking_up, seen=seen_before
    )
    responses = tuple(first_pass.responses())
    second_pass = FormBuilder(
        desk, answers, submitting=submitting and sets_were_shown, seen=seen_before
    )
    sets = tuple(second_pass.candidate_sets())
    # Sets once shown stay: taking a score back must not discard the answers there.
    shows_sets = bool(sets) and (sets_were_shown or all(target.complete for target in responses))
    evaluated = EvaluatedForm(
        responses=responses,
        sets=sets,
        shows_sets=shows_sets,
        sets_appear=shows_sets and not sets_were_shown,
        comment=answers.at(COMMENT).to(),
        not_sure=bool(answers.at(NOT_SURE).to()),
        reply=answers.at(REPLY).to(),
    )
    evaluated = _with_notes(evaluated, first_pass.notes, seen_before, submitting=submitting)
    if submitting:
        errors = dict.fromkeys(error_list(evaluated))  # in page order, each once
        evaluated = replace(evaluated, errors=tuple(errors))
    return evaluated


class _RowNotice(NamedTuple):
    """A remark on the score of a row, or a proposal there. It must be shown before it is stored."""

    name: str  # in `seen`
    row: Row
    reason: Reason


def _with_notes(
    evaluated: EvaluatedForm, notes: list[Note], seen_before: frozenset[str], *, submitting: bool
) -> EvaluatedForm:
    """Return the form with the notes between responses, and with what is new to the annotator."""
    row_notices: list[_RowNotice] = []
    for row in evaluated.rows:
        row_notices += _notices_of(row)
    notes_to_see = [note for note in notes if not note.is_error]
    remarks_between: list[tuple[str, Reason]] = []
    # A submit is stored once all this was shown. A note without a remark stops none.
    must_be_seen = {notice.name for notice in row_notices}
    if evaluated.shows_sets:
        must_be_seen.add(SETS)
    for note in notes_to_see:
        if note.remark:
            must_be_seen.add(note.seen_name)
            remarks_between += ((row_name, note.remark) for row_name in note.row_names)
    new_notices = [notice for notice in row_notices if notice.name not in seen_before]
    new_notes = [note.text for note in notes_to_see if note.seen_name not in seen_before]
    return replace(
        evaluated,
        notes=tuple(dict.fromkeys(note.text for note in notes)),
        new_remarks=tuple((notice.row, notice.reason) for notice in new_notices),
        new_notes=tuple(dict.fromkeys(new_notes)),
        remarks_between=tuple(remarks_between),
        unseen=submitting and (not must_be_seen <= seen_before or evaluated.asks),
        seen=seen_before | must_be_seen | {note.seen_name for note in notes_to_see},
    )


def _notices_of(row: Row) -> Iterator[_RowNotice]:
    for proposal in row.proposals:
        yield _RowNotice(proposal_name(row.name, proposal.rule), row, proposal)
    for remark in row.remarks:
        if remark.rule not in row.remarks_seen:
            yield _RowNotice(remark_name(row.name, remark.rule, row.score), row, remark)
