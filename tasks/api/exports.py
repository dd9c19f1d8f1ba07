"""Exports: the same bytes as `manage.py export_ratings` writes, and their manifest."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Any, Literal

from django.http import HttpResponse, StreamingHttpResponse
from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, Field as ParameterField, create_model

from config.web.problems import Problem, ProblemKind, ValueFault
from config.web.requests import download
from tasks.exporting.export import Export
from tasks.exporting.filters import Refused
from tasks.exporting.forms import export_of, options_in
from tasks.exporting.options import CONTENT_TYPES, Options
from tasks.exporting.streaming import Busy, is_for_worker, streamed
from tasks.models import ApiToken

from .authentication import ApiCall
from .bodies import JSON
from .problems import invalid, may_answer
from .usage import counter

router = Router(tags=["exports"])

BUSY_SECONDS = "30"
FILE = {"schema": {"type": "string", "format": "binary"}}
FILES = dict.fromkeys(CONTENT_TYPES.values(), FILE)
FORBIDDEN = may_answer(ProblemKind.FORBIDDEN)["responses"]
MEANINGS = {
    "items": "what the list of items shows: the query of its address",
    "since": "submitted on this day (UTC) or later, as 2026-03-02",
    "until": "submitted on this day (UTC) or earlier",
}


def _parameter(option: Field[Any]) -> tuple[Any, Any]:
    """Return an option as a parameter of the address. The form of the page reads it."""
    meaning = MEANINGS.get(option.name, "")
    match option.default:
        case StrEnum() as default:
            codes = ["", *map(str, type(default))]  # empty: the default
            return (str, ParameterField(str(default), json_schema_extra={"enum": [*codes]}))
        case tuple():
            return (list[str], ParameterField([], description="only these; give it several times"))
        case bool():
            return (Literal["", "on"], ParameterField(""))
    return (str, ParameterField("", description=meaning))


PARAMETERS: Mapping[str, Any] = {option.name: _parameter(option) for option in fields(Options)}
ExportQuery = create_model("ExportQuery", **PARAMETERS)


class ManifestVersion(BaseModel):
    """A version of a rubric, with a digest of all that it says."""

    rubric: str
    version: int
    sha256: str


class ManifestAdmission(BaseModel):
    """Someone who may rate after practice, and how they came in."""

    annotator: str
    how: str
    at: datetime
    by: str = ""
    reason: str = ""


class ManifestOrigin(BaseModel):
    """The part of a manifest that says what the file is of.

    Parts that a project has no use for are left out.
    """

    program: str
    project: str
    title: str
    rubrics: list[ManifestVersion]
    options: str = ParameterField(description="the query, without what is at its default")
    consequences: str
    counted: list[str] = ParameterField([], description="the kinds of ratings that figures count")
    slots: list[str] = []
    dropped_items: int = 0
    admissions: list[ManifestAdmission] = []
    sha256: str
    taken_at: datetime


NUMBERS: Mapping[str, Any] = dict.fromkeys(("rows", "columns", "bytes"), (int, ...))
ExportManifest = create_model("ExportManifest", __base__=ManifestOrigin, **NUMBERS)


def _refuse_names(token: ApiToken, options: Options) -> None:
    """Raise Problem if an export has names that the token may not read."""
    if not token.names_models:
        detail = (
            f"An export names models, and the token “{token.name}” may not read these names. Make "
            "one with “Names of models” ticked."
        )
        raise Problem(ProblemKind.FORBIDDEN, detail)
    if not token.names_people and (options.annotators or not options.pseudonyms):
        detail = (
            f"This export names people, and the token “{token.name}” may not read these names. "
            "Ask for pseudonyms=on, without annotators, or make a token with “Names of people” "
            "ticked."
        )
        raise Problem(ProblemKind.FORBIDDEN, detail)


def _refused(request: ApiCall, refused: Refused) -> Problem:
    option = refused.option or "shape"
    value = request.GET.get(option)
    fault = ValueFault(value, str(refused), "Choose another one.", parameter=option)
    return invalid([fault])


def _begun(request: ApiCall, slug: str) -> tuple[Export, Iterator[bytes]]:
    """Return an export, and its file in blocks. Raise Problem if there is none."""
    project = request.auth.project(slug)
    try:
        options = options_in(project, request.GET.urlencode())
        _refuse_names(request.auth.token, options)
        export = export_of(project, options, now=timezone.now())
        if is_for_worker(export):
            raise Refused("format", "A workbook of so many rows is made on the page Export alone.")
        client = request.META.get("gunicorn.socket")
        return export, streamed(export, _name_of(export), is_zipped=False, client=client)
    except Refused as refused:
        raise _refused(request, refused) from refused
    except Busy as busy:
        detail = f"Others export right now. Try again in {BUSY_SECONDS} seconds."
        headers = {"Retry-After": BUSY_SECONDS}
        raise Problem(ProblemKind.TOO_MANY, detail, headers=headers) from busy


def _name_of(export: Export) -> str:
    return f"{export.project.slug}-{export.file_name}"


@router.get(
    "/projects/{slug:slug}/export",
    openapi_extra={"responses": {200: {"content": FILES}, **FORBIDDEN}},
)
def export_project(
    request: ApiCall,
    slug: str,
    export_query: Annotated[ExportQuery, Query()],  # type: ignore[valid-type]  # made above
) -> StreamingHttpResponse:
    """Return what came out of a project as a file, by the query of the page Export.

    The bytes are those that `manage.py export_ratings` writes.
    """
    export, blocks = _begun(request, slug)
    content_type = CONTENT_TYPES[export.options.format]
    return download(request, _name_of(export), content_type, _counted(request, export, blocks))


def _counted(request: ApiCall, export: Export, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks of an export, then count its rows."""
    yield from blocks
    request.row_count = export.rows
    counter.count(request, HTTPStatus.OK, calls=0)


@router.get(
    "/projects/{slug:slug}/export/manifest",
    response=ExportManifest,
    openapi_extra={"responses": FORBIDDEN},
)
def get_manifest(
    request: ApiCall,
    slug: str,
    export_query: Annotated[ExportQuery, Query()],  # type: ignore[valid-type]  # made above
) -> HttpResponse:
    """Return the manifest of an export: how it comes about, and the SHA-256 of its bytes.

    The export is made for it, and not sent.
    """
    export, blocks = _begun(request, slug)
    deque(blocks, maxlen=0)
    request.row_count = export.rows
    return HttpResponse(export.manifest(), content_type=JSON)
