"""The list of errors at the top of a form that was sent, with a link to the field of each.

`evaluate.py` makes it. Example of an error:
`FormError("r1-quality-2", "Response A, Quality: No score yet. Open: 2, 3, 4.")`
"""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from tasks.answers.slot_answers import COMMENT, FieldName

from .evaluated_form import EvaluatedForm, EvaluatedTarget, FormError
from .fields import element_id
from .row_view import Row
from .verdict_words import not_rated


def error_list(evaluated: EvaluatedForm) -> Iterator[FormError]:
    """Yield all errors in page order.

    A row or a target without any answer is one line, not one for each of its fields.
    """
    rows_by_note = _first_rows_of_notes(evaluated)
    for target in evaluated.targets:
        yield from _errors_of_rows(target, rows_by_note)
        yield from _errors_of_claims(target)


def _first_rows_of_notes(evaluated: EvaluatedForm) -> dict[str, Row]:
    """Return the errors between responses. Several rows have one; it is listed at the first."""
    rows_by_note: dict[str, Row] = {}
    for row in evaluated.rows:
        for error in row.errors:
            if error in evaluated.notes:
                rows_by_note.setdefault(error, row)
    return rows_by_note


def _errors_of_rows(
    target: EvaluatedTarget, rows_by_note: Mapping[str, Row]
) -> Iterator[FormError]:
    errors_by_row = {row: list(_errors_of_row(row, target, rows_by_note)) for row in target.rows}
    elements = [errors[0].element for errors in errors_by_row.values() if errors]
    is_untouched = all(row.untouched for row in target.rows)
    if elements and is_untouched and len(target.rows) > 1:
        yield FormError(elements[0], not_rated(target.name))
        return
    for row, errors in errors_by_row.items():
        if row.untouched and errors:
            yield FormError(errors[0].element, not_rated(_name_of(row, target)))
        else:
            yield from errors
        for note, first_row in rows_by_note.items():
            if first_row is row:
                yield FormError(row.entry, note)


def _errors_of_row(
    row: Row, target: EvaluatedTarget, rows_by_note: Mapping[str, Row]
) -> Iterator[FormError]:
    """Yield the errors of a row alone: those of its questions and ticks, then of its score."""
    name = _name_of(row, target)
    for part in row.wrong_parts:
        yield FormError(part.focus, f"{name}, {part.check.wording}: {part.error}")
    element = row.entry
    if row.lacks_comment:
        if row is not target.uncommented:  # several rows want one comment: it is listed once
            return
        element = element_id(str(FieldName(row.target.key, COMMENT)))
    open_scores = row.headline.text if row.score is None else ""
    for error in row.errors:
        if error not in rows_by_note:
            yield FormError(element, f"{name}: {error} {open_scores}".rstrip())


def _errors_of_claims(target: EvaluatedTarget) -> Iterator[FormError]:
    for fact in target.look_ups:
        names = {"target": target.name, "number": fact.place.number}
        name = _("%(target)s, claim %(number)s") % names
        for error in fact.errors:
            yield FormError(f"{fact.place.id}-{error.field}", f"{name}: {error.message}")


def _name_of(row: Row, target: EvaluatedTarget) -> str:
    return f"{target.name}, {row.dimension.title}"
