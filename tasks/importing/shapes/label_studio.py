"""Label Studio's export in JSON: what was shown is under `data`."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("an export of Label Studio"),
    (r"data\..*", r"(annotations|predictions|completions|total_annotations)(\W.*)?"),
    {
        r"annotations[*]\.completed_by(\.(email|id))?": Use.RATER,
        r"annotations[*]\.created_at": Use.TIME,
        r"annotations[*]\.result[*]\.from_name": Use.DIMENSION,
        r"annotations[*]\.result[*]\.value\.choices": Use.CHECK,
        r"annotations[*]\.result[*]\.value\..*": Use.SCORE,
    },
    root="data",
)
