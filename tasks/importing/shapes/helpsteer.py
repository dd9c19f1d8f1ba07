"""HelpSteer: a prompt and a response with its scores."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

SHAPE = Shape(
    _("HelpSteer"),
    ("prompt", "response", "helpfulness", "correctness|coherence", "complexity|verbosity"),
    {"prompt": Use.PROMPT, "response": Use.RESPONSE},
)
