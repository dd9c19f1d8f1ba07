"""What a rubric is, as values: frozen, typed, and free of Django.

Everything that asks, judges, shows or exports works on these. They are read from a document
(`rubrics.document`) or from a published version's tables (`rubrics.models.Rubric.schema`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .kinds import Detector, Effect, Kind, Scope, Unit
from .verdict import (
    Bar,
    Clash,
    Clashes,
    ItemRemark,
    ItemVerdict,
    Judged,
    OutOfOrder,
    Reason,
    Remark,
    Verdict,
)

__all__ = [
    "RESERVED_DIMENSIONS",
    "RESERVED_KEYS",
    "Aid",
    "Answer",
    "Bar",
    "Check",
    "Clash",
    "Clashes",
    "Condition",
    "Detector",
    "Dimension",
    "Effect",
    "Example",
    "Guidance",
    "ItemRemark",
    "ItemVerdict",
    "Judged",
    "Kind",
    "Level",
    "Needs",
    "OutOfOrder",
    "Reason",
    "Remark",
    "Rubric",
    "Rule",
    "Scope",
    "Turn",
    "Unit",
    "Verdict",
]

# Keys of the desk itself, which no check may take: digits are scores; flag, skip, back, search, the
# next and the previous response, all for the best, pause, text or rendered, differences, help.
RESERVED_KEYS = frozenset("SFBWJKAZVU?0123456789")
# Fields of every form, which a dimension's code would collide with: r1.comment, r1.fact.1.claim.
RESERVED_DIMENSIONS = frozenset({"comment", "fact"})


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
    """One answer to a `yes_no` or `one_of` check."""

    code: str
    wording: str
    sets: str | None = None  # the fact that the answer asserts
    help: str = ""
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """What the annotator observes, or the program detects.

    A tick or a detected check asserts its own code. A `yes_no` or `one_of` check asserts what the
    chosen answer `sets`. `best` is the answer that stands for a faultless response: one key gives
    it to all checks that have one. A `detector` on a tick is asked about when the annotator submits
    without having ticked it, with `asks` as the question.
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
            (not self.all_of or facts.issuperset(self.all_of))
            and (not self.any_of or not facts.isdisjoint(self.any_of))
            and (not self.none_of or facts.isdisjoint(self.none_of))
            and (not self.at_least or sum(name in facts for name in self.of) >= self.at_least)
        )


@dataclass(frozen=True)  # without slots, as Dimension
class Rule:
    """Condition over the checks → effect.

    In `reason`, `{ticked}` stands for the names of the facts that made the rule act, and `{needs}`
    for those that a `require` still lacks.
    """

    code: str
    clause: str
    effect: Effect
    reason: str
    when: Condition = field(default_factory=Condition)
    score: int | None = (
        None  # force, cap, floor: the score. rank_below: the score at which a tie passes
    )
    scores: tuple[int, ...] = ()  # require, advise: the scores that the rule is about
    needs: Condition = field(default_factory=Condition)  # require
    against: tuple[str, ...] = ()  # exclude: none of these together with the condition
    remark: str = (
        ""  # require: said too if a fault is ticked that `needs` does not name: `{ticked}`
    )
    between: Detector | None = None  # advise: about two targets that this detector pairs
    unless_one: tuple[
        str, ...
    ] = ()  # advise between: silent if exactly one of the pair has one of these
    precedence: int = 0  # force: the highest decides

    @cached_property
    def names(self) -> frozenset[str]:
        """The facts that make the rule act, or clash by it."""
        return frozenset((*self.when.positive, *self.against))


@dataclass(frozen=True, slots=True)
class Guidance:
    """Text that is always at hand."""

    code: str
    title: str
    text: str
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Aid:
    """A tool of the form. The one kind so far is `fact_check`; a rubric has one at most, and
    without it the form has no look-ups."""

    code: str
    kind: str
    title: str
    text: str
    seconds: int = 180  # for each claim
    proposes: str = ""  # the fact that the outcome `refuted` speaks for, in the aid's own dimension
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Needs:
    """What an item must have for a dimension to apply; where it has not, the dimension is not
    asked.

    `candidates`: responses of the model to this history; `other_histories`: further histories of
    the batch that the model answered.
    """

    persona: bool = False
    history: bool = False
    candidates: int = 0
    other_histories: int = 0


@dataclass(frozen=True)  # without slots: what every judgement asks of it is worked out once
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

    def __hash__(self) -> int:
        """Worked out once: what is remembered of a dimension is looked up by it all the time."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(
            (self.code, self.title, self.unit, self.levels, self.checks, self.rules, self.needs)
        )

    @property
    def scores(self) -> range:
        return range(self.lowest, self.highest + 1)

    def level(self, score: int) -> Level:
        return next(level for level in self.levels if level.score == score)

    def check(self, code: str) -> Check:
        return next(check for check in self.checks if check.code == code)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """Every name that can be asserted, in the order of the checks."""
        return tuple(fact for check in self.checks for fact in check.facts)

    @cached_property
    def asked(self) -> tuple[tuple[Check, tuple[str, ...]], ...]:
        """The checks that must be answered, each with the facts that its answers can assert."""
        return tuple((check, check.facts) for check in self.checks if check.asked)

    @cached_property
    def detected(self) -> tuple[Check, ...]:
        """The checks that the program makes by itself."""
        return tuple(check for check in self.checks if check.kind is Kind.DETECTED)

    @cached_property
    def fact_check(self) -> Aid | None:
        """By which claims are looked up."""
        return next((aid for aid in self.aids if aid.kind == "fact_check"), None)

    @cached_property
    def watched(self) -> tuple[Check, ...]:
        """The ticks that the program asks about where it sees cause for one that was not made."""
        return tuple(check for check in self.checks if check.kind is Kind.TICK and check.detector)

    @cached_property
    def excluding(self) -> tuple[Rule, ...]:
        """The rules on what cannot hold together."""
        return tuple(rule for rule in self.rules if rule.effect is Effect.EXCLUDE)

    @cached_property
    def deciding(self) -> tuple[Rule, ...]:
        """The rules on the scores of one target by itself."""
        return tuple(
            rule
            for rule in self.rules
            if rule.effect not in (Effect.EXCLUDE, Effect.RANK_BELOW) and not rule.between
        )

    @cached_property
    def silencing(self) -> tuple[Rule, ...]:
        """The rules that leave nothing else to say."""
        return tuple(
            rule for rule in self.excluding if {*rule.against, *rule.when.positive} >= {*self.facts}
        )

    def asserted_by(self, answers: Mapping[str, str]) -> frozenset[str]:
        """The facts that answers (check code → answer code) assert; a tick does by any word but
        no."""
        facts: set[str] = set()
        for check in self.checks:
            given = answers.get(check.code, "")
            if check.asked:
                facts.update(
                    answer.sets for answer in check.answers if answer.code == given and answer.sets
                )
            elif given and given != "no":
                facts.add(check.code)
        return frozenset(facts)

    @cached_property
    def faults(self) -> frozenset[str]:
        """The facts that cap, force or rank below others: each of them is a fault."""
        return frozenset(
            name
            for rule in self.rules
            if rule.effect in (Effect.CAP, Effect.FORCE, Effect.RANK_BELOW)
            for name in rule.when.positive
        )

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The name of each fact, as its control says it: "Language error", "Honest (not true)"."""
        names = {}
        for check in self.checks:
            for answer in check.answers:
                if answer.sets:
                    names[answer.sets] = f"{check.wording} ({answer.wording})"
            if not check.asked:
                names[check.code] = check.wording
        return names

    def listed(self, facts: Container[str]) -> str:
        """The names of these facts, in the order of the checks: "Language error, Repeats
        itself"."""
        return ", ".join(self.labels[fact] for fact in self.facts if fact in facts)


@dataclass(frozen=True)  # without slots, as Dimension
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

    @cached_property
    def checks_facts(self) -> bool:
        """Whether claims are looked up."""
        return any(dimension.fact_check for dimension in self.dimensions)

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

    def specimens(self) -> Iterator[tuple[str, Dimension, Level, int, Example]]:
        """Each example under each clause that its checks carry, as (clause, dimension, level,
        number of the example in its level from 1, example)."""
        for dimension in self.dimensions:
            for level in dimension.levels:
                for number, example in enumerate(level.examples, start=1):
                    for clause in sorted(_clauses_of(example, dimension)):
                        yield clause, dimension, level, number, example


def _clauses_of(example: Example, dimension: Dimension) -> set[str]:
    """The clauses of the ticks and answers that hold; a question's own stand for an answer without
    any."""
    found: set[str] = set()
    for check in dimension.checks:
        if check.code in example.checks and not check.asked:
            found.update(check.clauses)
        for answer in check.answers:
            if answer.sets in example.checks:
                found.update(answer.clauses or check.clauses)
    return found
