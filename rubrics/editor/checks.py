"""The checks of a part of a draft: from the rows of its form into the document, and back.

The part is a dimension, or the whole response. A check keeps its code for ever, because rules,
answers and examples name it. Entries without a field in the row, such as the key of the check,
stand under its "More".
"""

from collections.abc import Iterable, Mapping, Sequence

from ..documents.draft_parts import DraftAnswer, DraftCheck, DraftDimension
from ..judging.dimension import free_letter
from ..judging.kinds import Kind
from ..judging.parts import RESERVED_KEYS
from ..judging.plain import Entries, Plain
from ..judging.schema import yes_no_words
from .conditions import condition_fields, posted_condition
from .edit import Edit
from .elements import by_code, codes_of, mappings_in, new_code, without_fields
from .facts import with_asserted_facts
from .fields import AnswerFields, CheckRow
from .more import more_by_part, more_text

FEWEST_ANSWERS = 4  # lines that a form has for the answers of a question


def save_checks(
    edit: Edit,
    stored_checks: Sequence[DraftCheck],
    posted_rows: Iterable[CheckRow],
    dimension: DraftDimension | None,
) -> list[DraftCheck]:
    """Return the checks of a part after its form was sent, in the order of its rows.

    `stored_checks`: those that the part has now. `dimension`: None for the whole response. A check
    that is to be asked of the whole response moves there. A new row without a wording is left out.
    """
    checks: list[DraftCheck] = []
    for row in posted_rows:
        stored = by_code(stored_checks, row.at)
        if stored:
            check = _changed_check(edit, stored, row)
        elif row.wording.strip():
            check = _new_check(edit, row, dimension, earlier=checks)
        else:
            continue
        # One whose "More" cannot be read stays, so that the page shows what is wrong.
        if row.is_of_response and dimension and check not in edit.slips:
            edit.content.checks = [*edit.content.checks, check]
        else:
            checks.append(check)
    for check in checks:
        check.when = with_asserted_facts(edit, check.when, checks)
    return checks


def _changed_check(edit: Edit, former: DraftCheck, check_row: CheckRow) -> DraftCheck:
    """Return a check of the document as its row has it now."""
    check = DraftCheck(
        code=former.code,
        kind=check_row.kind,
        wording=check_row.wording,
        help=check_row.help or None,
        best=check_row.best or None,
        when=posted_condition(check_row.when, former.when),
    )
    check.rest = edit.more(check_row.more, former, check)
    rest_of_answers = _rest_of_answers(check.rest.pop("answers", None))
    if check.kind in (Kind.YES_NO, Kind.ONE_OF):
        check.answers = _answers(edit, check, former.answers or [], rest_of_answers, check_row)
    elif former.answers:
        # A tick has none. They come back if it becomes a question again.
        edit.memory.answers[check.code] = former.answers
    return check


def _new_check(
    edit: Edit, check_row: CheckRow, dimension: DraftDimension | None, earlier: Sequence[DraftCheck]
) -> DraftCheck:
    """Return the check of a new row, with a code and a key that no other check has.

    `earlier`: the checks of the rows before it.
    """
    neighbours = [*edit.content.checks]  # asked together with it
    if dimension:
        neighbours += dimension.checks
    namesakes = [*neighbours, *earlier]
    if not dimension:  # dimensions may name what is asked of the whole response
        for other in edit.dimensions:
            namesakes += other.checks
    code = new_code(check_row.wording, codes_of(namesakes))
    check = _changed_check(edit, DraftCheck(code=code), check_row)
    used_keys = {*RESERVED_KEYS}
    used_keys.update(str(neighbour.rest.get("key")) for neighbour in neighbours)
    check.rest["key"] = free_letter(check.wording, used_keys)
    return check


def _rest_of_answers(more_answers: Plain) -> Mapping[str, Entries]:
    """Return what stands under "More" of the answers, by their codes."""
    entries_of_answers = mappings_in(more_answers)
    return {
        str(entries.get("code")): without_fields(DraftAnswer, entries)
        for entries in entries_of_answers
    }


def _answers(
    edit: Edit,
    check: DraftCheck,
    stored_answers: Sequence[DraftAnswer],
    rest_of_answers: Mapping[str, Entries],
    check_row: CheckRow,
) -> list[DraftAnswer]:
    """Return the answers to a question. A blank line of the form is none.

    If the form sent none, the question has those that it had before it was a tick. A question with
    yes and no has just these two; a new yes asserts the check.
    """
    draft_answers: list[DraftAnswer] = []
    for line in check_row.answers:
        if not line.wording.strip():
            continue
        code = line.at or new_code(line.wording, codes_of([*stored_answers, *draft_answers]))
        rest = rest_of_answers.get(code)
        if rest is None:
            stored = by_code(stored_answers, code) or DraftAnswer()
            rest = stored.rest
        draft_answers.append(DraftAnswer(code=code, wording=line.wording, rest={**rest}))
    if not draft_answers:
        draft_answers = edit.memory.answers.pop(check.code, [])
    if check.kind == Kind.YES_NO and sorted(codes_of(draft_answers)) != ["no", "yes"]:
        yes, no = yes_no_words(edit.content.language) or ("yes", "no")
        asserting = DraftAnswer(code="yes", wording=yes, rest={"sets": check.code})
        return [asserting, DraftAnswer(code="no", wording=no)]
    return draft_answers


def check_rows(edit: Edit, checks: list[DraftCheck]) -> tuple[CheckRow, ...]:
    """Return the rows of a form that shows these checks."""
    return tuple(_check_row(edit, check) for check in checks)


def _check_row(edit: Edit, check: DraftCheck) -> CheckRow:
    answers = check.answers or []
    lines = [AnswerFields(at=answer.code, wording=answer.wording) for answer in answers]
    if check.kind == Kind.ONE_OF:
        blank_lines = max(1, FEWEST_ANSWERS - len(answers))
        lines += [AnswerFields()] * blank_lines
    text = more_text(check, answers=more_by_part(answers))
    more, slips = edit.more_or_slip(check, text)
    return CheckRow(
        at=check.code,
        kind=check.kind,
        wording=check.wording,
        help=check.help or "",
        best=check.best or "",
        when=condition_fields(check.when),
        answers=tuple(lines),
        more=more,
        slips=slips,
    )
