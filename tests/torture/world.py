"""What the annotators rate: a project with items of which one to three ratings are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models.functions import Mod
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotators.models import User
from benchmarks.content import make_people, make_project, sayings, write_items
from tasks.models import Admission, Item, Project
from tasks.models.project_settings import LEAST_LEASE

SLUG = "tortured"
SESSIONS = 4  # of each annotator, who logs out now and then and needs the next
SPARE = 1.1  # places for each rating that the limits of the day allow
LEFT = 2.5  # places that an item has in the end, on average
WARNED = 10  # one item in so many has a warning
NEWCOMERS = 5  # one person in so many waits until the lead lets them in
# Of what everyone rates on average: who is quick comes to the end of their day.
MOST_DAILY, MOST_WARNED_DAILY = 1.1, 1 / 12


@dataclass(frozen=True)
class World:
    project: Project
    people: list[dict[str, Any]]  # {name, sessions, place}
    kinds: list[dict[str, Any]]  # what may be said of a response: {fields, score}
    desk: str


def make_world(folder: Path, *, acknowledgements: int, annotators: int, seed: int) -> World:
    """More items than the limits of the day let everyone rate, so that they never run out."""
    items = folder / "items.jsonl"
    share = acknowledgements / annotators
    most_daily = int(share * MOST_DAILY) + 2
    count = int(annotators * most_daily * SPARE / LEFT)
    write_items(items, count, responses=2, length=120, seed=seed)
    project = make_project(items, SLUG)
    Project.objects.filter(pk=project.pk).update(
        lease_minutes=LEAST_LEASE,
        most_daily=most_daily,
        most_warned_daily=int(share * MOST_WARNED_DAILY) + 1,
    )
    Project.objects.filter(pk=project.pk).update(practice=Project.Practice.REQUIRED)
    project.refresh_from_db()
    Item.objects.annotate(tenth=Mod("position", WARNED)).filter(tenth=0).update(
        warning="It may upset."
    )
    change_wanted(project, 1, 2)
    people = make_people("annotator", annotators, project)
    for place, person in enumerate(people):
        if place % NEWCOMERS:
            Admission.objects.admit(project, person, Admission.How.PASSED, now=timezone.now())
    return World(
        project,
        [
            {"name": person.username, "sessions": _sessions(person), "place": place}
            for place, person in enumerate(people)
        ],
        [{"fields": said.fields, "score": said.score} for said in sayings()],
        reverse("annotators:desk", args=[SLUG]),
    )


def take_limits_away(project: Project) -> None:
    """From now on everyone may rate as much as there is."""
    Project.objects.filter(pk=project.pk).update(
        most_daily=None, most_warned_daily=None, practice=Project.Practice.OFF
    )


def change_wanted(project: Project, wanted: int, overlap_wanted: int) -> None:
    """Of half of the items, `overlap_wanted` ratings; of the others, `wanted`."""
    project.change(wanted=wanted, overlap_percent=50, overlap_wanted=overlap_wanted)


def _sessions(person: User) -> list[str]:
    found = []
    for _ in range(SESSIONS):
        client = Client()
        client.force_login(person)
        found.append(client.cookies["sessionid"].value)
    return found
