"""The API as a whole: its document, how it reads and answers, and what failures look like."""

from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import NinjaAPI
from ninja.errors import ValidationError, ValidationErrorContext
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from config.web.problems import ProblemKind, problem_response

from . import (
    agreement,
    batch_acts,
    batches,
    decide,
    decisions,
    events,
    exports,
    files,
    item_acts,
    items,
    jobs,
    people,
    projects,
    ratings,
    rubric,
    scores,
    verdict,
)
from .authentication import READS, WRITES
from .bodies import JsonParser, JsonRenderer
from .parameters import known_parameters
from .problems import CONTENT, invalid_parameters, problem_of
from .storing import KEY_PARAMETER, stores_once

DOCUMENT = "openapi-json"  # the name of its address
DESCRIPTION = """What the pages of leads show and take, for programs.

Every call has a token, which a lead makes under Settings: `Authorization: Bearer evh_…`. A token
may do what its owner may do at the moment of the call, in its project. Failures are problem
documents (RFC 9457). Times are in UTC."""
# What any operation may answer beside what it says itself.
COMMON = (
    ProblemKind.UNREADABLE,
    ProblemKind.NO_TOKEN,
    ProblemKind.INVALID,
    ProblemKind.TOO_MANY,
    ProblemKind.FAILED,
    ProblemKind.AWAY,
)
BY_BODY = (
    ProblemKind.FORBIDDEN,
    ProblemKind.CONFLICT,
    ProblemKind.TOO_LARGE,
    ProblemKind.MEDIA_TYPE,
)
PLACE = {
    "pointer": {"type": "string", "description": "where the value stands in the body (RFC 6901)"},
    "parameter": {"type": "string", "description": "the parameter or header that has it"},
    "value": {"description": "the value, or the beginning of its text"},
    "allowed": {"type": "string", "description": "which values can be taken"},
    "advice": {"type": "string", "description": "what to do"},
}
PROBLEM = {
    "type": "object",
    "title": "Problem",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "maxItems": 100,
            "items": {
                "type": "object",
                "required": ["value", "allowed", "advice"],
                "properties": PLACE,
            },
        },
        "total_errors": {"type": "integer", "description": "of which `errors` has the first 100"},
    },
}


class Api(NinjaAPI):
    """ninja's API, whose failures are problem documents."""

    def on_exception(self, request: HttpRequest, exc: Any) -> HttpResponse:
        """Answer what an operation, or what is before it, raises.

        A fault of ours goes on to Django, which logs it (`config.outage.server_error`).
        """
        problem = problem_of(exc)
        if problem is None:
            raise exc
        response = problem_response(problem)
        response.reason = problem.detail  # type: ignore[attr-defined]  # for `usage`
        return response

    def validation_error_from_error_contexts(
        self, error_contexts: list[ValidationErrorContext[Any]]
    ) -> ValidationError:
        """Return what is raised for values that do not fit their types."""
        return invalid_parameters(error_contexts)  # type: ignore[return-value]  # it is raised

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the name of the operation's function: clients are made with it."""
        return operation.view_func.__name__

    def get_root_path(self, path_params: Any) -> str:
        """Return the address below which all operations are."""
        document = reverse(f"{self.urls_namespace}:{DOCUMENT}", kwargs=path_params)
        return document.removesuffix("openapi.json")

    def get_openapi_schema(self, **_options: Any) -> OpenAPISchema:
        """Return the OpenAPI document. It is made once, since anybody may ask for it."""
        return self.document

    @property
    def _storing(self) -> set[str]:
        """The names of the operations that take a key."""
        names = set()
        for _prefix, router in self._routers:
            for path_view in router.path_operations.values():
                for operation in path_view.operations:
                    if operation.auth_param is WRITES:
                        names.add(operation.view_func.__name__)
        return names

    @cached_property
    def document(self) -> OpenAPISchema:
        """The OpenAPI document, with the problems that each operation may answer."""
        document = super().get_openapi_schema(path_params={})
        document["components"].setdefault("schemas", {})["Problem"] = PROBLEM
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                if operation["operationId"] in self._storing:
                    operation.setdefault("parameters", []).append(KEY_PARAMETER)
                for kind in _problems_of(path, method):
                    answer = {"description": kind.title, "content": CONTENT}
                    operation["responses"].setdefault(str(kind.status), answer)
        return document


def _problems_of(path: str, method: str) -> list[ProblemKind]:
    """Return the problems that an operation may answer."""
    kinds = [*COMMON]
    if "{" in path:
        kinds.append(ProblemKind.NOT_FOUND)
    if method != "get":
        kinds += BY_BODY
    return kinds


api = Api(
    title="Evenhand",
    version="1",
    description=DESCRIPTION,
    docs_url=None,
    urls_namespace="tasks:api",
    auth=READS,
    parser=JsonParser(),
    renderer=JsonRenderer(),
)
api.add_decorator(stores_once)
api.add_decorator(known_parameters)
RESOURCES = (
    projects,
    rubric,
    batches,
    items,
    ratings,
    scores,
    decisions,
    agreement,
    people,
    events,
    exports,
    files,
    jobs,
    batch_acts,
    item_acts,
    decide,
    verdict,
)
for resource in RESOURCES:
    api.add_router("", resource.router)
