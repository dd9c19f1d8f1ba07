"""Our own shape, as docs/import.md describes it."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("our own shape"),
    ("id", r"(prompt|messages|history)(\W.*)?", r"responses?(\W.*)?"),
    {
        "id": Use.ID,
        "prompt": Use.PROMPT,
        r"(messages|history)(\W.*)?": Use.CONVERSATION,
        "persona": Use.PERSONA,
        "system": Use.SYSTEM,
        "context": Use.CONTEXT,
        "reference": Use.REFERENCE,
        "source": Use.SOURCE,
        "warning": Use.WARNING,
        "response|responses|responses[*].(text|response)": Use.RESPONSE,
        "model|responses[*].model": Use.MODEL,
    },
)
