"""Answers about a corpus (DQ-11) on a page, compared with the recorded ones.

One answer applies to all items of a batch, so another page may change it while this page is open.
Each page posts the revision that it was shown. That number shows whether the annotator changed
the answer there or left it unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from .fields import revision_of
from .item_view import ItemView
from .view_models import Question, Row

NUMBER = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Recorded:
    """The answer on the page and the revisions recorded of it."""

    given: str  # on the page; "" for none
    shown: int  # revision that the page was shown; 0 for none
    revisions: tuple[str, ...] = ()  # oldest first

    @property
    def newest(self) -> str:
        return self.revisions[-1] if self.revisions else ""

    @property
    def is_untouched(self) -> bool:
        """True if the page has no answer, or still the one it was shown."""
        return not self.given or self.given in self.revisions[: self.shown][-1:]

    @property
    def stands(self) -> str:
        """The answer to use: the one on the page if changed there, else the newest recorded."""
        return self.newest if self.is_untouched else self.given

    @property
    def is_change(self) -> bool:
        """True if the page gives the first answer or changes the newest one."""
        return self.stands != self.newest and self.shown >= len(self.revisions)

    @property
    def is_contradicted(self) -> bool:
        """True if this page and another one changed the answer differently: a conflict."""
        return self.stands != self.newest and not self.is_change

    @property
    def is_overtaken(self) -> bool:
        """True if only another page changed the answer."""
        return bool(self.given) and self.given != self.stands


def recorded_answers(desk: ItemView, answers: Mapping[str, str]) -> dict[str, Recorded]:
    """Return the answers to all questions about a corpus, by field name."""
    return {name: _recorded(desk, answers, name) for name in desk.corpus_fields}


def _recorded(desk: ItemView, answers: Mapping[str, str], name: str) -> Recorded:
    shown = answers.get(revision_of(name), "")
    revisions = desk.recorded.get(name, ())
    return Recorded(answers.get(name, ""), int(shown) if NUMBER.fullmatch(shown) else 0, revisions)


def beside_recorded(row: Row, recorded: Mapping[str, Recorded], *, submitting: bool) -> Row:
    """Return a row with notes on recorded answers that differ from those on the page.

    If `submitting`, a conflicting answer is an error.
    """
    corpus = tuple(
        _beside(question, recorded[question.name], submitting) for question in row.corpus
    )
    wrong = tuple(
        (question.choices[0].id, question.check.wording, question.error)
        for question, before in zip(corpus, row.corpus, strict=True)
        if question.error != before.error
    )
    return replace(row, corpus=corpus, mistakes=(*wrong, *row.mistakes))


def _beside(question: Question, answer: Recorded, submitting: bool) -> Question:
    words = {choice.value: choice.wording for choice in question.choices}
    newest = words.get(answer.newest, answer.newest)
    note = error = ""
    if answer.is_overtaken:
        note = _(
            "You have changed this to “%(answer)s” on another page, and so it stands here now."
        )
    elif answer.is_contradicted:
        note = _(
            "“%(answer)s” has been recorded here since this page was shown."
            " Choose which of the two holds: what you submit then counts."
        )
        error = note if submitting and not question.error else ""
    return replace(
        question,
        shown=answer.shown,
        revision=len(answer.revisions),
        is_change=answer.is_change,
        note=note % {"answer": newest} if note and not error else "",
        error=error % {"answer": newest} if error else question.error,
    )
