"""Measure an import of 100,000 ratings against a COPY of the rows that it creates.

Ours is `manage.py import_ratings` of a sheet with a column for each of four raters: read, group,
judge by a rubric's scale, load the rows, settle what the items want, analyse, commit. The items are
there. The floor copies the resulting rows back with COPY and a commit, with all constraints and
indexes. Before each, the rows are deleted and the tables vacuumed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from random import Random

from django.core.management import call_command
from django.db import connection, transaction
from psycopg import sql

from tasks.models import Placement, Project, Rating, Score

from . import import_100k
from .alone import Cost, alone
from .content import make_project, write_items
from .frame import Figure, in_turns
from .place import Place

SLUG = "sheet"
RATERS = ("Anna", "Ben", "Cem", "Dora")
TABLES = tuple(each._meta.db_table for each in (Rating, Placement, Score))


def run(place: Place) -> Iterator[Figure]:
    """Yield the seconds of each, and the peak memory of their processes."""
    items, sheet = place.folder / "rated.jsonl", place.folder / "sheet.csv"
    number = place.sizes.imported // len(RATERS)
    write_items(items, number, responses=1, length=330, seed=5)
    project = make_project(items, SLUG)
    write_sheet(sheet, project)
    copies = place.folder / "rating-copies"
    copies.mkdir()

    def ours() -> Cost:
        empty(project)
        cost = alone(f"{__name__}:load", sheet)
        count(project, number)
        copy_out(project, copies)
        return cost

    def floor() -> Cost:
        empty(project)
        cost = alone(f"{import_100k.__name__}:copy_in", copies, *TABLES)
        count(project, number)
        return cost

    ours()
    rounds = in_turns(place.sizes.long_rounds, ours, floor)
    yield Figure(
        "import_ratings_100k",
        "s",
        tuple((mine.seconds, theirs.seconds) for mine, theirs in rounds),
        peak_mb=max(mine.peak_mb for mine, _ in rounds),
        floor_peak_mb=max(theirs.peak_mb for _, theirs in rounds),
    )


def write_sheet(path: Path, project: Project) -> None:
    """Write a row for each item, with a score of each rater."""
    drawn = Random(6)  # noqa: S311 - scores of a bench
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *RATERS])
        names = project.items.order_by("pk").values_list("external_id", flat=True)
        rows.writerows([name, *(drawn.randint(1, 7) for _rater in RATERS)] for name in names)


def load(file: str) -> None:
    """Run our import."""
    call_command("import_ratings", SLUG, file, "--yes", "--verbosity", "0")


def copy_out(project: Project, folder: Path) -> None:
    """Write the rows of the ratings to files, for the floor."""
    own = sql.SQL("rating_id IN (SELECT id FROM tasks_rating WHERE project_id = {key})")
    for table in TABLES:
        which = sql.SQL("project_id = {key}") if table == TABLES[0] else own
        rows = sql.SQL("COPY (SELECT * FROM {table} WHERE {which} ORDER BY id) TO STDOUT").format(
            table=sql.Identifier(table), which=which.format(key=sql.Literal(project.pk))
        )
        with (
            connection.cursor() as cursor,
            (folder / table).open("wb") as file,
            cursor.copy(rows) as copy,
        ):
            file.writelines(copy)


def empty(project: Project) -> None:
    """Delete the ratings, without the foreign key checks on every row; their raters stay."""
    with connection.cursor() as cursor:
        with transaction.atomic():
            cursor.execute("SET LOCAL session_replication_role = replica")
            for table in reversed(TABLES[1:]):
                cursor.execute(
                    sql.SQL(
                        "DELETE FROM {} USING tasks_rating AS rating"
                        " WHERE rating.id = rating_id AND rating.project_id = %s"
                    ).format(sql.Identifier(table)),
                    [project.pk],
                )
            cursor.execute("DELETE FROM tasks_rating WHERE project_id = %s", [project.pk])
            cursor.execute(
                "UPDATE tasks_item SET counted = 0, imported = 0, wanted = 1 WHERE project_id = %s",
                [project.pk],
            )
        for table in (*TABLES, "tasks_item"):
            cursor.execute(sql.SQL("VACUUM ANALYZE {}").format(sql.Identifier(table)))
        cursor.execute("CHECKPOINT")


def count(project: Project, items: int) -> None:
    """Check that all ratings are there."""
    found = Rating.objects.filter(project=project).count()
    if found != items * len(RATERS):
        raise RuntimeError(f"{items * len(RATERS)} ratings were imported; {found} are there")
