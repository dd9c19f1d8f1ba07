"""Two projects with some of everything, and people of all roles in one of them or none."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotators.models import User
from rubrics.models import RubricDraft
from tasks.models import Invitation, Item, Membership, Project, StoredExport
from tests.api.calling import make_token
from tests.api.fuzzed_projects import make_world
from tests.factories import (
    make_lease,
    make_practice,
    make_question,
    make_rating,
    make_user,
    rubric_columns,
)

HERE, ELSEWHERE = "kestrel", "plover"  # words in all that a project has
PROJECTS = {HERE: "eggs", ELSEWHERE: "ham"}


@dataclass(frozen=True)
class Person:
    """Somebody who sends requests at random, and words that no answer to them may have."""

    name: str
    user: User | None
    never_reads: tuple[str, ...]

    def client(self) -> Client:
        """Return a browser of this person's, that takes a fault for an answer."""
        client = Client(raise_request_exception=False)
        if self.user:
            client.force_login(self.user)
        return client


def make_people() -> list[Person]:
    """Make both projects and everybody: the lead and the annotator of the first one come first."""
    lead, other_lead = make_world("eggs", HERE), make_world("ham", ELSEWHERE)
    for word in PROJECTS:
        add_what_people_do(word)
    raters = {word: User.objects.get(username=f"{word}-rater") for word in PROJECTS}
    removed = make_user(name="who-was-removed")
    item = Item.objects.get(project__slug="eggs", external_id="old-0")
    make_rating(item=item, annotator=removed)
    Membership.objects.filter(user=removed).delete()
    models = tuple(f"{HERE}-{number}" for number in (1, 2))
    return [
        Person("the lead", lead, (ELSEWHERE,)),
        Person("the annotator", raters[HERE], (ELSEWHERE, *models)),
        Person("an admin", make_user(name="root", admin=True), ()),
        Person("a lead of others", other_lead, (HERE,)),
        Person("an annotator of others", raters[ELSEWHERE], (HERE,)),
        Person("who was removed", removed, (ELSEWHERE, *models)),
        Person("nobody", None, (HERE, ELSEWHERE)),
    ]


def add_what_people_do(word: str) -> None:
    """Add to a project what its people have begun."""
    now = timezone.now()
    project = Project.objects.get(slug=PROJECTS[word])
    lead, rater = (User.objects.get(username=f"{word}-{role}") for role in ("lead", "rater"))
    first, *_others, last = Item.objects.filter(project=project).order_by("pk")
    make_lease(item=first, annotator=rater, now=now)
    make_practice(project=project, annotator=rater, now=now)
    second = make_rating(item=last, annotator=make_user(name=f"{word}-second"))
    make_question(second, by=lead, text=word)
    make_token(owner=lead, project=project, name=word)
    address, role = (f"{word}@example.org", word), Membership.Role.ANNOTATOR
    Invitation.objects.invite(project, [address], role=role, by=lead, now=now)
    draft = {**rubric_columns("dialogue"), "title": word}
    RubricDraft.objects.start(draft, by=lead, now=now)
    StoredExport.objects.order(
        project, options="", file_name=f"{word}.csv", is_zipped=False, by=lead, now=now
    )
    client = Client()
    client.force_login(lead)
    items = f"id,prompt,model,response\n1,{word},{word}-1,{word}\n"
    file = SimpleUploadedFile(f"{word}.csv", items.encode())
    client.post(f"/projects/{project.slug}/upload/", {"file": file})
