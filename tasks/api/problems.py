"""Problem documents made of the failures of operations."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import OperationalError
from django.http import Http404
from ninja.errors import AuthenticationError, HttpError, ValidationErrorContext
from psycopg.errors import LockNotAvailable

from config.web.problems import (
    CONTENT_TYPE,
    DETAILS,
    MOST_FAULTS,
    Problem,
    ProblemKind,
    ValueFault,
)

from .bodies import escaped

RETRY_AFTER = "5"  # seconds until a lock is free, most likely
# What the document of the API says of an answer that is a problem.
CONTENT = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
HOW_TO_CALL = (
    "Send a token in the header “Authorization: Bearer evh_…”. A lead makes one under Settings."
)
# By type of pydantic's error, what is to be done; its message says what is allowed.
ADVICE = {
    "missing": "Add it.",
    "extra_forbidden": "Leave it out, or correct its name.",
    "too_long": "Send fewer at once.",
    "too_short": "Send more.",
}
ALLOWED = {"missing": "a value", "extra_forbidden": "no value of this name"}


def may_answer(kind: ProblemKind) -> dict[str, dict[int, object]]:
    """Return what the document says of an operation that may answer with a problem."""
    return {"responses": {kind.status: {"description": kind.title, "content": CONTENT}}}


def problem_of(error: Exception) -> Problem | None:
    """Return the problem that an exception of an operation is, or None if it is a fault of ours."""
    cause = error.__cause__
    match error:
        case Problem():
            return error
        case AuthenticationError():
            return Problem(ProblemKind.NO_TOKEN, HOW_TO_CALL)
        case HttpError() if isinstance(cause, Problem):
            return cause
        case HttpError(status_code=status):
            kind = next(kind for kind in ProblemKind if kind.status == status)
            return Problem(kind, str(error))
        case Http404():
            return Problem(ProblemKind.NOT_FOUND, DETAILS[404])
        case OperationalError() if isinstance(cause, LockNotAvailable):
            detail = "Somebody changes the same at this moment. Send the call again."
            return Problem(ProblemKind.CONFLICT, detail, headers={"Retry-After": RETRY_AFTER})
    return None


def invalid(faults: Iterable[ValueFault]) -> Problem:
    """Return the problem of values that can't be taken."""
    all_faults = list(faults)
    total = len(all_faults)
    first = all_faults[0]
    place = first.pointer if first.parameter is None else first.parameter
    detail = f"{place}: {first.allowed}. {first.advice}"
    if total > 1:
        detail += f" And {total - 1} more."
    return Problem(ProblemKind.INVALID, detail, faults=all_faults[:MOST_FAULTS], total=total)


def invalid_parameters(contexts: Iterable[ValidationErrorContext[Any]]) -> Problem:
    """Return the problem of a call that does not fit the types of its operation."""
    faults = []
    for context in contexts:
        source = context.model.__ninja_param_source__ or ""
        for error in context.pydantic_validation_error.errors(include_url=False):
            faults.append(_fault_of_type(source, error))
    return invalid(faults)


def _fault_of_type(source: str, entry: Mapping[str, Any]) -> ValueFault:
    """Return one of pydantic's errors as a fault. `source`: "body", "query", "path" and the like.

    A parameter that is a model has its own name before that of its field.
    """
    message = str(entry["msg"])
    for beginning in ("Input should be ", "Value error, "):
        message = message.removeprefix(beginning)
    allowed = ALLOWED.get(entry["type"]) or message
    advice = ADVICE.get(entry["type"], "Correct it.")
    value = None if entry["type"] == "missing" else entry["input"]
    _name, *places = entry["loc"]
    if source == "body":
        pointer = "".join(f"/{escaped(str(place))}" for place in places)
        return ValueFault(value, allowed, advice, pointer=pointer)
    name = str(entry["loc"][-1])
    return ValueFault(value, allowed, advice, parameter=name)


def invalid_form(form: forms.BaseForm, *, in_body: bool = True, within: str = "") -> Problem:
    """Return the problem of a form that is not valid, by the names of its fields.

    `in_body`: its values came in the body, and not in the address. `within`: the pointer to the
    object that has them.
    """
    faults = []
    for name, messages in form.errors.items():
        value = None if name == NON_FIELD_ERRORS else form[name].value()
        place = "" if name == NON_FIELD_ERRORS else name
        for message in messages:
            pointer = f"{within}/{escaped(place)}" if place else within
            fault = ValueFault(
                value,
                str(message),
                "Correct it.",
                pointer=pointer if in_body else None,
                parameter=None if in_body else place,
            )
            faults.append(fault)
    return invalid(faults)
