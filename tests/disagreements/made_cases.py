"""A project with disagreements, for the tests of their pages."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

from django.test import Client

from annotators.models import User
from tasks.cases.case import Case, cases_of
from tasks.cases.rating_views import ratings_of
from tasks.models import CaseEntry, Item, Membership, Project, Rating
from tasks.models.list_renewal import renew_entry
from tests.factories import NOW, make_item, make_project, make_rating, make_user

PAGE = "/projects/eggs/disagreements/"
NAMES = ("ada", "ben", "cem")
MODEL = "heron-7b"
PROMPT = (
    "My smoke alarm chirps once a minute, even after I changed the battery. It is wired to the "
    "mains. What should I check, in which order? At most five steps, please."
)
RESPONSE = """A chirp every minute after a new battery has four usual causes. Check them in order:

1. **Seat the battery.** Hold the test button for twenty seconds, and push it back untill it clicks.
2. **Read the date on the back.** Past ten years, replace the whole unit.
3. **Vacuum the vents** with a soft brush; dust sets off the sensor.
4. **Look at the lights.** They tell you whether mains power arrives:

| Green light | Meaning | What to do |
| --- | --- | --- |
| steady | mains on | go on to step 5 |
| off | no mains | check the breaker |

If it still chirps, the alarm itself is worn out. Wiring is a job for an electrician."""


def project_with_people(lead: User, *, slug: str = "eggs", **fields: Any) -> Project:
    """Return a project that three people rate."""
    names = NAMES if slug == "eggs" else [f"{name}-{slug}" for name in NAMES]
    people = [make_user(name=name) for name in names]
    return make_project(slug=slug, annotators=people, leads=[lead], wanted=3, **fields)


def rated(
    project: Project, name: str, *scores: int, ticks: dict[int, str] | None = None
) -> CaseEntry:
    """Return the case of a response; `ticks`: the check that the person of that number ticked."""
    item = make_item(
        project=project,
        external_id=name,
        prompt=PROMPT,
        responses=[(MODEL, RESPONSE), ("gull-2", "Read the manual.")],
    )
    members = project.memberships.filter(role=Membership.Role.ANNOTATOR).order_by("pk")
    for number, (score, member) in enumerate(zip(scores, members, strict=False)):
        rating = make_rating(
            item=item,
            annotator=member.user,
            values={1: score, 2: 4},
            comments={1: f"Comment {number} on {name}."},
            active_seconds=40 + 60 * number,
        )
        if number in (ticks or {}):
            tick(rating, (ticks or {})[number])
    renew(item, project)
    return CaseEntry.objects.get(item=item, response__position=1)


def tick(rating: Rating, check: str) -> None:
    """Tick a check of the first response after the fact."""
    score = rating.scores.get(response__position=1)
    score.checks |= {check: "yes"}
    score.save(update_fields=["checks"])


def renew(item: Item, project: Project) -> None:
    """Make the entries of an item's cases, as the worker does."""
    item.refresh_from_db()
    item.project = project
    renew_entry(item)


def case_of(entry: CaseEntry) -> Case:
    """Return the case of an entry as it is now."""
    item = Item.objects.select_related("project__rubric", "batch").get(pk=entry.item_id)
    for case in cases_of(item, entry.target, ratings_of(item)):
        if case.dimension.code == entry.dimension:
            return case
    raise LookupError(entry)


def some_cases(project: Project) -> list[CaseEntry]:
    """Return cases of many kinds, in the order of the queue."""
    return [
        rated(project, "everyday-0203", 1, 7, 3, ticks={0: "nonsensical"}),
        rated(project, "everyday-0117", 3, 3, 6, ticks={0: "language_error", 1: "language_error"}),
        rated(project, "everyday-0071", 7, 4, 5),
        rated(project, "everyday-0058", 5, 6, 7),
    ]


LATER = NOW + timedelta(hours=1)


def shown(client: Client, address: str) -> str:
    return unescape(client.get(address).content.decode())


def address_of(entry: CaseEntry, query: str = "") -> str:
    return f"{PAGE}{entry.token}/{query}"


def part(page: str, tag: str, name: str) -> str:
    """Return the element of an id."""
    [text] = re.findall(rf'<{tag} id="{name}".*?</{tag}>', page, re.DOTALL)
    return str(text)


def words(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def decide(client: Client, entry: CaseEntry, query: str = "", **entered: str) -> str:
    """Decide a case as its page would, and return the page that comes next."""
    address = address_of(entry, query)
    form = part(shown(client, address), "form", "decide")
    sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    answer = client.post(address, sent | {"act": "decide"} | entered, follow=True)
    return unescape(answer.content.decode())
