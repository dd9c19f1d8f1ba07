"""The parts of a rubric below its dimensions: levels, checks, rules and texts.

They are frozen value objects, free of Django. Their fields are the entries of a document.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, TypeAlias

from .kinds import Detector, Effect, Kind, Scope

# The desk's own shortcuts, which no check may use. Digits are scores, and a minus is the answer
# without one. The others are skip, flag, back, look-up, best answer, pause, text or rendered,
# differences, not sure, rubric, help.
RESERVED_KEYS = frozenset("SFBWAZVU#.?-0123456789")
# Every form has these fields (r1.comment, r1.fact.1.claim); a dimension with such a code collides.
# The last two are parts of a draft.
RESERVED_DIMENSIONS = frozenset({"comment", "fact", "response", "about", "checks"})
# The fact that the response has a comment. A `require` may need it.
COMMENT = "comment"

# What a text of a document may be (`document`). A plain `str` is any text but a blank one.
Code: TypeAlias = Annotated[str, "code"]  # small letters, digits, "_" and "-"
Line: TypeAlias = Annotated[str, "line"]  # short enough for a button, a heading or a column
Short: TypeAlias = Annotated[str, "short"]  # fits in a narrow column
ClauseId: TypeAlias = Annotated[str, "clause id"]
Note: TypeAlias = Annotated[str, "note"]  # may be blank
Verbatim: TypeAlias = Annotated[str, "verbatim"]  # unchanged, white space included
# What a document may leave out and `documents.document.dump` writes even so: stored versions, whose
# digests stand in exports, have these entries.
WRITTEN = {"written": True}


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation."""

    role: str
    text: Verbatim


@dataclass(frozen=True, slots=True)
class Example:
    """A sample answer with the checks that hold for it and its score. A test judges each one."""

    score: int
    checks: tuple[str, ...]
    why: str
    history: tuple[Turn, ...] = ()
    persona: tuple[str, ...] = ()
    response: Verbatim | None = None  # for the unit "response"
    candidates: tuple[Verbatim, ...] = ()  # for candidate sets
    elsewhere: tuple[
        Verbatim, ...
    ] = ()  # for candidate sets: the model's responses to other histories


@dataclass(frozen=True, slots=True)
class Level:
    """One score of a scale."""

    score: int
    label: Line = ""
    definition: str = ""
    between: bool = False  # the source describes only the scores on either side
    illustrations: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    clauses: tuple[ClauseId, ...] = ()
    reading: Note = ""  # the code of the guidance that decides where the source is unclear


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a `yes_no` or `one_of` check."""

    code: Code
    wording: Line
    sets: Code | None = None  # the fact that the answer asserts
    help: Note = ""
    clauses: tuple[ClauseId, ...] = ()
    reading: Note = ""  # as in `Level`


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of the asserted facts.

    The parts are joined by `and`. A condition without parts always holds.
    """

    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    at_least: int = 0
    of: tuple[str, ...] = ()

    @property
    def positive(self) -> tuple[str, ...]:
        """The facts whose presence helps the condition to hold."""
        return (*self.all_of, *self.any_of, *self.of)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.positive, *self.none_of)

    def holds(self, facts: frozenset[str], possible: frozenset[str] | None = None) -> bool:
        """Return True if the facts meet all parts.

        `possible` has all facts that may be asserted yet: `none_of` must name none of them.
        """
        if self.all_of and not facts.issuperset(self.all_of):
            return False
        if self.any_of and facts.isdisjoint(self.any_of):
            return False
        absent = facts if possible is None else possible
        if self.none_of and not absent.isdisjoint(self.none_of):
            return False
        return not self.at_least or sum(name in facts for name in self.of) >= self.at_least


@dataclass(frozen=True, slots=True)
class Check:
    """An observation that the annotator makes or the program detects.

    A tick or a detected check asserts its own code. A `yes_no` or `one_of` check asserts the fact
    that the chosen answer `sets`.
    """

    code: Code
    kind: Kind
    wording: Line
    help: Note = ""
    key: Note = ""
    scope: Scope = Scope.TARGET
    answers: tuple[Answer, ...] = ()
    # The answer for a faultless response. One key gives this answer to all checks that have one.
    best: Note | None = None
    # On a tick: if the detector fires and the annotator submits without the tick, the desk asks.
    detector: Detector | None = None
    asks: Note = ""  # the question that the desk then asks
    marks_persona: bool = False
    # Asked only if this holds. It names facts of the whole response, and of checks before this one.
    when: Condition = field(default_factory=Condition)
    clauses: tuple[ClauseId, ...] = ()
    reading: Note = ""  # as in `Level`

    @property
    def needs_answer(self) -> bool:
        """True if the annotator must give an answer."""
        return self.kind is Kind.YES_NO or self.kind is Kind.ONE_OF

    @property
    def facts(self) -> tuple[str, ...]:
        """The names that answers to this check can assert. The conditions of rules use them."""
        if self.needs_answer:
            return tuple(answer.sets for answer in self.answers if answer.sets)
        return (self.code,)


@dataclass(frozen=True, kw_only=True)  # no slots, because of cached_property
class Rule:
    """A condition over the checks and its effect on the scores."""

    code: Code
    clause: ClauseId = ""
    effect: Effect
    # {ticked} is replaced by the names of the facts that made the rule act,
    # {needs} by those of `needs` that a `require` still lacks.
    reason: str
    when: Condition = field(default_factory=Condition)
    # force, cap, floor: the score. rank_below: the score at which a tie passes.
    score: int | None = None
    scores: tuple[int, ...] = ()  # require, advise: the scores that the rule applies to
    needs: Condition = field(default_factory=Condition)  # require
    or_needs: tuple[Condition, ...] = ()  # require: each is enough in place of `needs`
    against: tuple[str, ...] = ()  # exclude: none of these together with the condition
    # require: added to the reason if a fault is ticked that `needs` does not name ({ticked}).
    remark: Note = ""
    between: Detector | None = None  # advise: compares two targets that this detector pairs
    # advise with `between`: silent if exactly one of the pair has one of these facts.
    unless_one: tuple[str, ...] = ()
    unbound: bool = False  # advise: silent if another target binds this one by a `rank_below`
    precedence: int = 0  # force: the highest decides
    # What stands under the scores in place of a longer reason.
    line: Note = ""
    # require: what the scores still need, in few words: "four best answers".
    not_yet: Note = ""
    reading: Note = ""  # as in `Level`

    @cached_property
    def names(self) -> frozenset[str]:
        """The facts that make the rule act or that it excludes."""
        return frozenset((*self.when.positive, *self.against))

    @property
    def ways(self) -> tuple[Condition, ...]:
        """The conditions of a `require`, one of which must hold."""
        return (self.needs, *self.or_needs)

    @property
    def needed_facts(self) -> tuple[str, ...]:
        """The facts whose presence helps to meet a `require`."""
        return tuple(name for way in self.ways for name in way.positive)

    def is_met(self, facts: frozenset[str]) -> bool:
        """Return True if the facts are what a `require` needs."""
        return any(way.holds(facts) for way in self.ways)


@dataclass(frozen=True, slots=True)
class Guidance:
    """A help text that the form always offers."""

    code: Code
    title: Line
    text: str
    clauses: tuple[ClauseId, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the source: what it asks, in one line and in the rubric's own words."""

    id: ClauseId
    source: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A clause's place in the source, and what the rubric adds to it."""

    clause: ClauseId
    where: Note = ""  # paragraph and line
    added: Note = ""  # what is ours, in our words
    text: Verbatim = ""  # the source's own text, word for word


@dataclass(frozen=True, slots=True)
class Aid:
    """A tool of the form.

    `fact_check` is the only kind so far. A rubric has at most one; without it the form has no
    look-ups.
    """

    code: Code
    kind: Code
    title: Line
    text: str
    seconds: int = 180  # for each claim
    proposes: Note = ""  # the fact of this dimension that the outcome `refuted` suggests
    clauses: tuple[ClauseId, ...] = ()


@dataclass(frozen=True, slots=True)
class Needs:
    """The requirements on an item for a dimension to apply.

    The form leaves out a dimension whose requirements the item does not meet.
    """

    persona: bool = False
    history: bool = False
    candidates: int = 0  # at least so many responses of the model to this history
    other_histories: int = 0  # at least so many further histories of the batch with its responses
    tags: tuple[Code, ...] = ()  # one of these among the item's tags
