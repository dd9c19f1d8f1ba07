"""Skipping and flagging, and what the lead makes of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import Concern, Lease, Project, Rating

from .factories import NOW, make_item, make_lease, make_project, make_rating, make_submission, make_user

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
Decision = Concern.Decision


@pytest.fixture
def ada() -> User:
    return make_user(name="ada")


@pytest.fixture
def ben() -> User:
    return make_user(name="ben")


@pytest.fixture
def lead() -> User:
    return make_user(name="lee")


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    return make_project(slug="eggs", annotators=[ada, ben], leads=[lead], wanted=1)


def held(project: Project, annotator: User) -> Lease:
    lease = Lease.objects.take_next(project, annotator, now=NOW)
    assert lease is not None
    return lease


def names(project: Project, annotator: User) -> list[str]:
    lease = Lease.objects.take_next(project, annotator, now=NOW)
    return [lease.item.external_id] if lease else []


# --- what annotators do ---


def test_a_skip_gives_the_item_back_with_a_reason_and_it_comes_to_others(
    project: Project, ada: User, ben: User
) -> None:
    make_item(project=project, external_id="a")
    lease = held(project, ada)
    lease.skip(reason="unclear", note="Which moons?", now=NOW)
    concern = Concern.objects.get()
    assert (concern.kind, concern.reason, concern.note, concern.annotator) == (
        "skip",
        "unclear",
        "Which moons?",
        ada,
    )
    assert Lease.objects.get().status == "released"
    assert (names(project, ada), names(project, ben)) == ([], ["a"])


def test_a_skip_sent_twice_is_one_and_one_that_comes_after_the_rating_is_none(
    project: Project, ada: User
) -> None:
    for name in "ab":
        make_item(project=project, batch=project.batches.first(), external_id=name)
    lease = held(project, ada)
    lease.skip(reason="unclear", now=NOW)
    lease.skip(reason="unclear", now=NOW)
    second = held(project, ada)
    second.submit(make_submission(lease=second), now=NOW)
    second.skip(reason="broken", now=NOW)
    assert Concern.objects.count() == 1


def test_what_was_skipped_and_is_sent_all_the_same_is_kept(project: Project, ada: User) -> None:
    make_item(project=project)
    lease = held(project, ada)
    lease.skip(reason="other", now=NOW)
    assert lease.submit(make_submission(lease=lease), now=NOW).kind == "counted"


def test_a_flag_leaves_the_item_where_it_is(project: Project, ada: User) -> None:
    make_item(project=project)
    lease = held(project, ada)
    for note in ("Odd.", "Odd.", "Very odd."):
        lease.flag(reason="broken", note=note, now=NOW)
    assert [concern.note for concern in lease.flags()] == ["Odd.", "Very odd."]
    assert Lease.objects.take_next(project, ada, now=NOW) == lease


def test_at_the_desk_a_skip_answers_with_the_next_item(client: Client, project: Project, ada: User) -> None:
    for name in "ab":
        make_item(project=project, batch=project.batches.first(), external_id=name)
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get()
    page = client.post(f"/projects/eggs/desk/{lease.pk}/skip/", {"reason": "language"}, headers=HTMX)
    assert page.context["lease"].item.external_id == "b"
    again = client.post(f"/projects/eggs/desk/{lease.pk}/skip/", {"reason": "language"}, headers=HTMX)
    assert again.context["lease"] == page.context["lease"]


def test_at_the_desk_a_skip_without_a_reason_says_so_and_skips_nothing(
    client: Client, project: Project, ada: User
) -> None:
    make_item(project=project)
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get()
    page = client.post(f"/projects/eggs/desk/{lease.pk}/skip/", {"note": "?"})
    assert "Say why" in page.content.decode()
    assert not Concern.objects.exists()


def test_at_the_desk_a_flag_is_shown_as_told(client: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get()
    flagged = {"reason": "broken", "note": "cut <off>"}
    page = client.post(f"/projects/eggs/desk/{lease.pk}/flag/", flagged, headers=HTMX).content.decode()
    assert "The item is broken or incomplete" in page
    assert "cut &lt;off&gt;" in page
    assert Lease.objects.get().status == "live"


@pytest.mark.parametrize("step", ["skip", "flag", "renew", "correct"])
def test_what_another_holds_is_not_there(client: Client, project: Project, ada: User, step: str) -> None:
    make_item(project=project)
    lease = held(project, ada)
    client.force_login(make_user())
    assert client.post(f"/projects/eggs/desk/{lease.pk}/{step}/", {"reason": "other"}).status_code == 404


# --- coming back ---


def test_logging_out_gives_back_what_is_held(client: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    client.post("/accounts/logout/")
    assert Lease.objects.get().status == "released"


def test_who_is_not_active_any_more_holds_nothing(client: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    held(project, ada)
    client.force_login(make_user(admin=True))
    page = client.get(f"/admin/annotators/user/{ada.pk}/change/")
    fields = {name: value for name, value in page.context["adminform"].form.initial.items() if value}
    fields = {name: value for name, value in fields.items() if isinstance(value, str)}
    stored = client.post(
        f"/admin/annotators/user/{ada.pk}/change/",
        {**fields, "date_joined_0": "2026-03-02", "date_joined_1": "09:00:00", "is_active": ""},
    )
    assert stored.status_code == 302
    assert Lease.objects.get().status == "released"


def test_who_leaves_the_project_holds_nothing_in_it(client: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    held(project, ada)
    client.force_login(make_user(admin=True))
    address = f"/admin/tasks/project/{project.pk}/change/"
    page = client.get(address)
    sent: dict[str, object] = {}
    for form in (page.context["adminform"].form, *page.context["inline_admin_formsets"][0].formset):
        for field in form:
            value = field.value()
            sent[field.html_name] = "" if value is None else value
    [formset] = page.context["inline_admin_formsets"]
    sent |= {f"memberships-{name}": value for name, value in formset.formset.management_form.initial.items()}
    mine = next(form for form in formset.formset if form.instance.user_id == ada.pk)
    sent[f"{mine.prefix}-DELETE"] = "on"
    assert client.post(address, sent).status_code == 302
    assert not project.memberships.filter(user=ada).exists()
    assert Lease.objects.get().status == "released"


def test_renewing_lends_for_longer_and_revives_what_has_ended(
    client: Client, project: Project, ada: User, ben: User
) -> None:
    item = make_item(project=project)
    lease = make_lease(item=item, annotator=ada, now=timezone.now() - timedelta(minutes=29))
    client.force_login(ada)
    address = f"/projects/eggs/desk/{lease.pk}/renew/"
    before = lease.expires_at
    assert client.post(address).status_code == 204
    lease.refresh_from_db()
    assert lease.expires_at > before + timedelta(minutes=20)
    lease.expire(now=lease.expires_at)
    assert client.post(address).status_code == 204
    lease.refresh_from_db()
    assert (lease.status, lease.ended_at) == ("live", None)
    lease.expire(now=lease.expires_at)
    other = make_lease(item=item, annotator=ben, now=timezone.now())
    gone = client.post(address)
    assert gone.status_code == 409
    assert "Nothing that you entered is lost" in gone.content.decode()
    other.release(now=timezone.now())
    lease.submit(make_submission(lease=lease), now=timezone.now())
    assert client.post(address).status_code == 409


# --- corrections ---


def test_a_correction_is_a_revision_and_the_same_again_is_the_same(project: Project, ada: User) -> None:
    first = make_rating(item=make_item(project=project), annotator=ada, values={1: 7})
    assert first.lease is not None
    said = make_submission(lease=first.lease, values={1: 5}, active_seconds=3)
    second = first.correct(said, based_on=1, now=NOW)
    assert (second.revision, second.supersedes, second.kind, second.round) == (2, first, "counted", 0)
    assert first.correct(make_submission(lease=first.lease, values={1: 5}), based_on=1, now=NOW) == second
    assert Rating.objects.count() == 2
    assert first.item.ratings.current().get() == second
    assert [p.position for p in second.placements.all()] == [1, 2]


# --- what the lead decides ---


def decide(client: Client, concern: Concern, decision: str, answer: str = "") -> None:
    address = f"/projects/eggs/concerns/{concern.pk}/"
    assert client.post(address, {"decision": decision, "answer": answer}).status_code == 302


def test_the_lead_sees_both_and_what_was_said(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    make_item(project=project, external_id="item-x")
    lease = held(project, ada)
    lease.flag(reason="broken", note="cut <off>", now=NOW)
    lease.skip(reason="distressing", now=NOW)
    client.force_login(lead)
    assert "2 skipped or flagged items to decide" in client.get("/projects/eggs/").content.decode()
    page = client.get("/projects/eggs/concerns/").content.decode()
    for said in ("item-x", "It is distressing", "cut &lt;off&gt;", "skipped", "flagged"):
        assert said in page


def test_again_brings_the_item_back_to_who_skipped_it(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    make_item(project=project, external_id="a")
    held(project, ada).skip(reason="unclear", now=NOW)
    client.force_login(lead)
    decide(client, Concern.objects.get(), "again", "The two small ones.")
    concern = Concern.objects.get()
    assert (concern.decision, concern.answer, concern.decided_by) == ("again", "The two small ones.", lead)
    assert names(project, ada) == ["a"]


def test_a_dropped_item_is_handed_out_no_more_and_what_was_said_of_it_stays(
    client: Client, project: Project, ada: User, ben: User, lead: User
) -> None:
    project.change_wanted(wanted=2, now=NOW)
    item = make_item(project=project, external_id="a")
    make_rating(item=item, annotator=ben)
    held(project, ada).skip(reason="broken", now=NOW)
    client.force_login(lead)
    decide(client, Concern.objects.get(), "drop")
    other = make_user()
    assert names(project, other) == []
    assert Rating.objects.count() == 1
    [progress] = project.batches.progress()
    assert (progress.items, progress.wanted) == (0, 0)
    decide(client, Concern.objects.get(), "someone_else")
    assert names(project, other) == ["a"]


def test_a_rating_that_was_flagged_comes_back_or_one_more_is_asked_of_others(
    client: Client, project: Project, ada: User, ben: User, lead: User
) -> None:
    make_item(project=project, external_id="a")
    lease = held(project, ada)
    lease.flag(reason="unclear", note="Is Pluto one?", now=NOW)
    lease.submit(make_submission(lease=lease), now=NOW)
    client.force_login(lead)
    decide(client, Concern.objects.get(), "again", "It is not.")
    back = Lease.objects.take_next(project, ada, now=NOW)
    assert back is not None
    assert back.revises == lease.rating
    assert lease.rating.returned.reason == "It is not."
    back.release(now=NOW)
    decide(client, Concern.objects.get(), "someone_else")
    assert names(project, ben) == ["a"]


def test_only_leads_decide(client: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    held(project, ada).skip(reason="broken", now=NOW)
    client.force_login(ada)
    address = f"/projects/eggs/concerns/{Concern.objects.get().pk}/"
    assert client.post(address, {"decision": "drop"}).status_code == 404
    for page in ("concerns/", "settings/", f"batches/{project.batches.get().pk}/"):
        assert client.get(f"/projects/eggs/{page}").status_code == 404


# --- settings ---

SETTINGS = {
    "status": "open",
    "wanted": "2",
    "overlap_percent": "0",
    "overlap_wanted": "3",
    "order": "shuffled",
    "grouping": "spread",
    "lease_minutes": "45",
}


def test_a_lead_sets_a_project(client: Client, project: Project, lead: User) -> None:
    item = make_item(project=project)
    client.force_login(lead)
    assert client.get("/projects/eggs/settings/").status_code == 200
    assert client.post("/projects/eggs/settings/", SETTINGS).status_code == 302
    project.refresh_from_db()
    item.refresh_from_db()
    assert (project.wanted, project.order, project.grouping, project.lease_minutes) == (
        2,
        "shuffled",
        "spread",
        45,
    )
    assert item.wanted == 2
    assert item.group is not None


def test_settings_that_make_no_sense_change_nothing(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)
    page = client.post("/projects/eggs/settings/", {**SETTINGS, "wanted": "0", "overlap_percent": "101"})
    assert set(page.context["form"].errors) == {"wanted", "overlap_percent"}
    project.refresh_from_db()
    assert (project.wanted, project.order) == (1, "uploaded")


def test_a_lead_sets_a_batch(client: Client, project: Project, ada: User, lead: User) -> None:
    batch = make_item(project=project).batch
    client.force_login(lead)
    address = f"/projects/eggs/batches/{batch.pk}/"
    assert "ada" in client.get(address).content.decode()
    sent = {"status": "paused", "rank": "-1", "priority": "5", "annotators": [ada.pk]}
    assert client.post(address, sent).status_code == 302
    batch.refresh_from_db()
    assert (batch.status, batch.rank, batch.priority) == ("paused", -1, 5)
    assert [each.annotator for each in batch.assignments.all()] == [ada]
    assert client.post(address, {**sent, "annotators": [lead.pk]}).status_code == 200  # no annotator here
