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

from rubrics.judging.parts import Turn

from ..files.rows import JsonObject, LineError, SourceRow, excerpt, fill_in
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
    texts_in_list,
    wrong_kind,
)
from .history import history_of, turn_entries, turns_of
from .uses import ANSWERS, ASKED, CONVERSATIONS

LONGEST_ID = 500  # characters; an entry of the database's index can have 2,700 bytes
MOST_RESPONSES = 50  # as many as one form can have, and one person can compare

Entry = TypeVar("Entry")


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


def _item(row: SourceRow, row_content: Mapping[str, object]) -> NewItem:
    content = {}
    metadata = {}
    has_response = row_content.get("response") is not None
    for key, value in row_content.items():
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


def joined_id(id_values: Mapping[str, object]) -> str:
    r"""Return the id that several columns make: `a` and `b:c` are `a:b\:c`. Raises BadValue.

    Other values make another id, because the sign between them is escaped where they have it.
    """
    parts = []
    for column, value in id_values.items():
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
            return tuple(texts_in_list(lines, "persona"))
        case other:
            raise wrong_kind("persona", other, _("a list of lines"), _("write a list of texts"))


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


def _new_response(model: object, model_column: str, text_value: object, column: str) -> NewResponse:
    name = "" if model is None else cell_text(model, model_column, LONGEST_MODEL)
    return NewResponse(name, cell_text(text_value, column))


def require_few(response_entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return responses that one form can have. Raises BadValue."""
    number = len(response_entries)
    if number > MOST_RESPONSES:
        reason = fill_in(_("has %(number)s entries"), number=number)
        advice = fill_in(_("give %(most)s at most"), most=MOST_RESPONSES)
        raise BadValue("responses", reason, advice)
    return response_entries


def _response(value: object, column: str) -> NewResponse:
    if not isinstance(value, dict):
        raise wrong_kind(column, value, AN_OBJECT, _("write {model, text}"))
    key = one_of(value, ("text", "response"), column)
    require_nothing_else(value, ("model", key), column)
    model = value.get("model")
    return _new_response(model, f"{column}.model", value[key], f"{column}.{key}")


def metadata_of(content: Mapping[str, object]) -> JsonObject:
    """Return metadata as it is stored; the entries of `meta` are part of it. Raises BadValue."""
    metadata: JsonObject = {}
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
