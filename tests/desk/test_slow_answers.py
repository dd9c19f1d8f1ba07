"""Forms that are sent or swapped while one writes: 30 keys a second, and answers 150 ms late.

An answer comes while the next field is written in, five keys later.

What was entered is shown and stored in the end, whatever came in between.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotators.models import User
from rubrics.documents.document import parse
from rubrics.models import Rubric, RubricDraft
from tasks.models import Concern, Item, Lease, Membership, Project, StoredExport, Upload
from tasks.models.uploads import Work
from tests.conftest import Complaints
from tests.desk_keys import SAVED, await_verdicts, lease_item, log_in, settle, take_item, verdict
from tests.factories import (
    NOW,
    make_item,
    make_membership,
    make_project,
    make_rating,
    make_rubric,
    make_user,
)
from tests.made_rubrics import choice, scale, scales
from tests.practising import require

pytestmark = pytest.mark.django_db(transaction=True)

LATE = {"offline": False, "latency": 150, "downloadThroughput": -1, "uploadThroughput": -1}
KEY = 33  # milliseconds
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
  const tag = field.type === "date" ? "" : field.tagName;
  const other = field.matches(".number input") ? "number" : tag;
  const kind = field.options ? "select" : isBox(field) ? field.type : other;
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
    """Let each answer of the server come 150 ms later from now on."""
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
        elif field["kind"] == "number":
            page.keyboard.type("70", delay=KEY)
            entered[key] = "70"
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


# Texts and lines of a scale, rows with a key, and rows with choices.
PARTS = {"whole": 16, "whole.checks": 12, "whole.rules": 12}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_rubric_keeps_all_that_is_entered_while_it_is_saved(
    new_context: Callable[..., BrowserContext], draft: RubricDraft, part: str
) -> None:
    page = open_part(new_context, draft, part)
    entered = write(page, "#part", PARTS[part])
    if ("slug", "") in entered:  # a short name has no space
        entered["slug", ""] = entered["slug", ""].replace(" ", "-")
    until_answered(page)
    assert shown(page, "#part", entered) == entered
    until_saved(page)
    assert shown(page, "#part", entered) == entered


def test_text_entered_in_the_editor_before_its_scripts_load_is_saved_before_one_leaves(
    new_context: Callable[..., BrowserContext], draft: RubricDraft
) -> None:
    page = new_context().new_page()
    log_in(page, "lea")
    late: list[Route] = []
    page.route("**/htmx*.js", lambda route: late.append(route), times=1)
    page.goto(f"/rubric-drafts/{draft.pk}/parts/about/", wait_until="commit")
    page.locator("#summary").press_sequentially("And early. ")
    page.locator("#outline a").last.click()
    late[0].continue_()
    page.wait_for_url("**/parts/checks/")
    draft.refresh_from_db()
    assert draft.content["summary"] == "And early. Short."


def test_text_tried_beside_a_part_stays_while_the_part_is_saved(
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


# --- the desk ---


def free_of_rules() -> Rubric:
    """Two questions, three ticks and scores that leave each other alone, and a score that is typed.

    Only the questions' row has examples: one practises on it.
    """
    checks = [choice("long", "Long", "no", "yes") | {"key": "L"}]
    checks.append(choice("plain", "Plain", "no", "partly", "yes") | {"key": "P"})
    for code, key in (("odd", "O"), ("rude", "R"), ("terse", "T")):
        checks.append({"code": code, "kind": "tick", "wording": code, "key": key})
    whole = scale("whole", "Whole", 1, ["Bad", "", "", "Good"], checks=checks)
    share = scale("share", "Share", 0, ["None", *[""] * 98, "All"])
    for level in whole["levels"]:
        example = {"score": level["score"], "checks": [], "response": "So.", "why": "So."}
        level["examples"] = [example, example | {"response": "It is."}]
    return Rubric.objects.load(parse(scales(whole, share)), now=NOW)[0]


def at_desk(new_context: Callable[..., BrowserContext], rubric: Rubric) -> Page:
    """Sign ada in at a project that rates two responses."""
    make_item(
        project=make_project(slug="eggs", annotators=[make_user(name="ada")], rubric=rubric),
        responses=["Two: Phobos and Deimos.", "It has three."],
    )
    page = new_context().new_page()
    log_in(page, "ada")
    return page


def open_desk(page: Page) -> None:
    take_item(page, "eggs")


def open_correction(page: Page) -> None:
    item, ada = Item.objects.get(), User.objects.get(username="ada")
    now = timezone.now()
    rating = make_rating(item=item, annotator=ada, now=now, submitted_at=now)
    page.goto(f"/projects/eggs/ratings/{rating.pk}/")


def open_preview(page: Page) -> None:
    Project.objects.get().memberships.update(role="lead")
    page.goto("/projects/eggs/preview/")


def open_practice(page: Page) -> None:
    require(Project.objects.get())
    page.goto("/projects/eggs/practice/")
    page.get_by_role("button", name="Start practising").click()


# At least so many values are entered. An example has one row, and no comment.
FORMS = [(open_desk, 12), (open_correction, 12), (open_preview, 12), (open_practice, 9)]


@pytest.mark.parametrize(("open_form", "least"), FORMS)
def test_a_form_of_the_desk_keeps_all_that_is_entered_while_it_is_judged(
    new_context: Callable[..., BrowserContext], open_form: Callable[[Page], None], least: int
) -> None:
    page = at_desk(new_context, free_of_rules())
    open_form(page)
    page.locator("#rating [data-row]").first.wait_for()
    page.evaluate("document.querySelectorAll('.comment').forEach((each) => (each.open = true))")
    settle(page)
    answer_late(page)
    page.locator("#rating [data-row]").first.focus()
    entered = write(page, "#rating")
    until_answered(page)
    assert len(entered) >= least
    assert shown(page, "#rating", entered) == entered
    if open_form in (open_desk, open_correction):
        expect(page.locator("#draft-state")).to_have_text(SAVED)
        page.reload()
        assert shown(page, "#rating", entered) == entered


def test_a_reason_that_is_entered_while_a_skip_without_one_is_refused_stays(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = at_desk(new_context, make_rubric())
    open_desk(page)
    settle(page)
    page.get_by_role("button", name="Skip or flag").click()
    answer_late(page)
    page.locator("[data-skip]").click()
    page.locator("#concern [type=radio]").first.check()
    page.locator("#concern textarea").focus()
    page.keyboard.type("It is about a war, ", delay=KEY)
    expect(page.get_by_text("Say why, so the lead can act on it.")).to_be_visible()
    page.keyboard.type("and long.", delay=KEY)
    expect(page.locator("#concern [type=radio]").first).to_be_checked()
    expect(page.locator("#concern textarea")).to_have_value("It is about a war, and long.")


def test_a_second_press_of_skip_counts_once_the_first_without_a_reason_is_refused(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = at_desk(new_context, make_rubric())
    open_desk(page)
    settle(page)
    page.get_by_role("button", name="Skip or flag").click()
    answer_late(page)
    skip = page.locator("[data-skip]")
    skip.click()
    page.locator("#concern [type=radio]").first.check()
    skip.click()
    expect(page.locator("#concern")).to_have_count(0)
    assert Concern.objects.get().kind == "skip"


def test_answers_entered_before_the_scripts_of_the_desk_load_are_saved_and_judged(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = at_desk(new_context, make_rubric())
    late: list[Route] = []
    page.route("**/drafts*.js", lambda route: late.append(route), times=1)
    lease_item("eggs")
    page.goto("/projects/eggs/desk/", wait_until="commit")
    page.locator("#r1-quality-language_error").check()
    page.evaluate("document.querySelectorAll('.comment').forEach((each) => (each.open = true))")
    page.locator("#r1-comment").press_sequentially("Early.")
    late[0].continue_()
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    expect(verdict(page, "r1-quality")).to_contain_text("Language error")
    page.reload()
    expect(page.locator("#r1-quality-language_error")).to_be_checked()
    expect(page.locator("#r1-comment")).to_have_value("Early.")


@pytest.mark.parametrize("wait", [settle, await_verdicts])
def test_a_wait_of_these_tests_for_the_desk_begins_before_its_script_loads(
    new_context: Callable[..., BrowserContext], wait: Callable[[Page], None]
) -> None:
    page = at_desk(new_context, make_rubric())

    def answer_later(route: Route) -> None:
        page.wait_for_timeout(500)
        route.continue_()

    page.route("**/desk*.js", answer_later, times=1)
    lease_item("eggs")
    page.goto("/projects/eggs/desk/", wait_until="commit")
    expect(page.locator("#r1-quality")).to_be_attached()
    wait(page)
    assert page.evaluate("Boolean(window.evenhand)")


def test_claims_keep_what_is_written_while_another_one_is_looked_up(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = at_desk(new_context, make_rubric())
    page.context.route("https://find.example/**", lambda route: route.fulfill(body="Found."))
    Project.objects.update(search_address="https://find.example/?q={claim}")
    open_desk(page)
    settle(page)
    page.locator("[data-facts] summary").first.click()
    answer_late(page)
    first, second = (page.locator(f"#r1-fact-{n}-claim") for n in (1, 2))
    first.focus()
    page.keyboard.type("Two moons", delay=KEY)
    press(page, "Enter")
    page.keyboard.type(" in all", delay=KEY)
    expect(second).to_be_attached()
    expect(first).to_be_focused()
    second.focus()
    page.keyboard.type("Both small", delay=KEY)
    press(page, "Enter")
    outcome = page.locator("#r1-fact-1-refuted")
    outcome.focus()
    expect(page.locator("#r1-fact-3-claim")).to_be_attached()
    expect(outcome).to_be_focused()
    press(page, "Space", "Tab")
    page.keyboard.type("https://moons.example", delay=KEY)
    until_answered(page)
    page.reload()
    expect(first).to_have_value("Two moons in all")
    expect(second).to_have_value("Both small")
    expect(outcome).to_be_checked()
    expect(page.locator("#r1-fact-1-sources")).to_have_value("https://moons.example")


# --- pages of leads ---


def test_the_preview_of_an_export_undoes_no_choice_that_was_made_meanwhile(
    new_context: Callable[..., BrowserContext], project: Project, lead: User
) -> None:
    make_membership(project=project, user=lead, role=Membership.Role.LEAD)
    make_item(project=project)
    page = new_context().new_page()
    log_in(page, "lea")
    page.goto("/projects/eggs/export/")
    for fold in page.locator(".export > div:first-of-type details").all():
        fold.evaluate("(each) => (each.open = true)")
    answer_late(page)
    page.locator(".export input:not([type=hidden])").first.focus()
    first = page.evaluate(FOCUSED, ".export")["key"]
    press(page, "ArrowDown")
    entered = write(page, ".export") | {(first[0], first[1]): False}
    until_answered(page)
    assert len(entered) > 8
    assert shown(page, ".export", entered) == entered


def test_an_overview_that_renews_itself_leaves_what_is_chosen_as_it_is(
    new_context: Callable[..., BrowserContext], lead: User
) -> None:
    project = make_project(slug="talk", leads=[lead], rubric=make_rubric(slug="dialogue"))
    make_item(project=project)
    page = new_context().new_page()
    log_in(page, "lea")
    page.goto("/projects/talk/")
    answer_late(page)
    select = page.locator("#live select").first
    select.focus()
    page.evaluate("document.querySelector('#live h2').textContent = 'Old'")
    page.evaluate("void htmx.trigger('#live', 'evenhand:look')")
    press(page, "ArrowDown")
    expect(page.locator("#live h2").first).not_to_have_text("Old")
    expect(select).to_have_value("consistency")
    expect(select).to_be_focused()


# --- pages that fetch themselves ---


def at_stored_export(page: Page, project: Project, lead: User) -> None:
    order = StoredExport.objects.order(
        project, options="", file_name="x.xlsx", is_zipped=False, by=lead, now=timezone.now()
    )
    assert order
    page.goto(f"/projects/eggs/export/files/{order.pk}/")


def at_upload(page: Page, project: Project, lead: User) -> None:
    upload = Upload.objects.store(
        BytesIO(b"[]"), project=project, file_name="x", by=lead, now=timezone.now()
    )
    upload.ask(Work.READ)
    page.goto(f"/projects/eggs/upload/{upload.pk}/")


def at_desk_without_item(page: Page, project: Project, _lead: User) -> None:
    make_item(project=project)
    make_membership(project=project, user=make_user(name="ben"))
    lease_item("eggs", "ben")
    log_in(page, "ada")
    page.goto("/projects/eggs/desk/")


SELECT = """(link) => {
  document.addEventListener("htmx:afterRequest", () => (document.body.dataset.fetched = ""));
  const heading = document.querySelector("#work h2, .idle h1");
  getSelection().selectAllChildren(heading.parentElement.querySelector("p"));
  document.body.style.minHeight = "300vh";
  scrollTo(0, 40);
  link.focus({ preventScroll: true });
}"""
STAYS = """(link) =>
  [document.activeElement === link, getSelection().toString().length > 10, scrollY]"""
PAGES = [(at_stored_export, 1100), (at_upload, 1100), (at_desk_without_item, 30_100)]


@pytest.mark.parametrize(("open_page", "after"), PAGES)
def test_a_page_that_fetches_itself_leaves_focus_selection_and_scroll_as_they_are(
    new_context: Callable[..., BrowserContext],
    lead: User,
    open_page: Callable[[Page, Project, User], None],
    after: int,
) -> None:
    project = make_project(slug="eggs", leads=[lead], annotators=[make_user(name="ada")], wanted=1)
    page = new_context().new_page()
    page.clock.install()
    log_in(page, "lea")
    open_page(page, project, lead)
    link = page.locator("#work a, .idle a").last.element_handle()
    link.evaluate(SELECT)
    Lease.objects.update(expires_at=F("expires_at") + timedelta(minutes=5))  # the page names it
    page.clock.run_for(after)
    expect(page.locator("body[data-fetched]")).to_be_attached()
    assert link.evaluate(STAYS) == [True, True, 40]
    if lease := Lease.objects.first():
        expect(page.locator("#back")).to_have_attribute(
            "data-waits", f"out {lease.expires_at.isoformat()}"
        )
