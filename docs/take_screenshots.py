"""Take the pictures in docs/screenshots from a demonstration of its own: `make screenshots`.

Wide is 1440 × 900, where the rubric has a column; small is 1366 × 650, what a small laptop leaves
of its screen; phone is 390 × 844.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.demonstration import ROOT, demonstration, installed_browser, manage, own_folder, sign_in
from tests.journeys.ratings import write_sheet

PICTURES = ROOT / "docs" / "screenshots"
WIDE: ViewportSize = {"width": 1440, "height": 900}
SMALL: ViewportSize = {"width": 1366, "height": 650}
PHONE: ViewportSize = {"width": 390, "height": 844}
# Two responses stand side by side; the demonstration's items have more.
PAIR = """
from annotators.models import User
from tasks.models import Membership, Project
project = Project.objects.get(slug="pair")
Project.objects.filter(pk=project.pk).update(title="Response quality, in pairs")
Membership.objects.create(project=project, user=User.objects.get(username="ben"), role="annotator")
"""
# A round of two examples: of a 4 with a slip of punctuation, and of a 6. Then it has ended.
ROUND = """
from tasks.models import PracticeRound, Project
Project.objects.filter(slug="response-quality").update(practice="required")
PracticeRound.objects.update(examples=["quality.4.1", "quality.6.1"])
"""


def main() -> None:
    """Start the demonstration, walk through it, stop it."""
    PICTURES.mkdir(exist_ok=True)
    with (
        own_folder() as home,
        demonstration(home / "data") as demo,
        sync_playwright() as playwright,
    ):
        add_a_pair(home)
        found = installed_browser("chromium-headless-shell", "chromium")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        take_quality(browser, demo)
        take_practice(browser, demo, home)
        take_pair(browser, demo)
        take_dialogue(browser, demo)
        take_lead(browser, demo)
        take_ratings(browser, demo, home)
        take_admin(browser, demo)
        browser.close()


def add_a_pair(home: Path) -> None:
    """Add a project in which ben rates two responses at a time."""
    items = (ROOT / "fixtures" / "demo-response-quality.items.jsonl").read_text().splitlines()
    item = json.loads(items[1])
    item["responses"] = item["responses"][:2]
    file = home / "pairs.jsonl"
    file.write_text(json.dumps(item))
    file.chmod(0o644)
    manage(
        home / "data", "import_batch", "pair", str(file), "--create", "--rubric", "response-quality"
    )
    manage(home / "data", "shell", "-c", PAIR)


def take_quality(browser: Browser, demo: dict[str, Any]) -> None:
    """Go from the log-in to the second item: wide, dark, on a small laptop and on a phone."""
    page = open_page(browser, demo)
    page.goto(f"{demo['url']}/accounts/login/")
    shoot(page, "login")
    sign_in(page, demo, "ada")
    shoot(page, "home-first")
    start(page, demo, "response-quality")
    shoot(page, "desk-quality-first")
    page.keyboard.press("a")
    expect(page.locator("#r1-quality-verdict")).to_contain_text("Open: 4, 5, 6, 7.")
    page.keyboard.press("7")
    expect(page.locator("#strip-r1 .score")).to_have_text("7")
    page.keyboard.press("h")
    page.keyboard.press("Enter")
    expect(page.locator("[data-hint]")).to_contain_text("Not submitted")
    shoot(page, "desk-quality-missing")
    rate_the_rest(page)
    half_way(page)
    shoot(page, "desk-quality")
    page.emulate_media(color_scheme="dark")
    shoot(page, "desk-quality-dark")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(SMALL)
    expect(page.get_by_role("complementary", name="Rubric")).to_be_visible()
    shoot(page, "desk-quality-1366x650-rubric-open")
    page.set_viewport_size(WIDE)
    page.goto(demo["url"])
    shoot(page, "home-annotator")
    phone = open_page(browser, demo, viewport=PHONE, has_touch=True, is_mobile=True)
    sign_in(phone, demo, "ada")
    phone.goto(f"{demo['url']}/projects/response-quality/desk/")
    phone.locator("#rating").wait_for()
    shoot(phone, "desk-quality-phone")


def take_practice(browser: Browser, demo: dict[str, Any], home: Path) -> None:
    """Answer an example as its level 4, and look at the lead's page."""
    page = open_page(browser, demo)
    sign_in(page, demo, "ben")
    page.goto(f"{demo['url']}/projects/response-quality/practice/")
    page.get_by_role("button", name="Start practising").click()
    page.locator("form#rating").wait_for()
    manage(home / "data", "shell", "-c", ROUND)
    for place in (1, 2):
        page.goto(f"{demo['url']}/projects/response-quality/practice/1/{place}/")
        page.keyboard.press("a")
        page.wait_for_function("() => !evenhand.waiting")
        page.keyboard.press("6")
        page.wait_for_function("() => !evenhand.waiting")
        page.keyboard.press("Control+Enter")
        page.locator("#outcome").wait_for()
        if place == 1:
            shoot(page, "practice")
    lead = open_page(browser, demo)
    sign_in(lead, demo, "lea")
    lead.goto(f"{demo['url']}/projects/response-quality/people/practice/")
    shoot(lead, "lead-practice")


def take_pair(browser: Browser, demo: dict[str, Any]) -> None:
    page = open_page(browser, demo)
    sign_in(page, demo, "ben")
    start(page, demo, "pair")
    half_way(page)
    shoot(page, "desk-quality-two")


def take_lead(browser: Browser, demo: dict[str, Any]) -> None:
    """Look at a finished project as its lead, and invite people to it."""
    page = open_page(browser, demo)
    sign_in(page, demo, "lea")
    there = f"{demo['url']}/projects/response-quality-finished"
    while not page.get_by_text("resamples, seed").count():  # the worker makes the figures
        page.goto(f"{there}/agreement/")
        page.wait_for_timeout(1_000)
    page.goto(f"{there}/people/")
    page.get_by_role("button", name="Make a link").click()
    page.get_by_label("One address a line").fill("gil@example.org\nhana@example.org, Hana")
    page.get_by_role("button", name="Check the list").click()
    page.get_by_role("button", name="Send 2 invitations").click()
    page.goto(f"{there}/people/")
    shoot(page, "lead-people")
    link = page.get_by_label("Invitation link").input_value()
    guest = open_page(browser, demo)
    guest.goto(link)
    shoot(guest, "join")
    page.goto(f"{there}/disagreements/")
    page.locator("#queue ol li").nth(1).get_by_role("link").click()
    page.get_by_role("heading", level=1).wait_for()
    shoot(page, "lead-disagreements")
    page.goto(f"{there}/items/")
    page.get_by_role("button", name="Show models").click()
    page.get_by_role("button", name="Hide models").wait_for()
    shoot(page, "lead-items")
    page.goto(f"{demo['url']}/inbox/")
    shoot(page, "inbox")
    page.goto(f"{there}/")
    shoot(page, "lead-overview")
    page.emulate_media(color_scheme="dark")
    shoot(page, "lead-overview-dark")
    page.emulate_media(color_scheme="light")
    page.goto(f"{there}/items/?q=headache")
    page.get_by_role("link", name="rq-demo-02-again").click()
    page.locator(".item-tabs a").nth(1).click()
    shoot(page, "lead-item")
    page.goto(f"{demo['url']}/rubrics/new/?q=UltraFeedback")
    page.get_by_role("button", name="Start UltraFeedback").click()
    page.get_by_role("link", name="Honesty").click()
    page.get_by_role("heading", name="Rightly sure").wait_for()
    shoot(page, "lead-rubric")
    phone = open_page(browser, demo, viewport=PHONE, has_touch=True, is_mobile=True)
    sign_in(phone, demo, "lea")
    phone.goto(f"{there}/")
    shoot(phone, "lead-overview-phone")
    phone.goto(f"{there}/items/")
    shoot(phone, "lead-items-phone")


def take_ratings(browser: Browser, demo: dict[str, Any], home: Path) -> None:
    """Look at a sheet that four people have rated."""
    page = open_page(browser, demo)
    sign_in(page, demo, "lea")
    page.goto(f"{demo['url']}/projects/new/")
    page.get_by_label("File", exact=True).set_input_files(write_sheet(home))
    page.get_by_role("button", name="Look at the file").click()
    one_item = "the prompt; rows with the same are one item"
    page.get_by_label("question", exact=True).select_option(label=one_item)
    page.get_by_role("button", name="Read the file again").click()
    page.get_by_text("Rows to talk about").wait_for()
    shoot(page, "lead-ratings")


def take_admin(browser: Browser, demo: dict[str, Any]) -> None:
    page = open_page(browser, demo)
    sign_in(page, demo, "admin")
    page.goto(f"{demo['url']}/admin/")
    shoot(page, "admin")


def take_dialogue(browser: Browser, demo: dict[str, Any]) -> None:
    """Take the replies, then the candidate sets."""
    page = open_page(browser, demo)
    sign_in(page, demo, "ben")
    start(page, demo, "dialogue")
    for place in range(1, 7):
        for answer in ("quality-4", "consistency-contradicts-no", "consistency-reflects-no"):
            check(page, f"#r{place}-{answer}")
        for score in ("consistency-3", "coherence-4"):
            check(page, f"#r{place}-{score}")
        expect(page.locator(f"#strip-r{place}")).to_have_class("complete")
        if place == 3:
            shoot(page, "desk-dialogue")
    page.locator("#strip-s1").click()
    shoot(page, "desk-dialogue-sets")


def check(page: Page, choice: str) -> None:
    """Choose an answer, and wait until the row with the verdict is there."""
    page.locator(choice).check(force=True)
    expect(page.locator(".htmx-request")).to_have_count(0)


def open_page(browser: Browser, demo: dict[str, Any], **options: Any) -> Page:
    """Open a browser of one's own, in light colours."""
    common = {"viewport": WIDE, "color_scheme": "light", "base_url": demo["url"]}
    return browser.new_context(**{**common, **options}).new_page()


def start(page: Page, demo: dict[str, Any], slug: str) -> None:
    page.goto(f"{demo['url']}/projects/{slug}/desk/")
    page.get_by_role("button", name="Start rating").click()
    page.locator("#rating").wait_for()


def rate_the_rest(page: Page) -> None:
    """Give what has no score yet the best answers and a 7, and submit."""
    for place in range(2, 5):
        page.locator(f"#strip-r{place}").click()
        page.keyboard.press("a")
        expect(page.locator(f"#r{place}-quality-verdict")).to_contain_text("Open: 4, 5, 6, 7.")
        page.keyboard.press("7")
        expect(page.locator(f"#strip-r{place} .score")).to_have_text("7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("rq-demo-02")


def half_way(page: Page) -> None:
    """Rate the response whose disclaimer stands at its end, which bars the high scores."""
    page.wait_for_function("() => !evenhand.busy")
    late = page.locator("[data-target]", has_text="Please note that I am not a doctor")
    place = late.get_attribute("id")
    page.locator(f"#strip-{place}").click()
    for key in "a;":
        page.keyboard.press(key)
    page.locator(f"#{place}-quality-verdict", has_text="Open: 4.").wait_for()
    page.keyboard.press("4")
    expect(page.locator(f"#strip-{place} .score")).to_have_text("4")
    page.locator(f"#strip-{place}").click()
    expect(page.locator("#draft-state")).to_have_text(re.compile("Saved"), timeout=10_000)


def shoot(page: Page, name: str) -> None:
    """Take a picture. 256 colours are enough for a page, and make it a third as large."""
    page.mouse.move(0, 0)  # nothing is pointed at
    page.wait_for_timeout(400)  # until fonts and transitions have settled
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    few = picture.quantize(256, dither=Image.Dither.NONE)
    few.save(PICTURES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
