"""Measure the export of scores as CSV against a COPY of the same rows: 100,000, and 1,000,000.

Ours is `manage.py export_ratings` into a file. The floor is one COPY of the raw columns, joined as
for the export, into a file. The floor does not sort, compute or clean anything.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from psycopg import sql

from tasks.models import Project, Score

from .alone import Cost, alone
from .content import WANTED
from .frame import Figure, in_turns
from .place import Place
from .scored import make_scored

SLUG, LARGE = "exported", "exported-many"

ROWS = sql.SQL("""SELECT score.*, rating.*, project.slug, batch.name, item.external_id,
      item.metadata, response.position, response.model, placement.comment, annotator.username,
      rubric.slug, rubric.version
    FROM tasks_score AS score
    JOIN tasks_rating AS rating ON rating.id = score.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = rating.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = rating.rubric_id
    JOIN annotators_user AS annotator ON annotator.id = rating.annotator_id
    LEFT JOIN tasks_response AS response ON response.id = score.response_id
    LEFT JOIN tasks_placement AS placement
      ON placement.rating_id = rating.id AND placement.response_id = score.response_id
    WHERE rating.project_id = {}""")


def make(place: Place) -> None:
    """Create the project of ordinary size."""
    make_scored(SLUG, place.sizes.exported, raters=WANTED, length=300)


def make_many(place: Place) -> None:
    """Create the large project."""
    make_scored(LARGE, place.sizes.exported_many, raters=WANTED, length=300)


def hundred_thousand(place: Place) -> Iterator[Figure]:
    """Yield the figure of a project of ordinary size."""
    yield from _measure(place, "export_scores_100k", SLUG, place.sizes.long_rounds)


def million(place: Place) -> Iterator[Figure]:
    """Yield the figure of a large project, whose memory must not be larger."""
    yield from _measure(place, "export_scores_1m", LARGE, place.sizes.million_rounds)


def _measure(place: Place, name: str, slug: str, times: int) -> Iterator[Figure]:
    """Yield the seconds of each, and the peak memory of their processes."""
    out = place.folder / f"{slug}.csv"
    expected = Score.objects.filter(project__slug=slug).count()

    def ours() -> Cost:
        return _counted(alone(f"{__name__}:export", slug, out), out, header=1)

    def floor() -> Cost:
        return _counted(alone(f"{__name__}:copy_out", slug, out), out, header=0)

    def _counted(cost: Cost, out: Path, header: int) -> Cost:
        with out.open(newline="", encoding="utf-8") as file:
            found = sum(1 for _ in csv.reader(file)) - header
        if found != expected:
            raise RuntimeError(f"{expected} scores were to be exported; {found} were")
        return cost

    rounds = in_turns(times, ours, floor)
    yield Figure(
        name,
        "s",
        tuple((mine.seconds, theirs.seconds) for mine, theirs in rounds),
        peak_mb=max(mine.peak_mb for mine, _ in rounds),
        floor_peak_mb=max(theirs.peak_mb for _, theirs in rounds),
    )


def export(slug: str, out: str) -> None:
    """Run our export."""
    call_command("export_ratings", slug, "--output", out)


def copy_out(slug: str, out: str) -> None:
    """Run the floor: one COPY."""
    rows = ROWS.format(sql.Literal(Project.objects.get(slug=slug).pk))
    copying = sql.SQL("COPY ({}) TO STDOUT (FORMAT csv)").format(rows)
    with Path(out).open("wb") as file, connection.cursor() as cursor, cursor.copy(copying) as copy:
        file.writelines(copy)
