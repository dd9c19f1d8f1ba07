"""Jobs: files that a worker reads and imports."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Self

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from ninja import Router
from pydantic import BaseModel, Field

from tasks.importing.columns.uses import Use
from tasks.importing.lead_choices import LeadChoices
from tasks.importing.report import ColumnReport, FaultReport, UploadReport
from tasks.importing.upload_choices import choices_of
from tasks.importing.uploading import report_of
from tasks.models import Upload

from .authentication import ApiCall

router = Router(tags=["files"])
# In place of what a file says, for a token that may not read all names: the file may have them.
HIDDEN = "The token may not read names of people and models, which the reason may quote."
ASK = "Look at the page of the job, or send the file with a token that may read both."


class JobState(StrEnum):
    """How far a job is."""

    WAITING = "waiting"  # for a worker
    WORKING = "working"
    DONE = "done"
    REFUSED = "refused"  # nothing was stored
    CANCELLED = "cancelled"


class JobFault(BaseModel):
    """A fault of a file, or a choice to make first, and what to do."""

    line: int | None = Field(description="null: it is about the whole file")
    column: str
    value: str
    reason: str
    advice: str

    @classmethod
    def of(cls, fault: FaultReport) -> Self:
        """Return the fault of a line."""
        return cls(**fault.model_dump())


class Job(BaseModel):
    """A file that was sent, and what became of it."""

    id: int
    url: str = Field(description="the address of this answer")
    page: str = Field(description="its page, for the owner of the token")
    state: JobState
    file: str
    rows_read: int = Field(description="so far")
    summary: str = Field(description="what the file is taken for")
    mapping: str = Field(description="what its columns are taken for, as YAML")
    batch: str | None = Field(description="the batch of its items, if it is done and has some")
    items: int
    responses: int
    ratings: int
    scores: int
    bad_rows: int = Field(description="rows that can’t be taken")
    bad_ratings: int = Field(description="ratings that can’t be taken, of other rows")
    refused_because: list[str] = Field(description="why nothing was stored")
    errors: list[JobFault] = Field(description="choices to make first, then the first bad rows")
    more_errors: list[str] = Field(description="what else is wrong, in sentences")
    remarks: tuple[str, ...] = Field(description="what one may not expect of the file")

    @classmethod
    def of(cls, upload: Upload, request: ApiCall) -> Self:
        """Return an upload as a job."""
        assert upload.project is not None
        token = request.auth.token
        quotes = token.names_people and token.names_models
        report = report_of(upload)
        state = _state(upload)
        is_refused = state is JobState.REFUSED
        items, ratings = report.items, report.ratings
        address = reverse("tasks:api:get_job", args=[upload.project.slug, upload.pk])
        return cls(
            id=upload.pk,
            url=request.build_absolute_uri(address),
            page=request.build_absolute_uri(upload.address),
            state=state,
            file=upload.file_name,
            rows_read=upload.progress.rows if upload.asked else report.rows,
            summary=report.sentence if quotes else "",
            mapping=report.mapping if quotes else "",
            batch=upload.batch.name if upload.batch else None,
            items=items.number if items else 0,
            responses=items.responses if items else 0,
            ratings=ratings.ratings if ratings else 0,
            scores=ratings.scores if ratings else 0,
            bad_rows=report.bad,
            bad_ratings=report.bad_ratings,
            refused_because=_refusal(report, choices_of(upload), quotes) if is_refused else [],
            errors=list(_faults(report, has_choices=is_refused) if quotes else _lines(report)),
            more_errors=[group.rest for group in report.faults if group.rest and quotes],
            remarks=(*report.remarks, *_remarks(report)) if quotes else (),
        )


@router.get("/projects/{slug:slug}/jobs/{int:job}", response=Job)
def get_job(request: ApiCall, slug: str, job: int) -> Job:
    """Return a job, until a day after its file came. Ask again while it waits or works."""
    project = request.auth.project(slug)
    uploads = Upload.objects.of(request.auth.owner, timezone.now()).filter(project=project)
    uploads = uploads.select_related("project", "progress", "batch")
    return Job.of(get_object_or_404(uploads, pk=job), request)


def _state(upload: Upload) -> JobState:
    if upload.is_imported:
        return JobState.DONE
    if upload.asked:
        return JobState.WORKING if upload.progress.tries else JobState.WAITING
    return JobState.CANCELLED if upload.progress.cancelled else JobState.REFUSED


def _refusal(report: UploadReport, lead_choices: LeadChoices, quotes: bool) -> list[str]:
    """Return why nothing of a file was stored, in words of the file if they may be quoted."""
    return list(_reasons(report, lead_choices)) if quotes else [HIDDEN]


def _lines(report: UploadReport) -> Iterator[JobFault]:
    """Yield the lines with the first faults, without what they quote of people and models."""
    for group in report.faults:
        for fault in group.samples:
            yield JobFault(line=fault.line, column="", value="", reason=HIDDEN, advice=ASK)


def _reasons(report: UploadReport, lead_choices: LeadChoices) -> Iterator[str]:
    """Yield why nothing of a file was stored."""
    yield from report.notices
    yield from filter(None, [report.refused])
    yield from report.missing
    if report.is_importable and not lead_choices.at_once:
        yield "It waits for its lead, who imports it on its page."
    elif report.is_importable and not report.notices:
        bad = report.bad + report.bad_ratings
        yield f"{bad} rows or ratings can’t be taken. Mend them, or send take_good=true."


def _faults(report: UploadReport, *, has_choices: bool) -> Iterator[JobFault]:
    """Yield the choices that are to be made, and the first faults of each kind."""
    if has_choices and report.choice:
        options = report.choices.get(report.choice, ())
        listed = ", ".join(option.value for option in options)
        yield JobFault(
            line=None,
            column="",
            value="",
            reason=f"How to read the file is open: {report.choice}.",
            advice=f"Send {report.choice}, one of: {listed}.",
        )
    for column in report.columns if has_choices else ():
        if column.use is Use.UNDECIDED and not column.group:
            yield _choice(column)
    for group in report.faults:
        yield from map(JobFault.of, group.samples)


def _choice(column: ColumnReport) -> JobFault:
    """Return the fault of a column of which nobody has said what it is."""
    likely = dict.fromkeys((*column.options, Use.METADATA, Use.UNUSED))
    uses = ", ".join(use for use in likely if use is not Use.UNDECIDED)
    return JobFault(
        line=None,
        column=column.path,
        value=column.example,
        reason=column.question or "Say what this column is.",
        advice=f"Send a mapping, with one of these for “{column.path}” below columns: {uses}.",
    )


def _remarks(report: UploadReport) -> Iterator[str]:
    if report.items:
        yield from report.items.remarks
    if report.ratings:
        yield from report.ratings.remarks
