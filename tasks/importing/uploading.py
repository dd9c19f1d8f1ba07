"""Work on an upload's file: its examination, before anything of it is stored, and its import.

An examination is the import itself, rolled back.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import PurePath
from tempfile import TemporaryFile
from typing import Any, BinaryIO, TypeAlias

from django.db import transaction
from django.utils.translation import gettext as _

from rubrics.models import Rubric
from rubrics.shipped import SLUGS, shipped
from tasks.agreement.results import result
from tasks.exporting.writing import csv_line, csv_lines, defuse
from tasks.models import Batch, Project, Upload
from tasks.models.uploads import Content, Work

from .batches.loading import BadLines, FileToLoad, UploadRefused
from .columns.mapping import Mapping
from .columns.mapping_yaml import read_mapping
from .columns.uses import Use
from .examination import FileChoice, items_report, read_columns
from .files.options import ReadingOptions
from .files.rows import ErrorsByKind, LineError
from .first_look import first_look, scoring_of
from .ratings.rating_loading import ImportResult, load_file
from .report import FaultReport, UploadReport, fault_kinds

Progress: TypeAlias = Callable[[int, int], object]  # called with the rows and bytes read so far

LONGEST_TITLE = 200


@dataclass
class FaultsFile(ErrorsByKind):
    """All errors: by kind in memory, and each in a line of a CSV file."""

    file: BinaryIO = field(kw_only=True)

    def add(self, error: LineError) -> None:
        """Add an error to those of its kind, and write it."""
        if not self.number:
            self.file.write(b"".join(csv_lines([*FaultReport.model_fields], [])))
        super().add(error)
        cells = map(str, FaultReport.of(error).model_dump().values())
        self.file.write(csv_line(map(defuse, cells)).encode())


def do(upload: Upload, work: str, *, now: datetime, tick: Progress) -> None:
    """Do work on a file. If it cannot be imported as its report says, examine it again."""
    notices: tuple[str, ...] = ()
    if work == Work.IMPORT:
        try:
            _import(upload, now=now, tick=tick)
        except UploadRefused as refused:
            notices = (str(refused),)
    if not upload.is_imported:
        _examine(upload, notices, now=now, tick=tick)


def report_of(upload: Upload) -> UploadReport:
    """Return the report of an upload."""
    return UploadReport.model_validate(upload.report)


def new_project(upload: Upload, *, now: datetime, slug: str = "") -> Project:
    """Make the project of an upload that has none."""
    title = upload.choices.get("title") or PurePath(upload.file_name).stem or upload.file_name
    wanted = Project._meta.get_field("wanted").default
    if report_of(upload).ratings:
        wanted = 1
    return Project.objects.start(
        title=title[:LONGEST_TITLE],
        rubric=first_rubric(now),
        wanted=wanted,
        slug=slug,
        by=upload.uploader,
        now=now,
    )


def first_rubric(now: datetime) -> Rubric:
    """Return the rubric of a project for which none was chosen."""
    slug = SLUGS[0]
    newest = Rubric.objects.newest_of_each().filter(slug=slug).first()
    if newest:
        return newest
    rubric, _is_new = Rubric.objects.load(shipped(slug), now=now)
    return rubric


def _examine(upload: Upload, notices: tuple[str, ...], *, now: datetime, tick: Progress) -> None:
    """Read the whole file, and store a report of it."""
    update: dict[str, Any] = {"notices": notices}
    report = UploadReport(choices=report_of(upload).choices)  # once known, they are offered again
    with upload.as_file(partial(tick, 0)) as file, TemporaryFile() as out:
        faults = FaultsFile(file=out)
        try:
            reading = read_columns(upload, file)
            choices = report.choices | reading.report.choices
            report = reading.report.model_copy(update={"choices": choices})
            mapping = _decided(reading.mapping)
            if mapping and mapping.repeats:
                mapping, update["scoring"] = scoring_of(upload, file, mapping)
                update["mapping"] = mapping.as_yaml({})
            with transaction.atomic():
                loaded = _dry_run(upload, file, mapping, faults, now, tick)
                counts = loaded.counts(reading.counts)
                update |= _loaded_report(loaded) | {"sentence": reading.sentence(counts)}
                transaction.set_rollback(True)
        except FileChoice as choice:
            update["choice"], update["proposed"] = choice.field, choice.proposed
            update["choices"] = report.choices | {choice.field: choice.options}
            update["refused"] = str(choice)
        except BadLines as refused:
            update["bad"] = refused.count
        except UploadRefused as refused:
            update["refused"] = "" if report.missing else str(refused)
        update["faults"] = tuple(fault_kinds(faults))
        upload.put(Content.FAULTS, out)
    if upload.project:
        upload.project.refresh_from_db()  # its rubric may be one that was rolled back
    upload.report_as(report.model_copy(update=update).as_json())


def _decided(mapping: Mapping | None) -> Mapping | None:
    """Return a mapping without the columns that are still to be chosen."""
    open_columns = mapping.of(Use.UNDECIDED) if mapping else ()
    if mapping and open_columns:
        return mapping.with_uses(dict.fromkeys(open_columns, Use.UNUSED))
    return mapping


def _dry_run(
    upload: Upload,
    file: BinaryIO,
    mapping: Mapping | None,
    faults: ErrorsByKind,
    now: datetime,
    tick: Progress,
) -> ImportResult:
    """Import a file as it would be."""
    project = upload.project or new_project(upload, now=now, slug=f"upload-{upload.pk}")
    return _load(upload, project, file, mapping, faults, now, tick)


def _loaded_report(loaded: ImportResult) -> dict[str, Any]:
    """Return what the report says of an import, within its transaction."""
    update: dict[str, Any] = {}
    if loaded.items:
        update["items"] = items_report(loaded.items)
    if loaded.ratings and loaded.ratings.ratings:
        update["ratings"] = first_look(loaded.ratings)
    elif loaded.ratings:
        update["remarks"] = tuple(loaded.ratings.sentences)
    return update | loaded.bad


def _import(upload: Upload, *, now: datetime, tick: Progress) -> None:
    """Import the file as the report says. Raise UploadRefused if it would be otherwise."""
    with transaction.atomic(), TemporaryFile() as out:
        upload.refresh_from_db(fields=["batch", "rating_file"])
        if upload.is_imported:
            raise UploadRefused(_("The file is imported already."))
        report = report_of(upload)
        is_new = upload.project is None
        project = upload.project or new_project(upload, now=now)
        mapping = read_mapping(report.mapping) if report.mapping else None
        with upload.as_file(partial(tick, 0)) as file:
            loaded = _load(upload, project, file, mapping, FaultsFile(file=out), now, tick)
        if loaded.bad != report.model_dump(include={*loaded.bad}):
            raise UploadRefused(
                _("The project has changed since the file was read. Look at the file again.")
            )
        if loaded.items:
            upload.batch = loaded.items.batch
            # The columns of people may be named by their addresses, which are not kept.
            if not (loaded.ratings and "@" in report.mapping):
                Batch.objects.filter(pk=upload.batch.pk).update(mapping=report.mapping)
        if loaded.ratings:
            rating_file = loaded.ratings.file
            upload.rating_file = rating_file if rating_file.pk else None
            # The figures that the lead sees first. The worker makes the others.
            result(project, project.rubric.schema.dimensions[0], now)
        upload.project = project
        upload.choices = _without_columns(upload.choices) | {"is_new": is_new}
        upload.report = _outcome(report).as_json()
        upload.blocks.filter(kind=Content.FILE).delete()
        upload.save(update_fields=["batch", "rating_file", "choices", "report", "project"])


def _without_columns(choices: dict[str, Any]) -> dict[str, Any]:
    """Return the choices without names of columns, which may be addresses."""
    return {name: choices.get(name, "") for name in ("batch", "warning", "title")}


def _outcome(report: UploadReport) -> UploadReport:
    """Return what is kept of a report after the import."""
    update: dict[str, Any] = {}
    if items := report.items:
        update["items"] = items.model_copy(update={"examples": (), "models": ()})
    if ratings := report.ratings:
        update["ratings"] = ratings.model_copy(update={"agreements": (), "members": ()})
    bad, faults = report.bad, report.faults
    return UploadReport(
        rows=report.rows, bad=bad, bad_ratings=report.bad_ratings, faults=faults, **update
    )


def _load(
    upload: Upload,
    project: Project,
    file: BinaryIO,
    mapping: Mapping | None,
    faults: ErrorsByKind,
    now: datetime,
    tick: Progress,
) -> ImportResult:
    choices = upload.choices
    reading = ReadingOptions.model_validate(choices)
    takes_breaks = choices.get("breaks") == "take"
    makes_rubric = choices.get("rubric") == "made"
    order = FileToLoad(
        project,
        file,
        upload.file_name,
        now,
        faults.add,
        mapping,
        reading=reading,
        batch_name=choices.get("batch", ""),
        warning=choices.get("warning", ""),
        by=upload.uploader,
        take_good=True,
        takes_breaks=takes_breaks,
        makes_rubric=makes_rubric,
        waits=False,
        tick=lambda rows: tick(rows, file.tell()),
    )
    return load_file(order)
