"""The parts of the rating form as they stand: frozen values for the page to show and the lease to
store."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rubrics import rules
from rubrics.schema import Aid, Check, Clashes, Dimension, Effect, Level, Reason, Scope, Verdict
from tasks.fact_checks import SEARCH, Clock, minutes, search_for

from .fields import FactPlace, element_id
from .item_view import ShownResponse, ShownSet


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question: a radio button. `good`: it asserts no fault; only the look hangs on
    it."""

    id: str
    value: str
    wording: str
    help: str
    checked: bool
    best: bool
    good: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of the persona (`number` from 1) that an answer may be about."""

    name: str
    id: str
    number: int
    checked: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A check that must be answered. `marks`: the persona's lines, where the answer may name some
    (DQ-06).

    About a corpus: `shown`, the revision of the answer that the page was shown, and `revision`, the
    newest by now; `is_change`: the page answers otherwise than that, or first; `note`: what was
    recorded meanwhile.
    """

    name: str
    id: str
    check: Check
    choices: tuple[Choice, ...]
    key: str = ""
    marks: tuple[Mark, ...] = ()
    error: str = ""
    shown: int = 0
    revision: int = 0
    is_change: bool = False
    note: str = ""

    @property
    def kept_at_once(self) -> bool:
        """Whether the first answer is kept when it is given, and not with the rating (DQ-11)."""
        return self.check.scope is Scope.CORPUS

    @property
    def marked(self) -> tuple[int, ...]:
        """The lines that count: those marked, where the answer is the one that they bear out."""
        bears_out = any(answer.sets and answer.code == self.given for answer in self.check.answers)
        return tuple(mark.number for mark in self.marks if mark.checked) if bears_out else ()

    @property
    def given(self) -> str:
        return next((choice.value for choice in self.choices if choice.checked), "")


@dataclass(frozen=True, slots=True)
class Tick:
    """A check that may be ticked, or (`locked`) that the program has detected. `good`: as with a
    choice."""

    name: str
    id: str
    check: Check
    checked: bool
    locked: bool
    good: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class TickGroup:
    """Ticks that do the same to the score: "at most 4"."""

    consequence: str
    ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Detection:
    """A tick that the annotator did not make, though the program sees cause for it.

    The program asks about it at submit, and the answer is stored, also a no.
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
    """One score of a scale: a radio button; a barred one says why."""

    id: str
    level: Level
    checked: bool
    reasons: tuple[Reason, ...]

    @property
    def barred(self) -> bool:
        return bool(self.reasons)


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict in a few words; `tone` is forced, limited, open or clash."""

    tone: str
    text: str
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierAnswers:
    """What an earlier filling of the form said in a row: the score with its level's name, and the
    answers and ticks in words."""

    score: str
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One dimension of one target: questions, ticks, verdict, scale.

    `remarks` are on the score that is picked. `unseen`: something is said here that the annotator
    has not been shown before, so the form comes back once. `none_of_these`: the tick that says that
    no tick fits, where the project asks for a reason at every score. `mistakes`: (element id,
    wording, what is wrong) of its questions and ticks. `before`: what is being corrected. `fixed`:
    it can only be read.
    """

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
    none_of_these: Tick | None = None
    remarks: tuple[Reason, ...] = ()
    proposals: tuple[Reason, ...] = ()  # what refuted claims speak for
    detections: tuple[Detection, ...] = ()
    unseen: bool = False
    mistakes: tuple[tuple[str, str, str], ...] = ()
    errors: tuple[str, ...] = ()
    before: EarlierAnswers | None = None
    fixed: bool = False

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
        """Whether nothing has been said here: no answer, no tick, no score."""
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
        """All that the annotator is shown here once before the rating is stored."""
        return (*self.proposals, *self.remarks)

    @property
    def silenced(self) -> bool:
        """Whether nothing is asked, since what the program detected decides (RQ-06)."""
        return not isinstance(self.judgement, Clashes) and rules.silenced(
            self.dimension, self.facts
        )

    @property
    def has_best(self) -> bool:
        """Whether one key can answer all questions for a faultless target."""
        return any(question.check.best for question in self.questions)

    @property
    def invalid(self) -> bool:
        return bool(self.errors)


@dataclass(frozen=True, slots=True)
class Fact:
    """One claim that the annotator looked up (RQ-02), or a line for one.

    `sources`: addresses, a line each. `clock`: of the look-up, None where none was begun; `now` as
    of the desk, `limit` in seconds, `search` the address of the search without the claim;
    `annotator` looks it up (primary key). `errors`: (claim, outcome or sources; what is wrong with
    it).
    """

    place: FactPlace
    claim: str = ""
    outcome: str = ""
    sources: str = ""
    clock: Clock | None = None
    now: int = 0
    limit: int = 0
    search: str = SEARCH
    annotator: int = 0
    errors: tuple[tuple[str, str], ...] = ()

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
        """The sources."""
        return tuple(filter(None, map(str.strip, self.sources.splitlines())))

    @property
    def seconds(self) -> int | None:
        """How long it was looked up."""
        return self.clock.seconds(self.now) if self.clock else None

    @property
    def left(self) -> int:
        """Seconds that the look-up may still take."""
        return max(0, self.limit - (self.seconds or 0))

    @property
    def is_over_time(self) -> bool:
        """Whether the look-up took, or has taken, all the time that there is for it (RQ-02)."""
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
        """Where the claim is searched."""
        return search_for(self.claim, self.search)

    @property
    def wrong(self) -> dict[str, bool]:
        """Which of its fields have an error."""
        return {name: True for name, _text in self.errors}


@dataclass(frozen=True, slots=True)
class TargetSheet:
    """A response or a candidate set with all that is asked of it. `before`: comment and claims of
    what is being corrected. `fixed`: it can only be read."""

    shown: ShownResponse | ShownSet
    rows: tuple[Row, ...]
    aid: Aid | None = None
    facts: tuple[Fact, ...] = ()
    comment: str = ""
    before: tuple[str, ...] = ()
    fixed: bool = False

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
        """The row that the look-ups of claims are an aid to."""
        return next((row for row in self.rows if row.dimension.fact_check), None)

    @property
    def picked(self) -> tuple[str, ...]:
        """The scores picked so far, for the strip; "–" for none."""
        return tuple("–" if row.score is None else str(row.score) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The whole form.

    `notes` speak of several responses at once (RQ-04, RQ-11). `remarked`, and `news` of the notes:
    what is said for the first time. `errors` are (element id, what is wrong), in the order of the
    page, only after a submit. `sets_appear`: the candidate sets have just come into view. `seen` is
    what has now been said to the annotator, to be sent along. `storable`: nothing stands against
    it.
    """

    responses: tuple[TargetSheet, ...]
    sets: tuple[TargetSheet, ...]
    shows_sets: bool
    sets_appear: bool = False
    comment: str = ""
    notes: tuple[str, ...] = ()
    remarked: tuple[tuple[Row, Reason], ...] = ()
    news: tuple[str, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()
    unseen: bool = False
    between: tuple[tuple[str, Reason], ...] = ()  # (row name, remark that is kept with its score)
    seen: frozenset[str] = field(default_factory=frozenset)

    @property
    def targets(self) -> tuple[TargetSheet, ...]:
        return (*self.responses, *(self.sets if self.shows_sets else ()))

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for target in self.targets for row in target.rows)

    @property
    def asks(self) -> bool:
        """Whether a question of the program waits for its answer."""
        return any(row.unseen for row in self.rows)

    @property
    def storable(self) -> bool:
        return (
            not self.errors
            and not self.unseen
            and all(row.complete for row in self.rows)
            and (self.shows_sets or not self.sets)
        )

    def with_errors(self, errors: tuple[tuple[str, str], ...]) -> Sheet:
        """With errors of shape put before those of meaning."""
        return replace(self, errors=(*errors, *self.errors))

    def along_with(self, row: Row) -> tuple[Row, ...]:
        """The rows that a rule between targets may have changed along with one."""
        if not any(rule.effect is Effect.RANK_BELOW for rule in row.dimension.rules):
            return ()
        others = (other for other in self.rows if other.dimension.code == row.dimension.code)
        return tuple(other for other in others if other.id != row.id)

    def row(self, identifier: str) -> Row | None:
        return next((row for row in self.rows if row.id == identifier), None)
