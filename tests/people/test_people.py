"""A lead sees who is in a project, what each did in it, and changes what they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from tasks.agreement.results import result
from tasks.exporting.pseudonyms import pseudonyms_of
from tasks.models import Membership, Project, Workday
from tests.agreement.spelt_out import had
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_membership,
    make_project,
    make_rating,
    make_user,
)
from tests.invitations import make_link, path_of

PEOPLE = "/projects/p/people/"
COLUMNS = [
    *("Name", "Role", "Pseudonym", "Ratings", "Per day", "Median", "Hours"),
    "α with others Quality",
]


@pytest.fixture
def project(lead: User, ada: User, ben: User) -> Project:
    """With a lead, and two who rate."""
    return make_project(slug="p", leads=[lead], annotators=[ada, ben], wanted=2)


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in."""
    client.force_login(lead)
    return client


def cells(html: str) -> list[str]:
    found = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", html, re.S)
    return [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in found]


def table_of(client: Client) -> dict[str, list[str]]:
    """The cells of each row of the table of people, by the name in it."""
    page = client.get(PEOPLE).content.decode()
    found = re.search(r'<table class="rows people">(.*?)</table>', page, re.S)
    assert found
    head, _thead, body = found[1].partition("</thead>")
    rows = [cells(row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
    return {"": cells(head), **{row[0]: row for row in rows}}


def change(client: Client, person: User, role: str) -> str:
    """What the page says after a role was chosen."""
    answer = client.post(f"/projects/p/members/{person.pk}/", {"role": role}, follow=True)
    return re.sub(r"\s+", " ", answer.content.decode())


def roles_of(project: Project, person: User) -> list[str]:
    held = project.memberships.filter(user=person).order_by("role")
    return list(held.values_list("role", flat=True))


# --- the table ---


def test_a_person_has_one_row_with_their_figures_in_this_project(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    now = timezone.now()
    batch = make_batch(project=project)
    for value in (2, 4, 5, 7):
        item = make_item(batch=batch)
        for person, more in ((ben, 0), (ada, value % 2)):
            make_rating(
                item=item,
                annotator=person,
                now=now - timedelta(days=1),
                values={1: value, 2: value - more},
                active_seconds=60,
            )
    Workday.objects.filter(annotator=ada).update(seconds=5400)
    [dimension] = project.rubric.schema.dimensions
    made = had(result(project, dimension, now).result.main_figure)
    alpha = f"{made.value:.2f}"
    make_membership(project=project, user=ben, role=Membership.Role.LEAD)
    rows = table_of(here)
    assert rows[""][:8] == COLUMNS
    assert rows["ada"][2:8] == [pseudonyms_of(project)[ada.pk], "4", "", "1:00", "1.5", alpha]
    assert rows["ben"][2:4] == [pseudonyms_of(project)[ben.pk], "4"]
    assert rows["lea"][2:4] == ["does not rate in this project", "you"]
    assert list(rows) == ["", "ada", "ben", "lea"]
    page = here.get(PEOPLE).content.decode()
    assert re.findall(r'value="([\w+]+)" selected', page)[:3] == [
        "annotator",
        "annotator+lead",
        "lead",
    ]
    assert page.count('class="spark') == 2


def test_the_pages_head_counts_people_and_hours(here: Client, project: Project, ada: User) -> None:
    make_membership(project=project, user=ada, role=Membership.Role.LEAD)
    Workday.objects.create(
        project=project, annotator=ada, day="2026-03-02", rated=3, seconds=9000, recent=[]
    )
    page = re.sub(r"\s+", " ", here.get(PEOPLE).content.decode())
    assert "2 annotators · 2 leads · 2.5 hours so far" in page


def test_a_person_s_state_is_that_of_the_overview_or_of_their_account(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    new, closed = make_user(name="new"), make_user(name="off", is_active=False)
    for person in (new, closed):
        make_membership(project=project, user=person)
    User.objects.filter(pk__in=[ada.pk, ben.pk]).update(last_login=timezone.now())
    make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
    rows = table_of(here)
    assert {name: row[-2] for name, row in rows.items() if name} == {
        "ada": "rating now",
        "ben": "not started",
        "lea": "you",
        "new": "not started",
        "off": "account is inactive",
    }


def test_where_leads_see_no_names_with_agreement_no_pseudonym_stands_beside_a_name(
    here: Client, project: Project, ada: User
) -> None:
    make_rating(item=make_item(project=project), annotator=ada)
    assert "rater-1" in here.get(PEOPLE).content.decode()
    Project.objects.update(names_annotators=False)
    page = here.get(PEOPLE).content.decode()
    assert "rater-1" not in page
    assert "α with others" not in page
    assert "The agreement page shows pseudonyms in this project" in page


def test_a_lead_sees_nothing_of_what_a_person_does_elsewhere(
    here: Client, project: Project, ada: User
) -> None:
    now = timezone.now()
    other = make_project(slug="elsewhere", title="Secret study", annotators=[ada])
    make_rating(item=make_item(project=other), annotator=ada, now=now - timedelta(hours=1))
    make_lease(item=make_item(project=other), annotator=ada, now=now)
    Workday.objects.filter(project=other).update(seconds=36_000)
    seen = now - timedelta(days=400)
    User.objects.filter(pk=ada.pk).update(last_login=seen, email="ada@example.org")
    row = table_of(here)["ada"]
    assert row[2:] == ["–", "0", "", "–", "–", "–", "not started", "Remove ada"]
    page = here.get(PEOPLE).content.decode()
    told = ("Secret study", "elsewhere", "10.0", f"{seen:%Y}", "rating now", "ada@example.org")
    assert [each for each in told if each in page] == []


# --- roles ---


def test_a_role_is_chosen_in_the_row_and_the_work_stays(
    here: Client, project: Project, ada: User
) -> None:
    rating = make_rating(item=make_item(project=project), annotator=ada)
    assert "ada is now annotator and lead in this project." in change(here, ada, "annotator+lead")
    assert roles_of(project, ada) == ["annotator", "lead"]
    assert "ada is now lead in this project." in change(here, ada, "lead")
    assert roles_of(project, ada) == ["lead"]
    assert "ada is no longer in this project. All ratings stay." in change(here, ada, "none")
    assert roles_of(project, ada) == []
    assert project.ratings.get() == rating
    assert change(here, ada, "lead")  # pressed twice: nothing comes back
    assert roles_of(project, ada) == []


@pytest.mark.parametrize("role", ["none", "lead"])
def test_an_annotator_who_rates_no_more_gives_the_item_in_hand_back(
    here: Client, project: Project, ada: User, role: str
) -> None:
    lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
    change(here, ada, "annotator+lead")
    lease.refresh_from_db()
    assert lease.status == "live"
    change(here, ada, role)
    lease.refresh_from_db()
    assert lease.status == "removed"


def test_a_lead_is_warned_that_a_removed_member_can_come_back_by_a_link(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    assert "Withdraw the link if you do not want that" not in change(here, ada, "none")
    make_link(project)
    assert "Withdraw the link if you do not want that" in change(here, ben, "none")


def test_a_role_that_is_none_is_refused(here: Client, project: Project, ada: User) -> None:
    assert "Choose one of the roles, then press “Change”." in change(here, ada, "queen")
    assert roles_of(project, ada) == ["annotator"]


def test_the_last_lead_stays_whatever_is_chosen(here: Client, project: Project, lead: User) -> None:
    for role in ("annotator", "none"):
        assert "A project needs a lead: add another one first." in change(here, lead, role)
        assert roles_of(project, lead) == ["lead"]
    change(here, lead, "annotator+lead")
    assert roles_of(project, lead) == ["annotator", "lead"]


def test_a_lead_who_leads_no_more_comes_to_the_start_page(
    here: Client, project: Project, lead: User, ada: User
) -> None:
    change(here, ada, "annotator+lead")
    answer = here.post(f"/projects/p/members/{lead.pk}/", {"role": "annotator"})
    assert answer.headers["Location"] == "/"


# --- in a browser ---


def be(context: BrowserContext, person: User, site: str) -> Page:
    """A page in a browser in which somebody has logged in."""
    client = Client()
    client.force_login(person)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": site}])
    return context.new_page()


def test_without_javascript_a_role_is_changed_and_people_are_invited(
    new_context: Callable[..., BrowserContext],
    base_url: str,
    project: Project,
    lead: User,
    ada: User,
) -> None:
    page = be(new_context(java_script_enabled=False), lead, base_url)
    page.goto(PEOPLE)
    page.get_by_label("Role of ada").select_option("annotator and lead")
    page.get_by_role("button", name="Change ada").click()
    expect(page.get_by_text("ada is now annotator and lead in this project.")).to_be_visible()
    assert roles_of(project, ada) == ["annotator", "lead"]
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_label("Invitation link")).to_have_value(
        re.compile(rf"^{re.escape(base_url)}/join/\S+/$")
    )
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    page.get_by_label("One address a line").fill("gil@example.org, Gil\nhana@example.org")
    page.get_by_role("button", name="Check the list").click()
    page.get_by_role("button", name="Send 2 invitations").click()
    expect(page.get_by_text("2 invitations will be sent.")).to_be_visible()


def test_a_link_is_copied_by_a_button(
    new_context: Callable[..., BrowserContext], base_url: str, project: Project, lead: User
) -> None:
    link = make_link(project)
    page = be(new_context(permissions=["clipboard-read", "clipboard-write"]), lead, base_url)
    page.goto(PEOPLE)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{base_url}{path_of(link)}"
