"""HelpSteer: a prompt and a response with its scores."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("HelpSteer"),
    ("prompt", "response", "helpfulness", "correctness|coherence", "complexity|verbosity"),
    {"prompt": Use.PROMPT, "response": Use.RESPONSE},
)
