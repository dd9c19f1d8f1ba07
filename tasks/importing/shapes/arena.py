"""Two conversations with one beginning: battles of Chatbot Arena, and MT-Bench's judgments."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("pairs of conversations (Chatbot Arena)"),
    ("conversation_a", "conversation_b"),
    {"conversation_[a-z]": Use.CHAT, "model_[a-z]": Use.MODEL},
)
