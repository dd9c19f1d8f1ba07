"""Settings save by group, an introduction is read once, and a second title is asked about."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from annotators.templatetags.links import open_links
from tasks.models import Lease, Project, Rating, Upload
from tasks.models.new_projects import duplicate_project
from tasks.queue.allocation import take_next
from tasks.settings.forms import SettingsForm

from ..desk_steps import (
    HTMX,
    scored,
)
from ..factories import (
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_user,
)
from ..invitations import make_email
from ..waiting import at_once

pytestmark = pytest.mark.django_db


def test_a_second_project_of_the_same_title_is_asked_about(client: Client, lead: User) -> None:
    rubric = make_rubric()
    make_project(slug="led", leads=[lead])
    client.force_login(lead)
    sent = {"title": "Moons", "rubric": str(rubric.pk), "wanted": "1", "form_key": "a" * 32}
    for _ in range(2):  # a double click
        assert client.post("/projects/new/", sent).headers["Location"] == "/projects/moons/"
    Project.objects.filter(slug="moons").update(created_at=timezone.now() - timedelta(minutes=1))
    for key in ("a" * 32, "b" * 32):  # by Back and Create again, and by a new form
        page = client.post("/projects/new/", sent | {"form_key": key}).content.decode()
        assert '<a href="/projects/moons/">Moons</a>' in page
        assert "Create another one" in page
        assert key not in page
    assert Project.objects.filter(title="Moons").count() == 1
    client.post("/projects/new/", sent | {"form_key": "c" * 32, "another": ""})
    assert Project.objects.filter(title="Moons").count() == 2


def test_a_duplicate_of_the_same_title_is_asked_about_too(client: Client, lead: User) -> None:
    project = make_project(slug="eggs", title="Eggs", leads=[lead])
    Project.objects.update(created_by=lead, created_at=timezone.now() - timedelta(minutes=1))
    client.force_login(lead)
    page = client.post("/projects/eggs/duplicate/", {"title": project.title}).content.decode()
    assert '<a href="/projects/eggs/">Eggs</a>' in page
    assert Project.objects.count() == 1
    client.post("/projects/eggs/duplicate/", {"title": project.title, "another": ""})
    assert Project.objects.count() == 2


# --- a group saves by itself ---


def test_a_group_saves_by_itself_and_says_what_is_wrong_in_its_own_place(
    client: Client, lead: User
) -> None:
    project = make_project(slug="eggs", leads=[lead])
    client.force_login(lead)
    sent = {"group": "ratings", "wanted": "5", "overlap_percent": "0", "overlap_wanted": "3"}
    saved = client.post("/projects/eggs/settings/", sent | {"title": "Not of this group"})
    assert saved.headers["Location"] == "/projects/eggs/settings/?saved=ratings#ratings"
    project.refresh_from_db()
    assert (project.wanted, project.title) == (5, project.title)
    page = client.get(saved.headers["Location"]).content.decode()
    own = page[page.index('id="ratings"') : page.index('id="turns"')]
    assert "Saved." in own
    assert page.count("Saved.") == 1
    refused = client.post(
        "/projects/eggs/settings/", sent | {"wanted": "0", "overlap_percent": "9"}
    )
    page = refused.content.decode()
    own = page[page.index('id="ratings"') : page.index('id="turns"')]
    assert "greater than or equal to 1" in own
    assert 'value="9"' in own
    assert page.count('class="errorlist"') == 1
    project.refresh_from_db()
    assert (project.wanted, project.overlap_percent) == (5, 0)
    assert f"<h1>{project.title}" not in page


def test_the_settings_name_the_rubric_and_say_what_each_group_is_for(
    client: Client, lead: User
) -> None:
    project = make_project(slug="eggs", leads=[lead])
    client.force_login(lead)
    page = client.get("/projects/eggs/settings/").content.decode()
    assert f'href="/projects/eggs/rubric/{project.rubric.version}/"' in page
    assert f"{project.rubric.title}, version {project.rubric.version}" in page
    groups = [*SettingsForm(instance=project).groups]
    assert len(groups) > 5
    for group in groups:
        assert str(group.words.why) in html.unescape(page)
        assert str(group.words.after) in html.unescape(page)
    folds = re.findall(r"<summary>(.*?)</summary>", page)
    assert folds[:4] == [
        *("Another number for a random part", "When a round is passed"),
        *("Groups and warnings", "How long an item is reserved"),
    ]
    assert "Rarely changed" not in page


def test_the_groups_of_settings_have_every_field_of_the_form() -> None:
    names: list[str] = []
    for group in SettingsForm.GROUPS.values():
        names += [*group.usual, *group.rare]
    assert sorted(names) == sorted(SettingsForm.Meta.fields)


# --- an introduction ---


@pytest.fixture
def desk(client: Client) -> Client:
    client.force_login(make_user(name="ada"))
    return client


def introduced(text: str = "Rate <b>eggs</b>.\n\nAsk lea.") -> Project:
    lea, ada = make_user(name="lea"), User.objects.get(username="ada")
    project = make_project(slug="eggs", leads=[lea], annotators=[ada])
    for _item in range(3):
        make_item(project=project)
    hers = Client()
    hers.force_login(lea)
    sent = {"group": "project", "title": project.title, "introduction": text}
    assert hers.post("/projects/eggs/settings/", sent).status_code == 302
    return project


def read(desk: Client) -> None:
    page = desk.get("/projects/eggs/desk/").content.decode()
    [shown] = re.findall(r'name="introduced" value="([^"]+)"', page)
    desk.post("/projects/eggs/desk/start/", {"introduced": shown})


def test_a_link_in_an_introduction_stands_with_its_address() -> None:
    text = "See https://exаmple.org/a and https://example.org/b or \u202ewww.example.org <b>."
    shown = open_links(text)
    assert ">https://exаmple.org/a (https://ex%D0%B0mple.org/a)</a>" in shown
    assert ">https://example.org/b</a>" in shown
    assert ">www.example.org</a> &lt;b&gt;." in shown
    assert "\u202e" not in shown


def test_an_introduction_is_read_once_per_change_before_the_next_item(desk: Client) -> None:
    project = introduced()
    assert "Rate &lt;b&gt;eggs&lt;/b&gt;." in desk.get("/").content.decode()
    desk.post("/projects/eggs/desk/start/")
    assert not Lease.objects.exists()
    page = desk.get("/projects/eggs/desk/").content.decode()
    assert "Rate &lt;b&gt;eggs&lt;/b&gt;." in page
    assert "Go on to rating" in page
    desk.post("/projects/eggs/desk/start/", {"introduced": "2020-01-01T00:00:00+00:00"})
    assert not Lease.objects.exists(), "she read an older text"
    read(desk)
    lease = Lease.objects.get()
    # A change meanwhile: what is on the desk stays there, and what is submitted is stored first.
    Project.objects.update(introduction="Anew.", introduced_at=timezone.now())
    assert desk.get("/projects/eggs/desk/").context["lease"] == lease
    sent = scored(lease)
    page = desk.post(f"/projects/eggs/desk/{lease.pk}/submit/", sent, headers=HTMX).content.decode()
    assert Rating.objects.count() == 1
    assert "Anew." in page
    assert not Lease.objects.filter(status="live").exists()
    read(desk)
    assert Lease.objects.filter(status="live").count() == 1
    project.refresh_from_db()
    made = duplicate_project(
        project, title="More", by=User.objects.get(username="lea"), now=timezone.now()
    )
    assert made.introduction == "Anew."
    assert not made.is_introduced_to(User.objects.get(username="ada"))
    Project.objects.filter(pk=made.pk).update(introduction="", introduced_at=None)
    made.refresh_from_db()
    assert made.is_introduced_to(User.objects.get(username="ada"))


def test_no_request_of_the_desk_loads_the_introduction(desk: Client) -> None:
    introduced()
    read(desk)
    lease = Lease.objects.get()
    own = f"/projects/eggs/desk/{lease.pk}/"
    with CaptureQueriesContext(connection) as seen:
        desk.get("/projects/eggs/desk/")
        sent = scored(lease)
        draft = {"draft_writer": "a" * 16, "draft_number": "1"}
        assert desk.post(f"{own}draft/", sent | draft, headers=HTMX).status_code == 200
        assert desk.post(f"{own}verdict/", sent, headers=HTMX).status_code == 200
        assert desk.post(f"{own}submit/", sent, headers=HTMX).status_code == 200
        rating = Rating.objects.get()
        assert desk.get(f"/projects/eggs/ratings/{rating.pk}/").status_code == 200
        assert desk.get("/projects/eggs/ratings/").status_code == 200
    assert len(seen) > 10
    assert not [each["sql"] for each in seen if re.search(r'"?introduction"?\b', each["sql"])]


# --- a project is deleted ---


def test_a_project_is_deleted_while_nobody_has_opened_anything_in_it(
    client: Client, lead: User
) -> None:
    project = make_project(slug="eggs", leads=[lead], annotators=[make_user()])
    make_item(project=project)
    make_email(project)
    upload = Upload.objects.create(
        project=project, uploader=lead, file_name="a.csv", stored_at=timezone.now()
    )
    Upload.objects.filter(pk=upload.pk).update(batch=project.batches.get())
    client.force_login(lead)
    assert "Delete for good" in client.get("/projects/eggs/settings/").content.decode()
    assert client.get("/projects/eggs/delete/").status_code == 302
    assert Project.objects.exists()
    done = client.post("/projects/eggs/delete/", follow=True).content.decode()
    assert f"“{project.title}” is deleted." in html.unescape(done)
    assert not Project.objects.exists()
    with connection.cursor() as cursor:  # no row of any table speaks of it
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_project_with_a_lease_or_rating_is_not_deleted(client: Client, lead: User) -> None:
    for slug in ("held", "rated"):
        project = make_project(slug=slug, leads=[lead])
        item = make_item(project=project)
        if slug == "held":
            make_lease(item=item, annotator=make_user(), status="released", ended_at=timezone.now())
        else:
            make_rating(item=item)
        client.force_login(lead)
        assert "Delete for good" not in client.get(f"/projects/{slug}/settings/").content.decode()
        refused = client.post(f"/projects/{slug}/delete/", follow=True).content.decode()
        assert "Someone has opened an item in it." in refused
    assert Project.objects.count() == 2
    client.force_login(make_user())
    assert client.post("/projects/held/delete/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_deletion_of_a_project_and_a_lease_at_once_let_only_one_through() -> None:
    outcomes = set()
    for _round in range(6):
        ada = make_user()
        project = make_project(annotators=[ada], leads=[make_user()])
        make_item(project=project)
        lease, is_gone = at_once(
            [lambda: take_next(project, ada, now=timezone.now()), lambda: project.remove()]  # noqa: B023
        )
        assert (lease is None) == is_gone
        outcomes.add(is_gone)
    assert outcomes
