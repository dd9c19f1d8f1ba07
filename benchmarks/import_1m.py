"""Measure the import of a lead's file of a million items of 1 kB, by a worker.

Ours is a worker's process (`manage.py work --files`) with an uploaded file of JSON lines: it reads
the file from the database, checks it, loads the rows, and commits. The file was read before in a
dry run, as every large file is, whose seconds are given too. The floor is that of `import_100k`:
COPY of the same rows into the same tables, with a commit.

Then the desk is measured as in `submit_next`, with such a file being loaded into another project,
against the same without.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from annotators.models import User
from config.web.raw_sql import all_rows, run as run_sql
from tasks.importing.upload_worker import work_on_next
from tasks.importing.uploading import report_of
from tasks.models import Batch, Membership, Project, Upload
from tasks.models.uploads import Work

from .alone import Cost, alone
from .content import make_people, make_project, write_items, write_many_items
from .frame import Figure, in_turns, quantile
from .import_100k import BATCH, SLUG, TABLES, copy_out, count
from .place import Place
from .processes import end, start
from .submit_next import Burst, loads
from .worlds import tidy

LOADS_NOW = "SELECT FROM pg_stat_progress_copy WHERE datname = current_database()"


@dataclass(frozen=True)
class Uploaded:
    """A lead's file, and what reading it cost and led to."""

    file: Path
    project: Project
    lead: User
    upload: Upload
    dry_run: Cost

    def stored(self) -> Upload:
        """Store the file once more, as one that was read."""
        upload = _store(self.file, self.project, self.lead)
        upload.report_as(self.upload.report)
        return upload


def make(place: Place) -> Uploaded:
    """Upload a large file, and have a worker read it."""
    few, file = place.folder / "few.jsonl", place.folder / f"{BATCH}.jsonl"
    write_items(few, 10, responses=2, length=330, seed=3)
    project = make_project(few, SLUG)
    write_many_items(file, place.sizes.imported_many)
    [lead] = make_people("lead", 1)
    project.admit(lead, role=Membership.Role.LEAD)
    upload = _store(file, project, lead)
    cost = _done(upload, Work.READ)
    report = report_of(upload)
    if not report.items or report.items.number != place.sizes.imported_many or report.bad:
        raise RuntimeError(f"the dry run found {report}")
    return Uploaded(file, project, lead, upload, cost)


def run(place: Place) -> Iterator[Figure]:
    """Yield the seconds of import and floor, those of the dry run, and the peak memory."""
    made: Uploaded = place.made["uploaded"]
    copies = place.folder / "many"
    copies.mkdir()

    # Before each, all items are taken out, the other project's too: to delete a million among them
    # would take longer than the import.
    def ours() -> Cost:
        _empty()
        # The import refuses the same file twice.
        Batch.objects.filter(project=made.project, name=BATCH).delete()
        cost = _done(made.stored(), Work.IMPORT)
        count(made.project, place.sizes.imported_many)
        # The floor's rows refer to the batch of this run.
        copy_out(Batch.objects.get(project=made.project, name=BATCH), copies)
        return cost

    def floor() -> Cost:
        _empty()
        cost = alone("benchmarks.import_100k:copy_in", copies, *TABLES)
        count(made.project, place.sizes.imported_many)
        return cost

    # The floor needs the rows of ours, so ours begins.
    rounds = in_turns(place.sizes.million_rounds, floor, ours)
    yield Figure(
        "import_1m",
        "s",
        tuple((mine.seconds, theirs.seconds) for theirs, mine in rounds),
        peak_mb=max(mine.peak_mb for _, mine in rounds),
        floor_peak_mb=max(theirs.peak_mb for theirs, _ in rounds),
    )
    dry = made.dry_run
    yield Figure("import_1m_dry_run", "s", ((dry.seconds, None),), peak_mb=dry.peak_mb)
    yield Figure("import_1m_memory_mb", "MB", tuple((mine.peak_mb, None) for _, mine in rounds))


def beside(place: Place) -> Iterator[Figure]:
    """Yield the wait of an annotator during an import into another project, and without one."""
    made: Uploaded = place.made["uploaded"]
    with loads(place) as (desk, _minimal):

        def without() -> Burst:
            tidy()
            return desk.burst(1, place.sizes.requests)

        def during() -> Burst:
            tidy()
            with _loading(made.upload):
                return desk.burst(1, place.sizes.requests)

        bursts = in_turns(place.sizes.long_rounds, during, without)
    yield Figure(
        "submit_next_p95_during_import",
        "ms",
        tuple(
            (quantile(during.waits, 0.95), quantile(without.waits, 0.95))
            for during, without in bursts
        ),
    )


def work() -> None:
    """Be a worker until no file is left to do."""
    call_command("work", files=True)


def read_again(pk: str) -> None:
    """Read a file again and again, each time as a worker does. Each is an import, rolled back."""
    upload = Upload.objects.get(pk=pk)
    while True:
        upload.ask(Work.READ)
        work_on_next(timezone.now())


def _empty() -> None:
    run_sql("TRUNCATE tasks_item, tasks_itementry, tasks_itemwords CASCADE", [])
    tidy()


def _store(file: Path, project: Project, lead: User) -> Upload:
    with file.open("rb") as opened:
        return Upload.objects.store(
            opened,
            project=project,
            file_name=file.name,
            by=lead,
            now=timezone.now(),
        )


def _done(upload: Upload, asked: Work) -> Cost:
    """Ask for work on a file, and have a worker do it."""
    upload.ask(asked)
    cost = alone(f"{__name__}:work")
    upload.refresh_from_db()
    return cost


@contextmanager
def _loading(upload: Upload) -> Iterator[None]:
    """Have a file loaded as long as the block runs."""
    pipes: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    process = start(
        [sys.executable, "-m", "benchmarks.alone", f"{__name__}:read_again", str(upload.pk)],
        **pipes,
    )
    try:
        while process.poll() is None and not all_rows(LOADS_NOW, []):
            time.sleep(0.01)
        yield
        if process.poll() is not None:
            assert process.stderr
            raise RuntimeError(f"the import ended: {process.stderr.read()}")
    finally:
        end(process)
