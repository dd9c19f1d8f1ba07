"""One scale of a rubric, and all that its levels, checks and rules say together.

Its fields are the entries of a document. The rest answers questions about them: which checks are
asked, which facts they assert, which of these are faults. The rule engine (`rules`), the form and
the proof ask them again and again, so most answers are computed once.
"""

from collections.abc import Collection, Container, Mapping, Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import ascii_uppercase
from typing import NamedTuple

from .kinds import Better, Effect, Kind, Unit
from .parts import (
    COMMENT,
    RESERVED_KEYS,
    WRITTEN,
    Aid,
    Check,
    ClauseId,
    Code,
    Condition,
    Guidance,
    Level,
    Line,
    Needs,
    Rule,
    Short,
)


class ApplicableCheck(NamedTuple):
    """A check that is asked, or may be once more is answered."""

    check: Check
    applies: bool  # it is asked now
    is_unanswered: bool
    is_pending: bool  # unanswered or not asked yet: its facts may still be asserted


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
    # The checks of the whole response if its rules or conditions name one of their facts.
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

    def goodness(self, score_or_mean: float) -> float:
        """Return a number that is the higher, the better a score or a mean of scores is."""
        if self.better is Better.LOW:
            return -score_or_mean
        return score_or_mean

    @cached_property
    def _described(self) -> Mapping[int, Level]:
        return {level.score: level for level in self.levels}

    def level(self, score: int) -> Level:
        """Return the level of a score; one that is not described is `between` the others."""
        return self._described.get(score) or Level(score, between=True)

    def check(self, code: str) -> Check:
        """Return the check with a code."""
        for check in (*self.lettered_checks, *self.shared):
            if check.code == code:
                return check
        raise LookupError(code)

    @cached_property
    def mentioned_facts(self) -> frozenset[str]:
        """The facts that its conditions and its rules name."""
        names = {*self.when.names}
        for check in self.checks:
            names.update(check.when.names)
        for rule in self.rules:
            names.update(rule.when.names, rule.against, rule.unless_one)
            for way in rule.ways:
                names.update(way.names)
        return frozenset(names)

    def with_shared_checks(self, checks: tuple[Check, ...]) -> "Dimension":
        """Return the dimension with these checks of the whole response as its `shared` ones."""
        if self.foreign_facts.isdisjoint(_facts_of(checks)):
            if self.shared:
                return replace(self)
            return self
        dimension = replace(self)
        object.__setattr__(dimension, "shared", checks)
        return dimension

    @cached_property
    def foreign_facts(self) -> frozenset[str]:
        """The facts that it names and that its own checks do not assert.

        Only a dimension of responses can name those of the whole response, and the comment.
        """
        if self.unit is not Unit.RESPONSE:
            return frozenset()
        return self.mentioned_facts.difference(_facts_of(self.checks))

    @cached_property
    def needs_comment(self) -> bool:
        """True if a score may need the response's comment: then COMMENT is a fact."""
        return COMMENT in self.foreign_facts

    @cached_property
    def lettered_checks(self) -> tuple[Check, ...]:
        """The checks with their letters, those that the document gives first."""
        used = {*RESERVED_KEYS}
        used.update(check.key for check in self.checks)
        checks = []
        for check in self.checks:
            if not check.key and check.kind is not Kind.DETECTED:
                letter = free_letter(check.wording, used)
                check = replace(check, key=letter)
            checks.append(check)
            used.add(check.key)
        return tuple(checks)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """Every name that can be asserted, in the order of the checks, COMMENT last."""
        facts = _facts_of((*self.checks, *self.shared))
        if self.needs_comment:
            return (*facts, COMMENT)
        return facts

    def applicable_checks(
        self, asserted_facts: AbstractSet[str], answered: Collection[str]
    ) -> list[ApplicableCheck]:
        """Return each check that is asked or may still be. `answered` are codes."""
        applicable: list[ApplicableCheck] = []
        pending: set[str] = set()
        for check in (*self.shared, *self.checks):
            state = _applicable_check(check, asserted_facts, pending, answered)
            if state:
                applicable.append(state)
                if state.is_pending:
                    pending.update(check.facts)
        return applicable

    @cached_property
    def required_checks(self) -> tuple[tuple[Check, tuple[str, ...]], ...]:
        """The required checks, each with the facts that its answers can assert."""
        checks = []
        for check in (*self.shared, *self.checks):
            if check.needs_answer:
                checks.append((check, check.facts))
        return tuple(checks)

    @cached_property
    def detected_checks(self) -> tuple[Check, ...]:
        """The checks that the program answers by itself."""
        checks = (*self.shared, *self.checks)
        return tuple(check for check in checks if check.kind is Kind.DETECTED)

    @cached_property
    def fact_check(self) -> Aid | None:
        """The aid for looking up claims, if the dimension has one."""
        for aid in self.aids:
            if aid.kind == "fact_check":
                return aid
        return None

    @cached_property
    def watched_ticks(self) -> tuple[Check, ...]:
        """The ticks with a detector: the desk asks if it fires and the tick is missing."""
        ticks = []
        for check in self.lettered_checks:
            if check.kind is Kind.TICK and check.detector:
                ticks.append(check)
        return tuple(ticks)

    @cached_property
    def exclusion_rules(self) -> tuple[Rule, ...]:
        """The rules that list facts which exclude each other."""
        return tuple(rule for rule in self.rules if rule.effect is Effect.EXCLUDE)

    @cached_property
    def target_rules(self) -> tuple[Rule, ...]:
        """The rules that limit the scores of a single target."""
        others = (Effect.EXCLUDE, Effect.RANK_BELOW)
        rules = []
        for rule in self.rules:
            if rule.effect not in others and not rule.between:
                rules.append(rule)
        return tuple(rules)

    @cached_property
    def silencing_rules(self) -> tuple[Rule, ...]:
        """The exclusions that cover every fact: if one applies, nothing else is asked."""
        facts = {*_facts_of(self.checks)}
        return tuple(rule for rule in self.exclusion_rules if rule.names >= facts)

    def facts_of_answers(self, answer_by_check: Mapping[str, str]) -> frozenset[str]:
        """Return the facts that the answers (check code → answer code) assert.

        A tick or a detected check counts for any value except "" and "no". So does a comment, whose
        code is COMMENT. The facts of a check may decide whether a later one is asked.
        """
        facts: set[str] = set()
        if self.needs_comment and answer_by_check.get(COMMENT, "") not in ("", "no"):
            facts.add(COMMENT)
        answered = [code for code, value in answer_by_check.items() if value]
        pending: set[str] = set()
        for check in (*self.shared, *self.checks):
            state = _applicable_check(check, facts, pending, answered)
            if state is None:
                continue
            if state.is_pending:
                pending.update(check.facts)
            if state.applies:
                fact = _fact_of_answer(check, answer_by_check.get(check.code, ""))
                if fact:
                    facts.add(fact)
        return frozenset(facts)

    @cached_property
    def faults(self) -> frozenset[str]:
        """The facts that keep the score from the good end, force it, or rank a target below others.

        Nothing is a fault where no end is good, or where the answers give the score.
        """
        limits = {Better.HIGH: Effect.CAP, Better.LOW: Effect.FLOOR}
        if self.given or self.better not in limits:
            return frozenset()
        return self._facts_with_effects(limits[self.better], Effect.FORCE, Effect.RANK_BELOW)

    def _facts_with_effects(self, *effects: Effect) -> frozenset[str]:
        """Return the facts that make rules of these effects act."""
        facts: set[str] = set()
        for rule in self.rules:
            if rule.effect in effects:
                facts.update(rule.when.positive)
        return frozenset(facts)

    def faultless_answers(self, check: Check) -> frozenset[str]:
        """Return the codes of the answers to a check that assert no fault.

        A fact that also makes the score better by another rule (DQ-12) is no fault.
        """
        if check.best:
            return frozenset({check.best})
        improving = Effect.FLOOR
        if self.better is Better.LOW:
            improving = Effect.CAP
        faults = self.faults - self._facts_with_effects(improving)
        codes = [answer.code for answer in check.answers if answer.sets not in faults]
        return frozenset(codes)

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The label of each fact, as on its control: "Language error", "Honest (not true)"."""
        checks = (*self.checks, *self.shared)
        labels = {}
        for check in checks:
            if not check.needs_answer:
                labels[check.code] = check.wording
        if self.needs_comment:
            labels[COMMENT] = COMMENT
        for check in checks:
            for answer in check.answers:
                if answer.sets:
                    labels[answer.sets] = f"{check.wording} ({answer.wording})"
        return labels

    @cached_property
    def readings(self) -> tuple[tuple[str, str], ...]:
        """Each part that rests on a reading, by its code or score, with the reading's code."""
        parts = [(str(level.score), level.reading) for level in self.levels]
        parts += [(check.code, check.reading) for check in self.checks]
        for check in self.checks:
            parts += [(answer.code, answer.reading) for answer in check.answers]
        parts += [(rule.code, rule.reading) for rule in self.rules]
        return tuple((part, reading) for part, reading in parts if reading)

    def labels_of(self, facts: Collection[str]) -> str:
        """Return the labels of the facts, in check order: "Language error, Repeats itself"."""
        labels = [self.labels[fact] for fact in self.facts if fact in facts]
        return ", ".join(labels)


@dataclass(frozen=True, kw_only=True)
class WholeResponse(Dimension):
    """The checks of the whole response: a row of a form without a scale and without rules."""

    code: Code = "response"
    short: Short = ""
    question: str = ""
    # Nothing may read these: it has no scale (`scores`).
    lowest: int = 0
    highest: int = 0
    # The rules of the dimensions say what is a fault.
    faults_in_dimensions: frozenset[str] = frozenset()

    __hash__ = Dimension.__hash__

    @property
    def scores(self) -> range:
        """No scores."""
        return range(0)

    @cached_property
    def faults(self) -> frozenset[str]:
        return self.faults_in_dimensions


def _applicable_check(
    check: Check, facts: AbstractSet[str], pending: AbstractSet[str], answered: Collection[str]
) -> ApplicableCheck | None:
    """Return a check as it is asked by what is known so far; None if it can't be asked any more.

    `pending` are the facts that earlier checks may still assert. `answered` are codes.
    """
    applies = True
    if check.when.names:
        known = frozenset(facts)
        possible = frozenset(facts | pending)
        applies = check.when.holds(known, possible)
        if not applies and not check.when.holds(possible, known):
            return None
    is_unanswered = check.needs_answer and check.code not in answered
    is_unanswered = is_unanswered and facts.isdisjoint(check.facts)
    return ApplicableCheck(check, applies, is_unanswered, is_unanswered or not applies)


def _fact_of_answer(check: Check, value: str) -> str:
    """Return the fact that an answer to a check asserts; "" for none."""
    if not check.needs_answer:
        return "" if value in ("", "no") else check.code
    for answer in check.answers:
        if answer.code == value:
            return answer.sets or ""
    return ""


def free_letter(wording: str, used: Container[str]) -> str:
    """Return the first free letter of a wording, else of the alphabet; "" for none."""
    for letter in f"{wording}{ascii_uppercase}".upper():
        if letter.lower() != letter and letter not in used:
            return letter
    return ""


def _facts_of(checks: tuple[Check, ...]) -> tuple[str, ...]:
    fact_names: list[str] = []
    for check in checks:
        fact_names += check.facts
    return tuple(fact_names)
