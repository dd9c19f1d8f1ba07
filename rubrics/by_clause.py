"""List the parts of a rubric clause by clause: what carries each clause, and who decides."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from .schema import Dimension, Effect, Example, Guidance, Level, Rubric

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


# A part that carries clauses: their ids, and the entry for each of them.
Carrier: TypeAlias = tuple[Iterable[str], ClauseEntry]


def by_clause(
    rubric: Rubric,
    parts: Sequence[dict[str, Any]],
    texts: Mapping[str, Sequence[SourceText]] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """Return each clause in order: its source, who decides, and every part that carries it.

    `texts`: the source's own texts beside those of the rubric, by clause.
    """
    entries: dict[str, list[ClauseEntry]] = defaultdict(list)
    for clauses, entry in _carriers(rubric, parts):
        for clause in clauses:
            entries[clause].append(entry)
    source = {clause.id: clause.source for clause in rubric.clauses}
    places = {place.clause: place for place in rubric.sources}
    own = {
        name: [SourceText(tuple(place.text.splitlines()))]
        for name, place in places.items()
        if place.text.strip()
    }
    listed: list[dict[str, Any]] = []
    for clause, found in sorted(entries.items()):
        parts_of_clause = [entry for entry in found if not entry.is_example]
        examples = [entry for entry in found if entry.is_example]
        listed.append(
            {
                "id": clause,
                "source": source.get(clause, ""),
                "place": places.get(clause),
                "texts": [*own.get(clause, ()), *texts.get(clause, ())],
                "decided": list(_decided(clause, parts_of_clause)),
                "entries": [*parts_of_clause, *examples[:MOST_EXAMPLES]],
                "more_examples": len(examples[MOST_EXAMPLES:]),
            }
        )
    return listed


def _decided(clause: str, entries: Sequence[ClauseEntry]) -> Iterator[str]:
    """Yield who decides about a clause: a rule, a reading of ours, else whoever rates."""
    deciding = []
    if any(entry.sentence or entry.is_ruled for entry in entries):
        deciding.append(_("a rule"))
    if any(entry.is_reading(clause) for entry in entries):
        deciding.append(_("our reading"))
    yield from deciding or [_("for people to judge")]


def _carriers(rubric: Rubric, parts: Sequence[dict[str, Any]]) -> Iterator[Carrier]:
    """Yield the parts that carry clauses, in the order in which each clause lists them."""
    yield from _guidance(rubric.guidance, "guidance", rubric)
    for part in parts:
        yield from _carriers_in(part, rubric)
    examples = [
        (part, shown) for part in parts for level in part["levels"] for shown in level["examples"]
    ]
    # Of a clause the examples that show little else come first.
    clauses_of = [
        sorted(_clauses_of(each["example"], part["dimension"])) for part, each in examples
    ]
    for (part, shown), clauses in sorted(
        zip(examples, clauses_of, strict=True), key=lambda pair: len(pair[1])
    ):
        example = shown["example"]
        yield (
            clauses,
            ClauseEntry(
                _("example"),
                shown["id"],
                f"{part['dimension'].title} {example.score}",
                example.why,
                is_example=True,
            ),
        )


def _carriers_in(part: dict[str, Any], rubric: Rubric) -> Iterator[Carrier]:
    dimension: Dimension = part["dimension"]
    yield (
        dimension.clauses,
        ClauseEntry(_("question"), part["id"], dimension.title, dimension.question),
    )
    yield from _guidance(dimension.guidance, f"{part['id']}-guidance", rubric)
    for aid in dimension.aids:
        yield (
            aid.clauses,
            ClauseEntry(_("aid"), f"{part['id']}-aid-{aid.code}", aid.title, aid.text),
        )
    for shown in part["levels"]:
        level: Level = shown["level"]
        title = ", ".join(filter(None, [f"{dimension.title} {level.score}", level.label]))
        yield (
            level.clauses,
            ClauseEntry(
                _("level"),
                shown["id"],
                title,
                read_by_us=_named_by(level.reading, dimension, rubric),
            ),
        )
    ruled: set[str] = set()
    for rule in dimension.rules:
        if rule.effect is not Effect.ADVISE:
            ruled.update(rule.names, rule.needed)
    for check in dimension.checks:
        anchor = f"{part['id']}-check-{check.code}"
        yield (
            check.clauses,
            ClauseEntry(
                _("check"),
                anchor,
                check.wording,
                check.help,
                is_ruled=not check.asked and check.code in ruled,
                read_by_us=_named_by(check.reading, dimension, rubric),
            ),
        )
        for answer in check.answers:
            title = f"{check.wording}: {answer.wording}"
            yield (
                answer.clauses,
                ClauseEntry(
                    _("answer"),
                    anchor,
                    title,
                    answer.help,
                    is_ruled=answer.sets in ruled,
                    read_by_us=_named_by(answer.reading, dimension, rubric),
                ),
            )
    for _group, rules in part["groups"]:
        for rule in rules:
            yield (
                filter(None, [rule.clause]),
                ClauseEntry(
                    _("rule"),
                    rule.id,
                    "",
                    sentence=rule.sentence,
                    read_by_us=_named_by(rule.reading, dimension, rubric),
                ),
            )


def _named_by(reading: str, dimension: Dimension, rubric: Rubric) -> tuple[str, ...] | None:
    """Return the clauses that a reading names; None if there is no reading."""
    texts = (*dimension.guidance, *rubric.guidance)
    return next((text.clauses for text in texts if text.code == reading), None)


def _guidance(texts: Iterable[Guidance], anchor: str, rubric: Rubric) -> Iterator[Carrier]:
    for text in texts:
        yield (
            text.clauses,
            ClauseEntry(
                _("guidance"),
                f"{anchor}-{text.code}",
                text.title,
                text.text,
                read_by_us=text.clauses if text.code in rubric.readings else None,
            ),
        )


def _clauses_of(example: Example, dimension: Dimension) -> set[str]:
    """Return the clauses of the ticks and answers that hold for the example.

    An answer without clauses counts with those of its question.
    """
    of_ticks = (
        check.clauses
        for check in dimension.checks
        if check.code in example.checks and not check.asked
    )
    of_answers = (
        answer.clauses or check.clauses
        for check in dimension.checks
        for answer in check.answers
        if answer.sets in example.checks
    )
    return set().union(*of_ticks, *of_answers)
