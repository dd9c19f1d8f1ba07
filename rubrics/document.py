"""A rubric as a YAML document, and back.

`parse` gives the frozen schema or raises DocumentError with every fault found: each names the path, the
value, and what to do. `dump` is its inverse: `parse(dump(rubric)) == rubric`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Any, TypeVar

import yaml

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

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")


class DocumentError(ValueError):
    """What is wrong with a document, a line a fault."""

    def __init__(self, faults: Collection[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


class _UniqueKeyLoader(yaml.SafeLoader):
    """A mapping that names a key twice is a fault, not a silent last-one-wins."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)  # type: ignore[no-untyped-call]
            if key in seen:
                line = key_node.start_mark.line + 1
                raise DocumentError([f'line {line}: "{key}" stands twice in one mapping; keep one'])
            seen.add(key)
        return super().construct_mapping(node, deep)


def read(text: str) -> Rubric:
    """The rubric that a YAML text describes. Raises DocumentError."""
    try:
        # A SafeLoader by descent: it builds plain values only.
        content = yaml.load(text, Loader=_UniqueKeyLoader)  # noqa: S506
    except yaml.YAMLError as error:
        raise DocumentError([f"not readable as YAML: {error}"]) from error
    return parse(content)


def parse(content: object) -> Rubric:
    """The rubric that plain values (from YAML or JSON) describe. Raises DocumentError."""
    faults: list[str] = []
    rubric = _rubric(_Node(content, "", faults))
    if not faults:
        faults.extend(_dangling(rubric))
    if faults:
        raise DocumentError(faults)
    return rubric


def write(rubric: Rubric) -> str:
    """The rubric as a YAML text."""
    return yaml.safe_dump(dump(rubric), allow_unicode=True, sort_keys=False, width=110)


def dump(rubric: Rubric) -> dict[str, Any]:
    """The rubric as plain values, without what is at its default."""
    content = plain(rubric)
    assert isinstance(content, dict)
    return content


def plain(value: object) -> Any:
    """Any part of the schema as plain values, without what is at its default."""
    if is_dataclass(value) and not isinstance(value, type):
        content = {}
        for spec in fields(value):
            part = getattr(value, spec.name)
            default = spec.default_factory() if spec.default_factory is not MISSING else spec.default
            if part != default:
                content[spec.name] = plain(part)
        return content
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    return str(value) if isinstance(value, StrEnum) else value


@dataclass(frozen=True, slots=True)
class _Node:
    """A value of the document with the path that leads to it; faults are gathered, not raised, so that an
    author sees all of them at once."""

    value: object
    path: str
    faults: list[str]

    def fault(self, message: str) -> None:
        self.faults.append(f"{self.path or 'the document'}: {message}")

    def mapping(self, allowed: type) -> dict[str, _Node]:
        """The entries of a mapping; a key that the schema does not know is a fault."""
        if not isinstance(self.value, dict):
            self.fault(f"expected a mapping, found {self.value!r}")
            return {}
        names = [spec.name for spec in fields(allowed)]
        entries = {}
        for key, value in self.value.items():
            if key in names:
                entries[key] = _Node(value, f"{self.path}.{key}" if self.path else str(key), self.faults)
            else:
                self.fault(f'"{key}" is not known here; known are {", ".join(names)}')
        return entries

    def items(self) -> Iterator[_Node]:
        if not isinstance(self.value, list):
            self.fault(f"expected a list, found {self.value!r}")
            return
        for index, value in enumerate(self.value):
            yield _Node(value, f"{self.path}[{index}]", self.faults)

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.fault(f"expected a text, found {self.value!r}; put it in quotes")
            return ""
        return self.value.strip()

    def verbatim(self) -> str:
        """A text that is shown or judged as it stands, white space and all."""
        if not isinstance(self.value, str):
            self.fault(f"expected a text, found {self.value!r}; put it in quotes")
            return ""
        return self.value

    def slug(self) -> str:
        text = self.text()
        if isinstance(self.value, str) and not SLUG.fullmatch(text):
            self.fault(f'"{text}" is no code; use small letters, digits, and "_" or "-" between them')
        return text

    def integer(self) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fault(f"expected a whole number, found {self.value!r}")
            return 0
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            self.fault(f"expected true or false, found {self.value!r}")
            return False
        return self.value

    def choice(self, kind: type[E]) -> E:
        try:
            return kind(self.value)  # type: ignore[arg-type]
        except ValueError:
            options = ", ".join(kind)
            self.fault(f"{self.value!r} is not among {options}")
            return next(iter(kind))

    def texts(self) -> tuple[str, ...]:
        return tuple(node.text() for node in self.items())

    def integers(self) -> tuple[int, ...]:
        return tuple(node.integer() for node in self.items())


class _Entries:
    """The entries of one mapping, taken by name; a missing entry without a default is a fault."""

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
        title=at.need("title", _Node.text),
        summary=at.need("summary", _Node.text),
        language=at.get("language", _Node.text, "en"),
        guidance=at.get("guidance", _each(_guidance), ()),
        dimensions=at.need("dimensions", _each(_dimension)),
    )


def _guidance(node: _Node) -> Guidance:
    at = _Entries(node, Guidance)
    return Guidance(
        code=at.need("code", _Node.slug),
        title=at.need("title", _Node.text),
        text=at.need("text", _Node.text),
        clauses=at.get("clauses", _Node.texts, ()),
    )


def _aid(node: _Node) -> Aid:
    at = _Entries(node, Aid)
    return Aid(
        code=at.need("code", _Node.slug),
        kind=at.need("kind", _Node.slug),
        title=at.need("title", _Node.text),
        text=at.need("text", _Node.text),
        seconds=at.get("seconds", _Node.integer, 180),
        proposes=at.get("proposes", _Node.text, ""),
        clauses=at.get("clauses", _Node.texts, ()),
    )


def _dimension(node: _Node) -> Dimension:
    at = _Entries(node, Dimension)
    return Dimension(
        code=at.need("code", _Node.slug),
        short=at.need("short", _Node.text),
        title=at.need("title", _Node.text),
        question=at.need("question", _Node.text),
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
        clauses=at.get("clauses", _Node.texts, ()),
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
        label=at.need("label", _Node.text),
        definition=at.need("definition", _Node.text),
        between=at.get("between", _Node.boolean, False),
        illustrations=at.get("illustrations", _Node.texts, ()),
        examples=at.get("examples", _each(_example), ()),
        clauses=at.get("clauses", _Node.texts, ()),
    )


def _example(node: _Node) -> Example:
    at = _Entries(node, Example)
    return Example(
        score=at.need("score", _Node.integer),
        checks=at.need("checks", _Node.texts),
        why=at.need("why", _Node.text),
        history=at.get("history", _each(_turn), ()),
        persona=at.get("persona", _Node.texts, ()),
        response=at.get("response", _Node.verbatim, None),
        candidates=at.get("candidates", _each(_Node.verbatim), ()),
        elsewhere=at.get("elsewhere", _each(_Node.verbatim), ()),
    )


def _turn(node: _Node) -> Turn:
    at = _Entries(node, Turn)
    return Turn(role=at.need("role", _Node.text), text=at.need("text", _Node.verbatim))


def _check(node: _Node) -> Check:
    at = _Entries(node, Check)
    return Check(
        code=at.need("code", _Node.slug),
        kind=at.need("kind", lambda part: part.choice(Kind)),
        wording=at.need("wording", _Node.text),
        help=at.get("help", _Node.text, ""),
        key=at.get("key", _Node.text, ""),
        scope=at.get("scope", lambda part: part.choice(Scope), Scope.TARGET),
        answers=at.get("answers", _each(_answer), ()),
        best=at.get("best", _Node.text, None),
        detector=at.get("detector", lambda part: part.choice(Detector), None),
        asks=at.get("asks", _Node.text, ""),
        marks_persona=at.get("marks_persona", _Node.boolean, False),
        clauses=at.get("clauses", _Node.texts, ()),
    )


def _answer(node: _Node) -> Answer:
    at = _Entries(node, Answer)
    return Answer(
        code=at.need("code", _Node.slug),
        wording=at.need("wording", _Node.text),
        sets=at.get("sets", _Node.slug, None),
        help=at.get("help", _Node.text, ""),
        clauses=at.get("clauses", _Node.texts, ()),
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
    rule = Rule(
        code=at.need("code", _Node.slug),
        clause=at.need("clause", _Node.text),
        effect=at.need("effect", lambda part: part.choice(Effect)),
        reason=at.need("reason", _Node.text),
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
    for name in sorted(set(at.entries) - _READ_BY[rule.effect] - _READ_BY_ALL):
        node.fault(f'"{name}" means nothing to a rule that is {rule.effect}; take it out')
    match rule.effect:
        case Effect.FORCE | Effect.CAP | Effect.FLOOR if rule.score is None:
            node.fault('"score" is missing')
        case Effect.REQUIRE if not rule.scores or rule.needs == Condition():
            node.fault('a rule that is require names "scores" and what it "needs"')
        case Effect.EXCLUDE if not rule.against or not rule.when.positive:
            node.fault('a rule that is exclude names "against", and checks in "when"')
        case Effect.ADVISE if not rule.scores and not rule.between:
            node.fault('a rule that is advise names "scores", or "between" what it compares')
        case Effect.RANK_BELOW if not rule.when.positive:
            node.fault('a rule that is rank_below names checks in "when"')
        case _:
            pass
    return rule


_READ_BY_ALL = {"code", "clause", "effect", "reason", "when"}
_READ_BY = {
    Effect.FORCE: {"score", "precedence"},
    Effect.CAP: {"score"},
    Effect.FLOOR: {"score"},
    Effect.REQUIRE: {"scores", "needs"},
    Effect.EXCLUDE: {"against"},
    Effect.RANK_BELOW: {"remark"},
    Effect.ADVISE: {"scores", "between", "unless_one"},
}


def _dangling(rubric: Rubric) -> Iterator[str]:
    """Names that lead nowhere, codes used twice, scores off the scale."""
    yield from _twice([dimension.code for dimension in rubric.dimensions], "dimensions")
    if not rubric.dimensions:
        yield "dimensions: a rubric has at least one"
    for index, dimension in enumerate(rubric.dimensions):
        yield from _dangling_in(dimension, f"dimensions[{index}]")


def _dangling_in(dimension: Dimension, path: str) -> Iterator[str]:
    if dimension.lowest >= dimension.highest:
        yield f"{path}: lowest is {dimension.lowest}, highest {dimension.highest}; lowest must be less"
        return
    yield from _twice([check.code for check in dimension.checks], f"{path}.checks")
    yield from _twice(dimension.facts, f"{path}.checks")
    yield from _twice([rule.code for rule in dimension.rules], f"{path}.rules")
    yield from _twice([check.key for check in dimension.checks if check.key], f"{path}.checks (key)")
    scores = [level.score for level in dimension.levels]
    if sorted(scores) != list(dimension.scores):
        yield (
            f"{path}.levels: describe {scores}; each score from {dimension.lowest} to {dimension.highest}"
            " has exactly one level"
        )
    for number, level in enumerate(dimension.levels):
        for place, example in enumerate(level.examples):
            where = f"{path}.levels[{number}].examples[{place}]"
            yield from _unknown(dimension, example.checks, f"{where}.checks")
            yield from _off_scale(dimension, (example.score,), f"{where}.score")
    for number, check in enumerate(dimension.checks):
        yield from _misshapen(check, dimension, f"{path}.checks[{number}]")
    for number, rule in enumerate(dimension.rules):
        where = f"{path}.rules[{number}]"
        yield from _unknown(dimension, rule.when.names, f"{where}.when")
        yield from _unknown(dimension, rule.needs.names, f"{where}.needs")
        yield from _unknown(dimension, rule.against, f"{where}.against")
        yield from _unknown(dimension, rule.unless_one, f"{where}.unless_one")
        yield from _off_scale(dimension, rule.scores, f"{where}.scores")
        if rule.score is not None:
            yield from _off_scale(dimension, (rule.score,), f"{where}.score")
        if bool(rule.when.at_least) != bool(rule.when.of):
            yield f'{where}.when: "at_least" and "of" go together'
    for number, aid in enumerate(dimension.aids):
        if aid.proposes:
            yield from _unknown(dimension, (aid.proposes,), f"{path}.aids[{number}].proposes")


def _misshapen(check: Check, dimension: Dimension, where: str) -> Iterator[str]:
    codes = [answer.code for answer in check.answers]
    if check.asked:
        if len(codes) < 2:
            yield f'{where}: "{check.code}" is {check.kind}; list two or more "answers"'
        if check.kind is Kind.YES_NO and codes != ["yes", "no"]:
            yield f"{where}.answers: {codes}; a yes_no check has the answers yes and no"
        if check.best is not None and check.best not in codes:
            yield f'{where}.best: "{check.best}" is no answer; answers are {", ".join(codes)}'
        yield from _twice(codes, f"{where}.answers")
    elif codes:
        yield f'{where}.answers: "{check.code}" is {check.kind}, which has none; take them out'
    if check.kind is Kind.DETECTED and check.detector is None:
        yield f'{where}: "{check.code}" is detected; name its "detector"'
    if check.detector is Detector.TWINS:
        yield f"{where}.detector: twins are two responses; a rule speaks of them, not a check"
    if check.kind is Kind.TICK and check.detector and not check.asks:
        yield f'{where}: "{check.code}" has a detector; write the question it "asks"'
    if check.scope is Scope.CORPUS and dimension.unit is not Unit.CANDIDATE_SET:
        yield f"{where}.scope: corpus needs the unit candidate_set, and {dimension.code} has {dimension.unit}"


def _twice(names: Collection[str], where: str) -> Iterator[str]:
    for name in sorted({name for name in names if list(names).count(name) > 1}):
        yield f'{where}: "{name}" stands more than once; give each its own'


def _unknown(dimension: Dimension, names: Collection[str], where: str) -> Iterator[str]:
    for name in names:
        if name not in dimension.facts:
            known = ", ".join(dimension.facts)
            yield f'{where}: "{name}" is no check of {dimension.code}; its checks are {known}'


def _off_scale(dimension: Dimension, scores: Collection[int], where: str) -> Iterator[str]:
    for score in scores:
        if score not in dimension.scores:
            yield f"{where}: {score}; {dimension.code} goes from {dimension.lowest} to {dimension.highest}"
