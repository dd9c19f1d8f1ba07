"""Real files as they are, where EVENHAND_REAL_DATA names their folder: in, refused, rated in a
browser."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Item, Project, Rating
from tests.worker import work

from ..factories import (
    make_project,
    make_rubric,
    make_user,
)
from ..plain_forms import (
    enter,
    start_rating,
    submit,
)

REAL = Path(os.environ.get("EVENHAND_REAL_DATA", "nowhere"))
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="EVENHAND_REAL_DATA names no folder")

SOME = 30
FILES = {"tulu_multi": (332, 1328, 0), "tulu": (996, 1992, 0), "convai2_wild": (820, 820, 291)}


def command(*arguments: object) -> str:
    out = io.StringIO()
    call_command("import_batch", *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.mark.parametrize("name", FILES)
def test_every_item_comes_in_as_it_stands(project: Project, tmp_path: Path, name: str) -> None:
    items, responses, bad = FILES[name]
    path, faults = REAL / f"{name}.items.jsonl", tmp_path / "faults.csv"
    said = json.loads(command("eggs", path, "--take-good", "--faults", faults, "--json"))
    assert said == {
        "batch": f"{name}.items",
        "items": items,
        "responses": responses,
        "bad_rows": bad,
    }
    stored = {found.external_id: found for found in Item.objects.prefetch_related("responses")}
    contents = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    for content in contents:
        if not content["responses"]:
            continue
        found = stored.pop(content["id"])
        assert found.persona == content["persona"]
        assert found.messages == content["history"]
        rest = {"trailing": content["trailing"]} if "trailing" in content else {}
        assert found.metadata == content.get("meta", {}) | rest
        assert [{"model": r.model, "text": r.text} for r in found.responses.all()] == content[
            "responses"
        ]
    assert stored == {}
    if bad:
        rows = [*csv.DictReader(faults.read_text(encoding="utf-8").splitlines())]
        assert {(row["column"], row["reason"]) for row in rows} == {("responses", "is empty")}
        without = [n for n, content in enumerate(contents, 1) if not content["responses"]]
        assert [int(row["line"]) for row in rows] == without


def test_an_item_without_a_response_keeps_a_file_out(project: Project) -> None:
    with pytest.raises(CommandError, match="291 rows can’t be loaded, so nothing was loaded"):
        command("eggs", REAL / "convai2_wild.items.jsonl")
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("convai2_wild.ratings.jsonl", r"593 items, without texts. 1,076 scores by 394 people"),
        ("tulu.ratings.jsonl", r"996 items, without texts. 3,450 scores by 16 people"),
        ("llm_rubric_judges.tsv", r"250 items, without texts. 6,685 scores by 24 people"),
    ],
)
def test_a_file_of_ratings_alone_says_so_and_is_asked_about(
    project: Project, name: str, said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        command("eggs", REAL / name, "--take-good")
    assert not Item.objects.exists()


def rate(page: Page) -> None:
    """Answer every question well, give the highest score that is open, submit."""
    for question in page.locator(".question:not(.detection)").all():
        wording = "no" if "contradict" in (question.get_attribute("id") or "") else None
        choices = question.get_by_role("radio")
        (choices.first if wording is None else question.get_by_role("radio", name=wording)).check()
    with page.expect_navigation():
        page.get_by_role("button", name="Check").click()
    for scale in page.locator("fieldset.scale").all():
        scale.locator(".level:not(.barred) input").last.check()
    with page.expect_navigation():
        submit(page)
    # What the program found is asked about once: none of it is a fault.
    for asked in page.locator(".detection").all():
        asked.get_by_role("radio", name="no").check()
    if page.locator("#asked").count():
        submit(page)


@pytest.mark.parametrize(
    ("name", "rubric"),
    [
        ("convai2_wild", "dialogue"),
    ],
)
def test_some_items_of_each_are_uploaded_and_rated_in_a_browser(
    new_context: Callable[..., BrowserContext], tmp_path: Path, name: str, rubric: str
) -> None:
    """The first lines of each, some of which have no response where the file has such items."""
    lines = (REAL / f"{name}.items.jsonl").read_text(encoding="utf-8").split("\n")[:SOME]
    file = tmp_path / f"{name}.items.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    bad = sum(not json.loads(line)["responses"] for line in lines)
    assert bool(bad) == bool(FILES[name][2])
    items = SOME - bad
    ada = make_user(name="ada")
    project = make_project(
        slug="real", title="Real", rubric=make_rubric(slug=rubric), annotators=[ada], leads=[ada]
    )
    page = new_context(java_script_enabled=False).new_page()
    enter(page)
    page.goto("/projects/real/upload/")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    work()
    page.get_by_role("link", name="Look again").click()
    page.get_by_role("button", name=f"Import {items} items").click()
    work()
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_text(f"Imported as batch “{name}.items”")).to_be_visible()
    expect(page.get_by_role("link", name="All of them as CSV")).to_have_count(1 if bad else 0)
    page.goto("/")
    start_rating(page, project)
    for number in range(1, 3):
        rate(page)
        expect(page.get_by_text(f"{number} of {items} rated")).to_be_visible()
        assert Rating.objects.count() == number
