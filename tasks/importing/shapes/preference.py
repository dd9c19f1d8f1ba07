"""Preferences: chosen and rejected, as texts, as turns, or as transcripts (HH-RLHF)."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from ..columns import Sample
from ..shape import ASKING, PROMPT, Shape, chats
from ..uses import Use


def _chats(sample: Sample) -> Mapping[str, Use]:
    """Return what chosen and rejected are where they begin with the prompt themselves."""
    found = chats(sample, "chosen|rejected")
    return found and {**dict.fromkeys(PROMPT.split("|"), Use.METADATA), **found}


SHAPE = Shape(
    _("preferences (chosen, rejected)"),
    ("chosen", "rejected"),
    {
        "chosen|rejected": Use.RESPONSE,
        "(chosen|rejected)[_-]model": Use.MODEL,
        **ASKING,
    },
    named=True,
    more=_chats,
)
