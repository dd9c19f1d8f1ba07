"""Results of Mechanical Turk: what was shown is under `Input`."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

SHAPE = Shape(
    _("results of Mechanical Turk"),
    ("HITId", r"Input\..*"),
    # The worker, the pay and the clock of an assignment say nothing of the item.
    {r"Answer\..*|HITId": Use.METADATA, ".*": Use.DROPPED},
    root="Input",
)
