"""Files of items or ratings: taken as on their page, and left to a worker."""

from typing import Annotated, Literal

from django.utils import timezone
from ninja import File, Form, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import BaseModel, Field, field_validator

from config.web.problems import Problem, ValueFault
from tasks.importing.columns.mapping_yaml import MOST_BYTES, read_mapping
from tasks.importing.files.encodings import ENCODINGS
from tasks.importing.files.rows import FileRefused
from tasks.importing.lead_choices import LeadChoices
from tasks.importing.new_uploads import store_upload
from tasks.lead_pages.file_form import FileForm
from tasks.models.batches import LONGEST_NAME, LONGEST_WARNING

from .authentication import WRITES, ApiCall
from .bodies import STORABLE, UNSTORABLE
from .jobs import Job
from .problems import invalid, invalid_form

router = Router(tags=["files"])
FILE, MAPPING = "file", "mapping"
LONGEST_OPTION = 500  # characters
LAST_HEADER = 10_000  # the line, as on the page


class LoadOptions(BaseModel):
    """How a file is loaded: the options of `manage.py import_batch`."""

    batch: str = Field("", max_length=LONGEST_NAME, description="the batch’s name; else the file’s")
    warning: str = Field("", max_length=LONGEST_WARNING, description="before each of its items")
    mapping: str = Field(
        "",
        max_length=MOST_BYTES,
        description="what each column is, as YAML; else as the file or an earlier one proposes it",
    )
    take_good: bool = Field(False, description="take what is good; else one bad row refuses all")
    take_breaks: bool = Field(False, description="take scores that break a rule of the rubric")
    make_rubric: bool = Field(False, description="make a rubric of the columns")
    encoding: str = Field(
        "",
        description="what the file is written in",
        json_schema_extra={"enum": ["", *ENCODINGS]},
    )
    delimiter: Literal["", ",", ";", "\t", "|"] = Field("", description="between two cells")
    header: int | None = Field(
        None, ge=0, le=LAST_HEADER, description="the line with the names, or 0"
    )
    part: str = Field("", max_length=LONGEST_OPTION, description="the sheet, list or file to read")
    join: str = Field("", max_length=LONGEST_OPTION, description="a part whose columns are added")
    key: str = Field("", max_length=LONGEST_OPTION, description="the columns that name its rows")

    @field_validator("encoding")
    @classmethod
    def is_known(cls, encoding: str) -> str:
        """Refuse an encoding that no file is read by."""
        if encoding not in ("", *ENCODINGS):
            raise ValueError(f"one of {', '.join(ENCODINGS)}")
        return encoding

    def choices(self, mapping: str) -> LeadChoices:
        """Return the options as an upload stores them."""
        reading = {"encoding", "delimiter", "header", "part", "join", "key"}
        return LeadChoices.model_validate(
            {
                **self.model_dump(include={"batch", "warning", *reading}),
                "mapping": mapping,
                "at_once": "good" if self.take_good else "all",
                "breaks": "take" if self.take_breaks else "",
                "rubric": "made" if self.make_rubric else "",
            }
        )


@router.post("/projects/{slug:slug}/files", auth=WRITES, response={202: Job})
def send_file(
    request: ApiCall,
    slug: str,
    uploaded: Annotated[list[UploadedFile], File(alias=FILE)],  # which the page’s form reads
    loading: Annotated[LoadOptions, Form()],
) -> Status[Job]:
    """Take a file of items or ratings, or several that belong together. The answer is a job.

    A worker reads it and imports it, all or nothing. If something about it must be chosen first,
    the job says what, and how to say it in a mapping; send the file again then.
    """
    project = request.auth.project(slug)
    _refuse_unknown(request)
    form = FileForm({}, request.FILES)
    if not form.is_valid():
        raise invalid_form(form)
    choices = loading.choices(_mapping(request, loading.mapping))
    by, now = request.auth.owner, timezone.now()
    upload = store_upload(form.sent_files, project, by=by, now=now, choices=choices)
    return Status(202, Job.of(upload, request))


def _refuse_unknown(request: ApiCall) -> None:
    """Raise Problem for a field that is not read, or a text that can't be stored.

    A misspelt field would change nothing.
    """
    known = [FILE, *LoadOptions.model_fields]
    faults = []
    for name in (*request.POST, *request.FILES):
        if name not in known or (name in request.FILES and name not in (FILE, MAPPING)):
            allowed = f"one of {', '.join(known)}"
            faults.append(ValueFault(name, allowed, "Correct its name.", pointer=""))
    for name, text in request.POST.items():
        if UNSTORABLE.search(str(text)):
            faults.append(ValueFault(None, STORABLE, "Take the character out.", pointer=f"/{name}"))
    if faults:
        raise invalid(faults)


def _mapping(request: ApiCall, text: str) -> str:
    """Return the mapping that was sent, as a field or as a file. Raise Problem if it is none."""
    try:
        for mapping_file in request.FILES.getlist(MAPPING):
            text = mapping_file.read(MOST_BYTES + 1).decode()
        if text:
            read_mapping(text)
    except (FileRefused, UnicodeDecodeError) as error:
        raise _refused(text, error) from error
    return text


def _refused(mapping: str, error: Exception) -> Problem:
    reason = "UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
    return invalid([ValueFault(mapping, reason, "Mend the mapping.", pointer=f"/{MAPPING}")])
