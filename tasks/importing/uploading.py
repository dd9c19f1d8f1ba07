"""Work on an upload's file: its examination, before anything of it is stored, and its import.

A worker calls `do` (`upload_worker.py`). An examination is the import itself, rolled back. So what
the page of an upload says is what its import does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import PurePath
from tempfile import TemporaryFile
from typing import BinaryIO, TypeAlias

from django.db import transaction
from django.utils.translation import gettext as _

from rubrics.documents.shipped import SLUGS, shipped
from rubrics.models import Rubric
from tasks.agreement.results import result
from tasks.exporting.cells import defuse
from tasks.exporting.csv_files import csv_line, csv_lines
from tasks.models import Batch, Project, Upload
from tasks.models.new_projects import start_project
from tasks.models.uploads import Content, Work

from .batches.loading import BadLines, FileToLoad, UploadRefused
from .columns.mapping import Mapping
from .columns.mapping_yaml import read_mapping
from .columns.uses import Use
from .examination import FileChoice, read_columns
from .files.rows import ErrorsByKind, LineError
from .first_look import first_look, scoring_of
from .items_report import items_report
from .lead_choices import LeadChoices
from .ratings.rating_loading import ImportResult, load_file
from .report import FaultReport, UploadReport, fault_kinds
from .upload_choices import choices_of, reading_of

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
    if work == Work.READ and not upload.is_imported:
        _examine(upload, (), now=now, tick=tick)
    if work == Work.IMPORT or _comes_in_at_once(upload):
        try:
            _import(upload, now=now, tick=tick)
        except UploadRefused as refused:
            if not upload.is_imported:
                _examine(upload, (str(refused),), now=now, tick=tick)


def _comes_in_at_once(upload: Upload) -> bool:
    """Return True if a file that was read is imported without anybody who looks at it."""
    report = report_of(upload)
    match choices_of(upload).at_once:
        case "all":
            return report.is_importable and not (report.bad or report.bad_ratings)
        case "good":
            return report.is_importable
    return False


def report_of(upload: Upload) -> UploadReport:
    """Return the report of an upload."""
    return UploadReport.model_validate(upload.report)


def new_project(upload: Upload, *, now: datetime, slug: str = "") -> Project:
    """Make the project of an upload that has none."""
    lead_choices = choices_of(upload)
    title = lead_choices.title or PurePath(upload.file_name).stem or upload.file_name
    wanted = Project._meta.get_field("wanted").default
    if report_of(upload).ratings:
        wanted = 1
    return start_project(
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
    newest = Rubric.objects.newest_versions().filter(slug=slug).first()
    if newest:
        return newest
    rubric, _is_new = Rubric.objects.load(shipped(slug), now=now)
    return rubric


def _examine(upload: Upload, notices: tuple[str, ...], *, now: datetime, tick: Progress) -> None:
    """Read the whole file, and store a report of it. `notices`: why it was not imported."""
    choices = report_of(upload).choices  # once known, they are offered again
    report = UploadReport(choices=choices, notices=notices)
    with upload.as_file(partial(tick, 0)) as file, TemporaryFile() as out:
        faults = FaultsFile(file=out)
        try:
            reading = read_columns(upload, file)
            report = reading.report.but(choices=choices | reading.report.choices, notices=notices)
            mapping = reading.mapping and _decided(reading.mapping)
            if mapping and mapping.repeats:
                mapping, scoring = scoring_of(upload, file, mapping)
                report = report.but(scoring=scoring, mapping=mapping.as_yaml({}))
            with transaction.atomic():
                project = upload.project or new_project(upload, now=now, slug=f"upload-{upload.pk}")
                loaded = load_file(_file_to_load(upload, project, file, mapping, faults, now, tick))
                sentence = reading.sentence(loaded.counts(reading.counts))
                report = _with_loaded(report, loaded).but(sentence=sentence)
                transaction.set_rollback(True)
        except FileChoice as choice:
            report = report.but(
                choice=choice.field,
                proposed=choice.proposed,
                choices=report.choices | {choice.field: choice.options},
                refused=str(choice),
            )
        except BadLines as refused:
            report = report.but(bad=refused.count)
        except UploadRefused as refused:
            report = report.but(refused="" if report.missing else str(refused))
        report = report.but(faults=tuple(fault_kinds(faults)))
        upload.put(Content.FAULTS, out)
    if upload.project:
        upload.project.refresh_from_db()  # its rubric may be one that was rolled back
    upload.report_as(report.as_json())


def _decided(mapping: Mapping) -> Mapping:
    """Return a mapping without the columns that are still to be chosen."""
    undecided = mapping.of(Use.UNDECIDED)
    return mapping.with_uses(dict.fromkeys(undecided, Use.UNUSED)) if undecided else mapping


def _with_loaded(report: UploadReport, loaded: ImportResult) -> UploadReport:
    """Return a report with what it says of an import, within its transaction."""
    if loaded.item_load:
        report = report.but(items=items_report(loaded.item_load))
    if loaded.rating_load and loaded.rating_load.ratings:
        report = report.but(ratings=first_look(loaded.rating_load))
    elif loaded.rating_load:
        report = report.but(remarks=(*report.remarks, *loaded.rating_load.sentences))
    return report.but(**loaded.bad)


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
            faults = FaultsFile(file=out)
            loaded = load_file(_file_to_load(upload, project, file, mapping, faults, now, tick))
        if loaded.bad != report.model_dump(include={*loaded.bad}):
            raise UploadRefused(
                _("The project has changed since the file was read. Look at the file again.")
            )
        if loaded.item_load:
            upload.batch = loaded.item_load.batch
            # The columns of people may be named by their addresses, which are not kept.
            if not (loaded.rating_load and "@" in report.mapping):
                Batch.objects.filter(pk=upload.batch.pk).update(mapping=report.mapping)
        if loaded.rating_load:
            rating_file = loaded.rating_load.file
            upload.rating_file = rating_file if rating_file.pk else None
            # The figures that the lead sees first. The worker makes the others.
            result(project, project.rubric.schema.dimensions[0], now)
        upload.project = project
        upload.choices = _lasting_choices(upload, is_new=is_new).as_json()
        upload.report = _outcome(report).as_json()
        upload.blocks.filter(kind=Content.FILE).delete()
        upload.save(update_fields=["batch", "rating_file", "choices", "report", "project"])


def _lasting_choices(upload: Upload, *, is_new: bool) -> LeadChoices:
    """Return the choices to be kept after the import, and whether its project is new.

    None of them names a column, which may be an address.
    """
    lead_choices = choices_of(upload)
    return LeadChoices(
        batch=lead_choices.batch,
        warning=lead_choices.warning,
        title=lead_choices.title,
        is_new=is_new,
    )


def _outcome(report: UploadReport) -> UploadReport:
    """Return what is kept of a report after the import."""
    return UploadReport(
        rows=report.rows,
        bad=report.bad,
        bad_ratings=report.bad_ratings,
        faults=report.faults,
        items=report.items and report.items.but(examples=(), models=()),
        ratings=report.ratings and report.ratings.but(agreements=(), members=()),
    )


def _file_to_load(
    upload: Upload,
    project: Project,
    file: BinaryIO,
    mapping: Mapping | None,
    errors_by_kind: ErrorsByKind,
    now: datetime,
    tick: Progress,
) -> FileToLoad:
    """Return how a file is loaded into a project, by the choices of its lead."""
    lead_choices = choices_of(upload)
    return FileToLoad(
        project,
        file,
        upload.file_name,
        now,
        errors_by_kind.add,
        mapping,
        reading=reading_of(upload),
        batch_name=lead_choices.batch,
        warning=lead_choices.warning,
        by=upload.uploader,
        take_good=True,
        takes_breaks=lead_choices.breaks == "take",
        makes_rubric=lead_choices.rubric == "made",
        waits=False,
        tick=lambda rows: tick(rows, file.tell()),
    )
