"""The typed result of the rating form, already checked against the rubric's rules."""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from .slot_answers import ASKED, WHOLE, FieldName, SlotAnswers

VERSION = 2  # of the fingerprint


@dataclass(frozen=True, slots=True)
class DraftVersion:
    """The page that sends a form, and the draft that it was loaded with."""

    writer: str  # a random name for each page view
    number: int = 0  # counts the requests of the page
    loaded: str = ""  # `Draft.version` of the draft that the page was loaded with


@dataclass(frozen=True, slots=True)
class SeenRemark:
    """A remark that the annotator saw and left as it was when they submitted."""

    clause: str
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class SubmittedScore:
    """One score of a response or of a candidate set."""

    dimension: str
    unit: str
    response: int | None  # primary key; None for a candidate set of `model`
    model: str
    position: int  # on the desk, from 1
    value: int | None
    open: tuple[int, ...]
    clauses: tuple[str, ...]
    remarks: tuple[SeenRemark, ...]
    answers: SlotAnswers  # those that count
    without: str = ""  # why there is no value: a `Without`


@dataclass(frozen=True, slots=True)
class SubmittedClaim:
    """One claim of a response that the annotator looked up."""

    response: int
    position: int
    claim: str
    outcome: str
    sources: str  # addresses, one per line
    seconds: int | None = None  # None without a clock
    over_time: bool = False  # took all the time allowed, or more


@dataclass(frozen=True)  # without slots: cached_property stores the fingerprint
class Submission:
    """Everything that one annotator says about one item."""

    scores: tuple[SubmittedScore, ...]
    comments: tuple[tuple[int, str], ...] = ()  # by the primary key of the response
    # The answers about the whole response, by its position on the desk, from 1.
    wholes: tuple[tuple[int, SlotAnswers], ...] = ()
    comment: str = ""
    facts: tuple[SubmittedClaim, ...] = ()
    not_sure: bool = False  # for the annotator only
    active_seconds: int | None = None
    view: str = ""  # how the texts were shown
    sent_by: DraftVersion | None = None  # None: not by a page

    @property
    def question_answers(self) -> dict[str, str]:
        """The answers to questions of the program, by the name of their field."""
        slots = [(f"r{position}", WHOLE, answers) for position, answers in self.wholes]
        for score in self.scores:
            kind = "s" if score.response is None else "r"
            slots.append((f"{kind}{score.position}", score.dimension, score.answers))
        by_field: dict[str, str] = {}
        for target, dimension, answers in slots:
            for check, part, answer in answers.entries:
                if part == ASKED:
                    by_field[str(FieldName(target, dimension, check, part))] = answer
        return by_field

    def active_within(self, seconds: int) -> int | None:
        """Return the active seconds, at most `seconds`, since the browser's clock may be wrong."""
        return None if self.active_seconds is None else min(self.active_seconds, seconds)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the answers, in hexadecimal.

        It leaves out the time taken, the way the texts were shown and the page that sent them.
        Raise `VERSION` with any change of what is hashed: the same answers sent again before and
        after it count as different.
        """
        answers = {
            "version": VERSION,
            "scores": self.scores,
            "comments": self.comments,
            "comment": self.comment,
            "facts": [
                (fact.response, fact.position, fact.claim, fact.outcome, fact.sources)
                for fact in self.facts
            ],
            "not_sure": self.not_sure,
        }
        if self.wholes:
            answers["wholes"] = self.wholes
        canonical = json.dumps(answers, default=_by_name, sort_keys=True)
        return sha256(canonical.encode()).hexdigest()


def _by_name(submitted: SubmittedScore | SeenRemark | SlotAnswers) -> object:
    if isinstance(submitted, SlotAnswers):
        return submitted.entries
    # The value None says enough, and the fingerprints of older ratings had no `without`.
    return {name: getattr(submitted, name) for name in submitted.__slots__ if name != "without"}
