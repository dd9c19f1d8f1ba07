"""Samples that lm-evaluation-harness logs of tasks that generate text."""

from django.utils.translation import gettext_lazy as _

from ..columns import Sample
from ..rows import Text
from ..shape import Shape, fits, holds_words
from ..uses import Use

PROMPT = r"arguments\.gen_args_0\.arg_0"


def _against(sample: Sample) -> Text:
    if not any(fits(PROMPT, column.path) and holds_words(column) for column in sample.columns):
        return _("Its arguments hold no prompt under gen_args_0.arg_0.")
    return ""


SHAPE = Shape(
    _("samples of lm-evaluation-harness"),
    ("doc_id", "resps", r"arguments(\W.*)?"),
    {PROMPT: Use.PROMPT, "resps": Use.RESPONSE},
    judge=_against,
)
