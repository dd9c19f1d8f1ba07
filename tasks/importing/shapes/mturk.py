"""Results of Mechanical Turk: what was shown is under `Input`."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("results of Mechanical Turk"),
    ("HITId", r"Input\..*"),
    # The pay and the clock of an assignment say nothing of the item.
    {
        "HITId": Use.METADATA,
        "WorkerId": Use.RATER,
        r"Answer\..*(comment|feedback|reason).*": Use.COMMENT,
        r"Answer\..*": Use.SCORE,
        ".*": Use.UNUSED,
    },
    root="Input",
)
