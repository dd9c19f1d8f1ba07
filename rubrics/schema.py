"""What a rubric is, as values: frozen, typed, and free of Django.

Everything that asks, judges, shows or exports works on these. They are read from a document
(`rubrics.document`) or from a published version's tables (`rubrics.models.Rubric.schema`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# Keys of the desk itself, which no check may take: digits are scores; flag, skip, back, search, the next and
# the previous response, all for the best, help.
RESERVED_KEYS = frozenset("SFBWJKA?0123456789")
# Fields of every form, which a dimension's code would collide with: r1.comment, r1.fact.1.claim.
RESERVED_DIMENSIONS = frozenset({"comment", "fact"})


class Unit(StrEnum):
    """What one score is about."""

    RESPONSE = "response"
    CANDIDATE_SET = "candidate_set"  # all responses of one model to one history


class Kind(StrEnum):
    """How a check is answered."""

    TICK = "tick"  # optional
    YES_NO = "yes_no"  # must be answered
    ONE_OF = "one_of"  # must be answered
    DETECTED = "detected"  # by the program; locked


class Scope(StrEnum):
    """What one answer to a check is about."""

    TARGET = "target"  # one answer for each scored thing
    CORPUS = "corpus"  # one per annotator, model and batch


class Effect(StrEnum):
    """What a rule does to the scores."""

    FORCE = "force"
    CAP = "cap"
    FLOOR = "floor"
    REQUIRE = "require"
    EXCLUDE = "exclude"
    RANK_BELOW = "rank_below"
    ADVISE = "advise"


class Detector(StrEnum):
    """What the program can see in a text (`rubrics.detectors`)."""

    EMPTY = "empty"
    REPEATS = "repeats"
    SAME_AS_QUERY = "same_as_query"
    TWINS = "twins"  # concerns two responses: carried by a rule, never by a check


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """A specimen with the checks that hold for it and the score it gets; judged by a test.

    `response` for the unit response; `candidates`, and `elsewhere` (what the model said to other
    histories), for candidate sets.
    """

    score: int
    checks: tuple[str, ...]
    why: str
    history: tuple[Turn, ...] = ()
    persona: tuple[str, ...] = ()
    response: str | None = None
    candidates: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """One score of a scale. `between`: the source describes only its neighbours."""

    score: int
    label: str
    definition: str
    between: bool = False
    illustrations: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a `yes_no` or `one_of` check; `sets` names the fact that it asserts, if any."""

    code: str
    wording: str
    sets: str | None = None
    help: str = ""
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """What the annotator observes, or the program detects.

    A tick or a detected check asserts its own code. A `yes_no` or `one_of` check asserts what the
    chosen answer `sets`. `best` is the answer that stands for a faultless response: one key gives it to
    all checks that have one. A `detector` on a tick is asked about when the annotator submits without
    having ticked it, with `asks` as the question.
    """

    code: str
    kind: Kind
    wording: str
    help: str = ""
    key: str = ""
    scope: Scope = Scope.TARGET
    answers: tuple[Answer, ...] = ()
    best: str | None = None
    detector: Detector | None = None
    asks: str = ""
    marks_persona: bool = False
    clauses: tuple[str, ...] = ()

    @property
    def asked(self) -> bool:
        """Whether an answer must be given."""
        return self.kind is Kind.YES_NO or self.kind is Kind.ONE_OF

    @property
    def facts(self) -> tuple[str, ...]:
        """The names that answers to this check can assert; conditions of rules speak of these."""
        if self.asked:
            return tuple(answer.sets for answer in self.answers if answer.sets)
        return (self.code,)


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of the asserted facts: its parts joined by `and`. Without parts it always holds."""

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

    def holds(self, facts: frozenset[str]) -> bool:
        return (
            facts.issuperset(self.all_of)
            and (not self.any_of or not facts.isdisjoint(self.any_of))
            and facts.isdisjoint(self.none_of)
            and (not self.at_least or sum(name in facts for name in self.of) >= self.at_least)
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """Condition over the checks → effect. What each effect reads:

    force, cap, floor: `score`. require: `scores` and `needs`. exclude: `against` (none of these together
    with the condition). rank_below: `remark`, said of targets that are not comparable. advise: `scores`,
    or `between` two targets that a detector pairs, `unless_one` of the pair has one of these checks.
    `precedence` orders forces: the highest decides.
    """

    code: str
    clause: str
    effect: Effect
    reason: str
    when: Condition = field(default_factory=Condition)
    score: int | None = None
    scores: tuple[int, ...] = ()
    needs: Condition = field(default_factory=Condition)
    against: tuple[str, ...] = ()
    remark: str = ""
    between: Detector | None = None
    unless_one: tuple[str, ...] = ()
    precedence: int = 0


@dataclass(frozen=True, slots=True)
class Guidance:
    """Text that is always at hand."""

    code: str
    title: str
    text: str
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Aid:
    """A tool of the form. The one kind so far is `fact_check`: claims looked up, `seconds` for each;
    the outcome `refuted` proposes the check `proposes` of the dimension it stands in."""

    code: str
    kind: str
    title: str
    text: str
    seconds: int = 180
    proposes: str = ""
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Needs:
    """What an item must have for a dimension to apply; where it has not, the dimension is not asked.

    `candidates`: responses of the model to this history; `other_histories`: further histories of the
    batch that the model answered.
    """

    persona: bool = False
    history: bool = False
    candidates: int = 0
    other_histories: int = 0


@dataclass(frozen=True, slots=True)
class Dimension:
    """One scale. `sample`: how many histories of a corpus are shown for a check of scope corpus."""

    code: str
    short: str
    title: str
    question: str
    unit: Unit
    lowest: int
    highest: int
    levels: tuple[Level, ...]
    checks: tuple[Check, ...]
    rules: tuple[Rule, ...]
    needs: Needs = field(default_factory=Needs)
    sample: int = 50
    guidance: tuple[Guidance, ...] = ()
    aids: tuple[Aid, ...] = ()
    clauses: tuple[str, ...] = ()

    @property
    def scores(self) -> range:
        return range(self.lowest, self.highest + 1)

    def level(self, score: int) -> Level:
        return next(level for level in self.levels if level.score == score)

    def check(self, code: str) -> Check:
        return next(check for check in self.checks if check.code == code)

    @property
    def facts(self) -> tuple[str, ...]:
        """Every name that can be asserted, in the order of the checks."""
        return tuple(fact for check in self.checks for fact in check.facts)

    def asserted_by(self, answers: Mapping[str, str]) -> frozenset[str]:
        """The facts that answers assert: check code → answer code, or anything for a tick."""
        facts: set[str] = set()
        for check in self.checks:
            given = answers.get(check.code, "")
            if check.asked:
                facts.update(answer.sets for answer in check.answers if answer.code == given and answer.sets)
            elif given:
                facts.add(check.code)
        return frozenset(facts)

    @property
    def faults(self) -> frozenset[str]:
        """The facts that cap or force, whatever else holds (rubrics.md: "a fault is any check that
        caps or forces")."""
        return frozenset(
            name
            for rule in self.rules
            if rule.effect in (Effect.CAP, Effect.FORCE)
            for name in rule.when.positive
        )

    def wording_of(self, fact: str) -> str:
        """How a fact is named to people: the tick's wording, or the check's with the answer's."""
        for check in self.checks:
            for answer in check.answers:
                if answer.sets == fact:
                    return f"{check.wording}: {answer.wording}"
            if check.code == fact and not check.asked:
                return check.wording
        raise KeyError(fact)


@dataclass(frozen=True, slots=True)
class Rubric:
    """What is asked of an item, and how each answer is judged."""

    slug: str
    title: str
    summary: str
    dimensions: tuple[Dimension, ...]
    language: str = "en"
    guidance: tuple[Guidance, ...] = ()

    def dimension(self, code: str) -> Dimension:
        return next(dimension for dimension in self.dimensions if dimension.code == code)

    def carriers(self) -> Iterator[tuple[str, str]]:
        """(clause id, what carries it) for everything that carries one: the traceability table."""
        for text in self.guidance:
            for clause in text.clauses:
                yield clause, f"guidance {text.code}"
        for dimension in self.dimensions:
            place = dimension.code
            for clause in dimension.clauses:
                yield clause, f"dimension {place}"
            for text in dimension.guidance:
                for clause in text.clauses:
                    yield clause, f"guidance {place}.{text.code}"
            for aid in dimension.aids:
                for clause in aid.clauses:
                    yield clause, f"aid {place}.{aid.code}"
            for level in dimension.levels:
                for clause in level.clauses:
                    yield clause, f"level {place}.{level.score}"
            for check in dimension.checks:
                for clause in check.clauses:
                    yield clause, f"check {place}.{check.code}"
                for answer in check.answers:
                    for clause in answer.clauses:
                        yield clause, f"answer {place}.{check.code}.{answer.code}"
            for rule in dimension.rules:
                yield rule.clause, f"rule {place}.{rule.code}"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a score is barred, or what is remarked: the rule, its clause, and the words shown."""

    clause: str
    rule: str
    effect: Effect
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A score that is not open, with every rule that bars it."""

    score: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said, once, of an open score; the annotator may go on."""

    scores: tuple[int, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be scored, given the checks.

    `open` is never empty. `forced` is the score that a force sets. `overridden` are the forces that a
    higher precedence beat. `missing` are the codes of checks that must still be answered.
    """

    open: tuple[int, ...]
    barred: tuple[Bar, ...]
    remarks: tuple[Remark, ...]
    overridden: tuple[Reason, ...] = ()
    missing: tuple[str, ...] = ()
    forced: int | None = None

    def bars(self, score: int) -> tuple[Reason, ...]:
        """The reasons that bar a score; empty where it is open."""
        return next((bar.reasons for bar in self.barred if bar.score == score), ())

    def remarks_on(self, score: int) -> tuple[Reason, ...]:
        return tuple(remark.reason for remark in self.remarks if score in remark.scores)

    @property
    def acting(self) -> tuple[Reason, ...]:
        """Every rule that bars something, once, in the rubric's order."""
        return tuple(dict.fromkeys(reason for bar in self.barred for reason in bar.reasons))


@dataclass(frozen=True, slots=True)
class Clash:
    """Checks that cannot hold together. Nothing can be judged until one is taken back."""

    checks: tuple[str, ...]
    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class Clashes:
    """All that clashes in one set of checks; stands in the place of a verdict."""

    clashes: tuple[Clash, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """One target of an item as answered so far: `key` names it within the item.

    `answered`: codes of the asked checks that have an answer (None: all have). `score`: the score
    entered, if any.
    """

    key: str
    facts: frozenset[str]
    score: int | None = None
    answered: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class OutOfOrder:
    """Two scores that contradict a `rank_below`: `lower` must score below `higher`."""

    lower: str
    higher: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class ItemRemark:
    """A remark that concerns two targets of an item."""

    keys: tuple[str, str]
    reason: Reason


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """One dimension over all targets of an item: the judgement of each, by key, and what holds between."""

    judgements: tuple[tuple[str, Verdict | Clashes], ...]
    out_of_order: tuple[OutOfOrder, ...] = ()
    remarks: tuple[ItemRemark, ...] = ()

    def of(self, key: str) -> Verdict | Clashes:
        return next(judgement for name, judgement in self.judgements if name == key)
