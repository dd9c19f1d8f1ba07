"""ShareGPT's conversations (`from`, `value`), and those of WildChat and LMSYS-Chat."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(_("ShareGPT conversations"), ("conversations?",), {"conversations?": Use.CHAT})
