"""A prompt with numbered responses: response_a and response_b, output_1 and output_2."""

from ..shape import ASKING, ASKS, FileShape, Use, _

NAMES = "(response|answer|output|completion|generation|reply|assistant|text|model_output)"

SHAPE = FileShape(
    _("a prompt with numbered responses"),
    (ASKS, f"{NAMES}[ _-]?[aA1]", f"{NAMES}[ _-]?[bB2]"),
    {
        **ASKING,
        NAMES + r"[ _-]?(\d+|[a-zA-Z])": Use.RESPONSE,
        r"(model|model_name|generator)([ _-]?(\d+|[a-zA-Z]))?": Use.MODEL,
    },
)
