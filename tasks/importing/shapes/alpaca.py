"""Alpaca's instructions, and the outputs that AlpacaEval reads."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
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
