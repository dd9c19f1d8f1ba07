"""The line of the export page by which pandas reads a file: what was written is what is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

from annotators.models import User
from tasks.exporting.forms import export_of
from tasks.exporting.options import Delimiter, Format, Options, Shape, in_notebook
from tasks.models import Project
from tests.exports import objects_of, rows_of
from tests.factories import NOW, make_batch, make_item, make_practice, make_project, make_rating

pytestmark = pytest.mark.django_db
# What pandas takes for a number, a day, a truth or nothing unless it is told otherwise.
IDS = (
    *("001", "007", "1e5", "NA", "null", "None", "nan", "TRUE", "1.10", "1.1", "2024-01-05"),
    *("12345678901234567890", "=1+1", "-", "é", "e\u0301", " 5", "inf", "0x1F"),
)
FORMATS = (Format.CSV, Format.XLSX, Format.JSONL)


@pytest.fixture
def project(lead: User, ada: User, ben: User) -> Project:
    """An item of each id, with texts that are the id, rated by two people."""
    made = make_project(slug="p", leads=[lead], annotators=[ada, ben])
    batch = make_batch(project=made, name="001")
    for number, name in enumerate(IDS):
        item = make_item(
            batch=batch,
            external_id=name,
            responses=[("NA", "So."), ("007", "No.")],
            metadata={"lang": name if number % 2 else None},
        )
        make_rating(item=item, annotator=ada, comment=name, values={1: 3, 2: 4})
    make_rating(item=item, annotator=ben)
    make_practice(project=made, annotator=ada, now=NOW)
    return made


def cells(frame: Any) -> list[dict[str, str]]:
    """Return a frame as CSV has it: every value as text, and nothing as the empty text."""
    return [
        {
            name: "" if value is None or value is pandas.NA or value != value else f"{value}"
            for name, value in row.items()
        }
        for row in frame.to_dict("records")
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_pandas_reads_ids_numbers_and_texts_as_they_are(
    project: Project, tmp_path: Path, form: Format
) -> None:
    for shape in Shape:
        options = Options(shape=shape, format=form, texts=shape is Shape.SCORES)
        frame = read(project, options, tmp_path)
        rows = rows_of(project, shape=shape, texts=options.texts)
        if form is Format.JSONL:
            objects = objects_of(project, shape=shape, texts=options.texts)
            values = frame.astype(object).where(frame.notna(), None)
            assert values.to_dict("records") == objects
        elif shape is Shape.WIDE:  # the numbers have no type
            assert [row["item"] for row in cells(frame)] == [row["item"] for row in rows]
            assert {3.0, 4.0} < {*frame.mean(numeric_only=True)}
        else:
            assert [{**row, **same(row, rows[at])} for at, row in enumerate(cells(frame))] == rows


def read(project: Project, options: Options, folder: Path) -> Any:
    """Have pandas read an export by its line."""
    export = export_of(project, options, now=NOW)
    file = folder / export.file_name
    file.write_bytes(b"".join(export))
    line = in_notebook(options, str(file), {each.name: each.type for each in export.columns})
    return eval(line, {"pandas": pandas})  # noqa: S307 - the line that is tested


def same(row: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """Return the numbers with a point as CSV has them, if they are the same."""
    return {
        name: other[name]
        for name in ("mean", "median", "sd")
        if row.get(name) and float(row[name]) == float(other[name])
    }


def test_numbers_have_a_type_and_stand_beside_nothing(project: Project, tmp_path: Path) -> None:
    frame = read(project, Options(delimiter=Delimiter.TAB), tmp_path)
    assert (str(frame.score.dtype), frame.score.to_list()[:2]) == ("Int64", [3, 4])
    assert frame.line.isna().all()
