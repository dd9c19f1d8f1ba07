"""A complete rubric as a value: frozen, and free of Django but for its translations.

The form, the rule engine, the pages and the export all work on it. It is parsed from a document
(`documents.document`) or from the tables of a published version (`models.Rubric.schema`).
"""

from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import get_supported_language_variant, gettext, override

from .dimension import Dimension, WholeResponse
from .kinds import Better, Scope, Unit
from .parts import Check, Clause, Code, Guidance, Line, Passage, Short


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
        dimensions = [dimension.with_shared_checks(self.checks) for dimension in self.dimensions]
        object.__setattr__(self, "dimensions", tuple(dimensions))

    @cached_property
    def whole_response(self) -> WholeResponse:
        """The checks of the whole response as a dimension without a scale."""
        with override(verdict_language(self.language)):
            title = gettext("Whole response")
        faults = frozenset().union(*(dimension.faults for dimension in self.dimensions))
        return WholeResponse(title=title, checks=self.checks, faults_in_dimensions=faults)

    @cached_property
    def parts(self) -> tuple[Dimension, ...]:
        """The parts with rows of their own: the whole response if it has checks, and dimensions."""
        if self.checks:
            return (self.whole_response, *self.dimensions)
        return self.dimensions

    def checks_at(self, dimension: Dimension) -> tuple[Check, ...]:
        """Return the checks of a dimension, then those of the whole response, if it scores one."""
        if dimension.unit is Unit.RESPONSE:
            return (*dimension.checks, *self.checks)
        return dimension.checks

    def dimension(self, code: str) -> Dimension:
        """Return the dimension with a code."""
        for dimension in self.dimensions:
            if dimension.code == code:
                return dimension
        raise LookupError(code)

    @cached_property
    def scored_dimensions(self) -> dict[str, Dimension]:
        """The dimensions with scores, by code."""
        return {part.code: part for part in self.dimensions if part.scores}

    @cached_property
    def ordered_dimensions(self) -> dict[str, Dimension]:
        """The dimensions whose scores have an order, by code."""
        return {part.code: part for part in self.dimensions if part.better is not Better.NONE}

    @cached_property
    def readings(self) -> frozenset[str]:
        """The codes of the guidance that decides where the source is unclear."""
        codes: set[str] = set()
        for part in self.parts:
            codes.update(code for _entry, code in part.readings)
        return frozenset(codes)

    @cached_property
    def has(self) -> frozenset[str]:
        """The kinds of its checks, "best" answers, "corpus" checks, "rules", "scores" to enter."""
        names: set[str] = set()
        for dimension in self.parts:
            if dimension.rules:
                names.add("rules")
            if dimension.scores and not dimension.given:
                names.add("scores")
            for check in dimension.checks:
                names.add(str(check.kind))
                if check.best:
                    names.add("best")
                if check.scope is Scope.CORPUS:
                    names.add("corpus")
        return frozenset(names)

    @cached_property
    def checks_facts(self) -> bool:
        """True if annotators look up claims."""
        return any(dimension.fact_check for dimension in self.dimensions)


def interface_language(language: str) -> str:
    """Return the language that the interface has for a rubric's; "" if it has none."""
    try:
        return get_supported_language_variant(language)
    except (LookupError, ValueError):  # not one of its languages, or too long for one
        return ""


def verdict_language(language: str) -> str:
    """Return the language for verdicts by a rubric: its own, or English if we do not have it."""
    return interface_language(language) or "en"


def yes_no_words(language: str) -> tuple[str, ...]:
    """Return the words for yes and no in a language; none if the interface has not got it."""
    known_language = interface_language(language)
    if not known_language:
        return ()
    with override(known_language):
        return gettext("yes"), gettext("no")
