"""The kind of a case: how far its answers are apart and what became of it, and so its state.

A kind never says if that is too far: a project's thresholds do, when the queue is read. So a
changed threshold rewrites nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import TypeAlias

from django.db import models
from django.db.models import Case, CharField, F, Q, Value, When

from .projects import Project

StateNumbers: TypeAlias = Counter[tuple[str, bool]]  # by state, and by seen or concluded

# True for each case that a correction settled, and for few others: its answers came nearer.
CAME_NEARER = Q(first_spread__gt=F("spread")) | Q(was_mixed=True, is_mixed=False)


class CaseState(models.TextChoices):
    """The states of a case. None of them is stored: they follow from what is."""

    OPEN = "open", "open"
    ASKED = "asked", "asked"
    DECIDED = "decided", "decided"
    CHANGED = "changed", "changed"
    INCOMPLETE = "incomplete", "incomplete"
    SETTLED = "settled", "settled"


def differs(project: Project) -> Q:
    """Return the condition that the answers of a case differ."""
    condition = Q(is_mixed=True) | Q(is_forced_apart=True)
    for dimension, threshold in project.thresholds.items():
        condition |= Q(dimension=dimension, spread__gte=threshold)
    if project.disputed_checks:
        condition |= Q(checks__has_any_keys=project.disputed_checks)
    return condition


def differed(project: Project) -> Q:
    """Return the condition that the first answers of a case differed."""
    condition = Q(was_mixed=True)
    for dimension, threshold in project.thresholds.items():
        condition |= Q(dimension=dimension, first_spread__gte=threshold)
    return condition


def in_state(state: str, project: Project, waiting: Collection[int]) -> Q:
    """Return the condition that a case is in a state."""
    is_waiting = Q(pk__in=waiting)
    undecided = Q(decision=CaseKind.Decision.NONE)
    match state:
        case CaseState.DECIDED:
            return Q(decision=CaseKind.Decision.STANDS)
        case CaseState.CHANGED:
            return Q(decision=CaseKind.Decision.CHANGED)
        case CaseState.SETTLED:
            return undecided & CAME_NEARER & ~differs(project) & differed(project)
        case CaseState.ASKED:
            return undecided & differs(project) & is_waiting
        case CaseState.INCOMPLETE:
            return undecided & differs(project) & ~is_waiting & Q(is_complete=False)
        case _:
            return undecided & differs(project) & ~is_waiting & Q(is_complete=True)


def counted_state(project: Project) -> Case:
    """Return the state of a case as an expression, as if nothing was asked; None for no state."""
    whens = []
    for state in CaseState:
        if state != CaseState.ASKED:
            whens.append(When(in_state(state, project, ()), then=Value(state)))
    return Case(*whens, default=None, output_field=CharField())


def numbers_in(state_rows: Iterable[tuple[str | None, bool, int]]) -> StateNumbers:
    """Return the numbers in rows of a state, of seen or concluded, and a number."""
    numbers: StateNumbers = Counter()
    for state, is_seen, number in state_rows:
        if state and number:
            numbers[state, is_seen] = number
    return numbers


class CaseKind(models.Model):
    """Kind of a case, as its entry and the counts have it."""

    class Decision(models.IntegerChoices):
        NONE = 0
        STANDS = 1
        CHANGED = 2

    # The worker copies these from the item, so there is nothing for the database to check.
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    batch = models.ForeignKey(
        "tasks.Batch",
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    model = models.TextField()  # that gave the response or the candidate set; "" if unnamed
    dimension = models.CharField(max_length=80)
    spread = models.SmallIntegerField()
    first_spread = models.SmallIntegerField()  # of everyone's first revision
    is_mixed = models.BooleanField()
    was_mixed = models.BooleanField()  # in everyone's first revision
    is_forced_apart = models.BooleanField()
    is_complete = models.BooleanField()  # no more ratings of the item are wanted
    # Other answers count now than when it was decided: changed.
    decision = models.PositiveSmallIntegerField(choices=Decision)
    is_seen = models.BooleanField()  # else concluded

    class Meta:
        abstract = True
