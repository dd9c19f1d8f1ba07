"""The world around the desk: what is rated and by whom; the clock, log-ins that end, and someone
else who rates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from annotators.models import Session, User
from tasks.models import Draft, Item, Lease, Project, Rating, ReturnedRating
from tasks.queue.allocation import take_next
from tasks.queue.submitting import submit_lease
from tests.factories import (
    make_batch,
    make_item,
    make_project,
    make_rubric,
    make_submission,
    make_user,
)

NAME, RIVAL, SLUG = "ada", "ben", "storm"
RESPONSES = (
    "Two: Phobos and Deimos.",
    "It has two moons.",
    "Mars is the fourth planet; it has two.",
)
MODELS = ("heron", "osprey")
NOWHERE = "http://127.0.0.1:9/?claim={claim}"  # nothing is searched


@dataclass
class Around:
    """A project with items of which one rating is wanted, its annotator, and another one."""

    project: Project
    annotator: User
    rival: User

    @classmethod
    def make(cls, rubric: str, items: int) -> Around:
        """Every seventh item has a warning. In a dialogue both responses are one model's: they make
        a set."""
        models = {"dialogue": MODELS[:1] * 2}.get(rubric, MODELS)
        people = [
            User.objects.filter(username=name).first() or make_user(name=name)
            for name in (NAME, RIVAL)
        ]
        project = make_project(
            slug=f"{SLUG}-{rubric}",
            title="Storm",
            rubric=make_rubric(slug=rubric),
            wanted=1,
            annotators=people,
            search_address=NOWHERE,
        )
        batch = make_batch(project=project)
        for number in range(items):
            make_item(
                batch=batch,
                external_id=f"item-{number:04}",
                responses=[(models[place], f"{RESPONSES[place]} ({number})") for place in range(2)],
                persona=["I watch the sky.", "I live by the sea."] if rubric == "dialogue" else [],
                warning="It may upset." if number % 7 == 5 else "",
            )
        batch.recount()
        return cls(project, *people)

    def ask_for_nothing(self) -> int:
        """Let what came back by another answer about a corpus wait no more."""
        return ReturnedRating.objects.filter(annotator=self.annotator, settled_at=None).update(
            settled_at=timezone.now()
        )

    def end_lease(self) -> int:
        """Have the clock pass the end of what the annotator holds."""
        live = Lease.objects.filter(annotator=self.annotator, status=Lease.Status.LIVE)
        return live.update(expires_at=F("started_at") + timedelta(milliseconds=1))

    def end_sessions(self) -> None:
        Session.objects.all().delete()

    def let_rival_rate(self, *, submits: bool) -> str:
        """Someone else takes the next item, the one whose lease has ended perhaps, and rates it or
        not."""
        lease = take_next(self.project, self.rival, now=timezone.now())
        if lease is None:
            return ""
        lease.uncover(now=timezone.now())
        if submits:
            submit_lease(lease, make_submission(lease=lease), now=timezone.now())
        return lease.item.external_id

    def item_of(self, lease: int) -> Item:
        return Lease.objects.select_related("item").get(pk=lease).item

    def is_rated(self, item: Item) -> bool:
        return Rating.objects.filter(item=item, annotator=self.annotator).exists()

    def drafts_of(self, item: Item) -> list[Draft]:
        """Return what the tables hold of what was entered and not submitted, newest first."""
        drafts = Draft.objects.filter(item=item, annotator=self.annotator)
        return list(drafts.order_by("-saved_at", "-pk"))

    def ratings(self) -> list[Rating]:
        return list(
            Rating.objects.filter(annotator=self.annotator, project=self.project)
            .select_related("lease", "item")
            .prefetch_related("scores", "placements")
            .order_by("pk")
        )

    def leases(self) -> dict[int, int]:
        """The item of each of the annotator's leases, by primary keys."""
        return dict(
            Lease.objects.filter(annotator=self.annotator, project=self.project).values_list(
                "pk", "item_id"
            )
        )


OWN_SCORE = ".score.own"  # what was entered before a rule forced the score, kept for when none does


def entered(answers: dict[str, Any]) -> dict[str, str]:
    """Of a draft's answers, those that stand in the form to be seen. A score that gave way to a
    forced one stands for the score: on the screen it is there again once nothing forces another."""
    seen = {
        name: str(value)
        for name, value in answers.items()
        if value
        and (name in ("comment", "not_sure") or "." in name)
        and not (name.startswith("m") or name.endswith((".clock", OWN_SCORE)))
    }
    for name, value in answers.items():
        if value and name.endswith(OWN_SCORE):
            seen.setdefault(name.removesuffix(OWN_SCORE), str(value))
    return seen


def stored(rating: Rating) -> dict[str, str]:
    """What the tables have of a rating, by field of the form."""
    if rating.lease is None:
        return {}
    places = {
        response: f"r{place}" for place, response in enumerate(rating.lease.responses, start=1)
    }
    sets = {model: f"s{place}" for place, model in enumerate(rating.lease.model_names, start=1)}
    found = {"comment": rating.comment, "not_sure": "yes" if rating.not_sure else ""}
    for score in rating.scores.all():
        key = sets[score.model] if score.response_id is None else places[score.response_id]
        found[f"{key}.{score.dimension}"] = str(score.value)
        for code, value in score.checks.items():
            found[f"{key}.{score.dimension}.{code}"] = value
    for placement in rating.placements.all():
        found[f"{places[placement.response_id]}.comment"] = placement.comment
    return {name: value for name, value in found.items() if value}
