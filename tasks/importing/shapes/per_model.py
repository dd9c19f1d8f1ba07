"""A column for each model: the header is the model."""

import re
from collections.abc import Mapping

from ..columns import Sample
from ..shape import ASKING, ASKS, FileShape, Use, _, fits

MODEL = re.compile(
    r"gpt|claude|llama|mi[sx]tral|gemini|gemma|qwen|deepseek|command|falcon|vicuna|alpaca|tulu|phi"
    r"|palm|grok|davinci|bard|yi-|olmo|bloom|t5|\d+b\b|v\d",
    re.IGNORECASE,
)
OTHERS = (
    rf"{ASKS}|model(_name|_id)?|model[ _-]?.|.*_(id|by|at|url)|id|source|.*model_?(output|response)"
    r"|.*\[.*|(meta|metadata)\..*|(chosen|rejected).*"
)
LONG = 40  # characters


def _models(sample: Sample) -> Mapping[str, Use]:
    """Return the columns whose headers are models, or else those of long texts."""
    there = {
        column.name: sum(map(len, map(str, column.filled))) / len(column.filled)
        for column in sample.columns
        if column.name
        and not fits(f"(?i:{OTHERS})", column.name)
        and column.holds_words
        and column.filled
    }
    named = [path for path in there if MODEL.search(path)]
    long = [path for path, length in there.items() if length >= LONG]
    return dict.fromkeys(named if len(named) > 1 else long, Use.RESPONSE)


SHAPE = FileShape(
    _("a column for each model"),
    (ASKS,),
    ASKING,
    named=1,
    judge=lambda sample: (
        None
        if len(found := _models(sample)) < 2
        else ""
        if all(map(MODEL.search, found))
        else _("Its columns of long texts have no names of models.")
    ),
    more=_models,
)
