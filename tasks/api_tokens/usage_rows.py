"""The calls of a person's tokens in the last days, as the page of tokens shows them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from config.web.people import User
from tasks.models import ApiToken, ApiUsage
from tasks.models.api_usage import SHOWN
from tasks.overview.drawing import spark

REFUSED = 400  # a status from here on


@dataclass(slots=True)
class UsageRow:
    """The calls of a token to an operation."""

    operation: str
    token: ApiToken
    last: datetime
    by_day: dict[date, int] = field(default_factory=dict)
    calls: int = 0
    rows: int = 0
    refused: int = 0
    why: str = ""  # the status and the reason of the last refusal
    spark: str = ""  # calls a day, today last, as the points of a line


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """All calls of a person's tokens in the last days."""

    rows: list[UsageRow]
    by_token: dict[int, int]
    calls: int
    refused: int


def usage_of(owner: User, now: datetime) -> TokenUsage:
    """Return the calls of a person's tokens, the most frequent first."""
    today = now.date()
    rows = _summed(ApiUsage.objects.of(owner, today))
    days = [today - timedelta(days=number) for number in reversed(range(SHOWN))]
    by_token: dict[int, int] = defaultdict(int)
    for row in rows:
        row.spark = spark([row.by_day.get(day, 0) for day in days])
        by_token[row.token.pk] += row.calls
    rows.sort(key=lambda row: -row.calls)
    calls = sum(row.calls for row in rows)
    return TokenUsage(rows, dict(by_token), calls, sum(row.refused for row in rows))


def _summed(stored: Iterable[ApiUsage]) -> list[UsageRow]:
    """Return a row for each token and operation."""
    by_kind: dict[tuple[int, str], UsageRow] = {}
    for usage in stored:
        kind = (usage.token_id, usage.operation)
        row = by_kind.setdefault(kind, UsageRow(usage.operation, usage.token, usage.last))
        row.calls += usage.calls
        row.rows += usage.rows
        row.by_day[usage.day] = row.by_day.get(usage.day, 0) + usage.calls
        row.last = max(row.last, usage.last)
        if usage.status >= REFUSED:
            row.refused += usage.calls
            row.why = f"{usage.status}: {usage.reason}"
    return [*by_kind.values()]
