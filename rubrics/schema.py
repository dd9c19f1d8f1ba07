"""The typed value objects of a rubric: frozen, and free of Django.

The form, the rule engine, the pages and the export all work on these classes. They are parsed
from a document (`rubrics.document`) or from the tables of a published version
(`rubrics.models.Rubric.schema`).
"""

from collections.abc import Collection, Container, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import ascii_uppercase
from typing import Annotated, TypeAlias

from django.utils.translation import get_supported_language_variant, gettext, override

from .kinds import Better, Consequences, Detector, Effect, Kind, Scope, Unit, Without
from .verdict import (
    Bar,
    Clash,
    Clashes,
    Exclusion,
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
    "Better",
    "Check",
    "Clash",
    "Clashes",
    "Clause",
    "Condition",
    "Consequences",
    "Detector",
    "Dimension",
    "Effect",
    "Example",
    "Exclusion",
    "Guidance",
    "ItemRemark",
    "ItemVerdict",
    "Judged",
    "Kind",
    "Level",
    "Needs",
    "OutOfOrder",
    "Passage",
    "Reason",
    "Remark",
    "Rubric",
    "Rule",
    "Scope",
    "Turn",
    "Unit",
    "Verdict",
    "Without",
]

# The desk's own shortcuts, which no check may use. Digits are scores, and a minus is the answer
# without one. The others are skip, flag, back, look-up, best answer, pause, text or rendered,
# differences, not sure, rubric, help.
RESERVED_KEYS = frozenset("SFBWAZVU#.?-0123456789")
# Every form has these fields (r1.comment, r1.fact.1.claim); a dimension with such a code collides.
# The last two are parts of a draft.
RESERVED_DIMENSIONS = frozenset({"comment", "fact", "response", "about", "checks"})
# The fact that the response has a comment. A `require` may need it.
COMMENT = "comment"

# What a text of a document may be (`rubrics.document`). A plain `str` is any text but a blank one.
Code: TypeAlias = Annotated[str, "code"]  # small letters, digits, "_" and "-"
Line: TypeAlias = Annotated[str, "line"]  # short enough for a button, a heading or a column
Short: TypeAlias = Annotated[str, "short"]  # fits in a narrow column
ClauseId: TypeAlias = Annotated[str, "clause id"]
Note: TypeAlias = Annotated[str, "note"]  # may be blank
Verbatim: TypeAlias = Annotated[str, "verbatim"]  # unchanged, white space included
# What a document may leave out and `rubrics.document.dump` writes even so: stored versions, whose
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
        absent = facts if possible is None else possible
        return (
            (not self.all_of or facts.issuperset(self.all_of))
            and (not self.any_of or not facts.isdisjoint(self.any_of))
            and (not self.none_of or absent.isdisjoint(self.none_of))
            and (not self.at_least or sum(name in facts for name in self.of) >= self.at_least)
        )


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
    def asked(self) -> bool:
        """True if the annotator must give an answer."""
        return self.kind is Kind.YES_NO or self.kind is Kind.ONE_OF

    @property
    def facts(self) -> tuple[str, ...]:
        """The names that answers to this check can assert. The conditions of rules use them."""
        if self.asked:
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
    def needed(self) -> tuple[str, ...]:
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


# No slots: cached_property computes once what every judgement needs.
@dataclass(frozen=True, kw_only=True)
class Dimension:
    """One scale of a rubric, with its levels, checks and rules."""

    code: Code
    short: Short
    title: Line
    question: str
    unit: Unit = field(default=Unit.RESPONSE, metadata=WRITTEN)
    lowest: int
    highest: int
    # The label of the answer without a score: "Not applicable". No rule forces or bars it.
    blank: Line = ""
    better: Better = Better.HIGH
    levels: tuple[Level, ...] = field(default=(), metadata=WRITTEN)  # the described scores
    checks: tuple[Check, ...] = field(default=(), metadata=WRITTEN)
    rules: tuple[Rule, ...] = field(default=(), metadata=WRITTEN)
    needs: Needs = field(default_factory=Needs)
    # Asked only if this holds. It names facts of the whole response alone.
    when: Condition = field(default_factory=Condition)
    given: bool = False  # the answers give the score, and nobody enters it
    sample: int = 50  # how many histories of a corpus the form shows for a check of scope corpus
    guidance: tuple[Guidance, ...] = ()
    aids: tuple[Aid, ...] = ()
    clauses: tuple[ClauseId, ...] = ()
    # The checks of the whole response if its rules or conditions name one of their facts, and the
    # comment as a check if they name it (`beside`).
    shared: tuple[Check, ...] = field(default=(), init=False)

    def __hash__(self) -> int:
        """Return a hash that is computed only once, because dimensions are cache keys."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(
            (self.code, self.title, self.unit, self.levels, self.checks, self.rules, self.shared)
        )

    @property
    def scores(self) -> range:
        return range(self.lowest, self.highest + 1)

    def merit(self, score: float) -> float:
        """Return a number that is the higher, the better a score or a mean of scores is."""
        return -score if self.better is Better.LOW else score

    @cached_property
    def _described(self) -> Mapping[int, Level]:
        return {level.score: level for level in self.levels}

    def level(self, score: int) -> Level:
        """Return the level of a score; one that is not described is `between` the others."""
        return self._described.get(score) or Level(score, between=True)

    def check(self, code: str) -> Check:
        """Return the check with a code."""
        return next(check for check in (*self.lettered, *self.shared) if check.code == code)

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The facts that its conditions and its rules name."""
        conditions = [self.when, *(check.when for check in self.checks)]
        named: set[str] = set()
        for rule in self.rules:
            conditions += [rule.when, *rule.ways]
            named.update(rule.against, rule.unless_one)
        return frozenset(named.union(*(condition.names for condition in conditions)))

    def beside(self, checks: tuple[Check, ...]) -> "Dimension":
        """Return the dimension with these checks of the whole response as its `shared` ones."""
        named = self.mentioned.difference(*(check.facts for check in self.checks))
        if self.unit is not Unit.RESPONSE or named.isdisjoint((*_facts_of(checks), COMMENT)):
            return replace(self) if self.shared else self
        found = replace(self)
        shared = () if named.isdisjoint(_facts_of(checks)) else checks
        comment = Check(COMMENT, Kind.TICK, COMMENT)
        object.__setattr__(found, "shared", (*shared, *([comment] if COMMENT in named else [])))
        return found

    @cached_property
    def needs_comment(self) -> bool:
        """True if a score may need the response's comment."""
        return any(check.code == COMMENT for check in self.shared)

    @cached_property
    def lettered(self) -> tuple[Check, ...]:
        """The checks with their letters, those that the document gives first."""
        taken = {*RESERVED_KEYS, *(check.key for check in self.checks)}
        checks = []
        for check in self.checks:
            has_own = check.key or check.kind is Kind.DETECTED
            key = check.key if has_own else free_letter(check.wording, taken)
            checks.append(check if has_own else replace(check, key=key))
            taken.add(checks[-1].key)
        return tuple(checks)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """Every name that can be asserted, in the order of the checks."""
        return _facts_of((*self.checks, *self.shared))

    def asking(
        self, facts: AbstractSet[str], answered: Collection[str]
    ) -> Iterator[tuple[Check, bool, bool]]:
        """Yield the checks that are asked or may still be: each, if it is, if it lacks its answer.

        `answered` are codes. `facts` may grow by those of a check before the next one is taken.
        """
        pending: set[str] = set()
        for check in (*self.shared, *self.checks):
            if check.when.names:
                known, possible = frozenset(facts), frozenset(facts | pending)
                is_asked = check.when.holds(known, possible)
                if not is_asked and not check.when.holds(possible, known):
                    continue
            else:
                is_asked = True
            is_open = check.asked and check.code not in answered and facts.isdisjoint(check.facts)
            if is_open or not is_asked:
                pending.update(check.facts)
            yield check, is_asked, is_open

    @cached_property
    def asked(self) -> tuple[tuple[Check, tuple[str, ...]], ...]:
        """The required checks, each with the facts that its answers can assert."""
        return tuple((each, each.facts) for each in (*self.shared, *self.checks) if each.asked)

    @cached_property
    def detected(self) -> tuple[Check, ...]:
        """The checks that the program answers by itself."""
        return tuple(e for e in (*self.shared, *self.checks) if e.kind is Kind.DETECTED)

    @cached_property
    def fact_check(self) -> Aid | None:
        """The aid for looking up claims, if the dimension has one."""
        return next((aid for aid in self.aids if aid.kind == "fact_check"), None)

    @cached_property
    def watched(self) -> tuple[Check, ...]:
        """The ticks with a detector: the desk asks if it fires and the tick is missing."""
        return tuple(check for check in self.lettered if check.kind is Kind.TICK and check.detector)

    @cached_property
    def excluding(self) -> tuple[Rule, ...]:
        """The rules that list facts which exclude each other."""
        return tuple(rule for rule in self.rules if rule.effect is Effect.EXCLUDE)

    @cached_property
    def deciding(self) -> tuple[Rule, ...]:
        """The rules that limit the scores of a single target."""
        return tuple(
            rule
            for rule in self.rules
            if rule.effect not in (Effect.EXCLUDE, Effect.RANK_BELOW) and not rule.between
        )

    @cached_property
    def silencing(self) -> tuple[Rule, ...]:
        """The exclusions that cover every fact: if one applies, nothing else is asked."""
        return tuple(
            rule
            for rule in self.excluding
            if {*rule.against, *rule.when.positive} >= {*_facts_of(self.checks)}
        )

    def asserted_by(self, answers: Mapping[str, str]) -> frozenset[str]:
        """Return the facts that the answers (check code → answer code) assert.

        A tick or a detected check counts for any value except "" and "no".
        """
        facts: set[str] = set()
        answered = [code for code, given in answers.items() if given]
        for check, is_asked, _is_open in self.asking(facts, answered):
            given = answers.get(check.code, "") if is_asked else ""
            if check.asked:
                facts.update(
                    answer.sets for answer in check.answers if answer.code == given and answer.sets
                )
            elif given and given != "no":
                facts.add(check.code)
        return frozenset(facts)

    @cached_property
    def faults(self) -> frozenset[str]:
        """The facts that keep the score from the good end, force it, or rank a target below others.

        Nothing is a fault where no end is good, or where the answers give the score.
        """
        limit = {Better.HIGH: Effect.CAP, Better.LOW: Effect.FLOOR}.get(self.better)
        return frozenset(
            name
            for rule in (() if self.given else self.rules)
            if limit and rule.effect in (limit, Effect.FORCE, Effect.RANK_BELOW)
            for name in rule.when.positive
        )

    def faultless(self, check: Check) -> frozenset[str]:
        """Return the codes of the answers to a check that assert no fault.

        A fact that also makes the score better by another rule (DQ-12) is no fault.
        """
        if check.best:
            return frozenset({check.best})
        merit = Effect.CAP if self.better is Better.LOW else Effect.FLOOR
        merits = (rule.when.positive for rule in self.rules if rule.effect is merit)
        faults = self.faults.difference(*merits)
        return frozenset(answer.code for answer in check.answers if answer.sets not in faults)

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The label of each fact, as on its control: "Language error", "Honest (not true)"."""
        checks = (*self.checks, *self.shared)
        ticks = {check.code: check.wording for check in checks if not check.asked}
        return ticks | {
            answer.sets: f"{check.wording} ({answer.wording})"
            for check in checks
            for answer in check.answers
            if answer.sets
        }

    @cached_property
    def readings(self) -> tuple[tuple[str, str], ...]:
        """Each part that rests on a reading, by its code or score, with the reading's code."""
        parts = (
            *((str(level.score), level.reading) for level in self.levels),
            *((check.code, check.reading) for check in self.checks),
            *((each.code, each.reading) for check in self.checks for each in check.answers),
            *((rule.code, rule.reading) for rule in self.rules),
        )
        return tuple((part, reading) for part, reading in parts if reading)

    def listed(self, facts: Container[str]) -> str:
        """Return the labels of the facts, in check order: "Language error, Repeats itself"."""
        return ", ".join(self.labels[fact] for fact in self.facts if fact in facts)


def free_letter(wording: str, taken: Container[str]) -> str:
    """Return the first free letter of a wording, else of the alphabet; "" for none."""
    letters = f"{wording}{ascii_uppercase}".upper()
    return next((each for each in letters if each.lower() != each and each not in taken), "")


def interface_language(language: str) -> str:
    """Return the language that the interface has for a rubric's; "" if it has none."""
    try:
        return get_supported_language_variant(language)
    except (LookupError, ValueError):  # not one of its languages, or too long for one
        return ""


def verdict_language(language: str) -> str:
    """Return the language for verdicts by a rubric: its own, or English if we do not have it."""
    return interface_language(language) or "en"


def _facts_of(checks: tuple[Check, ...]) -> tuple[str, ...]:
    return tuple(fact for check in checks for fact in check.facts)


@dataclass(frozen=True)  # no slots, because of cached_property
class Rubric:
    """A complete rubric: the questions about an item and the rules that judge the answers."""

    slug: Code
    title: Line
    summary: str
    dimensions: tuple[Dimension, ...]
    language: Short = "en"
    guidance: tuple[Guidance, ...] = ()
    clauses: tuple[Clause, ...] = ()
    checks: tuple[Check, ...] = ()  # of the whole response: a row of their own
    sources: tuple[Passage, ...] = ()

    def __post_init__(self) -> None:
        """Give each dimension the checks of the whole response that it names."""
        beside = tuple(each.beside(self.checks) for each in self.dimensions)
        object.__setattr__(self, "dimensions", beside)

    @cached_property
    def whole(self) -> Dimension:
        """The checks of the whole response as a dimension without scores."""
        with override(verdict_language(self.language)):
            title = gettext("Whole response")
        found = Dimension(
            code="response",
            short="",
            title=title,
            question="",
            lowest=1,
            highest=0,
            checks=self.checks,
        )
        # It has no rules of its own. Those of the dimensions say what is a fault.
        object.__setattr__(found, "faults", frozenset().union(*(e.faults for e in self.dimensions)))
        return found

    @cached_property
    def parts(self) -> tuple[Dimension, ...]:
        """The parts with rows of their own: the whole response if it has checks, and dimensions."""
        return (*([self.whole] if self.checks else []), *self.dimensions)

    def checks_at(self, dimension: Dimension) -> tuple[Check, ...]:
        """Return the checks of a dimension, then those of the whole response, if it scores one."""
        is_of_response = dimension.unit is Unit.RESPONSE
        return (*dimension.checks, *(self.checks if is_of_response else ()))

    def dimension(self, code: str) -> Dimension:
        """Return the dimension with a code."""
        return next(dimension for dimension in self.dimensions if dimension.code == code)

    @cached_property
    def readings(self) -> frozenset[str]:
        """The codes of the guidance that decides where the source is unclear."""
        return frozenset(code for each in self.parts for _part, code in each.readings)

    @cached_property
    def has(self) -> frozenset[str]:
        """The kinds of its checks, "best" answers, "corpus" checks, "rules", "scores" to enter."""
        return frozenset(
            name
            for dimension in self.parts
            for name in (
                *(str(check.kind) for check in dimension.checks),
                *("best" for check in dimension.checks if check.best),
                *("corpus" for check in dimension.checks if check.scope is Scope.CORPUS),
                *("rules" for _rule in dimension.rules),
                *("scores" for _score in dimension.scores if not dimension.given),
            )
        )

    @cached_property
    def checks_facts(self) -> bool:
        """True if annotators look up claims."""
        return any(dimension.fact_check for dimension in self.dimensions)
