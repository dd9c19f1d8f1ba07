"""Journeys of several people through a study. Each begins at the log-in page, as its lead.

A step that can't be done, or an expectation that doesn't hold, ends the journey there.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import yaml
from playwright.sync_api import expect

from tests.demonstration import ROOT

from .gallery import add_items
from .person import Person
from .tasks import QUALITY, rate_by_keys, to_the_first_item

LEAD = "lea"
ITEMS = ROOT / "fixtures" / "demo-response-quality.items.jsonl"
RUBRIC = ROOT / "fixtures" / "response-quality.yaml"
PASSWORD = "nine quiet herons wade"


def study_from_nothing(lead: Person) -> None:
    """Create a project, upload a file, invite three people; one rates, and the lead reads it."""
    lead.signs_in()
    lead.does("creates a project")
    lead.click(lead.page.get_by_role("link", name="New project"))
    lead.click(lead.page.get_by_label("Title"))
    lead.type("Herons")
    lead.click(lead.page.get_by_role("button", name="Create project"))
    add_items(lead, ITEMS)
    expect(lead.page.get_by_role("link", name="Items 17")).to_be_visible()
    lead.does("invites three people")
    lead.click(lead.page.get_by_role("link", name="People"))
    lead.click(lead.page.get_by_label("One address a line"))
    lead.type("gil@example.org\nhana@example.org\nivo@example.org")
    lead.click(lead.page.get_by_role("button", name="Check the list"))
    lead.click(lead.page.get_by_role("button", name="Send 3 invitations"))
    expect(lead.page.get_by_role("row", name="ivo@example.org")).to_contain_text(
        re.compile("to be sent|Written to a file")
    )

    gil = lead.other("gil")
    gil.does("opens the link of the e-mail")
    gil.opens(lead.link_in_email("gil@example.org"))
    expect(gil.page.get_by_role("heading", name="Join “Herons”")).to_be_visible()
    gil.does("chooses a name and a password")
    gil.click(gil.page.get_by_label("Name", exact=True))
    gil.type("gil")
    gil.click(gil.page.get_by_label("Password"))
    gil.type(PASSWORD)
    gil.click(gil.page.get_by_role("button", name="Join", exact=True))
    to_the_first_item(gil, "Herons")
    item = gil.rated_item().rpartition(", item ")[2]
    rate_by_keys(gil)
    gil.does("submits by Enter")
    gil.until_next_item(lambda: gil.press("Enter"))

    lead.does("reads the rating")
    lead.click(lead.page.get_by_role("link", name=re.compile("^Items")))
    lead.click(lead.page.get_by_role("link", name=item, exact=True))
    said = lead.page.get_by_role("table")
    expect(said.get_by_role("columnheader", name="gil")).to_be_visible()
    expect(said.get_by_role("cell", name="7", exact=True)).to_be_visible()


def newcomer_practises(lead: Person) -> None:
    """Require practice and invite someone: they join, practise on eight examples, and rate."""
    lead.signs_in()
    lead.does("requires practice")
    lead.page.goto("/projects/response-quality/settings/#practice")
    group = lead.page.get_by_role("form", name="Practice")
    lead.choose(group.get_by_label("required before the first item"))
    lead.click(group.get_by_role("button", name="Save"))
    lead.does("invites a newcomer")
    lead.click(lead.page.get_by_role("link", name="People"))
    lead.click(lead.page.get_by_label("One address a line"))
    lead.type("gil@example.org")
    lead.click(lead.page.get_by_role("button", name="Check the list"))
    lead.click(lead.page.get_by_role("button", name="Send 1 invitation"))

    gil = lead.other("gil")
    gil.does("joins by the link of the e-mail")
    gil.opens(lead.link_in_email("gil@example.org"))
    expect(gil.page.get_by_text("Practise first: rate 8 examples of the rubric")).to_be_visible()
    gil.click(gil.page.get_by_label("Name", exact=True))
    gil.type("gil")
    gil.click(gil.page.get_by_label("Password"))
    gil.type(PASSWORD)
    gil.click(gil.page.get_by_role("button", name="Join", exact=True))
    gil.does("starts practising")
    gil.click(gil.page.get_by_role("link", name="Practise first"))
    gil.click(gil.page.get_by_role("button", name="Start practising"))
    for number in range(1, 9):
        gil.does(f"answers example {number} by keys")
        gil.page.wait_for_url(f"**/practice/1/{number}/")
        _answer_example(gil)
        gil.does("reads the answer, and goes on by Enter")
        expect(gil.page.locator("#outcome")).to_contain_text("as you said")
        gil.press("Enter")
    gil.does("reads how the round ended")
    expect(gil.page.get_by_role("heading", name="You can start rating")).to_be_visible()
    gil.click(gil.page.get_by_role("link", name="Go on to rating"))
    gil.click(gil.page.get_by_role("button", name="Start rating"))
    rate_by_keys(gil)
    gil.does("submits by Enter")
    gil.until_next_item(lambda: gil.press("Enter"))

    lead.does("reads how the newcomer came in")
    lead.page.goto("/projects/response-quality/people/practice/")
    row = lead.page.get_by_role("row", name="gil")
    expect(row).to_contain_text("8 of 8 within one")
    expect(row).to_contain_text("passed the practice")


def _answer_example(person: Person) -> None:
    """Say by keys what the example on the desk says: it is found in the rubric by its text."""
    gone = re.compile(r"\W+")
    shown = gone.sub("", person.page.locator("[data-said=r1]").inner_text())
    [dimension] = yaml.safe_load(RUBRIC.read_text())["dimensions"]
    example = next(
        each
        for level in dimension["levels"]
        for each in level["examples"]
        if gone.sub("", each["response"]) == shown
    )
    person.page.locator("[data-row]").focus()
    for check in dimension["checks"]:
        place = person.page.locator(f"#r1-quality-{check['code']}")
        answers = check.get("answers", [])
        wanted = [each for each in answers if each.get("sets") in example["checks"]]
        wanted += [each for each in answers if not each.get("sets")]
        if wanted:
            answer = person.page.locator(f"#r1-quality-{check['code']}-{wanted[0]['code']}")
            while not answer.is_checked():
                person.press(place.get_attribute("aria-keyshortcuts") or "")
                person.until_answered()
        elif check["code"] in example["checks"]:
            person.press(place.get_attribute("aria-keyshortcuts") or "")
            person.until_answered()
    person.press(str(example["score"]))
    person.until_answered()
    person.press("Control+Enter")
    expect(person.page.locator("#outcome, #asked").first).to_be_visible()
    if person.page.locator("#asked").count():
        person.until_answered()
        person.press("Control+Enter")


def item_dropped_and_taken_back(lead: Person) -> None:
    """Drop an item on its page with a reason, and take it back."""
    lead.signs_in()
    lead.does("opens an item")
    lead.click(lead.page.get_by_role("link", name=QUALITY, exact=True))
    lead.click(lead.page.get_by_role("link", name=re.compile("^Items")))
    lead.click(lead.page.locator(".items tbody th a").first)
    drop = lead.page.locator(".section.drop")
    for act, why, told in (
        ("Drop it", "It is cut off.", "Dropped by lea on"),
        ("Take back", "It is whole.", "Taken back by lea on"),
    ):
        lead.does(act)
        lead.click(drop.locator("summary"))
        lead.click(drop.get_by_role("textbox", name="Reason"))
        lead.type(why)
        lead.click(drop.get_by_role("button", name=act))
        expect(drop).to_contain_text(told)
        expect(drop).to_contain_text(why)


def flag_answered(lead: Person) -> None:
    """Reply to a flag in the panel of the item's page, with the ratings above it."""
    ada = lead.other("ada")
    ada.signs_in()
    to_the_first_item(ada)
    ada.does("flags the item and keeps rating")
    concern = ada.page.locator("#concern")
    ada.click(ada.page.get_by_role("button", name="Skip or flag"))
    ada.click(concern.get_by_role("radio", name="I can’t tell what the rubric asks here"))
    ada.click(concern.get_by_role("textbox"))
    ada.type("Is a joke false?")
    ada.click(concern.get_by_role("button", name="Flag and keep rating"))
    expect(ada.page.locator("#flagged")).to_be_visible()
    ada.press("Escape")
    rate_by_keys(ada)
    ada.does("submits by Enter")
    ada.until_next_item(lambda: ada.press("Enter"))

    lead.signs_in()
    lead.does("opens the project")
    lead.click(lead.page.get_by_role("link", name=QUALITY, exact=True))
    lead.does("replies to the flag, from what needs the lead")
    needs = lead.page.get_by_role("region", name="Needs you")
    expect(needs).to_contain_text("Is a joke false?")
    lead.click(needs.get_by_role("link", name="Decide"))
    expect(lead.page.get_by_role("columnheader", name="ada")).to_be_visible()
    panel = lead.page.locator("#panel")
    expect(panel.get_by_role("radio", name="Reply to a flag by ada")).to_be_checked()
    lead.click(panel.get_by_role("radio", name="answer only"))
    lead.click(panel.get_by_role("textbox", name="Your answer"))
    lead.type("No, if it is meant as one.")
    lead.click(panel.get_by_role("button", name="Send the reply"))
    flag = lead.page.get_by_role("listitem").filter(has_text="Flagged by ada")
    expect(flag).to_contain_text("No, if it is meant as one.")


def response_revised(lead: Person) -> None:
    """Ask about one response, in its annotator's letter; she revises it, and it is exported."""
    ada = lead.other("ada")
    ada.signs_in()
    to_the_first_item(ada)
    item = ada.rated_item().rpartition(", item ")[2]
    rate_by_keys(ada)
    ada.does("submits by Enter")
    ada.until_next_item(lambda: ada.press("Enter"))

    lead.signs_in()
    lead.does("finds the item and reads the rating")
    lead.click(lead.page.get_by_role("link", name=QUALITY, exact=True))
    lead.click(lead.page.get_by_role("link", name=re.compile("^Items")))
    lead.click(lead.page.get_by_role("link", name=item, exact=True))
    said = lead.page.get_by_role("table")
    expect(said.get_by_role("columnheader", name="ada")).to_be_visible()
    lead.does("sends its second response back with a question")
    lead.click(lead.page.get_by_label("Ask, or send a rating back"))
    lead.page.get_by_label("Rating by").select_option(label="B for ada")
    lead.click(lead.page.get_by_role("textbox", name="Question"))
    lead.type("Is B a 7?")
    lead.click(lead.page.get_by_role("button", name="Send back"))
    expect(lead.page.get_by_text("The rating goes back to ada.")).to_be_visible()

    ada.does("reads the question on the start page")
    ada.click(ada.page.get_by_role("link", name="Evenhand"))
    returned = ada.page.get_by_role("region", name="Came back to you")
    expect(returned).to_contain_text("Response B")
    expect(returned).to_contain_text("Is B a 7?")
    ada.does("gives a 6 instead, where the page opens")
    ada.click(returned.get_by_role("link", name=re.compile("^Check again")))
    expect(ada.page.get_by_text("Is B a 7?")).to_be_visible()
    expect(ada.page.locator("#r2.current")).to_be_visible()
    ada.press("6")
    ada.given("B", 6)
    ada.does("submits it")
    ada.click(ada.page.get_by_role("button", name="Submit"))
    expect(ada.page.get_by_text("Corrected once")).to_be_visible()

    lead.does("sees the revised rating on the item's page")
    lead.reload()
    responses = lead.page.get_by_role("navigation", name="Responses")
    lead.click(responses.get_by_role("link", name=re.compile(r"6\s*$")))
    expect(said.get_by_role("cell", name="6", exact=True)).to_be_visible()
    expect(said).to_contain_text("1 correction")
    lead.does("exports the ratings")
    lead.click(lead.page.get_by_role("link", name="Export"))
    lead.click(lead.page.get_by_label("ZIP, with a list of the columns and a manifest"))
    with lead.page.expect_download() as download:
        lead.click(lead.page.get_by_role("button", name="Download"))
    with Path(download.value.path()).open(newline="", encoding="utf-8") as file:
        scores = [row["score"] for row in csv.DictReader(file) if row["item"] == item]
    assert sorted(scores)[0] == "6", f"the export has {scores} for {item}"


JOURNEYS = (
    *(study_from_nothing, newcomer_practises, item_dropped_and_taken_back, flag_answered),
    response_revised,
)
