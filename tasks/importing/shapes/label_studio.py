"""Label Studio's export in JSON: what was shown is under `data`."""

from ..shape import FileShape, _

SHAPE = FileShape(
    _("an export of Label Studio"),
    (r"data\..*", r"(annotations|predictions|completions|total_annotations)(\W.*)?"),
    root="data",
)
