"""The start page, and the desk without an item: how far one is, and what is next."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotators.models import User
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric
from tasks.models import Batch, Lease, Project, ReturnedRating
from tests.desk_keys import log_in
from tests.desk_steps import HTMX, page, url
from tests.factories import make_batch, make_item, make_lease, make_project, make_rating, make_user

pytestmark = pytest.mark.django_db
# Of the start page, however many projects and ratings there are. The newest notices, and the number
# of unread ones in the bar, are one each.
QUERIES = 25


def words(part: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", part))).strip()


def cards(client: Client) -> dict[str, str]:
    """The card of each project that one rates in, by its title, in the page's order."""
    shown = client.get("/").content.decode()
    found = re.findall(r'<article class="card project".*?</article>', shown, re.DOTALL)
    return {words(re.findall(r"<h3.*?</h3>", card, re.DOTALL)[0]): card for card in found}


def button(card: str) -> tuple[str, str] | None:
    """The kind of a card's button and its words, without the project's title."""
    found = re.search(r'<(?:a|button) class="(\w+) large"[^>]*>([^<]*)<', card)
    return (found[1], words(found[2])) if found else None


def rate(item: Any, annotator: User, **said: Any) -> Any:
    now = timezone.now()
    return make_rating(item=item, annotator=annotator, now=now, submitted_at=now, **said)


@pytest.fixture
def batch(project: Project) -> Batch:
    """Of the project eggs, with five items."""
    batch = make_batch(project=project)
    for number in range(5):
        make_item(batch=batch, external_id=f"egg-{number}")
    return batch


# --- a card ---


def test_a_card_says_how_many_items_are_left_and_how_far_one_is(
    desk: Client, batch: Batch, ada: User
) -> None:
    for item in batch.items.all()[:2]:
        rate(item, ada)
    card = cards(desk)["eggs"]
    assert "3 left" in words(card)
    assert "2 today · 2 of 5 rated" in words(card)
    assert '<rect width="40.00%" height="100%">' in card
    assert button(card) == ("primary", "Rate")
    assert 'href="/projects/eggs/ratings/"' in card


def test_with_a_daily_limit_it_says_how_many_are_left_today(
    desk: Client, project: Project, batch: Batch, ada: User
) -> None:
    Project.objects.update(most_daily=3)
    rate(batch.items.all()[0], ada)
    said = words(cards(desk)["eggs"])
    assert "2 left today" in said
    assert "1 of 3 today · 1 of 5 rated" in said


def test_a_start_page_counts_no_item_that_others_have_finished(
    desk: Client, project: Project, batch: Batch, ben: User
) -> None:
    project.memberships.create(user=ben, role="annotator")
    cara = make_user()
    for item in batch.items.all()[:4]:
        rate(item, ben)
        rate(item, cara)
    assert "1 left" in words(cards(desk)["eggs"])


def test_the_time_for_what_is_left_comes_once_there_is_an_estimate(
    desk: Client, batch: Batch, ada: User
) -> None:
    assert "at your pace" not in words(cards(desk)["eggs"])
    for number in range(10):
        make_item(batch=batch, external_id=f"more-{number}")
    now = timezone.now()
    for item in batch.items.all()[:12]:
        make_rating(
            item=item,
            annotator=ada,
            now=now - timedelta(minutes=4),
            submitted_at=now,
            active_seconds=120,
        )
    said = words(cards(desk)["eggs"])
    assert "3 left" in said
    assert "about 6 min at your pace" in said
    Project.objects.update(most_daily=13)
    assert "about 2 min at your pace" in words(cards(desk)["eggs"])


def test_the_item_that_one_holds_waits_until_something_is_entered_in_it(
    desk: Client, project: Project, batch: Batch, ada: User
) -> None:
    desk.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get(annotator=ada)
    name = lease.item.external_id
    card = cards(desk)["eggs"]
    assert button(card) == ("primary", "Rate")  # nothing is entered in it yet
    assert f"waiting: {name}" in words(card)
    desk.post(url(lease, "draft"), page() | {"active_seconds": "40"}, headers=HTMX)
    assert f"waiting: {name}" in words(cards(desk)["eggs"])  # an empty draft says nothing
    desk.post(url(lease, "draft"), page(2) | {"comment": "So far."}, headers=HTMX)
    card = cards(desk)["eggs"]
    assert button(card) == ("primary", f"Go on with {name}")
    assert f"begun: {name}" in words(card)
    assert "waiting" not in words(card)


def test_a_half_done_item_that_one_holds_no_more_is_named_while_it_still_wants_ratings(
    desk: Client, project: Project, batch: Batch, ada: User
) -> None:
    desk.post("/projects/eggs/desk/start/")
    lease = Lease.objects.get(annotator=ada)
    desk.post(url(lease, "draft"), page() | {"comment": "So far."}, headers=HTMX)
    lease.release(now=timezone.now())
    card = cards(desk)["eggs"]
    assert button(card) == ("primary", "Rate")
    assert f"begun: {lease.item.external_id}" in words(card)
    for _ in range(2):
        rate(lease.item, make_user())
    assert "begun" not in words(cards(desk)["eggs"])


def test_a_project_with_an_item_in_hand_comes_first_and_only_its_button_is_primary(
    desk: Client, project: Project, batch: Batch, ada: User
) -> None:
    apples = make_project(slug="apples", annotators=[ada])
    rate(make_item(project=apples), ada)
    make_item(batch=apples.batches.first())
    make_project(slug="aaa-paused", annotators=[ada], status="paused")
    make_lease(item=batch.items.all()[0], annotator=ada, now=timezone.now())
    shown = cards(desk)
    assert list(shown) == ["eggs", "apples", "aaa-paused"]
    assert button(shown["eggs"]) == ("primary", "Rate")
    assert button(shown["apples"]) == ("secondary", "Rate")


def test_a_newcomers_first_card_is_the_easiest_project_that_she_may_rate(
    desk: Client, project: Project, batch: Batch, ada: User
) -> None:
    """Fewer scales are easier, then fewer questions. Practice that is required comes before."""
    four = Rubric.objects.load(shipped("dialogue"), now=timezone.now())[0]
    talks = make_project(slug="a-talks", annotators=[ada], rubric=four)
    barred = make_project(slug="a-barred", annotators=[ada], practice=Project.Practice.REQUIRED)
    for other in (talks, barred):
        make_item(project=other)
    make_project(slug="a-empty", annotators=[ada])
    assert list(cards(desk)) == ["eggs", "a-talks", "a-barred", "a-empty"]
    rate(make_item(project=talks, wanted=2), ada)
    assert list(cards(desk)) == ["a-talks", "eggs", "a-barred", "a-empty"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("paused", "Paused You get new items when the lead opens it again."),
        ("closed", "Closed There are no more items."),
    ],
)
def test_a_project_that_is_not_open_says_so_and_has_no_button(
    desk: Client, project: Project, batch: Batch, status: str, said: str
) -> None:
    Project.objects.update(status=status)
    card = cards(desk)["eggs"]
    assert said in words(card)
    assert button(card) is None


def test_a_project_without_items_to_rate_says_that_nothing_is_left(
    desk: Client, project: Project, ada: User
) -> None:
    card = cards(desk)["eggs"]
    assert "No items yet" in words(card)
    assert button(card) is None
    rate(make_item(project=project), ada)
    card = cards(desk)["eggs"]
    assert "Nothing left to rate" in words(card)
    assert button(card) is None


def test_a_project_at_the_limit_of_the_day_says_when_to_go_on(
    desk: Client, project: Project, batch: Batch, ada: User
) -> None:
    Project.objects.update(most_daily=1)
    rate(batch.items.all()[0], ada)
    card = cards(desk)["eggs"]
    assert "Done for today You can go on tomorrow." in words(card)
    assert button(card) is None


def with_others(project: Project, ada: User) -> None:
    """All items are lent to others."""
    for _ in range(2):
        make_lease(
            item=make_item(project=project, wanted=1),
            annotator=make_user(),
            now=timezone.now(),
        )


def skipped(project: Project, ada: User) -> None:
    """ada has skipped the only item."""
    lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
    lease.skip(reason="other", note="", now=timezone.now())


def assigned(project: Project, ada: User) -> None:
    """The only batch is for someone else."""
    make_item(project=project).batch.assignments.create(annotator=make_user())


def twin_rated(project: Project, ada: User) -> None:
    """The other item of a group, of which one gets one, is rated."""
    Project.objects.update(grouping="spread")
    batch = make_batch(project=project)
    first, _second = (make_item(batch=batch, group=7) for _ in range(2))
    rate(first, ada)


def group_held(project: Project, ada: User) -> None:
    """All of a group goes to the same person, and that is someone else."""
    Project.objects.update(grouping="together")
    make_item(project=project, group=7, wanted=1)
    later = timezone.now() + timedelta(days=1)
    project.group_holds.create(group=7, slot=0, annotator=make_user(), expires_at=later)


@pytest.mark.parametrize("come", [with_others, skipped, assigned, twin_rated, group_held])
def test_where_only_others_can_rate_what_is_left_there_is_no_button(
    desk: Client, project: Project, ada: User, come: Any
) -> None:
    come(project, ada)
    card = cards(desk)["eggs"]
    assert "No item for you right now" in words(card)
    assert button(card) is None


def test_an_item_before_one_s_position_in_the_queue_is_something_to_rate(
    desk: Client, project: Project, batch: Batch, ada: User
) -> None:
    rate(batch.items.all()[1], ada)
    assert ada.batch_progress.update(position=100) == 1
    assert button(cards(desk)["eggs"]) == ("primary", "Rate")


def test_the_time_worked_today_stands_beside_the_name(
    desk: Client, batch: Batch, ada: User
) -> None:
    shown = words(desk.get("/").content.decode())
    assert "Hello, ada You rate" in shown
    assert shown.count("My work") == 1  # in the bar
    ada.workdays.create(project=batch.project, day=ada.today(timezone.now()), seconds=4320)
    other = make_project(annotators=[ada])
    ada.workdays.create(project=other, day=ada.today(timezone.now()), seconds=60)
    assert "Hello, ada 1 h 13 min today" in words(desk.get("/").content.decode())


# --- what came back ---


def test_returned_ratings_are_listed_with_their_reasons_and_counted(
    desk: Client, project: Project, batch: Batch, ada: User, ben: User
) -> None:
    project.memberships.create(user=ben, role="annotator")
    assert "Came back to you" not in desk.get("/").content.decode()
    first, second, *_rest = batch.items.all()
    for item, person in ((first, ada), (second, ada), (first, ben)):
        ReturnedRating.objects.send_back(
            rate(item, person), f"Look at {item} of {person}.", cause="flag 1", now=timezone.now()
        )
    shown = words(desk.get("/").content.decode())
    assert "Came back to you 2 egg-0 · eggs Look at egg-0 of ada. Check again" in shown
    assert "egg-1 · eggs Look at egg-1 of ada." in shown
    assert "of ben" not in shown
    back = ReturnedRating.objects.get(rating__item=first, annotator=ada)
    there = f'href="/projects/eggs/ratings/{back.rating_id}/"'
    assert there in desk.get("/").content.decode()
    ReturnedRating.objects.update(settled_at=timezone.now())
    assert "Came back to you" not in desk.get("/").content.decode()


def test_a_project_with_no_item_left_has_no_button_also_if_a_rating_came_back(
    desk: Client, project: Project, ada: User
) -> None:
    rating = rate(make_item(project=project), ada)
    ReturnedRating.objects.send_back(rating, "Again, please.", cause="flag 1", now=timezone.now())
    assert button(cards(desk)["eggs"]) is None
    assert "Check again" in words(desk.get("/").content.decode())


# --- the first visit ---


def test_the_first_visit_shows_the_rubric_and_the_keys(
    desk: Client, project: Project, batch: Batch, ada: User
) -> None:
    card = cards(desk)["eggs"]
    said = words(card)
    assert button(card) == ("primary", "Start with the first item")
    assert card.count("<dt>") == 5
    assert "1–7 Quality. How good is this response" in said
    assert "7 Great. No spelling" in said
    assert "H a letter answers 1 a digit scores ↵ Enter submits" in said
    rubric = project.rubric
    assert f'href="/rubrics/{rubric.slug}/{rubric.version}/"' in card
    rate(batch.items.all()[0], ada)
    assert "<dt>" not in cards(desk)["eggs"]


def test_a_start_page_names_no_keys_where_single_keys_are_off(desk: Client, batch: Batch) -> None:
    User.objects.update(single_keys=False)
    assert "a letter answers" not in cards(desk)["eggs"]


# --- how many queries it takes ---


@pytest.mark.parametrize(("projects", "ratings"), [(1, 1), (1, 9), (12, 3)])
def test_the_start_page_takes_as_many_queries_however_many_projects_and_ratings_there_are(
    desk: Client, ada: User, projects: int, ratings: int
) -> None:
    for number in range(projects):
        project = make_project(annotators=[ada], leads=[ada], wanted=2)
        batch = make_batch(project=project)
        items = [make_item(batch=batch) for _ in range(ratings + 2)]
        for item in items[:ratings] if number % 2 == 0 else ():
            rate(item, ada)
        if number % 2 == 0:
            ReturnedRating.objects.send_back(
                ada.ratings.latest("pk"), "Again.", cause="flag 1", now=timezone.now()
            )
            make_lease(item=items[-1], annotator=ada, now=timezone.now())
    desk.get("/")  # the rubric is read once in a process
    with CaptureQueriesContext(connection) as seen:
        assert len(cards(desk)) == projects
    assert len(seen) == QUERIES


# --- no item at the desk ---


def idle(client: Client, slug: str = "eggs") -> str:
    shown = client.get(f"/projects/{slug}/desk/").content.decode()
    return shown[shown.index('<div class="idle card">') :]


def test_when_all_is_done_the_next_project_with_an_item_is_a_button(
    desk: Client, project: Project, ada: User
) -> None:
    rate(make_item(project=project), ada)
    make_project(slug="closed", annotators=[ada], status="closed")
    done = make_project(slug="done", annotators=[ada])
    rate(make_item(project=done), ada)
    chat = make_project(slug="talks", title="Persona chat, pilot", annotators=[ada])
    make_item(project=chat)
    shown = idle(desk)
    assert re.search(
        r'primary large" href="/projects/talks/desk/">\s*Go on with Persona chat, pilot</a>', shown
    )
    assert "Nothing left to rate" not in shown


def test_an_item_that_one_holds_elsewhere_is_something_to_go_on_with(
    desk: Client, project: Project, ada: User
) -> None:
    chat = make_project(slug="talks", annotators=[ada])
    make_lease(item=make_item(project=chat, wanted=1), annotator=ada, now=timezone.now())
    assert "Go on with talks" in words(idle(desk))


def test_no_project_sends_on_to_one_that_gives_no_item(
    desk: Client, project: Project, ada: User
) -> None:
    """The start page counts items with a warning too; the queue knows that none may be opened."""
    for slug in ("apples", "pears"):
        other = make_project(slug=slug, annotators=[ada], most_warned_daily=1)
        make_item(project=other, warning="Speaks of war.")
        ada.workdays.create(project=other, day=ada.today(timezone.now()), opened=1)
    for slug in ("eggs", "apples", "pears"):
        assert "Go on with" not in idle(desk, slug)


def test_the_desk_without_items_is_one_heading_and_one_link(
    desk: Client, project: Project, ada: User
) -> None:
    rate(make_item(project=project), ada)
    shown = idle(desk)
    assert "Nothing left to rate" in words(shown)
    assert (shown.count("<h1"), shown.count("<a ")) == (1, 1)


def test_the_sentence_that_all_ratings_are_saved_is_on_each_page_once(
    desk: Client, project: Project, ada: User
) -> None:
    said = "All your ratings are saved. You find them in My work ."
    rate(make_item(project=project), ada)
    Project.objects.update(status="paused")
    assert words(idle(desk)).count(said) == 1
    project.memberships.all().delete()
    assert words(desk.get("/").content.decode()).count(said) == 1


# --- the log-in ---


def test_the_log_in_is_one_form_beside_one_sentence_of_what_this_is(client: Client) -> None:
    shown = client.get("/accounts/login/").content.decode()
    said = words(shown[shown.index("<header") :])
    assert "Rate answers by a rubric, and be able to say why" in said
    assert "No account yet? Use the link in your invitation, or ask" in said
    assert shown.count("<form") == shown.count("<h1>") == 1


def test_the_first_item_is_one_click_from_the_start_page_and_brings_the_time_zone(
    page: Page, ada: User, project: Project
) -> None:
    make_item(project=project, external_id="egg-0")
    log_in(page, "ada")
    page.goto("/")
    page.get_by_role("button", name="Start with the first item eggs").click()
    expect(page.locator("h1")).to_contain_text("egg-0")
    ada.refresh_from_db()
    assert ada.time_zone == page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    page.goto("/")
    expect(page.get_by_text("waiting: egg-0")).to_be_visible()
