"""Comparison of two versions of one form, for its annotator."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from .view_models import EvaluatedForm, EvaluatedTarget


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two forms, in words."""

    about: str
    here: str  # "" for no answer
    there: str


def differences(here: EvaluatedForm, there: EvaluatedForm) -> tuple[Difference, ...]:
    """Return the differences between two evaluated forms of one item, in page order.

    Blanks at both ends of an answer make no difference.
    """
    one, other = ({about: said.strip() for about, said in _said(each)} for each in (here, there))
    return tuple(
        Difference(about, one.get(about, ""), other.get(about, ""))
        for about in dict.fromkeys((*one, *other))
        if one.get(about, "") != other.get(about, "")
    )


def _said(evaluated: EvaluatedForm) -> Iterator[tuple[str, str]]:
    for target in (*evaluated.responses, *evaluated.sets):
        for row in target.rows:
            place = f"{row.target.name}, {row.dimension.title}"
            if row.given:
                yield place, row.given
            for check, answer in row.in_words.answers:
                yield f"{place}: {check}", answer or _("ticked")
        yield from _claims(target)
        if target.comment:
            yield _("%(name)s, comment") % {"name": target.name}, target.comment
    if evaluated.comment:
        yield _("Comment on the whole item"), evaluated.comment
    if evaluated.not_sure:
        yield _("Not sure"), _("ticked")


def _claims(target: EvaluatedTarget) -> Iterator[tuple[str, str]]:
    for fact in target.facts:
        if not fact.blank:
            names = {"name": target.name, "number": fact.place.number}
            yield _("%(name)s, claim %(number)s") % names, fact.in_words


def annotate_with_earlier(evaluated: EvaluatedForm, earlier: EvaluatedForm) -> EvaluatedForm:
    """Return a form that also shows the answers of an earlier one, at each row and target."""
    there = {target.key: target for target in (*earlier.responses, *earlier.sets)}
    return _changed(evaluated, lambda target: _with_earlier(target, there[target.key]))


def _with_earlier(target: EvaluatedTarget, earlier: EvaluatedTarget) -> EvaluatedTarget:
    before = {row.name: row.in_words for row in earlier.rows}
    comment = [_("Comment: %(text)s") % {"text": earlier.comment}] if earlier.comment else []
    return replace(
        target,
        rows=tuple(replace(row, before=before[row.name]) for row in target.rows),
        before=(*comment, *(words for _about, words in _claims(earlier))),
    )


def fixed(evaluated: EvaluatedForm) -> EvaluatedForm:
    """Return a read-only copy of an evaluated form."""
    return _changed(
        evaluated,
        lambda target: replace(
            target, fixed=True, rows=tuple(replace(row, fixed=True) for row in target.rows)
        ),
    )


def _changed(
    evaluated: EvaluatedForm, change: Callable[[EvaluatedTarget], EvaluatedTarget]
) -> EvaluatedForm:
    return replace(
        evaluated,
        responses=tuple(map(change, evaluated.responses)),
        sets=tuple(map(change, evaluated.sets)),
    )
