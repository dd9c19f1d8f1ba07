"""Uses of columns. No Django but its translations."""

from enum import StrEnum
from typing import Self

from django.utils.translation import gettext_lazy as _

from ..files.rows import Text

ASKED, ANSWERED = "user", "assistant"  # roles of turns
# Our own columns for a conversation, of which an item has one, and for its responses.
CONVERSATIONS = ("prompt", "messages", "history")
ANSWERS = ("response", "responses")


class Use(StrEnum):
    """A use of a column, with its label."""

    label: Text

    def __new__(cls, value: str, label: Text = "") -> Self:
        use = str.__new__(cls, value)
        use._value_ = value
        use.label = label
        return use

    ID = "id", _("the item’s id")
    GROUP = "group", _("the item that the row belongs to")
    PROMPT = "prompt", _("the prompt")
    SHARED = "shared prompt", _("the prompt; rows with the same are one item")
    CONVERSATION = "conversation", _("the conversation before the response")
    CHAT = "chat", _("a conversation that ends with the response")
    RESPONSE = "response", _("a response")
    MODEL = "model", _("the model of a response")
    PERSONA = "persona", _("the persona")
    SYSTEM = "system", _("the system prompt")
    CONTEXT = "context", _("the context")
    REFERENCE = "reference", _("the reference")
    SOURCE = "source", _("the source")
    WARNING = "warning", _("the warning")
    RATER = "rater", _("who rated")
    SCORE = "score", _("a score")
    DIMENSION = "dimension", _("the dimension that was rated")
    TARGET = "target", _("the number of the response that was rated")
    CHECK = "check", _("the answer to a check")
    COMMENT = "comment", _("a comment of who rated")
    TIME = "time", _("when it was rated")
    EXPORTED = "exported", _("what an export says of a rating")
    METADATA = "metadata", _("kept as metadata")
    UNUSED = "unused", _("not kept")
    UNDECIDED = "?", _("still to be chosen")


# What gives an item its conversation, and what its responses.
PROMPTS = (Use.PROMPT, Use.SHARED)
RATINGS = (Use.SCORE, Use.CHECK, Use.COMMENT)  # what people say in ratings
RATING = (*RATINGS, Use.RATER, Use.DIMENSION, Use.TARGET, Use.TIME, Use.EXPORTED)
ASKING, ANSWERING = (*PROMPTS, Use.CONVERSATION, Use.CHAT), (Use.RESPONSE, Use.CHAT)
# Texts that may stand beside these, each in one column.
BESIDE = (Use.SYSTEM, Use.CONTEXT, Use.REFERENCE, Use.SOURCE, Use.WARNING, Use.PERSONA)
