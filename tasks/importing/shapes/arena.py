"""Two conversations with one beginning: battles of Chatbot Arena, and MT-Bench's judgments."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

SHAPE = Shape(
    _("pairs of conversations (Chatbot Arena, judgments of MT-Bench)"),
    ("conversation_a", "conversation_b"),
    {"conversation_[a-z]": Use.CHAT, "model_[a-z]": Use.MODEL},
)
