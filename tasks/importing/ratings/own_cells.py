"""The cells of our own export that stand beside a score, as they were exported."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from rubrics.judging.kinds import Unit, Without
from tasks.models import FactCheck, Rating, TextView

from ..columns.scoring import RatingRow
from ..files.rows import LineError
from ..files.values import BadValue, require_holdable
from .judging import fault


def _holdable(text: str) -> str:
    try:
        require_holdable(text, "")
    except BadValue as error:
        raise ValueError(error.reason) from error
    return text


def _time(text: str) -> datetime:
    time = parse_datetime(text)
    if time is None:
        raise ValueError(text)
    return time


Text = Annotated[str, AfterValidator(_holdable)]


class ExportedClaim(BaseModel):
    """A claim that was looked up."""

    model_config = ConfigDict(strict=True)

    claim: Annotated[Text, Field(min_length=1)]
    outcome: Annotated[FactCheck.Outcome, Field(strict=False)]
    sources: list[Text]
    seconds: Annotated[int, Field(ge=0, lt=10**9)] | None
    over_time: bool

    @model_validator(mode="after")
    def _has_time(self) -> Self:
        if self.over_time and self.seconds is None:
            raise ValueError
        return self


def _matching(pattern: str) -> Any:
    return Annotated[str, Field(pattern=f"^(?:{pattern})$")]


TIME = Annotated[str, AfterValidator(_time)]
COUNT, SECONDS = _matching("[0-9]{1,4}"), _matching("[0-9]{1,9}")
# By the name of a column. Names that are not here are texts.
TYPES: Mapping[str, TypeAdapter[Any]] = {
    name: TypeAdapter(kind)
    for name, kind in {
        "attempt": COUNT,
        "revision": COUNT,
        "position": _matching("[1-9][0-9]{0,3}"),
        "active_seconds": SECONDS,
        "elapsed_seconds": SECONDS,
        "verdict": _matching("-?[0-9]{1,4}(;-?[0-9]{1,4})*"),
        "clause": _matching("[^;]{0,80}(;[^;]{0,80})*"),
        "check": _matching(".{1,80}"),
        "unit": Unit,
        "without": Without,
        "view": TextView,
        "kind": Rating.Kind,
        "extra_because": Rating.Extra,
        "started_at": TIME,
        "submitted_at": TIME,
        "answered_at": TIME,
        "facts": Json[list[ExportedClaim]],
    }.items()
}
TEXT: TypeAdapter[Any] = TypeAdapter(Text)


def fault_in(rating_row: RatingRow) -> LineError | None:
    """Return what is wrong with the first cell that no export has."""
    for name, text in rating_row.exported.items():
        kind = TYPES.get(name.rpartition(".")[2], TEXT)  # of `tone.without`, too
        try:
            TEXT.validate_python(text)
            if text:
                kind.validate_python(text)
        except ValidationError:
            reason, advice = (
                _("is not as an export has it"),
                _("export it again, or leave the row out"),
            )
            return fault(rating_row, reason, advice, column=name, value=text)
    return None
