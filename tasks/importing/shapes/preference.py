"""Preferences: chosen and rejected, as texts, as turns, or as transcripts (HH-RLHF)."""

from ..shape import ASKING, ASKS, FileShape, Use, _, chats

SHAPE = FileShape(
    _("preferences (chosen, rejected)"),
    ("chosen", "rejected"),
    {"chosen|rejected": Use.RESPONSE, "(chosen|rejected)[_-]model": Use.MODEL, **ASKING},
    named=1,
    # Where they are chats, the prompt stands in them once more, and perhaps the chosen one beside.
    more=lambda sample: (
        {**dict.fromkeys(ASKS.split("|"), Use.METADATA), **found}
        if (found := chats(sample, "chosen|rejected"))
        else {}
    ),
)
