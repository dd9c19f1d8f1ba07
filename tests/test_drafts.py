"""What is entered and not submitted yet: kept with every verdict, found again, never passed over
unseen."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from config.outage import last_wait
from tasks.models import Draft, Lease, Project, Rating, ReturnedRating, UnseenDraft
from tasks.queue.revising import correct_rating
from tasks.queue.saving import save_form
from tasks.queue.submitting import submit_lease
from tasks.submission import DraftVersion
from tests.desk_steps import HTMX, ONE, OTHER, held, page, scored, start, url
from tests.factories import (
    make_item,
    make_lease,
    make_rating,
    make_submission,
    make_user,
)
from tests.waiting import at_once, until_one_waits_for_us

pytestmark = pytest.mark.django_db


@pytest.fixture
def lease(desk: Client, project: Project, ada: User) -> Lease:
    """Of the first of two items."""
    make_item(project=project, external_id="first")
    make_item(project=project, batch=project.batches.first(), external_id="second")
    return start(desk, project, ada)


def shown(desk: Client) -> str:
    return desk.get("/projects/eggs/desk/").content.decode()


def test_a_verdict_keeps_the_whole_form(desk: Client, lease: Lease) -> None:
    said = {
        "r1.quality.helpful": "partly",
        "r1.comment": "Hm.",
        "comment": "  two blanks",
        "r2.quality": "4",
    }
    answer = desk.post(
        url(lease, "verdict") + "?row=r1-quality",
        said | page() | {"active_seconds": "31"},
        headers=HTMX,
    )
    assert answer.status_code == 200
    assert re.search(r"\bSaved \d\d:\d\d\b", answer.content.decode())
    kept = Draft.objects.get()
    assert (kept.answers, kept.active_seconds, kept.revision) == (said, 31, 1)


def test_the_form_comes_back_as_it_was_left(desk: Client, lease: Lease) -> None:
    desk.post(url(lease, "draft"), {"r1.quality": "4", "r1.comment": "Half"} | page(), headers=HTMX)
    again = shown(desk)
    assert re.search(r'id="r1-quality-4" name="r1.quality" value="4"\s+checked', again)
    assert ">Half</textarea>" in again
    assert 'name="draft_revision" value="1"' in again


def test_without_javascript_the_draft_is_kept_by_check_and_leads_back_to_the_desk(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease, "verdict"), {"comment": "Checked"} | page(0))
    assert Draft.objects.get().answers == {"comment": "Checked"}
    answer = desk.post(url(lease, "draft"), {"comment": "Sent"} | page(0))
    assert (answer.status_code, answer["Location"]) == (302, "/projects/eggs/desk/")
    assert Draft.objects.get().answers == {"comment": "Sent"}


def test_a_page_goes_on_from_what_it_wrote_and_what_comes_late_changes_nothing(
    desk: Client, lease: Lease
) -> None:
    for number, text in ((1, "a"), (3, "abc"), (2, "ab")):
        answer = desk.post(url(lease, "draft"), {"comment": text} | page(number), headers=HTMX)
        assert answer.status_code == 200
    assert Draft.objects.get().answers == {"comment": "abc"}


def test_a_stale_page_gets_409_and_both_versions_and_changes_nothing(
    desk: Client, lease: Lease
) -> None:
    desk.post(
        url(lease, "draft"), {"comment": "At the office", "r1.quality": "3"} | page(), headers=HTMX
    )
    stale = {"comment": "At home", "r1.quality": "3"} | page(writer=OTHER)
    for step in ("draft", "verdict", "verdict/?row=r1-quality", "submit"):
        answer = desk.post(
            url(lease, step).removesuffix("/") + "/" * ("?" not in step), stale, headers=HTMX
        )
        text = answer.content.decode()
        assert (step, answer.status_code) == (step, 409)
        assert "At the office" in text
        assert "At home" in text
        assert (
            "Response A, Quality" not in text.split("<tbody>")[1].split("</tbody>")[0]
        )  # there they agree
        assert Draft.objects.get().answers["comment"] == "At the office"
    assert not Rating.objects.exists()


def test_each_choice_between_two_versions_names_what_it_discards(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "There."} | page(), headers=HTMX)
    said = {"r2.quality": "4", "comment": ""} | page(writer=OTHER)
    shown = " ".join(desk.post(url(lease, "draft"), said, headers=HTMX).content.decode().split())
    keep, load = re.findall(r"Discards: <b>([^<]*)</b>", shown)
    assert (keep, load) == ("Comment on the whole item", "Response B, Quality")


def test_what_a_browser_kept_is_saved_as_its_own_page_would_have_saved_it(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "On a tr"} | page(3), headers=HTMX)
    kept = {"comment": "On a train", "kept": "1"}
    for _again in range(2):  # the second time it is there already
        answer = desk.post(url(lease, "draft"), kept | page(4), headers=HTMX)
        assert (answer.status_code, answer["Draft-Revision"]) == (200, "2")
    assert Draft.objects.get().answers == {"comment": "On a train"}
    desk.post(url(lease, "draft"), {"comment": "At home"} | page(writer=OTHER, based_on=2))
    late = desk.post(url(lease, "draft"), kept | page(5), headers=HTMX)
    assert late.status_code == 409
    assert "You changed first in another window" in late.content.decode()
    assert Draft.objects.get().answers == {"comment": "At home"}


def test_a_page_that_was_shown_the_draft_may_write_it(desk: Client, lease: Lease) -> None:
    desk.post(url(lease, "draft"), {"comment": "Office"} | page(), headers=HTMX)
    later = desk.post(
        url(lease, "draft"), {"comment": "Home"} | page(writer=OTHER, based_on=1), headers=HTMX
    )
    assert later.status_code == 200
    assert Draft.objects.get().answers == {"comment": "Home"}
    # And now the first is the stale one.
    assert (
        desk.post(url(lease, "draft"), {"comment": "O"} | page(2), headers=HTMX).status_code == 409
    )


def test_two_pages_that_say_the_same_are_no_conflict(desk: Client, lease: Lease) -> None:
    for writer, number in ((ONE, 14), (OTHER, 1)):
        answer = desk.post(
            url(lease, "draft"), {"comment": "Same"} | page(number, writer=writer), headers=HTMX
        )
        assert answer.status_code == 200
    assert Draft.objects.get().writer == OTHER


def test_a_page_that_goes_on_from_anothers_draft_counts_its_own_versions(
    desk: Client, lease: Lease
) -> None:
    """Else all that it saved up to the other's number would be taken for late."""
    desk.post(url(lease, "draft"), {"comment": "Same"} | page(14), headers=HTMX)
    for number, comment in enumerate(("Same", "Same, and more"), start=1):
        sent = {"comment": comment} | page(number, writer=OTHER)
        assert desk.post(url(lease, "draft"), sent, headers=HTMX).status_code == 200
        assert Draft.objects.get().answers == {"comment": comment}


def test_a_page_that_shows_both_versions_may_submit_once_its_own_was_kept(
    desk: Client, project: Project, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "Office"} | page(), headers=HTMX)
    said = scored(lease) | {"comment": "Home"}
    for _again in range(2):  # neither a second press nor a reload of the form chooses
        refused = desk.post(url(lease), said | page(writer=OTHER), headers=HTMX).content.decode()
        assert f'name="draft_writer" value="{OTHER}"' in refused
        assert 'type="hidden" name="draft_revision" value="0"' in refused
        assert ">Home</textarea>" in refused
    assert not Rating.objects.exists()
    kept = desk.post(url(lease, "draft"), said | page(2, writer=OTHER, based_on=1), headers=HTMX)
    assert kept.status_code == 200
    desk.post(url(lease), said | page(3, writer=OTHER), headers=HTMX)
    assert Rating.objects.get().comment == "Home"


def test_a_submit_that_comes_late_leaves_a_later_draft_of_its_own_page(
    desk: Client, lease: Lease
) -> None:
    later = scored(lease) | {"comment": "And a paragraph"}
    desk.post(url(lease, "draft"), later | page(6), headers=HTMX)
    late = desk.post(url(lease), scored(lease) | page(5), headers=HTMX)
    assert (late.status_code, Rating.objects.exists()) == (409, False)
    assert Draft.objects.get().answers["comment"] == "And a paragraph"


def test_the_draft_after_one_that_was_given_up_is_not_taken_for_it(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease), scored(lease) | page(), headers=HTMX)
    where = f"/projects/eggs/ratings/{Rating.objects.get().pk}/"
    desk.post(f"{where}draft/", {"comment": "First"} | page(writer="3" * 16), headers=HTMX)
    shown = Draft.objects.get().revision
    given_up = {"discard": "1"} | page(2, writer="3" * 16)
    desk.post(f"{where}draft/", given_up, headers=HTMX)
    desk.post(f"{where}draft/", {"comment": "Second"} | page(writer="4" * 16), headers=HTMX)
    stale = {"comment": "Third"} | page(writer="5" * 16, based_on=shown)
    assert desk.post(f"{where}draft/", stale, headers=HTMX).status_code == 409
    assert Draft.objects.get().answers == {"comment": "Second"}


def test_a_draft_goes_when_it_has_become_a_rating(desk: Client, lease: Lease) -> None:
    desk.post(url(lease, "draft"), {"comment": "Draft"} | page(), headers=HTMX)
    desk.post(url(lease), scored(lease) | page(2), headers=HTMX)
    assert Rating.objects.count() == 1
    assert not Draft.objects.exists()
    # What was on its way meanwhile comes to nothing, and nobody is told of a conflict.
    for step in ("draft", "verdict"):
        late = desk.post(url(lease, step), {"comment": "Draft!"} | page(1), headers=HTMX)
        assert late.status_code == 200
        assert not Draft.objects.exists()


def test_a_refused_submit_is_kept_as_a_draft(desk: Client, lease: Lease) -> None:
    desk.post(url(lease), {"comment": "Not a score yet"} | page(), headers=HTMX)
    assert not Rating.objects.exists()
    assert Draft.objects.get().answers == {"comment": "Not a score yet"}


def test_a_draft_outlives_its_lease_and_comes_with_the_next(
    desk: Client, project: Project, ada: User, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "Begun"} | page(), headers=HTMX)
    Lease.objects.filter(pk=lease.pk).update(
        status="expired", ended_at=timezone.now(), expires_at=timezone.now() - timedelta(hours=1)
    )
    desk.post(url(lease, "draft"), {"comment": "Begun, and on"} | page(2), headers=HTMX)
    again = make_lease(item=lease.item, annotator=ada, now=timezone.now())
    assert ">Begun, and on</textarea>" in shown(desk)
    desk.post(url(again), scored(again) | page(writer=OTHER, based_on=2), headers=HTMX)
    assert not Draft.objects.exists()


def test_the_next_item_comes_with_what_was_entered_of_it_before(
    desk: Client, project: Project, ada: User, lease: Lease
) -> None:
    second = project.items.get(external_id="second")
    past = make_lease(
        item=second, annotator=ada, status="expired", ended_at=timezone.now(), now=timezone.now()
    )
    desk.post(url(past, "draft"), {"comment": "Of the second"} | page(), headers=HTMX)
    following = desk.post(
        url(lease), scored(lease) | page(writer=OTHER), headers=HTMX
    ).content.decode()
    assert ">Of the second</textarea>" in following
    assert held(ada).item == second


def test_what_came_back_starts_from_its_draft_not_from_the_rating(
    desk: Client, project: Project, ada: User
) -> None:
    rating = make_rating(item=make_item(project=project), annotator=ada, comment="Said at first")
    ReturnedRating.objects.send_back(rating, "Look again", cause="flag 1", now=timezone.now())
    address = f"/projects/eggs/ratings/{rating.pk}/"
    assert ">Said at first</textarea>" in desk.get(address).content.decode()
    desk.post(f"{address}draft/", {"r1.quality": "2"} | page(), headers=HTMX)
    again = desk.get(address).content.decode()
    assert ">Said at first</textarea>" not in again  # it was taken out, and stays out
    assert re.search(r'id="r1-quality-2" name="r1.quality" value="2"\s+checked', again)


@pytest.mark.django_db(transaction=True)
def test_a_draft_that_is_on_its_way_when_its_lease_is_submitted_is_not_left_over(
    ada: User, project: Project
) -> None:
    lease = make_lease(item=make_item(project=project), annotator=ada)
    save_form(lease, DraftVersion(ONE), {"comment": "Said"}, now=timezone.now())
    late: list[int | None] = []

    def save() -> None:
        late.append(
            save_form(lease, DraftVersion(ONE, 2), {"comment": "Said b"}, now=timezone.now())
        )
        connection.close()

    thread = threading.Thread(target=save)
    with transaction.atomic():
        submit_lease(
            Lease.objects.get(pk=lease.pk), make_submission(lease=lease), now=timezone.now()
        )
        thread.start()
        until_one_waits_for_us()
    thread.join()
    assert (late, Draft.objects.exists()) == ([None], False)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["rating", "correction"])
def test_a_draft_saved_beside_a_submit_is_never_removed_unseen(
    ada: User, project: Project, kind: str
) -> None:
    """Two windows of one annotator, 100 times: one saves, and the other submits or corrects."""
    ways = Counter[str]()
    for number in range(100):
        lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
        said = replace(make_submission(lease=lease, comment="Here"), sent_by=DraftVersion(ONE, 1))
        corrects = None
        finish: Callable[[], object] = partial(submit_lease, lease, said, now=timezone.now())
        if kind == "correction":
            corrects = submit_lease(lease, make_submission(lease=lease), now=timezone.now())
            finish = partial(correct_rating, corrects, said, based_on=1, now=timezone.now())
        save: Callable[[], object] = partial(
            save_form,
            Lease.objects.get(pk=lease.pk),
            DraftVersion(OTHER, 1),
            {"comment": "There"},
            corrects=corrects,
            now=timezone.now(),
        )
        both: list[Callable[[], object]] = [save, partial(unless_refused, finish)]
        saved, stored = at_once(both, delays=(0, (number - 50) / 10_000))
        way = (bool(saved), bool(stored), Draft.objects.filter(item=lease.item).exists())
        assert way in ((True, False, True), (False, True, False))
        ways["saved" if saved else "stored"] += 1
        lease.refresh_from_db()
        lease.release(now=timezone.now())
    assert min(ways["saved"], ways["stored"]) > 10  # both came first now and then


def unless_refused(act: Callable[[], object]) -> object:
    """The result, or None where a draft was in the way."""
    try:
        return act()
    except UnseenDraft:
        return None


@pytest.mark.parametrize(
    "wrong",
    [
        {"draft_number": str(2**31)},
        {"draft_revision": "-1"},
        {"draft_writer": "not of ours"},
    ],
)
def test_what_could_not_be_kept_is_not_said_to_be_saved(
    desk: Client, lease: Lease, wrong: dict[str, str]
) -> None:
    for step in ("draft", "verdict", "submit"):
        sent = scored(lease) | {"comment": "Lost?"} | page() | wrong
        assert desk.post(url(lease, step), sent, headers=HTMX).status_code == 400
    assert not Draft.objects.exists()


def test_only_ones_own_lease_takes_a_draft(client: Client, lease: Lease) -> None:
    client.force_login(make_user(name="ben"))
    assert (
        client.post(url(lease, "draft"), {"comment": "x"} | page(), headers=HTMX).status_code == 404
    )
    assert not Draft.objects.exists()


def test_a_nul_in_a_text_is_no_error_of_the_server(desk: Client, lease: Lease) -> None:
    assert (
        desk.post(url(lease, "draft"), {"comment": "a\0b"} | page(), headers=HTMX).status_code
        == 200
    )
    assert Draft.objects.get().answers == {"comment": "a\N{REPLACEMENT CHARACTER}b"}


def test_signing_out_wipes_what_the_browser_keeps(desk: Client) -> None:
    assert desk.post("/accounts/logout/")["Clear-Site-Data"] == '"storage"'
    assert "Clear-Site-Data" not in desk.post("/accounts/login/")


def test_what_the_browser_keeps_is_wiped_by_nothing_but_a_log_out_that_was_done(
    desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    another_site = Client(enforce_csrf_checks=True)
    for who in (make_user(name="eva"), None):
        if who:
            another_site.force_login(who)
        else:
            another_site.cookies.clear()
        refused = another_site.post("/accounts/logout/")
        assert refused.status_code == 403
        assert "Clear-Site-Data" not in refused
    assert "Clear-Site-Data" not in desk.get("/accounts/logout/")
    with monkeypatch.context() as away:
        away.setattr(last_wait, "is_fresh", lambda: True)
        unavailable = desk.post("/accounts/logout/")
    assert unavailable.status_code == 503
    assert "Clear-Site-Data" not in unavailable
    assert "Clear-Site-Data" in desk.post("/accounts/logout/")
