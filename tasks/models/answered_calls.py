"""Answers to calls of the API that had a key, so that the same call again does nothing twice."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import models

from config.web.raw_sql import one_row

from .api_tokens import ApiToken

LIFETIME = timedelta(days=1)
LONGEST_KEY = 200  # characters
# The lock tells a call that goes on from one that has ended: the row of the first is not committed,
# and to insert another would wait for it. An old row is taken over.
CLAIM = """
INSERT INTO tasks_answeredcall AS call (token_id, key, digest, status, answer, called_at)
SELECT %(token)s::bigint, %(key)s::text, %(digest)s, 0, '', %(now)s::timestamptz
WHERE pg_try_advisory_xact_lock(hashtextextended(%(key)s::text, %(token)s::bigint))
ON CONFLICT (token_id, key) DO UPDATE
SET digest = excluded.digest, called_at = excluded.called_at
WHERE call.called_at <= %(oldest)s::timestamptz
RETURNING id
"""


@dataclass(frozen=True, slots=True)
class KeyedCall:
    """A call with a key."""

    token: int
    key: str
    digest: str  # of its address and body
    now: datetime


class AnsweredCallQuerySet(models.QuerySet["AnsweredCall"]):
    def claim(self, call: KeyedCall) -> int | None:
        """Take the key of a call until the transaction ends. Return None if another call has it.

        The claim is the row of the answer. A process that dies leaves none, since it never commits.
        """
        values = {
            "token": call.token,
            "key": call.key,
            "digest": call.digest,
            "now": call.now,
            "oldest": call.now - LIFETIME,
        }
        row = one_row(CLAIM, values)
        return row[0] if row else None

    def with_key_of(self, call: KeyedCall) -> "AnsweredCall | None":
        """Return the call of the last day that had the same key."""
        recent = self.filter(called_at__gt=call.now - LIFETIME)
        return recent.filter(token=call.token, key=call.key).first()

    def delete_old(self, now: datetime) -> bool:
        """Delete the answers that are too old. Return False: nothing is left to do."""
        self.filter(called_at__lte=now - LIFETIME).delete()
        return False


class AnsweredCall(models.Model):
    """A call that stored something, and its answer, committed at once."""

    token = models.ForeignKey(
        ApiToken, on_delete=models.CASCADE, related_name="answered_calls", db_index=False
    )
    key = models.CharField(max_length=LONGEST_KEY)
    digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    answer = models.TextField()
    called_at = models.DateTimeField()

    objects = AnsweredCallQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("token", "key"), name="a_key_is_of_one_call_of_a_token"
            ),
        )
        indexes = (models.Index(fields=("called_at",), name="answered_calls_by_age"),)
