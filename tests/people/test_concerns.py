"""Skipping and flagging, and what the lead makes of it."""

from __future__ import annotations

import html
import re
import threading
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import Concern, Item, Lease, Notice, Project, Rating, ReturnedRating
from tasks.models.replies import reply_to
from tasks.models.wanted_ratings import store_wanted
from tasks.queue.allocation import submit_and_take_next, take_next
from tasks.queue.submitting import correct_rating, submit_lease
from tests.item_pages.panel_steps import fields_of, page_after, panel_address, reply, send
from tests.practising import OFF

from ..desk_steps import HTMX
from ..factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_submission,
    make_user,
)
from ..waiting import until_one_waits_for_us

pytestmark = pytest.mark.django_db
Decision = Concern.Decision


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    """ben rates in it too, it has a lead, and an item gets one rating."""
    return make_project(slug="eggs", annotators=[ada, ben], leads=[lead], wanted=1)


def words(shown: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", shown))).strip()


def held(project: Project, annotator: User) -> Lease:
    lease = take_next(project, annotator, now=NOW)
    assert lease is not None
    return lease


def names(project: Project, annotator: User) -> list[str]:
    lease = take_next(project, annotator, now=NOW)
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
    submit_lease(second, make_submission(lease=second), now=NOW)
    second.skip(reason="broken", now=NOW)
    assert Concern.objects.count() == 1


def test_a_rating_sent_after_its_skip_counts(project: Project, ada: User) -> None:
    make_item(project=project)
    lease = held(project, ada)
    lease.skip(reason="other", now=NOW)
    assert submit_lease(lease, make_submission(lease=lease), now=NOW).kind == "counted"


def test_a_flag_leaves_the_item_where_it_is(project: Project, ada: User) -> None:
    make_item(project=project)
    lease = held(project, ada)
    for note in ("Odd.", "Odd.", "Very odd."):
        lease.flag(reason="broken", note=note, now=NOW)
    assert [concern.note for concern in lease.flags()] == ["Very odd."]
    assert take_next(project, ada, now=NOW) == lease


def test_at_the_desk_a_skip_answers_with_the_next_item(
    client: Client, project: Project, ada: User
) -> None:
    for name in "ab":
        make_item(project=project, batch=project.batches.first(), external_id=name)
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get()
    page = client.post(
        f"/projects/eggs/desk/{lease.pk}/skip/", {"reason": "language"}, headers=HTMX
    )
    following = Lease.objects.get(status="live")
    assert following.item.external_id == "b"
    again = client.post(
        f"/projects/eggs/desk/{lease.pk}/skip/", {"reason": "language"}, headers=HTMX
    )
    for answer in (page, again):
        assert f'action="/projects/eggs/desk/{following.pk}/submit/"' in answer.content.decode()


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
    page = client.post(
        f"/projects/eggs/desk/{lease.pk}/flag/", flagged, headers=HTMX
    ).content.decode()
    assert "The item is broken or incomplete" in page
    assert "cut &lt;off&gt;" in page
    assert Lease.objects.get().status == "live"


def test_of_ones_flags_on_an_item_one_waits_and_the_next_replaces_it(
    project: Project, ada: User, ben: User, lead: User
) -> None:
    item = make_item(project=project)
    first = make_lease(item=item, annotator=ada)
    first.flag(reason="broken", note="Cut off.", now=NOW)
    first.release(now=NOW)
    second = make_lease(item=item, annotator=ada)
    for minute, note in enumerate(("Which moons?", "Whose moons?", "Whose moons?")):
        second.flag(reason="unclear", note=note, now=NOW + timedelta(minutes=minute))
    flag = Concern.objects.get()
    assert (flag.reason, flag.note, flag.lease) == ("unclear", "Whose moons?", second)
    assert flag.raised_at == NOW + timedelta(minutes=1)
    second.release(now=NOW)
    make_lease(item=item, annotator=ben).flag(reason="broken", now=NOW)  # has his own
    reply_to(flag, Decision.ANSWERED, by=lead, answer="Those of Mars.", now=NOW)
    second.flag(reason="unclear", note="Whose moons?", now=NOW)  # was decided
    assert Concern.objects.count() == 2
    second.flag(reason="unclear", note="Which Mars?", now=NOW)
    assert [each.note for each in Concern.objects.order_by("pk")] == [
        "Whose moons?",
        "",
        "Which Mars?",
    ]


@pytest.mark.parametrize("headers", [HTMX, {}], ids=["htmx", "plain"])
def test_after_ten_skips_in_a_row_the_desk_asks_once_if_something_is_wrong(
    client: Client, project: Project, ada: User, lead: User, headers: dict[str, str]
) -> None:
    batch = make_batch(project=project)
    for number in range(25):
        make_item(batch=batch, external_id=f"item-{number}")
    client.force_login(ada)

    def skip() -> tuple[Lease, str]:
        lease = take_next(project, ada, now=timezone.now())
        assert lease is not None
        answer = client.post(
            f"/projects/eggs/desk/{lease.pk}/skip/",
            {"reason": "unclear"},
            headers=headers,
            follow=True,
        )
        return lease, answer.content.decode()

    def rate() -> None:
        lease = take_next(project, ada, now=timezone.now())
        assert lease is not None
        submitted(lease, now=timezone.now())

    question = "You skipped ten items in a row. Is something wrong with them?"
    skip()
    rate()
    *earlier, (lease, asked) = (skip() for _ in range(10))
    assert [question in page for _lease, page in earlier] == [False] * 9
    assert question in asked
    again = client.post(
        f"/projects/eggs/desk/{lease.pk}/skip/", {"reason": "unclear"}, headers=headers, follow=True
    )
    assert question not in again.content.decode()  # pressed twice
    assert ">Go on</a>" in asked
    assert question not in client.get("/projects/eggs/desk/").content.decode()
    assert question not in skip()[1]
    # What its button sends.
    [address] = re.findall(r'<form class="acts" method="post" action="([^"]*)"', asked)
    fields = dict(re.findall(r'<input type="hidden" name="(reason|note)" value="([^"]*)"', asked))
    answer = client.post(address, fields)
    assert answer["Location"] == "/projects/eggs/desk/"
    flag = Concern.objects.get(kind="flag")
    assert (flag.item, flag.reason, flag.note) == (
        lease.item,
        "other",
        "I skipped ten items in a row.",
    )
    assert Notice.objects.of(lead).unread().get().concern == flag
    rate()
    assert [question in skip()[1] for _ in range(10)] == [False] * 9 + [True]


@pytest.mark.parametrize("step", ["skip", "flag", "renew"])
def test_an_item_that_another_holds_can_be_neither_skipped_nor_flagged(
    client: Client, project: Project, ada: User, step: str
) -> None:
    make_item(project=project)
    lease = held(project, ada)
    client.force_login(make_user())
    assert (
        client.post(f"/projects/eggs/desk/{lease.pk}/{step}/", {"reason": "other"}).status_code
        == 404
    )


# --- coming back ---


def test_logging_out_gives_back_what_is_held(client: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    client.post("/accounts/logout/")
    assert Lease.objects.get().status == "released"


def test_a_deactivated_annotator_holds_no_item(client: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    held(project, ada)
    client.force_login(make_user(admin=True))
    page = client.get(f"/admin/annotators/user/{ada.pk}/change/")
    fields = {
        name: value for name, value in page.context["adminform"].form.initial.items() if value
    }
    fields = {name: value for name, value in fields.items() if isinstance(value, str)}
    stored = client.post(
        f"/admin/annotators/user/{ada.pk}/change/",
        {**fields, "date_joined_0": "2026-03-02", "date_joined_1": "09:00:00", "is_active": ""},
    )
    assert stored.status_code == 302
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
    assert "Nothing is lost" in gone.content.decode()
    other.release(now=timezone.now())
    submit_lease(lease, make_submission(lease=lease), now=timezone.now())
    assert client.post(address).status_code == 409


# --- corrections ---


def test_a_correction_is_a_revision_and_the_same_again_is_the_same(
    project: Project, ada: User
) -> None:
    first = make_rating(item=make_item(project=project), annotator=ada, values={1: 7})
    assert first.lease is not None
    said = make_submission(lease=first.lease, values={1: 5}, active_seconds=3)
    second = correct_rating(first, said, based_on=1, now=NOW)
    assert (second.revision, second.supersedes, second.kind, second.attempt) == (
        2,
        first,
        "counted",
        0,
    )
    assert (
        correct_rating(
            first, make_submission(lease=first.lease, values={1: 5}), based_on=1, now=NOW
        )
        == second
    )
    assert Rating.objects.count() == 2
    assert first.item.ratings.current().get() == second
    assert [p.position for p in second.placements.all()] == [1, 2]


# --- what the lead decides ---


def decide(client: Client, concern: Concern, decision: str, answer: str = "") -> None:
    answered = send(client, concern.item, reply(concern), decision=decision, answer=answer)
    assert answered.status_code == 302


def drop(client: Client, item: Item) -> None:
    sent = {"act": "drop", "why": "Broken."}
    assert client.post(f"/projects/eggs/items/{item.pk}/drop/", sent).status_code == 302


def test_the_lead_sees_both_and_what_was_said(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    make_item(project=project, external_id="item-x")
    lease = held(project, ada)
    lease.flag(reason="broken", note="cut <off>", now=NOW)
    lease.skip(reason="distressing", now=NOW)
    client.force_login(lead)
    page = client.get("/projects/eggs/").content.decode()
    assert "1 flag waits" in page
    assert "1 skip waits" in page
    flag = Concern.objects.get(kind="flag")
    there = f"/projects/eggs/items/{lease.item_id}/"
    assert f'href="{there}?flagged=on#concern-{flag.pk}"' in page
    page = client.get(there).content.decode()
    for said in ("item-x", "It is distressing", "cut &lt;off&gt;", "Skipped by", "Flagged by"):
        assert said in page
    assert f'id="concern-{flag.pk}"' in page


def test_the_lead_reads_the_item_and_its_ratings_where_they_decide(
    client: Client, project: Project, ada: User, ben: User, lead: User
) -> None:
    """Whoever flagged it and has not rated it has a column too, with her letter."""
    item = make_item(
        project=project,
        prompt="Why 3?",
        responses=[("gull", "Because."), ("", "<b>No</b>")],
        warning="Blood",
    )
    make_rating(item=item, annotator=ben)
    lease = make_lease(item=item, annotator=ada, status="expired", ended_at=NOW)
    lease.flag(reason="other", note="Why so?", now=NOW)
    client.force_login(lead)
    page = client.get(f"/projects/eggs/items/{item.pk}/?target=2").content.decode()
    assert "gull" not in page  # models are hidden until asked for
    for said in ("Why 3?", "No", "Blood", "Why so?", 'value="drop"'):
        assert said in page
    heads = [words(each) for each in re.findall(r'<th scope="col">.*?</th>', page, re.S)]
    assert heads == ["ben", "ada"]
    cells = {
        words(head): [words(each) for each in re.findall(r"<td.*?</td>", row, re.S)]
        for row in re.findall(r"<tr>.*?</tr>", page, re.S)
        for head in re.findall(r'<th scope="row".*?</th>', row, re.S)
    }
    second = item.responses_in_order[1].pk
    letter = "AB"[lease.responses.index(second)]
    assert cells["Shown as"] == ["B", letter]
    assert cells["Flagged or skipped"] == ["–", "Something else"]


def test_the_reply_again_brings_an_item_back_to_the_person_who_skipped_it(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    make_item(project=project, external_id="a")
    held(project, ada).skip(reason="unclear", now=NOW)
    client.force_login(lead)
    decide(client, Concern.objects.get(), "again", "The two small ones.")
    concern = Concern.objects.get()
    assert (concern.decision, concern.answer, concern.decided_by) == (
        "again",
        "The two small ones.",
        lead,
    )
    assert names(project, ada) == ["a"]


def test_a_dropped_item_is_handed_out_no_more_and_what_was_said_of_it_stays(
    client: Client, project: Project, ada: User, ben: User, lead: User
) -> None:
    project.change(wanted=2)
    item = make_item(project=project, external_id="a")
    make_rating(item=item, annotator=ben)
    held(project, ada).skip(reason="broken", now=NOW)
    client.force_login(lead)
    drop(client, item)
    other = make_user()
    assert names(project, other) == []
    assert Rating.objects.count() == 1
    [progress] = project.batches.with_progress()
    assert (progress.item_count, progress.counted, progress.wanted) == (0, 0, 0)
    decide(client, Concern.objects.get(), "someone_else")
    assert names(project, other) == ["a"]


def test_a_rating_that_was_flagged_comes_back_or_one_more_is_asked_of_others(
    client: Client, project: Project, ada: User, ben: User, lead: User
) -> None:
    make_item(project=project, external_id="a")
    lease = held(project, ada)
    lease.flag(reason="unclear", note="Is Pluto one?", now=NOW)
    submit_lease(lease, make_submission(lease=lease), now=NOW)
    client.force_login(lead)
    decide(client, Concern.objects.get(), "again", "It is not.")
    [returned] = ReturnedRating.objects.waiting_of(ada)
    assert (returned.rating, returned.reason) == (lease.rating, "It is not.")
    assert take_next(project, ada, now=NOW) is None
    decide(client, Concern.objects.get(), "someone_else")
    assert names(project, ben) == ["a"]


def flagged(project: Project, annotator: User) -> Concern:
    lease = held(project, annotator)
    lease.flag(reason="unclear", now=NOW)
    return Concern.objects.get(lease=lease)


def submitted(lease: Lease, *, now: datetime = NOW) -> Rating:
    return submit_lease(lease, make_submission(lease=lease), now=now)


def answered(rating: Rating) -> Rating:
    """What came back, submitted as it is."""
    assert rating.lease
    said = make_submission(lease=rating.lease)
    return correct_rating(rating, said, based_on=rating.revision, now=NOW)


def test_an_extra_place_for_someone_else_outlives_another_number_of_ratings(
    project: Project, ada: User, lead: User
) -> None:
    item = make_item(project=project)
    concern = flagged(project, ada)
    submitted(concern.lease)
    reply_to(concern, Decision.SOMEONE_ELSE, by=lead, now=NOW)
    seen = []
    for wanted in (2, 1):
        project.change(wanted=wanted)
        item.refresh_from_db()
        seen.append(item.wanted)
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW)
    item.refresh_from_db()
    assert [*seen, item.wanted] == [3, 2, 1]


def test_a_decision_before_the_rating_leaves_the_wanted_number_alone(
    project: Project, ada: User, lead: User
) -> None:
    project.change(wanted=2)
    item = make_item(project=project)
    concern = flagged(project, ada)
    reply_to(concern, Decision.SOMEONE_ELSE, by=lead, now=NOW)
    submitted(concern.lease, now=NOW + timedelta(minutes=1))
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW + timedelta(minutes=2))
    item.refresh_from_db()
    assert item.wanted == 2


def test_the_lead_can_take_back_a_return_and_ask_for_it_again(
    project: Project, ada: User, lead: User
) -> None:
    make_item(project=project)
    concern = flagged(project, ada)
    submitted(concern.lease)
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW)
    reply_to(concern, Decision.DROP, by=lead, now=NOW)
    assert names(project, ada) == []
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW, answer="First.")
    second = answered(concern.lease.rating)
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW, answer="Second.")
    assert ReturnedRating.objects.waiting_of(ada).get().rating == second


def test_a_rating_flagged_twice_comes_back_until_neither_flag_asks_for_it(
    project: Project, ada: User, lead: User
) -> None:
    rating = make_rating(item=make_item(project=project), annotator=ada)
    assert rating.lease
    rating.lease.flag(reason="other", note="This.", now=NOW)
    first = Concern.objects.get()
    reply_to(first, Decision.AGAIN, by=lead, now=NOW, answer="See this.")
    rating.lease.flag(reason="other", note="And that.", now=NOW)
    second = Concern.objects.latest("pk")
    reply_to(second, Decision.AGAIN, by=lead, now=NOW, answer="See that.")
    assert ReturnedRating.objects.get(settled_at=None).reason == "See this.\nSee that."
    reply_to(second, Decision.SOMEONE_ELSE, by=lead, now=NOW)
    assert ReturnedRating.objects.get(settled_at=None).reason == "See this."
    reply_to(first, Decision.SOMEONE_ELSE, by=lead, now=NOW)
    assert not ReturnedRating.objects.filter(settled_at=None).exists()


def test_a_flag_decided_before_the_rating_brings_it_back_once_stored(
    project: Project, ada: User, ben: User, lead: User
) -> None:
    project.change(wanted=2)
    make_item(project=project, external_id="a")
    concern = flagged(project, ada)
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW, answer="Pluto is none.")
    assert not ReturnedRating.objects.exists()
    said = make_submission(lease=concern.lease)
    rating, following = submit_and_take_next(concern.lease, said, now=NOW)
    assert ReturnedRating.objects.get(settled_at=None).reason == "Pluto is none."
    assert following is None  # before the next item
    submitted(held(project, ben))  # whose flag it is not
    assert ReturnedRating.objects.count() == 1
    assert answered(rating).revision == 2
    assert not ReturnedRating.objects.filter(settled_at=None).exists()


def test_a_late_rating_comes_back_for_each_flag_decided_so_and_no_other(
    project: Project, ada: User, lead: User
) -> None:
    make_item(project=project)
    lease = held(project, ada)
    decided = (
        ("First.", Decision.AGAIN),
        ("No.", Decision.SOMEONE_ELSE),
        ("Second.", Decision.AGAIN),
    )
    for minute, (answer, decision) in enumerate(decided):
        lease.flag(reason="other", note=answer, now=NOW)
        concern = Concern.objects.latest("pk")
        reply_to(concern, decision, by=lead, now=NOW + timedelta(minutes=minute), answer=answer)
    lease.expire(now=lease.expires_at)
    submitted(Lease.objects.get(), now=NOW + timedelta(hours=1))
    returned = ReturnedRating.objects.get(settled_at=None)
    assert returned.reason == "First.\nSecond."
    for concern in Concern.objects.filter(decision="again"):
        reply_to(concern, Decision.DROP, by=lead, now=NOW)
    assert not ReturnedRating.objects.filter(settled_at=None).exists()


@pytest.mark.django_db(transaction=True)
def test_a_rating_that_waits_for_the_decision_on_its_flag_comes_back_by_it(
    project: Project, ada: User, lead: User
) -> None:
    make_item(project=project)
    concern = flagged(project, ada)
    said = make_submission(lease=concern.lease)

    def submit() -> None:
        try:
            submit_lease(concern.lease, said, now=NOW)
        finally:
            connection.close()

    thread = threading.Thread(target=submit)
    with transaction.atomic():
        reply_to(Concern.objects.get(), Decision.AGAIN, by=lead, now=NOW, answer="Once more.")
        thread.start()
        until_one_waits_for_us()
    thread.join()
    assert ReturnedRating.objects.get(settled_at=None).reason == "Once more."


def test_an_item_flagged_and_then_skipped_as_distressing_never_comes_back_to_its_annotator(
    client: Client, project: Project, ada: User, ben: User, lead: User
) -> None:
    project.change(wanted=2)
    make_item(project=project)
    concern = flagged(project, ada)
    others = flagged(project, ben)
    concern.lease.skip(reason="distressing", now=NOW)
    client.force_login(lead)
    barred = client.get(f"/projects/eggs/items/{concern.item_id}/").context["concerns"]
    offered = {each.pk: "again" in dict(each.choices) for each in barred}
    assert (offered[concern.pk], offered[others.pk]) == (False, True)
    refused = page_after(client, concern.item, reply(concern), decision="again")
    assert "This decision is not possible here" in refused
    # Nor where it was decided a moment before the skip, or is rated all the same.
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW)
    rating = submitted(Lease.objects.get(pk=concern.lease_id))
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW, answer="Please.")
    assert rating.comes_back
    assert not ReturnedRating.objects.exists()


def test_a_flag_is_answered_and_nothing_else_happens(
    client: Client, project: Project, ada: User, ben: User, lead: User
) -> None:
    item = make_item(project=project)
    concern = flagged(project, ada)
    submitted(concern.lease)
    client.force_login(lead)
    refused = page_after(client, item, reply(concern), decision="answered", answer=" ")
    assert "Write an answer" in refused
    decide(client, concern, "answered", "It is, since 1930.")
    concern.refresh_from_db()
    assert (concern.decision, concern.answer, concern.decided_by) == (
        "answered",
        "It is, since 1930.",
        lead,
    )
    assert not Concern.objects.undecided().exists()
    assert not ReturnedRating.objects.exists()
    item.refresh_from_db()
    assert (item.wanted, item.dropped, names(project, ada), names(project, ben)) == (
        1,
        False,
        [],
        [],
    )
    page = client.get(f"/projects/eggs/items/{item.pk}/").content.decode()
    assert "It is, since 1930.</textarea>" in page
    # An answer that the lead cleared does not come back under the error.
    cleared = page_after(client, item, reply(concern), decision="answered", answer="")
    assert "Write an answer" in cleared
    assert "It is, since 1930.</textarea>" not in cleared
    # What was to come back does not, once that is answered instead.
    reply_to(concern, Decision.AGAIN, by=lead, now=NOW)
    reply_to(concern, Decision.ANSWERED, by=lead, now=NOW, answer="It is.")
    assert names(project, ada) == []


def test_a_skip_is_not_merely_answered(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    make_item(project=project)
    held(project, ada).skip(reason="unclear", now=NOW)
    concern = Concern.objects.get()
    client.force_login(lead)
    page = page_after(client, concern.item, reply(concern), decision="answered", answer="It is.")
    assert "This decision is not possible here" in page
    with pytest.raises(IntegrityError, match="an_answer_to_a_flag_has_words"), transaction.atomic():
        reply_to(concern, Decision.ANSWERED, by=lead, now=NOW, answer="It is.")


def test_why_a_rating_came_back_is_said_once_and_in_the_order_in_which_it_came(
    project: Project, ada: User, lead: User
) -> None:
    rating = make_rating(item=make_item(project=project), annotator=ada)
    assert rating.lease
    # Not as jsonb would have it, by the length of what sent it back.
    ReturnedRating.objects.send_back(
        rating, "Of the model.", cause="a model with a long name", now=NOW
    )
    for note, answer in (("a", ""), ("b", ""), ("c", "And this.")):
        rating.lease.flag(reason="other", note=note, now=NOW)
        reply_to(Concern.objects.latest("pk"), Decision.AGAIN, by=lead, now=NOW, answer=answer)
    first, second, _third = Concern.objects.order_by("pk")
    said = ["Of the model.", "The lead asks you to check this item again.", "And this."]
    assert ReturnedRating.objects.get().reason.split("\n") == said
    reply_to(first, Decision.DROP, by=lead, now=NOW)
    assert ReturnedRating.objects.get().reason.split("\n") == said
    reply_to(second, Decision.DROP, by=lead, now=NOW)
    assert ReturnedRating.objects.get().reason.split("\n") == [said[0], said[2]]


def test_why_a_rating_came_back_is_read_as_it_was_stored_before(
    project: Project, ada: User, lead: User
) -> None:
    rating = make_rating(item=make_item(project=project), annotator=ada)
    of_before = {"reasons": {"gull diversity": "Barred."}, "reason": "Barred."}
    ReturnedRating.objects.create(
        project=project, rating=rating, annotator=ada, returned_at=NOW, **of_before
    )
    ReturnedRating.objects.send_back(rating, "Look.", cause="flag 1", now=NOW)
    assert ReturnedRating.objects.get().reason == "Barred.\nLook."
    ReturnedRating.objects.withdraw([rating.pk], cause="gull diversity", now=NOW)
    assert ReturnedRating.objects.get(settled_at=None).reason == "Look."


def test_a_dropped_item_is_no_part_of_the_progress_of_its_batch(
    project: Project, ada: User, ben: User, lead: User
) -> None:
    batch = make_item(project=project, external_id="a").batch
    make_item(batch=batch, external_id="b")
    concern = flagged(project, ada)
    submitted(concern.lease)
    reply_to(concern, Decision.DROP, by=lead, now=NOW)
    [progress] = project.batches.with_progress()
    assert (progress.finished_count, progress.counted, progress.wanted) == (0, 0, 1)


def test_a_skip_from_an_older_page_gives_back_the_newer_lease_too(
    project: Project, ada: User
) -> None:
    make_item(project=project)
    first = held(project, ada)
    first.expire(now=first.expires_at)
    second = held(project, ada)
    first.skip(reason="other", now=NOW)
    second.refresh_from_db()
    assert (second.status, names(project, ada)) == ("released", [])


def test_an_item_rated_by_a_later_lease_is_not_skipped_by_the_first(
    project: Project, ada: User
) -> None:
    make_item(project=project)
    first = held(project, ada)
    first.expire(now=first.expires_at)
    submitted(held(project, ada))
    first.skip(reason="other", now=NOW)
    assert not Concern.objects.exists()


def test_after_a_decision_the_lead_is_where_they_were(
    client: Client, project: Project, lead: User
) -> None:
    item = make_item(project=project)
    make_lease(item=item, annotator=make_user()).skip(reason="other", now=NOW)
    client.force_login(lead)
    act = reply(Concern.objects.get())
    query = "?flagged=on&target=2"
    refused = send(client, item, act, query, decision="burn", answer="Ho!").content.decode()
    assert panel_address(item, "?flagged=on") in refused
    assert "This decision is not possible here" in refused
    assert "Ho!" in refused
    back = send(client, item, act, query, decision="again").headers["Location"]
    assert back == f"/projects/eggs/items/{item.pk}/?flagged=on&target=2"


def test_only_leads_decide(client: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    held(project, ada).skip(reason="broken", now=NOW)
    client.force_login(ada)
    concern = Concern.objects.get()
    sent = fields_of(reply(concern), {"decision": "again"})
    assert client.post(panel_address(concern.item), sent).status_code == 404
    for page in ("settings/", f"batches/{project.batches.get().pk}/"):
        assert client.get(f"/projects/eggs/{page}").status_code == 404


# --- settings ---

SETTINGS = {
    "title": "Eggs",
    "status": "open",
    "wanted": "2",
    "overlap_percent": "0",
    "overlap_wanted": "3",
    "order": "shuffled",
    "grouping": "spread",
    "view": "rendered",
    "lease_minutes": "45",
    "search_address": "https://find.example/{claim}",
    **OFF,
}


def test_a_lead_sets_a_project(client: Client, project: Project, lead: User) -> None:
    item = make_item(project=project)
    client.force_login(lead)
    assert client.get("/projects/eggs/settings/").status_code == 200
    assert client.post("/projects/eggs/settings/", SETTINGS).status_code == 302
    project.refresh_from_db()
    item.refresh_from_db()
    assert (
        project.wanted,
        project.order,
        project.grouping,
        project.view,
        project.lease_minutes,
    ) == (
        2,
        "shuffled",
        "spread",
        "rendered",
        45,
    )
    assert item.wanted == 2
    assert item.group is not None


def test_two_leads_who_change_different_things_undo_nothing_of_each_other(
    client: Client, project: Project, lead: User, ada: User
) -> None:
    batch = make_batch(project=project)
    project.memberships.get_or_create(user=ada, role="annotator")
    client.force_login(lead)

    def shown(address: str) -> dict[str, str]:
        """What a browser sends of a page on which nothing was touched."""
        form = client.get(address).context["form"]
        now = {field.html_name: field.value() for field in form}
        before = {field.html_initial_name: field.initial for field in form}
        return {name: value for name, value in (now | before).items() if value not in (None, [])}

    settings, of_batch = "/projects/eggs/settings/", f"/projects/eggs/batches/{batch.pk}/"
    first, second = shown(settings), shown(settings)
    client.post(settings, first | {"status": "paused", "most_daily": "9"})
    client.post(settings, second | {"lease_minutes": "45"})
    project.refresh_from_db()
    assert (project.status, project.most_daily, project.lease_minutes) == ("paused", 9, 45)
    first, second = shown(of_batch), shown(of_batch)
    client.post(of_batch, first | {"status": "closed", "annotators": [str(ada.pk)]})
    client.post(of_batch, second | {"warning": "Speaks of war."})
    batch.refresh_from_db()
    assert (batch.status, batch.warning) == ("closed", "Speaks of war.")
    assert [each.annotator for each in batch.assignments.all()] == [ada]


def test_settings_that_make_no_sense_change_nothing(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)
    page = client.post(
        "/projects/eggs/settings/", {**SETTINGS, "wanted": "0", "overlap_percent": "101"}
    )
    assert set(page.context["form"].errors) == {"wanted", "overlap_percent"}
    project.refresh_from_db()
    assert (project.wanted, project.order) == (1, "uploaded")


def test_settings_stored_again_bring_a_change_to_its_end_that_was_broken_off(
    client: Client, project: Project, lead: User
) -> None:
    item = make_item(project=project)
    project.wanted = 2
    project.save()  # and then the program was killed
    client.force_login(lead)
    assert client.post("/projects/eggs/settings/", SETTINGS).status_code == 302
    item.refresh_from_db()
    assert item.wanted == 2


def test_an_older_project_at_hand_writes_no_older_settings_on_items(project: Project) -> None:
    item = make_item(project=project)
    stale = Project.objects.get(pk=project.pk)
    project.change(wanted=5)
    store_wanted(stale.pk, item.batch_id)
    item.refresh_from_db()
    assert item.wanted == 5


def test_a_batch_whose_annotator_has_left_does_not_look_like_everybodys(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    batch = make_item(project=project).batch
    batch.assignments.create(annotator=ada)
    project.memberships.filter(user=ada).delete()
    client.force_login(lead)
    field = client.get(f"/projects/eggs/batches/{batch.pk}/").context["form"]["annotators"]
    assert [str(choice.choice_label) for choice in field if choice.data["selected"]] == ["ada"]


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
    assert (
        client.post(address, {**sent, "annotators": [lead.pk]}).status_code == 200
    )  # no annotator here
