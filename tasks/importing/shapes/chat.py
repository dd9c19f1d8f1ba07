"""Chat messages, as in files for fine-tuning: the last turn is the response."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(_("chat messages"), ("messages",), {"messages": Use.CHAT})
