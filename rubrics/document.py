"""Read a rubric from a YAML document.

`parse` returns the frozen schema or raises DocumentError with every fault it finds. Each fault
names the path, the value, and what to do. `dump` is the inverse: `parse(dump(rubric)) == rubric`.
This module reads the shape of the document, which the classes in `rubrics.schema` declare by their
fields. If the shape is valid, `rubrics.wellformed` checks that the parts fit together, and then
`rubrics.proof` that the rules work whatever is answered.
"""

import re
import reprlib
from collections.abc import Collection, Hashable, Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Self, get_args, get_origin, get_type_hints

import yaml

from .proof import findings
from .schema import Rubric
from .wellformed import faults_in

# The null character and lone surrogates: valid in YAML and JSON, refused by PostgreSQL and UTF-8.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlevel = _SHORT.maxlist = _SHORT.maxdict = 2

# Characters of a text, by its kind.
LONGEST = {"code": 80, "clause id": 80, "line": 120, "short": 20}
LARGEST = 32_767
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")


class DocumentError(ValueError):
    """All faults of a document, one per line."""

    def __init__(self, faults: Collection[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


class _UniqueKeyLoader(yaml.SafeLoader):
    """A loader that reports duplicate keys, where PyYAML silently keeps the last one."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.faults: list[str] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return a mapping; report its duplicate keys."""
        keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        seen: set[str] = set()
        for key in keys:
            if key.value in seen and key.value != "<<":
                self.faults.append(
                    f'line {key.start_mark.line + 1}: "{key.value}" appears twice in one mapping;'
                    " keep one"
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def read(text: str) -> Rubric:
    """Parse a YAML text into a rubric. Raises DocumentError."""
    return parse(values(text))


def parse(content: object, *, is_stored: bool = False) -> Rubric:
    """Parse plain values (from YAML or JSON) into a rubric. Raises DocumentError.

    `is_stored` skips the checks that the parts fit together and that the rules work, because they
    passed before storing. Ratings refer to published versions, so a version stays readable when
    those checks get stricter.
    """
    faults: list[str] = []
    rubric: Rubric = _Node(content, "", faults).part(Rubric)
    if not faults and not is_stored:
        faults.extend(faults_in(rubric))
        if not faults:
            faults.extend(found.text for found in findings(rubric) if found.is_fault)
    if faults:
        raise DocumentError(faults)
    return rubric


def dump(value: object) -> Any:
    """Return a rubric, or a part of one, as plain values, without fields at their default."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            spec.name: dump(getattr(value, spec.name))
            for spec in fields(value)
            if getattr(value, spec.name) != _default_of(spec)
        }
    if isinstance(value, tuple):
        return [dump(part) for part in value]
    return str(value) if isinstance(value, StrEnum) else value


def _default_of(spec: Field[Any]) -> Any:
    return spec.default if spec.default_factory is MISSING else spec.default_factory()


@dataclass(frozen=True, slots=True)
class _Node:
    """A value of the document and its path.

    Faults are collected, not raised, so that an author sees all of them at once. Once there is one,
    nobody looks at the results.
    """

    value: object
    path: str
    faults: list[str]

    def fault(self, message: str) -> None:
        """Add a fault of this value."""
        self.faults.append(f"{self.path or 'the document'}: {message}")

    def read(self, kind: Any) -> Any:
        """Return the value as the type of a field, which is one of those in `rubrics.schema`."""
        if get_origin(kind) is Annotated:
            return self.text(kind.__metadata__[0])
        if get_origin(kind) is tuple:
            return tuple([node.read(get_args(kind)[0]) for node in self.items()])
        if get_args(kind):  # "… | None"; a document leaves the entry out instead
            return self.read(get_args(kind)[0])
        if is_dataclass(kind):
            return self.part(kind)
        if issubclass(kind, StrEnum):
            return self.choice(kind)
        return {bool: self.boolean, int: self.integer, str: self.text}[kind]()

    def part(self, kind: Any) -> Any:
        """Return a mapping as an instance of a dataclass, or None if an entry is missing."""
        if not isinstance(self.value, dict):
            self.fault(f"expected a mapping, found {_shown(self.value)}")
            return None
        kinds = _kinds(kind)
        for key in self.value:
            if key not in kinds:
                self.fault(f'"{key}" is not known here; known are {", ".join(kinds)}')
        found = {}
        for spec in fields(kind):
            if spec.name in self.value:
                path = f"{self.path}.{spec.name}" if self.path else spec.name
                node = _Node(self.value[spec.name], path, self.faults)
                found[spec.name] = node.read(kinds[spec.name])
            elif spec.default is MISSING and spec.default_factory is MISSING:
                self.fault(f'"{spec.name}" is missing')
        return None if self.faults else kind(**found)

    def items(self) -> Iterator[Self]:
        """Yield the entries of a list."""
        if not isinstance(self.value, list):
            self.fault(f"expected a list, found {_shown(self.value)}")
            return
        for index, value in enumerate(self.value):
            yield type(self)(value, f"{self.path}[{index}]", self.faults)

    def text(self, kind: str = "") -> str:
        """Return a text of one of the kinds that `rubrics.schema` names, or of none of them."""
        if not isinstance(self.value, str):
            self.fault(f"expected a text, found {_shown(self.value)}; put it in quotes")
            return ""
        if unstorable := _UNSTORABLE.search(self.value):
            self.fault(f"holds {unstorable.group()!r}, which no database keeps; take it out")
        if kind == "verbatim":
            return self.value
        text = self.value.strip()
        if not text and kind != "note":
            self.fault(f"{_shown(self.value)} says nothing; write it, or leave the entry out")
        elif kind == "code" and not SLUG.fullmatch(text):
            self.fault(
                f'"{text}" is no code; use small letters, digits, and "_" or "-" between them'
            )
        if kind in LONGEST and len(text) > LONGEST[kind]:
            self.fault(
                f"{_shown(text)} has {len(text)} characters; at most {LONGEST[kind]} fit here"
            )
        return text

    def integer(self) -> int | None:
        """Return a whole number that is not too far from 0."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fault(f"expected a whole number, found {_shown(self.value)}")
            return None
        if abs(self.value) > LARGEST:
            self.fault(f"{_shown(self.value)} is too far from 0; at most {LARGEST}")
        return self.value

    def boolean(self) -> object:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.fault(f"expected true or false, found {_shown(self.value)}")
        return self.value

    def choice(self, kind: type[StrEnum]) -> StrEnum | None:
        """Return one of the values of an enumeration."""
        for choice in kind:
            if choice == self.value:
                return choice
        self.fault(f"{_shown(self.value)} is not among {', '.join(kind)}")
        return None


@cache
def _kinds(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields, in their order."""
    return get_type_hints(kind, include_extras=True)


def _shown(value: object) -> str:
    """Return a short repr for messages, even of a large value."""
    return _SHORT.repr(value)


def values(text: str) -> object:
    """Return the plain values of a YAML text.

    Raises DocumentError if the text is not YAML or has a duplicate key.
    """
    try:
        loader = _UniqueKeyLoader(text)
        content = loader.get_single_data()
    except RecursionError:
        raise DocumentError(
            ["not readable as YAML: lists or mappings are nested too deeply"]
        ) from None
    # ValueError: a number with thousands of digits, or a date that does not exist.
    except (yaml.YAMLError, ValueError) as error:
        raise DocumentError([f"not readable as YAML: {' '.join(str(error).split())}"]) from error
    if loader.faults:
        raise DocumentError(loader.faults)
    return content
