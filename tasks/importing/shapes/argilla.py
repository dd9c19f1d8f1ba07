"""Argilla's records in JSON: what was shown is under `fields`."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("an export of Argilla"),
    (r"fields\..*", r"(responses|suggestions|vectors|status)(\W.*)?"),
    {
        r"responses(\.[^.]+)?[*].user_id": Use.RATER,
        r"responses\.[^.]+[*].value(\W.*)?|responses[*]\.values\.[^.]+\.value(\W.*)?": Use.SCORE,
    },
    root="fields",
)
