"""Argilla's records in JSON: what was shown is under `fields`."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape

SHAPE = Shape(
    _("an export of Argilla"),
    (r"fields\..*", r"(responses|suggestions|vectors|status)(\W.*)?"),
    root="fields",
)
