"""Samples of an Inspect log."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

ANSWER = "output.choices[*].message.(content|content[*].text)"

SHAPE = Shape(
    _("samples of Inspect"),
    ("input", ANSWER, r"(epoch|scores|target)(\W.*)?"),
    {
        "input": Use.PROMPT,
        ANSWER: Use.RESPONSE,
        "output.model": Use.MODEL,
        # They say the same once more, or how the sample was run.
        r"(messages|events|attachments|store)(\W.*)?": Use.DROPPED,
    },
)
