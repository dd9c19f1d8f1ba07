"""List the parts of a rubric clause by clause: what carries each clause, and who decides.

The page of a rubric shows a row for each clause of its source, with links to the parts on the page.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from ..judging.dimension import Dimension
from ..judging.kinds import Effect
from ..judging.parts import Example, Guidance, Passage
from ..judging.schema import Rubric
from .rubric_page import ExampleView, PartView

MOST_EXAMPLES = 3  # of a clause


@dataclass(frozen=True, slots=True)
class ClauseEntry:
    """A link to a part that carries a clause, in the rubric's words or, for a rule, in ours."""

    kind: str
    href: str
    title: str
    text: str = ""
    sentence: SafeString | None = None
    is_example: bool = False
    is_ruled: bool = False  # a rule of the dimension names it
    # The clauses for which it rests on a reading of ours; None if it rests on none.
    read_by_us: tuple[str, ...] | None = None

    def is_reading(self, clause: str) -> bool:
        """Return True if it rests on a reading that names the clause, or names none at all."""
        return self.read_by_us is not None and (clause in self.read_by_us or not self.read_by_us)


@dataclass(frozen=True, slots=True)
class SourceText:
    """The source's own text of a clause, in its lines, and who added it: the rubric for ""."""

    lines: tuple[str, ...]
    added_in: str = ""  # the title of a project


class Carrier(NamedTuple):
    """A part that carries clauses: their ids, and the entry for each of them."""

    clause_ids: Collection[str]
    entry: ClauseEntry


@dataclass(frozen=True)
class ClauseRow:
    """A clause: its source, who decides about it, and every part that carries it."""

    id: str
    source: str
    place: Passage | None
    texts: Sequence[SourceText]
    decided: Sequence[str]
    clause_entries: Sequence[ClauseEntry]
    more_examples: int


def by_clause(
    rubric: Rubric,
    part_views: Sequence[PartView],
    texts_by_clause: Mapping[str, Sequence[SourceText]] = MappingProxyType({}),
) -> list[ClauseRow]:
    """Return each clause in order.

    `texts_by_clause`: the source's own texts beside those of the rubric, by clause.
    """
    carried: dict[str, list[ClauseEntry]] = defaultdict(list)
    for carrier in _carriers(rubric, part_views):
        for clause in carrier.clause_ids:
            carried[clause].append(carrier.entry)
    sources = {clause.id: clause.source for clause in rubric.clauses}
    places = {place.clause: place for place in rubric.sources}
    listed = []
    for clause in sorted(carried):
        place = places.get(clause)
        carriers = [entry for entry in carried[clause] if not entry.is_example]
        examples = [entry for entry in carried[clause] if entry.is_example]
        row = ClauseRow(
            clause,
            sources.get(clause, ""),
            place,
            texts=[*_text_in_source(place), *texts_by_clause.get(clause, ())],
            decided=list(_decided(clause, carriers)),
            clause_entries=[*carriers, *examples[:MOST_EXAMPLES]],
            more_examples=len(examples[MOST_EXAMPLES:]),
        )
        listed.append(row)
    return listed


def _text_in_source(place: Passage | None) -> Iterator[SourceText]:
    """Yield the text that the rubric itself has of a clause, if it has any."""
    if place and place.text.strip():
        lines = place.text.splitlines()
        yield SourceText(tuple(lines))


def _decided(clause: str, clause_entries: Sequence[ClauseEntry]) -> Iterator[str]:
    """Yield who decides about a clause: a rule, a reading of ours, else whoever rates."""
    deciding = []
    if any(entry.sentence or entry.is_ruled for entry in clause_entries):
        deciding.append(_("a rule"))
    if any(entry.is_reading(clause) for entry in clause_entries):
        deciding.append(_("our reading"))
    yield from deciding or [_("for people to judge")]


def _carriers(rubric: Rubric, part_views: Sequence[PartView]) -> Iterator[Carrier]:
    """Yield the parts that carry clauses, in the order in which each clause lists them."""
    yield from _guidance(rubric.guidance, "guidance", rubric)
    for part in part_views:
        yield from _carriers_in(part, rubric)
    example_carriers: list[Carrier] = []
    for part in part_views:
        for level in part.levels:
            example_carriers += [_example_carrier(view, part.dimension) for view in level.examples]
    # Of a clause the examples that show little else come first.
    yield from sorted(example_carriers, key=lambda carrier: len(carrier.clause_ids))


def _example_carrier(example_view: ExampleView, dimension: Dimension) -> Carrier:
    example = example_view.example
    title = f"{dimension.title} {example.score}"
    entry = ClauseEntry(_("example"), example_view.id, title, example.why, is_example=True)
    return Carrier(_clauses_of(example, dimension), entry)


def _carriers_in(part_view: PartView, rubric: Rubric) -> Iterator[Carrier]:
    dimension = part_view.dimension
    anchor = part_view.id
    readings = _clauses_by_reading(dimension, rubric)
    question = ClauseEntry(_("question"), anchor, dimension.title, dimension.question)
    yield Carrier(dimension.clauses, question)
    yield from _guidance(dimension.guidance, f"{anchor}-guidance", rubric)
    for aid in dimension.aids:
        href = f"{anchor}-aid-{aid.code}"
        yield Carrier(aid.clauses, ClauseEntry(_("aid"), href, aid.title, aid.text))
    for view in part_view.levels:
        level = view.level
        title = f"{dimension.title} {level.score}"
        if level.label:
            title = f"{title}, {level.label}"
        reading = readings.get(level.reading)
        entry = ClauseEntry(_("level"), view.id, title, read_by_us=reading)
        yield Carrier(level.clauses, entry)
    yield from _carriers_in_checks(dimension, anchor, readings)
    for group in part_view.groups:
        for rule in group.rules_in_words:
            reading = readings.get(rule.reading)
            entry = ClauseEntry(_("rule"), rule.id, "", sentence=rule.sentence, read_by_us=reading)
            if rule.clause:
                yield Carrier([rule.clause], entry)


def _carriers_in_checks(
    dimension: Dimension, anchor: str, readings: Mapping[str, tuple[str, ...]]
) -> Iterator[Carrier]:
    ruled = _facts_of_rules(dimension)
    for check in dimension.checks:
        href = f"{anchor}-check-{check.code}"
        entry = ClauseEntry(
            _("check"),
            href,
            check.wording,
            check.help,
            is_ruled=not check.needs_answer and check.code in ruled,
            read_by_us=readings.get(check.reading),
        )
        yield Carrier(check.clauses, entry)
        for answer in check.answers:
            title = f"{check.wording}: {answer.wording}"
            entry = ClauseEntry(
                _("answer"),
                href,
                title,
                answer.help,
                is_ruled=answer.sets in ruled,
                read_by_us=readings.get(answer.reading),
            )
            yield Carrier(answer.clauses, entry)


def _clauses_by_reading(dimension: Dimension, rubric: Rubric) -> dict[str, tuple[str, ...]]:
    """Return the clauses that each reading names."""
    return {text.code: text.clauses for text in (*rubric.guidance, *dimension.guidance)}


def _facts_of_rules(dimension: Dimension) -> set[str]:
    """Return the facts that rules name, but for those that only ask."""
    facts: set[str] = set()
    for rule in dimension.rules:
        if rule.effect is not Effect.ADVISE:
            facts.update(rule.names, rule.needed_facts)
    return facts


def _guidance(guidance_texts: Iterable[Guidance], anchor: str, rubric: Rubric) -> Iterator[Carrier]:
    for text in guidance_texts:
        read_by_us = None
        if text.code in rubric.readings:
            read_by_us = text.clauses
        kind = _("guidance")
        href = f"{anchor}-{text.code}"
        entry = ClauseEntry(kind, href, text.title, text.text, read_by_us=read_by_us)
        yield Carrier(text.clauses, entry)


def _clauses_of(example: Example, dimension: Dimension) -> set[str]:
    """Return the clauses of the ticks and answers that hold for the example.

    An answer without clauses counts with those of its question.
    """
    clause_ids: set[str] = set()
    for check in dimension.checks:
        if not check.needs_answer and check.code in example.checks:
            clause_ids.update(check.clauses)
        for answer in check.answers:
            if answer.sets in example.checks:
                clause_ids.update(answer.clauses or check.clauses)
    return clause_ids
