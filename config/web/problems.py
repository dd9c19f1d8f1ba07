"""Problem documents (RFC 9457): how the API says that a call failed. English only.

Every failure of a call becomes one here, whoever finds it: an operation, the middleware, Django.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from django.http import HttpRequest, HttpResponse

CONTENT_TYPE = "application/problem+json"
ADDRESSES = "/api/"
PAGES = frozenset({ADDRESSES, f"{ADDRESSES}client.py"})  # for browsers
MOST_FAULTS = 100  # in one document
LONGEST_VALUE = 200  # characters of a value that is quoted


class ProblemKind(Enum):
    """The kinds of problems: the status, the end of the type's address, and the title."""

    UNREADABLE = (400, "unreadable", "The request can’t be read")
    NO_TOKEN = (401, "no-token", "A valid token is needed")
    FORBIDDEN = (403, "forbidden", "This token may not do that")
    NOT_FOUND = (404, "not-found", "There is nothing at this address")
    METHOD = (405, "method", "This address has no such operation")
    CONFLICT = (409, "conflict", "Something else is in the way")
    TOO_LARGE = (413, "too-large", "The request is too large")
    MEDIA_TYPE = (415, "media-type", "This type of content is not read here")
    INVALID = (422, "invalid", "Some values can’t be taken")
    TOO_MANY = (429, "too-many", "Too many calls")
    FAILED = (500, "failed", "Evenhand failed")
    AWAY = (503, "away", "Evenhand can’t answer now")

    @property
    def status(self) -> int:
        return self.value[0]

    @property
    def slug(self) -> str:
        return self.value[1]

    @property
    def title(self) -> str:
        return self.value[2]


@dataclass(frozen=True, slots=True)
class ValueFault:
    """A value of a call that can't be taken.

    It stands in the body, where `pointer` leads to it (RFC 6901), or it is a parameter of the
    address or a header.
    """

    value: object
    allowed: str
    advice: str
    pointer: str | None = None
    parameter: str | None = None


class Problem(Exception):
    """A failure of a call, raised to be its answer."""

    def __init__(
        self,
        kind: ProblemKind,
        detail: str,
        *,
        faults: Sequence[ValueFault] = (),
        total: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Hold the failure. `total`: of all faults, if these are only the first."""
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.faults = faults
        self.total = len(faults) if total is None else total
        self.headers = dict(headers or {})
        if kind is ProblemKind.NO_TOKEN:
            self.headers.setdefault("WWW-Authenticate", "Bearer")


# The sentences of problems that no operation words.
DETAILS = {
    400: "The request can’t be read: its host, address, encoding or form is wrong.",
    403: "Evenhand refuses this request.",
    404: f"See {ADDRESSES} for the addresses that there are.",
    413: "Send less in one call.",
    500: "The fault is on our side and is in the server’s log. Nothing of the call was stored.",
    503: "The database is away. Send the same call again later.",
}


def is_call(request: HttpRequest) -> bool:
    """Return True if a request is of the API, and not of a page about it."""
    path = request.path_info
    return path.startswith(ADDRESSES) and path not in PAGES


def problem_of_status(status: int, detail: str = "") -> HttpResponse:
    """Return the answer for a status that Django or the middleware gives."""
    kind = next(kind for kind in ProblemKind if kind.status == status)
    return problem_response(Problem(kind, detail or DETAILS[status]))


def problem_response(problem: Problem) -> HttpResponse:
    """Return a problem as the answer to a call."""
    kind = problem.kind
    document: dict[str, str | int | list[Mapping[str, object]]] = {
        "type": f"{ADDRESSES}#{kind.slug}",
        "title": kind.title,
        "status": kind.status,
        "detail": problem.detail,
    }
    if problem.faults:
        document["errors"] = [_entry(fault) for fault in problem.faults[:MOST_FAULTS]]
        document["total_errors"] = problem.total
    return HttpResponse(
        json.dumps(document, ensure_ascii=False),
        status=kind.status,
        content_type=CONTENT_TYPE,
        headers=problem.headers,
    )


def _entry(fault: ValueFault) -> Mapping[str, object]:
    """Return an entry of `errors`."""
    place = {"parameter": fault.parameter} if fault.pointer is None else {"pointer": fault.pointer}
    entry = {"value": _quoted(fault.value), "allowed": fault.allowed, "advice": fault.advice}
    return place | entry


def _quoted(value: object) -> object:
    """Return a value as JSON has it; one that is long or compound as the beginning of its text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
