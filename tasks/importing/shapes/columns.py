"""Columns of any kind: what a file is read as that no other shape fits."""

from django.utils.translation import gettext_lazy as _

from ..shape import ASKING, Shape

SHAPE = Shape(
    _("columns of any kind"), (), ASKING, judge=lambda sample: _("No known shape fits it.")
)
