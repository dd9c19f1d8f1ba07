"""The entries of cases are what the ratings say, whatever happens between two looks."""

from __future__ import annotations

import random

import pytest
from django.utils import timezone

from annotators.models import User
from rubrics.judging.case_figures import figures_of
from tasks.cases.case import Case, cases_of
from tasks.cases.deciding import Barred, Choice, decide_case, take_decision_back
from tasks.cases.rating_views import ratings_of
from tasks.models import CaseCount, CaseEntry, Item, Project
from tasks.models.case_counts import case_numbers
from tasks.models.case_kinds import StateNumbers
from tasks.models.list_renewal import renew_entries
from tests.factories import make_user
from tests.overview.chance_work import Work

pytestmark = pytest.mark.django_db
# item, dimension, target → values by letter, spread, mixed, forced apart, checks, decision
Entries = dict[tuple[int, str, int | str], tuple[object, ...]]
STANDS, CHANGED = CaseEntry.Decision.STANDS, CaseEntry.Decision.CHANGED


def cases(item: Item) -> list[Case]:
    targets: list[int | str] = [*item.responses.values_list("pk", flat=True)]
    targets += [*item.responses.values_list("model", flat=True).distinct()]
    ratings = ratings_of(item)
    return [case for target in targets for case in cases_of(item, target, ratings)]


def entries_anew(project: Project) -> Entries:
    """The entries, from the ratings of one item after the other."""
    entries: Entries = {}
    for item in Item.objects.filter(project=project):
        item.project = project
        for case in cases(item):
            figures = figures_of(case.dimension, [answer.scored for answer in case.answers])
            decision = 0
            if case.decision:
                decision = CHANGED if case.has_changed else STANDS
            if not (figures.differs_at_all or decision):
                continue
            checks = [f"{case.dimension.code}:{code}" for code in figures.checks]
            entries[item.pk, case.dimension.code, case.target] = (
                [answer.value for answer in case.answers],
                *(figures.spread, figures.is_mixed, figures.is_forced_apart, checks, decision),
            )
    return entries


def entries_kept(project: Project) -> Entries:
    """The stored ones, without those that are there because first revisions differed."""
    entries: Entries = {}
    for entry in CaseEntry.objects.filter(project=project):
        differs = entry.spread or entry.is_mixed or entry.is_forced_apart or entry.checks
        if differs or entry.decision:
            entries[entry.item_id, entry.dimension, entry.target] = (
                *(entry.values, entry.spread, entry.is_mixed, entry.is_forced_apart),
                *(entry.checks, entry.decision),
            )
    return entries


def numbers_anew(project: Project, check: str) -> StateNumbers:
    """The numbers by state, from the entries."""
    entries = CaseEntry.objects.filter(project=project)
    if check:
        entries = entries.filter(checks__contains=[check])
    return entries.numbers(project)


def decide_one(project: Project, by: User, chance: random.Random) -> None:
    """Decide any case, or take its decision back, on a page of this moment."""
    items = list(Item.objects.filter(project=project, dropped=False))
    item = chance.choice(items)
    item.project = project
    of_item = cases(item)
    if not of_item:
        return
    case = chance.choice(of_item)
    now = timezone.now()
    if case.decision and chance.random() < 0.3:
        take_decision_back(case, version=case.version, by=by, now=now)
        return
    choice = Choice(chance.choice(case.answers).person, None)
    try:
        decide_case(case, choice, version=case.version, by=by, now=now)
    except Barred:
        return


def test_entries_kept_are_those_made_anew_whatever_happens() -> None:
    work = Work(0)
    by = make_user(name="decider")
    chance = random.Random(0)  # noqa: S311 - no secret
    seen = 0
    for _step in range(20):
        work.step()
        decide_one(work.project, by, chance)
        while renew_entries(work.project, now=timezone.now()):
            pass
        kept = entries_kept(work.project)
        assert kept == entries_anew(work.project)
        for check in ("", "quality:language_error"):
            assert case_numbers(work.project, check=check) == numbers_anew(work.project, check)
        assert not CaseCount.objects.filter(number__lt=1).exists()
        seen += len(kept)
    assert seen
