"""Parts of a row as the page shows them: questions, ticks, and what the program asks."""

from dataclasses import dataclass, field
from typing import NamedTuple

from rubrics.judging.kinds import Kind
from rubrics.judging.parts import Check

from .fields import element_id


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of the persona that an answer may be about."""

    name: str
    number: int  # from 1
    text: str
    checked: bool


@dataclass(frozen=True, slots=True, eq=False)  # each class below says what makes it equal
class FormPart:
    """A part of the form, under the name of its field."""

    name: str
    is_applicable: bool = field(default=True, kw_only=True)
    # The question that decides whether it is asked; "" if it is, or can't be asked any more.
    waits_for: str = field(default="", kw_only=True)

    @property
    def is_hidden(self) -> bool:
        """True if it can't be asked any more."""
        return not (self.is_applicable or self.waits_for)

    @property
    def counts(self) -> bool:
        """True if it is asked. Any other answer stays in the draft, and asserts nothing."""
        return self.is_applicable

    @property
    def id(self) -> str:
        return element_id(self.name)

    @property
    def focus(self) -> str:
        """The id of the element to go to."""
        return self.id


class AboutCorpus(NamedTuple):
    """An answer about a corpus (DQ-11), which stands on every page of the batch.

    An answer on the page that is not the one that the page was shown is a click. It is saved, and
    the last click counts.
    """

    on_page: str  # "" for none, as below
    previous_answer: str  # as the page was shown it
    stored: str
    check: str  # its code

    @property
    def is_click(self) -> bool:
        """True if it was clicked on the page and is not stored yet."""
        return self.on_page not in ("", self.previous_answer, self.stored)

    @property
    def is_news(self) -> bool:
        """True if another answer is stored than the one that the page was shown."""
        return self.previous_answer != self.stored

    @property
    def answer(self) -> str:
        return self.on_page if self.is_click else self.stored


@dataclass(frozen=True, slots=True)
class CheckQuestion(FormPart):
    """A check that must be answered."""

    check: Check
    answer: str  # code of the answer; "" for none
    good: frozenset[str]  # codes of the answers that assert no fault; affects the styling only
    marks: tuple[Mark, ...] = ()  # the persona's lines, if the answer may name some (DQ-06)
    error: str = ""
    about_corpus: AboutCorpus | None = None  # only for a question about a corpus (DQ-11)
    excluded: frozenset[str] = frozenset()  # answers that do not go with what forces the score

    @property
    def has_many(self) -> bool:
        """True if the answers need a line of their own: they have many letters, with gaps."""
        return sum(len(answer.wording) + 3 for answer in self.check.answers) > 36

    @property
    def counts(self) -> bool:
        """True if it is asked, and what forces the score does not exclude its answer."""
        return self.is_applicable and self.answer not in self.excluded

    @property
    def is_clicked(self) -> bool:
        """True for an answer about a corpus that is still to be saved."""
        return self.about_corpus is not None and self.about_corpus.is_click

    @property
    def marked(self) -> tuple[int, ...]:
        """The numbers of the marked lines; none unless the answer asserts a fact."""
        for answer in self.check.answers:
            if answer.sets and answer.code == self.answer:
                return tuple(mark.number for mark in self.marks if mark.checked)
        return ()

    @property
    def focus(self) -> str:
        """The id of the first answer."""
        return f"{self.id}-{self.check.answers[0].code}"


@dataclass(frozen=True, slots=True)
class Tick(FormPart):
    """A check that may be ticked, or that the program has detected."""

    check: Check
    checked: bool
    good: bool = False  # as in `CheckQuestion`
    error: str = ""
    excluded: bool = False  # as in `CheckQuestion`

    @property
    def counts(self) -> bool:
        """True if it is asked, and goes with what forces the score."""
        return self.is_applicable and not self.excluded

    @property
    def locked(self) -> bool:
        """True if the program has detected it."""
        return self.check.kind is Kind.DETECTED


class TickGroup(NamedTuple):
    """Ticks that do the same to the scores, under a heading that says what: "at most 4"."""

    heading: str
    ticks: tuple[Tick, ...]
    heading_lines: int = 0  # the room for the heading, where it changes; 0 if it does not


@dataclass(frozen=True, slots=True)
class Detection(FormPart):
    """A check that the program detects and the annotator did not tick.

    The program asks about it at submit. The answer is stored, even if it is no.
    """

    check: Check
    question: str
    answer: str

    @property
    def pending(self) -> bool:
        return self.answer not in ("yes", "no")
