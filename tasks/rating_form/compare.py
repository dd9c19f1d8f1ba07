"""Comparison of two versions of one form, for its annotator."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from .evaluated_form import EvaluatedForm, EvaluatedTarget
from .rating_words import align_answers


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two forms, in words."""

    about: str
    current: str  # "" for no answer
    other: str


def differences(current: EvaluatedForm, other_form: EvaluatedForm) -> tuple[Difference, ...]:
    """Return the differences between two evaluated forms of one item, in page order.

    Blanks at both ends of an answer make no difference.
    """
    sides = (_stripped(current), _stripped(other_form))
    differing: list[Difference] = []
    for about, (answer, other_answer) in align_answers(sides):
        if answer != other_answer:
            differing.append(Difference(about, answer, other_answer))
    return tuple(differing)


def _stripped(evaluated: EvaluatedForm) -> dict[str, str]:
    return {about: answer.strip() for about, answer in _answers_in_words(evaluated)}


def _answers_in_words(evaluated: EvaluatedForm) -> Iterator[tuple[str, str]]:
    for target in (*evaluated.responses, *evaluated.sets):
        for row in target.rows:
            place = f"{row.target.name}, {row.dimension.title}"
            if row.input_value:
                yield place, row.input_value
            for check, answer in row.in_words.answer_pairs:
                yield f"{place}: {check}", answer or _("ticked")
        yield from _claims(target)
        if target.comment:
            yield _("%(name)s, comment") % {"name": target.name}, target.comment
    if evaluated.comment:
        yield _("Comment on the whole item"), evaluated.comment
    if evaluated.reply:
        yield _("Your reply"), evaluated.reply
    if evaluated.not_sure:
        yield _("Not sure"), _("ticked")


def _claims(target: EvaluatedTarget) -> Iterator[tuple[str, str]]:
    for fact in target.look_ups:
        if not fact.blank:
            names = {"name": target.name, "number": fact.place.number}
            yield _("%(name)s, claim %(number)s") % names, fact.in_words


def annotate_with_earlier(evaluated: EvaluatedForm, earlier: EvaluatedForm) -> EvaluatedForm:
    """Return a form that also shows the answers of an earlier one, at each row and target."""
    targets = {target.key: target for target in (*earlier.responses, *earlier.sets)}
    return _changed(evaluated, lambda target: _with_earlier(target, targets[target.key]))


def _with_earlier(target: EvaluatedTarget, earlier: EvaluatedTarget) -> EvaluatedTarget:
    scores = {row.name: row.in_words for row in earlier.rows}
    rows = tuple(replace(row, score_before=scores[row.name]) for row in target.rows)
    before = [words for _about, words in _claims(earlier)]
    if earlier.comment:
        comment = _("Comment: %(text)s") % {"text": earlier.comment}
        before.insert(0, comment)
    return replace(target, rows=rows, words_before=tuple(before))


def fixed(evaluated: EvaluatedForm) -> EvaluatedForm:
    """Return a read-only copy of an evaluated form."""
    return _changed(evaluated, _fixed_target)


def _fixed_target(target: EvaluatedTarget) -> EvaluatedTarget:
    rows = tuple(replace(row, fixed=True) for row in target.rows)
    return replace(target, fixed=True, rows=rows)


def _changed(
    evaluated: EvaluatedForm, change: Callable[[EvaluatedTarget], EvaluatedTarget]
) -> EvaluatedForm:
    responses = tuple(map(change, evaluated.responses))
    sets = tuple(map(change, evaluated.sets))
    return replace(evaluated, responses=responses, sets=sets)
