"""A rubric made from the columns of a file of ratings."""

import re
from collections.abc import Iterable, Iterator, Mapping as AnyMapping
from datetime import datetime

from django.utils.translation import get_language, gettext as _

from config.web.people import User
from rubrics.documents import document, nodes
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging.plain import Entries, Plain
from rubrics.models import Rubric
from tasks.models import Project

from ..batches.staging import UploadRefused
from ..columns.mapping import Mapping
from ..columns.scoring import QUALITY, Scoring, code_of
from ..columns.uses import Use
from ..files.rows import SourceRow

MOST_OPTIONS = 20  # answers of a check
LONGEST = nodes.LONGEST["line"]


def make_rubric(
    mapping: Mapping,
    source_rows: Iterable[SourceRow],
    project: Project,
    by: User | None,
    now: datetime,
) -> None:
    """Publish a rubric with a dimension for each that a file rates, and no rules; rate by it.

    A check that the file answers by texts is a question about the first of them. Raises
    UploadRefused.
    """
    scales = _scales(mapping.scoring)
    if not scales:
        text = _("No scale is known; give the lowest and highest score, or the texts in order.")
        raise UploadRefused(text)
    texts = mapping.reader.scales(source_rows if mapping.of(Use.CHECK) else (), Use.CHECK)
    titles = mapping.rated_columns.titles
    dimensions: list[Plain] = []
    for code, scale in scales.items():
        dimension = _dimension(code, titles.get(code, code), *scale)
        if not dimensions:
            dimension["checks"] = [*_checks(texts)]
        dimensions.append(dimension)
    rubric_content: Entries = {
        "slug": Rubric.objects.free_slug(f"{project.slug[:70]}-scale", by),
        "title": project.title[:LONGEST],
        "summary": _("Made from the columns of a file."),
        "language": get_language() or "en",
        "dimensions": dimensions,
    }
    try:
        schema = document.parse(rubric_content)
        rubric, _is_new = Rubric.objects.load(schema, by=by, now=now, is_template=False)
    except DocumentError as error:
        text = _("No rubric can be made from these columns: %(fault)s")
        raise UploadRefused(text, fault=error) from error
    if not project.take_rubric(rubric, now=now):
        text = _("“%(project)s” is being rated, so its rubric stays; choose it.")
        raise UploadRefused(text, project=project.title)


def _scales(scoring: Scoring) -> dict[str, tuple[int, int]]:
    """Return the scales of the dimensions that are not left out."""
    scales = {}
    for name in {**scoring.scales, **scoring.words}:
        scale = scoring.scale(name)
        if scale and scoring.dimensions.get(name) != "":
            scales[name] = scale
    return scales


def _dimension(code: str, title: str, lowest: int, highest: int) -> Entries:
    slug = re.sub(r"[^a-z0-9_]+", "-", code.lower())
    capitalised = title[:1].upper() + title[1:]
    return {
        "code": slug.strip("-_")[:40] or QUALITY,
        "short": title[:12],
        "title": capitalised[:LONGEST],
        "question": title[:LONGEST],
        "lowest": lowest,
        "highest": highest,
    }


def _checks(values_of: AnyMapping[str, Iterable[object]]) -> Iterator[Entries]:
    """Yield a question for each check that is answered by texts."""
    for check, values in values_of.items():
        texts = sorted(text for text in values if isinstance(text, str))
        answer_parts: list[Plain] = [{"code": code_of(text), "wording": text} for text in texts]
        if 1 < len(texts) <= MOST_OPTIONS:
            wording = check.capitalize()
            yield {"code": check, "kind": "one_of", "wording": wording, "answers": answer_parts}
