"""Drafts: every page saves its own, the newest one is shown, and the others are one link away."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from config.outage import last_wait
from tasks.answers.submission import DraftVersion
from tasks.models import Batch, Draft, Lease, Project, Rating, ReturnedRating
from tasks.queue.live_leases import lease_of
from tasks.queue.saving import save_form
from tasks.queue.submitting import correct_rating, submit_lease
from tests.desk_steps import HTMX, ONE, OTHER, held, page, scored, start, url
from tests.factories import make_item, make_lease, make_rating, make_submission, make_user
from tests.waiting import at_once, until_one_waits_for_us

pytestmark = pytest.mark.django_db
DESK = "/projects/eggs/desk/"


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
    assert (kept.answers, kept.active_seconds, kept.version) == (said, 31, f"{ONE}.1")


def test_the_form_comes_back_as_it_was_left(desk: Client, lease: Lease) -> None:
    desk.post(url(lease, "draft"), {"r1.quality": "4", "r1.comment": "Half"} | page(), headers=HTMX)
    again = shown(desk)
    assert re.search(r'id="r1-quality-4" name="r1.quality" value="4"\s+checked', again)
    assert ">Half</textarea>" in again
    assert f'name="draft_shown" value="{ONE}.1"' in again


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


def link_to(draft: Draft) -> str:
    return f'href="/projects/eggs/desk/?draft={draft.writer}">Open that version</a>'


def test_two_windows_save_beside_each_other_and_the_newest_is_shown_with_a_link_to_the_other(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "At the office"} | page(), headers=HTMX)
    office = Draft.objects.get()
    for step in ("draft", "verdict", "verdict/?row=r1-quality"):
        where = url(lease, step) if "?" not in step else url(lease, step).removesuffix("/")
        answer = desk.post(where, {"comment": "At home"} | page(writer=OTHER), headers=HTMX)
        assert (step, answer.status_code) == (step, 200)
        assert (step, link_to(office) in answer.content.decode()) == (step, True)
    home = Draft.objects.get(writer=OTHER)
    again = shown(desk)
    assert ">At home</textarea>" in again
    assert link_to(office) in again
    other = desk.get(f"/projects/eggs/desk/?draft={office.writer}").content.decode()
    assert ">At the office</textarea>" in other
    assert f'name="draft_shown" value="{office.version}"' in other
    assert link_to(home) in other
    desk.post(url(lease, "draft"), {"comment": "Office."} | page(2), headers=HTMX)
    assert ">Office.</textarea>" in shown(desk)


def test_the_version_that_a_page_goes_on_from_is_no_other_version(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "Begun"} | page(), headers=HTMX)
    begun = Draft.objects.get()
    further = {"comment": "Begun, and on"} | page(writer=OTHER, shown=begun.version)
    answer = desk.post(url(lease, "draft"), further, headers=HTMX).content.decode()
    assert "Open that version" not in answer + shown(desk)
    assert ">Begun, and on</textarea>" in desk.get(f"{DESK}?draft={begun.writer}").content.decode()
    # The window that began it is still there, and writes more.
    desk.post(url(lease, "draft"), {"comment": "Begun here"} | page(2), headers=HTMX)
    assert link_to(Draft.objects.get(writer=OTHER)) in shown(desk)
    assert ">Begun here</textarea>" in shown(desk)


def test_versions_that_say_the_same_are_one(desk: Client, lease: Lease) -> None:
    for writer, number in ((ONE, 14), (OTHER, 1)):
        sent = {"comment": "Same"} | page(number, writer=writer)
        answer = desk.post(url(lease, "draft"), sent, headers=HTMX).content.decode()
        assert "Open that version" not in answer + shown(desk)


def test_an_item_has_the_five_newest_drafts_of_a_person_and_none_that_another_page_goes_on_from(
    desk: Client, lease: Lease
) -> None:
    for number in range(8):
        version = f"{number - 1:016}.1" if number in (3, 7) else ""
        sent = {"comment": str(number)} | page(writer=f"{number:016}", shown=version)
        desk.post(url(lease, "draft"), sent, headers=HTMX)
    # The third and the seventh were continued, by the fourth and the eighth: they went first.
    assert sorted(each.answers["comment"] for each in Draft.objects.all()) == list("13457")


def test_a_request_that_is_older_than_a_submitted_version_brings_no_draft_back(
    desk: Client, lease: Lease
) -> None:
    """It was cut off, and waited at the server while another page went on."""
    desk.post(url(lease, "draft"), {"comment": "abc"} | page(2), headers=HTMX)
    submitted = scored(lease) | {"comment": "abcd"} | page(writer=OTHER, shown=f"{ONE}.2")
    assert desk.post(url(lease), submitted, headers=HTMX).status_code == 200
    for number, text in ((1, "a"), (2, "abc")):
        desk.post(url(lease, "draft"), {"comment": text} | page(number), headers=HTMX)
        assert not Draft.objects.exists()
    desk.post(url(lease, "draft"), {"comment": "abc, and more"} | page(3), headers=HTMX)
    assert Draft.objects.get().answers == {"comment": "abc, and more"}


def test_a_request_that_is_older_than_a_version_pushed_out_brings_no_draft_back(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "abc"} | page(2), headers=HTMX)
    newer = ["3" * 16, "4" * 16, "5" * 16, "6" * 16, "7" * 16]
    for writer in newer:
        desk.post(url(lease, "draft"), {"comment": writer} | page(writer=writer), headers=HTMX)
    desk.post(url(lease, "draft"), {"comment": "a"} | page(1), headers=HTMX)
    assert [*Draft.objects.order_by("pk").values_list("writer", flat=True)] == newer
    desk.post(url(lease, "draft"), {"comment": "abcd"} | page(3), headers=HTMX)
    assert ONE in Draft.objects.values_list("writer", flat=True)


def test_a_submit_leaves_the_drafts_of_other_pages_beside_the_rating(
    desk: Client, lease: Lease
) -> None:
    for number, writer in enumerate(("3" * 16, "4" * 16)):
        sent = {"comment": f"Elsewhere {number}"} | page(writer=writer)
        desk.post(url(lease, "draft"), sent, headers=HTMX)
    first, second = Draft.objects.order_by("pk")
    submitted = scored(lease) | {"comment": "Here"} | page(shown=first.version)
    assert desk.post(url(lease), submitted, headers=HTMX).status_code == 200
    rating = Rating.objects.get()
    assert (rating.comment, [*Draft.objects.all()]) == ("Here", [second])  # it was shown the first
    where = f"/projects/eggs/ratings/{rating.pk}/"
    saved = desk.get(where).content.decode()
    assert ">Here</textarea>" in saved
    assert f'href="{where}?draft={second.writer}">Open that version</a>' in saved
    version = desk.get(f"{where}?draft={second.writer}").content.decode()
    assert ">Elsewhere 1</textarea>" in version
    assert "This version was not submitted" in version
    further = page(writer="5" * 16, shown=second.version)
    desk.post(f"{where}draft/", {"comment": "Elsewhere, better"} | further, headers=HTMX)
    begun = desk.get(where).content.decode()
    assert "You started a correction" in begun
    assert "Open that version" not in begun
    desk.post(f"{where}draft/", {"discard": "1"} | page(writer="6" * 16, shown=f"{'5' * 16}.1"))
    assert not Draft.objects.exists()


def test_beside_a_rating_that_can_only_be_read_other_versions_can_be_read_too(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "Elsewhere"} | page(writer=OTHER), headers=HTMX)
    desk.post(url(lease), scored(lease) | page(), headers=HTMX)
    Batch.objects.update(status="closed")
    where = f"/projects/eggs/ratings/{Rating.objects.get().pk}/"
    address = f"{where}?draft={Draft.objects.get().writer}"
    assert f'href="{address}"' in desk.get(where).content.decode()
    assert re.search(r"<td[^>]*>Elsewhere</td>", desk.get(address).content.decode())


def test_a_form_from_the_browsers_store_is_saved_as_its_own_page_would_have(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease, "draft"), {"comment": "On a tr"} | page(3), headers=HTMX)
    kept = {"comment": "On a train", "kept": "1"}
    for _again in range(2):  # the second time it is there already
        answer = desk.post(url(lease, "draft"), kept | page(4), headers=HTMX)
        assert answer.status_code == 200
    assert Draft.objects.get().answers == {"comment": "On a train"}


def test_a_submit_that_comes_late_leaves_a_later_draft_of_its_own_page(
    desk: Client, lease: Lease
) -> None:
    later = scored(lease) | {"comment": "And a paragraph"}
    desk.post(url(lease, "draft"), later | page(6), headers=HTMX)
    late = desk.post(url(lease), scored(lease) | page(5), headers=HTMX)
    assert (late.status_code, Rating.objects.get().comment) == (200, "")
    assert Draft.objects.get().answers["comment"] == "And a paragraph"


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
    desk.post(url(again), scored(again) | page(writer=OTHER, shown=f"{ONE}.2"), headers=HTMX)
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


def test_a_returned_rating_starts_from_its_draft_not_from_the_rating(
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
    said = replace(make_submission(lease=lease), sent_by=DraftVersion(ONE, 3))
    with transaction.atomic():
        submit_lease(Lease.objects.get(pk=lease.pk), said, now=timezone.now())
        thread.start()
        until_one_waits_for_us()
    thread.join()
    assert (late, Draft.objects.exists()) == ([None], False)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["rating", "correction"])
@pytest.mark.parametrize("writer", [ONE, OTHER])
def test_a_draft_saved_beside_a_submit_is_never_lost(
    ada: User, project: Project, kind: str, writer: str
) -> None:
    """A submit or a correction, and a draft at the same moment, 40 times.

    The draft of another page is saved beside the rating, or its page is told that it is not. One
    that the page of the submit had sent before is part of what it submits. The one that came first
    starts a little later in the next round, so both orders are seen on a slow machine, too.
    """
    ways = Counter[bool]()
    delay = 0.0  # seconds by which the submit begins later
    for _round in range(40):
        lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
        said = replace(make_submission(lease=lease, comment="Here"), sent_by=DraftVersion(ONE, 2))
        corrects = None
        finish: Callable[[], object] = partial(submit_lease, lease, said, now=timezone.now())
        if kind == "correction":
            corrects = submit_lease(lease, make_submission(lease=lease), now=timezone.now())
            finish = partial(correct_rating, corrects, said, based_on=1, now=timezone.now())
        save: Callable[[], object] = partial(
            save_form,
            Lease.objects.get(pk=lease.pk),
            DraftVersion(writer, 1),
            {"comment": "There"},
            corrects=corrects,
            now=timezone.now(),
        )
        saved, _stored = at_once([save, finish], delays=(0, delay))
        delay += -0.0005 if saved else 0.0005
        assert Rating.objects.filter(item=lease.item).latest("pk").comment == "Here"
        after = lease_of(ada, "eggs", lease.pk)
        assert after is not None
        left = [each.writer for each in after.drafts]
        if (kind, writer) == ("correction", ONE):  # its late drafts are beside it too
            assert left in ([], [ONE])
        else:
            assert left == ([OTHER] if saved and writer == OTHER else [])
        ways[bool(saved)] += 1
        lease.refresh_from_db()
        lease.release(now=timezone.now())
    if (kind, writer) == ("rating", ONE):  # the others are saved whatever comes first
        assert min(ways[True], ways[False]) > 4  # both came first now and then


@pytest.mark.django_db(transaction=True)
def test_two_windows_that_save_at_once_lose_nothing(ada: User, project: Project) -> None:
    for _round in range(40):
        lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
        saves: list[Callable[[], object]] = [
            partial(
                save_form,
                Lease.objects.get(pk=lease.pk),
                DraftVersion(writer, number),
                {"comment": f"{writer} {number}"},
                now=timezone.now(),
            )
            for writer, number in ((ONE, 1), (OTHER, 1), (ONE, 2), (OTHER, 2))
        ]
        assert None not in at_once(saves)
        saved = Draft.objects.filter(item=lease.item, continued=False)
        assert {each.answers["comment"] for each in saved} == {f"{ONE} 2", f"{OTHER} 2"}
        lease.release(now=timezone.now())


@pytest.mark.parametrize(
    "wrong",
    [
        {"draft_number": str(2**31)},
        {"draft_shown": "-1"},
        {"draft_writer": "not of ours"},
    ],
)
def test_a_form_that_cannot_be_stored_is_not_said_to_be_saved(
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


def test_only_a_successful_log_out_wipes_the_browsers_store(
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


# --- forms that arrive late, again or unchanged ---


@pytest.fixture
def where(desk: Client, lease: Lease) -> str:
    """The page of a rating; its first revision has the comment "R1"."""
    desk.post(url(lease), scored(lease) | {"comment": "R1"} | page(), headers=HTMX)
    return f"/projects/eggs/ratings/{Rating.objects.get().pk}/"


def revised(lease: Lease, comment: str) -> dict[str, str]:
    return scored(lease) | {"comment": comment, "revision": "1"}


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


@pytest.mark.parametrize("step", ["submit", "verdict", "draft"])
def test_without_javascript_what_is_sent_after_ones_submit_is_saved_beside_it(
    desk: Client, lease: Lease, step: str
) -> None:
    desk.post(url(lease), scored(lease) | {"comment": "First"} | page(0))
    more = desk.post(url(lease, step), scored(lease) | {"comment": "First, and on"} | page(0))
    assert "This version is saved beside your rating" in words(more)
    assert Draft.objects.get().answers["comment"] == "First, and on"


@pytest.mark.django_db(transaction=True)
def test_a_correction_that_waits_for_another_one_is_saved_all_the_same(
    ada: User, project: Project
) -> None:
    lease = make_lease(item=make_item(project=project), annotator=ada)
    first = submit_lease(lease, make_submission(lease=lease), now=timezone.now())
    save = partial(save_form, lease, corrects=first, now=timezone.now())
    save(DraftVersion(OTHER, 1), {"comment": "abc"})
    said = replace(make_submission(lease=lease, comment="R2"), sent_by=DraftVersion(ONE, 1))
    both: list[Callable[[], object]] = [
        partial(save, DraftVersion(OTHER, 2), {"comment": "abcdef"}),
        partial(correct_rating, first, said, based_on=1, now=timezone.now()),
    ]
    assert at_once(both)[0] == 2
    assert Draft.objects.get().answers == {"comment": "abcdef"}


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_draft_that_is_older_than_a_correction_is_not_what_its_page_begins_with(
    desk: Client, lease: Lease, where: str, is_answered: bool
) -> None:
    writer = OTHER if is_answered else "4" * 16
    desk.post(f"{where}correct/", revised(lease, "R2 whole") | page(4, writer=OTHER), headers=HTMX)
    desk.post(f"{where}draft/", revised(lease, "R2 wh") | page(3, writer=writer), headers=HTMX)
    shown = words(desk.get(where))
    assert ">R2 whole</textarea>" in shown
    assert "You started a correction" not in shown


def test_a_correction_sent_again_is_confirmed_as_what_it_was(
    desk: Client, lease: Lease, where: str
) -> None:
    for number in (4, 5):
        sent = revised(lease, "R2") | page(number, writer=OTHER)
        assert "Your first answers are kept" in words(
            desk.post(f"{where}correct/", sent, headers=HTMX)
        )
    assert Rating.objects.count() == 2


def test_a_correction_sent_again_deletes_no_newer_draft_of_its_page(
    desk: Client, lease: Lease, where: str
) -> None:
    desk.post(f"{where}correct/", revised(lease, "R2") | page(4, writer=OTHER), headers=HTMX)
    desk.post(f"{where}draft/", revised(lease, "and more") | page(6, writer=OTHER), headers=HTMX)
    kept = revised(lease, "R2") | {"kept": "1"} | page(5, writer=OTHER)
    desk.post(f"{where}correct/", kept, headers=HTMX)
    assert Draft.objects.get().answers["comment"] == "and more"


def test_a_correction_checked_without_javascript_is_one_that_was_started(
    desk: Client, lease: Lease, where: str
) -> None:
    checked = desk.post(f"{where}verdict/", revised(lease, "Better") | page(0, writer=OTHER))
    assert "You started a correction" in words(checked)


def test_an_untouched_page_of_an_older_revision_leaves_nothing(
    desk: Client, lease: Lease, where: str
) -> None:
    desk.post(f"{where}correct/", revised(lease, "R2") | page(4, writer=OTHER), headers=HTMX)
    untouched = revised(lease, "R1") | {"leave": "1"} | page(writer="3" * 16)
    assert "HX-Redirect" in desk.post(f"{where}draft/", untouched, headers=HTMX)
    assert not Draft.objects.exists()


def test_leaving_an_untouched_page_saves_nothing(desk: Client, lease: Lease) -> None:
    leave = {"comment": "", "leave": "1"} | page(writer="3" * 16)
    desk.post(url(lease, "draft"), leave, headers=HTMX)
    assert not Draft.objects.exists()
    desk.post(url(lease, "draft"), {"comment": "Office"} | page(), headers=HTMX)
    desk.post(url(lease, "draft"), {"comment": "Home"} | page(writer=OTHER), headers=HTMX)
    desk.post(url(lease, "draft"), leave, headers=HTMX)  # it came before both
    read = {"comment": "Office", "leave": "1"} | page(writer="4" * 16, shown=f"{ONE}.1")
    desk.post(url(lease, "draft"), read, headers=HTMX)
    assert ">Home</textarea>" in shown(desk)
    assert Draft.objects.count() == 2


def test_an_item_that_was_skipped_is_not_called_half_done(desk: Client, lease: Lease) -> None:
    desk.post(url(lease, "draft"), {"comment": "Hm"} | page(), headers=HTMX)
    desk.post(url(lease, "skip"), {"reason": "unclear", "note": ""}, headers=HTMX)
    assert "half done" not in words(desk.get("/"))


def test_a_form_of_a_former_lease_from_the_browsers_store_leads_to_no_other_item(
    desk: Client, ada: User, lease: Lease
) -> None:
    lease.release(now=timezone.now())
    second = lease.project.items.get(external_id="second")
    make_lease(item=second, annotator=ada, now=timezone.now())
    kept = {"comment": "Typed offline", "kept": "1"} | page(3)
    panel = words(desk.post(url(lease), kept, headers=HTMX))
    assert "first is not submitted yet" in panel
    assert "If it comes back to you, what you had entered is there." in panel
    assert "href=" not in panel
