"""The keys of a case, in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from tasks.models import CaseEntry, Project, ScoreDecision
from tests.conftest import Complaints, Site
from tests.visitor import Visitor

from .made_cases import PAGE, address_of, case_of, project_with_people, rated

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(site: Site, lead: User) -> Project:
    return project_with_people(lead)


@pytest.fixture
def entries(project: Project) -> list[CaseEntry]:
    return [rated(project, f"item-{number}", number, 7, 7) for number in (4, 5)]


@pytest.fixture
def open_page(
    new_context: Callable[..., BrowserContext], site: Site, complaints: Complaints, lead: User
) -> Callable[..., Page]:
    def page_of(**options: object) -> Page:
        page = new_context(**options).new_page()
        Visitor(page, complaints, site.url).become(lead)
        page.goto(PAGE)
        return page

    return page_of


def heading(page: Page, name: str) -> None:
    expect(page.locator("h1")).to_contain_text(name)


def test_three_keys_decide_a_case_and_the_next_one_comes_in_place(
    entries: list[CaseEntry], open_page: Callable[..., Page]
) -> None:
    page = open_page()
    heading(page, "item-4")
    page.evaluate("window.sameDocument = true")
    page.keyboard.press("b")
    expect(page.locator("#rubric .chosen")).to_have_count(1)
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    heading(page, "item-5")
    expect(page.locator("h1")).to_be_focused()
    expect(page.get_by_text("is saved.")).to_be_visible()
    expect(page.locator(".queue ol [aria-current] b")).to_have_text("item-5")
    expect(page.locator(".queue ol a")).to_have_count(1)
    assert page.evaluate("window.sameDocument")
    assert page.url.endswith(address_of(entries[1]))
    assert page.title().startswith("item-5:")
    decision = ScoreDecision.objects.get()
    answer = case_of(entries[0]).answers[1]
    assert (decision.adopted_id, decision.cause) == (answer.rating.pk, "slip")


def test_the_queue_comes_anew_when_its_rows_are_used_up(
    project: Project, open_page: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.disagreements.queue.ON_A_PAGE", 2)
    for number, value in ((3, 5), (2, 5), (1, 4), (0, 4)):
        rated(project, f"item-{number}", value, 7, 7)
    page = open_page()
    rows = page.locator(".queue ol b")
    expect(rows).to_have_text(["item-0", "item-1"])
    for number in (1, 2):
        page.keyboard.press("b")
        page.keyboard.press("Enter")
        heading(page, f"item-{number}")
    expect(rows).to_have_text(["item-2", "item-3"])
    expect(page.locator(".queue ol [aria-current] b")).to_have_text("item-2")


def test_the_form_that_asks_comes_when_it_is_opened(
    entries: list[CaseEntry], open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.keyboard.press("j")
    heading(page, "item-5")
    page.get_by_text("Ask instead").click()
    page.get_by_label("Your question").fill("Why so low?")
    page.get_by_role("button", name="Send the question").click()
    expect(page.get_by_text("The question is sent.")).to_be_visible()


def test_j_and_k_go_from_case_to_case_and_enter_saves_whatever_had_the_focus(
    entries: list[CaseEntry], open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.keyboard.press("j")
    heading(page, "item-5")
    page.keyboard.press("k")
    heading(page, "item-4")
    page.keyboard.press("k")  # there is none before
    heading(page, "item-4")
    page.locator(".prompt > summary").click()
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    heading(page, "item-5")


def test_a_key_is_what_it_types_and_in_a_text_field_it_writes(
    entries: list[CaseEntry], open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.get_by_label("Reason").click()
    page.keyboard.type("Ask Ann, just 5")
    expect(page.get_by_label("Reason")).to_have_value("Ask Ann, just 5")
    expect(page.locator("#decide :checked")).to_have_count(0)
    heading(page, "item-4")
    page.locator("h1").click()
    page.keyboard.press("t")
    expect(page.locator("[name=cause]:checked")).to_have_value("item")
    page.keyboard.press("t")  # takes the cause back
    expect(page.locator("[name=cause]:checked")).to_have_count(0)
    typed = {"key": "a", "code": "KeyQ", "bubbles": True}  # as on a French keyboard
    page.evaluate(
        "(typed) => document.body.dispatchEvent(new KeyboardEvent('keydown', typed))", typed
    )
    expect(page.locator("[name=choice]:checked")).to_have_value("A")
    held = {"key": "b", "ctrlKey": True, "bubbles": True}
    page.evaluate("(held) => document.body.dispatchEvent(new KeyboardEvent('keydown', held))", held)
    expect(page.locator("[name=choice]:checked")).to_have_value("A")


def test_a_refusal_keeps_what_was_entered_and_a_digit_and_a_reason_are_saved_by_enter(
    entries: list[CaseEntry], open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.keyboard.press("a")
    page.keyboard.press("r")
    page.keyboard.press("Enter")
    expect(page.locator("#decide [role=alert]")).to_contain_text("Say why")
    expect(page.locator("[name=choice]:checked")).to_have_value("A")
    expect(page.locator("[name=cause]:checked")).to_have_value("rubric")
    page.locator("h1").click()
    page.keyboard.press("6")
    page.keyboard.press("u")
    page.get_by_label("Reason").fill("In between.")
    page.keyboard.press("Enter")
    heading(page, "item-5")
    decision = ScoreDecision.objects.get()
    assert (decision.value, decision.cause, decision.source) == (6, "judgement", "anew")


def test_a_press_without_an_answer_says_so_and_keeps_what_was_entered(
    entries: list[CaseEntry], open_page: Callable[..., Page], complaints: Complaints
) -> None:
    complaints.allow("ERR_INTERNET_DISCONNECTED|htmx:(sendError|afterRequest)")
    page = open_page()
    page.keyboard.press("b")
    page.get_by_label("Reason").fill("A slip.")
    notice = page.get_by_text("The server did not answer.")
    expect(notice).to_be_hidden()
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(notice).to_be_visible()
    page.context.set_offline(False)
    page.keyboard.press("Enter")
    heading(page, "item-5")
    assert ScoreDecision.objects.get().reason == "A slip."


def test_a_case_is_decided_without_javascript(
    entries: list[CaseEntry], open_page: Callable[..., Page]
) -> None:
    page = open_page(java_script_enabled=False)
    page.get_by_label("Answer A").check(force=True)
    page.get_by_role("button", name="Save decision").click()
    heading(page, "item-5")
    expect(page.get_by_text("is saved.")).to_be_visible()
    assert ScoreDecision.objects.count() == 1


def test_the_decision_is_in_view_in_a_low_window_and_a_phone_scrolls_one_way(
    entries: list[CaseEntry], open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("scrollY") == 0
    for width, height in ((1440, 900), (1280, 580)):
        page.set_viewport_size({"width": width, "height": height})
        expect(page.get_by_role("button", name="Save decision")).to_be_in_viewport()
        expect(page.locator(".compare").first).to_be_in_viewport()
        page.locator(".case-read").evaluate("(box) => box.scrollTo(0, 9999)")
        expect(page.get_by_role("button", name="Save decision")).to_be_in_viewport()
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
