"""Decisions made at once, by medians: store them, list them, and take them back as a whole.

All items are locked, then read afresh. So whoever decides or rates one of them meanwhile waits, or
is waited for: the first one wins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Count, Q

from config.web.people import User, named_account
from tasks.models import CaseEntry, Project, ScoreDecision
from tasks.models.list_renewal import renew_all

from .deciding import lock_items
from .medians import MedianCase, last_revision, read_cases

MOST_LISTED = 20  # the last ones


@dataclass(frozen=True, slots=True)
class Settled:
    """How many cases were settled at once, and how many changed since they were listed."""

    settled: int
    changed: int


@dataclass(frozen=True, slots=True)
class Undone:
    """How many decisions were taken back, and how many cases were decided anew before."""

    withdrawn: int
    decided_anew: int


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """Decisions made at once, and how many of them are still the last on their case."""

    bulk: UUID
    decided_by: User
    decided_at: datetime
    number: int
    in_force: int


@transaction.atomic
def settle_by_medians(
    project: Project, versions: Mapping[str, str], *, reason: str, by: User, now: datetime
) -> Settled:
    """Decide cases by their medians, without those that changed since they were listed.

    `versions`: what the list showed, by the token of the case.
    """
    entries = CaseEntry.objects.filter(project=project, token__in=versions)
    items = lock_items(project, set(entries.values_list("item", flat=True)))
    # What was asked or closed meanwhile shows only now.
    open_tokens = set(_open_tokens(project, versions))
    bulk = uuid4()
    decisions = []
    for case in read_cases(project, items):
        is_same = versions.get(case.token) == case.version and case.token in open_tokens
        if is_same and case.is_offered and case.is_complete:
            decisions.append(_by_median(case, bulk=bulk, reason=reason, by=by, now=now))
    ScoreDecision.objects.bulk_create(decisions)
    renew_all(project, sorted({decision.item_id for decision in decisions}))
    return Settled(len(decisions), len(versions) - len(decisions))


def _open_tokens(project: Project, versions: Mapping[str, str]) -> list[str]:
    cases = CaseEntry.objects.open_in(project).filter(token__in=versions)
    return list(cases.values_list("token", flat=True))


@transaction.atomic
def take_back_at_once(project: Project, bulk: UUID, *, by: User, now: datetime) -> Undone:
    """Take back what was decided at once; what was decided anew since stays as it is."""
    made = ScoreDecision.objects.by_median(project).filter(bulk=bulk)
    item_keys = set(made.values_list("item", flat=True))
    lock_items(project, item_keys)
    all_revisions = ScoreDecision.objects.revisions_on(item_keys)
    withdrawals = []
    number = 0
    for decision in made:
        number += 1
        revisions = all_revisions[decision.key]
        if last_revision(revisions) == decision.revision:
            next_revision = revisions[-1].revision + 1
            withdrawals.append(_withdrawal(decision, next_revision, by=by, now=now))
    ScoreDecision.objects.bulk_create(withdrawals)
    renew_all(project, sorted({decision.item_id for decision in withdrawals}))
    return Undone(len(withdrawals), number - len(withdrawals))


def bulk_decisions(project: Project) -> list[BulkDecision]:
    """Return what was decided at once, the last ones first."""
    decisions = ScoreDecision.objects.by_median(project).order_by()
    columns = ("bulk", "decided_at", "decided_by", "decided_by__username")
    rows = decisions.values_list(*columns).annotate(
        number=Count("pk"), in_force=Count("pk", filter=Q(is_last=True))
    )
    newest = rows.order_by("-decided_at", "bulk")[:MOST_LISTED]
    in_order = []
    for bulk, decided_at, key, username, number, in_force in newest:
        by = named_account(key, username)
        in_order.append(BulkDecision(bulk, by, decided_at, number, in_force))
    return in_order


def _by_median(
    case: MedianCase, *, bulk: UUID, reason: str, by: User, now: datetime
) -> ScoreDecision:
    target = case.target
    return ScoreDecision(
        project=case.item.project,
        item=case.item,
        rubric=case.item.project.rubric,
        dimension=case.dimension.code,
        response_id=target if isinstance(target, int) else None,
        model="" if isinstance(target, int) else target,
        revision=case.next_revision,
        source=ScoreDecision.Source.MEDIAN,
        value=case.median,
        checks=dict(case.checks),
        reason=reason,
        seen=case.seen,
        decided_by=by,
        decided_at=now,
        bulk=bulk,
    )


def _withdrawal(
    decision: ScoreDecision, revision: int, *, by: User, now: datetime
) -> ScoreDecision:
    return ScoreDecision(
        project_id=decision.project_id,
        item_id=decision.item_id,
        rubric_id=decision.rubric_id,
        dimension=decision.dimension,
        response_id=decision.response_id,
        model=decision.model,
        revision=revision,
        source=ScoreDecision.Source.WITHDRAWN,
        seen=decision.seen,
        decided_by=by,
        decided_at=now,
        bulk=decision.bulk,
    )
