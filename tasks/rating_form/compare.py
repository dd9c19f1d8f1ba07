"""Comparison of two versions of one form, for the annotator who must choose between them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from .view_models import Sheet, TargetSheet


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


def _said(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for target in (*sheet.responses, *sheet.sets):
        for row in target.rows:
            place = f"{row.target.name}, {row.dimension.title}"
            if row.score is not None:
                yield place, str(row.score)
            for check, answer in row.in_words.answers:
                yield f"{place}: {check}", answer or _("ticked")
        yield from _claims(target)
        if target.comment:
            yield _("%(name)s, comment") % {"name": target.name}, target.comment
    if sheet.comment:
        yield _("Comment on the whole item"), sheet.comment
    if sheet.not_sure:
        yield _("Not sure"), _("ticked")


def _claims(target: TargetSheet) -> Iterator[tuple[str, str]]:
    for fact in target.facts:
        if not fact.blank:
            names = {"name": target.name, "number": fact.place.number}
            yield _("%(name)s, claim %(number)s") % names, fact.in_words


def annotate_with_earlier(sheet: Sheet, earlier: Sheet) -> Sheet:
    """Return a sheet that also shows the answers of an earlier one, at each row and target."""
    there = {target.key: target for target in (*earlier.responses, *earlier.sets)}
    return _changed(sheet, lambda target: _with_earlier(target, there[target.key]))


def _with_earlier(target: TargetSheet, earlier: TargetSheet) -> TargetSheet:
    before = {row.name: row.in_words for row in earlier.rows}
    comment = [_("Comment: %(text)s") % {"text": earlier.comment}] if earlier.comment else []
    return replace(
        target,
        rows=tuple(replace(row, before=before[row.name]) for row in target.rows),
        before=(*comment, *(words for _about, words in _claims(earlier))),
    )


def fixed(sheet: Sheet) -> Sheet:
    """Return a read-only copy of a sheet."""
    return _changed(
        sheet,
        lambda target: replace(
            target, fixed=True, rows=tuple(replace(row, fixed=True) for row in target.rows)
        ),
    )


def _changed(sheet: Sheet, change: Callable[[TargetSheet], TargetSheet]) -> Sheet:
    return replace(
        sheet,
        responses=tuple(map(change, sheet.responses)),
        sets=tuple(map(change, sheet.sets)),
    )
