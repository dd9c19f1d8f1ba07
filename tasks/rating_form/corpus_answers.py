"""An answer about a corpus (DQ-11) as a page has it, beside what is recorded of it by now.

It is one answer for all items of a batch, so that it may be changed on another page while it stands
on this one. Each page says which revision of it it was shown: by that a change that its reader made
is told from an answer that merely stood there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from .fields import revision_of
from .item_view import Desk
from .view_models import Question, Row

NUMBER = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Recorded:
    """`given`: on the page, "" for none; `shown`: the revision that the page was shown, 0 for none;
    `revisions`: all that are recorded, the first one first."""

    given: str
    shown: int
    revisions: tuple[str, ...] = ()

    @property
    def newest(self) -> str:
        return self.revisions[-1] if self.revisions else ""

    @property
    def is_untouched(self) -> bool:
        """Whether the page says nothing of its own."""
        return not self.given or self.given in self.revisions[: self.shown][-1:]

    @property
    def stands(self) -> str:
        """The answer to go by: what someone has changed on the page, else what is recorded."""
        return self.newest if self.is_untouched else self.given

    @property
    def is_change(self) -> bool:
        """Whether the page changes what is recorded, or answers first."""
        return self.stands != self.newest and self.shown >= len(self.revisions)

    @property
    def is_contradicted(self) -> bool:
        """Whether it was changed on the page, and to something else on another one."""
        return self.stands != self.newest and not self.is_change

    @property
    def is_overtaken(self) -> bool:
        """Whether it was changed on another page alone."""
        return bool(self.given) and self.given != self.stands


def recorded_answers(desk: Desk, answers: Mapping[str, str]) -> dict[str, Recorded]:
    """By the name of the field, for every question about a corpus."""
    return {name: _recorded(desk, answers, name) for name in desk.corpus_fields}


def _recorded(desk: Desk, answers: Mapping[str, str], name: str) -> Recorded:
    shown = answers.get(revision_of(name), "")
    revisions = desk.recorded.get(name, ())
    return Recorded(answers.get(name, ""), int(shown) if NUMBER.fullmatch(shown) else 0, revisions)


def beside_recorded(row: Row, recorded: Mapping[str, Recorded], *, submitting: bool) -> Row:
    """A row whose questions about a corpus say how they stand to what is recorded. `submitting`:
    where another answer was recorded than the page gives, that is an error."""
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
            "“%(answer)s” has been recorded here since this page was shown. Choose which of the two holds:"
            " what you submit then counts."
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
