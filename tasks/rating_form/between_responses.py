"""Notes on several responses at once: scores out of order, remarks, and twins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from django.utils.html import format_html
from django.utils.translation import override

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better, Unit
from rubrics.judging.schema import verdict_language
from rubrics.judging.verdict import ItemRemark, OutOfOrder, Reason
from rubrics.pages.language_marks import language_of_verdicts
from tasks.answers.slot_answers import FieldName

from . import verdict_words as wording
from .fields import Target
from .item_judge import ItemJudge
from .seen_names import TWINS, pair_name


@dataclass(frozen=True, slots=True)
class Note:
    """A line about several responses: out of order (RQ-11), a remark, or twins (RQ-04)."""

    text: str
    row_names: tuple[str, ...] = ()  # the rows that it is about; none for twins
    seen_name: str = ""  # in `seen` once it was shown, as in `seen_names`; "" for an error
    remark: Reason | None = None  # to be seen before the rating is stored, and stored with it
    obstacle: str = ""  # the error in few words

    @property
    def is_error(self) -> bool:
        """True for scores out of order. It is shown until corrected, any other note once."""
        return bool(self.obstacle)


def notes_on(judge: ItemJudge) -> list[Note]:
    """Return the notes on an item, in the language of its verdicts."""
    with override(verdict_language(judge.desk.rubric.language)):
        notes = list(_notes_on(judge))
    marks = language_of_verdicts(judge.desk.rubric) if notes else ""
    return [_in_language(note, marks) for note in notes] if marks else notes


def _in_language(note: Note, marks: str) -> Note:
    return replace(note, text=format_html("<span{}>{}</span>", marks, note.text))


def _notes_on(judge: ItemJudge) -> Iterator[Note]:
    names = {response.key: response.name for response in judge.desk.responses}
    for dimension in judge.desk.dimensions(Unit.RESPONSE):
        verdict = judge.judge(dimension).verdict
        yield from _notes_on_order(dimension, verdict.out_of_order, names)
        for remark in verdict.remarks:
            yield _note_of_remark(dimension, remark, names)
        remarked = {remark.keys for remark in verdict.remarks}
        twins = judge.twins if judge.compares(dimension) else ()
        for first, second in twins:
            if (first, second) not in remarked:
                text = wording.twins_note(names[first], names[second])
                yield Note(text, seen_name=pair_name(first, second, dimension.code, TWINS))


def _notes_on_order(
    dimension: Dimension, out_of_order: Iterable[OutOfOrder], names_by_key: dict[str, str]
) -> Iterator[Note]:
    """Yield a note for each response that must score worse than others."""
    is_low = dimension.better is Better.LOW
    for (key, reason), group in groupby(out_of_order, key=lambda pair: (pair.lower, pair.reason)):
        higher = [pair.higher for pair in group]
        better = [names_by_key[other] for other in higher]
        keys = sorted([key, *higher])
        yield Note(
            wording.out_of_order(names_by_key[key], better, reason, is_low=is_low),
            row_names=_row_names(dimension, key, *higher),
            obstacle=wording.wrong_order([Target(name).short for name in keys]),
        )


def _note_of_remark(dimension: Dimension, remark: ItemRemark, names_by_key: dict[str, str]) -> Note:
    first, second = remark.keys
    return Note(
        wording.remark_between(names_by_key[first], names_by_key[second], remark.reason),
        row_names=_row_names(dimension, first, second),
        seen_name=pair_name(first, second, dimension.code, remark.reason.rule),
        remark=remark.reason,
    )


def _row_names(dimension: Dimension, *target_names: str) -> tuple[str, ...]:
    return tuple(str(FieldName(target, dimension.code)) for target in target_names)
