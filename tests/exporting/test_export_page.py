"""An export before it is made: the page shows the rows that the file will have, and how many."""

from __future__ import annotations

import csv
import html
import io
import re
import shlex
from collections import defaultdict
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from playwright.sync_api import Page, expect

from annotators.models import User
from tasks.exporting import row_counts, wide_rows
from tasks.exporting.options import Options, Shape
from tasks.models import Item, Project, Rating
from tasks.queue.submitting import submit_lease
from tests.desk_keys import log_in
from tests.exports import text_of
from tests.factories import (
    NOW,
    make_batch,
    make_decision,
    make_item,
    make_lease,
    make_project,
    make_question,
    make_rating,
    make_rubric,
    make_submission,
    make_user,
)

pytestmark = pytest.mark.django_db
PAGE, FILE = "/projects/p/export/", "/projects/p/ratings.csv"
SHAPES = [str(shape) for shape in Shape if shape not in (Shape.CORPUS_ANSWERS, Shape.PRACTICE)]


@pytest.fixture
def lea() -> User:
    return make_user(name="lea")


@pytest.fixture
def project(lea: User) -> Project:
    """Eight items of two models, in one batch: one has an extra rating alone, six have two ratings
    each, and one has none. In one item a model stands twice."""
    ada, ben = make_user(name="ada"), make_user(name="ben")
    made = make_project(slug="p", leads=[lea], annotators=[ada, ben], wanted=2)
    batch = make_batch(project=made)
    extra = make_item(batch=batch, responses=[("gull", "So."), ("wren", "So.")])
    make_rating(item=extra, annotator=ada, values={1: 2, 2: 3})
    Rating.objects.update(kind="extra", extra_because="dropped")
    Item.objects.update(counted=0)
    for number in range(6):
        models = ("gull", "gull") if number == 5 else ("gull", "wren")
        item = make_item(batch=batch, responses=[(model, "So.") for model in models])
        for person, more in ((ada, 0), (ben, 1)):
            given = {1: 1 + number, 2: 1 + (number + more) % 7}
            make_rating(item=item, annotator=person, values=given)
    make_item(batch=batch)
    return made


@pytest.fixture
def here(client: Client, lea: User, project: Project) -> Client:
    client.force_login(lea)
    return client


def table(page: str) -> list[list[str]]:
    """The heads and rows of the first rows."""
    part = page.partition('id="first"')[2].partition("</table>")[0]
    return [
        [
            html.unescape(re.sub(r"<[^>]+>", "", cell))
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)
        ]
        for row in re.findall(r"<tr>.*?</tr>", part, re.S)
    ]


def shown(here: Client, query: str) -> str:
    return here.get(f"{PAGE}?{query}").content.decode()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_first_rows_are_those_of_the_file_and_so_is_their_number(
    here: Client, project: Project, lea: User, shape: str
) -> None:
    here.post("/projects/p/models/", {"models": "shown"})
    make_decision(project.items.order_by("position")[0], by=make_user())
    for rating in Rating.objects.filter(annotator__username="ada"):
        question = make_question(rating, by=lea)
        question.response = rating.item.responses.last()
        question.save()
    is_decided = shape == Shape.DECISIONS  # by a lead: it takes no annotator
    for query in (
        f"shape={shape}",
        f"shape={shape}&since=2020-01-01" if is_decided else f"shape={shape}&annotators=ada",
        f"shape={shape}&models={'gull' if is_decided else 'wren'}&until=2027-01-01",
    ):
        page = shown(here, query)
        file = here.get(f"{FILE}?{query}").getvalue().decode()
        heads, *rows = csv.reader(io.StringIO(file))
        assert table(page) == [
            heads,
            *([cell[:39] + "…" if len(cell) > 40 else cell for cell in row] for row in rows[:5]),
        ]
        told = re.search(r'class="section-head">.*?(\d+) rows?', page, re.S)
        assert told
        assert int(told[1]) == len(rows)
        [radio] = re.findall(rf'value="{shape}".*?<p class="quiet">\s*(\d+) rows?', page, re.S)
        assert int(radio) == len(rows)


@pytest.mark.parametrize("end", ["\u2028", "\x0b", "\x85", "\r\n"])
def test_a_comment_of_two_lines_stays_in_its_row(here: Client, project: Project, end: str) -> None:
    here.post("/projects/p/models/", {"models": "shown"})
    Rating.objects.filter(kind="counted").update(comment=f"one{end}two")
    file = here.get(f"{FILE}?shape=ratings&annotators=ada").getvalue().decode()
    _heads, *rows = csv.reader(io.StringIO(file, newline=""))
    drawn = table(shown(here, "shape=ratings&annotators=ada"))[1:]
    assert any(f"one{end}two" in row for row in rows)
    assert drawn == [
        [cell[:39] + "…" if len(cell) > 40 else cell for cell in row] for row in rows[:5]
    ]


def test_a_text_of_200_000_characters_is_shown_by_its_beginning(
    here: Client, project: Project
) -> None:
    Item.objects.update(context="long " * 40_000)
    drawn = table(shown(here, "shape=scores&texts=on"))
    assert "long long long long long long long long…" in drawn[1]


def test_of_many_scores_the_number_is_an_estimate_from_kept_counts(
    here: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_counts, "MOST_COUNTED", 7)
    page = shown(here, "shape=scores")
    assert re.search(r"about\s+\d+ rows", page)
    assert here.get(PAGE).status_code == 200


def test_the_page_names_the_command_and_the_notebook_line(
    here: Client, project: Project, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = html.unescape(shown(here, "shape=items&format=csv&texts=on"))
    [command] = re.findall(r"<code>(manage.py .*?)</code>", page)
    assert (
        'pandas.read_csv("p-items.csv", dtype="string", keep_default_na=False, na_values=[""])'
        '.astype({"n": "Int64", "mean": "Float64", "median": "Float64", "sd": "Float64", '
        '"majority": "Int64", "final": "Int64", "changed_since": "Int64", '
        '"decided_version": "Int64", "rubric_version": "Int64"})'
    ) in page
    monkeypatch.chdir(tmp_path)
    call_command(*shlex.split(command)[1:])
    made = (tmp_path / "p-items.csv").read_bytes()
    assert made == here.get(f"{FILE}?shape=items&texts=on").getvalue()
    for name, function in (("jsonl", "json"), ("parquet", "parquet"), ("xlsx", "excel")):
        assert f'pandas.read_{function}("p-scores.{name}"' in html.unescape(
            shown(here, f"shape=scores&format={name}")
        )


def test_the_line_of_a_wide_file_names_no_model(here: Client) -> None:
    page = html.unescape(shown(here, "shape=wide"))
    [line] = re.findall(r"<code>(pandas.*?)</code>", page)
    assert line == (
        'pandas.read_csv("p-wide.csv", '
        'dtype={"project": "string", "batch": "string", "item": "string"}, '
        'keep_default_na=False, na_values=[""])'
    )


def test_beside_the_button_of_a_csv_file_stands_that_a_cell_may_begin_with_an_equals_sign(
    here: Client, project: Project
) -> None:
    Rating.objects.update(comment="=1+1")
    told = "A cell may begin with “=”"
    assert told in shown(here, "shape=scores&format=csv")
    assert ",=1+1," in here.get(f"{FILE}?shape=scores&format=csv").getvalue().decode()
    for other in ("xlsx", "jsonl", "parquet"):
        assert told not in shown(here, f"shape=scores&format={other}")


def test_a_download_comes_with_its_columns_and_manifest_by_default(here: Client) -> None:
    page = here.get(PAGE).content.decode()
    assert re.search(r'name="zip"[^>]* checked', page)
    archive = ZipFile(io.BytesIO(here.get(f"{FILE}?shape=scores&zip=on").getvalue()))
    assert {name.rpartition("p-scores.csv")[2] for name in archive.namelist()} == {
        "",
        ".columns.csv",
        ".manifest.json",
    }
    assert "Show" in page[page.index("<noscript>") : page.index("</noscript>")]


# --- the wide shape ---


def pivot(project: Project) -> dict[str, dict[str, str]]:
    """Item → column → score, from the file of scores."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    rows = list(csv.DictReader(io.StringIO(text_of(project))))
    for row in rows:
        twins = {
            each["target"]
            for each in rows
            if (each["item"], each["model"]) == (row["item"], row["model"])
        }
        label = row["model"] if row["model"] and len(twins) == 1 else row["target"]
        if row["attempt"] == "0":
            found[row["item"]][f"{row['dimension']} / {label} / {row['annotator']}"] = row["score"]
    return found


def wide(project: Project, **options: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(project, shape=Shape.WIDE, **options))))


def test_a_wide_file_is_the_scores_turned_round(project: Project) -> None:
    ada = User.objects.get(username="ada")
    again = make_lease(
        item=project.items.earliest("pk"),
        annotator=ada,
        attempt=1,
        status="released",
        ended_at=NOW,
    )
    submit_lease(again, make_submission(lease=again, values={1: 7, 2: 7}), now=NOW)
    found = wide(project)
    assert len(found) == 7
    heads = [head for head in found[0] if " / " in head]
    assert heads == sorted(heads)
    assert {"quality / gull / ada", "quality / 1 / ada", "quality / 2 / ben"} <= set(heads)
    assert {row["item"]: {h: row[h] for h in heads if row[h]} for row in found} == pivot(project)


def test_a_wide_file_has_pseudonyms_in_its_heads_and_takes_the_filters(project: Project) -> None:
    heads = {head for head in wide(project, pseudonyms=True)[0] if " / " in head}
    assert {head.rpartition(" / ")[2] for head in heads} == {"rater-1", "rater-2"}
    only = wide(project, annotators=("ben",), models=("wren",))
    assert [head for head in only[0] if " / " in head] == ["quality / wren / ben"]
    assert len(only) == 5


def test_a_wide_file_of_dialogues_has_a_column_for_each_dimension(lea: User) -> None:
    made = make_project(rubric=make_rubric(slug="dialogue"), leads=[lea])
    make_rating(item=make_item(project=made, persona=["I keep bees."]))
    [row] = wide(made)
    names = [head.partition(" / ")[0] for head in row if " / " in head]
    assert list(dict.fromkeys(names)) == ["quality", "consistency", "coherence"]


def test_above_500_columns_page_and_command_refuse_a_wide_file(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wide_rows, "MOST_WIDE", 3)
    page = shown(here, "shape=wide")
    assert "This file would have more than 3 columns" in page
    assert "Download" in page
    file = here.get(f"{FILE}?shape=wide")
    assert "This file would have more than 3 columns" in file.content.decode()
    with pytest.raises(CommandError, match="more than 3 columns"):
        call_command("export_ratings", "p", "shape=wide", output=None)


def test_before_the_press_a_wide_preview_numbers_the_models(here: Client) -> None:
    page = shown(here, "shape=wide")
    assert "gull" not in page
    assert any(re.fullmatch(r"quality / Model \d / ada", head) for head in table(page)[0])
    assert Options().shape == Shape.SCORES


def test_of_a_part_with_many_scores_the_least_number_is_told(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_counts, "MOST_COUNTED", 7)
    assert re.search(r"at least\s+8 rows", shown(here, "shape=scores&annotators=ada"))


LEVELS = """() => [...document.querySelectorAll(".export :is([type=radio], [type=checkbox])")]
  .filter(box => box.checkVisibility()).map(box => {
    const words = document.createRange(), place = box.getBoundingClientRect()
    words.selectNodeContents([...box.labels[0].childNodes].find(node => node.data?.trim()))
    const line = [...words.getClientRects()].find(part => part.width > 1)
    return Math.abs(place.top + place.bottom - line.top - line.bottom) / 2
  })"""


@pytest.mark.django_db(transaction=True)
def test_radios_and_ticks_of_the_export_stand_level_with_their_words(
    page: Page, project: Project
) -> None:
    log_in(page, "lea")
    page.goto(PAGE)
    levels = page.evaluate(LEVELS)
    assert len(levels) == 18
    assert max(levels) < 2


@pytest.mark.django_db(transaction=True)
def test_in_a_browser_a_choice_changes_the_first_rows_at_once(page: Page, project: Project) -> None:
    log_in(page, "lea")
    page.goto(PAGE)
    heads = page.locator("#first thead")
    expect(heads).to_contain_text("dimension")
    page.get_by_label("one line per item, a column per dimension").check()
    expect(heads).to_contain_text(re.compile(r"quality / Model \d / ada"))
    expect(page.locator("#first .section-head")).to_contain_text("7 rows")
    page.get_by_label("Pseudonyms in place of user names").check()
    expect(heads).to_contain_text("rater-1")
    page.get_by_label("Earlier revisions too").check()
    expect(page.locator("#faults")).to_contain_text("This can’t be chosen for the file “wide”.")
    page.get_by_label("Earlier revisions too").uncheck()
    expect(page.locator("#faults")).to_have_text("")
    page.get_by_label("Excel (XLSX)").check()
    query = "shape=wide&format=xlsx&pseudonyms=on"
    expect(page.locator("#first")).to_contain_text(f"export_ratings p '{query}' -o")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "p-wide.xlsx.zip"
