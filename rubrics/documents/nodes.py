"""Read one value of a document as the type that a field of a rubric's part declares."""

import re
import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from django.utils.translation import gettext as _

from ..judging.kinds import Kind
from ..judging.parts import Answer, Check, Clause, Condition, Level, Passage
from .misfits import Path, suggestion
from .yaml_lines import Fault, Lines

# The null character and lone surrogates: valid in YAML and JSON, refused by PostgreSQL and UTF-8.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlevel = _SHORT.maxlist = _SHORT.maxdict = 2

# Characters of a text, by its kind.
LONGEST = {"code": 80, "clause id": 80, "line": 120, "short": 20}
LARGEST = 32_767
MOST_FAULTS = 1_000  # that are told of each kind
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_NAMES = re.compile(r"'(?:code|sets)': '(.*?)'")
# The entry that names a part of a list, where it is not `code`.
_NAMED_BY = {Level: "score", Clause: "id", Passage: "clause"}


@dataclass
class ReadingState:
    """All that one document said so far: its faults, and what could not be read."""

    faults: list[Fault]
    line_of: dict[Path, int] = field(default_factory=dict)
    faulty: set[Path] = field(default_factory=set)  # what could not be read as it is
    unread: set[str] = field(default_factory=set)  # names that checks left out may assert
    yes_no: tuple[str, ...] = ()  # in the language of the rubric, if the interface has it


def with_place(path: Path, message: str) -> str:
    """Return a message that begins with the path of the part that it is about."""
    return f"{'.'.join(path) or 'the document'}: {message}"


def default_of(spec: Field[Any]) -> Any:
    """Return the value of a field that a document leaves out; MISSING if it must not."""
    if spec.default_factory is MISSING:
        return spec.default
    return spec.default_factory()


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the document, its path by codes, and its lines.

    Faults are collected, not raised, so that an author sees all of them at once. A value that
    cannot be read is None. A part without one of its texts is read all the same, to see whether it
    fits.
    """

    value: Any
    path: Path
    lines: Lines
    reading: ReadingState

    def fault(self, message: str, entry: str | None = None, /, **placeholders: object) -> None:
        """Add a fault of this value, or of the part that it is, at one of its entries.

        The message has a place for each of the other values.
        """
        if entry is None:
            self.reading.faulty.add(self.path)
        faults = self.reading.faults
        if len(faults) < MOST_FAULTS:
            line = self.lines.within.get(entry, self.lines).line
            text = with_place(self.path, message % placeholders)
            faults.append((line, text))

    def read(self, kind: Any) -> Any:
        """Return the value as the type of a field, which is one of those of a rubric's parts."""
        if get_origin(kind) is Annotated:
            return self.text(kind.__metadata__[0])
        inner_kinds = get_args(kind)
        if get_origin(kind) is tuple:
            return self._list_of(inner_kinds[0])
        if inner_kinds:  # "… | None"; a document leaves the entry out instead
            return self.read(inner_kinds[0])
        if is_dataclass(kind):
            return self.part(kind)
        if issubclass(kind, StrEnum):
            return self.choice(kind)
        if kind is bool:
            return self.boolean()
        if kind is int:
            return self.integer()
        return self.text()

    def _list_of(self, kind: Any) -> tuple[Any, ...]:
        """Return the parts of a list that can be read."""
        parts = []
        for node in self.items(kind):
            part = node.read(kind)
            if part is not None:
                parts.append(part)
        return tuple(parts)

    def part(self, kind: Any) -> Any:
        """Return a mapping as an instance of a dataclass, or None if it cannot be read."""
        if not isinstance(self.value, dict):
            self._refuse_mapping(kind)
            return None
        kinds = _kinds(kind)
        self._refuse_unknown_keys(kinds)
        arguments = {}
        is_whole = True
        for name, default in _defaults(kind):
            value = None
            if name in self.value:
                value = self.entry(name, name).read(kinds[name])
            elif default is MISSING:
                self.fault(_('"%(name)s" is missing'), name, name=name)
                value = self._substitute(kinds[name])
            if value is not None:
                arguments[name] = value
            elif default is MISSING:
                is_whole = False
        if not is_whole:
            self.reading.faulty.add(self.path)
            if kind is Check:  # the names that it may assert, of however many answers
                names = re.findall(_NAMES, repr(self.value))
                self.reading.unread.update(names)
            return None
        if kind is Check and arguments["kind"] is Kind.YES_NO and not arguments.get("answers"):
            arguments["answers"] = self._yes_and_no(arguments["code"])
        return kind(**arguments)

    def _yes_and_no(self, code: str) -> tuple[Answer, ...]:
        """Return the two answers to a check that lists none; "yes" asserts the check's code."""
        if not self.reading.yes_no:
            return ()
        yes, no = self.reading.yes_no
        return Answer("yes", yes, code), Answer("no", no)

    def _refuse_mapping(self, kind: Any) -> None:
        """Add the fault that this is no mapping; a condition is often written as a list."""
        message = _("expected a mapping, found %(found)s")
        if kind is Condition:
            message = _("expected a mapping, found %(found)s; write %(example)s")
        names = self.value
        if not isinstance(self.value, list):
            names = [self.value]
        example = f"{{all_of: {_short_repr(names)}}}".replace("'", "")
        self.fault(message, found=_short_repr(self.value), example=example)

    def _refuse_unknown_keys(self, kinds: Mapping[str, Any]) -> None:
        """Add a fault for each key that a part of this kind does not have."""
        for key in self.value:
            lines = self.lines.within.get(key, self.lines)
            if lines.is_rest:
                message = _('"%(key)s": a comma ends a text in { }: put it in quotes')
                self.fault(message, key, key=key)
            elif key not in kinds:
                message = _('"%(key)s" is not known here%(perhaps)s; known are %(names)s')
                perhaps = suggestion(key, kinds)
                self.fault(message, key, key=key, perhaps=perhaps, names=", ".join(kinds))

    def _substitute(self, kind: Any) -> str | None:
        """Return what stands in for a missing text, and for a code what the path says."""
        is_text = getattr(kind, "__origin__", kind) is str
        if is_text:
            return "".join(self.path[-1:])
        return None

    def entry(self, key: str | int, name: str) -> "Node":
        """Return the value of an entry, which the path calls by this name."""
        path = (*self.path, name)
        lines = self.lines.within.get(key, Lines(self.lines.line))
        self.reading.line_of[path] = lines.line
        return Node(self.value[key], path, lines, self.reading)

    def items(self, kind: Any) -> Iterator["Node"]:
        """Yield the entries of a list, each called by its code, else by its number from 1."""
        if not isinstance(self.value, list):
            message = _("expected a list, found %(found)s")
            if isinstance(self.value, str | int):
                message = _("expected a list, found %(found)s; write %(example)s")
            self.fault(message, found=_short_repr(self.value), example=f"[{self.value}]")
            return
        naming_entry = _NAMED_BY.get(kind, "code")
        for index, value in enumerate(self.value):
            name = str(index + 1)
            if isinstance(value, dict):
                code = value.get(naming_entry)
                if isinstance(code, str | int) and not isinstance(code, bool):
                    name = str(code).strip()
            yield self.entry(index, name)

    def text(self, kind: str = "") -> str:
        """Return a text of one of the kinds that `judging.parts` names, or of none of them."""
        if not isinstance(self.value, str):
            excerpt = _short_repr(self.value)
            self.fault(_("expected a text, found %(found)s; put it in quotes"), found=excerpt)
            return excerpt
        if unstorable := UNSTORABLE.search(self.value):
            message = _("holds %(character)s, which no database keeps; take it out")
            self.fault(message, character=repr(unstorable.group()))
        if kind == "verbatim":
            return self.value
        text = self.value.strip()
        if not text and kind != "note":
            message = _("%(text)s says nothing; write it, or leave the entry out")
            self.fault(message, text=_short_repr(self.value))
        elif kind == "code" and not SLUG.fullmatch(text):
            message = _(
                '"%(text)s" is no code; use small letters, digits, and "_" or "-" between them'
            )
            self.fault(message, text=text)
        most = LONGEST.get(kind)
        if most is not None and len(text) > most:
            message = _("%(text)s has %(number)s characters; at most %(most)s fit here")
            self.fault(message, text=_short_repr(text), number=len(text), most=most)
        return text

    def integer(self) -> int | None:
        """Return a whole number that is not too far from 0."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            message = _("expected a whole number, found %(found)s")
            self.fault(message, found=_short_repr(self.value))
            return None
        if abs(self.value) > LARGEST:
            message = _("%(number)s is too far from 0; at most %(most)s")
            self.fault(message, number=_short_repr(self.value), most=LARGEST)
        return self.value

    def boolean(self) -> object:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.fault(_("expected true or false, found %(found)s"), found=_short_repr(self.value))
            return None
        return self.value

    def choice(self, enumeration: type[StrEnum]) -> StrEnum | None:
        """Return one of the values of an enumeration."""
        for choice in enumeration:
            if choice == self.value:
                return choice
        choices = list(enumeration)
        message = _("%(found)s is not among %(names)s%(perhaps)s")
        excerpt = _short_repr(self.value)
        perhaps = suggestion(self.value, choices)
        self.fault(message, found=excerpt, names=", ".join(choices), perhaps=perhaps)
        return None


@cache
def _kinds(kind: type) -> Mapping[str, Any]:
    """Return the types of the fields of a part that a document has, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    return {spec.name: hints[spec.name] for spec in fields(kind) if spec.init}


@cache
def _defaults(kind: type) -> list[tuple[str, Any]]:
    """Return the fields of a part that a document has, each with its default, if it has one."""
    return [(spec.name, default_of(spec)) for spec in fields(kind) if spec.init]


def _short_repr(value: object) -> str:
    """Return a short repr for messages, even of a large value."""
    return _SHORT.repr(value)
