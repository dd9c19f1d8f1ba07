"""MT-Bench's questions of two turns with the answers to them."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("MT-Bench questions and answers"),
    ("question_id", "turns|choices[*].turns"),
    {"turns": Use.PROMPT, "choices[*].turns": Use.RESPONSE},
)
