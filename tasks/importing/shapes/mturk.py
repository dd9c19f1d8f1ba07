"""Results of Mechanical Turk: what was shown is under `Input`."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("results of Mechanical Turk"),
    ("HITId", r"Input\..*"),
    # The worker, the pay and the clock of an assignment say nothing of the item.
    {r"Answer\..*|HITId": Use.METADATA, ".*": Use.UNUSED},
    root="Input",
)
