"""View models of the rating form: frozen values that the page shows and the lease stores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rubrics import rules
from rubrics.schema import Aid, Check, Clashes, Dimension, Effect, Level, Reason, Scope, Verdict
from tasks.fact_checks import SEARCH, Clock, minutes, search_for

from .fields import FactPlace, element_id
from .item_view import ShownResponse, ShownSet


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question: a radio button."""

    id: str
    value: str
    wording: str
    help: str
    checked: bool
    best: bool
    good: bool  # asserts no fault; affects the styling only


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of the persona that an answer may be about."""

    name: str
    id: str
    number: int  # from 1
    checked: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A check that must be answered."""

    name: str
    id: str
    check: Check
    choices: tuple[Choice, ...]
    key: str = ""
    marks: tuple[Mark, ...] = ()  # the persona's lines, if the answer may name some (DQ-06)
    error: str = ""
    # Only for a question about a corpus:
    shown: int = 0  # revision of the answer that the page was shown
    revision: int = 0  # newest revision
    is_change: bool = False  # the page gives the first answer, or changes the newest
    note: str = ""  # about an answer recorded meanwhile

    @property
    def kept_at_once(self) -> bool:
        """True if the first answer is saved at once and not with the rating (DQ-11)."""
        return self.check.scope is Scope.CORPUS

    @property
    def marked(self) -> tuple[int, ...]:
        """The numbers of the marked lines; none unless the answer given asserts a fact."""
        bears_out = any(answer.sets and answer.code == self.given for answer in self.check.answers)
        return tuple(mark.number for mark in self.marks if mark.checked) if bears_out else ()

    @property
    def given(self) -> str:
        return next((choice.value for choice in self.choices if choice.checked), "")


@dataclass(frozen=True, slots=True)
class Tick:
    """A check that may be ticked, or that the program has detected."""

    name: str
    id: str
    check: Check
    checked: bool
    locked: bool  # detected by the program
    good: bool = False  # as in `Choice`
    error: str = ""


@dataclass(frozen=True, slots=True)
class TickGroup:
    """Ticks with the same effect on the score, such as "at most 4"."""

    consequence: str
    ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Detection:
    """A check that the program detects and the annotator did not tick.

    The program asks about it at submit. The answer is stored, even if it is no.
    """

    name: str
    id: str
    code: str
    key: str
    question: str
    answer: str

    @property
    def pending(self) -> bool:
        return self.answer not in ("yes", "no")


@dataclass(frozen=True, slots=True)
class ScaleLevel:
    """One score of a scale: a radio button."""

    id: str
    level: Level
    checked: bool
    reasons: tuple[Reason, ...]  # why it is barred

    @property
    def barred(self) -> bool:
        return bool(self.reasons)


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict in a few words."""

    tone: str  # forced, limited, open or clash
    text: str
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierAnswers:
    """The answers in a row of an earlier version of the form."""

    score: str  # with the label of its level
    said: tuple[str, ...] = ()  # answers and ticks in words


@dataclass(frozen=True, slots=True)
class Row:
    """One dimension of one target: questions, ticks, verdict, scale."""

    name: str
    id: str
    dimension: Dimension
    target: ShownResponse | ShownSet
    questions: tuple[Question, ...]
    tick_groups: tuple[TickGroup, ...]
    levels: tuple[ScaleLevel, ...]
    headline: Headline
    judgement: Verdict | Clashes
    facts: frozenset[str]
    score: int | None
    corpus: tuple[Question, ...] = ()
    none_of_these: Tick | None = None  # only if the project asks for a reason at every score
    remarks: tuple[Reason, ...] = ()  # on the score picked
    proposals: tuple[Reason, ...] = ()  # from refuted claims
    detections: tuple[Detection, ...] = ()
    unseen: bool = False  # a detection awaits its answer, so the form is shown once more
    mistakes: tuple[tuple[str, str, str], ...] = ()  # (element id, check, message)
    errors: tuple[str, ...] = ()
    before: EarlierAnswers | None = None  # of the rating being corrected
    fixed: bool = False  # read-only

    @property
    def complete(self) -> bool:
        return (
            isinstance(self.judgement, Verdict)
            and not self.judgement.missing
            and self.score is not None
            and self.score in self.judgement.open
            and (self.none_of_these is None or self.none_of_these.checked is not self.is_ticked)
        )

    @property
    def untouched(self) -> bool:
        """True if the row has no answer, no tick and no score."""
        answered = any(question.given for question in (*self.questions, *self.corpus))
        return self.score is None and not answered and not self.is_ticked

    @property
    def is_ticked(self) -> bool:
        answered = any(detection.answer == "yes" for detection in self.detections)
        return answered or any(tick.checked for tick in self.ticks)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        return tuple(tick for group in self.tick_groups for tick in group.ticks)

    @property
    def told(self) -> tuple[Reason, ...]:
        """Everything that the annotator must see once before the rating is stored."""
        return (*self.proposals, *self.remarks)

    @property
    def silenced(self) -> bool:
        """True if nothing is asked because a detected check decides the score (RQ-06)."""
        return not isinstance(self.judgement, Clashes) and rules.silenced(
            self.dimension, self.facts
        )

    @property
    def has_best(self) -> bool:
        """True if one key can answer all questions for a faultless target."""
        return any(question.check.best for question in self.questions)

    @property
    def invalid(self) -> bool:
        return bool(self.errors)


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim that the annotator looked up (RQ-02), or an empty line for one."""

    place: FactPlace
    claim: str = ""
    outcome: str = ""
    sources: str = ""  # addresses, one a line
    clock: Clock | None = None  # None if no look-up was started
    now: int = 0  # as in `ItemView`
    limit: int = 0  # seconds for the look-up
    search: str = SEARCH  # address of the search, without the claim
    annotator: int = 0  # primary key
    errors: tuple[tuple[str, str], ...] = ()  # (claim, outcome or sources; message)

    @property
    def prefix(self) -> str:
        return self.place.prefix

    @property
    def id(self) -> str:
        return element_id(self.place.prefix)

    @property
    def number(self) -> int:
        return self.place.number

    @property
    def blank(self) -> bool:
        return not (self.claim.strip() or self.outcome or self.sources.strip())

    @property
    def addresses(self) -> tuple[str, ...]:
        """The sources, one each, without blank lines."""
        return tuple(filter(None, map(str.strip, self.sources.splitlines())))

    @property
    def seconds(self) -> int | None:
        """The time spent on the look-up; None if none was started."""
        return self.clock.seconds(self.now) if self.clock else None

    @property
    def left(self) -> int:
        """Seconds left for the look-up."""
        return max(0, self.limit - (self.seconds or 0))

    @property
    def is_over_time(self) -> bool:
        """True if the look-up has used up its time (RQ-02)."""
        return self.clock is not None and not self.left

    @property
    def spent_shown(self) -> str:
        return minutes(self.seconds or 0)

    @property
    def left_shown(self) -> str:
        return minutes(self.left)

    @property
    def limit_shown(self) -> str:
        return minutes(self.limit)

    @property
    def address(self) -> str:
        """The address that searches for the claim."""
        return search_for(self.claim, self.search)

    @property
    def wrong(self) -> dict[str, bool]:
        """The fields with an error, each mapped to True."""
        return {name: True for name, _text in self.errors}


@dataclass(frozen=True, slots=True)
class TargetSheet:
    """A response or a candidate set with everything asked about it."""

    shown: ShownResponse | ShownSet
    rows: tuple[Row, ...]
    aid: Aid | None = None
    facts: tuple[Fact, ...] = ()
    comment: str = ""
    before: tuple[str, ...] = ()  # comment and claims of the rating being corrected
    fixed: bool = False  # read-only

    @property
    def key(self) -> str:
        return self.shown.key

    @property
    def name(self) -> str:
        return self.shown.name

    @property
    def complete(self) -> bool:
        return all(row.complete for row in self.rows)

    @property
    def looked_up(self) -> bool:
        return any(not fact.blank or fact.errors for fact in self.facts)

    @property
    def aided(self) -> Row | None:
        """The row whose dimension uses look-ups of claims."""
        return next((row for row in self.rows if row.dimension.fact_check), None)

    @property
    def picked(self) -> tuple[str, ...]:
        """The scores picked so far, for the strip; "–" for none."""
        return tuple("–" if row.score is None else str(row.score) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The whole form."""

    responses: tuple[TargetSheet, ...]
    sets: tuple[TargetSheet, ...]
    shows_sets: bool
    sets_appear: bool = False  # the candidate sets are shown for the first time
    comment: str = ""
    notes: tuple[str, ...] = ()  # about several responses at once (RQ-04, RQ-11)
    remarked: tuple[tuple[Row, Reason], ...] = ()  # the rows' remarks not shown before
    news: tuple[str, ...] = ()  # the notes not shown before
    errors: tuple[tuple[str, str], ...] = ()  # (element id, message) in page order, after a submit
    unseen: bool = False  # a submit must show the form once more before the rating is stored
    between: tuple[tuple[str, Reason], ...] = ()  # (row name, remark stored with its score)
    seen: frozenset[str] = field(default_factory=frozenset)  # all that was shown; posted back

    @property
    def targets(self) -> tuple[TargetSheet, ...]:
        return (*self.responses, *(self.sets if self.shows_sets else ()))

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for target in self.targets for row in target.rows)

    @property
    def asks(self) -> bool:
        """True if a question of the program awaits its answer."""
        return any(row.unseen for row in self.rows)

    @property
    def storable(self) -> bool:
        """True if nothing prevents storing the rating."""
        return (
            not self.errors
            and not self.unseen
            and all(row.complete for row in self.rows)
            and (self.shows_sets or not self.sets)
        )

    def with_errors(self, errors: tuple[tuple[str, str], ...]) -> Sheet:
        """Return a copy with the errors of form fields before the sheet's own."""
        return replace(self, errors=(*errors, *self.errors))

    def along_with(self, row: Row) -> tuple[Row, ...]:
        """Return the other rows that a rule between targets may change along with this one."""
        if not any(rule.effect is Effect.RANK_BELOW for rule in row.dimension.rules):
            return ()
        others = (other for other in self.rows if other.dimension.code == row.dimension.code)
        return tuple(other for other in others if other.id != row.id)

    def row(self, identifier: str) -> Row | None:
        return next((row for row in self.rows if row.id == identifier), None)
