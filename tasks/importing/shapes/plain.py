"""A prompt or a conversation and one response in a row, under usual names."""

from django.utils.translation import gettext_lazy as _

from ..shape import ASKING, ASKS, RESPONSE, Shape
from ..uses import Use

SHAPE = Shape(_("a prompt and a response"), (ASKS, RESPONSE), {**ASKING, RESPONSE: Use.RESPONSE})
