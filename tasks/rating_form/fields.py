"""The slots of the form, one for each dimension of each target, their fields, and their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from django import forms
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.utils.translation import gettext as _, gettext_lazy, pgettext

from rubrics.in_words import rule_in_words
from rubrics.scales import BLANK, is_typed
from rubrics.schema import Check, Dimension, Kind, Scope, Without
from tasks.answers import (
    ASKED,
    FACT,
    LABELS,
    LINE,
    NONE_OF_THESE,
    OWN,
    SCORE,
    SHOWN,
    TICKED,
    WHOLE,
    Claim,
    FieldName,
    SlotAnswers,
)
from tasks.fact_checks import Clock
from tasks.models import FactCheck, Rating

LONGEST_TEXT = 20_000
MOST_FACTS = 20  # claims looked up for one response


@dataclass(frozen=True, slots=True)
class Target:
    """A response or a candidate set, by its position on the desk."""

    key: str  # r1, r2, … for a response; s1, s2, … for a candidate set

    @property
    def place(self) -> int:
        """The position on the desk, from 1."""
        return int(self.key[1:])

    @property
    def label(self) -> str:
        """The letters of a response: A, B, …, Z, AA, AB and so on; "" for a candidate set."""
        return LABELS[self.place - 1] if self.key.startswith("r") else ""

    @property
    def short(self) -> str:
        return self.label or pgettext("short for model", "M%(number)s") % {"number": self.place}

    @property
    def name(self) -> str:
        if self.label:
            return _("Response %(label)s") % {"label": self.label}
        return _("Model %(number)s") % {"number": self.place}


class OneOf(forms.Field):
    """One of a few values, or none."""

    def __init__(self, values: tuple[str, ...]) -> None:
        super().__init__(required=False)
        self.values = values

    def validate(self, value: str | None) -> None:
        """Raise ValidationError for any other value."""
        if value and value not in self.values:
            raise ValidationError(
                _("“%(value)s” is not possible. Choose from: %(allowed)s.")
                % {"value": value[:40], "allowed": ", ".join(self.values)}
            )


class SealedClock(forms.Field):
    """A field that takes the sealed clock of a look-up and cleans it to the text for `Clock.read`.

    A browser stores the clock but cannot set it. It cannot replay an earlier clock either: the
    clock stored on the server takes precedence (`clock_after` in `tasks.fact_checks`).
    """

    def __init__(self, annotator: int, response: int, number: int) -> None:
        super().__init__(required=False)
        self.signer = _signer(annotator, response, number)

    def clean(self, value: str) -> str:
        """Return the clock; raise ValidationError if it was not sealed for this claim."""
        try:
            return self.signer.unsign(value)
        except BadSignature:
            raise ValidationError(
                _("The clock of this look-up is not valid. Look the claim up again.")
            ) from None


def seal(annotator: int, response: int, number: int, clock: Clock) -> str:
    """Return the clock as a signed text, valid only for this claim and this annotator.

    `annotator` and `response` are primary keys. `number` counts the response's claims from 1.
    """
    return _signer(annotator, response, number).sign(str(clock))


def _signer(annotator: int, response: int, number: int) -> Signer:
    # The salt names no lease: a form outlives its lease, and continues as a correction.
    return Signer(salt=f"look-up {annotator}: {response}.{number}")


# Fields have no request state, so all forms share these few instances.
TEXT = forms.CharField(
    required=False,
    strip=False,
    max_length=LONGEST_TEXT,
    error_messages={
        "max_length": gettext_lazy(
            "Too long: %(show_value)s characters, limit %(limit_value)s. Please "
            "shorten it. Nothing was cut."
        ),
        "null_characters_not_allowed": gettext_lazy(
            "The text contains a NUL character. Remove it."
        ),
    },
)
one_of = lru_cache(maxsize=256)(OneOf)


@dataclass(frozen=True)  # without slots, so that cached properties build names only once
class FormSlot:
    """One dimension of one target in the form, with its fields.

    Most items share it, since it has nothing of an item but the persona, and that only if a check
    asks about its lines.
    """

    dimension: Dimension
    target: Target
    corpus: str  # m1, … for a candidate set, else ""
    persona: tuple[str, ...]  # its lines
    asks_reasons: bool  # as in `ItemView`

    @cached_property
    def name(self) -> str:
        return str(FieldName(self.target.key, self.dimension.code))

    @cached_property
    def asks_reason(self) -> bool:
        """True if a score needs a tick here, or the tick "none of these"."""
        checks = self.dimension.checks
        return (
            self.asks_reasons
            and bool(checks and self.dimension.scores)
            and all(check.kind is Kind.TICK for check in checks)
        )

    def field_of(self, check: Check, part: str = "") -> str:
        """Return the name of the field with the answer to a check, or with a part of it."""
        is_of_corpus = check.scope is Scope.CORPUS and self.corpus
        target = self.corpus if is_of_corpus else self.target.key
        return str(FieldName(target, self.dimension.code, check.code, part))

    @cached_property
    def own_score(self) -> str:
        """The name of the field of the score that was entered before a rule forced another one."""
        return str(FieldName(self.target.key, self.dimension.code, SCORE, OWN))

    @cached_property
    def none_of_these(self) -> str:
        """The name of the field of the tick "none of these"."""
        return str(FieldName(self.target.key, self.dimension.code, NONE_OF_THESE))

    @cached_property
    def fields(self) -> dict[str, forms.Field]:
        """The fields by name."""
        fields: dict[str, forms.Field] = {}
        if self.dimension.scores and not self.dimension.given:
            scores = (*map(str, self.dimension.scores), *([BLANK] if self.dimension.blank else []))
            # A number may be anything: what is no score stays in its field, with the reason.
            fields[self.name] = TEXT if is_typed(self.dimension) else one_of(scores)
            fields[self.own_score] = fields[self.name]
        for check in self.dimension.lettered:
            if check.kind is Kind.DETECTED:
                continue
            name = self.field_of(check)
            fields[name] = one_of(tuple(answer.code for answer in check.answers) or (TICKED,))
            if check.scope is Scope.CORPUS:
                fields[self.field_of(check, SHOWN)] = fields[name]
            if check in self.dimension.watched:
                fields[self.field_of(check, ASKED)] = one_of(("yes", "no"))
            if check.marks_persona:  # the lines that an answer is about (DQ-06)
                for number in range(1, len(self.persona) + 1):
                    fields[self.field_of(check, f"{LINE}{number}")] = one_of((TICKED,))
        if self.asks_reason:
            fields[self.none_of_these] = one_of((TICKED,))
        return fields


# Equal slots are one object, which makes them fast cache keys.
slot_of = lru_cache(maxsize=1024)(FormSlot)


@dataclass(frozen=True)
class FactPlace:
    """The fields of one claim about a response (`r1.fact.1`)."""

    target: str
    number: int  # from 1

    @cached_property
    def prefix(self) -> str:
        return str(FieldName(self.target, FACT, str(self.number)))

    @property
    def id(self) -> str:
        return element_id(self.prefix)

    @property
    def clock(self) -> str:
        """The name of the field with the clock of the look-up."""
        return self.names["clock"]

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of its fields, by the part of a `Claim` that they have."""
        number = str(self.number)
        return {part: str(FieldName(self.target, FACT, number, part)) for part in Claim._fields}

    @property
    def fields(self) -> dict[str, forms.Field]:
        outcomes = one_of(tuple(FactCheck.Outcome.values))
        return {name: outcomes if part == "outcome" else TEXT for part, name in self.names.items()}


@lru_cache(maxsize=256)
def fact_places(target: str) -> tuple[FactPlace, ...]:
    """Return the fields of all claims that a response may have."""
    return tuple(FactPlace(target, number) for number in range(1, MOST_FACTS + 1))


def element_id(name: str) -> str:
    """Return a field's name as an element id, without dots, which selectors must escape."""
    return name.replace(".", "-")


@dataclass(frozen=True, slots=True)
class ScoreWords:
    """A score in one dimension, and the answers and ticks given with it."""

    dimension: str
    score: int | None
    label: str  # the name of the score's level, or of the answer without a score
    answers: tuple[tuple[str, str], ...]  # (check, answer), with "" for the answer of a tick
    breaks: tuple[str, ...] = ()  # the rules that an imported score breaks

    @classmethod
    def of(
        cls,
        dimension: Dimension,
        score: int | None,
        given: SlotAnswers,
        without: str = "",
        breaks: tuple[str, ...] = (),
        *,
        best: bool = True,
    ) -> ScoreWords:
        """Put a score in words, with the answers given with it; `without`: why there is none.

        `best`: with the best answers too.
        """
        reasons = {Without.BLANK: dimension.blank, Without.NOT_ASKED: _("not asked")}
        no_score = reasons[Without(without)] if without else ""
        label = no_score if score is None else dimension.level(score).label
        answers = tuple(_answers(dimension, given, best=best))
        return cls(dimension.title, score, label, answers, breaks)

    @property
    def said(self) -> tuple[str, ...]:
        """The answers and ticks, one text each."""
        return tuple(": ".join(filter(None, pair)) for pair in self.answers)


@dataclass(frozen=True, slots=True)
class SaidTarget:
    """Everything that a rating says about a response or a candidate set."""

    target: Target
    scores: Mapping[str, ScoreWords] = field(default_factory=dict)  # by dimension
    comment: str = ""
    claims: tuple[str, ...] = ()


def said_by(rating: Rating, *, best: bool = True) -> dict[int | str, SaidTarget]:
    """Put a stored rating in words: the responses as they were shown, then the candidate sets.

    The key is the primary key of a response, or the model of a candidate set. `best`: with the best
    answers too.
    """
    rubric = rating.rubric.schema
    dimensions = {dimension.code: dimension for dimension in rubric.dimensions}
    scores: dict[int | str, dict[str, ScoreWords]] = defaultdict(dict)
    for score in rating.scores.all():
        given = SlotAnswers.stored(score.value, score.checks)
        dimension = dimensions[score.dimension]
        breaks = tuple(rule_in_words(rubric, dimension, each) for each in score.breaks)
        scores[score.target][score.dimension] = ScoreWords.of(
            dimension, score.value, given, score.without, breaks, best=best
        )
    for placed in rating.placements.all():
        if placed.checks:
            scores[placed.response_id][WHOLE] = ScoreWords.of(
                rubric.whole, None, SlotAnswers.stored(None, placed.checks), best=best
            )
    claims: dict[int, tuple[str, ...]] = defaultdict(tuple)
    for fact in rating.fact_checks.all():
        claims[fact.response_id] += (claim_in_words(fact.claim, fact.outcome, fact.sources),)
    said: dict[int | str, SaidTarget] = {
        placed.response_id: SaidTarget(
            Target(f"r{placed.position}"),
            scores[placed.response_id],
            placed.comment,
            claims[placed.response_id],
        )
        for placed in rating.placements.all()
    }
    for score in rating.scores.all():
        if score.response_id is None:
            said[score.model] = SaidTarget(Target(f"s{score.position}"), scores[score.model])
    return said


def claim_in_words(claim: str, outcome: str, sources: str) -> str:
    """Return a claim with its outcome and its sources in one line."""
    label = str(dict(FactCheck.Outcome.choices).get(outcome, ""))
    parts = (claim, label, *sources.splitlines())
    return " · ".join(filter(None, map(str.strip, parts)))


def _answers(dimension: Dimension, said: SlotAnswers, *, best: bool) -> Iterator[tuple[str, str]]:
    """Yield the answers in the rubric's order, without the ticks that were not set."""
    checks = said.checks
    for check in dimension.checks:
        given = checks.get(check.code, "")
        if not best and given == check.best:
            continue
        if check.asked and given:
            wordings = {answer.code: answer.wording for answer in check.answers}
            # Only in rows that were changed by hand.
            unknown = _("“%(answer)s”, which the rubric does not have") % {"answer": given}
            answer = wordings.get(given, unknown)
            if lines := ", ".join(map(str, said.lines(check.code))):
                answer = _("%(answer)s (lines %(lines)s)") % {"answer": answer, "lines": lines}
            yield check.wording, answer
        elif given:
            yield check.wording, "" if given == TICKED else _("no")
    if said.to(NONE_OF_THESE):
        yield _("None of these"), ""
