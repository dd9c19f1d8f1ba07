"""What is kept for the overview is what one would count: items, scores and ticks."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tasks.models import Item, Project, Rating, Score, ScoreCounts, stored_figures
from tasks.models.progress import ProjectFigures, progress_of
from tasks.models.stored_figures import store_counts, whole_tally
from tasks.models.tallies import Tally, tally_of
from tests.factories import make_project

from .chance_work import Work

pytestmark = pytest.mark.django_db


def counted_anew(project: Project) -> ProjectFigures:
    """The same figures, from the items themselves."""
    items = Item.objects.filter(project=project).select_related("batch")
    there = [item for item in items if not item.dropped]
    started = Counter(item.counted for item in there if 0 < item.counted < item.wanted)
    ready = [item for item in there if item.batch.status == "open"]
    return ProjectFigures(
        items=len(there),
        finished=sum(item.counted >= item.wanted for item in there),
        counted=sum(item.counted for item in there),
        wanted=sum(max(item.counted, item.wanted) for item in there),
        started=tuple(sorted(started.items(), reverse=True)),
        left=sum(max(0, item.wanted - item.counted) for item in ready),
        unfinished=sum(item.counted < item.wanted for item in ready),
        dropped=sum(item.dropped for item in items),
        dropped_ratings=sum(item.counted for item in items if item.dropped),
    )


def tallied_anew(project: Project, **which: Any) -> Tally:
    """The same counts, from the current revision of each rating that counts."""
    rows = []
    current = Rating.objects.current().filter(project=project, kind="counted", **which)
    scores = Score.objects.filter(rating__in=current.values("pk"))
    for score in scores.select_related("response", "rating"):
        model = score.response.model if score.response else score.model
        key = score.dimension, model, score.rating.annotator_id
        rows.append((score.without or "score", *key, score.value or 0, 1))
        rows += [
            ("tick", score.dimension, code, 0, 0, 1)
            for code, answer in score.checks.items()
            if answer == "yes"
        ]
    return Tally.of(rows)


@pytest.mark.parametrize(("seed", "step"), [(4, 1), (5, 4), (6, 1)])
def test_progress_and_the_counts_kept_and_since_are_those_of_all_items_and_ratings(
    monkeypatch: pytest.MonkeyPatch, seed: int, step: int
) -> None:
    monkeypatch.setattr(stored_figures, "STEP", step)
    work = Work(seed)
    for _ in range(40):
        work.step()
        assert progress_of(work.project) == counted_anew(work.project)
        later = timezone.now() + stored_figures.SETTLED
        anew = tallied_anew(work.project, item__dropped=False)
        assert whole_tally(work.project) == anew
        store_counts(work.project, later)
        assert whole_tally(work.project) == anew
        for dimension in work.project.rubric.schema.dimensions:
            of_people = tallied_anew(work.project)  # dropped items are their work, too
            for person, scores in of_people.by_annotator(dimension.code).items():
                own = whole_tally(work.project, by=person)
                assert own.by_annotator(dimension.code) == {person: scores}
    kept = ScoreCounts.objects.get()
    assert 0 < kept.upto <= Rating.objects.latest("pk").pk
    assert tally_of(work.project, upto=kept.upto) == Tally.of(kept.counts)


def test_stored_counts_equal_a_recount() -> None:
    work = Work(3)
    for _ in range(30):
        work.step()
    found = progress_of(work.project)
    assert found.started
    assert found.untouched + found.finished + sum(n for _, n in found.started) == found.items
    assert found.untouched == sum(not each.counted for each in work.items() if not each.dropped)


def test_nothing_is_kept_of_ratings_that_may_not_all_be_there_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored_figures, "STEP", 1)
    work = Work(0)
    for _ in range(3):
        work.rate()
    last = Rating.objects.latest("pk")
    then = last.submitted_at + stored_figures.SETTLED
    store_counts(work.project, then - timedelta(microseconds=1))
    assert ScoreCounts.objects.get().upto == last.pk - 1
    store_counts(work.project, then)
    assert ScoreCounts.objects.get().upto == last.pk


def test_two_that_keep_at_once_keep_each_rating_once() -> None:
    work = Work(0)
    for _ in range(4):
        work.rate()
    first, last = Rating.objects.earliest("pk").pk, Rating.objects.latest("pk").pk
    slow, fast = ScoreCounts(project=work.project), ScoreCounts(project=work.project)
    fast.store_up_to(last)
    slow.store_up_to(first)
    kept = ScoreCounts.objects.get()
    assert (kept.upto, Tally.of(kept.counts)) == (last, tallied_anew(work.project))


def test_an_empty_project_has_no_counts() -> None:
    project = make_project()
    assert progress_of(project) == ProjectFigures(0, 0, 0, 0, (), 0, 0, 0)
    assert whole_tally(project) == Tally()
