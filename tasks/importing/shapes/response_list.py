"""A prompt with a list of responses: of texts, or of objects that may name their model."""

from django.utils.translation import gettext_lazy as _

from ..shape import ASKING, ASKS, Shape
from ..uses import Use

LISTS = "(responses|outputs|completions|candidates|answers|generations|samples|choices|replies|predictions|(model|candidate)_(responses|outputs))"
TEXTS = rf"{LISTS}([*].(text|response|content|output|answer|completion|message.content))?"

SHAPE = Shape(
    _("a prompt with a list of responses"),
    (ASKS, TEXTS),
    {
        **ASKING,
        TEXTS: Use.RESPONSE,
        f"{LISTS}[*].(model|model_name|model_id|generator|name)": Use.MODEL,
        "models": Use.MODEL,
    },
)
