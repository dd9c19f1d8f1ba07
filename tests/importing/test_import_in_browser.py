"""A file with bad rows, in a browser: what is wrong, the good rows, and the file corrected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Item, Upload

from ..desk_keys import log_in
from ..factories import (
    make_batch,
    make_item,
    make_project,
    make_user,
)
from ..worker import (
    work,
    work_on_files,
)

FILE = (
    "id;prompt;model;response\n1;Why?;heron;So.\n2;How?;heron\n1;Why?;wren;\n"
    ";When?;wren;<b>Now</b>\n"
)


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context().new_page()


def choose(page: Page, file: Path) -> None:
    page.get_by_label("File", exact=True).set_input_files(file)


def upload(page: Page) -> None:
    page.get_by_role("button", name="Upload").click()
    wait_for_worker(page)


def wait_for_worker(page: Page) -> None:
    """Have done what is asked about a file. Without JavaScript one looks again."""
    expect(page.get_by_role("heading", name="The file waits")).to_be_visible()
    work_on_files()
    again = page.get_by_role("link", name="Look again")
    if not page.evaluate("typeof htmx !== 'undefined'"):
        again.click()
    expect(again).to_have_count(0)


def test_batches_and_the_page_of_a_file_fit_a_phone_and_its_button_stays_in_sight_elsewhere(
    new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    project = make_project(slug="p", leads=[make_user(name="lea")])
    for number in range(6):
        make_item(batch=make_batch(project=project, name=f"{number}" + "long_name" * 20))
    page = new_context().new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(page, "lea")
    page.goto("/projects/p/items/")
    page.get_by_text("6 batches").click()
    batches = page.locator(".batches")
    assert batches.evaluate("table => table.scrollWidth <= table.clientWidth")
    page.get_by_role("link", name="Add items").click()

    file = tmp_path / "items.csv"
    file.write_text(FILE, encoding="utf-8")
    choose(page, file)
    upload(page)
    expect(page.get_by_text("2 rows can’t be loaded")).to_be_visible()
    import_it = page.get_by_role("button", name="Import 1 item")
    assert page.evaluate("document.body.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1280, "height": 580})
    expect(import_it).to_be_in_viewport()


def test_chosen_uses_of_columns_stay_while_one_looks_at_other_items(
    page: Page, tmp_path: Path
) -> None:
    make_project(slug="p", leads=[make_user(name="lea")])
    path = "_of_many_words" * 8
    file = tmp_path / "items.jsonl"
    rows = [{"id": f"i{n}", "prompt": f"Why {n}?", "answer": "So.", path: "x"} for n in range(2)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    log_in(page, "lea")
    page.goto("/projects/p/upload/")
    choose(page, file)
    upload(page)
    chosen = page.get_by_label(path)
    chosen.select_option("not kept")
    expect(page.get_by_text("Why 1?", exact=True)).to_be_hidden()
    page.get_by_text("Item 2", exact=True).click()
    expect(page.get_by_text("Why 1?", exact=True)).to_be_visible()
    expect(chosen).to_have_value("unused")

    # Every choice can be read on a phone, and at a desk where the foot leaves room for it.
    table = page.get_by_role("region", name="What each column is")
    for width, height in ((390, 844), (1280, 580)):
        page.set_viewport_size({"width": width, "height": height})
        assert table.evaluate("region => region.scrollWidth <= region.clientWidth")
        assert chosen.evaluate(
            """select => {
                const width = select.offsetWidth;
                select.style = "width: auto; max-width: none";
                const longest = select.offsetWidth;
                select.style = "";
                return width >= longest;
            }"""
        )
    assert page.locator(".page-foot").evaluate("foot => foot.offsetHeight") < 580 / 8

    # What has the focus is never under the foot.
    page.get_by_text("How the file is read").click()
    for field in page.locator("#choices").get_by_role("combobox").all():
        field.focus()
        assert field.evaluate(
            """field => field.getBoundingClientRect().bottom
              <= document.querySelector(".page-foot").getBoundingClientRect().top"""
        )

    # The key that sends a form reads the file again.
    page.get_by_label("Name of the batch").press("Enter")
    wait_for_worker(page)
    expect(page.get_by_label(path)).to_have_value("unused")
    assert Upload.objects.get().choices["uses"][path] == "unused"


def test_without_javascript_faulty_rows_are_shown_downloaded_and_mended_in_the_file_itself(
    new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    lea = make_user(name="lea")
    make_project(slug="p", title="Moons", leads=[lea])
    file = tmp_path / "items.csv"
    file.write_text(FILE, encoding="utf-8")
    log_in(page, "lea")
    page.goto("/projects/p/upload/")
    choose(page, file)
    upload(page)

    # Nothing came in, and every bad row is said.
    expect(page.get_by_role("heading", name="2 rows can’t be loaded")).to_be_visible()
    rows = page.get_by_role("region", name="2 rows can’t be loaded").get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("has 3 cells under 4 names")
    expect(rows.nth(2)).to_contain_text("is blank")
    expect(page.get_by_label("Item 1").get_by_text("Why?", exact=True)).to_be_visible()
    assert Item.objects.count() == 0
    with page.expect_download() as download:
        page.get_by_role("link", name="All of them as CSV").click()
    assert download.value.suggested_filename == "items.faults.csv"

    page.get_by_role("button", name="Import 1 item").click()
    wait_for_worker(page)
    expect(page.get_by_text("1 item. 2 rows were left out.")).to_be_visible()
    assert list(Item.objects.get().responses.values_list("model", "text")) == [
        ("heron", "So."),
        ("wren", ""),
    ]

    # The file is mended, and its items that are in the project already are left out.
    file.write_text(FILE.replace("heron\n1", "heron;Thus.\n1").replace("\n;", "\n3;"), "utf-8")
    page.goto("/projects/p/upload/")
    choose(page, file)
    upload(page)
    expect(page.get_by_text("is already in the project, in batch").first).to_be_visible()
    page.get_by_label("Name of the batch").fill("the rest")
    page.get_by_role("button", name="Import 2 items").click()
    wait_for_worker(page)
    expect(page.get_by_text("Imported as batch “the rest”")).to_be_visible()


def test_the_page_of_a_file_follows_the_worker_by_itself(
    new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    make_project(slug="p", leads=[make_user(name="lea")])
    file = tmp_path / "items.csv"
    file.write_text("question,answer\nWhy?,So.\n", encoding="utf-8")
    page = new_context().new_page()
    log_in(page, "lea")
    page.goto("/projects/p/upload/")
    choose(page, file)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="The file waits")).to_be_visible()
    expect(page.get_by_role("heading", name="The beginning of the file")).to_be_visible()
    page.get_by_role("button", name="Cancel").focus()
    with page.expect_response("**/upload/*/"):  # it asks by itself
        pass
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    work()
    page.get_by_role("button", name="Import 1 item").click()
    expect(page.get_by_role("heading", name="The file waits")).to_be_visible()
    work()
    expect(page.get_by_text("Imported as batch “items”")).to_be_visible()


def test_the_one_part_that_is_known_is_imported_by_one_click(page: Page, tmp_path: Path) -> None:
    make_project(slug="p", leads=[make_user(name="lea")])
    file = tmp_path / "run.json"
    samples = [{"id": "a", "prompt": "Why?", "response": "So."}]
    file.write_text(json.dumps({"notes": [{"text": "late"}], "samples": samples}), encoding="utf-8")
    log_in(page, "lea")
    page.goto("/projects/p/upload/")
    choose(page, file)
    upload(page)
    page.get_by_role("button", name="Import 1 item").click()
    wait_for_worker(page)
    expect(page.get_by_role("heading", name="Imported as batch")).to_be_visible()
