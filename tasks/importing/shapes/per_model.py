"""A column for each model: the header is the model."""

import re

from django.utils.translation import gettext_lazy as _

from ..columns import Sample
from ..rows import Text
from ..shape import ASKING, ASKS, Shape, fits
from ..uses import Use

MODEL = re.compile(
    r"gpt|claude|llama|mi[sx]tral|gemini|gemma|qwen|deepseek|command|falcon|vicuna|alpaca|tulu|phi"
    r"|palm|grok|davinci|bard|yi-|olmo|bloom|t5|\d+b\b|v\d|model",
    re.IGNORECASE,
)
KNOWN = f"{ASKS}|model(_name|_id)?|model[ _-]?.|(chosen|rejected).*|.*_(id|by|at|url)|id|source|.*model_?(output|response)"
LONG = 40  # characters


def _models(sample: Sample) -> dict[str, Use]:
    there = [
        column
        for column in sample.columns
        if column.filled
        and not re.search(r"[\[]|^(meta|metadata)\.", column.path)
        and not fits(KNOWN, column.path)
        and all(isinstance(value, str) for value in column.filled)
    ]
    by_name = [column.path for column in there if MODEL.search(column.path)]
    by_length = [
        column.path
        for column in there
        if sum(map(len, map(str, column.filled))) >= LONG * len(column.filled)
    ]
    return dict.fromkeys(by_name if len(by_name) > 1 else by_length, Use.RESPONSE)


def _against(sample: Sample) -> "Text | None":
    found = _models(sample)
    if len(found) < 2:
        return None
    if all(MODEL.search(path) for path in found):
        return ""
    return _("Its columns of long texts have no names of models.")


SHAPE = Shape(
    _("a column for each model"), (ASKS,), ASKING, named=True, judge=_against, more=_models
)
