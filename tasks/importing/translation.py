"""Translation of messages about a file into the request's language."""

from __future__ import annotations

from functools import partial

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from .message import Language

SPOKEN = Language(gettext, ngettext, partial(number_format, force_grouping=True))
