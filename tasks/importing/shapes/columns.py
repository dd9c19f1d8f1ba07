"""Columns of any kind: what a file is read as that no other shape fits."""

from ..shape import ASKING, FileShape, _

SHAPE = FileShape(
    _("columns of any kind"),
    (),
    ASKING,
    named=2,
    judge=lambda sample: _("No known shape fits it."),
)
