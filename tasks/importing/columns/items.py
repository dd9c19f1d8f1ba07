"""Rows → items or errors. No text is changed on the way. No Django but its translations.

An item has an `id` and one of `prompt`, `messages` and `history`. It may have `persona`, `context`,
`reference`, `source`, `system` and `warning`. It has `response`, with an optional `model`, or
`responses`. In these columns null means absent. All other columns are metadata, and so are the
entries of an object `meta`.

Rows with the same `id` form one item: each has all fields of the item and one or more responses.
`batches/staging.py` groups them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.utils.translation import gettext as _

from rubrics.schema import Turn

from ..files.rows import LineError, SourceRow, excerpt, filled
from ..files.values import (
    A_LIST,
    AN_OBJECT,
    DEEPEST,
    KEEP_ONE,
    LONGEST_MODEL,
    WRITE_TEXT,
    BadValue,
    cell_text,
    conflict_with,
    lines_of,
    one_of,
    require_holdable,
    require_holdable_all,
    require_nothing_else,
    wrong_kind,
)
from .names import is_turns, speaker_key, text_key
from .uses import ANSWERED, ASKED, CONVERSATIONS

LONGEST_ID = 500  # characters; an entry of the database's index can have 2,700 bytes
MOST_RESPONSES = 50  # as many as one form can have, and one person can compare

# Entries of a turn that belong to its text, and cannot be shown.
NO_TEXTS = ("tool_calls", "function_call", "images", "audio", "files", "attachments")
Entry = TypeVar("Entry")

# The speaker of a history's line: one of these words, perhaps with a letter or number, or a capital
# letter, perhaps with a number. Then a colon and an optional space. Anything else before a colon is
# part of the text.
SPEAKER = re.compile(
    r"(?P<role>(?:user|assistant|system|human|bot|ai|model|agent|customer|person|speaker"
    r"|participant|tool)"
    r"(?:[ _-]?(?:[0-9]{1,3}|[A-Za-z]))?|(?-i:[A-Z])[0-9]{0,3}):(?: |$|(?=[^\s/\\]))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NewResponse:
    model: str
    text: str


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item as it will be stored."""

    line: int  # in the file, where its row begins
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
    lacks_texts: bool = False  # of a file of ratings alone


def item_of(row: SourceRow) -> NewItem | LineError:
    """Return the item of one row with the row's responses, or the row's error."""
    if isinstance(row.content, LineError):
        return row.content
    try:
        return _item(row, row.content)
    except BadValue as bad:
        return bad.at(row, _any_id(row.content))


def _item(row: SourceRow, entries: Mapping[str, object]) -> NewItem:
    content = {
        key: value for key, value in entries.items() if value is not None or key not in _KNOWN
    }
    known = _KNOWN | {"model"} if "response" in content else _KNOWN
    more = {name: turn_entries(content.get(name)) for name in ("messages", "history")}
    turns = {name: values for name, values in more.items() if values}
    return NewItem(
        line=row.line,
        external_id=id_of(content.get("id")),
        persona=persona_of(content.get("persona", [])),
        messages=_messages(content),
        system=cell_text(content.get("system", ""), "system"),
        context=cell_text(content.get("context", ""), "context"),
        reference=cell_text(content.get("reference", ""), "reference"),
        source=cell_text(content.get("source", ""), "source"),
        warning=cell_text(content.get("warning", ""), "warning"),
        metadata=metadata_of({key: content[key] for key in content if key not in known} | turns),
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
    }
)


def _any_id(content: Mapping[str, object]) -> str:
    """Return the id of a bad row, or "" if the id itself is bad."""
    try:
        return id_of(content.get("id"))
    except BadValue:
        return ""


def id_of(value: object, column: str = "id") -> str:
    """Return the id of an item. Raises BadValue."""
    if value is None:
        raise BadValue(column, _("is missing"), _("give every item an id of its own, a text"))
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise wrong_kind(column, value, _("a text or a whole number"), WRITE_TEXT)
    if not value.strip():
        advice = _("give every item an id of its own")
        raise BadValue(column, _("is blank"), advice, excerpt(value))
    return cell_text(value, column, LONGEST_ID)


def joined_id(values: Mapping[str, object]) -> str:
    r"""Return the id that several columns make: `a` and `b:c` are `a:b\:c`. Raises BadValue.

    Other values make another id, because the sign between them is escaped where they have it.
    """
    parts = []
    for column, value in values.items():
        part = id_of(value, column)
        escaped = re.sub(r"[\\:]", r"\\\g<0>", part)
        parts.append(escaped)
    return ":".join(parts)


def persona_of(value: object) -> tuple[str, ...]:
    """Return the lines of a persona. Raises BadValue."""
    match value:
        case str() as text:
            return tuple(line for line in lines_of(text, "persona") if line)
        case list() as lines:
            return tuple(
                cell_text(line, f"persona[{position}]") for position, line in enumerate(lines)
            )
        case other:
            raise wrong_kind("persona", other, _("a list of lines"), _("write a list of texts"))


def _messages(content: Mapping[str, object]) -> tuple[Turn, ...]:
    match [name for name in CONVERSATIONS if name in content]:
        case ["prompt"]:
            return (Turn(ASKED, cell_text(content["prompt"], "prompt")),)
        case ["messages"]:
            return turns_of(content["messages"], "messages")
        case ["history"]:
            return history_of(content["history"], "history")
        case []:
            raise BadValue(
                "prompt",
                _("is missing"),
                _('give one of "prompt" (a text), "messages" and "history" (lists)'),
            )
        case several:
            first, second = several[:2]
            raise BadValue(second, conflict_with(first), KEEP_ONE, excerpt(content[second]))


def history_of(value: object, column: str) -> tuple[Turn, ...]:
    """Return the turns of a history of messages or plain lines.

    If every line names its speaker, use these names. If none does, user and assistant alternate,
    and the last line is the user's, which the responses answer.
    """
    match value:
        case str():
            lines = lines_of(value, column)
        case list() if value and all(isinstance(line, str) for line in value):
            lines = [
                cell_text(line, f"{column}[{position}]") for position, line in enumerate(value)
            ]
        case _:
            return turns_of(value, column)
    speakers = [SPEAKER.match(line) for line in lines]
    if any(speakers):
        return tuple(
            _turn_of_line(speaker, line, position, column)
            for position, (speaker, line) in enumerate(zip(speakers, lines, strict=True))
        )
    if isinstance(value, str) and "" in lines:
        raise BadValue(
            column,
            filled(_("has no text in line %(line)s"), line=lines.index("") + 1),
            _("write a list of {role, text}, so that it is clear who speaks"),
        )
    return tuple(
        Turn(ASKED if (len(lines) - position) % 2 else ANSWERED, line)
        for position, line in enumerate(lines)
    )


def _turn_of_line(speaker: re.Match[str] | None, line: str, position: int, column: str) -> Turn:
    if speaker is None:
        raise BadValue(
            column,
            filled(_("has no speaker in line %(line)s, and has one in another"), line=position + 1),
            _(
                'begin every line with who speaks, such as "user: ", '
                "or write a list of {role, text}"
            ),
            excerpt(line),
        )
    return Turn(speaker["role"], line[speaker.end() :])


def turns_of(value: object, column: str) -> tuple[Turn, ...]:
    if not isinstance(value, list):
        raise wrong_kind(column, value, A_LIST, _("write a list of {role, content}"))
    return tuple(_turn(turn, f"{column}[{position}]") for position, turn in enumerate(value))


def _turn(value: object, column: str) -> Turn:
    if not isinstance(value, dict):
        raise wrong_kind(column, value, AN_OBJECT, _("write {role, content}"))
    for name in NO_TEXTS:
        require_nothing_else({name: value.get(name)}, (), column)
    names = (text_key(value),) if "content" not in value and "text" not in value else ()
    key = one_of(value, ("content", "text", *filter(None, names)), column)
    speaker = "role" if "role" in value else speaker_key(value)
    if not speaker:
        raise BadValue(
            f"{column}.role", _("is missing"), _('say who speaks, such as "user" or "assistant"')
        )
    role = cell_text(value[speaker], f"{column}.{speaker}")
    read = _parts if isinstance(value[key], list) else cell_text
    return Turn(role, read(value[key], f"{column}.{key}"))


def turn_entries(turns: object) -> list[dict[str, object]]:
    """Return what turns hold beside who speaks and the text, by turn; nothing if none does."""
    if not is_turns(turns):
        return []
    entries = []
    for turn in turns:
        known = (speaker_key(turn), text_key(turn))
        entries.append(
            {
                name: value
                for name, value in turn.items()
                if name not in (*known, *NO_TEXTS) and value not in (None, "", [], {})
            }
        )
    return entries if any(entries) else []


def _parts(parts: Sequence[object], column: str) -> str:
    """Return the text of a message in parts, joined without a separator."""
    texts = []
    for position, part in enumerate(parts):
        where = f"{column}[{position}]"
        if not isinstance(part, dict):
            raise wrong_kind(where, part, AN_OBJECT, _('write {"type": "text", "text": …}'))
        if part.get("type", "text") != "text":
            raise BadValue(
                f"{where}.type",
                _("is no text and can’t be shown"),
                _("take the item out, or describe the part as text"),
                excerpt(part.get("type")),
            )
        texts.append(cell_text(part.get("text"), f"{where}.text"))
        require_nothing_else(part, ("type", "text"), where)
    return "".join(texts)


def _responses(content: Mapping[str, object]) -> tuple[NewResponse, ...]:
    match "response" in content, content.get("responses"):
        case True, None:
            model = content.get("model")
            return (
                NewResponse(
                    "" if model is None else cell_text(model, "model", LONGEST_MODEL),
                    cell_text(content["response"], "response"),
                ),
            )
        case True, several:
            raise BadValue("responses", conflict_with("response"), KEEP_ONE, excerpt(several))
        case False, None:
            raise BadValue(
                "responses",
                _("is missing"),
                _('give "response" (a text) or "responses" (a list of {model, text})'),
            )
        case _, []:
            raise BadValue(
                "responses",
                _("is empty"),
                _("give one response at least, or leave the item out"),
                "[]",
            )
        case _, list() as many:
            require_few(many)
            return tuple([_response(entry, position) for position, entry in enumerate(many)])
        case _, other:
            raise wrong_kind("responses", other, A_LIST, _("write a list of {model, text}"))


def require_few(responses: Sequence[Entry]) -> Sequence[Entry]:
    """Return responses that one form can have. Raises BadValue."""
    if len(responses) <= MOST_RESPONSES:
        return responses
    raise BadValue(
        "responses",
        filled(_("has %(number)s entries"), number=len(responses)),
        filled(_("give %(most)s at most"), most=MOST_RESPONSES),
    )


def _response(value: object, position: int) -> NewResponse:
    column = f"responses[{position}]"
    if not isinstance(value, dict):
        raise wrong_kind(column, value, AN_OBJECT, _("write {model, text}"))
    key = one_of(value, ("text", "response"), column)
    model = value.get("model")
    require_nothing_else(value, ("model", key), column)
    return NewResponse(
        "" if model is None else cell_text(model, f"{column}.model", LONGEST_MODEL),
        cell_text(value[key], f"{column}.{key}"),
    )


def metadata_of(content: Mapping[str, object]) -> dict[str, object]:
    """Return metadata as it is stored; the entries of `meta` are part of it. Raises BadValue."""
    metadata: dict[str, object] = {}
    for key, value in content.items():
        entries = value if key == "meta" and isinstance(value, dict) else {key: value}
        for name, entry in entries.items():
            if name in metadata:
                raise BadValue(
                    name,
                    _('is both beside "meta" and in it'),
                    _("rename one of them"),
                    excerpt(entry),
                )
            require_holdable(name, name)
            require_holdable_all(entry, name, DEEPEST)
            metadata[name] = entry
    return metadata
