"""ShareGPT's conversations (`from`, `value`), and those of WildChat and LMSYS-Chat."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

SHAPE = Shape(_("ShareGPT conversations"), ("conversations?",), {"conversations?": Use.CHAT})
