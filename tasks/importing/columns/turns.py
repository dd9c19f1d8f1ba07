"""Readers of what foreign columns hold: turns, texts, chats. No text is changed.

No Django but its translations.
"""

import re
from collections.abc import Mapping
from decimal import Decimal

from django.utils.translation import gettext as _

from rubrics.judging.parts import Turn

from ..files.rows import JsonObject, excerpt
from ..files.values import BadValue, cell_text
from .history import NO_TEXTS, history_of, turns_of
from .turn_keys import is_turns, role_of, speaker_key, text_key
from .uses import ANSWERED, ASKED, PROMPTS, Use

# A conversation as one text, such as "\n\nHuman: Why?\n\nAssistant: Because."
TRANSCRIPT = re.compile(r"(?:^\s*|\n\n)(Human|Assistant):(?: |$|(?=\n))")
# A question with its answer as one text, such as "Question: Why?\nAnswer: Because."
EXCHANGE = re.compile(
    r"\s*(?:(?:question|frage|q|prompt|instruction|anweisung|eingabe|input)\s?:\s*(.*?)"
    r"\s*\n\s*(?:answer|antwort|réponse|reponse|a|response|ausgabe|output)\s?:\s*(.*?)"
    r"|\#+ *instruction:\s*(.*?)\s*\n\#+ *response:\s*(.*?))\s*",
    re.DOTALL | re.IGNORECASE,
)
MARKED = re.compile(
    r"^\s*(?:question|frage|q|prompt|answer|antwort|réponse|a|response|\#+ *\w+)\s?:",
    re.IGNORECASE | re.MULTILINE,
)
CLOSER = re.compile(r"[^\n]\n(Human|Assistant):")


def turns_in(value: object, column: str, use: Use, last: str = ASKED) -> tuple[Turn, ...]:
    """Return the turns that a column holds; `last` speaks last if nothing says who does.

    Raises BadValue.
    """
    if use not in PROMPTS and isinstance(value, str) and is_transcript(value):
        turns = _turns_of_transcript(value)
        # Without its response it ends where the model is to go on.
        if use is not Use.CHAT and turns[-1] == Turn(ANSWERED, ""):
            return turns[:-1]
        return turns
    if use is Use.CHAT and isinstance(value, str) and (parts := exchange(value)):
        return Turn(ASKED, parts[0]), Turn(ANSWERED, parts[1])
    if is_turns(value):
        return turns_of([as_ours(turn) for turn in value], column)
    if use in PROMPTS:
        return tuple(Turn(ASKED, text) for text in texts(value, column))
    turns = history_of(value, column, last)
    return tuple(Turn(role_of(turn.role), turn.text) for turn in turns)


def exchange(text: str) -> tuple[str, str] | None:
    """Return the question and the answer that a text marks by such words, or None."""
    match = EXCHANGE.fullmatch(text)
    if not match or len(MARKED.findall(text)) != 2:
        return None
    question, answer = match[1] or match[3], match[2] or match[4]
    return (question, answer) if question and answer else None


def is_transcript(text: str) -> bool:
    """Tell whether turns are parted by an empty line, and by nothing less."""
    has_gaps = text.startswith("\n\n") or not CLOSER.search(text)
    return has_gaps and bool(TRANSCRIPT.match(text))


def _turns_of_transcript(text: str) -> tuple[Turn, ...]:
    _before, *parts = TRANSCRIPT.split(text)
    roles = map(role_of, parts[::2])
    return tuple(map(Turn, roles, parts[1::2]))


def chat(value: object, column: str) -> tuple[tuple[Turn, ...], str]:
    """Return the conversation before the response, and the response. Raises BadValue."""
    turns = turns_in(value, column, Use.CHAT, ANSWERED)
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


def as_ours(turn: Mapping[str, object]) -> JsonObject:
    """Return a turn under the names that `turns_of` reads."""
    speaker = str(turn[speaker_key(turn)])
    text = turn[text_key(turn) or ""]
    more = {name: turn[name] for name in NO_TEXTS if name in turn}
    return {"role": role_of(speaker), "content": text, **more}
