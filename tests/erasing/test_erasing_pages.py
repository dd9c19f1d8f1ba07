"""The pages of what cannot be taken back: for admins, after the password, with a name typed in."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotators.accounts.erasure import is_erased
from annotators.models import User
from tasks.models import Item, Project
from tests.factories import PASSWORD, make_item, make_project, make_rating, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(slug="eggs", title="Of eggs", leads=[make_user(name="lea")])


@pytest.fixture
def admin() -> Client:
    return sure(make_user(name="root", admin=True))


def sure(user: User) -> Client:
    """A browser of somebody who has just given the password."""
    client = Client()
    client.force_login(user)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


PAGES = {
    "project": "/projects/eggs/erase/",
    "passage": "/projects/eggs/items/{item}/redact/",
    "person": "/people/{person}/erase/",
}


@pytest.mark.parametrize("page", PAGES)
def test_only_admins_reach_it_and_only_after_their_password(project: Project, page: str) -> None:
    item = make_item(project=project)
    address = PAGES[page].format(item=item.pk, person=make_user(name="ada").pk)
    assert sure(User.objects.get(username="lea")).get(address).status_code == 404
    root = make_user(name="root", admin=True)
    client = Client()
    client.force_login(root)
    for answer in (client.get(address), client.post(address, {"title": "Of eggs", "name": "ada"})):
        assert answer.status_code == 302
        assert "/reauthenticate/" in answer["Location"]
    assert sure(root).get(address).status_code == 200
    assert Project.objects.filter(slug="eggs").exists()


def test_a_project_goes_once_its_title_is_typed_in(project: Project, admin: Client) -> None:
    make_rating(item=make_item(project=project))
    page = admin.get("/projects/eggs/settings/").content.decode()
    assert "/projects/eggs/erase/" in page
    answer = admin.post("/projects/eggs/erase/", {"title": "Of egg"})
    assert "Enter “Of eggs”" in answer.content.decode()
    assert Project.objects.filter(slug="eggs").exists()
    answer = admin.post("/projects/eggs/erase/", {"title": "Of eggs"}, follow=True)
    assert "“Of eggs” is deleted." in answer.content.decode()
    assert not Project.objects.filter(slug="eggs").exists()


def test_a_large_project_takes_the_command(
    project: Project,
    admin: Client,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_rating(item=make_item(project=project))
    monkeypatch.setattr("tasks.erasing.views.MOST_RATINGS", 0)
    answer = admin.post("/projects/eggs/erase/", {"title": "Of eggs"})
    assert "manage.py erase_project eggs" in answer.content.decode()
    assert Project.objects.filter(slug="eggs").exists()
    with pytest.raises(CommandError, match="Nothing is deleted: its title is “Of eggs”"):
        call_command("erase_project", "eggs", title="Of ham")
    call_command("erase_project", "eggs", title="Of eggs")
    assert "1 tasks_rating\n" in capsys.readouterr().out
    assert not Project.objects.filter(slug="eggs").exists()


def test_a_passage_goes_with_a_reason_that_does_not_repeat_it(
    project: Project, admin: Client
) -> None:
    item = make_item(project=project, prompt="Call Ann on 030 1234567 at noon.")
    address = f"/projects/eggs/items/{item.pk}/redact/"

    def words(passage: str, reason: str = "A telephone number") -> str:
        answer = admin.post(address, {"passage": passage, "reason": reason}, follow=True)
        return answer.content.decode()

    assert "The item does not have this" in words("030 7654321")
    assert "Enter at least 4 characters" in words(" 030 ")
    assert "The reason repeats the passage" in words("030 1234567", "030 1234567 is Ann’s")
    assert "1234567" in str(Item.objects.get().messages)
    assert "Removed in 1 text." in words(" 030 1234567 ")
    assert Item.objects.get().messages[-1]["text"] == "Call Ann on [removed] at noon."


def test_a_person_is_erased_once_the_name_is_typed_in(project: Project, admin: Client) -> None:
    ada = make_user(name="ada", email="ada@example.org")
    make_rating(item=make_item(project=project), annotator=ada)
    address = f"/people/{ada.pk}/erase/"
    assert address in admin.get(f"/admin/annotators/user/{ada.pk}/change/").content.decode()
    assert "1 rating, with its times" in admin.get(address).content.decode()
    assert "Enter “ada”" in admin.post(address, {"name": "Ada"}).content.decode()
    answer = admin.post(address, {"name": "ada"}, follow=True)
    assert "Nothing tells any more who that was" in answer.content.decode()
    ada.refresh_from_db()
    assert is_erased(ada)
    assert "erased already" in admin.get(address).content.decode()


def test_nobody_erases_themselves_or_the_only_lead(project: Project, admin: Client) -> None:
    root, lea = User.objects.get(username="root"), User.objects.get(username="lea")
    answer = admin.post(f"/people/{root.pk}/erase/", {"name": "root"})
    assert "This is your own account" in answer.content.decode()
    answer = admin.post(f"/people/{lea.pk}/erase/", {"name": "lea"})
    assert "Nobody else leads “Of eggs”" in answer.content.decode()
    assert not is_erased(User.objects.get(pk=lea.pk))


def test_the_profile_says_what_is_kept_and_why() -> None:
    client = Client()
    client.force_login(make_user(name="ada"))
    assert "/profile/data/" in client.get("/profile/").content.decode()
    page = client.get("/profile/data/").content.decode()
    assert "/work/own-data.csv" in page
    assert "To be erased" in page
