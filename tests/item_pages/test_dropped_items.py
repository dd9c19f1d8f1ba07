"""An item is dropped and taken back, on its page or by a flag: the last act counts."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotators.models import User
from tasks.models import Concern, Draft, Item, Lease, Project, Rating, ReturnedRating
from tasks.models.dropping import decide_dropped
from tasks.models.replies import reply_to
from tasks.queue.allocation import take_next
from tests.desk_keys import log_in
from tests.desk_steps import HTMX, scored
from tests.factories import NOW, make_item, make_lease, make_project, make_rating, make_user
from tests.waiting import at_once

from .panel_steps import address_of, send

pytestmark = pytest.mark.django_db
Decision = Concern.Decision


@pytest.fixture
def lea() -> User:
    return make_user(name="lea")


@pytest.fixture
def project(lea: User) -> Project:
    return make_project(slug="eggs", leads=[lea], annotators=[make_user(name="ada")], wanted=1)


@pytest.fixture
def here(client: Client, lea: User, project: Project) -> Client:
    client.force_login(lea)
    return client


def words(response: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(text))


def flagged(item: Item) -> Concern:
    lease = make_lease(item=item, annotator=make_user(), status="expired", ended_at=NOW)
    lease.flag(reason="broken", note="It ends early.", now=NOW)
    return Concern.objects.latest("pk")


def test_an_item_is_dropped_on_its_page_with_a_reason_and_taken_back(
    here: Client, project: Project
) -> None:
    item = make_item(project=project)
    page = f"/projects/eggs/items/{item.pk}/"
    ada = User.objects.get(username="ada")
    refused = here.post(f"{page}drop/", {"act": "drop", "why": " "})
    assert "This field is required." in words(refused)
    assert here.post(f"{page}drop/", {"act": "burn", "why": "Why not?"}).status_code == 200
    item.refresh_from_db()
    assert not item.dropped
    here.post(f"{page}drop/", {"act": "drop", "why": "The prompt is cut off."})
    assert re.search(
        r"Dropped by lea on \d+ \w+ \d+: The prompt is cut off\.", words(here.get(page))
    )
    assert take_next(project, ada, now=timezone.now()) is None
    here.post(f"{page}drop/", {"act": "take_back", "why": "It is whole."})
    assert "Taken back by lea on" in words(here.get(page))
    assert "0 of 1 ratings · dropped" not in words(here.get(page))
    assert take_next(project, ada, now=timezone.now()) is not None


def test_dropping_stands_once_on_a_page_and_answers_all_who_flagged_or_skipped(
    here: Client, project: Project
) -> None:
    item = make_item(project=project)
    page = f"/projects/eggs/items/{item.pk}/"
    lease = make_lease(item=item, annotator=User.objects.get(username="ada"))
    lease.flag(reason="broken", note="", now=NOW)
    lease.skip(reason="unclear", note="", now=NOW)
    shown = here.get(page).content.decode()
    assert words(here.get(page)).lower().count("drop the item") == 1
    assert shown.count('value="drop"') == 1
    assert shown.index('-decision"') < shown.index('value="drop"')
    here.post(f"{page}drop/", {"act": "drop", "why": "It is cut off."})
    decided = set(item.concerns.values_list("decision", "answer"))
    assert decided == {("drop", "It is cut off.")}
    item.refresh_from_db()
    assert (item.dropped, item.dropped_why) == (True, "It is cut off.")


def test_the_page_and_flags_set_one_state_and_the_last_act_counts(
    project: Project, lea: User
) -> None:
    mo = make_user(name="mo")
    item = make_item(project=project)
    one, other = flagged(item), flagged(item)
    acts: list[Any] = [
        lambda by: decide_dropped(item, True, why="page", by=by, now=NOW),
        lambda by: decide_dropped(item, False, why="page", by=by, now=NOW),
        lambda by: reply_to(one, Decision.DROP, by=by, now=NOW, answer="one"),
        lambda by: reply_to(one, Decision.ANSWERED, by=by, now=NOW, answer="one"),
        lambda by: reply_to(other, Decision.DROP, by=by, now=NOW),
        lambda by: reply_to(other, Decision.SOMEONE_ELSE, by=by, now=NOW),
    ]
    dropped, decisions = False, {2: "", 4: ""}
    for pair in product(range(6), repeat=2):
        for act in pair:
            acts[act](mo if act % 2 else lea)
            one.refresh_from_db()
            other.refresh_from_db()
            if act in (0, 2, 4):
                dropped, by, why = True, lea, {0: "page", 2: "one", 4: "It ends early."}[act]
            elif dropped and (act == 1 or decisions[act - 1] == "drop"):
                dropped, by, why = False, mo, {1: "page", 3: "one", 5: "It ends early."}[act]
            decisions |= {2: one.decision, 4: other.decision}
            item.refresh_from_db()
            assert item.dropped == dropped
            if item.dropped_at:
                assert (item.dropped_by, item.dropped_why, item.dropped_at) == (by, why, NOW)
            assert project.batches.with_progress()[0].item_count == (not dropped)


def test_a_decision_is_applied_also_after_the_page_took_the_item_back(
    project: Project, lea: User
) -> None:
    item = make_item(project=project)
    rating = make_rating(item=item)
    assert rating.lease
    rating.lease.flag(reason="broken", note="", now=NOW)
    flag, later = Concern.objects.get(), NOW + timedelta(hours=1)
    reply_to(flag, Decision.DROP, by=lea, now=later)
    decide_dropped(item, False, why="page", by=lea, now=later)
    reply_to(flag, Decision.SOMEONE_ELSE, by=lea, now=later)
    item.refresh_from_db()
    assert (item.dropped, item.wanted) == (False, 2)


@pytest.mark.django_db(transaction=True)
def test_the_page_and_a_flag_at_once_leave_one_of_the_two_acts_whole() -> None:
    leads = [make_user(name="lea"), make_user(name="mo")]
    project = make_project(leads=leads)
    item = make_item(project=project)
    flag = flagged(item)
    for _round in range(4):
        at_once(
            [
                lambda: decide_dropped(item, True, why="page", by=leads[0], now=NOW),
                lambda: reply_to(flag, Decision.DROP, by=leads[1], now=NOW, answer="flag"),
            ]
        )
        stored = Item.objects.get()
        assert (stored.dropped_by, stored.dropped_why) in {(leads[0], "page"), (leads[1], "flag")}
        assert stored.dropped
        reply_to(flag, Decision.ANSWERED, by=leads[1], now=NOW, answer="flag")
        assert not Item.objects.get().dropped


# --- one response goes back, and not the item ---


def test_an_answer_goes_back_by_response_in_the_letter_that_its_annotator_saw(
    here: Client, project: Project
) -> None:
    ada = User.objects.get(username="ada")
    item = make_item(project=project, responses=["One.", "Two.", "Three."])
    rating = make_rating(item=item, annotator=ada, now=timezone.now())
    page = here.get(address_of(item)).content.decode()
    offered = re.findall(
        r'<option value="([^"]+)"[^>]*>(.*?)</option>', page.partition('id="act-ask"')[2]
    )
    assert [name for _value, name in offered] == [
        "ada: the whole item",
        *(f"{letter} for ada" for letter in "ABC"),
    ]
    [value] = [value for value, name in offered if name == "C for ada"]
    sent = send(here, item, "ask", rating=value, question="Is it true?")
    assert sent.status_code == 302
    returned = ReturnedRating.objects.get()
    assert (returned.rating, returned.place, returned.letter) == (rating, 3, "C")
    # A later cause keeps the response; once it is answered, another question starts anew.
    ReturnedRating.objects.send_back(rating, "Also?", cause="gull diversity", now=NOW)
    assert ReturnedRating.objects.get().place == 3
    hers = Client()
    hers.force_login(ada)
    address = f'href="/projects/eggs/ratings/{rating.pk}/#r3"'
    for where in ("/", "/work/", "/projects/eggs/desk/"):
        assert address in hers.get(where).content.decode(), where
        assert "Response C" in words(hers.get(where)), where
    assert "It is about response C." in words(hers.get("/inbox/"))
    assert "Response C" in words(hers.get(f"/projects/eggs/ratings/{rating.pk}/"))
    ReturnedRating.objects.update(settled_at=NOW)
    ReturnedRating.objects.send_back(rating, "All of it?", cause="lead", now=NOW)
    assert ReturnedRating.objects.get().letter == ""


@pytest.mark.django_db(transaction=True)
def test_in_a_browser_the_correction_opens_at_the_response_asked_about(page: Page) -> None:
    ada = make_user(name="ada")
    project = make_project(slug="eggs", annotators=[ada])
    item = make_item(project=project, responses=["One.", "Two.", "Three."])
    rating = make_rating(item=item, annotator=ada, now=timezone.now())
    ReturnedRating.objects.send_back(rating, "True?", cause="lead", now=timezone.now(), place=3)
    log_in(page, "ada")
    page.goto("/")
    page.get_by_role("link", name="Check again").click()
    expect(page.locator("#r3.current")).to_be_visible()
    expect(page.locator(":focus")).to_have_attribute("id", re.compile("^r3-"))


# --- who holds it ---


def test_the_holder_of_a_dropped_item_reads_why_keeps_the_draft_and_gets_the_next(
    client: Client, project: Project, lea: User
) -> None:
    ada = User.objects.get(username="ada")
    first, second = (make_item(project=project, external_id=name) for name in ("s1", "s2"))
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get()
    entered = {"r1.comment": "Half done.", "draft_writer": "ab" * 8, "draft_number": "1"}
    desk = f"/projects/eggs/desk/{lease.pk}"
    client.post(f"{desk}/draft/", entered)
    decide_dropped(first, True, why="A faulty text.", by=lea, now=timezone.now())
    lease.refresh_from_db()
    first.refresh_from_db()
    assert (lease.status, first.reserved) == ("dropped", 0)
    told = "s1 was dropped: nobody rates it any more. Anything you entered is kept."
    assert told in words(client.get("/projects/eggs/desk/"))
    answer = client.post(
        f"{desk}/verdict/?row=r1.quality",
        entered | {"draft_number": "2"},
        headers=HTMX,
    )
    assert (told in words(answer), answer.headers["HX-Retarget"]) == (True, "#desk")
    assert "The lead has dropped this item" in words(client.post(f"{desk}/renew/"))
    assert Draft.objects.get().number == 2
    client.post("/projects/eggs/desk/start/")
    assert take_next(project, ada, now=timezone.now()).item == second  # type: ignore[union-attr]
    assert told not in words(client.get("/projects/eggs/desk/"))
    decide_dropped(first, False, why="It is right.", by=lea, now=timezone.now())
    Lease.objects.latest("pk").release(now=timezone.now())
    assert take_next(project, ada, now=timezone.now()).item == first  # type: ignore[union-attr]
    assert "Half done." in client.get("/projects/eggs/desk/").content.decode()


def test_a_rating_of_an_item_dropped_meanwhile_is_kept_as_work_and_the_next_item_comes(
    client: Client, project: Project, lea: User
) -> None:
    first, _second = (make_item(project=project, external_id=name) for name in ("s1", "s2"))
    client.force_login(User.objects.get(username="ada"))
    client.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get()
    decide_dropped(first, True, why="A faulty text.", by=lea, now=timezone.now())
    answer = client.post(
        f"/projects/eggs/desk/{lease.pk}/submit/",
        scored(lease),
        headers=HTMX,
    )
    assert "Your rating is saved as your work, and counts in no figure." in words(answer)
    assert "item s2" in words(answer)
    rating = Rating.objects.get()
    assert (rating.kind, rating.extra_because) == ("extra", "dropped")
