"""Read a rubric from a YAML document, and write it back.

`parse` returns the frozen schema or raises DocumentError with every fault it finds. Each fault
names the path, the value, and what to do. `dump` is the inverse: `parse(dump(rubric)) == rubric`.
This module reads the shape of the document. If the shape is valid, `rubrics.wellformed` checks
that the parts fit together.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Any, TypeVar

from .plain_yaml import DocumentError, text_of, values
from .schema import (
    Aid,
    Answer,
    Check,
    Condition,
    Detector,
    Dimension,
    Effect,
    Example,
    Guidance,
    Kind,
    Level,
    Needs,
    Rubric,
    Rule,
    Scope,
    Turn,
    Unit,
)
from .wellformed import faults_in

__all__ = ["DocumentError", "dump", "parse", "plain", "read", "write"]

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

# The null character and lone surrogates: valid in YAML and JSON, refused by PostgreSQL and UTF-8.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlevel = _SHORT.maxlist = _SHORT.maxdict = 2

LONGEST_CODE, LONGEST_LINE, LARGEST = 80, 120, 32_767
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")


def read(text: str) -> Rubric:
    """Parse a YAML text into a rubric. Raises DocumentError."""
    return parse(values(text))


def parse(content: object, *, is_stored: bool = False) -> Rubric:
    """Parse plain values (from YAML or JSON) into a rubric. Raises DocumentError.

    `is_stored` skips the check that the parts fit together, because it passed before storing.
    Ratings refer to published versions, so a version stays readable when that check gets stricter.
    """
    faults: list[str] = []
    rubric = _rubric(_Node(content, "", faults))
    if not faults and not is_stored:
        faults.extend(faults_in(rubric))
    if faults:
        raise DocumentError(faults)
    return rubric


def write(rubric: Rubric) -> str:
    """Return the rubric as a YAML text."""
    return text_of(dump(rubric))


def dump(rubric: Rubric) -> dict[str, Any]:
    """Return the rubric as plain values, without fields at their default."""
    content = plain(rubric)
    assert isinstance(content, dict)
    return content


def plain(value: object) -> Any:
    """Return any part of the schema as plain values, without fields at their default."""
    if is_dataclass(value) and not isinstance(value, type):
        content = {}
        for spec in fields(value):
            part = getattr(value, spec.name)
            default = (
                spec.default_factory() if spec.default_factory is not MISSING else spec.default
            )
            if part != default:
                content[spec.name] = plain(part)
        return content
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    return str(value) if isinstance(value, StrEnum) else value


@dataclass(frozen=True, slots=True)
class _Node:
    """A value of the document and its path.

    Faults are collected, not raised, so that an author sees all of them at once.
    """

    value: object
    path: str
    faults: list[str]

    def fault(self, message: str) -> None:
        self.faults.append(f"{self.path or 'the document'}: {message}")

    def mapping(self, allowed: type) -> dict[str, _Node]:
        """Return the entries of a mapping. A key that the schema does not know is a fault."""
        if not isinstance(self.value, dict):
            self.fault(f"expected a mapping, found {_shown(self.value)}")
            return {}
        names = [spec.name for spec in fields(allowed)]
        entries = {}
        for key, value in self.value.items():
            if key in names:
                entries[key] = _Node(
                    value, f"{self.path}.{key}" if self.path else str(key), self.faults
                )
            else:
                self.fault(f'"{key}" is not known here; known are {", ".join(names)}')
        return entries

    def items(self) -> Iterator[_Node]:
        if not isinstance(self.value, list):
            self.fault(f"expected a list, found {_shown(self.value)}")
            return
        for index, value in enumerate(self.value):
            yield _Node(value, f"{self.path}[{index}]", self.faults)

    def verbatim(self) -> str:
        """Return a text unchanged, white space included."""
        if not isinstance(self.value, str):
            self.fault(f"expected a text, found {_shown(self.value)}; put it in quotes")
            return ""
        if unstorable := _UNSTORABLE.search(self.value):
            self.fault(f"holds {unstorable.group()!r}, which no database keeps; take it out")
        return self.value

    def text(self) -> str:
        return self.verbatim().strip()

    def words(self) -> str:
        """Return a text that is not blank."""
        text = self.text()
        if isinstance(self.value, str) and not text:
            self.fault(f"{_shown(self.value)} says nothing; write it, or leave the entry out")
        return text

    def line(self) -> str:
        """Return a text short enough for a button, a heading or a column."""
        text = self.words()
        if len(text) > LONGEST_LINE:
            self.fault(
                f"{_shown(text)} has {len(text)} characters; at most {LONGEST_LINE} fit here"
            )
        return text

    def slug(self) -> str:
        text = self.text()
        if isinstance(self.value, str) and not SLUG.fullmatch(text):
            self.fault(
                f'"{text}" is no code; use small letters, digits, and "_" or "-" between them'
            )
        elif len(text) > LONGEST_CODE:
            self.fault(f'"{text}" has {len(text)} characters; a code has at most {LONGEST_CODE}')
        return text

    def integer(self) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fault(f"expected a whole number, found {_shown(self.value)}")
            return 0
        if abs(self.value) > LARGEST:
            self.fault(f"{_shown(self.value)} is too far from 0; at most {LARGEST}")
            return 0
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            self.fault(f"expected true or false, found {_shown(self.value)}")
            return False
        return self.value

    def choice(self, kind: type[E]) -> E:
        try:
            return kind(self.value)  # type: ignore[arg-type]  # any value of the document
        except ValueError:
            options = ", ".join(kind)
            self.fault(f"{_shown(self.value)} is not among {options}")
            return next(iter(kind))

    def clause(self) -> str:
        text = self.words()
        if len(text) > LONGEST_CODE:
            self.fault(
                f'"{text}" has {len(text)} characters; a clause id has at most {LONGEST_CODE}'
            )
        return text

    def texts(self) -> tuple[str, ...]:
        return tuple(node.words() for node in self.items())

    def clauses(self) -> tuple[str, ...]:
        return tuple(node.clause() for node in self.items())

    def integers(self) -> tuple[int, ...]:
        return tuple(node.integer() for node in self.items())


def _shown(value: object) -> str:
    """Return a short repr for messages, even of a large value."""
    return _SHORT.repr(value)


class _Entries:
    """The entries of one mapping, read by name. A missing entry without a default is a fault."""

    def __init__(self, node: _Node, kind: type) -> None:
        self.node = node
        self.entries = node.mapping(kind)

    def need(self, name: str, read: Callable[[_Node], T]) -> T:
        if name not in self.entries:
            if isinstance(self.node.value, dict):
                self.node.fault(f'"{name}" is missing')
            silent = _Node(None, "", [])
            return read(silent)
        return read(self.entries[name])

    def get(self, name: str, read: Callable[[_Node], T], default: T) -> T:
        return read(self.entries[name]) if name in self.entries else default


def _each(read: Callable[[_Node], T]) -> Callable[[_Node], tuple[T, ...]]:
    return lambda node: tuple(read(part) for part in node.items())


def _rubric(node: _Node) -> Rubric:
    at = _Entries(node, Rubric)
    return Rubric(
        slug=at.need("slug", _Node.slug),
        title=at.need("title", _Node.line),
        summary=at.need("summary", _Node.words),
        language=at.get("language", _Node.words, "en"),
        guidance=at.get("guidance", _each(_guidance), ()),
        dimensions=at.need("dimensions", _each(_dimension)),
    )


def _guidance(node: _Node) -> Guidance:
    at = _Entries(node, Guidance)
    return Guidance(
        code=at.need("code", _Node.slug),
        title=at.need("title", _Node.line),
        text=at.need("text", _Node.words),
        clauses=at.get("clauses", _Node.clauses, ()),
    )


def _aid(node: _Node) -> Aid:
    at = _Entries(node, Aid)
    return Aid(
        code=at.need("code", _Node.slug),
        kind=at.need("kind", _Node.slug),
        title=at.need("title", _Node.line),
        text=at.need("text", _Node.words),
        seconds=at.get("seconds", _Node.integer, 180),
        proposes=at.get("proposes", _Node.text, ""),
        clauses=at.get("clauses", _Node.clauses, ()),
    )


def _dimension(node: _Node) -> Dimension:
    at = _Entries(node, Dimension)
    return Dimension(
        code=at.need("code", _Node.slug),
        short=at.need("short", _Node.line),
        title=at.need("title", _Node.line),
        question=at.need("question", _Node.words),
        unit=at.need("unit", lambda part: part.choice(Unit)),
        lowest=at.need("lowest", _Node.integer),
        highest=at.need("highest", _Node.integer),
        levels=at.need("levels", _each(_level)),
        checks=at.get("checks", _each(_check), ()),
        rules=at.get("rules", _each(_rule), ()),
        needs=at.get("needs", _needs, Needs()),
        sample=at.get("sample", _Node.integer, 50),
        guidance=at.get("guidance", _each(_guidance), ()),
        aids=at.get("aids", _each(_aid), ()),
        clauses=at.get("clauses", _Node.clauses, ()),
    )


def _needs(node: _Node) -> Needs:
    at = _Entries(node, Needs)
    return Needs(
        persona=at.get("persona", _Node.boolean, False),
        history=at.get("history", _Node.boolean, False),
        candidates=at.get("candidates", _Node.integer, 0),
        other_histories=at.get("other_histories", _Node.integer, 0),
    )


def _level(node: _Node) -> Level:
    at = _Entries(node, Level)
    return Level(
        score=at.need("score", _Node.integer),
        label=at.need("label", _Node.line),
        definition=at.need("definition", _Node.words),
        between=at.get("between", _Node.boolean, False),
        illustrations=at.get("illustrations", _Node.texts, ()),
        examples=at.get("examples", _each(_example), ()),
        clauses=at.get("clauses", _Node.clauses, ()),
    )


def _example(node: _Node) -> Example:
    at = _Entries(node, Example)
    return Example(
        score=at.need("score", _Node.integer),
        checks=at.need("checks", _Node.texts),
        why=at.need("why", _Node.words),
        history=at.get("history", _each(_turn), ()),
        persona=at.get("persona", _Node.texts, ()),
        response=at.get("response", _Node.verbatim, None),
        candidates=at.get("candidates", _each(_Node.verbatim), ()),
        elsewhere=at.get("elsewhere", _each(_Node.verbatim), ()),
    )


def _turn(node: _Node) -> Turn:
    at = _Entries(node, Turn)
    return Turn(role=at.need("role", _Node.words), text=at.need("text", _Node.verbatim))


def _check(node: _Node) -> Check:
    at = _Entries(node, Check)
    return Check(
        code=at.need("code", _Node.slug),
        kind=at.need("kind", lambda part: part.choice(Kind)),
        wording=at.need("wording", _Node.line),
        help=at.get("help", _Node.text, ""),
        key=at.get("key", _Node.text, ""),
        scope=at.get("scope", lambda part: part.choice(Scope), Scope.TARGET),
        answers=at.get("answers", _each(_answer), ()),
        best=at.get("best", _Node.text, None),
        detector=at.get("detector", lambda part: part.choice(Detector), None),
        asks=at.get("asks", _Node.text, ""),
        marks_persona=at.get("marks_persona", _Node.boolean, False),
        clauses=at.get("clauses", _Node.clauses, ()),
    )


def _answer(node: _Node) -> Answer:
    at = _Entries(node, Answer)
    return Answer(
        code=at.need("code", _Node.slug),
        wording=at.need("wording", _Node.line),
        sets=at.get("sets", _Node.slug, None),
        help=at.get("help", _Node.text, ""),
        clauses=at.get("clauses", _Node.clauses, ()),
    )


def _condition(node: _Node) -> Condition:
    at = _Entries(node, Condition)
    return Condition(
        all_of=at.get("all_of", _Node.texts, ()),
        any_of=at.get("any_of", _Node.texts, ()),
        none_of=at.get("none_of", _Node.texts, ()),
        at_least=at.get("at_least", _Node.integer, 0),
        of=at.get("of", _Node.texts, ()),
    )


def _rule(node: _Node) -> Rule:
    at = _Entries(node, Rule)
    return Rule(
        code=at.need("code", _Node.slug),
        clause=at.need("clause", _Node.clause),
        effect=at.need("effect", lambda part: part.choice(Effect)),
        reason=at.need("reason", _Node.words),
        when=at.get("when", _condition, Condition()),
        score=at.get("score", _Node.integer, None),
        scores=at.get("scores", _Node.integers, ()),
        needs=at.get("needs", _condition, Condition()),
        against=at.get("against", _Node.texts, ()),
        remark=at.get("remark", _Node.text, ""),
        between=at.get("between", lambda part: part.choice(Detector), None),
        unless_one=at.get("unless_one", _Node.texts, ()),
        precedence=at.get("precedence", _Node.integer, 0),
    )
