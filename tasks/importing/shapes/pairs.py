"""A prompt with numbered responses: response_a and response_b, output_1 and output_2."""

from ..shape import ASKING, ASKS, NUMBERED, FileShape, Use, _

SHAPE = FileShape(
    _("a prompt with numbered responses"),
    (ASKS, f"{NUMBERED}[ _-]?[aA1]", f"{NUMBERED}[ _-]?[bB2]"),
    {
        **ASKING,
        NUMBERED + r"[ _-]?(\d+|[a-zA-Z])": Use.RESPONSE,
        r"(model|model_name|generator)([ _-]?(\d+|[a-zA-Z]))?": Use.MODEL,
    },
)
