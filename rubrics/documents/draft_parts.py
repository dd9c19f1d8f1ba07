"""The document of a draft, with a typed field for each entry that a form has a field for.

A draft is kept as it was entered: a score may be a text, and a rule may lack its condition. The
entries without a field stay in `rest` as they are, and so does one of another type than its field.
They are written again beside the others, and an entry that was lacking is not: `plain_values`
writes the document that `read_part` reads, but for empty entries that a document may leave out.

    {code: rude, kind: tick, key: R}  ⇄  DraftCheck(code="rude", kind="tick", rest={"key": "R"})
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache
from types import UnionType
from typing import Any, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

from ..judging.parts import WRITTEN
from ..judging.plain import Entries, Plain

Score: TypeAlias = int | str  # a text, if it is no whole number
PartT = TypeVar("PartT", bound="DraftPart")


class MisfitError(ValueError):
    """A value that no form can show."""


@dataclass(kw_only=True, eq=False)
class DraftPart:
    """A part of the document. None is an entry that it does not have, and so is an empty list.

    A list that is WRITTEN stands there also if it is empty. The `lacking` ones of its fields are
    not written before something is entered there.
    """

    rest: Entries = field(default_factory=dict)
    lacking: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(kw_only=True)
class DraftCondition(DraftPart):
    """A condition of a check or of a rule. Its parts are in the order in which they are listed."""

    of: list[str] = field(default_factory=list)
    all_of: list[str] = field(default_factory=list)
    any_of: list[str] = field(default_factory=list)
    none_of: list[str] = field(default_factory=list)
    at_least: Score | None = None

    @property
    def names(self) -> list[str]:
        return [*self.of, *self.all_of, *self.any_of, *self.none_of]


@dataclass(kw_only=True, eq=False)
class DraftAnswer(DraftPart):
    """An answer to a check."""

    code: str = ""
    wording: str = ""

    @property
    def sets(self) -> str:
        """The fact that it asserts; "" for none."""
        fact = self.rest.get("sets")
        return fact if isinstance(fact, str) else ""


@dataclass(kw_only=True, eq=False)
class DraftCheck(DraftPart):
    """A check of a dimension, or of the whole response."""

    code: str = ""
    kind: str = ""
    wording: str = ""
    help: str | None = None
    best: str | None = None
    when: DraftCondition | None = None
    answers: list[DraftAnswer] | None = field(default=None, metadata=WRITTEN)


@dataclass(kw_only=True, eq=False)
class DraftRule(DraftPart):
    """A rule of a dimension."""

    code: str = ""
    effect: str = ""
    reason: str = ""
    clause: str | None = None
    score: Score | None = None
    scores: list[Score] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    when: DraftCondition | None = None
    needs: DraftCondition | None = None


@dataclass(kw_only=True, eq=False)
class DraftExample(DraftPart):
    """An example of a level."""

    score: Score | None = None
    checks: list[str] = field(default_factory=list, metadata=WRITTEN)
    why: str = ""
    response: str | None = None


@dataclass(kw_only=True, eq=False)
class DraftLevel(DraftPart):
    """A score that is described, or that has examples."""

    score: Score | None = None
    label: str | None = None
    definition: str | None = None
    examples: list[DraftExample] = field(default_factory=list)

    @property
    def is_described(self) -> bool:
        """True if it says more than its score and its examples."""
        return self.label is not None or self.definition is not None or bool(self.rest)


@dataclass(kw_only=True, eq=False)
class DraftDimension(DraftPart):
    """A dimension with its scale, checks and rules."""

    code: str = ""
    title: str = ""
    question: str = ""
    lowest: Score | None = None
    highest: Score | None = None
    better: str | None = None
    blank: str | None = None
    levels: list[DraftLevel] = field(default_factory=list, metadata=WRITTEN)
    checks: list[DraftCheck] = field(default_factory=list, metadata=WRITTEN)
    rules: list[DraftRule] = field(default_factory=list, metadata=WRITTEN)

    @property
    def unit(self) -> Plain:
        return self.rest.get("unit")

    @property
    def examples(self) -> list[DraftExample]:
        """The examples of all levels."""
        examples: list[DraftExample] = []
        for level in self.levels:
            examples += level.examples
        return examples


@dataclass(kw_only=True, eq=False)
class DraftDocument(DraftPart):
    """A whole document."""

    slug: str = ""
    title: str = ""
    summary: str = ""
    language: str = "en"
    dimensions: list[DraftDimension] = field(default_factory=list, metadata=WRITTEN)
    checks: list[DraftCheck] = field(default_factory=list, metadata=WRITTEN)


def read_part(part_class: type[PartT], value: object) -> PartT:
    """Return a mapping as a part. Raises MisfitError for all else."""
    if not isinstance(value, dict):
        raise MisfitError(f"{value!r} is no {part_class.__name__}")
    kinds = field_kinds(part_class)
    rest = {**value}
    entries = {}
    for name in kinds:
        if name in value:
            with suppress(MisfitError):
                entries[name] = _read(kinds[name], value[name])
                del rest[name]
    lacking = frozenset(name for name in kinds if name not in value)
    return part_class(rest=rest, lacking=lacking, **entries)


def refuse_misfits(part: DraftPart) -> None:
    """Raise MisfitError if no form can show a part: an entry is not of its field's type."""
    kinds = field_kinds(type(part))
    for name in part.rest:
        if name in kinds:
            raise MisfitError(f"{part.rest[name]!r} is no {name} of a {type(part).__name__}")


def field_kinds(part_class: type[DraftPart]) -> Mapping[str, Any]:
    """Return the type of each entry that a kind of part has a field for."""
    return _field_kinds(cast("Any", part_class))  # mypy takes no class of a dataclass as hashable


@cache
def _field_kinds(kind: Any) -> Mapping[str, Any]:
    kinds = get_type_hints(kind)
    for spec in fields(DraftPart):
        del kinds[spec.name]
    return kinds


def _read(kind: Any, value: Plain) -> Any:
    """Return a plain value as the type of a field; a value of several types as the first."""
    choices = get_args(kind)
    if isinstance(kind, UnionType):
        classes = tuple(choice for choice in choices if isinstance(choice, type))
        if isinstance(value, classes):
            return value
        return _read(choices[0], value)
    if get_origin(kind) is list and isinstance(value, list):
        return [_read(choices[0], entry) for entry in value]
    if get_origin(kind) is dict and isinstance(value, dict):
        return {name: _read(choices[1], entry) for name, entry in value.items()}
    if isinstance(kind, type) and issubclass(kind, DraftPart):
        return read_part(kind, value)
    if choices or not isinstance(value, kind):
        raise MisfitError(f"{value!r} is no {kind}")
    return value


def plain_values(part: DraftPart) -> Entries:
    """Return a part as plain values."""
    entries: Entries = {}
    kinds = field_kinds(type(part))
    blank = type(part)()
    for spec in fields(part):
        value = getattr(part, spec.name)
        is_absent = value is None or (value in ([], {}) and not spec.metadata)
        is_lacking = spec.name in part.lacking and value == getattr(blank, spec.name)
        if spec.name in kinds and not is_absent and not is_lacking:
            entries[spec.name] = _plain_value(value)
    return entries | part.rest


def _plain_value(value: Any) -> Plain:
    if isinstance(value, DraftPart):
        return plain_values(value)
    if isinstance(value, list):
        return [_plain_value(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _plain_value(entry) for name, entry in value.items()}
    scalar: Plain = value
    return scalar
