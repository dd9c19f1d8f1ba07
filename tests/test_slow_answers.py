"""Forms that are sent or swapped while one writes: 12 keys a second, and answers 400 ms late.

What was entered is shown and stored in the end, whatever came in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from rubrics.models import RubricDraft
from tests.conftest import Complaints
from tests.desk_keys import log_in
from tests.factories import NOW, make_project

pytestmark = pytest.mark.django_db(transaction=True)

LATE = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
KEY = 83  # milliseconds
# A line of a level has another number on another scale: it is called by its label.
NAMED = """const named = (field) =>
  field.name?.startsWith("level.") ? field.ariaLabel : (field.name ?? "");
const isBox = (field) => /^(checkbox|radio)$/.test(field.type);
const box = (field) => (isBox(field) ? field.value : "");
const valueOf = (field) => (isBox(field) ? field.checked : (field.value ?? ""));"""
FOCUSED = f"""(root) => {{
  {NAMED}
  const field = document.activeElement;
  const options = [...(field.options ?? [])].map((each) => each.value);
  const kind = field.options ? "select" : isBox(field) ? field.type : field.tagName;
  const isWithin = Boolean(field.closest(root));
  return {{ isWithin, key: [named(field), box(field)], kind, options, value: valueOf(field) }};
}}"""
SHOWN = f"""(root) => {{
  {NAMED}
  const fields = [...document.querySelectorAll(`${{root}} :is(input, select, textarea)`)];
  return fields.map((field) => [named(field), box(field), valueOf(field)]);
}}"""
QUIET = """() => {
  if (document.querySelector(".htmx-request") || !window.quiet) window.quiet = performance.now();
  return performance.now() - window.quiet > 1200;
}"""
Fields = dict[tuple[str, str], Any]


def answer_late(page: Page) -> None:
    """Let each answer of the server come 400 ms later from now on."""
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", LATE)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key, delay=KEY)


def write(page: Page, root: str, most: int = 20, words: str = "so it") -> Fields:
    """Go from field to field by Tab, and change each; return what was entered."""
    entered: Fields = {}
    while len(entered) < most:
        press(page, "Tab")
        field = page.evaluate(FOCUSED, root)
        if not field["isWithin"]:
            break
        key = (field["key"][0], field["key"][1])
        if field["kind"] == "select":
            at = field["options"].index(field["value"]) + 1
            press(page, "ArrowDown")
            entered[key] = field["options"][min(at, len(field["options"]) - 1)]
        elif field["kind"] == "checkbox":
            press(page, "Space")
            entered[key] = not field["value"]
        elif field["kind"] == "radio":
            press(page, "ArrowRight")
            name, chosen = page.evaluate(FOCUSED, root)["key"]
            entered |= {key: False, (name, chosen): True}
        elif field["kind"] in ("INPUT", "TEXTAREA"):
            press(page, "End")
            page.keyboard.type(words, delay=KEY)
            entered[key] = f"{field['value']}{words}"
    press(page, "Tab")
    return entered


def shown(page: Page, root: str, entered: Fields) -> Fields:
    """Return what the fields show that were written in."""
    fields = {(name, box): value for name, box, value in page.evaluate(SHOWN, root)}
    return {key: fields.get(key) for key in entered}


def until_answered(page: Page) -> None:
    """Wait until no request has been under way for as long as a save waits for the next key."""
    page.evaluate("window.quiet = 0")
    page.wait_for_function(QUIET)


# --- the editor ---


@pytest.fixture
def draft(lead: User) -> RubricDraft:
    make_project(slug="eggs", leads=[lead])
    yes, no = {"code": "yes", "wording": "yes", "sets": "good"}, {"code": "no", "wording": "no"}
    check = {"code": "good", "kind": "yes_no", "wording": "Good", "answers": [yes, no]}
    tick = {"code": "odd", "kind": "tick", "wording": "Odd"}
    when = {"all_of": ["odd"]}
    rule = {"code": "odd", "effect": "cap", "score": 3, "reason": "So.", "when": when}
    example = {"score": 5, "checks": ["good"], "response": "A", "why": "So."}
    dimension = {
        **{"code": "whole", "short": "Whole", "title": "Whole", "question": "Is it?"},
        **{"unit": "response", "lowest": 1, "highest": 7, "rules": [rule]},
        "levels": [{"score": 5, "label": "Whole", "examples": [example]}],
        "checks": [check | {"key": "G"}, tick | {"key": "O"}],
    }
    content = {"slug": "news", "title": "News", "summary": "Short.", "dimensions": [dimension]}
    return RubricDraft.objects.start(content, by=lead, now=NOW)


def open_part(new_context: Callable[..., BrowserContext], draft: RubricDraft, part: str) -> Page:
    page = new_context().new_page()
    log_in(page, "lea")
    page.goto(f"/rubric-drafts/{draft.pk}/parts/{part}/")
    expect(page.locator("#try form").first).to_be_attached()
    answer_late(page)
    page.locator("#part h1").click()
    return page


def until_saved(page: Page) -> None:
    """Go to another part, which waits for the save, and back."""
    part = page.url
    page.locator("#outline a").last.click()
    page.wait_for_url(lambda url: url != part)
    page.goto(part)


PARTS = {"about": 4, "whole": 16, "whole.checks": 12, "whole.rules": 12, "whole.examples": 10}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_rubric_keeps_all_that_is_entered_while_it_is_saved(
    new_context: Callable[..., BrowserContext], draft: RubricDraft, part: str
) -> None:
    page = open_part(new_context, draft, part)
    entered = write(page, "#part", PARTS[part])
    until_answered(page)
    assert shown(page, "#part", entered) == entered
    until_saved(page)
    assert shown(page, "#part", entered) == entered


def test_what_is_tried_beside_a_part_stays_while_the_part_is_saved(
    new_context: Callable[..., BrowserContext], draft: RubricDraft, complaints: Complaints
) -> None:
    complaints.allow("htmx:(afterRequest|sendAbort)")  # one request gives way to the next
    page = open_part(new_context, draft, "whole")
    page.locator("#try summary").last.click()
    page.locator("#question").press_sequentially("so", delay=KEY)
    page.locator("#try select").focus()
    entered = write(page, "#try")
    until_answered(page)
    assert len(entered) >= 8
    assert shown(page, "#try", entered) == entered
    expect(page.locator("#try .verdict")).to_contain_text("You can’t give 6")
