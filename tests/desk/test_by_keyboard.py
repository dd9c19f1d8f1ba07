"""Rating by keyboard alone, in both rubrics; in one of them from log-in to the CSV."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from annotators.models import User
from tasks.models import Project, Rating
from tests.desk_keys import (
    go_by_tab,
    log_in,
    log_in_by_keys,
    settle,
    tab_to,
    take_item,
    verdict,
)
from tests.exports import rows_of, zipped_scores
from tests.factories import make_batch, make_item, make_project, make_rubric


def start_rating(page: Page, project: Project) -> None:
    go_by_tab(page, page.get_by_role("button", name=f"Start with the first item {project.title}"))
    expect(page.locator("#rating")).to_be_visible()


def wait_for_row(page: Page, row: str) -> None:
    page.wait_for_function(
        "row => document.activeElement.closest('[data-row]')?.id === row", arg=row
    )


def export(page: Page, project: Project, folder: Path) -> list[dict[str, str]]:
    go_by_tab(page, page.get_by_role("link", name="Evenhand"))
    go_by_tab(page, page.get_by_role("link", name=project.title, exact=True))
    go_by_tab(page, page.get_by_role("link", name="Export", exact=True))
    with page.expect_download() as download:
        go_by_tab(page, page.get_by_role("button", name="Download"))
    file = folder / "ratings.zip"
    download.value.save_as(file)
    return zipped_scores(file)


def test_response_quality_is_rated_by_keyboard_alone(page: Page, ada: User, tmp_path: Path) -> None:
    project = make_project(slug="eggs", title="Eggs", annotators=[ada], leads=[ada])
    make_item(project=project, external_id="egg-1", responses=["Six minutes.", "Sixe minute"])
    make_item(project=project, external_id="egg-2", responses=["\u200b"])
    log_in_by_keys(page, "ada")
    start_rating(page, project)

    wait_for_row(page, "r1-quality")
    first = page.locator("[data-target].current .response .text").inner_text()
    worse, better = ("r1", "r2") if first == "Sixe minute" else ("r2", "r1")
    for key in ("r1", "r2"):
        wait_for_row(page, f"{key}-quality")
        page.keyboard.press("a")
        if key == worse:
            page.keyboard.press("l")  # a language error
            expect(verdict(page, f"{key}-quality")).to_contain_text("Open: 2, 3, 4.")
            expect(verdict(page, f"{key}-quality")).to_contain_text("RQ-12")
            page.keyboard.press("7")
            expect(page.locator(f"#{key}-quality-7")).not_to_be_checked()
            expect(page.locator(f"#{key}-quality-7")).to_have_attribute("aria-disabled", "true")
            page.keyboard.press("c")  # comprehensive: no
            page.keyboard.press("3")
        else:
            page.keyboard.press("7")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_text("empty response", exact=True)).to_be_visible()
    assert Rating.objects.count() == 1
    settle(page)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("You have rated all your items")).to_be_visible()

    rows = export(page, project, tmp_path)
    found = {(row["item"], f"r{row['position']}"): row for row in rows}
    assert found["egg-1", better]["score"] == "7"
    assert found["egg-1", worse]["score"] == "3"
    assert found["egg-1", worse]["clause"] == "RQ-08;RQ-12;RQ-25"
    assert (
        found["egg-1", worse]["checks"]
        == "helpful=entirely;harmless=yes;honest=yes;comprehensive=no;language_error=yes"
    )
    assert found["egg-2", "r1"]["score"] == "1"
    assert found["egg-2", "r1"]["clause"] == "RQ-06"


def test_a_dialogue_is_rated_by_keyboard_alone(page: Page, ada: User) -> None:
    project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), annotators=[ada])
    batch = make_batch(project=project)
    for number in range(6):
        make_item(
            batch=batch,
            external_id=f"talk-{number}",
            persona=["i keep bees."],
            messages=[("user", f"what do you do on day {number}?")],
            responses=[
                ("gull", f"i look after my bees on day {number}."),
                ("gull", f"honey, honey {number}"),
            ],
        )
    log_in(page, "ada")
    take_item(page, "talk")
    for key in ("r1", "r2"):
        wait_for_row(page, f"{key}-quality")
        page.keyboard.press("4")
        wait_for_row(page, f"{key}-consistency")
        page.keyboard.press("c")  # contradicts the persona: yes, the first answer
        page.keyboard.press("c")
        page.keyboard.press("r")
        page.keyboard.press("5")
        wait_for_row(page, f"{key}-coherence")
        page.keyboard.press("4")
    wait_for_row(page, "s1-diversity")
    expect(page.get_by_text("i look after my bees on day 3.")).to_be_visible()
    page.keyboard.press("c")
    expect(page.locator("#m1-diversity-corpus_high-yes")).to_be_focused()
    expect(
        page.locator("#m1-diversity-corpus_high-yes")
    ).not_to_be_checked()  # it would be kept at once
    page.keyboard.press("Space")
    expect(page.get_by_text("Distinct-1")).to_be_visible()
    tab_to(page, page.locator("#s1-diversity-set_high-yes"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("3")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("1 of 6 rated")).to_be_visible()

    rows = rows_of(project)
    assert [(row["dimension"], row["score"]) for row in rows] == [
        *[("quality", "4"), ("consistency", "5"), ("coherence", "4")] * 2,
        ("diversity", "3"),
    ]
    assert rows[-1]["checks"] == "set_high=no;corpus_high=yes"
