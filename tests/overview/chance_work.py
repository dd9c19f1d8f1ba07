"""People at work in a project, as chance has it: what is kept is compared with what is there."""

from __future__ import annotations

import random
from dataclasses import replace

from django.utils import timezone

from annotators.models import User
from tasks.answers.slot_answers import SlotAnswers
from tasks.answers.submission import Submission
from tasks.models import Concern, Item, Lease, Rating, ReturnedRating
from tasks.models.replies import reply_to
from tasks.queue.allocation import take_next
from tasks.queue.submitting import correct_rating, submit_lease
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_submission,
    make_user,
)


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
        """Any scores, and none now and then, with some ticks."""
        said = make_submission(
            lease=lease, values={1: self.chance.randint(1, 7), 2: self.chance.randint(1, 7)}
        )
        ticks = [
            (code, "", "yes") for code in ("language_error", "punctuation_error", "style_error")
        ]
        scores = [
            replace(
                each,
                answers=each.answers
                | SlotAnswers.of(self.chance.sample(ticks, self.chance.randint(0, 3))),
            )
            for each in said.scores
        ]
        without = ["blank", "not_asked", *6 * [""]]
        for place, why in enumerate(self.chance.choices(without, k=len(scores))):
            if why:
                scores[place] = replace(scores[place], value=None, without=why)
        return replace(said, scores=tuple(scores))

    def person(self) -> User:
        return self.chance.choice(self.people)

    def rate(self) -> None:
        if lease := take_next(self.project, self.person(), now=timezone.now()):
            submit_lease(lease, self.said(lease), now=timezone.now())

    def lend_and_lose(self) -> None:
        """A lease ends before it is submitted."""
        lease = take_next(self.project, self.person(), now=timezone.now())
        if lease:
            lease.release(now=timezone.now())
            self.late.append(lease)

    def rate_late(self) -> None:
        """What comes late counts if there is a place, and is extra if there is none."""
        if self.late:
            lease = self.late.pop()
            submit_lease(lease, self.said(lease), now=timezone.now())

    def rate_what_is_full(self) -> None:
        full = [each for each in self.items() if each.counted >= each.wanted]
        if full:
            lease = make_lease(
                item=self.chance.choice(full),
                annotator=make_user(),
                status=Lease.Status.EXPIRED,
                ended_at=timezone.now(),
            )
            submit_lease(lease, self.said(lease), now=timezone.now())

    def items(self) -> list[Item]:
        return list(Item.objects.filter(project=self.project))

    def current(self) -> Rating | None:
        found = list(Rating.objects.current().filter(project=self.project, attempt=0))
        return self.chance.choice(found) if found else None

    def correct(self) -> None:
        rating = self.current()
        if rating and rating.lease and not rating.why_read_only(timezone.now()):
            said = replace(self.said(rating.lease), comment=str(self.chance.random()))
            correct_rating(rating, said, based_on=rating.revision, now=timezone.now())

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
            reply_to(concern, Concern.Decision(decision), by=lead, now=timezone.now())
            concern.refresh_from_db()

    def want(self) -> None:
        self.project.change(
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
