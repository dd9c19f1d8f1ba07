"""Practice at the desk in a browser: by keyboard, on a phone, without scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from tasks.models import PracticeAnswer, PracticeRound, Project
from tests.conftest import Complaints
from tests.desk_keys import log_in, resize, settle
from tests.factories import make_item, make_project, make_rubric, make_user
from tests.practising import require, right

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    ada = make_user(name="ada")
    made = make_project(slug="eggs", annotators=[ada], rubric=make_rubric())
    make_item(project=made, responses=["One."])
    return require(made, practice_examples=4, practice_near=3)


def at_example(new_context: Callable[..., BrowserContext], **options: object) -> Page:
    page = new_context(**options).new_page()
    log_in(page, "ada")
    page.goto("/projects/eggs/desk/")
    page.get_by_role("button", name="Start practising").click()
    page.wait_for_url("**/practice/1/1/")
    return page


def round_() -> PracticeRound:
    return PracticeRound.objects.select_related("project", "rubric", "annotator").get()


def test_by_keyboard_from_the_first_example_to_the_first_item(
    new_context: Callable[..., BrowserContext], complaints: Complaints, project: Project
) -> None:
    page = at_example(new_context)
    for place in range(1, 5):
        page.wait_for_url(f"**/practice/1/{place}/")
        settle(page)
        expect(page.locator("#rubric .definition").first).to_be_visible()
        for name, value in right(round_(), place).items():
            if "." in name.removeprefix("r1.quality"):
                field = page.locator(f'[name="{name}"][value="{value}"]')
                field.check(force=True)
                settle(page)
        score = round_().example_at(place).example.score
        page.locator("[data-row]").focus()
        page.keyboard.press(str(score))
        settle(page)
        page.keyboard.press("Enter")
        expect(page.locator("#outcome, #asked").first).to_be_visible()
        if page.locator("#asked").count():
            settle(page)
            page.keyboard.press("Control+Enter")
        expect(page.locator("#outcome")).to_contain_text(f"It is a {score}, as you said.")
        expect(page.locator("#rubric .chosen")).to_contain_text(str(score))
        expect(page.locator("a#submit")).to_be_focused()
        settle(page)
        page.keyboard.press("Enter")
    page.wait_for_url("**/practice/1/")
    expect(page.get_by_role("heading", name="You can start rating")).to_be_visible()
    page.get_by_role("link", name="Go on to rating").click()
    page.get_by_role("button", name="Start rating").click()
    expect(page.locator("form#rating")).to_be_visible()


def test_a_wrong_score_is_tinted_in_table_and_scale_and_s_sees_it_otherwise(
    new_context: Callable[..., BrowserContext], project: Project
) -> None:
    page = at_example(new_context)
    settle(page)
    there = round_().example_at(1).example.score
    page.keyboard.press("a")
    settle(page)
    given = 4 if there >= 6 else 6
    page.keyboard.press(str(given))
    settle(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#outcome, #asked").first).to_be_visible()
    if page.locator("#asked").count():
        settle(page)
        for field in page.locator('input[name$=".asked"][value="no"]').all():
            field.check(force=True)
        settle(page)
        page.keyboard.press("Control+Enter")
    expect(page.locator("#outcome")).to_contain_text(f"It is a {there}. You gave {given}.")
    expect(page.locator(".compare .differ").first).to_be_visible()
    expect(page.locator(f'#rubric [data-level="{there}"].chosen')).to_be_attached()
    expect(page.locator(f'#rubric [data-level="{given}"].yours')).to_be_attached()
    page.reload()
    expect(page.locator(f'#rubric [data-level="{there}"].chosen')).to_be_attached()
    settle(page)
    page.keyboard.press("s")
    expect(page.get_by_text("Your lead is told that you see it otherwise.")).to_be_visible()
    assert PracticeAnswer.objects.get().disagrees


def test_on_a_phone_the_outcome_comes_before_the_text(
    new_context: Callable[..., BrowserContext], project: Project
) -> None:
    page = at_example(new_context, has_touch=True)
    resize(page, {"width": 390, "height": 844})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    submit = page.locator("#submit").bounding_box()
    assert submit
    assert submit["x"] + submit["width"] == pytest.approx(390 - 16, abs=1)  # at the edge, as ever
    page.locator("[data-row]").focus()
    page.keyboard.press("a")
    settle(page)
    page.locator(".level input:not([aria-disabled])").nth(1).check(force=True)
    settle(page)
    page.locator("#submit").click()
    expect(page.locator("#outcome, #asked").first).to_be_visible()
    if page.locator("#asked").count():
        for field in page.locator('input[name$=".asked"][value="no"]').all():
            field.check(force=True)
        settle(page)
        page.locator("#submit").click()
    outcome, text = page.locator("#outcome"), page.locator(".target .response")
    expect(outcome).to_be_in_viewport()
    above, below = outcome.bounding_box(), text.bounding_box()
    assert above
    assert below
    assert above["y"] < below["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_the_rubric_stands_on_the_page_and_an_answer_is_compared(
    new_context: Callable[..., BrowserContext], project: Project
) -> None:
    page = at_example(new_context, java_script_enabled=False)
    expect(page.locator(".rubric-plain .definition").first).to_be_visible()
    fields = right(round_(), 1)
    for name, value in fields.items():
        page.locator(f'[name="{name}"][value="{value}"]').check(force=True)
    page.locator("#submit").click()
    if page.locator("#asked").count():
        page.locator("#submit").click()
    expect(page.locator("#outcome")).to_contain_text("as you said")
    page.get_by_role("link", name="Next example").click()
    page.wait_for_url("**/practice/1/2/")


def test_a_candidate_set_is_practised_on_at_its_own_desk(
    new_context: Callable[..., BrowserContext], complaints: Complaints
) -> None:
    ada = make_user(name="ada")
    made = make_project(slug="eggs", annotators=[ada], rubric=make_rubric(slug="dialogue"))
    project = require(made, practice_examples=20)
    page = at_example(new_context)
    there = PracticeRound.objects.get()
    first = next(name for name in there.examples if name.startswith("diversity"))
    PracticeRound.objects.filter(pk=there.pk).update(
        examples=[first, *(name for name in there.examples if name != first)]
    )
    page.goto("/projects/eggs/practice/1/1/")
    settle(page)
    expect(page.locator("[data-row]")).to_have_count(1)
    for name, value in right(round_(), 1).items():
        page.locator(f'[name="{name}"][value="{value}"]').check(force=True)
        settle(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#outcome, #asked").first).to_be_visible()
    if page.locator("#asked").count():
        settle(page)
        page.keyboard.press("Control+Enter")
    expect(page.locator("#outcome")).to_contain_text("as you said")
    assert User.objects.filter(corpus_answers__isnull=False).count() == 0
    assert project.practice_rounds.count() == 1
