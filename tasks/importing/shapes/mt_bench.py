"""MT-Bench's questions of two turns with the answers to them."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

SHAPE = Shape(
    _("MT-Bench questions and answers"),
    ("question_id", "turns|choices[*].turns"),
    {"turns": Use.PROMPT, "choices[*].turns": Use.RESPONSE},
)
