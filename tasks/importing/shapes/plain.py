"""A prompt or a conversation and one response in a row, under usual names."""

from ..shape import ASKING, ASKS, RESPONSE, FileShape, Use, _

SHAPE = FileShape(
    _("a prompt and a response"), (ASKS, RESPONSE), {**ASKING, RESPONSE: Use.RESPONSE}
)
