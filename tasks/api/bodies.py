"""How the bodies of calls are read, and how answers are written: JSON both."""

import re
from typing import Any, NoReturn

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser
from ninja.renderers import BaseRenderer
from pydantic_core import to_json

from config.web.problems import Problem, ProblemKind, ValueFault
from tasks.importing.files.json_values import strict_decoder

JSON = "application/json"
FORM = "multipart/form-data"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


# As in files: each name once in an object, and numbers with all their digits.
DECODER = strict_decoder(_refuse_constant)
STORABLE = "text without NUL and without half a surrogate pair"
UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")  # NUL, and half a surrogate pair


class JsonParser(Parser):
    """A parser that takes what PostgreSQL can store, and says where it can't.

    ninja makes every error here a HttpError; `problems.problem_of` finds ours as its cause.
    """

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the value in the body."""
        if request.content_type != JSON:
            sent = request.content_type or "nothing"
            raise Problem(ProblemKind.MEDIA_TYPE, f"The Content-Type is {sent}; send {JSON}.")
        try:
            value = DECODER.decode(request.body.decode())
        except (ValueError, RecursionError) as error:
            raise Problem(ProblemKind.UNREADABLE, f"The body is no JSON: {error}.") from error
        # Only an escape can bring them. Few bodies have one, and only these are walked.
        if b"\\u0000" in request.body or b"\\ud" in request.body.lower():
            _refuse_unstorable(value, "")
        return value

    def parse_querydict(
        self, sent_fields: MultiValueDict[str, Any], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """Return the parameters of an address, or the fields or files of a form."""
        if sent_fields is not request.GET and request.content_type != FORM:
            sent = request.content_type or "nothing"
            raise Problem(ProblemKind.MEDIA_TYPE, f"The Content-Type is {sent}; send {FORM}.")
        return super().parse_querydict(sent_fields, list_fields, request)


class JsonRenderer(BaseRenderer):
    """A renderer that takes a tenth of the time of ninja's own."""

    media_type = JSON

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        """Return the bytes of an answer."""
        return to_json(data)


def _refuse_unstorable(value: object, pointer: str) -> None:
    """Raise a Problem for a text with NUL or half a surrogate pair; no table takes one."""
    if isinstance(value, dict):
        for name, part in value.items():
            _refuse_unstorable(name, pointer)
            _refuse_unstorable(part, f"{pointer}/{escaped(name)}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            _refuse_unstorable(part, f"{pointer}/{number}")
    elif isinstance(value, str) and UNSTORABLE.search(value):
        fault = ValueFault(
            value.encode(errors="replace").decode(),
            STORABLE,
            "Take the character out.",
            pointer=pointer,
        )
        raise Problem(
            ProblemKind.INVALID, "A text has a character that can’t be stored.", faults=[fault]
        )


def escaped(name: str) -> str:
    """Return a name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")
