"""Argilla's records in JSON: what was shown is under `fields`."""

from ..shape import FileShape, _

SHAPE = FileShape(
    _("an export of Argilla"),
    (r"fields\..*", r"(responses|suggestions|vectors|status)(\W.*)?"),
    root="fields",
)
