"""Label Studio's export in JSON: what was shown is under `data`."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape

SHAPE = Shape(
    _("an export of Label Studio"),
    (r"data\..*", r"(annotations|predictions|completions|total_annotations)(\W.*)?"),
    root="data",
)
