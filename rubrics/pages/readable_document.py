"""A rubric as a document to be compared by people: its rules and conditions are sentences."""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeAlias

from ..documents.document import dump
from ..judging.dimension import Dimension
from ..judging.parts import Condition
from ..judging.schema import Rubric
from .differences import Sentence
from .rule_sentences import RuleWriter

# A part of a document, as `documents.document.dump` returns it: its entries by name.
DocumentPart: TypeAlias = MutableMapping[str, Any]

# The entries of a rule that its sentence says, and that give way to it.
IN_SENTENCE = (
    *("effect", "when", "needs", "or_needs", "against"),
    *("score", "scores", "unless_one", "unbound"),
)


def in_sentences(rubric: Rubric) -> Mapping[str, object]:
    """Return a rubric as a document whose rules and conditions are sentences."""
    document: DocumentPart = dump(rubric)
    _write_sentences(rubric, rubric.whole_response, document)
    for dimension, entries in zip(rubric.dimensions, document["dimensions"], strict=True):
        _write_sentences(rubric, dimension, entries)
    return document


def _write_sentences(rubric: Rubric, dimension: Dimension, part: DocumentPart) -> None:
    """Replace the rules and conditions in the entries of a dimension by sentences on them."""
    writer = RuleWriter(rubric, dimension)
    for condition, place in _conditions(dimension, part):
        if condition.names:
            place["when"] = Sentence(writer.plain_condition(condition), condition)
    for rule, rule_entries in zip(dimension.rules, part.get("rules", ()), strict=True):
        # Two sentences differ if these differ, whatever the words.
        meaning = [rule_entries.pop(name, None) for name in IN_SENTENCE]
        text = writer.plain_sentence(rule)
        for label in writer.counted_labels(rule):
            text += f" ({label})"
        rule_entries["sentence"] = Sentence(text, meaning)


def _conditions(
    dimension: Dimension, part: DocumentPart
) -> Iterator[tuple[Condition, DocumentPart]]:
    """Yield the conditions of a dimension and of its checks, each with the entries it is in."""
    yield dimension.when, part
    for check, check_entries in zip(dimension.checks, part.get("checks", ()), strict=True):
        yield check.when, check_entries
