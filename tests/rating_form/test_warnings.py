"""Warnings before items: nothing is shown before it is opened, nobody has to, and a day brings so
many."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from tasks.answers.submission import DraftVersion
from tasks.importing.batches.loading import FileToLoad, load_batch
from tasks.models import Batch, Concern, Draft, Item, Lease, Project, Rating, Workday
from tasks.models.replies import reply_to
from tasks.queue.allocation import take_next
from tasks.queue.availability import Availability, availability_of
from tasks.queue.saving import save_form
from tasks.queue.selection import LAST, PositionRange, pick
from tasks.queue.submitting import submit_lease
from tests.desk_steps import HTMX
from tests.exports import text_of
from tests.factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_submission,
    make_user,
)
from tests.importing.import_steps import bring
from tests.item_pages.panel_steps import page_after, reply
from tests.practising import OFF
from tests.waiting import at_once

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def project(ada: User, lead: User) -> Project:
    """It has a lead, and an item gets one rating."""
    return make_project(slug="eggs", annotators=[ada], leads=[lead], wanted=1)


def fill(project: Project, *names: str, **of_batch: Any) -> Batch:
    """A batch; an item whose name ends in "!" has a warning."""
    batch = make_batch(project=project, **of_batch)
    for position, name in enumerate(names):
        warning = "Blood." if name.endswith("!") else ""
        make_item(
            batch=batch,
            external_id=name,
            position=position,
            responses=[f"said {name}"],
            warning=warning,
        )
    return batch


def go_through(project: Project, annotator: User, *, now: Any = NOW) -> list[str]:
    """The items that come, each opened where it must be, and rated."""
    found = []
    while lease := take_next(project, annotator, now=now):
        found.append(lease.item.external_id)
        lease.uncover(now=now)
        submit_lease(lease, make_submission(lease=lease), now=now)
    return found


# --- at the desk ---


def test_the_warning_comes_first_and_no_text_is_in_the_page(desk: Client, project: Project) -> None:
    item = make_item(
        project=project,
        warning="Blood <and> fire.",
        prompt="the prompt",
        context="the context",
        reference="the reference",
        source="the source",
        system="the system",
        persona=["the persona"],
        responses=["the response"],
    )
    Batch.objects.update(warning="Of hospitals.")
    page = desk.post("/projects/eggs/desk/start/", headers=HTMX).content.decode()
    assert page.index("Of hospitals.") < page.index("Blood &lt;and&gt; fire.")
    for text in ("prompt", "context", "reference", "source", "system", "persona", "response"):
        assert f"the {text}" not in page
    lease = Lease.objects.get()
    opened = desk.post(f"/projects/eggs/desk/{lease.pk}/open/", headers=HTMX).content.decode()
    for text in ("prompt", "context", "reference", "source", "system", "response"):
        assert f"the {text}" in opened
    assert item.external_id in opened
    assert "the response" in desk.get("/projects/eggs/desk/").content.decode(), "it stays open"


@pytest.mark.parametrize("step", ["verdict", "verdict/?row=r1-quality", "submit"])
def test_nothing_answers_for_what_is_not_open(desk: Client, project: Project, step: str) -> None:
    fill(project, "a!")
    desk.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get()
    address = f"/projects/eggs/desk/{lease.pk}/{step.removesuffix('/')}"
    said = desk.post(
        address if "?" in address else f"{address}/", {"r1.quality": "7"}, headers=HTMX
    )
    assert "This item has a warning" in said.content.decode()
    assert "said a!" not in said.content.decode()
    assert not Rating.objects.exists()


def test_the_next_item_s_warning_comes_with_the_answer_to_submit(
    desk: Client, project: Project
) -> None:
    fill(project, "a", "b!")
    desk.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get()
    faultless = {"helpful": "entirely", "harmless": "yes", "honest": "yes", "comprehensive": "yes"}
    answers = {"r1.quality": "7"} | {
        f"r1.quality.{code}": value for code, value in faultless.items()
    }
    page = desk.post(
        f"/projects/eggs/desk/{lease.pk}/submit/", answers, headers=HTMX
    ).content.decode()
    assert Rating.objects.count() == 1
    assert "Blood." in page
    assert "said b!" not in page


def test_a_warning_that_comes_while_an_item_is_open_covers_it_no_more(
    desk: Client, project: Project, client: Client, lead: User
) -> None:
    batch = fill(project, "a", "b")
    desk.post("/projects/eggs/desk/start/")
    batch.change(status="open", rank=0, priority=0, annotators=(), warning="Late.")
    assert "said a" in desk.get("/projects/eggs/desk/").content.decode()
    Lease.objects.get().release(now=NOW)
    desk.post("/projects/eggs/desk/start/")
    assert "Late." in desk.get("/projects/eggs/desk/").content.decode()


def test_opening_counts_once_and_only_what_has_a_warning(project: Project, ada: User) -> None:
    fill(project, "a!", "b")
    assert go_through(project, ada) == ["a!", "b"]
    Lease.objects.order_by("pk")[0].uncover(now=NOW)
    assert [day.opened for day in Workday.objects.all()] == [1]


def test_an_opened_item_is_covered_again_at_its_next_lease_and_counted_once(
    project: Project, ada: User
) -> None:
    fill(project, "a!")
    for hours in (0, 1):
        lease = take_next(project, ada, now=NOW + timedelta(hours=hours))
        assert lease is not None
        assert lease.is_covered
        lease.uncover(now=NOW + timedelta(hours=hours))
    assert [day.opened for day in Workday.objects.all()] == [1]


def test_the_corpus_of_what_is_not_open_is_not_shown(
    desk: Client, project: Project, ada: User
) -> None:
    fill(project, "a!")
    desk.post("/projects/eggs/desk/start/")
    where = f"/projects/eggs/desk/{Lease.objects.get().pk}/corpus/?model=m1"
    shown = desk.get(where).content.decode()
    assert "This item has a warning" in shown
    assert "histories" not in shown


# --- skipping ---


def test_a_distressing_item_never_comes_back_and_counts_for_nothing(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    fill(project, "a!")
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    where = f"/projects/eggs/desk/{Lease.objects.get().pk}/skip/"
    assert client.post(where, {"reason": "distressing"}).status_code == 302
    assert not Workday.objects.exists()
    concern = Concern.objects.get()
    client.force_login(lead)
    page = client.get(f"/projects/eggs/items/{concern.item_id}/").content.decode()
    assert "It is distressing" in page
    assert 'value="again"' not in page
    refused = page_after(client, concern.item, reply(concern), decision="again")
    assert "This decision is not possible here" in refused
    concern.refresh_from_db()
    assert concern.decision == ""
    Concern.objects.update(decision="again", decided_at=NOW)  # as it may have been decided before
    assert availability_of(project, ada, NOW) == Availability("nothing")
    assert availability_of(project, make_user(), NOW) == Availability("start")


def test_an_item_skipped_for_another_reason_may_come_again(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    fill(project, "a!")
    lease = take_next(project, ada, now=NOW)
    assert lease is not None
    lease.skip(reason="unclear", now=NOW)
    client.force_login(lead)
    page = client.get(f"/projects/eggs/items/{lease.item_id}/").content.decode()
    assert 'value="again"' in page


# --- the limits of a day ---


def test_a_day_brings_so_many_with_a_warning_and_then_those_without(
    project: Project, ada: User
) -> None:
    Project.objects.update(most_warned_daily=1)
    project.refresh_from_db()
    fill(project, "a!", "b!", "c", "d!")
    fill(project, "e", "f", warning="Of hospitals.")
    fill(project, "g")
    assert go_through(project, ada) == ["a!", "c", "g"]
    assert availability_of(project, ada, NOW) == Availability("daily_warned")
    # What was passed by comes after the rest.
    assert [go_through(project, ada, now=NOW + days * DAY) for days in range(1, 5)] == [
        ["d!"],
        ["e"],
        ["f"],
        ["b!"],
    ]
    assert availability_of(project, ada, NOW + 5 * DAY) == Availability("nothing")


def test_shuffled_a_day_s_limit_holds_too_and_nothing_is_lost(ada: User) -> None:
    project = make_project(wanted=1, order=Project.Order.SHUFFLED, most_warned_daily=2)
    names = [f"{number}{'!' if number % 3 == 0 else ''}" for number in range(30)]
    fill(project, *names)
    fill(project, "x", "y", "z", warning="Of hospitals.")
    found = []
    for day in range(8):
        todays = go_through(project, ada, now=NOW + day * DAY)
        assert sum(name.endswith("!") or name in "xyz" for name in todays) <= 2
        found += todays
    assert sorted(found) == sorted([*names, "x", "y", "z"])


def test_a_limit_of_zero_hands_out_no_item_with_a_warning(project: Project, ada: User) -> None:
    Project.objects.update(most_warned_daily=0)
    project.refresh_from_db()
    fill(project, "a!", "b")
    assert go_through(project, ada) == ["b"]
    assert availability_of(project, ada, NOW) == Availability("daily_warned")


def test_a_skipped_item_that_was_not_opened_is_no_item_of_the_day(
    project: Project, ada: User
) -> None:
    Project.objects.update(most_warned_daily=1)
    project.refresh_from_db()
    fill(project, "a!", "b!", "c!")
    lease = take_next(project, ada, now=NOW)
    assert lease is not None
    lease.skip(reason="distressing", now=NOW)
    assert go_through(project, ada) == ["b!"]


def test_a_day_brings_so_many_items_in_all(project: Project, ada: User) -> None:
    Project.objects.update(most_daily=2)
    project.refresh_from_db()
    fill(project, "a", "b", "c")
    assert go_through(project, ada) == ["a", "b"]
    assert availability_of(project, ada, NOW) == Availability("daily")
    assert availability_of(project, make_user(), NOW) == Availability("start"), (
        "the limit is each one's own"
    )
    assert go_through(project, ada, now=NOW + DAY) == ["c"]
    assert availability_of(project, ada, NOW + DAY) == Availability("nothing")


def test_the_limit_is_said_only_where_there_is_something_beyond_it(
    project: Project, ada: User
) -> None:
    Project.objects.update(most_daily=1, most_warned_daily=0)
    project.refresh_from_db()
    fill(project, "a")
    assert go_through(project, ada) == ["a"]
    assert availability_of(project, ada, NOW) == Availability("nothing")


def test_the_limit_of_warned_items_is_named_with_the_items_that_others_hold(
    project: Project, ada: User
) -> None:
    Project.objects.update(most_warned_daily=0)
    project.refresh_from_db()
    fill(project, "a!", "b")
    plain = make_lease(item=Item.objects.get(external_id="b"), annotator=make_user())
    assert availability_of(project, ada, NOW) == Availability("daily_warned", plain.expires_at)
    warned = make_lease(item=Item.objects.get(external_id="a!"), annotator=make_user())
    assert availability_of(project, ada, NOW) == Availability("out", plain.expires_at)
    submit_lease(plain, make_submission(lease=plain), now=NOW)
    assert availability_of(project, ada, NOW) == Availability("daily_warned")
    Project.objects.update(most_warned_daily=None)
    project.refresh_from_db()
    assert availability_of(project, ada, NOW) == Availability("out", warned.expires_at)


def test_in_a_batch_with_a_warning_what_others_hold_does_not_come_today(
    project: Project, ada: User
) -> None:
    Project.objects.update(most_warned_daily=0)
    project.refresh_from_db()
    fill(project, "a", warning="Of hospitals.")
    make_lease(item=Item.objects.get(), annotator=make_user())
    assert availability_of(project, ada, NOW) == Availability("daily_warned")


def test_a_returned_rating_is_offered_beyond_the_limits_of_the_day(
    project: Project, ada: User
) -> None:
    fill(project, "a!", "b")
    lease = take_next(project, ada, now=NOW)
    assert lease is not None
    lease.flag(reason="unclear", now=NOW)
    submit_lease(lease, make_submission(lease=lease), now=NOW)
    reply_to(Concern.objects.get(), Concern.Decision.AGAIN, by=ada, now=NOW)
    Project.objects.update(most_daily=1, most_warned_daily=0)
    project.refresh_from_db()
    assert availability_of(project, ada, NOW) == Availability("returned")


def expired_and_held(project: Project, ada: User, now: Any) -> tuple[Lease, Lease]:
    """An item with a warning whose time is over, and the next, both covered, on a day that may
    bring one."""
    Project.objects.update(most_warned_daily=1)
    project.refresh_from_db()
    fill(project, "a!", "b!", "c")
    expired = make_lease(
        item=Item.objects.get(external_id="a!"),
        annotator=ada,
        status="expired",
        ended_at=now,
        now=now,
    )
    return expired, make_lease(item=Item.objects.get(external_id="b!"), annotator=ada, now=now)


def test_an_item_whose_time_is_over_is_not_opened_beyond_the_limit(
    project: Project, ada: User
) -> None:
    expired, held = expired_and_held(project, ada, NOW)
    assert held.uncover(now=NOW)
    assert not expired.uncover(now=NOW)
    assert expired.is_covered
    assert [day.opened for day in Workday.objects.all()] == [1]
    assert expired.uncover(now=NOW + DAY)


def test_a_limit_that_was_lowered_meanwhile_holds_too_and_0_means_none(
    project: Project, ada: User
) -> None:
    _expired, held = expired_and_held(project, ada, NOW)
    Project.objects.update(most_warned_daily=0)
    assert not held.uncover(now=NOW)
    assert not Workday.objects.exists()
    Project.objects.update(most_warned_daily=None)
    assert held.uncover(now=NOW)


def test_an_opened_item_opens_again_beyond_the_limit_of_the_day(
    project: Project, ada: User
) -> None:
    expired, held = expired_and_held(project, ada, NOW)
    assert held.uncover(now=NOW)
    held.release(now=NOW)
    again = make_lease(item=held.item, annotator=ada)
    assert not expired.uncover(now=NOW)
    assert again.uncover(now=NOW)
    Project.objects.update(most_warned_daily=0)
    assert held.uncover(now=NOW)


@pytest.mark.django_db(transaction=True)
def test_two_windows_open_two_items_at_once_and_the_day_brings_one() -> None:
    ada = make_user(name="ada")
    both = expired_and_held(make_project(annotators=[ada], wanted=1), ada, NOW)
    assert sorted(at_once([partial(lease.uncover, now=NOW) for lease in both])) == [False, True]
    assert [day.opened for day in Workday.objects.all()] == [1]


def test_the_limit_of_warned_items_leads_on_to_an_item_without_a_warning(
    desk: Client, project: Project, ada: User
) -> None:
    now = timezone.now()
    expired, held = expired_and_held(project, ada, now)
    held.uncover(now=now)
    save_form(expired, DraftVersion("1" * 16), {"comment": "Of a"}, now=now)
    told = "you have reached today’s limit of items with a warning"
    page = desk.post(f"/projects/eggs/desk/{expired.pk}/open/", headers=HTMX).content.decode()
    assert told in page
    assert "said b!" in page, "what is held stays"
    assert "said a!" not in page
    submit_lease(held, make_submission(lease=held), now=now)
    Lease.objects.filter(pk=expired.pk).update(status="live", ended_at=None)
    page = desk.post(f"/projects/eggs/desk/{expired.pk}/open/").content.decode()
    assert told in page
    assert "said c" in page, "it went back, and the next without a warning is here"
    assert Draft.objects.get().answers == {"comment": "Of a"}


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("most_daily", "today’s limit of 1 item."),
        ("most_warned_daily", "today’s limit of 1 such item"),
    ],
)
def test_the_desk_says_which_limit_it_is_and_what_to_do(
    desk: Client, project: Project, ada: User, limit: str, said: str
) -> None:
    Project.objects.update(**{limit: 1})
    project.refresh_from_db()
    fill(project, "a!", "b!")
    assert go_through(project, ada, now=timezone.now()) == ["a!"]
    page = " ".join(desk.get("/projects/eggs/desk/").content.decode().split())
    assert said in page
    assert "o on tomorrow" in page
    assert "Start rating" not in page
    assert "everything that there is for you" not in page


def test_the_lead_sets_both_limits_and_takes_them_away(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)
    usual = {
        "title": "Eggs",
        "status": "open",
        "wanted": "1",
        "overlap_percent": "0",
        "overlap_wanted": "3",
        "order": "uploaded",
        "grouping": "free",
        "lease_minutes": "30",
        "view": "text",
        "search_address": "https://search.example/?q={claim}",
        **OFF,
    }
    shown = {"initial-most_daily": "40", "initial-most_warned_daily": "0"}
    for given, kept in (
        ({"most_daily": "40", "most_warned_daily": "0"}, (40, 0)),
        (shown, (None, None)),
    ):
        assert client.post("/projects/eggs/settings/", usual | given).status_code == 302
        project.refresh_from_db()
        assert (project.most_daily, project.most_warned_daily) == kept
    refused = client.post("/projects/eggs/settings/", usual | {"most_daily": "0"})
    assert "most_daily" in refused.context["form"].errors


def test_beyond_the_limit_the_queue_is_still_gone_along_by_its_index(ada: User) -> None:
    project = make_project(wanted=1)
    batch = fill(project, *(f"{number}{'!' if number % 2 else ''}" for number in range(40)))
    with connection.cursor() as cursor, CaptureQueriesContext(connection) as seen:
        cursor.execute("ANALYZE tasks_item")
        pick(project, ada, [PositionRange(batch.pk, 0, LAST)], NOW, may_be_warned=False)
        statement = seen.captured_queries[-1]["sql"]
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute("EXPLAIN " + statement)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Scan using items_in_the_queue" in plan


# --- in and out ---


def test_a_file_brings_warnings_and_the_export_gives_them_back(
    client: Client, project: Project, ada: User, lead: User
) -> None:
    file = io.BytesIO(
        b'{"id": "a", "prompt": "p", "response": "r", "warning": " =Blood. "}\n'
        b'{"id": "b", "prompt": "p", "response": "r", "warning": null}\n'
    )
    batch = load_batch(
        FileToLoad(
            project, file, file_name="i.jsonl", warning="Of hospitals.", now=NOW, report=print
        )
    ).batch
    assert batch.warning == "Of hospitals."
    assert list(batch.items.values_list("warning", flat=True)) == [" =Blood. ", ""]
    assert go_through(project, ada) == ["a", "b"]
    text = text_of(project)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [(row["warning"], row["batch_warning"]) for row in rows] == [
        (" =Blood. ", "Of hospitals."),
        ("", "Of hospitals."),
    ]
    assert "meta.warning" not in rows[0]


def test_a_warning_that_is_no_text_is_a_bad_row(project: Project) -> None:
    told: list[str] = []
    file = io.BytesIO(b'{"id": "a", "prompt": "p", "response": "r", "warning": true}\n')
    with pytest.raises(Exception, match="can’t be loaded"):
        load_batch(
            FileToLoad(
                project,
                file,
                file_name="i.jsonl",
                now=NOW,
                report=lambda error: told.append(str(error)),
            )
        )
    [error] = told
    assert '"warning" is true' in error
    assert "a text" in error


def test_rows_of_an_item_say_the_same_warning(project: Project) -> None:
    told: list[str] = []
    file = io.BytesIO(b"id,prompt,response,warning\na,p,r,Blood.\na,p,s,Fire.\n")
    with pytest.raises(Exception, match="can’t be loaded"):
        load_batch(
            FileToLoad(
                project,
                file,
                file_name="i.csv",
                now=NOW,
                report=lambda error: told.append(str(error)),
            )
        )
    assert '"warning" differs from line 2, which has the same id ("Fire.")' in told[0]


def test_the_lead_warns_of_a_batch_at_upload_on_its_page_and_by_the_command(
    client: Client, project: Project, lead: User, tmp_path: Any
) -> None:
    client.force_login(lead)
    file = SimpleUploadedFile("i.csv", b"id,prompt,response\na,p,r\n")
    bring(client, "/projects/eggs/upload/", file, warning="At upload.")
    batch = Batch.objects.get()
    assert batch.warning == "At upload."
    where = f"/projects/eggs/batches/{batch.pk}/"
    assert "At upload." in client.get(where).content.decode()
    changed = {"status": "open", "rank": "0", "priority": "0", "warning": "On its page."}
    assert client.post(where, changed).status_code == 302
    batch.refresh_from_db()
    assert batch.warning == "On its page."
    path = tmp_path / "j.csv"
    path.write_text("id,prompt,response\nb,p,r\n")
    call_command("import_batch", "eggs", str(path), "--warning", "By the command.", verbosity=0)
    assert Batch.objects.get(name="j").warning == "By the command."
