"""Measure figures of agreement of a million scores against a COPY of the same rows.

200,000 responses have five ratings each, on seven levels. Ours are the ordinal α with its interval
from 1,000 resamples, and all figures of the page; both read the scores from the database. The floor
is one COPY of the raw columns into a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.db import connection
from django.utils import timezone
from psycopg import sql

from tasks.agreement.figures import estimates
from tasks.agreement.measures import MAIN
from tasks.agreement.report import OVERALL, SEED
from tasks.agreement.results import result
from tasks.agreement.rows import read_study
from tasks.models import AgreementResult, Item, Project

from .alone import alone
from .content import make_people, make_project, rate, write_items
from .frame import Figure, in_turns
from .place import Place

SLUG = "agreed"
RESPONSES, RATINGS = 3, 5
ROWS = sql.SQL("""SELECT score.*, rating.annotator_id, rating.submitted_at, rating.item_id
    FROM tasks_score AS score JOIN tasks_rating AS rating ON rating.id = score.rating_id
    WHERE rating.project_id = {}""")


def run(place: Place) -> Iterator[Figure]:
    """Yield the seconds of each, and the peak memory of their processes."""
    place.world  # noqa: B018 - the first access creates other people's rows
    items = -(-place.sizes.agreed // (RESPONSES * RATINGS))
    file, out = place.folder / "agreed.jsonl", place.folder / "agreed.csv"
    write_items(file, items, responses=RESPONSES, length=60, seed=6)
    project = make_project(file, SLUG, wanted=RATINGS)
    pks = list(Item.objects.filter(project=project).values_list("pk", flat=True))
    for annotator in make_people("agreeing", RATINGS, project):
        rate(project, annotator, pks)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
    for name, work in (("alpha_1m_seconds", "alpha"), ("agreement_page_1m_seconds", "page")):
        rounds = in_turns(
            place.sizes.long_rounds,
            lambda work=work: alone(f"{__name__}:{work}"),  # type: ignore[misc]
            lambda: alone(f"{__name__}:copy_out", out),
        )
        yield Figure(
            name,
            "s",
            tuple((mine.seconds, theirs.seconds) for mine, theirs in rounds),
            peak_mb=max(mine.peak_mb for mine, _ in rounds),
            floor_peak_mb=max(theirs.peak_mb for _, theirs in rounds),
        )


def alpha() -> None:
    """Run the ordinal α with its interval."""
    project = Project.objects.select_related("rubric").get(slug=SLUG)
    [dimension] = project.rubric.schema.dimensions
    study = read_study(project, project.rubric, dimension)
    estimates({MAIN: OVERALL[MAIN]}, study.scores.counts, seed=SEED)


def page() -> None:
    """Run all that the page shows, with nothing kept."""
    AgreementResult.objects.all().delete()
    project = Project.objects.select_related("rubric").get(slug=SLUG)
    [dimension] = project.rubric.schema.dimensions
    result(project, dimension, timezone.now())


def copy_out(out: str) -> None:
    """Run the floor: one COPY."""
    rows = ROWS.format(sql.Literal(Project.objects.get(slug=SLUG).pk))
    copying = sql.SQL("COPY ({}) TO STDOUT (FORMAT csv)").format(rows)
    with Path(out).open("wb") as file, connection.cursor() as cursor, cursor.copy(copying) as copy:
        file.writelines(copy)
