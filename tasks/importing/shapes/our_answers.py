"""Our own export of the answers about a model's whole corpus, as docs/export.md describes it."""

from ..shape import FileShape, Said, Use, _

SHAPE = FileShape(
    _("our own export of answers about all responses of a model"),
    ("project", "batch", "check", "answer", "annotator", "revision", "answered_at"),
    {
        "project": Use.UNUSED,
        "batch": Use.GROUP,
        "annotator": Use.RATER,
        "dimension": Use.DIMENSION,
        "answer": Use.CHECK,
        "check|revision|answered_at": Use.EXPORTED,
    },
    alone=True,
    said=lambda sample: {"answer": Said(check="answer")},
)
