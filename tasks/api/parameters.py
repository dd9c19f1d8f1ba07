"""The parameters of operations: which there are, and those that all lists share."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from ninja.operation import Operation
from pydantic import BaseModel, Field

from config.web.problems import ValueFault

from .authentication import ApiCall
from .problems import invalid

MOST_ROWS = 1_000  # of a page


class Paging(BaseModel):
    """Which page of a list."""

    limit: int = Field(100, ge=1, le=MOST_ROWS, description="rows of a page, at most")
    cursor: str = Field("", max_length=1_000, description="where an earlier page ended")


def known_parameters(view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse a parameter of the address that the operation does not have.

    A misspelt filter would leave everything in.
    """
    operation: Operation = view._ninja_operation  # type: ignore[attr-defined]  # ninja's own mark
    known: set[str] = set()
    for model in operation.models:
        if model.__ninja_param_source__ == "query":
            known.update(model.__ninja_flatten_map__)

    @wraps(view)
    def answer(request: ApiCall, **values: Any) -> Any:
        unknown = [name for name in request.GET if name not in known]
        if unknown:
            allowed = f"one of {', '.join(sorted(known))}" if known else "none"
            faults = []
            for name in unknown:
                fault = ValueFault(
                    request.GET[name], allowed, "Leave it out, or correct its name.", parameter=name
                )
                faults.append(fault)
            raise invalid(faults)
        return view(request, **values)

    return answer
