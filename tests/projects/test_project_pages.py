"""What leads do with a project, over HTTP: see it, fill it, take its ratings, let people in."""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from rubrics.models import Rubric
from tasks.exporting import copying as exporting
from tasks.models import Batch, Membership, Project, Workday, new_projects
from tasks.models.new_projects import start_project
from tasks.models.project_settings import COPIED
from tasks.settings.forms import SettingsForm
from tests.cases import cases

from ..factories import (
    make_batch,
    make_item,
    make_membership,
    make_project,
    make_rating,
    make_rubric,
    make_user,
    rubric_document,
)

LEADS = [
    ("get", "/projects/p/"),
    ("get", "/projects/p/items/"),
    ("get", "/projects/p/upload/"),
    ("post", "/projects/p/upload/"),
    ("get", "/projects/p/people/"),
    ("post", "/projects/p/members/"),
    ("get", "/projects/p/hours.csv"),
    ("get", "/projects/p/export/"),
    ("get", "/projects/p/ratings.csv"),
]


@pytest.fixture
def project(lead: User) -> Project:
    """With a title that needs escaping, and a lead."""
    return make_project(slug="p", title="Tides & <moons>", leads=[lead], wanted=2)


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in."""
    client.force_login(lead)
    return client


def said(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def rows_of(page: str) -> list[list[str]]:
    """The cells of every row of a page's tables, without their markup."""
    return [
        [
            " ".join(re.sub(r"<[^>]+>", "", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", page, re.S)
    ]


# --- who sees it ---


@cases(("verb", "path"), LEADS)
def test_to_those_who_do_not_lead_it_a_project_does_not_exist(
    client: Client, project: Project, verb: str, path: str
) -> None:
    annotator, elsewhere = make_user(), make_user()
    make_membership(project=project, user=annotator)
    make_project(leads=[elsewhere])
    for person in (annotator, elsewhere):
        client.force_login(person)
        assert getattr(client, verb)(path).status_code == 404


@cases(("verb", "path"), LEADS)
def test_leads_and_admins_reach_a_project(
    client: Client, lead: User, project: Project, verb: str, path: str
) -> None:
    for person in (lead, make_user(admin=True)):
        client.force_login(person)
        assert getattr(client, verb)(path).status_code == 200


@cases(("verb", "path"), [*LEADS, ("get", "/projects/new/")])
def test_without_a_log_in_there_is_nothing(
    client: Client, project: Project, verb: str, path: str
) -> None:
    page = path if verb == "get" else "/projects/p/"  # what takes forms only is not come back to
    answer = getattr(client, verb)(path, headers={"Referer": "http://testserver/projects/p/"})
    assert answer.headers["Location"] == f"/accounts/login/?next={page}"


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("put", "/projects/p/upload/"),
        ("delete", "/projects/p/members/"),
        ("put", "/projects/p/status/"),
        ("post", "/projects/p/items/"),
        ("post", "/projects/p/ratings.csv"),
    ],
)
def test_an_address_refuses_the_method_that_it_does_not_serve(
    here: Client, verb: str, path: str
) -> None:
    assert getattr(here, verb)(path).status_code == 405


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/projects/p/members/", "/projects/p/people/"),
        ("/projects/p/status/", "/projects/p/"),
        ("/projects/p/duplicate/", "/projects/p/settings/"),
    ],
)
def test_the_address_of_a_form_leads_to_its_page(here: Client, path: str, page: str) -> None:
    assert here.get(path).headers["Location"] == page


# --- the page ---


def test_the_page_shows_how_far_each_batch_is(here: Client, project: Project) -> None:
    first, second = (
        make_batch(project=project, name="first"),
        make_batch(project=project, name="second"),
    )
    item = make_item(batch=first)
    make_item(batch=first)
    make_item(batch=second)
    make_rating(item=item)
    make_rating(item=item)
    page = here.get("/projects/p/items/").content.decode()
    assert rows_of(page.partition('class="all-batches"')[2]) == [
        ["Batch", "Items", "Finished", "Ratings", "Wanted"],
        ["first uploaded 2 Mar 2026", "2", "1", "2", "4"],
        ["second uploaded 2 Mar 2026", "1", "0", "0", "2"],
        ["All", "3", "1", "2", "6"],
    ]
    assert "Tides &amp; &lt;moons&gt;" in page
    page = here.get("/projects/p/").content.decode()
    assert '<a href="/projects/p/rubric/1/"' in page


def test_closed_batches_are_folded_below_the_others(here: Client, project: Project) -> None:
    for name, status in (("old", "closed"), ("now", "open"), ("older", "closed"), ("on", "paused")):
        make_item(batch=make_batch(project=project, name=name, status=status))
    page = here.get("/projects/p/items/").content.decode()
    _before, others, closed = page.split('<details class="all-batches">')
    assert "2 batches</summary>" in others
    assert [row[:2] for row in rows_of(others)[1:]] == [
        ["now uploaded 2 Mar 2026", "1"],
        ["on paused uploaded 2 Mar 2026", "1"],
        ["All", "2"],
    ]
    assert '<summary>Closed <span class="badge">2</span></summary>' in closed
    assert [row[:2] for row in rows_of(closed)[1:]] == [
        ["old uploaded 2 Mar 2026", "1"],
        ["older uploaded 2 Mar 2026", "1"],
        ["All", "2"],
    ]


def test_closed_batches_are_unfolded_where_there_are_no_others(
    here: Client, project: Project
) -> None:
    make_item(batch=make_batch(project=project, name="old", status="closed"))
    page = here.get("/projects/p/items/").content.decode()
    _before, closed = page.split('<details class="all-batches" open>')
    assert '<summary>Closed <span class="badge">1</span></summary>' in closed
    assert "batches</summary>" not in page


def test_batches_stand_in_the_order_in_which_they_were_uploaded(
    here: Client, project: Project
) -> None:
    for name in ("third", "first", "second"):
        make_item(batch=make_batch(project=project, name=name))
    # Not the order of the keys, and far from the positions that factories give.
    for position, name in enumerate(("first", "second", "third"), start=1_000_000):
        Batch.objects.filter(name=name).update(position=position)
    page = here.get("/projects/p/items/").content.decode()
    rows = rows_of(page.partition('class="all-batches"')[2])[1:-1]
    assert [row[0].split()[0] for row in rows] == ["first", "second", "third"]


def test_after_an_error_the_page_opens_where_it_stands(here: Client, project: Project) -> None:
    def focused(page: str) -> list[str]:
        return re.findall(r'<(?:input|select)[^>]* name="(\w+)"[^>]* autofocus', page)

    assert focused(here.get("/projects/p/upload/").content.decode()) == []
    answer = here.post("/projects/p/upload/", {"file": ""})
    assert focused(answer.content.decode()) == ["file"]
    page = here.post(
        "/projects/p/members/", {"name": "nobody", "role": "annotator"}
    ).content.decode()
    assert focused(page) == ["name"]


@pytest.mark.parametrize(
    "path", ["/projects/p/", "/projects/p/ratings.csv", "/rubrics/response-quality/1/"]
)
def test_a_page_that_answers_get_answers_head(here: Client, path: str) -> None:
    assert here.head(path).status_code == here.get(path).status_code == 200


def test_head_of_an_export_makes_no_export(
    here: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_rating(item=make_item(batch=make_batch(project=project)))
    monkeypatch.setattr(exporting, "connection", None)
    response = here.head("/projects/p/ratings.csv")
    assert response.headers["Content-Disposition"] == 'attachment; filename="p-scores.csv"'
    assert response.getvalue() == b""


def test_the_page_names_its_members(here: Client, project: Project) -> None:
    make_membership(project=project, user=make_user(name="ada"))
    page = here.get("/projects/p/people/").content.decode()
    assert [row[0] for row in rows_of(page)] == ["Name", "ada", "lea"]
    assert re.findall(r'<option value="(\w+)" selected>', page)[:2] == ["annotator", "lead"]


@pytest.mark.parametrize("tab", ["", "items/", "people/", "export/", "upload/", "settings/"])
def test_a_page_takes_as_many_queries_whatever_it_shows(
    here: Client, project: Project, tab: str
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            here.get(f"/projects/p/{tab}")
        return len(captured)

    def add() -> None:
        make_item(batch=make_batch(project=project))
        make_membership(project=project, user=make_user())

    add()
    queries()  # what is kept from then on
    one = queries()
    add()
    add()
    queries()  # what is kept of the new batches
    assert queries() == one


# --- the frame ---


def crumbs_of(page: str) -> list[str]:
    (nav,) = re.findall(r'<ol class="crumbs plain-list">(.*?)</ol>', page, re.S)
    return [re.sub(r"<[^>]+>", "", each).strip() for each in re.findall(r"<li.*?</li>", nav, re.S)]


def tab_of(page: str) -> list[str]:
    """The tabs that are marked as the current one, by what they are called."""
    (nav,) = re.findall(r'<nav class="project-tabs".*?</nav>', page, re.S)
    return re.findall(r'aria-current="\w+"\s*>(\w+)', nav)


@cases(
    ("address", "tab", "name"),
    [
        ("", "Overview", None),
        ("items/", "Items", "Items"),
        ("upload/", "Items", "Add items"),
        ("people/", "People", "People"),
        ("agreement/", "Agreement", "Agreement"),
        ("export/", "Export", "Export"),
        ("settings/", "Settings", "Settings"),
    ],
)
def test_a_page_of_a_project_says_where_it_is(
    here: Client, address: str, tab: str, name: str | None
) -> None:
    page = here.get(f"/projects/p/{address}").content.decode()
    assert tab_of(page) == [tab]
    assert crumbs_of(page) == ["Projects", "Tides &amp; &lt;moons&gt;", *([name] if name else [])]


def test_the_tabs_count_items_that_are_not_dropped_and_people_once(
    here: Client, lead: User, project: Project
) -> None:
    batch = make_batch(project=project)
    for number in range(3):
        make_item(batch=batch, dropped=not number)
    batch.recount()
    make_membership(project=project, user=lead, role=Membership.Role.ANNOTATOR)
    make_membership(project=project, user=make_user())
    page = here.get("/projects/p/items/").content.decode()
    assert re.findall(r'(\w+) <span class="badge">(\d+)</span>', page) == [
        ("Items", "2"),
        ("People", "2"),
    ]


@pytest.mark.parametrize(
    ("status", "others"),
    [
        ("open", ["paused", "closed"]),
        ("paused", ["open", "closed"]),
        ("closed", ["open", "paused", "archived"]),
    ],
)
def test_a_lead_pauses_closes_and_opens_a_project(
    here: Client, project: Project, status: str, others: list[str]
) -> None:
    Project.objects.update(status=status)
    page = here.get("/projects/p/").content.decode()
    assert re.findall(r'name="status" value="(\w+)"', page) == others
    for other in others:
        response = here.post("/projects/p/status/", {"status": other})
        assert said(response)[-1] == f"The project is {other}."
        project.refresh_from_db()
        assert project.status_in_words == other
        assert project.status == {"archived": "closed"}.get(other, other)


def test_an_archived_project_is_closed_and_on_no_start_page(
    here: Client, project: Project, lead: User
) -> None:
    make_membership(project=project, user=lead)
    project.archive(now=timezone.now())
    page = here.get("/").content.decode()
    assert page.count("Tides") == 2  # who rates there keeps the way to their ratings
    [archived] = re.findall(r'<details class="archived">.*?</details>', page, re.S)
    assert '<a href="/projects/p/">Tides &amp; &lt;moons&gt;</a>' in archived
    page = here.get("/projects/p/").content.decode()
    assert "archived" in page
    assert re.findall(r'name="status" value="(\w+)"', page) == ["open", "paused", "closed"]
    assert said(here.post("/projects/p/status/", {"status": "open"})) == ["The project is open."]
    page = here.get("/").content.decode()
    assert '<details class="archived">' not in page
    assert page.count("Tides") > 1


def test_a_project_that_is_opened_by_its_settings_is_not_archived(
    here: Client, project: Project
) -> None:
    project.archive(now=timezone.now())
    for status in ("closed", "open"):
        project.change(
            wanted=2, overlap_percent=0, overlap_wanted=3, grouping="free", status=status
        )
        project.refresh_from_db()
        assert bool(project.archived_at) == (status == "closed")


def test_settings_that_are_saved_beside_an_archive_leave_it_archived(project: Project) -> None:
    """A lead has the form open, and its values are stored after another lead's archive."""
    form = SettingsForm(instance=project)
    sent = {each.html_name: each.value() for each in form if each.value() is not None}
    sent |= {each.html_initial_name: each.value() for each in form if each.value() is not None}
    form = SettingsForm(sent | {"lease_minutes": 90}, instance=Project.objects.get())
    assert form.is_valid()
    project.archive(now=timezone.now())
    form.instance.change(**form.changes())
    project.refresh_from_db()
    assert (project.lease_minutes, project.status) == (90, "closed")
    assert project.archived_at


def test_a_status_that_there_is_none_of_is_refused(here: Client, project: Project) -> None:
    response = here.post("/projects/p/status/", {"status": "gone"})
    assert said(response) == ["Choose one of the buttons, such as pause or close."]
    project.refresh_from_db()
    assert project.status == "open"


# --- settings ---


def section_of(page: str, name: str) -> str:
    label = rf'aria-labelledby="{name}(?:-title)?"'
    [found] = re.findall(rf'<form class="settings"[^>]* {label}.*?</form>', page, re.S)
    return str(found)


def test_settings_are_grouped_and_rare_ones_are_folded(here: Client) -> None:
    page = here.get("/projects/p/settings/").content.decode()
    names = {
        group: re.findall(r' name="(\w+)"', section_of(page, group).partition("<details")[0])
        for group in ("project", "ratings", "practice", "turns", "desk", "corrections", "status")
    }
    assert {
        group: {*fields} - {"group", "csrfmiddlewaretoken"} for group, fields in names.items()
    } == {
        "project": {"title", "introduction"},
        "status": {"status"},
        "ratings": {"wanted"},
        "practice": {"practice", "practice_examples"},
        "turns": {"order", "most_daily"},
        "desk": {"view", "consequences", "search_address"},
        "corrections": {"correction_hours"},
    }
    folded = [
        set(re.findall(r' name="(\w+)"', each))
        for each in re.findall(r"<details>.*?</details>", page, re.S)
    ]
    assert folded[:4] == [
        {"overlap_percent", "overlap_wanted"},
        {"practice_near", "practice_tries"},
        {"grouping", "most_warned_daily"},
        {"lease_minutes"},
    ]


def test_a_folded_setting_that_is_wrong_is_unfolded(here: Client) -> None:
    page = here.post(
        "/projects/p/settings/", {"lease_minutes": "1", "grouping": "free"}
    ).content.decode()
    assert "<details open" in section_of(page, "desk")
    assert "<details open" not in section_of(page, "turns")


def test_settings_say_what_the_ratings_cost(here: Client, project: Project) -> None:
    def told() -> str:
        page = here.get("/projects/p/settings/").content.decode()
        head = section_of(page, "ratings").partition('<div class="fields">')[0]
        return " ".join(re.sub(r"<[^>]+>", " ", head).split())

    said = "Ratings No rating is lost: if you ask for fewer, items keep the ratings they have."
    assert told() == said
    batch = make_batch(project=project)
    for _ in range(30):
        make_item(batch=batch)
    assert told() == f"{said} 30 items × 2 = 60 ratings"
    make_rating(item=batch.items.all()[0])
    Workday.objects.update(recent=[360] * 10)
    cost = "30 items × 2 = 60 ratings · about 6 h · one more rating of each: 3 h"
    assert told() == f"{said} {cost}"
    Workday.objects.update(recent=[60] * 10)
    assert told().endswith("one more rating of each: 30 min")
    project.change(wanted=1, overlap_percent=100, overlap_wanted=2)
    assert told().startswith(f"{said} 30 items, 60 ratings in all")


def test_a_duplicate_has_the_settings_and_people_and_no_items(
    here: Client, lead: User, project: Project
) -> None:
    ada = make_user(name="ada")
    make_membership(project=project, user=ada)
    make_item(project=project)
    changed = {
        "wanted": 5,
        "overlap_percent": 20,
        "overlap_wanted": 7,
        "order": "shuffled",
        "grouping": "spread",
        "view": "text",
        "lease_minutes": 12,
        "most_daily": 8,
        "most_warned_daily": 2,
        "search_address": "https://find.example/?q={claim}",
        "correction_hours": 3,
        "status": "closed",
    }
    Project.objects.filter(pk=project.pk).update(**changed)
    response = here.post("/projects/p/duplicate/", {"title": "Moons, round 2"})
    assert response.headers["Location"] == "/projects/moons-round-2/"
    assert said(response) == ["“Moons, round 2” has the same settings and people."]
    made = Project.objects.get(slug="moons-round-2")
    as_settings = {name: getattr(made, name) for name in changed}
    assert as_settings == changed | {"status": "open"}
    assert (made.rubric, made.created_by) == (project.rubric, lead)
    assert set(made.memberships.values_list("user__username", "role")) == {
        ("ada", "annotator"),
        ("lea", "lead"),
    }
    assert not made.items.exists()


def test_a_duplicate_needs_a_title(here: Client) -> None:
    response = here.post("/projects/p/duplicate/", {"title": " "})
    page = response.content.decode()
    assert "This field is required." in section_of(page, "duplicate")
    assert "errorlist" not in section_of(page, "ratings")
    assert Project.objects.count() == 1


def test_the_settings_have_the_names_of_the_trade_and_are_saved(here: Client) -> None:
    page = here.get("/projects/p/settings/").content.decode()
    names = re.findall(r'<(?:legend|label for="id_\w+[a-z]")>([^<]+)</', page)
    assert [html.unescape(name) for name in names] == [
        "Title",
        "Introduction",
        "Ratings wanted of each item",
        "Overlap, in percent of the items",
        "Ratings wanted of items in the overlap",
        "Practice on the rubric’s examples",
        "Examples in a round",
        "How many scores must be within one",
        "Rounds in which one can pass",
        "Order of the items",
        "Items per person and day",
        "Items with the same conversation",
        "Items with a warning per person and day",
        "Default text view",
        "Consequences",
        "Search address for claims",
        "Minutes for which an item is reserved",
        "Hours in which a rating can be corrected",
        "Decide before seeing the answers",
        "Checks of Quality",
        "Name annotators on the agreement page",
        "Show annotators how far they agree with the others",
        "Status of the project",
    ]
    saves = re.findall(r'<button class="secondary" name="group" value="(\w+)">Save<', page)
    assert saves == [
        *("project", "ratings", "practice", "turns", "desk", "corrections", "disagreements"),
        *("names", "status"),
    ]


def test_a_lead_renames_a_project_and_its_address_stays(here: Client, project: Project) -> None:
    form = SettingsForm(instance=project)
    shown = {each.html_name: each.value() for each in form if each.value() is not None}
    here.post("/projects/p/settings/", shown | {"title": "Moons"})
    page = here.get("/projects/p/settings/").content.decode()
    assert "<title>Settings: Moons" in page
    assert page.count('id="id_title"') == 1


def test_the_page_of_a_batch_has_a_button_that_saves(here: Client, project: Project) -> None:
    batch = make_batch(project=project)
    page = here.get(f"/projects/p/batches/{batch.pk}/").content.decode()
    assert '<button class="primary">Save</button>' in page


def test_every_setting_of_a_project_is_copied_or_its_own() -> None:
    own = {
        "archived_at",
        "id",
        "slug",
        "title",
        "rubric",
        "status",
        "wanted",
        "seed",
        "created_by",
        "created_at",
        "form_key",
        "imported",
    }
    fields = {field.name for field in Project._meta.concrete_fields}
    assert fields - own == set(COPIED)


# --- exporting ---


def test_ratings_come_as_a_file_with_every_text_as_it_is(here: Client, project: Project) -> None:
    make_rating(item=make_item(project=project, responses=["x"]), comments={1: "=1+1"})
    response = here.get("/projects/p/ratings.csv")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="p-scores.csv"'
    (row,) = csv.DictReader(io.StringIO(response.getvalue().decode()))
    assert row["comment"] == "=1+1"


# --- members ---


def add(client: Client, **fields: str) -> Any:
    return client.post("/projects/p/members/", fields)


def test_a_person_is_added_by_name_whatever_its_case(here: Client, project: Project) -> None:
    ada = make_user(name="Ada")
    response = add(here, name="ada", role="annotator")
    assert (response.status_code, response.headers["Location"]) == (302, "/projects/p/people/")
    assert said(response) == ["Ada is now annotator in this project."]
    assert Membership.objects.filter(project=project, user=ada, role="annotator").exists()
    assert (
        said(add(here, name="ada", role="annotator"))[-1]
        == "Ada is annotator in this project already."
    )
    add(here, name="ada", role="lead")
    assert Membership.objects.filter(project=project, user=ada).count() == 2


def test_a_name_adds_nobody_whose_name_only_looks_alike_in_upper_case(
    here: Client, project: Project
) -> None:
    make_user(name="ılk")
    assert "There is no account named “ilk”." in add(here, name="ilk", role="lead").content.decode()
    ilk = make_user(name="ilk")
    add(here, name="ilk", role="lead")
    assert project.memberships.filter(role="lead", user=ilk).exists()


def test_a_name_that_nobody_has_and_a_role_that_is_none_are_errors(here: Client) -> None:
    response = add(here, name="<nobody>", role="queen")
    assert response.status_code == 200
    page = response.content.decode()
    assert "There is no account named “&lt;nobody&gt;”." in page
    assert "queen is not one of the available choices." in page
    assert Membership.objects.count() == 1


# --- new projects ---


def test_a_lead_can_start_another_project_and_leads_it(here: Client, lead: User) -> None:
    dialogue = make_rubric(slug="dialogue")
    assert here.get("/projects/new/").status_code == 200
    response = here.post(
        "/projects/new/", {"title": "Tides & <moons>", "rubric": str(dialogue.pk), "wanted": "5"}
    )
    assert response.headers["Location"] == "/projects/tides-moons/"
    made = Project.objects.get(slug="tides-moons")
    assert (made.title, made.rubric, made.wanted, made.created_by) == (
        "Tides & <moons>",
        dialogue,
        5,
        lead,
    )
    assert list(made.memberships.values_list("user", "role")) == [(lead.pk, "lead")]


def test_titles_that_read_alike_get_addresses_of_their_own(here: Client, project: Project) -> None:
    addresses = [
        here.post(
            "/projects/new/", {"title": title, "rubric": str(project.rubric_id), "wanted": "1"}
        ).headers["Location"]
        for title in ("Moons", "moons!", "New", "…")
    ]
    assert addresses == [
        "/projects/moons/",
        "/projects/moons-2/",
        "/projects/new-2/",
        "/projects/project/",
    ]


def test_a_shipped_rubric_is_a_template_before_it_was_loaded(client: Client, db: None) -> None:
    client.force_login(make_user(admin=True))
    page = client.get("/projects/new/").content.decode()
    assert re.findall(r'name="rubric" value="([^"]*)"', page)[:2] == [
        "response-quality",
        "dialogue",
    ]
    assert "How good is this response" in page
    for scale in ("Quality", "Persona consistency", "Coherence", "Diversity"):
        assert f"{scale} 1–5" in page
    client.post("/projects/new/", {"title": "Chats", "rubric": "dialogue", "wanted": "2"})
    made = Project.objects.get(slug="chats")
    assert (made.rubric.slug, made.rubric.version) == ("dialogue", 1)


def test_a_template_brings_the_settings_that_its_card_names(here: Client) -> None:
    dialogue = make_rubric(slug="dialogue")
    page = here.get("/projects/new/").content.decode()
    assert (
        "Texts are shown as typed, without formatting. An item is reserved for 30 minutes." in page
    )
    assert "rendered: Markdown, code and formulas. An item is reserved for 45 minutes." in page
    here.post("/projects/new/", {"title": "Chats", "rubric": str(dialogue.pk), "wanted": "2"})
    made = Project.objects.get(slug="chats")
    assert (made.view, made.lease_minutes) == ("text", 30)


def test_a_rubric_that_someone_loaded_is_a_template_with_the_usual_settings(
    here: Client,
) -> None:
    written = replace(rubric_document("dialogue"), slug="tone", title="Tone of voice")
    Rubric.objects.load(written, now=timezone.now())
    page = here.get("/projects/new/").content.decode()
    assert "Tone of voice, version 1" in page
    tone = Rubric.objects.get(slug="tone")
    here.post("/projects/new/", {"title": "Calls", "rubric": str(tone.pk), "wanted": "2"})
    made = Project.objects.get(slug="calls")
    assert (made.rubric, made.view, made.lease_minutes) == (tone, "rendered", 30)


def test_a_form_that_is_sent_twice_makes_one_project(here: Client, project: Project) -> None:
    page = here.get("/projects/new/").content.decode()
    [key] = re.findall(r'name="form_key" value="([0-9a-f]{32})"', page)
    sent = {"title": "Moons", "rubric": str(project.rubric_id), "wanted": "1", "form_key": key}
    addresses = [here.post("/projects/new/", sent).headers["Location"] for _ in range(2)]
    assert addresses == ["/projects/moons/"] * 2
    assert Project.objects.filter(title="Moons").count() == 1
    other = here.post("/projects/new/", sent | {"title": "Tides"})
    assert said(other) == [
        "You already created “Moons” with this form. To create another project, open “New project”."
    ]
    client = Client()
    client.force_login(make_user(admin=True))
    client.post("/projects/new/", sent)  # another person's form, whatever its key
    assert Project.objects.filter(title="Moons").count() == 2


def test_a_project_is_duplicated_once_by_two_clicks(here: Client, project: Project) -> None:
    page = here.get("/projects/p/settings/").content.decode()
    [key] = re.findall(r'name="form_key" value="([0-9a-f]{32})"', page)
    sent = {"title": "Again", "form_key": key}
    assert here.post("/projects/p/duplicate/", sent).status_code == 302
    Project.objects.filter(slug="again").update(order="shuffled")
    assert here.post("/projects/p/duplicate/", sent).headers["Location"] == "/projects/again/"
    assert Project.objects.filter(title="Again").count() == 1
    assert Project.objects.get(slug="again").order == "shuffled"


def test_an_admin_can_open_a_project_and_an_annotator_cannot(
    client: Client, project: Project
) -> None:
    client.force_login(make_user(admin=True))
    assert client.get("/projects/new/").status_code == 200
    annotator = make_user()
    make_membership(project=project, user=annotator)
    client.force_login(annotator)
    assert client.get("/projects/new/").status_code == 403
    assert client.post("/projects/new/", {"title": "x"}).status_code == 403


def test_a_project_that_is_not_filled_in_is_not_opened(here: Client) -> None:
    response = here.post("/projects/new/", {"title": " ", "rubric": "0", "wanted": "0"})
    assert response.status_code == 200
    page = response.content.decode()
    assert "This field is required." in page
    assert "Select a valid choice" in page
    assert "greater than or equal to 1" in page
    assert Project.objects.count() == 1


# --- what cannot be read ---


def test_a_request_that_cannot_be_read_is_told_so_on_a_page(here: Client) -> None:
    fields = {
        f"field-{number}": "x" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)
    }
    response = here.post("/projects/p/members/", fields)
    assert response.status_code == 400
    assert "<h1>We could not read this</h1>" in response.content.decode()


# --- the admin's pages ---


def test_an_admin_only_looks_at_rubrics(client: Client, db: None) -> None:
    rubric = make_rubric()
    client.force_login(make_user(admin=True))
    page = f"/admin/rubrics/rubric/{rubric.pk}/change/"
    assert client.get("/admin/rubrics/rubric/").status_code == 200
    assert client.get(page).status_code == 200
    assert client.post(page, {"title": "x"}).status_code == 403


# --- people ---


def test_a_removed_annotator_gets_no_more_items_and_their_ratings_stay(
    client: Client, lead: User, ada: User
) -> None:
    project = make_project(slug="p", leads=[lead], annotators=[ada])
    rating = make_rating(item=make_item(project=project), annotator=ada)
    client.force_login(lead)
    client.post(f"/projects/p/members/{ada.pk}/", {"role": "none"})
    assert not project.memberships.filter(user=ada).exists()
    assert project.ratings.get() == rating
    desk = Client()
    desk.force_login(ada)
    assert desk.get("/projects/p/desk/").status_code == 404


def test_the_last_lead_with_an_active_account_stays(client: Client, lead: User) -> None:
    gone = make_user(name="gone", is_active=False)
    project = make_project(slug="p", leads=[lead, gone])
    client.force_login(lead)
    answer = client.post(f"/projects/p/members/{lead.pk}/", {"role": "none"}, follow=True)
    assert "A project needs a lead" in answer.content.decode()
    assert project.memberships.filter(user=lead).exists()


def test_hours_are_a_file_with_a_line_for_each_day_and_person(
    client: Client, lead: User, ada: User
) -> None:
    project = make_project(slug="p", leads=[lead], annotators=[ada])
    for day, seconds in (("2026-03-02", 5400), ("2026-03-03", 60)):
        Workday.objects.create(
            project=project, annotator=ada, day=day, rated=3, seconds=seconds, recent=[]
        )
    client.force_login(lead)
    file = b"".join(client.get("/projects/p/hours.csv")).decode()
    assert file.splitlines() == [
        "day,annotator,ratings,active_seconds,hours",
        "2026-03-02,ada,3,5400,1.50",
        "2026-03-03,ada,3,60,0.02",
    ]
    page = client.get("/projects/p/people/").content.decode()
    [row] = [row for row in rows_of(page) if row[0] == "ada"]
    assert row[6] == "1.5"


def test_a_head_request_for_hours_reads_no_days(here: Client) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert here.head("/projects/p/hours.csv").status_code == 200
    assert not [query for query in captured if "tasks_workday" in query["sql"]]


def test_someone_with_an_inactive_account_is_named_so(
    client: Client, lead: User, ada: User
) -> None:
    make_project(slug="p", leads=[lead], annotators=[ada])
    User.objects.filter(pk=ada.pk).update(is_active=False)
    client.force_login(lead)
    assert "account is inactive" in client.get("/projects/p/people/").content.decode()


def test_a_project_whose_slug_was_taken_meanwhile_gets_the_next_one(lead: User) -> None:
    make_project(slug="moons")
    with mock.patch.object(new_projects, "_free_slugs", return_value=iter(["moons", "moons-2"])):
        made = start_project(
            title="Moons", rubric=make_rubric(), wanted=1, by=lead, now=timezone.now()
        )
    assert made.slug == "moons-2"
    assert made.memberships.get().user == lead
