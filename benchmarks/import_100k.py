"""Measure an import of 100,000 items of 1 kB against a COPY of the rows that it creates.

Ours is `manage.py import_batch`: read, map and check the file, load the rows, analyse, commit. The
floor copies the resulting rows back with two COPY and a commit, with all constraints and indexes.
Before each, the rows are deleted and the tables vacuumed. The rows of another project stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.core.management import call_command
from django.db import connection, transaction
from psycopg import sql

from tasks.models import Batch, Item, ItemEntry, ItemWords, Project, Response

from .alone import Cost, alone
from .content import make_project, write_items
from .frame import Figure, in_turns
from .place import Place

SLUG = "imported"
BATCH = "large"
TABLES = (Item._meta.db_table, Response._meta.db_table)
BLOCK = 256 * 2**10


def run(place: Place) -> Iterator[Figure]:
    """Yield the seconds of each, and the peak memory of their processes."""
    few, file = place.folder / "few.jsonl", place.folder / f"{BATCH}.jsonl"
    write_items(few, 10, responses=2, length=330, seed=3)
    project = make_project(few, SLUG)
    write_items(file, place.sizes.imported, responses=2, length=330, seed=4)
    copies = place.folder / "copies"
    copies.mkdir()

    def ours() -> Cost:
        empty(project)
        # The import refuses the same file twice.
        Batch.objects.filter(project=project, name=BATCH).delete()
        cost = alone(f"{__name__}:load", file)
        batch = Batch.objects.get(project=project, name=BATCH)
        count(project, place.sizes.imported)
        # The floor's rows refer to the batch of this run.
        copy_out(batch, copies)
        return cost

    def floor() -> Cost:
        empty(project)
        cost = alone(f"{__name__}:copy_in", copies, *TABLES)
        count(project, place.sizes.imported)
        return cost

    ours()
    rounds = in_turns(place.sizes.long_rounds, ours, floor)
    yield Figure(
        "import_100k",
        "s",
        tuple((mine.seconds, theirs.seconds) for mine, theirs in rounds),
        peak_mb=max(mine.peak_mb for mine, _ in rounds),
        floor_peak_mb=max(theirs.peak_mb for _, theirs in rounds),
    )


def load(file: str) -> None:
    """Run our import."""
    call_command("import_batch", SLUG, file, "--batch", BATCH, "--verbosity", "0")


def copy_in(folder: str, *tables: str) -> None:
    """Run the floor: COPY the rows of these tables back."""
    with transaction.atomic(), connection.cursor() as cursor:
        for table in tables:
            into = sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))
            with (Path(folder) / table).open("rb") as file, cursor.copy(into) as copy:
                while block := file.read(BLOCK):
                    copy.write(block)


def copy_out(batch: Batch, folder: Path) -> None:
    """Write the rows of a batch to files, for the floor."""
    picked = {
        TABLES[0]: sql.SQL("SELECT * FROM tasks_item WHERE batch_id = {} ORDER BY id"),
        TABLES[1]: sql.SQL(
            "SELECT response.* FROM tasks_response AS response"
            " JOIN tasks_item AS item ON item.id = item_id"
            " WHERE item.batch_id = {} ORDER BY response.id"
        ),
    }
    with connection.cursor() as cursor:
        for table, rows in picked.items():
            out = sql.SQL("COPY ({}) TO STDOUT").format(rows.format(sql.Literal(batch.pk)))
            with (folder / table).open("wb") as file, cursor.copy(out) as copy:
                file.writelines(copy)


def empty(project: Project) -> None:
    """Delete the rows of the large batch, without the foreign key checks on every row.

    The batch itself stays, because the floor's rows refer to it.
    """
    with connection.cursor() as cursor:
        with transaction.atomic():
            cursor.execute("SET LOCAL session_replication_role = replica")
            items = Item.objects.filter(project=project, batch__name=BATCH)
            cursor.execute(
                "DELETE FROM tasks_response USING tasks_item AS item, tasks_batch AS batch"
                " WHERE item.id = item_id AND batch.id = item.batch_id AND batch.name = %s",
                [BATCH],
            )
            for of_list in (ItemEntry, ItemWords):
                rows = of_list.objects.filter(item__in=items)
                rows._raw_delete(rows.db)
            items._raw_delete(items.db)
        for table in TABLES:
            cursor.execute(sql.SQL("VACUUM ANALYZE {}").format(sql.Identifier(table)))
        cursor.execute("CHECKPOINT")


def count(project: Project, expected: int) -> None:
    """Check that all items of the large batch are there."""
    found = Item.objects.filter(project=project, batch__name=BATCH).count()
    if found != expected:
        raise RuntimeError(f"{expected} items were imported; {found} are there")
