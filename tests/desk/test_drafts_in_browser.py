"""What is entered stays: after a reload, a sign-in that is over, a network that goes, a second
window."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import APIResponse, BrowserContext, Page, Request, Route, expect

from annotators.models import Session, User
from tasks.models import Draft, Item, Rating
from tests.conftest import Complaints
from tests.desk_keys import (
    SAVED,
    await_verdicts,
    hurry,
    intercept,
    log_in,
    settle,
    sign_out,
    tab_to,
    take_item,
)
from tests.factories import PASSWORD, make_item, make_lease, make_project, make_rubric, make_user

# The last is of what waited in htmx's queue and then failed: a promise rejected without a reason.
AWAY = "ERR_INTERNET_DISCONNECTED|ERR_FAILED|503|ERR_CONNECTION|htmx:|^undefined$"
KEYS = {"response-quality": "a7", "dialogue": "4ccr54"}
ASKS = {"response-quality": "a", "dialogue": "t"}  # a key that asks for a verdict


# Where it counts what is asked. What becomes of a comment is the same under every rubric.
under_each_rubric = pytest.mark.parametrize("slug", ["response-quality", "dialogue"])


@pytest.fixture
def slug() -> str:
    return "response-quality"


@pytest.fixture
def page(context: BrowserContext, slug: str) -> Page:
    """At the desk with the first of two items, of one response each."""
    project = make_project(
        slug=slug, rubric=make_rubric(slug=slug), annotators=[make_user(name="ada")]
    )
    for name in ("first", "second"):
        make_item(
            project=project,
            batch=project.batches.first(),
            external_id=name,
            responses=["Two: Phobos and Deimos."],
            persona=["I watch the sky."] if slug == "dialogue" else [],
        )
    page = context.new_page()
    hurry(page)
    log_in(page, "ada")
    take_item(page, slug)
    expect(page.locator("h1")).to_contain_text("first")
    page.wait_for_function(
        "() => document.activeElement.closest('[data-row]')"
    )  # keys are listened to
    return page


def kept(page: Page) -> int:
    """How much the browser keeps of what could not be sent."""
    return int(
        page.evaluate(
            "Object.keys(localStorage).filter((name) => name.startsWith('evenhand:')).length"
        )
    )


def save_in_another_window(context: BrowserContext, slug: str) -> Page:
    other = context.new_page()
    other.goto(f"/projects/{slug}/desk/")
    other.get_by_label("Comment on the whole item").fill("In the other window")
    expect(other.locator("#draft-state")).to_have_text(SAVED)
    return other


def rate_faultlessly(page: Page, slug: str) -> None:
    """All but the submit."""
    for key in KEYS[slug]:
        page.keyboard.press(key)
        await_verdicts(page)


def test_a_text_is_saved_a_moment_after_the_last_key_and_a_reload_brings_it_back(
    page: Page,
) -> None:
    """What is typed just before the reload, too."""
    box = page.get_by_label("Comment on the whole item")
    box.fill("Of two minds")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    assert Draft.objects.get().answers == {"comment": "Of two minds"}
    page.reload()
    expect(box).to_have_value("Of two minds")
    box.fill("At the last moment")
    page.reload()
    expect(box).to_have_value("At the last moment")
    expect(page.locator("#beside .note")).to_have_count(0)
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"
    )


FOOT = """() => [
  ...document.querySelectorAll(".foot, .foot > :is(nav, button)")
].map((element) => Object.values(element.getBoundingClientRect().toJSON()).join())"""
# While these words are shown, whether all of them are, and where the foot is then: they may be gone
# a moment later.
SHOWN = f"""(words) => {{
  const it = document.getElementById("draft-state");
  if (it.textContent.trim() !== words) return null;
  const isWhole = it.scrollHeight <= it.clientHeight && it.scrollWidth <= it.clientWidth;
  return [isWhole, ({FOOT})()];
}}"""


# A language with long words, in wide letters.
@pytest.mark.parametrize(("browser", "language"), [("dejavu", "de")], indirect=["browser"])
def test_on_a_phone_nothing_in_the_foot_moves_with_what_is_saved(
    page: Page, context: BrowserContext, complaints: Complaints, language: str
) -> None:
    complaints.allow(AWAY)
    User.objects.update(language=language)
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    page.locator("#comment").fill("None")  # at the end of the page, where all of the foot shows
    page.wait_for_load_state("networkidle")  # the rubric's texts are there, and the first draft
    at_first = page.evaluate(FOOT)
    assert len(at_first) == 5
    seen = set()
    for offline in (False, True):
        context.set_offline(offline)
        state = page.locator("#draft-state")
        for text in ("One", "Two"):
            page.locator("#comment").fill(f"{text}{offline}")
            for data in ("changed", "away") if offline else ("changed",):
                words = str(state.get_attribute(f"data-{data}"))
                is_whole, foot = page.wait_for_function(SHOWN, arg=words).json_value()
                assert foot == at_first
                if data == "away":  # the bar says so, whole
                    expect(page.locator("#trouble")).to_be_visible()
                else:
                    assert is_whole
            if not offline:
                expect(state).not_to_have_text(str(state.get_attribute("data-changed")))
                assert page.evaluate(FOOT) == at_first
            seen.add(state.inner_text())
    assert len(seen) > 1


def test_a_comment_typed_before_a_click_on_a_button_is_saved(
    page: Page,
) -> None:
    page.get_by_label("Comment on the whole item").fill("Hold on")
    with page.expect_request("**/draft/"):
        page.locator("#look-view").click()
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "Hold on"


def test_a_draft_saved_after_the_next_page_was_requested_is_on_that_page_too(
    page: Page, slug: str
) -> None:
    box = page.get_by_label("Comment on the whole item")
    held: list[tuple[Route, APIResponse]] = []
    intercept(
        page,
        f"**/projects/{slug}/desk/",
        lambda route: held.append((route, route.fetch())),
        times=1,
    )
    box.fill("At the last moment")
    with page.expect_response("**/draft/"):  # the page is there until the next one comes
        page.evaluate("() => { setTimeout(() => location.reload()); }")
    [(route, before)] = held
    with page.expect_navigation(wait_until="commit"):
        route.fulfill(response=before)
    expect(box).to_have_value("At the last moment")
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"
    )
    expect(box).to_have_value("At the last moment")
    expect(page.locator("#beside .note")).to_have_count(0)


def test_a_page_gone_back_to_is_up_to_date_and_gone_after_the_log_out(
    page: Page, slug: str
) -> None:
    box = page.get_by_label("Comment on the whole item")
    box.fill("Of two minds")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    page.get_by_role("link", name="Your ratings").click()
    page.wait_for_url("**/ratings/")
    page.go_back()
    expect(box).to_have_value("Of two minds")
    box.fill("Of three minds")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    assert Draft.objects.get(continued=False).answers["comment"] == "Of three minds"
    sign_out(page)
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(page.get_by_text("Phobos")).to_have_count(0)


@pytest.mark.parametrize("slug", ["dialogue"])
def test_answers_and_scores_come_back_with_their_verdict(page: Page, slug: str) -> None:
    rate_faultlessly(page, slug)
    checked = page.locator("#rating input:checked").count()
    assert checked > 1
    page.reload()
    expect(page.locator("#rating input:checked")).to_have_count(checked)
    expect(page.locator("[data-row] [data-complete]")).to_have_count(
        page.locator("[data-row]").count()
    )


@under_each_rubric
def test_a_score_with_nothing_to_be_told_is_kept_at_once_and_sent_with_what_follows(
    page: Page, slug: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.split("/")[-2]))
    *answers, score = list(KEYS[slug][: 2 if slug == "response-quality" else 1])
    for key in answers:
        page.keyboard.press(key)
        await_verdicts(page)
    asked.clear()
    row = page.locator("[data-row]").first
    page.keyboard.press(score)
    expect(row.locator("[data-complete]")).to_have_count(1)
    assert (asked, kept(page)) == ([], 1)
    page.reload()
    expect(row.locator(".scale :checked")).to_have_value(score)
    assert Draft.objects.get().answers["r1.quality"] == score


def test_an_answer_from_which_nothing_follows_is_kept_and_judged_with_the_last_one(
    page: Page,
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.split("/")[-2]))
    helpful, harmless, honest, comprehensive = (
        page.locator(f"#r1-quality-{best}")
        for best in ("helpful-entirely", "harmless-yes", "honest-yes", "comprehensive-yes")
    )
    seven = page.locator("#r1-quality-7")
    for answer in (helpful, harmless, honest):
        answer.click()
    assert (asked, kept(page)) == ([], 1)
    comprehensive.click()
    expect(seven).not_to_have_attribute("aria-disabled", "true")
    assert asked == ["verdict"]
    # An answer that bars scores asks at once, and so does the one that takes it back.
    page.locator("#r1-quality-helpful-not").click()
    expect(seven).to_have_attribute("aria-disabled", "true")
    helpful.click()
    expect(seven).not_to_have_attribute("aria-disabled", "true")
    assert Draft.objects.get().answers["r1.quality.harmless"] == "yes"


def test_the_time_that_was_worked_goes_on_after_a_reload(page: Page) -> None:
    Draft.objects.all().delete()
    page.evaluate("document.querySelector('[data-active-seconds]').value = '95'")
    page.get_by_label("Comment on the whole item").fill("x")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    Draft.objects.update(active_seconds=95)
    page.reload()
    page.wait_for_function(
        "() => Number(document.querySelector('[data-active-seconds]').value) >= 95"
    )


def test_while_the_network_is_away_one_goes_on_and_nothing_is_called_judged(
    page: Page, context: BrowserContext, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    context.set_offline(True)
    page.keyboard.press(ASKS[slug])
    row = page.locator("[data-row].current")
    expect(row.locator(".verdict [data-headline]")).to_have_text("Rules not checked: offline")
    expect(page.locator("#trouble")).to_be_visible()
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    page.get_by_label("Comment on the whole item").fill("Written on a train")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    assert kept(page) == 1
    assert not Draft.objects.exists()
    context.set_offline(False)
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    expect(row.locator(".verdict [data-headline]")).not_to_have_text("Rules not checked: offline")
    expect(page.locator("#trouble")).to_be_hidden()
    assert Draft.objects.get().answers["comment"] == "Written on a train"
    await_verdicts(page)
    assert kept(page) == 0


@pytest.mark.parametrize("slug", ["dialogue"])
def test_without_a_network_nothing_is_barred_by_what_was_said_before(
    page: Page, context: BrowserContext, complaints: Complaints
) -> None:
    page.keyboard.press("h")  # hard to understand: at most 2
    await_verdicts(page)
    best = page.locator("[data-row].current .level").last
    expect(best).to_have_class(re.compile("barred"))
    complaints.allow(AWAY)
    context.set_offline(True)
    page.keyboard.press("h")
    headline = page.locator("[data-row].current [data-verdict] [data-headline]")
    expect(headline).to_have_text("Rules not checked: offline")
    page.keyboard.press("5")
    expect(best.locator("input")).to_be_checked()
    row = page.locator("[data-row].current")
    assert (
        row.locator("[data-verdict]").inner_text() == "Rules not checked: offline"
    )  # no reason of before
    expect(row.locator(".why")).to_have_count(0)
    expect(page.locator("#strip-r1 .score").first).to_have_text("5")
    context.set_offline(False)
    expect(headline).not_to_have_text("Rules not checked: offline")
    expect(best.locator("input")).to_be_checked()
    expect(page.locator("[data-row].current .error")).to_have_count(0)


def test_a_submit_without_a_network_is_sent_once_it_is_back_and_once(
    page: Page, context: BrowserContext, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    rate_faultlessly(page, slug)
    context.set_offline(True)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#trouble")).to_be_visible()
    expect(page.locator("h1")).to_contain_text("first")
    assert not Rating.objects.exists()
    context.set_offline(False)
    expect(page.locator("h1")).to_contain_text("second")
    assert Rating.objects.count() == 1
    assert kept(page) == 0


def test_a_submit_whose_answer_is_lost_is_stored_once_and_leads_on(
    page: Page, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    rate_faultlessly(page, slug)
    lost: list[str] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().text())
        route.abort()

    intercept(page, "**/submit/", lose)
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_contain_text("second", timeout=15_000)
    assert "second" in lost[0]
    assert Rating.objects.count() == 1


def test_a_server_that_is_away_for_a_while_is_asked_again(
    page: Page, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    lift = intercept(
        page,
        "**/verdict/**",
        lambda route: route.fulfill(status=503, body="", headers={"Retry-After": "1"}),
    )
    page.keyboard.press(ASKS[slug])
    expect(page.locator("[data-row].current .verdict [data-headline]")).to_have_text(
        "Rules not checked: offline"
    )
    expect(page.locator("#trouble")).to_contain_text("The server can’t answer right now.")
    lift()
    expect(page.locator("[data-row].current .verdict [data-headline]")).not_to_have_text(
        "Rules not checked: offline"
    )
    assert Draft.objects.exists()


def test_a_sign_in_that_is_over_leads_to_the_log_in_and_back_with_the_work(
    page: Page, slug: str
) -> None:
    rate_faultlessly(page, slug)
    checked = page.locator("#rating input:checked").count()
    Session.objects.all().delete()
    page.get_by_label("Comment on the whole item").fill("And this was never sent")
    expect(page.get_by_label("Password", exact=True)).to_be_visible()
    tab_to(page, page.get_by_label("Name or e-mail"))
    page.keyboard.type("ada")
    tab_to(page, page.get_by_label("Password", exact=True))
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("first")
    expect(page.get_by_label("Comment on the whole item")).to_have_value("And this was never sent")
    expect(page.locator("#rating input:checked")).to_have_count(checked)
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"
    )
    assert Draft.objects.get().answers["comment"] == "And this was never sent"


def test_a_form_in_the_browser_stays_there_while_nobody_is_logged_in(
    page: Page, complaints: Complaints
) -> None:
    complaints.allow(AWAY)
    lift = intercept(page, "**/draft/", lambda route: route.abort())
    page.get_by_label("Comment on the whole item").fill("On a train")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    page.reload()  # it is tried, and tried again
    expect(page.locator("#rubric section").first).to_be_attached()
    Session.objects.all().delete()
    with page.expect_response("**/draft/") as refused:
        lift()
    assert "next=" in refused.value.headers["hx-redirect"]
    page.wait_for_timeout(100)
    assert kept(page) == 1
    log_in(page, "ada")
    page.goto(refused.value.url.partition("desk/")[0] + "desk/")
    expect(page.get_by_label("Comment on the whole item")).to_have_value("On a train")
    assert kept(page) == 0


def test_signing_out_wipes_what_the_browser_keeps_once_one_has_been_told(
    page: Page, context: BrowserContext, complaints: Complaints
) -> None:
    complaints.allow(AWAY)
    context.set_offline(True)
    page.get_by_label("Comment on the whole item").fill("Private")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    assert kept(page) == 1
    intercept(page, "**/draft/", lambda route: route.abort())
    context.set_offline(False)
    sign_out(page)
    expect(page.locator("#trouble")).to_contain_text("If you sign out again, it stays unsent.")
    sign_out(page)
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert kept(page) == 0


def test_the_alert_of_a_lost_connection_stands_still_until_something_is_saved(
    page: Page, complaints: Complaints
) -> None:
    complaints.allow(AWAY)
    tries: list[Route] = []

    def fails(route: Route) -> None:
        tries.append(route)
        route.abort()

    lift = intercept(page, "**/draft/", fails)
    page.get_by_label("Comment on the whole item").fill("On a train")
    alert = page.locator("#trouble")
    expect(alert).to_be_visible()
    page.evaluate(
        """() => { globalThis.moves = 0; new MutationObserver(() => { moves += 1; }).observe(
            document.getElementById("trouble"), { attributes: true, childList: true }); }"""
    )
    while len(tries) < 2:
        page.wait_for_timeout(50)
    page.wait_for_timeout(50)
    assert page.evaluate("[...document.querySelectorAll('#trouble:not([hidden])')].length") == 1
    assert page.evaluate("moves") == 0
    lift()
    expect(alert).to_be_hidden()


def test_a_comment_typed_while_a_draft_is_on_its_way_is_saved_before_a_sign_out(
    page: Page,
) -> None:
    held: list[Route] = []
    intercept(page, "**/draft/", lambda route: held.append(route), times=1)
    with page.expect_request("**/draft/"):
        page.get_by_label("Comment on the whole item").fill("First words")
    page.get_by_label("Comment on the whole item").fill("First words, and last ones")
    sign_out(page)
    held[0].continue_()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert kept(page) == 0
    assert Draft.objects.get().answers["comment"] == "First words, and last ones"


def test_a_sign_out_while_no_answer_comes_warns_of_the_unsaved_draft(
    page: Page,
) -> None:
    held: list[Route] = []
    intercept(page, "**/draft/", held.append, times=1)
    with page.expect_request("**/draft/"):
        page.get_by_label("Comment on the whole item").fill("Of two minds")
    sign_out(page)
    expect(page.locator("#trouble")).to_contain_text("If you sign out again, it stays unsent.")
    held[0].continue_()
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "Of two minds"


def test_a_form_in_the_browser_is_shown_also_where_its_item_replaces_another(
    page: Page, context: BrowserContext, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    second = Item.objects.get(external_id="second")
    context.set_offline(True)
    page.get_by_label("Comment on the whole item").fill("Kept of the second")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    before = make_lease(
        item=second,
        annotator=User.objects.get(),
        status="expired",
        ended_at=timezone.now(),
        now=timezone.now(),
    )
    page.evaluate(
        """([item, to]) => {
          const [name] = Object.keys(localStorage);
          const { fields } = JSON.parse(localStorage.getItem(name));
          localStorage.setItem(name.replace(/#\\d+/, `#${item}`), JSON.stringify({ to, fields }));
          localStorage.removeItem(name);
        }""",
        [second.pk, f"/projects/{slug}/desk/{before.pk}/draft/"],
    )
    context.set_offline(False)
    page.get_by_label("Comment on the whole item").fill("Of the first")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    page.keyboard.press("Escape")
    rate_faultlessly(page, slug)
    # The second is painted after what was kept of it has been saved.
    page.evaluate("""() => {
      const next = requestAnimationFrame;
      window.requestAnimationFrame = (act) => next(() => setTimeout(act, 300));
    }""")
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_contain_text("second")
    expect(page.get_by_label("Comment on the whole item")).to_have_value("Kept of the second")
    settle(page)
    expect(page.get_by_label("Comment on the whole item")).to_have_value("Kept of the second")
    draft = Draft.objects.filter(item=second)
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"
    )
    assert draft.get().answers["comment"] == "Kept of the second"


def test_two_windows_save_beside_each_other_and_each_version_is_one_link_away(
    page: Page, context: BrowserContext, slug: str
) -> None:
    save_in_another_window(context, slug)
    box = page.get_by_label("Comment on the whole item")
    link = page.get_by_role("link", name="Open that version")
    box.fill("In this window")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    expect(link).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    link.click()
    expect(box).to_have_value("In the other window")
    box.fill("In the other window, and on")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    page.reload()  # of the address of a version that was continued
    expect(box).to_have_value("In the other window, and on")
    link.click()
    expect(box).to_have_value("In this window")
    assert kept(page) == 0


def test_a_form_in_the_browser_meets_a_draft_saved_elsewhere(
    page: Page,
    new_context: Callable[..., BrowserContext],
    context: BrowserContext,
    complaints: Complaints,
    slug: str,
) -> None:
    complaints.allow(AWAY)
    context.set_offline(True)
    box = page.get_by_label("Comment on the whole item")
    box.fill("On a train")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    other = new_context().new_page()
    log_in(other, "ada")
    other.goto(f"/projects/{slug}/desk/")
    other.get_by_label("Comment on the whole item").fill("At home")
    expect(other.locator("#draft-state")).to_have_text(SAVED)
    lift = intercept(
        page, "**/draft/", lambda route: route.abort()
    )  # it is closed before it has sent
    context.set_offline(False)
    page.reload()
    lift()
    expect(box).to_have_value("On a train")
    page.get_by_role("link", name="Open that version").click()
    expect(box).to_have_value("At home")
    assert kept(page) == 0


def test_a_comment_typed_while_a_form_is_sent_from_the_browser_is_saved_too(
    page: Page, context: BrowserContext, complaints: Complaints
) -> None:
    complaints.allow(AWAY)
    box = page.get_by_label("Comment on the whole item")
    context.set_offline(True)
    box.fill("On a train")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    page.get_by_label("Comment on the whole item").evaluate("field => field.form.remove()")
    held: list[Route] = []
    intercept(page, "**/draft/", lambda route: held.append(route), times=1)
    context.set_offline(False)
    with page.expect_request("**/draft/"):
        page.reload()
    box.focus()
    page.keyboard.type("At home")
    held[0].continue_()
    expect(page.get_by_role("link", name="Open that version")).to_be_visible()
    expect(box).to_have_value("At home")
    assert {each.answers["comment"] for each in Draft.objects.all()} == {"At home", "On a train"}


def test_a_score_given_while_the_page_is_brought_up_to_date_counts(
    page: Page, context: BrowserContext, complaints: Complaints
) -> None:
    complaints.allow(AWAY)
    context.set_offline(True)
    page.get_by_label("Comment on the whole item").fill("On a train")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    page.get_by_label("Comment on the whole item").evaluate("field => field.form.remove()")
    held: list[Route] = []

    def brings_it_up_to_date(request: Request) -> bool:
        return request.url.endswith("/desk/") and "hx-request" in request.headers

    def hold(route: Route) -> None:
        if brings_it_up_to_date(route.request):
            held.append(route)
        else:
            route.fallback()

    intercept(page, "**/desk/", hold)
    context.set_offline(False)
    with page.expect_request(brings_it_up_to_date):
        page.reload()
    score = page.locator("#r1-quality-4")
    with page.expect_event("requestfailed", brings_it_up_to_date):
        score.click()
    expect(score).to_be_checked()
    page.get_by_label("Comment on the whole item").fill("At home")
    link = page.get_by_role("link", name="Open that version")
    expect(link).to_be_visible()
    expect(score).to_be_checked()
    link.click()
    expect(page.get_by_label("Comment on the whole item")).to_have_value("On a train")


def test_two_windows_that_are_both_closed_without_a_network_lose_nothing(
    page: Page, context: BrowserContext, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    other = context.new_page()
    other.goto(f"/projects/{slug}/desk/")
    other.wait_for_function("() => document.activeElement.closest('[data-row]')")
    context.set_offline(True)
    both = ("In this window", "In the other window")
    for window, words in zip((page, other), both, strict=True):
        window.get_by_label("Comment on the whole item").fill(words)
        expect(window.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    assert kept(page) == 2
    page.close()
    other.close()
    context.set_offline(False)
    other = context.new_page()
    other.goto(f"/projects/{slug}/desk/")
    link = other.get_by_role("link", name="Open that version")
    expect(link).to_be_visible()
    box = other.get_by_label("Comment on the whole item")
    one = box.input_value()
    link.click()
    expect(box).not_to_have_value(one)
    assert {one, box.input_value()} == set(both)
    assert kept(other) == 0


def test_a_form_in_the_browser_of_a_replaced_item_is_sent_before_a_sign_out(
    page: Page, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    first = Item.objects.get(external_id="first")
    lift = intercept(page, "**/draft/", lambda route: route.abort())
    page.get_by_label("Comment on the whole item").fill("Kept of the first")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.locator("#concern input[type=radio]").first.check()
    page.get_by_role("button", name="Skip").last.click()
    expect(page.locator("h1")).to_contain_text("second")
    settle(page)
    sign_out(page)
    expect(page.locator("#trouble")).to_contain_text("If you sign out again, it stays unsent.")
    assert kept(page) == 1
    lift()
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"
    )
    assert Draft.objects.get(item=first).answers["comment"] == "Kept of the first"
    expect(page.locator("h1")).to_contain_text("second")  # nothing was loaded anew


def test_signing_out_from_another_page_asks_first_too(
    page: Page, context: BrowserContext, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    context.set_offline(True)
    page.get_by_label("Comment on the whole item").fill("On a train")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    page.close()
    context.set_offline(False)
    elsewhere = context.new_page()
    elsewhere.goto("/work/")
    sign_out(elsewhere)
    expect(elsewhere.get_by_role("alert")).to_contain_text(
        "If you sign out again, it stays unsent."
    )
    assert kept(elsewhere) == 1
    elsewhere.goto(f"/projects/{slug}/desk/")
    expect(elsewhere.get_by_label("Comment on the whole item")).to_have_value("On a train")
    elsewhere.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"
    )
    elsewhere.goto("/work/")
    sign_out(elsewhere)  # nothing is kept: at once
    expect(elsewhere.get_by_role("button", name="Sign in")).to_be_visible()


def test_an_answer_that_comes_after_something_newer_failed_calls_nothing_saved(
    page: Page, complaints: Complaints, slug: str
) -> None:
    complaints.allow(AWAY)
    held: list[Route] = []
    intercept(page, "**/verdict/*", lambda route: held.append(route), times=1)
    lift = intercept(page, "**/draft/", lambda route: route.abort())
    with page.expect_request("**/verdict/*"):
        page.keyboard.press(ASKS[slug])
    page.get_by_label("Comment on the whole item").fill("Of two minds")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    with page.expect_response("**/verdict/*"):
        held[0].continue_()
    await_verdicts(page)
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    assert kept(page) == 1
    lift()
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "Of two minds"


def test_a_comment_typed_just_before_a_skip_is_saved_with_the_item(
    page: Page, complaints: Complaints
) -> None:
    first = Item.objects.get(external_id="first")
    page.keyboard.press("s")
    page.locator("#concern input[type=radio]").first.check()
    page.get_by_label("Comment on the whole item").fill("Skipped, because")
    page.evaluate("document.querySelector('[data-skip]').click()")  # before a moment is over
    expect(page.locator("h1")).to_contain_text("second")
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"
    )
    assert Draft.objects.get(item=first).answers["comment"] == "Skipped, because"
    assert not Draft.objects.exclude(item=first).exists()
