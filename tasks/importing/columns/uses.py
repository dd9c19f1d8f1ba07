"""Uses of columns. No Django but its translations."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.translation import gettext_lazy

from ..files.rows import Text

ASKED, ANSWERED = "user", "assistant"  # roles of turns
# Our own columns for a conversation, of which an item has one, and for its responses.
CONVERSATIONS = ("prompt", "messages", "history")
ANSWERS = ("response", "responses")

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
