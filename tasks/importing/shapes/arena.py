"""Two conversations with one beginning: battles of Chatbot Arena."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("pairs of conversations (Chatbot Arena)"),
    ("conversation_a", "conversation_b"),
    {"conversation_[a-z]": Use.CHAT, "model_[a-z]": Use.MODEL},
)
