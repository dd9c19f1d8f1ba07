"""A rubric's draft, written in a browser: saved while one writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotators.models import User
from rubrics.models import RubricDraft
from tests.checkers import LOOKS, look
from tests.conftest import Complaints
from tests.desk_keys import log_in
from tests.factories import NOW, make_project, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lea() -> User:
    lea = make_user(name="lea")
    make_project(slug="eggs", leads=[lea])
    return lea


@pytest.fixture
def draft(lea: User) -> RubricDraft:
    content = {"slug": "news", "title": "News", "summary": "Summaries.", "dimensions": []}
    return RubricDraft.objects.start(content, by=lea, now=NOW)


def saved(draft: RubricDraft) -> dict[str, object]:
    return dict(RubricDraft.objects.get(pk=draft.pk).content["dimensions"][0])


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something is stored."""
    for _ in range(400):
        page.wait_for_timeout(50)
        if holds():
            return
    raise AssertionError(RubricDraft.objects.latest("pk").content)


def wait_for(page: Page, revision: int) -> None:
    """Wait until so many revisions are stored."""
    until(page, lambda: RubricDraft.objects.latest("pk").revision >= revision)


def test_a_dimension_is_written_and_saved_without_a_click(
    new_context: Callable[..., BrowserContext], draft: RubricDraft
) -> None:
    page = new_context().new_page()
    log_in(page, "lea")
    page.goto(f"/rubric-drafts/{draft.pk}/")
    page.get_by_label("New dimension").fill("Coherence")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Coherence")).to_be_visible()
    expect(page.locator("#foot")).to_contain_text("Write the question of")
    question = page.get_by_label("Question that annotators read")
    question.fill("Does it fit together?")
    question.press("Tab")
    # Writing goes on while the form before is saved, and nothing of it is lost.
    page.get_by_label("On the button of 5").press_sequentially("Whole", delay=60)
    wait_for(page, 3)
    expect(page.get_by_label("On the button of 5")).to_be_focused()
    expect(page.get_by_label("On the button of 5")).to_have_value("Whole")
    page.keyboard.press("Tab")
    wait_for(page, 4)
    expect(page.locator("#foot")).to_contain_text("Nothing wrong")
    assert saved(draft)["levels"] == [{"score": 5, "label": "Whole"}]
    page.get_by_label("1–7", exact=True).check()
    expect(page.get_by_label("On the button of 7")).to_be_visible()
    expect(page.get_by_label("On the button of 5")).to_have_value("Whole")
    page.get_by_text("only the ends are described").click()
    expect(page.get_by_label("On the button of 5")).to_be_hidden()
    assert [*look(page, known=set(), looks=LOOKS[:1])] == []
    # Who leaves the page from a field takes along what is in it.
    stored = RubricDraft.objects.latest("pk").revision
    question.fill("Is it whole?")
    page.get_by_role("link", name="Title and guidance").click()
    wait_for(page, stored + 1)
    assert saved(draft)["question"] == "Is it whole?"


def test_questions_and_rules_are_added_row_by_row(
    new_context: Callable[..., BrowserContext], draft: RubricDraft
) -> None:
    edit = draft.edit()
    edit.add_dimension("Coherence")
    draft.keep(edit.document, by=draft.made_by, now=NOW)
    page = new_context().new_page()
    log_in(page, "lea")
    page.goto(f"/rubric-drafts/{draft.pk}/parts/coherence.checks/")
    page.locator("#wording-0").fill("Off topic")
    page.keyboard.press("Tab")
    wait_for(page, 3)
    page.locator("#wording-0").fill("Off the topic")
    page.keyboard.press("Tab")
    wait_for(page, 4)
    assert len(saved(draft)["checks"]) == 1  # type: ignore[arg-type]  # and not a second one
    page.get_by_role("button", name="Save and add another").click()
    page.locator("#wording-1").fill("Length")
    page.locator("#kind-1").select_option("one of")
    page.get_by_label("Answer 1").fill("short")
    page.get_by_label("Answer 2").fill("long")
    page.keyboard.press("Tab")
    until(page, lambda: "long" in str(saved(draft)["checks"]))
    page.goto(f"/rubric-drafts/{draft.pk}/parts/coherence.rules/")
    page.get_by_label("Condition").first.select_option("Length: long")
    page.locator("#effect-0").select_option("these scores need")
    expect(page.get_by_text("need", exact=True)).to_be_visible()
    page.locator("#effect-0").select_option("at most")
    expect(page.get_by_text("need", exact=True)).to_be_hidden()
    page.locator('[name="0.score"]').select_option("2")
    page.locator("#reason-0").fill("It is too long.")
    page.keyboard.press("Tab")
    until(page, lambda: "It is too long." in str(saved(draft)["rules"]))
    assert saved(draft)["rules"] == [
        {
            **{"code": "length_long", "effect": "cap", "score": 2},
            **{"reason": "It is too long.", "when": {"all_of": ["length_long"]}},
        }
    ]
    assert [*look(page, known=set(), looks=LOOKS[1:2])] == []


@pytest.fixture
def slow(new_context: Callable[..., BrowserContext], draft: RubricDraft) -> Page:
    """The form of a new dimension, on a way where each save takes its time."""
    edit = draft.edit()
    edit.add_dimension("Coherence")
    draft.keep(edit.document, by=draft.made_by, now=NOW)
    page = new_context().new_page()
    log_in(page, "lea")

    def answer(route: Route) -> None:
        if route.request.headers.get("hx-request") and route.request.method == "POST":
            page.wait_for_timeout(150)
        route.continue_()

    page.route("**/parts/coherence*/", answer)
    page.goto(f"/rubric-drafts/{draft.pk}/parts/coherence/")
    return page


@pytest.mark.parametrize("way", ["Title and guidance", "Add"])
def test_a_part_left_or_sent_right_after_writing_is_saved_whole(
    slow: Page, draft: RubricDraft, way: str
) -> None:
    slow.get_by_label("New dimension").fill("Fluency")
    slow.get_by_label("Question that annotators read").fill("Is it whole?")
    button = slow.get_by_role("button", name=way, exact=True)
    with slow.expect_navigation():
        button.or_(slow.get_by_role("link", name=way)).first.click(delay=80)
    expect(slow.locator("main").get_by_role("alert")).to_have_count(0)
    assert saved(draft)["question"] == "Is it whole?"


@pytest.mark.parametrize("way", ["Publish…", "Save"])
def test_a_click_counts_if_the_save_ends_while_it_is_pressed(
    slow: Page, draft: RubricDraft, way: str
) -> None:
    slow.get_by_label("Question that annotators read").fill("Is it whole?")
    button = slow.get_by_role("button", name=way, exact=True)
    with slow.expect_navigation():
        button.or_(slow.get_by_role("link", name=way)).first.click(delay=500)
    expect(slow.get_by_role("alert")).to_have_count(0)
    assert saved(draft)["question"] == "Is it whole?"


def test_a_new_row_takes_what_is_entered_as_soon_as_it_stands_there(
    slow: Page, draft: RubricDraft
) -> None:
    slow.get_by_role("link", name="Examples").click()
    slow.get_by_label("Why").fill("It is whole.")
    slow.get_by_role("button", name="Save and add another").click()
    expect(slow.locator('[name="1.prompt"]')).to_be_focused()
    slow.keyboard.type("Is it whole?")
    slow.keyboard.press("Tab")
    until(slow, lambda: "Is it whole?" in str(saved(draft)))
    expect(slow.locator('[name="1.prompt"]')).to_have_value("Is it whole?")


def test_a_refused_part_cannot_be_left(slow: Page, draft: RubricDraft) -> None:
    slow.locator("summary").filter(has_text="More").click()
    slow.get_by_label("More").fill("clauses: [")
    slow.get_by_role("link", name="Publish…").click(delay=80)
    expect(slow.get_by_role("alert")).to_contain_text("Not saved")
    expect(slow.get_by_label("More")).to_have_value("clauses: [")


def test_a_new_dimension_waits_for_its_question(slow: Page) -> None:
    expect(slow.get_by_label("Question that annotators read")).to_be_focused()
    slow.get_by_label("1–7", exact=True).check()
    expect(slow.get_by_label("On the button of 7")).to_be_visible()
    expect(slow.get_by_label("Question that annotators read")).not_to_be_focused()


def test_a_scale_that_is_chosen_right_after_writing_holds_nobody_back(
    slow: Page, draft: RubricDraft
) -> None:
    slow.get_by_label("Question that annotators read").fill("Is it whole?")
    slow.get_by_label("1–7", exact=True).check()
    with slow.expect_navigation():
        slow.get_by_role("link", name="Title and guidance").click()
    assert (saved(draft)["question"], saved(draft)["highest"]) == ("Is it whole?", 7)


def test_a_save_that_fails_says_so_and_is_sent_again_by_itself(
    slow: Page, draft: RubricDraft, complaints: Complaints
) -> None:
    complaints.allow("ERR_FAILED|htmx:(afterRequest|sendError)")
    slow.unroute_all()
    slow.route("**/parts/coherence/", lambda route: route.abort())
    slow.get_by_label("Question that annotators read").fill("Is it whole?")
    slow.keyboard.press("Tab")
    expect(slow.get_by_role("alert")).to_contain_text("Not saved. Your text is still here")
    slow.unroute_all()
    expect(slow.get_by_role("alert")).to_have_count(0)
    until(slow, lambda: saved(draft)["question"] == "Is it whole?")


def test_a_text_is_saved_while_its_field_has_the_focus_and_a_new_row_when_it_is_left(
    slow: Page, draft: RubricDraft
) -> None:
    slow.get_by_label("Question that annotators read").press_sequentially("Is it", delay=60)
    until(slow, lambda: saved(draft)["question"] == "Is it")
    slow.keyboard.type(" whole?")
    until(slow, lambda: saved(draft)["question"] == "Is it whole?")
    expect(slow.get_by_label("Question that annotators read")).to_be_focused()
    slow.get_by_role("link", name="Questions").first.click()
    slow.locator("#wording-0").press_sequentially("Off topic", delay=60)
    slow.wait_for_timeout(1500)  # longer than a save waits for the next key
    assert saved(draft)["checks"] == []
    slow.keyboard.press("Tab")
    until(slow, lambda: [each["code"] for each in saved(draft)["checks"]] == ["off_topic"])  # type: ignore[attr-defined]


def test_text_of_a_part_outlives_the_end_of_the_log_in(slow: Page, draft: RubricDraft) -> None:
    slow.unroute_all()
    slow.context.clear_cookies(name="sessionid")
    question = slow.get_by_label("Question that annotators read")
    question.fill("Is it whole?")
    slow.keyboard.press("Tab")
    expect(slow.get_by_role("alert")).to_contain_text("Not saved. Your text is still here")
    expect(question).to_have_value("Is it whole?")
    assert saved(draft)["question"] == ""
