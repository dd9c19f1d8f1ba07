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
        _before, *parts = TRANSCRIPT.split(value)
        turns = tuple(
            Turn(role_of(role), text) for role, text in zip(parts[::2], parts[1::2], strict=True)
        )
        # Without its response it ends where the model is to go on.
        return turns[:-1] if use is not Use.CHAT and turns[-1] == Turn(ANSWERED, "") else turns
    if is_turns(value):
        return turns_of([as_ours(turn) for turn in value], column)
    if use in PROMPTS:
        return tuple(Turn(ASKED, text) for text in texts(value, column))
    return tuple(Turn(role_of(turn.role), turn.text) for turn in history_of(value, column))


def chat(value: object, column: str) -> tuple[tuple[Turn, ...], str]:
    """Return the conversation before the response, and the response. Raises BadValue."""
    turns = turns_in(value, column, Use.CHAT)
    if not turns or turns[-1].role in (ASKED, "system"):
        raise BadValue(
            column,
            _("does not end with the assistant’s turn"),
            _("end it with the response, or say that it is the conversation before one"),
            excerpt(turns[-1].text) if turns else "",
        )
    return turns[:-1], turns[-1].text


def texts(value: object, column: str) -> list[str]:
    """Return the texts of a value: one text or number, or a list of them. Raises BadValue."""
    if isinstance(value, list):
        return [
            text
            for number, entry in enumerate(value)
            for text in texts(entry, f"{column}[{number}]")
        ]
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return [cell_text(str(value) if is_number else value, column)]


def as_ours(turn: Mapping[str, object]) -> dict[str, object]:
    """Return a turn under the names that `turns_of` reads."""
    more = {name: turn[name] for name in NO_TEXTS if name in turn}
    role = role_of(str(turn[speaker_key(turn)]))
    return {"role": role, "content": turn[text_key(turn) or ""], **more}
