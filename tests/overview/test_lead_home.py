"""A lead's start page: a row for each project, from stored figures only."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric
from tasks.agreement import results
from tasks.agreement.results import result
from tasks.models import Invitation, Project, Score
from tasks.overview.project_rows import rows_of
from tests.agreement.spelt_out import had
from tests.factories import make_item, make_lease, make_project, make_rating, make_user
from tests.invitations import DAY, make_email

pytestmark = pytest.mark.django_db


@pytest.fixture
def lea() -> User:
    return make_user(name="lea")


@pytest.fixture
def here(client: Client, lea: User) -> Client:
    client.force_login(lea)
    return client


def words(part: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", part))).strip()


def rows(here: Client) -> dict[str, list[str]]:
    """Title → the cells after it: progress, today, done, people, agreement, what needs the lead."""
    table = here.get("/").content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    found = {}
    for row in re.findall(r"<tr>.*?</tr>", table, re.S):
        [title] = re.findall(r"<th.*?<a[^>]*>(.*?)</a>", row, re.S)
        found[words(title)] = [words(cell) for cell in re.findall(r"<td.*?</td>", row, re.S)]
    return found


def study(title: str, lea: User, *, items: int, left: int, days: int = 5) -> Project:
    """A project in which two people have rated some items, an item a day up to yesterday."""
    people = [make_user(), make_user()]
    project = make_project(title=title, leads=[lea], annotators=people, wanted=2)
    for number in range(items):
        at = timezone.now() - DAY * (days - number % days)
        item = make_item(project=project)
        for person, more in zip(people, (0, number % 2), strict=True):
            value = 1 + (number % 5) + more
            make_rating(item=item, annotator=person, now=at, submitted_at=at, values={1: value})
    for _item in range(left):
        make_item(project=project)
    return project


def test_a_row_says_how_far_when_done_who_and_how_well_people_agree(
    here: Client, lea: User
) -> None:
    going, complete = study("Going", lea, items=10, left=4), study("Done", lea, items=6, left=0)
    make_project(title="Empty", leads=[lea])
    make_item(project=make_project(title="Alone", leads=[lea]))
    quiet = study("Quiet", lea, items=1, left=1)
    quiet.change_status("paused")
    few = make_project(title="Few", leads=[lea], wanted=1)
    make_rating(item=make_item(project=few))
    few.change_status("closed")
    for project in (few, going, complete):
        [dimension] = project.rubric.schema.dimensions
        figures = result(project, dimension, timezone.now()).result
    found = rows(here)
    progress, today, done, people, alpha, needs = found["Going"]
    assert (progress, today, people, needs) == ("20 of 28", "–", "2", "nothing")
    assert re.fullmatch(r"about \d+ \w+( \d+ \w+ (to \d+ \w+|or later))?", done)
    assert re.fullmatch(r"α \d\.\d\d \S+ to \S+ Quality", alpha)
    progress, _today, done, _people, alpha, needs = found["Done"]
    assert (progress, needs) == ("all 12", "ready to export")
    assert re.fullmatch(r"\d+ \w+ \d{4}", done)
    assert alpha.startswith(f"α {had(figures.main_figure).value:.2f}")
    assert found["Empty"] == ["no items yet", "–", "–", "0", "–", "no items"]
    assert found["Alone"][2:] == ["nobody rates", "0", "–", "nobody rates"]
    assert found["Quiet"][2:] == ["paused", "2", "not computed yet", "nothing"]
    assert found["Few"][4] == "too few"
    assert "4 running · 0 ratings today" in words(here.get("/").content.decode())
    make_rating(item=going.items.filter(counted=0)[0], annotator=lea, now=timezone.now())
    assert "4 running · 1 rating today by 1 person" in words(here.get("/").content.decode())


def test_of_several_dimensions_the_lowest_alpha_is_shown_with_its_name(
    here: Client, lea: User
) -> None:
    rubric = Rubric.objects.load(shipped("helpsteer2"), now=timezone.now())[0]
    people = [make_user(), make_user()]
    project = make_project(title="Five", rubric=rubric, leads=[lea], annotators=people, wanted=2)
    for number in range(6):
        item = make_item(project=project)
        for person in people:
            make_rating(item=item, annotator=person, values={1: number % 5, 2: 4 - number % 5})
    apart = Score.objects.filter(dimension="coherence", rating__annotator=people[1])
    apart.update(value=F("value") / 2)
    results.renew(project, timezone.now())
    assert re.fullmatch(r"α 0\.\d\d \S+ to \S+ Coherent , lowest of 5", rows(here)["Five"][4])


def test_the_work_that_waits_is_a_link_to_where_it_is_done(here: Client, lea: User) -> None:
    project = study("Going", lea, items=1, left=1)
    make_lease(item=make_item(project=project), annotator=make_user()).flag(
        reason="broken", note="", now=timezone.now()
    )
    email = make_email(project)
    Invitation.objects.filter(pk=email.pk).update(fault="550 no such user")
    assert rows(here)["Going"][-1] == "1 flag or skip 1 invitation not delivered"
    page = here.get("/").content.decode()
    for part in ("items/?flagged=on", "people/#invitations"):
        assert f'href="/projects/{project.slug}/{part}"' in page


def test_archived_projects_are_folded_and_who_rates_too_sees_both_parts(
    here: Client, lea: User
) -> None:
    for title in ("Old", "Older"):
        make_project(title=title, leads=[lea]).archive(now=timezone.now())
    both = make_project(title="Both", leads=[lea], annotators=[lea])
    make_item(project=both)
    page = here.get("/").content.decode()
    assert list(rows(here)) == ["Both"]
    assert "2 archived projects" in words(page)
    assert '<article class="card project"' in page
    assert page.index("<article") < page.index('class="rows projects"')


def test_an_admin_reads_that_the_list_is_of_all_projects(client: Client, lea: User) -> None:
    make_project(title="Going", leads=[lea])
    for person, title in ((make_user(admin=True), "All projects"), (lea, "You lead")):
        client.force_login(person)
        page = client.get("/").content.decode()
        assert words(re.findall(r'<h2 id="leading-title">.*?</h2>', page, re.S)[0]) == title


def test_the_rows_take_as_many_queries_for_twelve_projects_as_for_two(lea: User) -> None:
    def asked() -> list[str]:
        projects = list(Project.objects.led_by(lea).select_related("rubric"))
        with CaptureQueriesContext(connection) as seen:
            rows_of(projects, timezone.now())
        return [each["sql"] for each in seen]

    for number in range(2):
        study(f"A{number}", lea, items=1, left=1)
    few = asked()
    for number in range(10):
        study(f"B{number}", lea, items=1, left=1)
    many = asked()
    assert len(few) == len(many) == 8
    assert not any("tasks_rating" in each or "tasks_item" in each for each in many)
