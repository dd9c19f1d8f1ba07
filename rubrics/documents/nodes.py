"""Read the values of a document as the parts of a rubric.

The classes of `judging.parts` and `judging.dimension` declare by their fields which entries a part
has, and of which types. A `Node` is one value of a document, and `Node.read` returns it as such a
type, with all that is within it:

    {code: rude, kind: tick, wording: Rude}   read as Check   is   Check("rude", Kind.TICK, "Rude")

`documents.reading` reads a whole document so.
"""

import re
import reprlib
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
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

# Characters of a text, by the names that `judging.parts` gives to its types of text.
LONGEST = {"code": 80, "clause id": 80, "line": 120, "short": 20}
LARGEST = 32_767
MOST_FAULTS = 1_000  # that are told of each kind
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
# The entry that names a part of a list, where it is not `code`.
_NAMED_BY = {Level: "score", Clause: "id", Passage: "clause"}


@dataclass
class ReadingState:
    """All that one document said so far: its faults, and what could not be read."""

    faults: list[Fault]
    yes_no: tuple[str, ...] = ()  # in the language of the rubric, if the interface has it
    line_of: dict[Path, int] = field(default_factory=dict)
    faulty: set[Path] = field(default_factory=set)  # what could not be read as it is
    unread: set[str] = field(default_factory=set)  # names that checks left out may assert


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that a part of a rubric may have in a document, by a field of its class."""

    name: str
    type: Any
    default: Any  # MISSING if a document must have the entry
    is_written: bool  # also at its default (`judging.parts.WRITTEN`)


@cache
def entries_of(part_class: type) -> tuple[Entry, ...]:
    """Return the entries of a class of parts, in the order of its fields."""
    types = get_type_hints(part_class, include_extras=True)
    entries = []
    for spec in fields(part_class):
        default = spec.default
        if spec.default_factory is not MISSING:
            default = spec.default_factory()
        if spec.init:
            entries.append(Entry(spec.name, types[spec.name], default, bool(spec.metadata)))
    return tuple(entries)


def with_place(path: Path, message: str) -> str:
    """Return a message that begins with the path of the part that it is about."""
    return f"{'.'.join(path) or 'the document'}: {message}"


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the document, its path by codes, and its lines.

    Faults are collected, not raised, so that an author sees all of them at once. A value that
    cannot be read is None. A text with a fault is read all the same, and the path stands in for one
    that is missing, to see whether the part fits.
    """

    value: Any
    path: Path
    lines: Lines
    state: ReadingState

    def read(self, field_type: Any) -> Any:
        """Return the value as the type of a field, or None if it cannot be read."""
        if get_origin(field_type) is Annotated:
            return self._text(field_type.__metadata__[0])
        inner_types = get_args(field_type)
        if get_origin(field_type) is tuple:
            return self._list(inner_types[0])
        if inner_types:  # "… | None"; a document leaves the entry out instead
            return self.read(inner_types[0])
        if field_type is Check:
            return self._check()
        if is_dataclass(field_type):
            return self._part(field_type)
        if issubclass(field_type, StrEnum):
            return self._choice(field_type)
        if field_type is bool:
            return self._boolean()
        if field_type is int:
            return self._integer()
        return self._text()

    def _refuse(self, message: str, /, **placeholders: object) -> None:
        """Add a fault of the whole value. The message has a place for each placeholder."""
        self.state.faulty.add(self.path)
        self._add_fault(self.lines.line, message % placeholders)

    def _refuse_entry(self, key: str, message: str, /, **placeholders: object) -> None:
        """Add a fault of an entry of a mapping, the rest of which may be read."""
        line = self.lines.within.get(key, self.lines).line
        self._add_fault(line, message % placeholders)

    def _add_fault(self, line: int, message: str) -> None:
        if len(self.state.faults) < MOST_FAULTS:
            self.state.faults.append((line, with_place(self.path, message)))

    # Parts and lists of parts.

    def _part(self, part_class: Any) -> Any:
        """Return a mapping as a part, or None if it cannot be read."""
        if not isinstance(self.value, dict):
            self._refuse_as_mapping(part_class)
            return None
        entries = entries_of(part_class)
        self._refuse_unknown_keys([entry.name for entry in entries])
        arguments = {}
        is_whole = True
        for entry in entries:
            value = None
            if entry.name in self.value:
                value = self._at(entry.name, entry.name).read(entry.type)
            elif entry.default is MISSING:
                self._refuse_entry(entry.name, _('"%(name)s" is missing'), name=entry.name)
                value = self._substitute(entry.type)
            if value is not None:
                arguments[entry.name] = value
            elif entry.default is MISSING:
                is_whole = False
        if not is_whole:
            self.state.faulty.add(self.path)
            return None
        return part_class(**arguments)

    def _refuse_as_mapping(self, part_class: Any) -> None:
        """Add the fault that this is no mapping; a condition is often written as a list."""
        message = _("expected a mapping, found %(found)s")
        if part_class is Condition:
            message = _("expected a mapping, found %(found)s; write %(example)s")
        names = self.value
        if not isinstance(self.value, list):
            names = [self.value]
        example = f"{{all_of: {_short_repr(names)}}}".replace("'", "")
        self._refuse(message, found=_short_repr(self.value), example=example)

    def _refuse_unknown_keys(self, names: list[str]) -> None:
        """Add a fault for each key of a mapping that is none of these."""
        for key in self.value:
            lines = self.lines.within.get(key, self.lines)
            if lines.is_rest:
                message = _('"%(key)s": a comma ends a text in { }: put it in quotes')
                self._refuse_entry(key, message, key=key)
            elif key not in names:
                message = _('"%(key)s" is not known here%(perhaps)s; known are %(names)s')
                perhaps = suggestion(key, names)
                self._refuse_entry(key, message, key=key, perhaps=perhaps, names=", ".join(names))

    def _substitute(self, field_type: Any) -> str | None:
        """Return what stands in for a missing text, and for a code what the path says."""
        is_text = field_type is str or get_origin(field_type) is Annotated
        if is_text:
            return "".join(self.path[-1:])
        return None

    def _check(self) -> Check | None:
        """Return a check. A question for yes or no that lists no answers has these two."""
        check: Check | None = self._part(Check)
        if check is None:
            if isinstance(self.value, dict):
                self.state.unread.update(_names_in(self.value))
            return None
        if check.kind is Kind.YES_NO and not check.answers and self.state.yes_no:
            yes, no = self.state.yes_no
            return replace(check, answers=(Answer("yes", yes, check.code), Answer("no", no)))
        return check

    def _at(self, key: str | int, name: str) -> "Node":
        """Return the value of an entry, which the path calls by this name."""
        path = (*self.path, name)
        lines = self.lines.within.get(key, Lines(self.lines.line))
        self.state.line_of[path] = lines.line
        return Node(self.value[key], path, lines, self.state)

    def _list(self, part_type: Any) -> tuple[Any, ...]:
        """Return the parts of a list that can be read."""
        parts = []
        for node in self._items(_NAMED_BY.get(part_type, "code")):
            part = node.read(part_type)
            if part is not None:
                parts.append(part)
        return tuple(parts)

    def _items(self, naming_entry: str) -> Iterator["Node"]:
        """Yield the entries of a list, each called by its code, else by its number from 1."""
        if not isinstance(self.value, list):
            message = _("expected a list, found %(found)s")
            if isinstance(self.value, str | int):
                message = _("expected a list, found %(found)s; write %(example)s")
            self._refuse(message, found=_short_repr(self.value), example=f"[{self.value}]")
            return
        for index, value in enumerate(self.value):
            name = str(index + 1)
            if isinstance(value, dict):
                code = value.get(naming_entry)
                if isinstance(code, str | int) and not isinstance(code, bool):
                    name = str(code).strip()
            yield self._at(index, name)

    # Texts, numbers and choices.

    def _text(self, text_type: str = "") -> str:
        """Return a text of one of the types that `judging.parts` names, or of none of them."""
        if not isinstance(self.value, str):
            excerpt = _short_repr(self.value)
            self._refuse(_("expected a text, found %(found)s; put it in quotes"), found=excerpt)
            return excerpt
        if unstorable := UNSTORABLE.search(self.value):
            message = _("holds %(character)s, which no database keeps; take it out")
            self._refuse(message, character=repr(unstorable.group()))
        if text_type == "verbatim":
            return self.value
        text = self.value.strip()
        if not text and text_type != "note":
            message = _("%(text)s says nothing; write it, or leave the entry out")
            self._refuse(message, text=_short_repr(self.value))
        elif text_type == "code" and not SLUG.fullmatch(text):
            message = _(
                '"%(text)s" is no code; use small letters, digits, and "_" or "-" between them'
            )
            self._refuse(message, text=text)
        most = LONGEST.get(text_type)
        if most is not None and len(text) > most:
            message = _("%(text)s has %(number)s characters; at most %(most)s fit here")
            self._refuse(message, text=_short_repr(text), number=len(text), most=most)
        return text

    def _integer(self) -> int | None:
        """Return a whole number that is not too far from 0."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            message = _("expected a whole number, found %(found)s")
            self._refuse(message, found=_short_repr(self.value))
            return None
        if abs(self.value) > LARGEST:
            message = _("%(number)s is too far from 0; at most %(most)s")
            self._refuse(message, number=_short_repr(self.value), most=LARGEST)
        return self.value

    def _boolean(self) -> object:
        """Return true or false."""
        if not isinstance(self.value, bool):
            message = _("expected true or false, found %(found)s")
            self._refuse(message, found=_short_repr(self.value))
            return None
        return self.value

    def _choice(self, enumeration: type[StrEnum]) -> StrEnum | None:
        """Return one of the values of an enumeration."""
        for choice in enumeration:
            if choice == self.value:
                return choice
        choices = list(enumeration)
        message = _("%(found)s is not among %(names)s%(perhaps)s")
        excerpt = _short_repr(self.value)
        perhaps = suggestion(self.value, choices)
        self._refuse(message, found=excerpt, names=", ".join(choices), perhaps=perhaps)
        return None


def _names_in(value: object) -> Iterator[str]:
    """Yield the codes and facts in a check that cannot be read, however many answers it has."""
    values = [value]
    while values:
        part = values.pop()
        if isinstance(part, dict):
            for key, inner in part.items():
                if key in ("code", "sets") and isinstance(inner, str):
                    yield inner
            values += part.values()
        elif isinstance(part, list):
            values += part


def _short_repr(value: object) -> str:
    """Return a short repr for messages, even of a large value."""
    return _SHORT.repr(value)
