"""Read a rubric from a YAML document.

`parse` returns the frozen schema or raises DocumentError with every fault it finds. Each fault
names the line in a document, the path, the value, and what to do. `dump` is the inverse:
`parse(dump(rubric)) == rubric`. This module reads the shape of the document, which the classes in
`rubrics.schema` declare by their fields. `rubrics.wellformed` checks that the parts that could be
read fit together, and then `rubrics.proof` that the rules work whatever is answered.
"""

import re
import reprlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import islice
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from django.utils.translation import gettext as _, override

from .looks import looks
from .proof import Finding, findings
from .schema import (
    Answer,
    Check,
    Clause,
    Condition,
    Kind,
    Level,
    Passage,
    Rubric,
    interface_language,
)
from .wellformed import Path, faults_in, perhaps
from .yaml_lines import DocumentError, Fault, Lines, refuse_beyond, with_lines

# The null character and lone surrogates: valid in YAML and JSON, refused by PostgreSQL and UTF-8.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
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


def read(text: str) -> Rubric:
    """Parse a YAML text into a rubric. Raises DocumentError."""
    content, lines, faults = with_lines(text)
    return _Reading(faults).rubric(content, lines, is_stored=False)


def read_shape(text: str) -> tuple[Rubric, tuple[str, ...]]:
    """Return the rubric of a YAML text, and its faults, which are none of its shape.

    Raises DocumentError with all faults if its shape cannot be read.
    """
    content, lines, faults = with_lines(text)
    try:
        return _Reading([*faults]).rubric(content, lines, is_stored=False), ()
    except DocumentError as error:
        with suppress(DocumentError):
            return _Reading(faults).rubric(content, lines, is_stored=True), error.faults
        raise


def faults_with_lines(content: object, lines: Lines) -> list[Fault]:
    """Return the faults of shape and of fitting together."""
    reading = _Reading([])
    reading.fitting(content, lines)
    return reading.faults


def parse(content: object, *, is_stored: bool = False) -> Rubric:
    """Parse plain values (from YAML or JSON) into a rubric. Raises DocumentError.

    `is_stored` skips the checks that the parts fit together and that the rules work, because they
    passed before storing. Ratings refer to published versions, so a version stays readable when
    those checks get stricter.
    """
    return _Reading([]).rubric(content, Lines(), is_stored=is_stored)


@dataclass(frozen=True)
class Examined:
    """A document as far as it can be read, and all that is to be said of it."""

    rubric: Rubric | None  # if its parts can be read and fit together
    misfits: tuple[Finding, ...] = ()

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The misfits, else what the proof finds. It takes long, so few pages ask for it."""
        return (*findings(self.rubric), *looks(self.rubric)) if self.rubric else self.misfits

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that keep it from being published."""
        return tuple(found for found in self.findings if found.is_fault)


def examine(content: object) -> Examined:
    """Read plain values, to be proved; return the faults in place of raising them."""
    try:
        refuse_beyond(content)
    except DocumentError as error:
        return Examined(None, tuple(map(Finding, error.faults)))
    reading = _Reading([])
    rubric = reading.fitting(content, Lines())
    if reading.faults or not rubric:
        said = dict.fromkeys(text for _line, text in reading.faults)
        return Examined(None, tuple(map(Finding, said)))
    return Examined(rubric)


def storable(value: Any) -> Any:
    """Return plain values as JSON that PostgreSQL keeps; dates and the like as texts."""
    if isinstance(value, dict):
        return {storable(str(key)): storable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [storable(each) for each in value]
    if value is None or isinstance(value, int):
        return value
    return _UNSTORABLE.sub("", str(value))


def dump(value: object) -> Any:
    """Return a rubric, or a part of one, as plain values.

    It has no fields at their default, but those that `rubrics.schema` marks as WRITTEN.
    """
    if is_dataclass(value) and not isinstance(value, type):
        said = {}
        for name, default in _written(type(value)):
            part = getattr(value, name)
            if default is MISSING or part != default:
                said[name] = dump(part)
        return said
    if isinstance(value, tuple):
        return [dump(part) for part in value]
    return str(value) if isinstance(value, StrEnum) else value


@cache
def _written(part: type) -> list[tuple[str, Any]]:
    """Return the fields of a part of a rubric, each with the default at which it is left out."""
    return [
        (spec.name, MISSING if spec.metadata else _default_of(spec))
        for spec in fields(part)
        if spec.init
    ]


def _default_of(spec: Field[Any]) -> Any:
    return spec.default if spec.default_factory is MISSING else spec.default_factory()


@dataclass
class _Reading:
    """All that one document said so far: its faults, and what could not be read."""

    faults: list[Fault]
    line_of: dict[Path, int] = field(default_factory=dict)
    faulty: set[Path] = field(default_factory=set)  # what could not be read as it is
    unread: set[str] = field(default_factory=set)  # names that checks left out may assert
    yes_no: tuple[str, ...] = ()  # in the language of the rubric, if the interface has it

    def rubric(self, content: object, lines: Lines, *, is_stored: bool) -> Rubric:
        """Return the rubric. Raises DocumentError with all faults."""
        rubric = self.fitting(content, lines, is_stored=is_stored)
        if rubric and not self.faults and not is_stored:
            self.faults.extend(
                (self.line_at(found.path), found.text)
                for found in findings(rubric)
                if found.is_fault
            )
        if self.faults or not rubric:
            raise DocumentError(self.faults)
        return rubric

    def fitting(self, content: object, lines: Lines, *, is_stored: bool = False) -> Rubric | None:
        """Return the rubric as far as it can be read. Collect what does not fit together."""
        self.yes_no = yes_no_in(content.get("language", "en") if isinstance(content, dict) else "")
        rubric: Rubric | None = _Node(content, (), lines, self).part(Rubric)
        misfits = faults_in(rubric) if rubric and not is_stored else ()
        around = {path[:end] for path in self.faulty for end in range(len(path))}
        for path, message, name in islice(misfits, MOST_FAULTS):
            starts = (path[:end] for end in range(len(path), -1, -1))
            is_read = path not in around and self.faulty.isdisjoint(starts)
            if is_read and name not in self.unread:
                self.faults.append((self.line_at(path), _placed(path, message)))
        return rubric

    def line_at(self, path: Path) -> int:
        """Return the line of a part, or of the first part around it that has one; 0 for none."""
        starts = (path[:end] for end in range(len(path), -1, -1))
        return next((self.line_of[each] for each in starts if each in self.line_of), 0)


def yes_no_in(language: object) -> tuple[str, ...]:
    """Return the words for yes and no in a language; none if the interface has not got it."""
    if not (own := interface_language(str(language))):
        return ()
    with override(own):
        return _("yes"), _("no")


def _placed(path: Path, message: str) -> str:
    return f"{'.'.join(path) or 'the document'}: {message}"


@dataclass(frozen=True, slots=True)
class _Node:
    """A value of the document, its path by codes, and its lines.

    Faults are collected, not raised, so that an author sees all of them at once. A value that
    cannot be read is None. A part without one of its texts is read all the same, to see whether it
    fits.
    """

    value: Any
    path: Path
    lines: Lines
    reading: _Reading

    def fault(self, message: str, entry: str | None = None, /, **values: object) -> None:
        """Add a fault of this value, or of the part that it is, at one of its entries.

        The message has a place for each of the other values.
        """
        if entry is None:
            self.reading.faulty.add(self.path)
        line = self.lines.within.get(entry, self.lines).line
        if len(self.reading.faults) < MOST_FAULTS:
            self.reading.faults.append((line, _placed(self.path, message % values)))

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
            names = self.value if isinstance(self.value, list) else [self.value]
            self.fault(
                _("expected a mapping, found %(found)s; write %(example)s")
                if kind is Condition
                else _("expected a mapping, found %(found)s"),
                found=_shown(self.value),
                example=f"{{all_of: {_shown(names)}}}".replace("'", ""),
            )
            return None
        specs = [spec for spec in fields(kind) if spec.init]
        kinds, found = {spec.name: _kinds(kind)[spec.name] for spec in specs}, {}
        for key in self.value:
            if self.lines.within.get(key, self.lines).is_rest:
                self.fault(
                    _('"%(key)s": a comma ends a text in { }: put it in quotes'), key, key=key
                )
            elif key not in kinds:
                self.fault(
                    _('"%(key)s" is not known here%(perhaps)s; known are %(names)s'),
                    key,
                    key=key,
                    perhaps=perhaps(key, kinds),
                    names=", ".join(kinds),
                )
        for spec in specs:
            if spec.name in self.value:
                found[spec.name] = self.entry(spec.name, spec.name).read(kinds[spec.name])
            elif _default_of(spec) is MISSING:
                self.fault(_('"%(name)s" is missing'), spec.name, name=spec.name)
                found[spec.name] = (  # a text is stood in for, a code by what the path says
                    "".join(self.path[-1:])
                    if getattr(kinds[spec.name], "__origin__", kinds[spec.name]) is str
                    else None
                )
        if any(found[spec.name] is None for spec in specs if _default_of(spec) is MISSING):
            self.reading.faulty.add(self.path)
            if kind is Check:  # the names that it may assert, of however many answers
                self.reading.unread.update(re.findall(_NAMES, repr(self.value)))
            return None
        if kind is Check and found["kind"] is Kind.YES_NO and not found.get("answers"):
            words = zip(("yes", "no"), self.reading.yes_no, (found["code"], None), strict=False)
            found["answers"] = tuple([Answer(*answer) for answer in words])
        return kind(**{name: value for name, value in found.items() if value is not None})

    def entry(self, key: str | int, name: str) -> "_Node":
        """Return the value of an entry, which the path calls by this name."""
        path, lines = (*self.path, name), self.lines.within.get(key, Lines(self.lines.line))
        self.reading.line_of[path] = lines.line
        return _Node(self.value[key], path, lines, self.reading)

    def items(self, kind: Any) -> Iterator["_Node"]:
        """Yield the entries of a list, each called by its code, else by its number from 1."""
        if not isinstance(self.value, list):
            self.fault(
                _("expected a list, found %(found)s; write %(example)s")
                if isinstance(self.value, str | int)
                else _("expected a list, found %(found)s"),
                found=_shown(self.value),
                example=f"[{self.value}]",
            )
            return
        for index, value in enumerate(self.value):
            code = value.get(_NAMED_BY.get(kind, "code")) if isinstance(value, dict) else None
            is_name = isinstance(code, str | int) and not isinstance(code, bool)
            yield self.entry(index, str(code).strip() if is_name else str(index + 1))

    def text(self, kind: str = "") -> str:
        """Return a text of one of the kinds that `rubrics.schema` names, or of none of them."""
        if not isinstance(self.value, str):
            self.fault(
                _("expected a text, found %(found)s; put it in quotes"), found=_shown(self.value)
            )
            return _shown(self.value)
        if unstorable := _UNSTORABLE.search(self.value):
            self.fault(
                _("holds %(character)s, which no database keeps; take it out"),
                character=repr(unstorable.group()),
            )
        if kind == "verbatim":
            return self.value
        text = self.value.strip()
        if not text and kind != "note":
            self.fault(
                _("%(text)s says nothing; write it, or leave the entry out"),
                text=_shown(self.value),
            )
        elif kind == "code" and not SLUG.fullmatch(text):
            self.fault(
                _('"%(text)s" is no code; use small letters, digits, and "_" or "-" between them'),
                text=text,
            )
        if kind in LONGEST and len(text) > LONGEST[kind]:
            self.fault(
                _("%(text)s has %(number)s characters; at most %(most)s fit here"),
                text=_shown(text),
                number=len(text),
                most=LONGEST[kind],
            )
        return text

    def integer(self) -> int | None:
        """Return a whole number that is not too far from 0."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fault(_("expected a whole number, found %(found)s"), found=_shown(self.value))
            return None
        if abs(self.value) > LARGEST:
            self.fault(
                _("%(number)s is too far from 0; at most %(most)s"),
                number=_shown(self.value),
                most=LARGEST,
            )
        return self.value

    def boolean(self) -> object:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.fault(_("expected true or false, found %(found)s"), found=_shown(self.value))
            return None
        return self.value

    def choice(self, kind: type[StrEnum]) -> StrEnum | None:
        """Return one of the values of an enumeration."""
        for choice in kind:
            if choice == self.value:
                return choice
        self.fault(
            _("%(found)s is not among %(names)s%(perhaps)s"),
            found=_shown(self.value),
            names=", ".join(kind),
            perhaps=perhaps(self.value, list(kind)),
        )
        return None


@cache
def _kinds(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields, in their order."""
    return get_type_hints(kind, include_extras=True)


def _shown(value: object) -> str:
    """Return a short repr for messages, even of a large value."""
    return _SHORT.repr(value)
