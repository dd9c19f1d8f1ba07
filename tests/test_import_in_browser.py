"""A file with bad rows, in a browser: the table, the download, and the good rows taken after
all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Item

from .desk_keys import log_in
from .factories import make_batch, make_item, make_project, make_user

FILE = (
    "id;prompt;model;response\n1;Why?;heron;So.\n2;How?;heron\n1;Why?;wren;\n"
    ";When?;wren;<b>Now</b>\n"
)


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without"])
def page(new_context: Callable[..., BrowserContext], request: pytest.FixtureRequest) -> Page:
    return new_context(java_script_enabled=request.param).new_page()


def choose(page: Page, file: Path) -> None:
    page.get_by_label("File").set_input_files(file)


def upload(page: Page) -> None:
    page.get_by_role("button", name="Upload").click()


def test_on_a_phone_the_batches_fit_and_an_error_is_in_sight(
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
    expect(page.get_by_text("items.csv: 2 rows cannot be loaded, so nothing")).to_be_in_viewport()
    expect(page.get_by_label("File")).to_be_focused()


def test_bad_rows_are_seen_downloaded_mended_and_the_good_ones_taken(
    page: Page, tmp_path: Path
) -> None:
    lea = make_user(name="lea")
    make_project(slug="p", title="Moons", leads=[lea])
    file = tmp_path / "items.csv"
    file.write_text(FILE, encoding="utf-8")
    log_in(page, "lea")
    page.goto("/projects/p/upload/")
    choose(page, file)
    upload(page)

    # Refused: nothing came in, and every bad row is said. The console has no error (a fixture
    # looks).
    expect(
        page.get_by_text("items.csv: 2 rows cannot be loaded, so nothing was loaded")
    ).to_be_visible()
    table = page.get_by_role("table", name="Rows that cannot be loaded")
    expect(table.get_by_role("row")).to_have_count(3)
    expect(table.get_by_role("row").nth(1)).to_contain_text("has 3 cells under 4 names")
    expect(table.get_by_role("row").nth(2)).to_contain_text("is blank")
    assert Item.objects.count() == 0

    choose(page, file)
    page.get_by_label("Take the good rows if others are bad").check()
    upload(page)
    expect(
        page.get_by_text("Batch “items” is loaded: 1 item. 2 rows were left out.")
    ).to_be_visible()
    expect(page.get_by_text("The others are in batch “items”.")).to_be_visible()
    assert list(Item.objects.get().responses.values_list("model", "text")) == [
        ("heron", "So."),
        ("wren", ""),
    ]

    with page.expect_download() as download:
        page.get_by_role("link", name="Download the bad rows").click()
    assert download.value.suggested_filename == "items.bad.csv"
    mended = tmp_path / "items.bad.csv"
    download.value.save_as(mended)
    lines = mended.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id;prompt;model;response;import_error"
    assert [line.split(";")[:3] for line in lines[1:]] == [
        ["2", "How?", "heron"],
        ["", "When?", "wren"],
    ]

    mended.write_text(f"{lines[0]}\n2;How?;heron;Thus.;\n3{lines[2]}\n", encoding="utf-8")
    choose(page, mended)
    upload(page)
    expect(page.get_by_text("Batch “items.bad” is loaded: 2 items.")).to_be_visible()
    expect(page.get_by_role("table", name="Rows that cannot be loaded")).to_have_count(0)
    assert [item.metadata for item in Item.objects.all()] == [{}, {}, {}]
