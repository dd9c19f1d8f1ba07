"""Rows → items, or why not. Pure: no Django. Nothing in a text changes on the way.

An item: `id`; one of `prompt`, `messages` and `history`; `persona`, `context`, `reference`, `source`,
`system` and `warning`; `response` (with `model`, where it stands beside) or `responses`. null is as good as
absent there. Everything else is metadata, as are the entries of an object `meta`. Rows with one `id` form one
item, which `loading` sees to: each has all of the item, and a response or more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from rubrics.schema import Turn

from .rows import WHY, LineError, Row, excerpt, printable

LONGEST_ID = 500  # characters; the database's index holds 2,700 bytes
MOST_RESPONSES = 50  # what one form can hold, and one person compare
DEEPEST = 64  # objects and lists within one another in a value of metadata

CONVERSATIONS = ("prompt", "messages", "history")
ASKED, ANSWERED = "user", "assistant"

# Who says a line of a history: one of these words, or of these with a letter or number, or a letter alone or
# with a number; then a colon, and a blank if there is one. Anything else before a colon belongs to the line.
SPEAKER = re.compile(
    r"(?P<role>(?:user|assistant|system|human|bot|ai|model|agent|customer|person|speaker|participant|tool)"
    r"(?:[ _-]?(?:[0-9]{1,3}|[A-Za-z]))?|(?-i:[A-Z])[0-9]{0,3}):(?: |$|(?=[^\s/\\]))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NewResponse:
    model: str
    text: str


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item as it will be stored. `line` is where it begins in the file, `size` its bytes there."""

    line: int
    size: int
    external_id: str
    persona: tuple[str, ...]
    messages: tuple[Turn, ...]
    system: str
    context: str
    reference: str
    source: str
    warning: str
    metadata: Mapping[str, object]
    responses: tuple[NewResponse, ...]


class _BadValue(ValueError):
    def __init__(self, column: str, reason: str, advice: str, value: str = "") -> None:
        super().__init__(reason)
        self.column, self.reason, self.advice, self.value = column, reason, advice, value


def items_of(rows: Iterable[Row]) -> Iterator[NewItem | LineError]:
    """What each row brings to an item, in their order; or what is wrong with it."""
    return map(item_of, rows)


def item_of(row: Row) -> NewItem | LineError:
    """What one row says of an item, and the responses that it brings."""
    if isinstance(row.content, LineError):
        return row.content
    try:
        return _item(row, row.content)
    except _BadValue as bad:
        column = f"{row.path}.{bad.column}" if row.path else bad.column
        return LineError(row.line, printable(column), bad.value, bad.reason, bad.advice, _any_id(row.content))


def _item(row: Row, given: Mapping[str, object]) -> NewItem:
    content = given
    if None in given.values():
        content = {key: value for key, value in given.items() if value is not None or key not in _KNOWN}
    taken = _KNOWN_WITH_MODEL if "response" in content else _KNOWN
    return NewItem(
        line=row.line,
        size=row.size,
        external_id=_id(content),
        persona=_persona(content),
        messages=_messages(content),
        system=_text(content["system"], "system") if "system" in content else "",
        context=_text(content["context"], "context") if "context" in content else "",
        reference=_text(content["reference"], "reference") if "reference" in content else "",
        source=_text(content["source"], "source") if "source" in content else "",
        warning=_text(content["warning"], "warning") if "warning" in content else "",
        metadata=_metadata(content, taken),
        responses=_responses(content),
    )


_KNOWN = frozenset(
    {
        "id",
        *CONVERSATIONS,
        "persona",
        "context",
        "reference",
        "source",
        "system",
        "warning",
        "response",
        "responses",
        WHY,
    }
)
_KNOWN_WITH_MODEL = _KNOWN | {"model"}


def _any_id(content: Mapping[str, object]) -> str:
    """The id in a row with which something is wrong, or "" where that is the id itself."""
    try:
        return _id(content)
    except _BadValue:
        return ""


def _id(content: Mapping[str, object]) -> str:
    if "id" not in content:
        raise _BadValue("id", "is missing", "give every item an id of its own, a text")
    found = content["id"]
    if isinstance(found, int) and not isinstance(found, bool):
        found = str(found)
    if not isinstance(found, str):
        raise _wrong_kind("id", found, "a text or a whole number", "write a text, in quotes")
    _holdable(found, "id")
    if not found.strip():
        raise _BadValue("id", "is blank", "give every item an id of its own", excerpt(found))
    if len(found) > LONGEST_ID:
        raise _BadValue(
            "id", f"is {len(found):,} characters long", f"use {LONGEST_ID} at most", excerpt(found)
        )
    return found


def _persona(content: Mapping[str, object]) -> tuple[str, ...]:
    if "persona" not in content:
        return ()
    match content["persona"]:
        case str() as text:
            return tuple(line for line in _lines(text, "persona") if line)
        case list() as lines:
            return tuple(_text(line, f"persona[{place}]") for place, line in enumerate(lines))
        case other:
            raise _wrong_kind("persona", other, "a list of lines", "write a list of texts")


def _messages(content: Mapping[str, object]) -> tuple[Turn, ...]:
    match [name for name in CONVERSATIONS if name in content]:
        case ["prompt"]:
            return (Turn(ASKED, _text(content["prompt"], "prompt")),)
        case ["messages"]:
            return _turns(content["messages"], "messages")
        case ["history"]:
            return _history(content["history"])
        case []:
            raise _BadValue(
                "prompt", "is missing", 'give one of "prompt" (a text), "messages" and "history" (lists)'
            )
        case [first, second, *_]:
            raise _BadValue(second, f'stands beside "{first}"', "keep one of them", excerpt(content[second]))
        case _:
            raise AssertionError


def _history(value: object) -> tuple[Turn, ...]:
    """Messages, or plain lines. Lines that all say who speaks are taken at their word; where none does, they
    are said in turn, the last by the one whom the responses answer."""
    match value:
        case str():
            lines = _lines(value, "history")
        case list() if value and all(isinstance(line, str) for line in value):
            lines = [_text(line, f"history[{place}]") for place, line in enumerate(value)]
        case _:
            return _turns(value, "history")
    said = [SPEAKER.match(line) for line in lines]
    if any(said):
        return tuple(
            _said(found, line, place) for place, (found, line) in enumerate(zip(said, lines, strict=True))
        )
    if isinstance(value, str) and "" in lines:
        raise _BadValue(
            "history",
            f"has no text in line {lines.index('') + 1}",
            "write a list of {role, text}, so that it is clear who speaks",
        )
    speakers = (ASKED, ANSWERED)
    return tuple(Turn(speakers[(len(lines) - place + 1) % 2], line) for place, line in enumerate(lines))


def _said(found: re.Match[str] | None, line: str, place: int) -> Turn:
    if found is None:
        raise _BadValue(
            "history",
            f"has no speaker in line {place + 1}, and has one in another",
            'begin every line with who speaks, such as "user: ", or write a list of {role, text}',
            excerpt(line),
        )
    return Turn(found["role"], line[found.end() :])


def _turns(value: object, column: str) -> tuple[Turn, ...]:
    if not isinstance(value, list):
        raise _wrong_kind(column, value, "a list", "write a list of {role, content}")
    return tuple(_turn(turn, f"{column}[{place}]") for place, turn in enumerate(value))


def _turn(value: object, column: str) -> Turn:
    if not isinstance(value, dict):
        raise _wrong_kind(column, value, "an object", "write {role, content}")
    key = _one_of(value, ("content", "text"), column)
    if "role" not in value:
        raise _BadValue(f"{column}.role", "is missing", 'say who speaks, such as "user" or "assistant"')
    role = _text(value["role"], f"{column}.role")
    said = value[key]
    text = _parts(said, f"{column}.{key}") if isinstance(said, list) else _text(said, f"{column}.{key}")
    _nothing_else(value, ("role", key), column)
    return Turn(role, text)


def _parts(parts: Sequence[object], column: str) -> str:
    """The text of a message that comes in parts, one after the other with nothing put between them."""
    texts = []
    for place, part in enumerate(parts):
        where = f"{column}[{place}]"
        if not isinstance(part, dict):
            raise _wrong_kind(where, part, "an object", 'write {"type": "text", "text": …}')
        if part.get("type") != "text":
            raise _BadValue(
                f"{where}.type",
                "is no text and cannot be shown",
                "take the item out, or describe the part as text",
                excerpt(part.get("type")),
            )
        texts.append(_text(part.get("text"), f"{where}.text"))
        _nothing_else(part, ("type", "text"), where)
    return "".join(texts)


def _responses(content: Mapping[str, object]) -> tuple[NewResponse, ...]:
    given = content.get("responses")
    if isinstance(given, list) and 0 < len(given) <= MOST_RESPONSES and "response" not in content:
        return tuple([_response(entry, place) for place, entry in enumerate(given)])
    match "response" in content, content.get("responses"):
        case True, None:
            model = content.get("model")
            return (
                NewResponse(
                    "" if model is None else _text(model, "model"), _text(content["response"], "response")
                ),
            )
        case True, given:
            raise _BadValue("responses", 'stands beside "response"', "keep one of them", excerpt(given))
        case False, None:
            raise _BadValue(
                "responses", "is missing", 'give "response" (a text) or "responses" (a list of {model, text})'
            )
        case _, []:
            raise _BadValue(
                "responses", "is empty", "give one response at least, or leave the item out", "[]"
            )
        case _, list() as many:
            raise _BadValue("responses", f"has {len(many):,} entries", f"give {MOST_RESPONSES:,} at most")
        case _, other:
            raise _wrong_kind("responses", other, "a list", "write a list of {model, text}")


def _response(value: object, place: int) -> NewResponse:
    # As it nearly always is. What follows finds out what is wrong, and takes three times as long.
    if isinstance(value, dict) and len(value) == 2:
        plain, by = value.get("text"), value.get("model")
        if type(plain) is str and type(by) is str and _is_holdable(plain) and _is_holdable(by):
            return NewResponse(by, plain)
    column = f"responses[{place}]"
    if not isinstance(value, dict):
        raise _wrong_kind(column, value, "an object", "write {model, text}")
    key = _one_of(value, ("text", "response"), column)
    model = value.get("model")
    _nothing_else(value, ("model", key), column)
    return NewResponse(
        "" if model is None else _text(model, f"{column}.model"), _text(value[key], f"{column}.{key}")
    )


def _metadata(content: Mapping[str, object], taken: frozenset[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    if taken.issuperset(content):
        return found
    for key, value in content.items():
        if key in taken:
            continue
        entries = value if key == "meta" and isinstance(value, dict) else {key: value}
        for name, entry in entries.items():
            if name in found:
                raise _BadValue(
                    name, 'stands both beside "meta" and in it', "rename one of them", excerpt(entry)
                )
            _holdable(name, name)
            _holdable_all(entry, name, DEEPEST)
            found[name] = entry
    return found


# --- values ---


def _text(value: object, column: str) -> str:
    if not isinstance(value, str):
        raise _wrong_kind(column, value, "a text", "write a text, in quotes")
    _holdable(value, column)
    return value


def _lines(text: str, column: str) -> list[str]:
    """A text's lines. The line end behind the last one begins no further line."""
    lines = _text(text, column).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _is_holdable(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        return text.isascii() or bool(text.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def _holdable(text: str, column: str) -> None:
    """Refuse what PostgreSQL, or UTF-8, cannot hold."""
    if _is_holdable(text):
        return
    if "\0" in text:
        raise _BadValue(
            column,
            "holds the character NUL (U+0000)",
            "take it out, the database cannot hold it",
            excerpt(text),
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _BadValue(
            column,
            f"holds half a character (the lone surrogate U+{ord(text[error.start]):04X})",
            "write the whole character",
            excerpt(text[max(0, error.start - 10) : error.start + 10]),
        ) from None


def _holdable_all(value: object, column: str, levels: int) -> None:
    match value:
        case str():
            _holdable(value, column)
        case list() | dict() if not levels:
            raise _BadValue(
                column, f"is nested more than {DEEPEST} levels deep", "flatten it, or write it as a text"
            )
        case list():
            for place, entry in enumerate(value):
                _holdable_all(entry, f"{column}[{place}]", levels - 1)
        case dict():
            for name, entry in value.items():
                _holdable(name, f"{column}.{name}")
                _holdable_all(entry, f"{column}.{name}", levels - 1)


def _one_of(value: Mapping[str, object], names: tuple[str, str], column: str) -> str:
    """Which of two names is there. null is a value of the wrong kind here, not an absence: a text is due."""
    match [name for name in names if name in value]:
        case [name]:
            return name
        case []:
            raise _BadValue(f"{column}.{names[0]}", "is missing", f'give "{names[0]}", a text')
        case _:
            raise _BadValue(f"{column}.{names[1]}", f'stands beside "{names[0]}"', "keep one of them")


def _nothing_else(value: Mapping[str, object], names: tuple[str, str], column: str) -> None:
    """Refuse what would be dropped, such as a tool call. What holds nothing may stand."""
    for name, entry in value.items():
        if name not in names and entry not in (None, "", [], {}):
            raise _BadValue(
                f"{column}.{name}",
                "cannot be shown here",
                "take it out, or move it beside the item's id, where it is kept as metadata",
                excerpt(entry),
            )


def _wrong_kind(column: str, value: object, wanted: str, advice: str) -> _BadValue:
    match value:
        case None:
            kind = "null"
        case bool():
            kind = "true or false"
        case int() | float() | Decimal():
            kind = "a number"
        case str():
            kind = "a text"
        case list():
            kind = "a list"
        case _:
            kind = "an object"
    return _BadValue(column, f"is {kind}, not {wanted}", advice, "" if value is None else excerpt(value))
