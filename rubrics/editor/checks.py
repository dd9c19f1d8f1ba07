"""The checks of a dimension, or of the whole response, with their answers."""

from collections.abc import Iterable, Mapping, Sequence

from ..documents.document import yes_no_in
from ..documents.draft_parts import DraftAnswer, DraftCheck, DraftDimension
from ..judging.dimension import free_letter
from ..judging.kinds import Kind
from ..judging.parts import RESERVED_KEYS
from ..judging.plain import Entries, Plain
from .conditions import condition_fields, posted_condition, with_asserted_facts
from .edit import Edit
from .elements import by_code, codes_of, mappings_in, new_code, without_fields
from .fields import AnswerFields, CheckRow
from .more import more_of_each, more_text

FEWEST_ANSWERS = 4  # for which there are fields


def save_checks(
    edit: Edit,
    former: Sequence[DraftCheck],
    posted_rows: Iterable[CheckRow],
    dimension: DraftDimension | None,
) -> list[DraftCheck]:
    """Return the checks that a form sent. The dimension is None for the whole response."""
    checks: list[DraftCheck] = []
    for row in posted_rows:
        before = by_code(former, row.at)
        if not before and not row.wording.strip():
            continue
        check = _posted_check(edit, before, row, dimension, checks)
        if row.is_of_response and dimension and check not in edit.slips:
            edit.content.checks = [*edit.content.checks, check]
        else:
            checks.append(check)
    for check in checks:
        check.when = with_asserted_facts(edit, check.when, checks)
    return checks


def _posted_check(
    edit: Edit,
    previous_check: DraftCheck | None,
    row: CheckRow,
    dimension: DraftDimension | None,
    earlier: Sequence[DraftCheck],
) -> DraftCheck:
    others = [*edit.content.checks]
    if dimension:
        others += dimension.checks
    former = previous_check or DraftCheck(code=_new_code(edit, row, [*others, *earlier], dimension))
    check = DraftCheck(
        code=former.code,
        kind=row.kind,
        wording=row.wording,
        help=row.help or None,
        best=row.best or None,
        when=posted_condition(row.when, former.when),
    )
    check.rest = edit.more(row.more, former, check)
    further = _further_answers(check.rest.pop("answers", None))
    if not previous_check:
        keys = {*RESERVED_KEYS}
        keys.update(str(other.rest.get("key")) for other in others)
        check.rest["key"] = free_letter(check.wording, keys)
    if check.kind in (Kind.YES_NO, Kind.ONE_OF):
        check.answers = _posted_answers(edit, check, former, further, row)
    elif former.answers:  # they come back with their kind
        edit.memory.answers[check.code] = former.answers
    return check


def _new_code(
    edit: Edit, row: CheckRow, namesakes: list[DraftCheck], dimension: DraftDimension | None
) -> str:
    if not dimension:  # dimensions may name what is asked of the whole response
        for other in edit.dimensions:
            namesakes += other.checks
    return new_code(row.wording, codes_of(namesakes))


def _further_answers(value: Plain) -> Mapping[str, Entries]:
    """Return what stands under "More" of the answers, by their codes."""
    answers = mappings_in(value)
    return {str(entry.get("code")): without_fields(DraftAnswer, entry) for entry in answers}


def _posted_answers(
    edit: Edit,
    check: DraftCheck,
    previous_check: DraftCheck,
    further: Mapping[str, Entries],
    row: CheckRow,
) -> list[DraftAnswer]:
    former = previous_check.answers or []
    posted_answers: list[DraftAnswer] = []
    for line in row.answers:
        if not line.wording.strip():
            continue
        code = line.at or new_code(line.wording, codes_of([*former, *posted_answers]))
        rest = further.get(code)
        if rest is None:
            rest = (by_code(former, code) or DraftAnswer()).rest
        posted_answers.append(DraftAnswer(code=code, wording=line.wording, rest={**rest}))
    if not posted_answers:
        posted_answers = edit.memory.answers.pop(check.code, [])
    if check.kind == Kind.YES_NO and sorted(codes_of(posted_answers)) != ["no", "yes"]:
        yes, no = yes_no_in(edit.content.language) or ("yes", "no")
        asserting = DraftAnswer(code="yes", wording=yes, rest={"sets": check.code})
        return [asserting, DraftAnswer(code="no", wording=no)]
    return posted_answers


def check_rows(edit: Edit, draft_checks: Iterable[DraftCheck]) -> tuple[CheckRow, ...]:
    """Return the rows of a form of checks."""
    return tuple(_row_of_check(edit, check) for check in draft_checks)


def _row_of_check(edit: Edit, check: DraftCheck) -> CheckRow:
    answers = check.answers or []
    fields = [AnswerFields(answer.code, answer.wording) for answer in answers]
    if check.kind == Kind.ONE_OF:
        blanks = max(1, FEWEST_ANSWERS - len(answers))
        fields += [AnswerFields()] * blanks
    text = more_text(check, answers=more_of_each(answers))
    more, slips = edit.more_or_slip(check, text)
    return CheckRow(
        at=check.code,
        kind=check.kind,
        wording=check.wording,
        help=check.help or "",
        best=check.best or "",
        when=condition_fields(check.when),
        answers=tuple(fields),
        more=more,
        slips=slips,
    )
