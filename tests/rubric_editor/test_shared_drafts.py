"""Who edits a draft of a rubric: its maker, and those who lead a project with the maker today."""

from __future__ import annotations

import pytest
from django.test import Client

from annotators.models import User
from rubrics.documents import document
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric, RubricDraft
from tasks.models import Membership, Project
from tasks.models.new_projects import duplicate_project, start_project
from tests.addresses import addresses
from tests.factories import NOW, make_project, make_user
from tests.invitations import make_email

pytestmark = pytest.mark.django_db
LEAD = Membership.Role.LEAD


@pytest.fixture
def victim() -> User:
    return make_user(name="vera", email="vera@example.org")


@pytest.fixture
def mallory(client: Client) -> User:
    """A lead of a project of her own, who is logged in."""
    found = make_user(name="mallory")
    client.force_login(found)
    return found


@pytest.fixture
def draft(victim: User) -> RubricDraft:
    """A draft of a rubric that is published and used."""
    content = document.dump(shipped("mt-bench")) | {"slug": "chats", "title": "Chats"}
    Rubric.objects.load(document.parse(content), by=victim, now=NOW)
    return RubricDraft.objects.start(content | {"title": "Chats, new"}, by=victim, now=NOW)


def own_project(lead: User) -> Project:
    used = Rubric.objects.get()
    return start_project(title="Of her own", wanted=1, rubric=used, by=lead, now=NOW)


def addresses_of(draft: RubricDraft) -> list[str]:
    """Every address of a draft, by the URLconf."""
    found = []
    for written, _example in addresses():
        if "draft" in written and "<int:pk>" in written and "ratings" not in written:
            path = written.replace("<int:pk>", str(draft.pk)).replace("<int:number>", "1")
            found.append("/" + path.replace("<str:part>", "about").replace("<str:digest>", "x"))
    return found


def edits(client: Client, draft: RubricDraft, user: User) -> bool:
    client.force_login(user)
    return client.get(f"/rubric-drafts/{draft.pk}/parts/about/").status_code == 200


def test_a_lead_of_a_project_with_anothers_rubric_finds_no_address_of_its_drafts(
    client: Client, draft: RubricDraft, mallory: User
) -> None:
    own_project(mallory)
    paths = addresses_of(draft)
    assert len(paths) >= 18
    for path in paths:
        answers = {"get": client.get(path), "post": client.post(path, {})}
        for method, answer in answers.items():
            is_led_to_it = method == "get" and answer.status_code == 302
            assert is_led_to_it or answer.status_code in (404, 405), (method, path)
    assert RubricDraft.objects.get() == draft
    assert "Chats, new" not in client.get("/rubrics/").content.decode()
    client.force_login(draft.made_by)
    assert client.get(f"/rubric-drafts/{draft.pk}/document/").status_code == 200


def test_leads_who_share_a_project_with_the_maker_today_edit_the_makers_drafts(
    client: Client, draft: RubricDraft, victim: User, ben: User, ada: User, admin_user: User
) -> None:
    project = own_project(victim)
    make_project(slug="eggs", leads=[ada])
    project.admit(ben, role=LEAD, by=victim)
    people = (victim, ben, admin_user, ada)
    assert [edits(client, draft, each) for each in people] == [True, True, True, False]
    project.change_roles(ben, ["annotator"], by=victim)
    assert not edits(client, draft, ben)
    project.change_roles(ben, [LEAD], by=victim)
    project.change_roles(victim, [], by=ben)
    assert not edits(client, draft, ben)  # they lead nothing together any more


def test_a_lead_who_makes_another_one_a_lead_sees_her_drafts_once_she_accepts(
    client: Client, draft: RubricDraft, victim: User, mallory: User
) -> None:
    project = own_project(mallory)
    client.post(f"/projects/{project.slug}/members/", {"name": "vera", "role": LEAD})
    assert project.memberships.filter(user=victim, role=LEAD).exists()
    copy = duplicate_project(project, title="A copy", by=mallory, now=NOW)
    assert copy.memberships.filter(user=victim, role=LEAD).exists()
    invitation = make_email(project, victim.email, role=LEAD)
    assert not edits(client, draft, mallory)
    assert invitation.accept(by=victim, now=invitation.made_at)
    assert edits(client, draft, mallory)


def test_a_version_is_made_by_who_publishes_it(
    client: Client, draft: RubricDraft, victim: User, ben: User
) -> None:
    own_project(victim).admit(ben, role=LEAD, by=victim)
    client.force_login(ben)
    fields = {"revision": draft.revision, "changes": "A new title."}
    answer = client.post(f"/rubric-drafts/{draft.pk}/publish/", fields)
    assert answer["Location"] == "/rubrics/chats/2/"
    assert Rubric.objects.get(slug="chats", version=2).created_by == ben
