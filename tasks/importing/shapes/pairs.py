"""A prompt with numbered responses: response_a and response_b, output_1 and output_2, …"""

from django.utils.translation import gettext_lazy as _

from ..shape import ASKING, ASKS, Shape
from ..uses import Use

NAMES = "(response|answer|output|completion|generation|reply|assistant|text|model_output)"

SHAPE = Shape(
    _("a prompt with numbered responses"),
    (ASKS, f"{NAMES}[ _-]?[aA1]", f"{NAMES}[ _-]?[bB2]"),
    {
        **ASKING,
        NAMES + r"[ _-]?(\d+|[a-zA-Z])": Use.RESPONSE,
        r"(model|model_name|generator)([ _-]?(\d+|[a-zA-Z]))?": Use.MODEL,
    },
)
