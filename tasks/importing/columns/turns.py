"""Readers of what foreign columns hold: turns, texts, chats. No text is changed.

No Django but its translations.
"""

import re
from collections.abc import Mapping
from decimal import Decimal

from django.utils.translation import gettext as _

from rubrics.schema import Turn

from ..files.rows import excerpt
from ..files.values import BadValue, cell_text
from .items import NO_TEXTS, history_of, turns_of
from .names import is_turns, role_of, speaker_key, text_key
from .uses import ANSWERED, ASKED, PROMPTS, Use

# A conversation as one text, such as "\n\nHuman: Why?\n\nAssistant: Because."
TRANSCRIPT = re.compile(r"(?:^\s*|\n\n)(Human|Assistant):(?: |$|(?=\n))")


def turns_in(value: object, column: str, use: Use) -> tuple[Turn, ...]:
    """Return the turns that a column holds. Raises BadValue."""
    if use not in PROMPTS and isinstance(value, str) and TRANSCRIPT.match(value):
        turns = _turns_of_transcript(value)
        # Without its response it ends where the model is to go on.
        if use is not Use.CHAT and turns[-1] == Turn(ANSWERED, ""):
            return turns[:-1]
        return turns
    if is_turns(value):
        return turns_of([as_ours(turn) for turn in value], column)
    if use in PROMPTS:
        return tuple(Turn(ASKED, text) for text in texts(value, column))
    return tuple(Turn(role_of(turn.role), turn.text) for turn in history_of(value, column))


def _turns_of_transcript(text: str) -> tuple[Turn, ...]:
    _before, *parts = TRANSCRIPT.split(text)
    roles = map(role_of, parts[::2])
    return tuple(map(Turn, roles, parts[1::2]))


def chat(value: object, column: str) -> tuple[tuple[Turn, ...], str]:
    """Return the conversation before the response, and the response. Raises BadValue."""
    turns = turns_in(value, column, Use.CHAT)
    last = turns[-1] if turns else None
    if last is None or last.role in (ASKED, "system"):
        reason = _("does not end with the assistant’s turn")
        advice = _("end it with the response, or say that it is the conversation before one")
        raise BadValue(column, reason, advice, excerpt(last.text) if last else "")
    return turns[:-1], last.text


def texts(value: object, column: str) -> list[str]:
    """Return the texts of a value: one text or number, or a list of them. Raises BadValue."""
    if isinstance(value, list):
        entries = []
        for number, entry in enumerate(value):
            entries += texts(entry, f"{column}[{number}]")
        return entries
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        value = str(value)
    return [cell_text(value, column)]


def as_ours(turn: Mapping[str, object]) -> dict[str, object]:
    """Return a turn under the names that `turns_of` reads."""
    speaker = str(turn[speaker_key(turn)])
    text = turn[text_key(turn) or ""]
    more = {name: turn[name] for name in NO_TEXTS if name in turn}
    return {"role": role_of(speaker), "content": text, **more}
