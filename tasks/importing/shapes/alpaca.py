"""Alpaca's instructions, and the outputs that AlpacaEval reads."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

SHAPE = Shape(
    _("Alpaca or AlpacaEval"),
    ("instruction", "output", "input|generator|datasplit"),
    {
        "instruction": Use.PROMPT,
        "input": Use.CONTEXT,
        "output": Use.RESPONSE,
        "history": Use.CONVERSATION,
        "dataset": Use.SOURCE,
    },
)
