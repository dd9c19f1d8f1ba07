"""What is kept for the overview is what one would count: items, scores and ticks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotators.models import User
from tasks.models import (
    Concern,
    Item,
    Lease,
    Project,
    Rating,
    ReturnedRating,
    ScoreCounts,
    score_counts as kept_counts,
)
from tasks.models.progress import ProjectFigures, progress_of
from tasks.models.score_counts import Tally, tally_of
from tasks.submission import Submission
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_submission,
    make_user,
)

pytestmark = pytest.mark.django_db
Step = Callable[["Work"], None]


def counted_anew(project: Project) -> ProjectFigures:
    """The same figures, from the items themselves."""
    items = Item.objects.filter(project=project).select_related("batch")
    there = [item for item in items if not item.dropped]
    begun = Counter(item.counted for item in there if 0 < item.counted < item.wanted)
    ready = [item for item in there if item.batch.status == "open"]
    return ProjectFigures(
        items=len(there),
        finished=sum(item.counted >= item.wanted for item in there),
        counted=sum(item.counted for item in items),
        wanted=sum(
            item.counted if item.dropped else max(item.counted, item.wanted) for item in items
        ),
        begun=tuple(sorted(begun.items(), reverse=True)),
        left=sum(max(0, item.wanted - item.counted) for item in ready),
        open_items=len(ready),
        unfinished=sum(item.counted < item.wanted for item in ready),
    )


def tallied_anew(project: Project) -> Tally:
    """The same counts, from the current revision of each rating that counts."""
    rows = []
    for rating in Rating.objects.current().filter(project=project, kind="counted"):
        for score in rating.scores.select_related("response"):
            model = score.response.model if score.response else score.model
            rows.append(("score", score.dimension, model, rating.annotator_id, score.value, 1))
            rows += [
                ("tick", score.dimension, code, 0, 0, 1)
                for code, answer in score.checks.items()
                if answer == "yes"
            ]
    return Tally.of(rows)


class Work:
    """People at work in a project, as chance has it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - no secret
        self.people = [make_user() for _ in range(4)]
        self.project = make_project(annotators=self.people, leads=[make_user()], wanted=3)
        self.batches = [make_batch(project=self.project) for _ in range(2)]
        for _ in range(6):
            self.upload()
        self.late: list[Lease] = []

    def upload(self) -> None:
        make_item(batch=self.chance.choice(self.batches))

    def said(self, lease: Lease) -> Submission:
        """Any scores, with some ticks."""
        said = make_submission(
            lease=lease, values={1: self.chance.randint(1, 7), 2: self.chance.randint(1, 7)}
        )
        ticks = [("language_error", "yes"), ("punctuation_error", "yes"), ("style_error", "yes")]
        scores = [
            replace(
                each, checks=(*each.checks, *self.chance.sample(ticks, self.chance.randint(0, 3)))
            )
            for each in said.scores
        ]
        return replace(said, scores=tuple(scores))

    def person(self) -> User:
        return self.chance.choice(self.people)

    def rate(self) -> None:
        if lease := Lease.objects.take_next(self.project, self.person(), now=timezone.now()):
            lease.submit(self.said(lease), now=timezone.now())

    def lend_and_lose(self) -> None:
        """A lease ends before it is submitted."""
        lease = Lease.objects.take_next(self.project, self.person(), now=timezone.now())
        if lease and lease.revises_id is None:
            lease.release(now=timezone.now())
            self.late.append(lease)

    def rate_late(self) -> None:
        """What comes late counts if there is a place, and is extra if there is none."""
        if self.late:
            lease = self.late.pop()
            lease.submit(self.said(lease), now=timezone.now())

    def rate_what_is_full(self) -> None:
        full = [each for each in self.items() if each.counted >= each.wanted]
        if full:
            lease = make_lease(
                item=self.chance.choice(full),
                annotator=make_user(),
                status=Lease.Status.EXPIRED,
                ended_at=timezone.now(),
            )
            lease.submit(self.said(lease), now=timezone.now())

    def items(self) -> list[Item]:
        return list(Item.objects.filter(project=self.project))

    def current(self) -> Rating | None:
        found = list(Rating.objects.current().filter(project=self.project, attempt=0))
        return self.chance.choice(found) if found else None

    def correct(self) -> None:
        rating = self.current()
        if rating and rating.lease and not rating.why_read_only(timezone.now()):
            said = replace(self.said(rating.lease), comment=str(self.chance.random()))
            rating.correct(said, based_on=rating.revision, now=timezone.now())

    def send_back(self) -> None:
        if rating := self.current():
            ReturnedRating.objects.send_back(rating, "Why?", cause="flag 1", now=timezone.now())

    def drop(self) -> None:
        """Drop an item, or bring it back."""
        item = self.chance.choice(self.items())
        lease = make_lease(
            item=item, annotator=make_user(), status=Lease.Status.RELEASED, ended_at=timezone.now()
        )
        lease.flag(reason="broken", now=timezone.now())
        concern = Concern.objects.latest("pk")
        lead = self.project.memberships.get(role="lead").user
        for decision in self.chance.choice([["drop"], ["drop", "again"], ["someone_else"]]):
            concern.decide(Concern.Decision(decision), by=lead, now=timezone.now())
            concern.refresh_from_db()

    def want(self) -> None:
        self.project.change_wanted(
            wanted=self.chance.randint(1, 4), overlap_percent=self.chance.choice([0, 40])
        )

    def close_batch(self) -> None:
        """Close a batch, or open it."""
        batch = self.chance.choice(self.batches)
        batch.refresh_from_db()
        batch.change(
            status=self.chance.choice(["open", "open", "closed"]), rank=0, priority=0, annotators=[]
        )

    def step(self) -> None:
        often = [self.rate] * 8
        others = [self.upload, self.lend_and_lose, self.rate_late, self.rate_what_is_full]
        rare = [self.correct, self.send_back, self.drop, self.want, self.close_batch]
        self.chance.choice([*often, *others, *rare, self.correct])()


@pytest.mark.parametrize("seed", range(5))
def test_finished_begun_and_untouched_items_are_those_that_there_are(seed: int) -> None:
    work = Work(seed)
    for _ in range(40):
        work.step()
        assert progress_of(work.project) == counted_anew(work.project)


@pytest.mark.parametrize("seed", range(5, 10))
@pytest.mark.parametrize("step", [1, 4])
def test_the_counts_kept_and_since_are_those_of_all_ratings(
    monkeypatch: pytest.MonkeyPatch, seed: int, step: int
) -> None:
    monkeypatch.setattr(kept_counts, "STEP", step)
    work = Work(seed)
    for _ in range(40):
        work.step()
        later = timezone.now() + kept_counts.SETTLED
        assert ScoreCounts.objects.counts(work.project, later) == tallied_anew(work.project)
    kept = ScoreCounts.objects.get()
    assert 0 < kept.upto <= Rating.objects.latest("pk").pk
    assert tally_of(work.project, upto=kept.upto) == Tally.of(kept.counts)


def test_the_sums_add_up() -> None:
    work = Work(3)
    for _ in range(30):
        work.step()
    found = progress_of(work.project)
    assert found.begun
    assert found.untouched + found.finished + sum(n for _, n in found.begun) == found.items
    assert found.untouched == sum(not each.counted for each in work.items() if not each.dropped)


def test_nothing_is_kept_of_ratings_that_may_not_all_be_there_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_counts, "STEP", 1)
    work = Work(0)
    for _ in range(3):
        work.rate()
    last = Rating.objects.latest("pk")
    then = last.submitted_at + kept_counts.SETTLED
    ScoreCounts.objects.counts(work.project, then - timedelta(microseconds=1))
    assert ScoreCounts.objects.get().upto == last.pk - 1
    ScoreCounts.objects.counts(work.project, then)
    assert ScoreCounts.objects.get().upto == last.pk


def test_two_that_keep_at_once_keep_each_rating_once() -> None:
    work = Work(0)
    for _ in range(4):
        work.rate()
    first, last = Rating.objects.earliest("pk").pk, Rating.objects.latest("pk").pk
    slow, fast = ScoreCounts(project=work.project), ScoreCounts(project=work.project)
    fast.keep_up_to(last)
    slow.keep_up_to(first)
    kept = ScoreCounts.objects.get()
    assert (kept.upto, Tally.of(kept.counts)) == (last, tallied_anew(work.project))


def test_an_empty_project_has_no_counts() -> None:
    project = make_project()
    assert progress_of(project) == ProjectFigures(0, 0, 0, 0, (), 0, 0, 0)
    assert ScoreCounts.objects.counts(project, timezone.now()) == Tally()
