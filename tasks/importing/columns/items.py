"""Rows → items or errors. No text is changed on the way. No Django but its translations.

An item has an `id` and one of `prompt`, `messages` and `history`. It may have `persona`, `context`,
`reference`, `source`, `system` and `warning`. It has `response`, with an optional `model`, or
`responses`. In these columns null means absent. All other columns are metadata, and so are the
entries of an object `meta`.

Rows with the same `id` form one item: each has all fields of the item and one or more responses.
`batches/staging.py` groups them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
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
from .uses import ANSWERED, ANSWERS, ASKED, CONVERSATIONS

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
    content = {}
    metadata = {}
    has_response = entries.get("response") is not None
    for key, value in entries.items():
        if key not in _KNOWN and not (key == "model" and has_response):
            metadata[key] = value
        if value is not None:
            content[key] = value
    for name in ("messages", "history"):
        more = turn_entries(content.get(name))
        if more:
            metadata[name] = more
    texts = {name: cell_text(content.get(name, ""), name) for name in _TEXTS}
    persona = content.get("persona", [])
    return NewItem(
        line=row.line,
        external_id=id_of(content.get("id")),
        persona=persona_of(persona),
        messages=_messages(content),
        system=texts["system"],
        context=texts["context"],
        reference=texts["reference"],
        source=texts["source"],
        warning=texts["warning"],
        metadata=metadata_of(metadata),
        responses=_responses(content),
    )


_TEXTS = ("system", "context", "reference", "source", "warning")
_KNOWN = frozenset({"id", *CONVERSATIONS, "persona", *_TEXTS, *ANSWERS})


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
            return tuple(filter(None, lines_of(text, "persona")))
        case list() as lines:
            return tuple(_lines_in(lines, "persona"))
        case other:
            raise wrong_kind("persona", other, _("a list of lines"), _("write a list of texts"))


def _lines_in(values: Sequence[object], column: str) -> list[str]:
    """Return the lines of a list. Raises BadValue."""
    lines = []
    for position, value in enumerate(values):
        line = cell_text(value, f"{column}[{position}]")
        lines.append(line)
    return lines


def _messages(content: Mapping[str, object]) -> tuple[Turn, ...]:
    names = [name for name in CONVERSATIONS if name in content]
    match names:
        case ["prompt"]:
            prompt = cell_text(content["prompt"], "prompt")
            return (Turn(ASKED, prompt),)
        case ["messages"]:
            return turns_of(content["messages"], "messages")
        case ["history"]:
            return history_of(content["history"], "history")
        case []:
            advice = _('give one of "prompt" (a text), "messages" and "history" (lists)')
            raise BadValue("prompt", _("is missing"), advice)
    first, second, *_others = names
    value = excerpt(content[second])
    raise BadValue(second, conflict_with(first), KEEP_ONE, value)


def history_of(value: object, column: str) -> tuple[Turn, ...]:
    """Return the turns of a history of messages or plain lines.

    If every line names its speaker, use these names. If none does, user and assistant alternate,
    and the last line is the user's, which the responses answer.
    """
    match value:
        case str():
            lines = lines_of(value, column)
        case list() if value and all(isinstance(line, str) for line in value):
            lines = _lines_in(value, column)
        case _:
            return turns_of(value, column)
    if any(map(SPEAKER.match, lines)):
        return tuple(_turns_with_speakers(lines, column))
    if isinstance(value, str) and "" in lines:
        number = lines.index("") + 1
        reason = filled(_("has no text in line %(line)s"), line=number)
        advice = _("write a list of {role, text}, so that it is clear who speaks")
        raise BadValue(column, reason, advice)
    turns = []
    for position, line in enumerate(lines):
        is_last = (len(lines) - position) % 2  # or two before it, and so on
        turns.append(Turn(ASKED if is_last else ANSWERED, line))
    return tuple(turns)


def _turns_with_speakers(lines: Sequence[str], column: str) -> Iterator[Turn]:
    """Yield the turns of lines that say who speaks. Raises BadValue."""
    for number, line in enumerate(lines, start=1):
        speaker = SPEAKER.match(line)
        if speaker is None:
            words = _("has no speaker in line %(line)s, and has one in another")
            advice = _(
                'begin every line with who speaks, such as "user: ", '
                "or write a list of {role, text}"
            )
            reason = filled(words, line=number)
            raise BadValue(column, reason, advice, excerpt(line))
        text = line[speaker.end() :]
        yield Turn(speaker["role"], text)


def turns_of(value: object, column: str) -> tuple[Turn, ...]:
    """Return the turns of a list. Raises BadValue."""
    if not isinstance(value, list):
        raise wrong_kind(column, value, A_LIST, _("write a list of {role, content}"))
    turns = []
    for position, entry in enumerate(value):
        turn = _turn(entry, f"{column}[{position}]")
        turns.append(turn)
    return tuple(turns)


def _turn(value: object, column: str) -> Turn:
    if not isinstance(value, dict):
        raise wrong_kind(column, value, AN_OBJECT, _("write {role, content}"))
    for name in NO_TEXTS:
        require_nothing_else({name: value.get(name)}, (), column)
    names = ("content", "text")
    other_name = text_key(value) if value.keys().isdisjoint(names) else None
    key = other_name or one_of(value, names, column)
    speaker = "role" if "role" in value else speaker_key(value)
    if not speaker:
        advice = _('say who speaks, such as "user" or "assistant"')
        raise BadValue(f"{column}.role", _("is missing"), advice)
    role = cell_text(value[speaker], f"{column}.{speaker}")
    content, place = value[key], f"{column}.{key}"
    is_in_parts = isinstance(content, list)
    text = _parts(content, place) if is_in_parts else cell_text(content, place)
    return Turn(role, text)


def turn_entries(turns: object) -> list[dict[str, object]]:
    """Return what turns hold beside who speaks and the text, by turn; nothing if none does."""
    if not is_turns(turns):
        return []
    entries = []
    for turn in turns:
        known = (speaker_key(turn), text_key(turn), *NO_TEXTS)
        entry = {}
        for name, value in turn.items():
            if name not in known and value not in (None, "", [], {}):
                entry[name] = value
        entries.append(entry)
    return entries if any(entries) else []


def _parts(parts: Sequence[object], column: str) -> str:
    """Return the text of a message in parts, joined without a separator."""
    texts = []
    for position, part in enumerate(parts):
        where = f"{column}[{position}]"
        if not isinstance(part, dict):
            raise wrong_kind(where, part, AN_OBJECT, _('write {"type": "text", "text": …}'))
        kind = part.get("type", "text")
        if kind != "text":
            reason = _("is no text and can’t be shown")
            advice = _("take the item out, or describe the part as text")
            raise BadValue(f"{where}.type", reason, advice, excerpt(kind))
        text = cell_text(part.get("text"), f"{where}.text")
        texts.append(text)
        require_nothing_else(part, ("type", "text"), where)
    return "".join(texts)


def _responses(content: Mapping[str, object]) -> tuple[NewResponse, ...]:
    many = content.get("responses")
    if "response" in content:
        if many is not None:
            conflict = conflict_with("response")
            raise BadValue("responses", conflict, KEEP_ONE, excerpt(many))
        model = content.get("model")
        return (_new_response(model, "model", content["response"], "response"),)
    if many is None:
        advice = _('give "response" (a text) or "responses" (a list of {model, text})')
        raise BadValue("responses", _("is missing"), advice)
    if not isinstance(many, list):
        raise wrong_kind("responses", many, A_LIST, _("write a list of {model, text}"))
    if not many:
        advice = _("give one response at least, or leave the item out")
        raise BadValue("responses", _("is empty"), advice, "[]")
    require_few(many)
    responses = []
    for position, entry in enumerate(many):
        response = _response(entry, f"responses[{position}]")
        responses.append(response)
    return tuple(responses)


def _new_response(model: object, model_column: str, text: object, column: str) -> NewResponse:
    name = "" if model is None else cell_text(model, model_column, LONGEST_MODEL)
    return NewResponse(name, cell_text(text, column))


def require_few(responses: Sequence[Entry]) -> Sequence[Entry]:
    """Return responses that one form can have. Raises BadValue."""
    number = len(responses)
    if number > MOST_RESPONSES:
        reason = filled(_("has %(number)s entries"), number=number)
        advice = filled(_("give %(most)s at most"), most=MOST_RESPONSES)
        raise BadValue("responses", reason, advice)
    return responses


def _response(value: object, column: str) -> NewResponse:
    if not isinstance(value, dict):
        raise wrong_kind(column, value, AN_OBJECT, _("write {model, text}"))
    key = one_of(value, ("text", "response"), column)
    require_nothing_else(value, ("model", key), column)
    model = value.get("model")
    return _new_response(model, f"{column}.model", value[key], f"{column}.{key}")


def metadata_of(content: Mapping[str, object]) -> dict[str, object]:
    """Return metadata as it is stored; the entries of `meta` are part of it. Raises BadValue."""
    metadata: dict[str, object] = {}
    for key, value in content.items():
        entries = {key: value}
        if key == "meta" and isinstance(value, dict):
            entries = value
        for name, entry in entries.items():
            if name in metadata:
                reason, advice = _('is both beside "meta" and in it'), _("rename one of them")
                raise BadValue(name, reason, advice, excerpt(entry))
            require_holdable(name, name)
            require_holdable_all(entry, name, DEEPEST)
            metadata[name] = entry
    return metadata
