"""How often tokens of the API were used: calls by operation, status and day."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Self

from django.db import models

from config.web.people import User
from config.web.raw_sql import run

from .api_tokens import ApiToken

SHOWN = 7  # days, with today
STORED_FOR = timedelta(days=90)
LONGEST_REASON = 200  # characters
# A token that was removed meanwhile has no place for its calls.
ADD = """
INSERT INTO tasks_apiusage AS own (token_id, operation, status, day, calls, rows, reason, last)
SELECT new.* FROM unnest(%s::bigint[], %s::text[], %s::smallint[], %s::date[], %s::int[],
    %s::bigint[], %s::text[], %s::timestamptz[])
  AS new (token_id, operation, status, day, calls, rows, reason, last)
JOIN tasks_apitoken AS token ON token.id = new.token_id
ORDER BY new.token_id, new.operation, new.status, new.day
ON CONFLICT (token_id, operation, status, day) DO UPDATE SET
  calls = own.calls + excluded.calls, rows = own.rows + excluded.rows,
  reason = CASE WHEN own.last > excluded.last THEN own.reason ELSE excluded.reason END,
  last = greatest(own.last, excluded.last)
"""


@dataclass(frozen=True, slots=True)
class UsageKey:
    """A kind of calls of a token on a day."""

    token: int
    operation: str
    status: int
    day: date


@dataclass(slots=True)
class UsageCount:
    """How many calls of a kind there were, and what the last of them was."""

    last: datetime
    calls: int = 0
    rows: int = 0
    reason: str = ""  # why it was refused


class ApiUsageQuerySet(models.QuerySet["ApiUsage"]):
    def of(self, owner: User, today: date) -> Self:
        """Return the calls of a person's tokens in the last days."""
        first = today - timedelta(days=SHOWN - 1)
        calls = self.filter(token__owner=owner, day__gte=first).select_related("token")
        return calls.order_by("token__name", "token", "operation", "day", "last")

    def add(self, counts: Mapping[UsageKey, UsageCount]) -> None:
        """Add counts to those that are stored, in one statement."""
        column_values: tuple[list[object], ...] = ([], [], [], [], [], [], [], [])
        for key, count in counts.items():
            reason = count.reason[:LONGEST_REASON]
            numbers = (count.calls, count.rows, reason, count.last)
            row = (key.token, key.operation, key.status, key.day, *numbers)
            for column, value in zip(column_values, row, strict=True):
                column.append(value)
        run(ADD, list(column_values))

    def delete_old(self, now: datetime) -> bool:
        """Delete what no page shows. Return False: nothing is left to do."""
        self.filter(day__lt=(now - STORED_FOR).date()).delete()
        return False


class ApiUsage(models.Model):
    """The calls of a token to an operation that had the same status, on a day in UTC."""

    token = models.ForeignKey(
        ApiToken, on_delete=models.CASCADE, related_name="usage", db_index=False
    )
    operation = models.CharField(max_length=80)
    status = models.PositiveSmallIntegerField()
    day = models.DateField()
    calls = models.PositiveIntegerField()
    rows = models.BigIntegerField()
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)  # of the last refusal
    last = models.DateTimeField()

    objects = ApiUsageQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("token", "operation", "status", "day"), name="calls_of_a_kind_are_one_row"
            ),
        )
