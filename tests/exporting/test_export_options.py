"""What an export leaves out and how it is written: filters, switches, pseudonyms, formats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from arro3.core import DataType, RecordBatchReader, Table
from arro3.io import read_parquet, write_parquet
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from tasks.exporting import parquet_files
from tasks.exporting.export import Export
from tasks.exporting.filters import Refused
from tasks.exporting.forms import export_of, options_in
from tasks.exporting.manifest import read_manifest
from tasks.exporting.options import (
    Delimiter,
    Format,
    Options,
    Shape,
)
from tasks.models import Project, Rating
from tasks.queue.submitting import submit_lease

from ..exports import (
    objects_of,
    rows_of,
    text_of,
)
from ..factories import (
    NOW,
    answer_about_corpus,
    make_batch,
    make_decision,
    make_item,
    make_lease,
    make_membership,
    make_practice,
    make_project,
    make_question,
    make_rating,
    make_submission,
)

EVERYTHING = Options(
    shape=Shape.RATINGS,
    format=Format.JSONL,
    batches=("a b", "-c"),
    models=("it's",),
    annotators=("ada",),
    kinds=("counted",),
    since=date(2026, 3, 1),
    until=date(2026, 3, 2),
    revisions=True,
    texts=True,
    pseudonyms=True,
    delimiter=Delimiter.TAB,
)


def items(project: Project, **options: Any) -> list[str]:
    """The items in the file, each as often as it is there."""
    return [row["item"] for row in rows_of(project, **options)]


@pytest.fixture
def rated(project: Project, ada: User, ben: User) -> Project:
    """Two batches; `ada` rates the first, a day later `ben` rates the second."""
    first, second = (make_batch(project=project, name=name) for name in ("first", "second"))
    one = make_item(batch=first, external_id="one", responses=[("wren", "x")])
    two = make_item(batch=second, external_id="two", responses=[("heron", "y")])
    make_rating(item=one, annotator=ada)
    make_rating(item=two, annotator=ben, now=NOW + timedelta(days=1))
    return project


# --- filters ---


@pytest.mark.parametrize(
    "options",
    [
        {"batches": ("second",)},
        {"models": ("heron",)},
        {"annotators": ("ben",)},
        {"since": date(2026, 3, 3)},
    ],
)
def test_a_filter_leaves_out_what_it_does_not_name(rated: Project, options: Any) -> None:
    assert items(rated) == ["one", "two"]
    assert items(rated, **options) == ["two"]


def test_a_filter_may_name_several_and_filters_hold_together(rated: Project) -> None:
    assert items(rated, batches=("second", "first")) == ["one", "two"]
    assert items(rated, batches=("second",), annotators=("ada",)) == []


def test_the_first_and_last_day_of_an_export_are_whole_and_in_utc(
    project: Project, ada: User
) -> None:
    for name, moment in (
        ("before", datetime(2026, 3, 1, 23, 59, 59, 999999, tzinfo=UTC)),
        ("first", datetime(2026, 3, 2, tzinfo=UTC)),
        ("last", datetime(2026, 3, 3, 23, 59, 59, 999999, tzinfo=UTC)),
        ("after", datetime(2026, 3, 4, tzinfo=UTC)),
    ):
        item = make_item(project=project, external_id=name, responses=["x"])
        make_rating(item=item, annotator=ada, now=moment, submitted_at=moment)
    days = {"since": date(2026, 3, 2), "until": date(2026, 3, 3)}
    assert items(project, **days) == ["first", "last"]
    assert len(items(project, since=date.min, until=date.max)) == 4


def test_extra_ratings_are_in_unless_the_kinds_leave_them_out(
    project: Project, ada: User, ben: User
) -> None:
    item = make_item(project=project, responses=["x"], wanted=1)
    make_rating(item=item, annotator=ben)
    late = make_lease(item=item, annotator=ada, status="expired", ended_at=NOW)
    submit_lease(late, make_submission(lease=late), now=NOW)
    assert [row["kind"] for row in rows_of(project)] == ["counted", "extra"]
    assert [row["kind"] for row in rows_of(project, kinds=("counted",))] == ["counted"]
    assert [row["kind"] for row in rows_of(project, kinds=("extra",))] == ["extra"]


@pytest.mark.parametrize(
    ("option", "there"),
    [
        ("batches", "first, second"),
        ("models", "heron, wren"),
        ("annotators", "ada, ben"),
        ("kinds", ", ".join(Rating.Kind.values)),
    ],
)
def test_a_name_that_the_project_does_not_have_is_refused_with_those_there_are(
    rated: Project, option: str, there: str
) -> None:
    make_rating(item=make_item(batch=make_batch(name="elsewhere")))
    with pytest.raises(Refused) as refused:
        text_of(rated, **{option: ("elsewhere",)})
    assert refused.value.option == option
    assert str(refused.value) == (f"There is no “elsewhere” in this project. There are: {there}.")


def test_a_member_who_has_rated_nothing_may_be_named(rated: Project, lead: User) -> None:
    make_membership(project=rated, user=lead)
    assert items(rated, annotators=("lea",)) == []


def test_days_in_the_wrong_order_are_refused(project: Project) -> None:
    with pytest.raises(Refused, match="before the first"):
        text_of(project, since=date(2026, 3, 2), until=date(2026, 3, 1))


def test_without_filters_no_name_is_looked_up(rated: Project) -> None:
    with CaptureQueriesContext(connection) as captured:
        text_of(rated)
    assert len(captured) == 3  # names of metadata, checks in their order, the rows


# --- texts, pseudonyms ---


def test_texts_come_where_they_are_asked_for(project: Project, ada: User) -> None:
    item = make_item(
        project=project,
        persona=["i keep bees."],
        messages=[("user", "Why\n“so”?")],
        system="Be kind.",
        context="c",
        reference="r",
        source="s",
        responses=["x\ny"],
    )
    make_rating(item=item, annotator=ada)
    (row,) = rows_of(project, texts=True)
    names = ("system", "context", "reference", "source", "response", "candidates")
    assert {*names, "persona", "messages"} == {*row} - {*rows_of(project)[0]}
    assert [row[name] for name in names] == ["Be kind.", "c", "r", "s", "x\ny", ""]
    assert json.loads(row["persona"]) == ["i keep bees."]
    assert json.loads(row["messages"]) == [{"role": "user", "text": "Why\n“so”?"}]


def test_pseudonyms_go_by_who_began_first_and_are_the_same_in_every_file(
    rated: Project, ada: User, ben: User
) -> None:
    ada.__class__.objects.filter(pk=ben.pk).update(username="a-first-by-name")
    told = [(row["item"], row["annotator"]) for row in rows_of(rated, pseudonyms=True)]
    assert told == [("one", "rater-1"), ("two", "rater-2")]
    (later,) = rows_of(rated, pseudonyms=True, batches=("second",))
    assert later["annotator"] == "rater-2"
    assert "a-first-by-name" not in text_of(rated, pseudonyms=True)
    rated.memberships.all().delete()
    assert [row["annotator"] for row in rows_of(rated, pseudonyms=True)] == ["rater-1", "rater-2"]


def test_with_pseudonyms_a_person_is_named_by_either(rated: Project) -> None:
    for name in ("ben", "rater-2"):
        assert items(rated, pseudonyms=True, annotators=(name,)) == ["two"]
    with pytest.raises(Refused):
        text_of(rated, annotators=("rater-2",))


# --- CSV ---


@pytest.mark.parametrize("delimiter", Delimiter)
def test_cells_are_apart_by_the_delimiter_and_quoted_where_they_have_it(
    project: Project, ada: User, delimiter: Delimiter
) -> None:
    text = 'a,b;c\td"e'
    item = make_item(project=project, responses=["x"], metadata={text: text})
    make_rating(item=item, annotator=ada, comment=text)
    file = text_of(project, delimiter=delimiter)
    header, row = csv.reader(io.StringIO(file, newline=""), delimiter=delimiter.character)
    found = dict(zip(header, row, strict=True))
    assert found["item_comment"] == found[f"meta.{text}"] == text


# --- JSONL ---


def test_in_jsonl_numbers_are_numbers_lists_are_lists_and_nothing_is_null(
    project: Project, ada: User
) -> None:
    item = make_item(
        project=project,
        responses=["x"],
        persona=["a"],
        metadata={"n": 1.5, "list": [1, {"k": "é"}], "no": None, "x" * 80: "", "001": "001"},
    )
    make_rating(item=item, annotator=ada, values={1: 6}, active_seconds=None)
    (row,) = objects_of(project, texts=True)
    assert list(row) == list(rows_of(project, texts=True)[0])
    told = ("score", "rubric_version", "active_seconds", "comment", "facts", "persona", "verdict")
    assert [row[name] for name in told] == [6, 1, None, None, [], ["a"], "4;5;6;7"]
    names = ("n", "list", "no", "x" * 80, "001")
    assert [row[f"meta.{name}"] for name in names] == [1.5, [1, {"k": "é"}], None, "", "001"]


@pytest.mark.parametrize("text", ["\\", "\\n", "\n", '"', "\\.", "\x01\x02\x7f", "\u2028", "é😀"])
def test_no_text_changes_on_its_way_into_jsonl(project: Project, ada: User, text: str) -> None:
    item = make_item(project=project, responses=[text], metadata={text: [text]})
    make_rating(item=item, annotator=ada, comment=text)
    (row,) = objects_of(project, texts=True)
    assert row["item_comment"] == row["response"] == text
    assert row[f"meta.{text}"] == [text]


# --- Parquet ---


def table_of(project: Project, **options: Any) -> Table:
    blocks = export_of(project, Options(format=Format.PARQUET, **options), now=NOW)
    found = read_parquet(io.BytesIO(b"".join(blocks))).read_all()
    assert found.num_rows == blocks.rows
    return found


@pytest.mark.parametrize("shape", Shape)
def test_parquet_has_typed_columns_and_what_jsonl_has(
    talk: Project, ada: User, shape: Shape
) -> None:
    talk.items.update(metadata={"n": 1.5, "text": "é\n\t\\"})
    answer_about_corpus(talk.batches.get(), ada, "yes", now=NOW)
    for item in talk.items.order_by("position")[:3]:
        rating = make_rating(item=item, annotator=ada)
    make_question(rating, by=ada)
    make_practice(project=talk, annotator=ada, now=NOW)
    make_decision(talk.items.order_by("position")[0], by=ada)
    found, told = table_of(talk, shape=shape), objects_of(talk, shape=shape)
    assert found.column_names == list(told[0])
    rows = [row for part in found.to_batches() for row in part.to_struct_array().to_pylist()]
    for row, other in zip(rows, told, strict=True):
        for name, value in other.items():
            if isinstance(row[name], datetime):
                assert row[name] == datetime.fromisoformat(value)
            elif isinstance(value, list | dict | float) and isinstance(row[name], str):
                assert json.loads(row[name]) == value
            else:
                assert row[name] == value, name
    kinds = {
        "submitted_at": DataType.timestamp("us", tz="UTC"),
        "score": DataType.int64(),
        "mean": DataType.float64(),
    }
    for name in {*kinds} & {*found.column_names}:
        assert found.schema.field(name).type == kinds[name]


def test_parquet_comes_in_groups_of_rows(
    project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_files, "GROUP", 2)
    for _ in range(3):
        make_rating(item=make_item(project=project, responses=["x"]), annotator=ada)
    written: list[int] = []

    def write(groups: Iterable[Any], *file: Any, **options: Any) -> None:
        """Note how many rows there are at once, and have arro3 write them."""
        schema = groups.schema  # type: ignore[attr-defined]
        noted = (written.append(group.num_rows) or group for group in groups)  # type: ignore[func-returns-value]
        write_parquet(RecordBatchReader.from_batches(schema, noted), *file, **options)

    monkeypatch.setattr("arro3.io.write_parquet", write)
    found = table_of(project)
    assert (written, found.num_rows) == ([2, 1], 3)
    assert table_of(make_project()).num_rows == 0


# --- options as values ---


@pytest.mark.parametrize("options", [Options(), EVERYTHING])
def test_options_are_the_same_after_their_way_through_a_manifest(
    project: Project, options: Options
) -> None:
    manifest = read_manifest(Export(project, options, now=NOW).manifest())
    assert options_in(project, manifest.query) == options


def test_a_query_from_the_address_of_the_page_is_read_as_there(project: Project) -> None:
    query = "shape=items&format=csv&zip=on&models=wren%0D%0Ait%27s&since=&items=&open_median=on"
    models = ("wren", "it's")
    wanted = Options(shape=Shape.ITEMS, models=models, open_median=True)
    assert options_in(project, query) == wanted
    assert wanted.query == "shape=items&models=wren&models=it%27s&open_median=on"


# --- the command ---


def test_the_command_takes_every_option(rated: Project, capfdbinary: Any) -> None:
    for options in (
        Options(batches=("second", "first"), since=date(2026, 3, 3), pseudonyms=True),
        Options(models=("wren",), kinds=("counted", "extra"), until=date(2026, 3, 2), texts=True),
        Options(annotators=("ben",), revisions=True, delimiter=Delimiter.TAB),
        Options(format=Format.JSONL),
    ):
        call_command("export_ratings", rated.slug, options.query)
        written = capfdbinary.readouterr().out.decode()
        assert written == text_of(rated, **asdict(options))
        assert "one" in written or "two" in written


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("batches=third", r"^batches: There is no “third”.*first, second"),
        ("since=soon", "^since: Enter a valid date"),
        ("format=xls", r"^format: There is no “xls”\. There are: csv, xlsx, jsonl, parquet\."),
        ("batch=first", r"^batch: There is no “batch”\. There are: .*batches"),
    ],
)
def test_the_command_says_which_option_is_wrong(rated: Project, query: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("export_ratings", rated.slug, query)


def test_another_project_s_ratings_stay_out_whatever_is_asked_for(
    rated: Project, ada: User
) -> None:
    other = make_project()
    item = make_item(batch=make_batch(project=other, name="first"), responses=[("wren", "x")])
    make_rating(item=item, annotator=ada)
    options = {"batches": ("first",), "models": ("wren",), "annotators": ("ada",)}
    assert items(rated, **options) == ["one"]
