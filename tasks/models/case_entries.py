"""The entry of each case in the queue of disagreements.

A case is one target (a response, a candidate set) of an item in one dimension. The worker makes
the entries with those of the list of items (`list_renewal.py`), so a submit writes nothing here.
An entry says how far the answers are apart, never if that is too far: a project's thresholds do,
when the queue is read. So a changed threshold rewrites nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from hashlib import md5
from typing import NamedTuple, Self

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, Value
from django.db.models.lookups import GreaterThan, LessThan

from config.web.people import User
from config.web.raw_sql import Columns, all_rows, instances, one_row, run

from .batches import Batch
from .case_kinds import (
    CAME_NEARER,
    CaseKind,
    CaseState,
    StateNumbers,
    counted_state,
    differs,
    in_state,
    numbers_in,
)
from .decisions import ScoreDecision
from .item_list import row_of
from .items import Item, Response
from .projects import Project
from .roles import Role

# Compares the targets: a question has no key of a case, and a candidate set no response.
WAITING_KEYS = """
SELECT entry.id FROM tasks_question AS question JOIN tasks_caseentry AS entry
  ON entry.item_id = question.item_id AND entry.dimension = question.dimension
  AND (entry.response_id = question.response_id
    OR entry.response_id IS NULL AND question.response_id IS NULL AND entry.model = question.model)
WHERE question.project_id = ANY(%(projects)s) AND question.replied_at IS NULL
  AND question.withdrawn_at IS NULL
  AND EXISTS (SELECT FROM tasks_membership AS member
    WHERE member.project_id = question.project_id AND member.user_id = question.annotator_id
      AND member.role = %(annotator)s)
"""
# The worker locks this row while it makes the entries of the item anew.
LOCK_ENTRIES = "SELECT FROM tasks_itementry WHERE item_id = %(item)s FOR NO KEY UPDATE"
MARK_DECIDED = "UPDATE tasks_caseentry SET decision = %(stands)s WHERE token = %(token)s"


class SortKey(NamedTuple):
    """The place of a case in the queue. The first case has the highest one."""

    item_spread: int  # first the items whose answers are farthest apart
    item_id: int
    place: int


def token_of(project: Project, item: int, dimension: str, target: int | str) -> str:
    """Return the name of a case in addresses."""
    words = f"{project.seed}.{item}.{dimension}.{target}"
    return md5(words.encode(), usedforsecurity=False).hexdigest()[:16]


class CaseEntryQuerySet(models.QuerySet["CaseEntry"]):
    """Questions about cases, and the order of the queue."""

    def with_item(
        self, project: Project, token: str, *, locks_item: bool = False
    ) -> CaseEntry | None:
        """Return a case with its item and batch, or None if no case has this token.

        `locks_item`: until the transaction ends, so that neither a rating nor a decision comes.
        """
        statement = CASE_WITH_LOCKED_ITEM if locks_item else CASE_WITH_ITEM
        row = one_row(statement, {"project": project.pk, "token": token})
        if row is None:
            return None
        entry, item, batch = instances(row, ENTRY, ITEM, BATCH)
        item.project = project
        item.batch = entry.batch = batch
        entry.item = item
        return entry

    def of_project(self, project: Project) -> Self:
        """Return the cases of a project, those of an item after each other, widest first."""
        return self.filter(project=project).in_order()

    def in_order(self, *, is_reversed: bool = False) -> Self:
        """Sort the cases, the widest first; with `is_reversed` from the last one to the first."""
        sign = "" if is_reversed else "-"
        return self.order_by(*(f"{sign}{name}" for name in SortKey._fields))

    def beyond(self, sort_key: SortKey, *, is_reversed: bool = False) -> Self:
        """Return the cases that come after a sort key in the order, or before it."""
        columns = row_of(map(F, SortKey._fields))
        values = row_of(map(Value, sort_key))
        comparison = GreaterThan if is_reversed else LessThan
        return self.filter(comparison(columns, values))

    def decided_by(self, user: User) -> Self:
        """Return the cases on which a person has decided, be it once more or not."""
        decisions = ScoreDecision.objects.filter(
            item=OuterRef("item"), dimension=OuterRef("dimension"), decided_by=user
        )
        is_same = Q(response=OuterRef("response")) | Q(response=None, model=OuterRef("model"))
        return self.filter(Exists(decisions.filter(is_same)))

    def waiting_keys(self, *projects: Project) -> frozenset[int]:
        """Return the keys of the cases about which a question waits for its reply.

        A question to somebody who has left the project waits for nothing.
        """
        keys = [project.pk for project in projects]
        values = {"projects": keys, "annotator": Role.ANNOTATOR.value}
        return frozenset(key for (key,) in all_rows(WAITING_KEYS, values))

    def mark_decided(self, item: Item, dimension: str, target: int | str) -> bool:
        """Mark a case as decided. Return False if it has no entry yet.

        The caller has locked the item, so no rating can come.
        """
        run(LOCK_ENTRIES, {"item": item.pk})
        token = token_of(item.project, item.pk, dimension, target)
        stands = CaseEntry.Decision.STANDS.value
        return run(MARK_DECIDED, {"token": token, "stands": stands}) > 0

    def numbers(self, project: Project) -> StateNumbers:
        """Return how many of these cases there are by state, and by seen or concluded.

        It leaves out that questions wait, and reads every case. `case_numbers` adds up stored
        counts instead, where they tell.
        """
        cases = self.order_by().annotate(state=counted_state(project))
        by_state = cases.values_list("state", "is_seen").annotate(number=Count("*"))
        # Each part has an index of its own.
        undecided = numbers_in(by_state.filter(decision=CaseKind.Decision.NONE))
        return undecided + numbers_in(by_state.filter(decision__gt=CaseKind.Decision.NONE))

    def open_in(self, project: Project) -> Self:
        """Return the open cases of a project, in their order."""
        waiting = self.waiting_keys(project)
        return self.of_project(project).in_state(CaseState.OPEN, project, waiting)

    def numbers_by_spread(self) -> dict[int, int]:
        """Return how many of the cases have each spread, the smallest spread first."""
        rows = self.order_by("spread").values_list("spread").annotate(number=Count("pk"))
        return dict(rows)

    def differing(self, project: Project) -> Self:
        """Return the cases whose answers differ by the project's thresholds and checks."""
        return self.filter(differs(project))

    def in_state(self, state: str, project: Project, waiting: Collection[int]) -> Self:
        """Return the cases in a state; `waiting`: their `waiting_keys`."""
        return self.filter(in_state(state, project, waiting))


class CaseEntry(CaseKind):
    """Entry of one case: what the queue filters, sorts and shows."""

    item = models.ForeignKey(
        Item, on_delete=models.CASCADE, related_name="cases", db_constraint=False
    )
    response = models.ForeignKey(
        Response,
        on_delete=models.CASCADE,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    # In addresses. It tells neither the model nor the place of a response in its file.
    token = models.CharField(max_length=16, unique=True)
    place = models.PositiveIntegerField()  # among the cases of its item; the first has the highest
    item_spread = models.SmallIntegerField()  # the largest spread of the item's cases
    # JSON, not arrays: Django inserts them by UNNEST, in a third of the time.
    values = models.JSONField()  # a list, in the order of the letters; null without a score
    # A list of the checks that differ, each with its dimension in front: "quality:language_error".
    checks = models.JSONField()
    # Figures of how the answers differ, as in `CaseFigures` of rubrics/judging/case_figures.py.
    pairs = models.PositiveIntegerField()
    seen_pairs = models.PositiveIntegerField()
    squares = models.BigIntegerField()
    spread_without = models.JSONField()

    objects = CaseEntryQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(
                fields=("project", "item_spread", "item", "place"),
                condition=Q(decision=0),
                include=(
                    *("dimension", "spread", "first_spread", "is_mixed", "was_mixed"),
                    *("is_forced_apart", "is_complete", "decision", "is_seen"),
                ),
                name="cases_in_their_order",
            ),
            # Whoever settles begins with the widest: the open ones are not searched among these.
            models.Index(
                fields=("project", "item_spread", "item", "place"),
                condition=Q(decision__gt=0),
                include=("decision", "is_seen"),
                name="decided_cases",
            ),
            # Few of many came nearer to each other: the page of these reads no others.
            models.Index(
                fields=("project", "item_spread", "item", "place"),
                condition=CAME_NEARER,
                name="cases_that_came_nearer",
            ),
        )

    @property
    def sort_key(self) -> SortKey:
        return SortKey(self.item_spread, self.item_id, self.place)

    @property
    def target(self) -> int | str:
        """The primary key of the response, or the model of the candidate set."""
        return self.model if self.response_id is None else self.response_id


ENTRY = Columns(CaseEntry, "entry")
ITEM = Columns(Item, "item")
BATCH = Columns(Batch, "batch")
# Plain statements: the ORM takes longer to make these instances than PostgreSQL to find them.
CASE_WITH_ITEM = f"""
SELECT {ENTRY}, {ITEM}, {BATCH} FROM tasks_caseentry AS entry
JOIN tasks_item AS item ON item.id = entry.item_id
JOIN tasks_batch AS batch ON batch.id = item.batch_id
WHERE entry.project_id = %(project)s AND entry.token = %(token)s
"""  # noqa: S608 - constant parts
CASE_WITH_LOCKED_ITEM = f"{CASE_WITH_ITEM} FOR NO KEY UPDATE OF item"
