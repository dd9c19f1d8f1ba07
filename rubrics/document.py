"""Read a rubric from a YAML document.

`parse` returns the frozen schema or raises DocumentError with every fault it finds. Each fault
names the line in a document, the path, the value, and what to do. `dump` is the inverse:
`parse(dump(rubric)) == rubric`. This module reads the shape of the document, which the classes in
`rubrics.schema` declare by their fields. `rubrics.wellformed` checks that the parts that could be
read fit together.
"""

import re
import reprlib
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from django.utils.translation import get_supported_language_variant, gettext, override

from .schema import Answer, Check, Clause, Condition, Kind, Level, Rubric
from .wellformed import Path, faults_in, nearest
from .yaml_lines import DocumentError, Fault, Lines, told, with_lines

# The null character and lone surrogates: valid in YAML and JSON, refused by PostgreSQL and UTF-8.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlevel = _SHORT.maxlist = _SHORT.maxdict = 2

# Characters of a text, by its kind.
LONGEST = {"code": 80, "clause id": 80, "line": 120, "short": 20}
LARGEST = 32_767
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
# The entry that names a part of a list, where it is not `code`.
_NAMED_BY = {Level: "score", Clause: "id"}


def read(text: str) -> Rubric:
    """Parse a YAML text into a rubric. Raises DocumentError."""
    content, lines, faults = with_lines(text)
    return _Reading(faults).rubric(content, lines, is_stored=False)


def parse(content: object, *, is_stored: bool = False) -> Rubric:
    """Parse plain values (from YAML or JSON) into a rubric. Raises DocumentError.

    `is_stored` skips the check that the parts fit together, because it passed before storing.
    Ratings refer to published versions, so a version stays readable when that check gets stricter.
    """
    return _Reading([]).rubric(content, Lines(), is_stored=is_stored)


def dump(value: object) -> Any:
    """Return a rubric, or a part of one, as plain values.

    It has no fields at their default, but those that `rubrics.schema` marks as WRITTEN.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {
            spec.name: dump(getattr(value, spec.name))
            for spec in fields(value)
            if spec.metadata or getattr(value, spec.name) != _default_of(spec)
        }
    if isinstance(value, tuple):
        return [dump(part) for part in value]
    return str(value) if isinstance(value, StrEnum) else value


def _default_of(spec: Field[Any]) -> Any:
    return spec.default if spec.default_factory is MISSING else spec.default_factory()


@dataclass
class _Reading:
    """All that one document said so far: its faults, and which parts could not be read."""

    faults: list[Fault]
    line_of: dict[Path, int] = field(default_factory=dict)
    faulty: set[Path] = field(default_factory=set)  # what could not be read as it is
    unread: set[str] = field(default_factory=set)  # names that checks left out may assert

    def rubric(self, content: object, lines: Lines, *, is_stored: bool) -> Rubric:
        """Return the rubric. Raises DocumentError with all faults."""
        rubric: Rubric | None = _Node(content, (), lines, self).part(Rubric)
        if rubric and not is_stored:
            rubric = with_answers(rubric)
            for path, message, name in faults_in(rubric):
                starts = [path[:end] for end in range(len(path), -1, -1)]
                is_read = not any(each[: len(path)] in starts for each in self.faulty)
                if is_read and name not in self.unread:
                    line = next((self.line_of[each] for each in starts if each in self.line_of), 0)
                    self.faults.append((line, _placed(path, message)))
        if self.faults or not rubric:
            raise DocumentError(told(self.faults))
        return rubric


def with_answers(rubric: Rubric) -> Rubric:
    """Return the rubric with yes and no, in its language, where a question lists no answers.

    Yes then asserts the check's own code. In a language without an interface nothing is added.
    """
    try:
        with override(get_supported_language_variant(rubric.language)):
            yes, no = gettext("yes"), gettext("no")
    except LookupError:
        return rubric

    def answered(check: Check) -> Check:
        if check.kind is not Kind.YES_NO or check.answers:
            return check
        return replace(check, answers=(Answer("yes", yes, sets=check.code), Answer("no", no)))

    dimensions = [
        replace(each, checks=tuple(map(answered, each.checks))) for each in rubric.dimensions
    ]
    return replace(rubric, dimensions=tuple(dimensions))


def _placed(path: Path, message: str) -> str:
    return f"{'.'.join(path) or 'the document'}: {message}"


@dataclass(frozen=True, slots=True)
class _Node:
    """A value of the document, its path by codes, and its lines.

    Faults are collected, not raised, so that an author sees all of them at once. A value that
    cannot be read is None. A part without one of its texts is read all the same, to see whether it
    fits.
    """

    value: object
    path: Path
    lines: Lines
    reading: _Reading

    def fault(self, message: str) -> None:
        """Add a fault of this value."""
        self.reading.faulty.add(self.path)
        self.reading.faults.append((self.lines.line, _placed(self.path, message)))

    def read(self, kind: Any) -> Any:
        """Return the value as the type of a field, which is one of those in `rubrics.schema`."""
        if get_origin(kind) is Annotated:
            return self.text(kind.__metadata__[0])
        if get_origin(kind) is tuple:
            found = [node.read(get_args(kind)[0]) for node in self.items(get_args(kind)[0])]
            return tuple([each for each in found if each is not None])
        if get_args(kind):  # "… | None"; a document leaves the entry out instead
            return self.read(get_args(kind)[0])
        if is_dataclass(kind):
            return self.part(kind)
        if issubclass(kind, StrEnum):
            return self.choice(kind)
        return {bool: self.boolean, int: self.integer, str: self.text}[kind]()

    def part(self, kind: Any) -> Any:
        """Return a mapping as an instance of a dataclass, or None if it cannot be read."""
        if not isinstance(self.value, dict):
            self.fault(
                f"expected a mapping, found {_shown(self.value)}{_example(kind, self.value)}"
            )
            return None
        kinds = _kinds(kind)
        for key in self.value:
            if key not in kinds:
                line = self.lines.within.get(key, self.lines).line
                message = f'"{key}" is not known here{nearest(key, kinds)}; known are '
                self.reading.faults.append((line, _placed(self.path, message + ", ".join(kinds))))
        found = {}
        for spec in fields(kind):
            is_text = kinds[spec.name] is str or get_origin(kinds[spec.name]) is Annotated
            if spec.name in self.value:
                read = self.entry(spec.name, spec.name).read(kinds[spec.name])
                if read is not None:
                    found[spec.name] = read
            elif _default_of(spec) is MISSING:
                message = _placed(self.path, f'"{spec.name}" is missing')
                self.reading.faults.append((self.lines.line, message))
                if is_text:  # of a code, this is what the path says
                    found[spec.name] = "".join(self.path[-1:])
        if any(_default_of(spec) is MISSING and spec.name not in found for spec in fields(kind)):
            self.reading.faulty.add(self.path)
            if kind is Check:
                self.reading.unread.update(_names_in(self.value))
            return None
        return kind(**found)

    def entry(self, key: str | int, name: str) -> "_Node":
        """Return the value of an entry, which the path calls by this name."""
        path, lines = (*self.path, name), self.lines.within.get(key, Lines(self.lines.line))
        self.reading.line_of[path] = lines.line
        assert isinstance(self.value, dict | list)
        return _Node(self.value[key], path, lines, self.reading)  # type: ignore[index]

    def items(self, kind: Any) -> Iterator["_Node"]:
        """Yield the entries of a list, each called by its code, else by its number from 1."""
        if not isinstance(self.value, list):
            said = f"; write [{self.value}]" if isinstance(self.value, str | int) else ""
            self.fault(f"expected a list, found {_shown(self.value)}{said}")
            return
        for index, value in enumerate(self.value):
            code = value.get(_NAMED_BY.get(kind, "code")) if isinstance(value, dict) else None
            is_name = isinstance(code, str | int) and not isinstance(code, bool)
            name = str(code).strip() if is_name else str(index + 1)
            yield self.entry(index, name)

    def text(self, kind: str = "") -> str:
        """Return a text of one of the kinds that `rubrics.schema` names, or of none of them."""
        if not isinstance(self.value, str):
            self.fault(f"expected a text, found {_shown(self.value)}; put it in quotes")
            return _shown(self.value)
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
            return None
        return self.value

    def choice(self, kind: type[StrEnum]) -> StrEnum | None:
        """Return one of the values of an enumeration."""
        for choice in kind:
            if choice == self.value:
                return choice
        near = nearest(self.value, list(kind))
        self.fault(f"{_shown(self.value)} is not among {', '.join(kind)}{near}")
        return None


@cache
def _kinds(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields, in their order."""
    return get_type_hints(kind, include_extras=True)


def _shown(value: object) -> str:
    """Return a short repr for messages, even of a large value."""
    return _SHORT.repr(value)


def _example(kind: type, value: object) -> str:
    """Return how a condition is written, where its names stand alone."""
    if kind is not Condition or not isinstance(value, str | list):
        return ""
    names = value if isinstance(value, list) else [value]
    return f"; write {{all_of: [{', '.join(map(str, names[:3]))}]}}"


def _names_in(check: dict[str, Any]) -> set[str]:
    """Return the names that a check which cannot be read may assert."""
    answers = check.get("answers")
    parts = (
        [each for each in answers if isinstance(each, dict)] if isinstance(answers, list) else []
    )
    names = [check.get("code"), *(part.get("sets") for part in parts)]
    return {name for name in names if isinstance(name, str)}
