"""Chat messages, as in fine-tuning files of OpenAI, TRL and others: the last turn is the response."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

SHAPE = Shape(_("chat messages"), ("messages",), {"messages": Use.CHAT})
