"""Uses of columns, and readers of what foreign columns hold. No text is changed.

No Django but its translations.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum

from django.utils.translation import gettext as _, gettext_lazy

from rubrics.schema import Turn

from ..files.rows import Text, excerpt
from ..files.values import BadValue, cell_text
from .items import ANSWERED, ASKED, history_of, turns_of
from .sample import SAID, SPEAKERS, is_turns

Use = StrEnum(
    "Use",
    {
        "ID": "id",
        "GROUP": "group",
        "PROMPT": "prompt",
        "SHARED": "shared prompt",
        "CONVERSATION": "conversation",
        "CHAT": "chat",
        "RESPONSE": "response",
        "MODEL": "model",
        "PERSONA": "persona",
        "SYSTEM": "system",
        "CONTEXT": "context",
        "REFERENCE": "reference",
        "SOURCE": "source",
        "WARNING": "warning",
        "RATER": "rater",
        "SCORE": "score",
        "DIMENSION": "dimension",
        "TARGET": "target",
        "CHECK": "check",
        "COMMENT": "comment",
        "TIME": "time",
        "EXPORTED": "exported",
        "METADATA": "metadata",
        "UNUSED": "unused",
        "UNDECIDED": "?",
    },
)
LABELS: Mapping[Use, Text] = {
    Use.ID: gettext_lazy("the item’s id"),
    Use.GROUP: gettext_lazy("the item that the row belongs to"),
    Use.PROMPT: gettext_lazy("the prompt"),
    Use.SHARED: gettext_lazy("the prompt; rows with the same are one item"),
    Use.CONVERSATION: gettext_lazy("the conversation before the response"),
    Use.CHAT: gettext_lazy("a conversation that ends with the response"),
    Use.RESPONSE: gettext_lazy("a response"),
    Use.MODEL: gettext_lazy("the model of a response"),
    Use.PERSONA: gettext_lazy("the persona"),
    Use.SYSTEM: gettext_lazy("the system prompt"),
    Use.CONTEXT: gettext_lazy("the context"),
    Use.REFERENCE: gettext_lazy("the reference"),
    Use.SOURCE: gettext_lazy("the source"),
    Use.WARNING: gettext_lazy("the warning"),
    Use.RATER: gettext_lazy("who rated"),
    Use.SCORE: gettext_lazy("a score"),
    Use.DIMENSION: gettext_lazy("the dimension that was rated"),
    Use.TARGET: gettext_lazy("the number of the response that was rated"),
    Use.CHECK: gettext_lazy("the answer to a check"),
    Use.COMMENT: gettext_lazy("a comment of who rated"),
    Use.TIME: gettext_lazy("when it was rated"),
    Use.EXPORTED: gettext_lazy("what an export says of a rating"),
    Use.METADATA: gettext_lazy("kept as metadata"),
    Use.UNUSED: gettext_lazy("not kept"),
    Use.UNDECIDED: gettext_lazy("still to be chosen"),
}
# What gives an item its conversation, and what its responses.
PROMPTS = (Use.PROMPT, Use.SHARED)
RATINGS = (Use.SCORE, Use.CHECK, Use.COMMENT)  # what people say in ratings
RATING = (*RATINGS, Use.RATER, Use.DIMENSION, Use.TARGET, Use.TIME, Use.EXPORTED)
ASKING, ANSWERING = (*PROMPTS, Use.CONVERSATION, Use.CHAT), (Use.RESPONSE, Use.CHAT)
# Foreign words for the two roles.
ROLES = {
    **dict.fromkeys(("human", "user", "prompter"), ASKED),
    **dict.fromkeys(("assistant", "gpt", "chatgpt", "bot", "model", "ai"), ANSWERED),
}
# Entries of a turn that hold more than its text: `turns_of` refuses them.
MORE = ("tool_calls", "function_call", "images", "audio", "files", "attachments")
# A conversation as one text, such as "\n\nHuman: Why?\n\nAssistant: Because."
TRANSCRIPT = re.compile(r"(?:^\s*|\n\n)(Human|Assistant):(?: |$|(?=\n))")


def turns_in(value: object, column: str, use: Use) -> tuple[Turn, ...]:
    """Return the turns that a column holds. Raises BadValue."""
    if use not in PROMPTS and isinstance(value, str) and TRANSCRIPT.match(value):
        _before, *parts = TRANSCRIPT.split(value)
        found = tuple(
            Turn(ROLES[role.lower()], text)
            for role, text in zip(parts[::2], parts[1::2], strict=True)
        )
        # Without its response it ends where the model is to go on.
        return found[:-1] if use is not Use.CHAT and found[-1] == Turn(ANSWERED, "") else found
    if is_turns(value):
        return turns_of([as_ours(turn) for turn in value], column)
    if use in PROMPTS:
        return tuple(Turn(ASKED, text) for text in texts(value, column))
    return history_of(value, column)


def chat(value: object, column: str) -> tuple[tuple[Turn, ...], str]:
    """Return the conversation before the response, and the response. Raises BadValue."""
    found = turns_in(value, column, Use.CHAT)
    if not found or found[-1].role != ANSWERED:
        raise BadValue(
            column,
            _("does not end with the assistant’s turn"),
            _("end it with the response, or say that it is the conversation before one"),
            excerpt(found[-1].text) if found else "",
        )
    return found[:-1], found[-1].text


def texts(value: object, column: str) -> list[str]:
    """Return the texts of a value: one text or number, or a list of them. Raises BadValue."""
    if isinstance(value, list):
        return [
            text for number, each in enumerate(value) for text in texts(each, f"{column}[{number}]")
        ]
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return [cell_text(str(value) if is_number else value, column)]


def as_ours(turn: Mapping[str, object]) -> dict[str, object]:
    """Return a turn under the names that `turns_of` reads."""
    role = str(next(turn[name] for name in SPEAKERS if isinstance(turn.get(name), str)))
    said = next(turn[name] for name in SAID if name in turn)
    more = {name: turn[name] for name in MORE if name in turn}
    return {"role": ROLES.get(role.lower(), role), "content": said, **more}
