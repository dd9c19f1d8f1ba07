"""Our own export of scores or of ratings, as docs/export.md describes it."""

from collections.abc import Mapping

from ..shape import FileShape, Said, Sample, Use, _, fits

SAYS = (
    "unit|position|without|verdict|clause|remarks|asked|item_comment|facts|rubric|rubric_version"
    "|attempt|kind|extra_because|revision|view|active_seconds|elapsed_seconds|started_at"
    "|file|line|breaks"
)
USES = {
    "item": Use.GROUP,
    "target": Use.TARGET,
    "model": Use.MODEL,
    "annotator": Use.RATER,
    "dimension": Use.DIMENSION,
    "score": Use.SCORE,
    "checks|response_checks": Use.CHECK,
    "comment": Use.COMMENT,
    "submitted_at": Use.TIME,
    rf"({SAYS})(\[.*)?": Use.EXPORTED,
    # The item's file has them.
    r"(project|batch|warning|batch_warning|persona|system|context|messages|reference|source"
    r"|response|candidates|meta\..*)(\[.*)?": Use.UNUSED,
    r".+\.without": Use.EXPORTED,
}


def _more(sample: Sample) -> Mapping[str, Use]:
    """Return the columns of the rubric's dimensions and checks."""
    return {
        column.path: Use.CHECK if "." in column.path else Use.SCORE
        for column in sample.columns
        if not any(fits(name, column.path) for name in USES)
    }


def _said(sample: Sample) -> Mapping[str, Said]:
    named = [path.partition(".") for path, use in _more(sample).items() if use is Use.CHECK]
    return {
        "checks": Said(check="*"),
        "response_checks": Said(dimension="response", check="*"),
        **{f"{dimension}.{check}": Said("", dimension, check) for dimension, _dot, check in named},
    }


SHAPE = FileShape(
    _("our own export of ratings"),
    ("project", "batch", "item", "unit", "annotator", "rubric_version", "attempt", "revision"),
    USES,
    alone=True,
    more=_more,
    said=_said,
)
