"""Files of every format in: a workbook, Parquet, a log of Inspect, and what is compressed.

Each file is made here. Those that would harm their reader are, too.
"""
# ruff: noqa: E501 - the messages are as long as they are

from __future__ import annotations

import gzip
import io
import json
import resource
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from arro3.core import Array, DataType, Field, RecordBatch, Schema
from arro3.io import write_parquet
from openpyxl import Workbook
from openpyxl.utils import get_column_letter

from tasks.importing.columns.items import NewItem, item_of
from tasks.importing.files import containers
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.readers import recognise
from tasks.importing.files.rows import ChoiceNeeded, Source, Unreadable
from tests.cases import cases

from .import_steps import (
    archive,
    item,
    lines,
    parquet,
    table,
    workbook,
)

pytestmark = pytest.mark.usefixtures("unpacking_process")
HEADER = ["id", "prompt", "response"]
CSV = table(HEADER, ["a", "Why?", "Because."])


def changed(file: bytes, name: str, old: str, new: str) -> bytes:
    """A workbook with another text in one of its files."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file)) as there, zipfile.ZipFile(out, "w") as written:
        for info in there.infolist():
            text = there.read(info)
            if info.filename == name:
                assert old.encode() in text
                text = text.replace(old.encode(), new.encode())
            written.writestr(info.filename, text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def typed(**columns: Array) -> bytes:
    """A Parquet file of these columns."""
    schema = Schema([Field(name, array.type) for name, array in columns.items()])
    out = io.BytesIO()
    rows = RecordBatch.from_arrays([*columns.values()], schema=schema)
    write_parquet(rows, out, skip_arrow_metadata=True, dictionary_page_size_limit=2**27)
    return out.getvalue()


@contextmanager
def read(file: bytes, name: str = "items.csv", part: str = "") -> Iterator[Source]:
    with recognise(io.BytesIO(file), name, ReadingOptions(part=part)) as source:
        yield source


def contents(file: bytes, name: str = "items.csv", part: str = "") -> list[Any]:
    """What the rows of a file hold, with the line of each."""
    with read(file, name, part) as source:
        return [(row.line, row.content) for row in source.rows()]


def ids(file: bytes, name: str = "items.csv", part: str = "") -> list[str]:
    with read(file, name, part) as source:
        found = list(map(item_of, source.rows()))
    assert all(isinstance(entry, NewItem) for entry in found), found
    return [entry.external_id for entry in found if isinstance(entry, NewItem)]


def refused(file: bytes, name: str = "items.xlsx", part: str = "") -> str:
    with pytest.raises(Unreadable) as caught:
        contents(file, name, part)
    return str(caught.value)


# --- by content, then by name ---


FILES = {
    "items.csv": CSV,
    "items.jsonl": lines(item(), item(id="b")),
    "items.json": json.dumps([item()], indent=1).encode(),
    "items.xlsx": workbook(HEADER, ["a", "Why?", "Because."]),
    "items.parquet": parquet(item()),
}


@cases("name", FILES)
@cases("under", ["items.csv", "items.jsonl", "items.json", "items.xlsx", "items.eval"])
def test_a_file_is_what_it_begins_like_whatever_its_name(name: str, under: str) -> None:
    with read(FILES[name], under) as source:
        assert isinstance(item_of(next(source.rows())), NewItem)


@cases("name", ["items.csv", "items.jsonl", "items.json"])
def test_a_text_may_be_compressed(name: str) -> None:
    assert ids(gzip.compress(FILES[name]), f"{name}.gz")[0] == "a"


def test_a_name_says_how_a_table_is_read_when_it_is_unpacked() -> None:
    for name in ("items.tsv.gz", "ITEMS.TSV.GZ"):
        assert ids(gzip.compress(b"id\tprompt\tresponse\na\tp\tr\n"), name) == ["a"]
    assert "no format" not in refused(gzip.compress(b"%PDF"), "items.pdf.gz")


@cases("file", [gzip.compress(CSV), FILES["items.xlsx"], FILES["items.parquet"]])
def test_a_compressed_file_within_a_compressed_file_is_refused(file: bytes) -> None:
    assert refused(gzip.compress(file)) == "is compressed again and again; unpack it first"


def tar(files: dict[str, bytes]) -> bytes:
    """A compressed archive of tar."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as written:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            written.addfile(info, io.BytesIO(content))
    return out.getvalue()


TSV = b"id\tprompt\tresponse\na\tWhy, then?\tr\n"


@cases("pack", [archive, tar])
@cases("name", ["items.tsv", "data/items.jsonl", "items.json", "items.xlsx", "items.parquet"])
def test_the_only_file_of_an_archive_is_read(pack: Any, name: str) -> None:
    file = (FILES | {"items.tsv": TSV, "data/items.jsonl": FILES["items.jsonl"]})[name]
    beside = {
        "README.md": b"About",
        "d/Readme.txt": b"x",
        "__MACOSX/._items.csv": b"x",
        ".DS_Store": b"x",
        "a/": b"",
    }
    assert ids(pack({name: file} | beside), "items.zip")[0] == "a"


@cases("pack", [archive, tar])
def test_of_several_files_in_an_archive_one_is_named(pack: Any) -> None:
    sheets = workbook(HEADER, ["a", "p", "r"], Notes=[HEADER, ["n", "p", "r"]])
    lists = json.dumps({"train": [item()], "test": [item(id="t")]}).encode()
    file = pack({"x/items.csv": CSV, "book.xlsx": sheets, "lists.json": lists})
    with pytest.raises(ChoiceNeeded) as caught:
        contents(file, "items.zip")
    options = {option.value: option.sample for option in caught.value.options}
    assert [*options] == ["x/items.csv", "book.xlsx", "lists.json"]
    assert options["x/items.csv"] == '"id,prompt,response"'
    assert ids(file, "items.zip", "x/items.csv") == ["a"]
    assert ids(file, "items.zip", "book.xlsx/Notes") == ["n"]
    assert ids(file, "items.zip", "lists.json/test") == ["t"]
    for name, parts in {"book.xlsx": ["Items", "Notes"], "lists.json": ["train", "test"]}.items():
        with pytest.raises(ChoiceNeeded) as caught:
            contents(file, "items.zip", name)
        values = [option.value for option in caught.value.options]
        assert values[:2] == [f"{name}/{part}" for part in parts]


@cases(
    ("files", "said"),
    [
        ({}, "is an archive in which no file is of a format that is read"),
        ({"photo.png": b"x"}, "is an archive in which no file is of a format that is read"),
        ({"content.xml": b"x"}, 'is a document of "OpenDocument"; save it as XLSX or as CSV in UTF-8 where it was made'),
        ({"xl/workbook.bin": b"x"}, 'is a document of "XLSB"; save it as XLSX or as CSV in UTF-8 where it was made'),
    ],
)  # fmt: skip
def test_an_archive_without_a_file_that_is_read_is_refused(
    files: dict[str, bytes], said: str
) -> None:
    assert refused(archive(files), "items.zip") == said


def test_a_file_of_more_than_two_gigabytes_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "large").open("w+b") as file:
        file.truncate(2 * 2**30 + 1)
        with pytest.raises(Unreadable, match=r"^is larger than 2 GB; split it$"):
            recognise(file, "items.csv", ReadingOptions()).__enter__()


# --- workbooks ---


def test_a_rows_line_is_its_number_in_the_sheet_and_empty_rows_are_none() -> None:
    file = workbook([], HEADER, ["a", "p", "r"], [None, None], [], ["b", "p", None])
    assert contents(file) == [
        (3, {"id": "a", "prompt": "p", "response": "r"}),
        (6, {"id": "b", "prompt": "p"}),
    ]


def test_a_cell_keeps_its_kind_and_its_digits() -> None:
    cells = [
        7,
        0.1,
        1e-7,
        True,
        date(2024, 2, 29),
        datetime(2024, 2, 29, 13, 5),  # noqa: DTZ001 - a sheet has no time zones
        time(8, 30),
        " é ",
    ]
    names = [f"c{number}" for number in range(len(cells))]
    [(_line, found)] = contents(workbook(names, cells))
    assert [str(value) for value in found.values()] == [
        *("7", "0.1", "1E-7", "True", "2024-02-29", "2024-02-29T13:05:00", "08:30:00", " é "),
    ]
    assert found["c3"] is True


def test_of_a_formula_the_value_is_read_that_it_had() -> None:
    file = workbook(HEADER, ["a", "p", "=1+1"])
    file = changed(file, "xl/worksheets/sheet1.xml", "<v />", "<v>2</v>")
    assert contents(file)[0][1]["response"] == 2


def test_a_character_that_xml_does_not_take_is_read_as_it_was() -> None:
    cells = ["a", "x_x000D_\ny", "_x0001_ _x005F_x0001_ _xFFFE_ _x0000_"]
    [item] = contents(workbook(HEADER, cells))
    assert item[1]["prompt"] == "x\r\ny"
    assert item[1]["response"] == "\x01 _x0001_ \ufffe _x0000_"


def test_of_several_sheets_one_is_named_and_an_empty_one_is_none() -> None:
    file = workbook(HEADER, ["a", "p", "r"], Notes=[HEADER, ["n", "p", "r"]], Empty=[])
    with pytest.raises(ChoiceNeeded) as caught:
        contents(file)
    assert [(part.value, part.first_row["id"]) for part in caught.value.options] == [
        *(("Items", "a"), ("Notes", "n"))
    ]
    assert str(caught.value) == (
        'has the parts "Items", "Notes"; name the one to read, by “Sheet, list or file” on the page or by --part'
    )
    assert ids(file, part="Notes") == ["n"]
    with pytest.raises(ChoiceNeeded):
        contents(file, part="notes")
    assert ids(workbook(HEADER, ["a", "p", "r"], Empty=[])) == ["a"]
    assert contents(workbook()) == []
    state = 'sheetId="2" state="%s"'
    hidden = changed(file, "xl/workbook.xml", state % "visible", state % "hidden")
    assert ids(hidden) == ["a"]
    assert ids(hidden, part="Notes") == ["n"]


def test_a_header_names_each_column_once_and_one_without_a_name_is_numbered() -> None:
    assert ids(workbook([*HEADER, None, "note"], ["a", "p", "r", None, "n"])) == ["a"]
    assert refused(workbook(["id", "note", "note"], ["a", "p", "r"])) == (
        'has the column "note" twice in its header; rename one of them'
    )
    for header in ([*HEADER], [*HEADER, " "]):
        [(_line, row)] = contents(workbook([], header, ["a", "p", "r", "x"]))
        assert row == {"id": "a", "prompt": "p", "response": "r", "column 4": "x"}


LONG = "a text of some length, as people write them when they answer at all"


def test_the_names_may_be_below_a_title_or_in_two_rows() -> None:
    rows = [["i1", LONG, 1, 2, 3, 4], ["i2", LONG, 1, 1, 3, 4]]
    dimensions = ["fluent", "clear"] * 2
    below = workbook(["Study 2024"], [], ["id", "text", "a", "b", "c", "d"], *rows)
    two = workbook(["id", "text", "Anna", None, "Ben", None], [None, None, *dimensions], *rows)
    with read(below) as source:
        assert next(source.rows()).line == 4
        assert source.guesses == (
            "The names of columns are in line 3; the row above it is left out.",
        )
    [(line, row), _other] = contents(two)
    assert (line, row["Anna_clear"], row["Ben_clear"]) == (3, 2, 4)
    options = ReadingOptions(header=1)
    with recognise(io.BytesIO(below), "items.xlsx", options) as source:
        assert [row.line for row in source.rows()] == [3, 4, 5]


def test_merged_cells_are_read_for_each_of_their_rows() -> None:
    book = Workbook()
    sheet = book.active
    for row in (
        ["id", "prompt", "model", "response"],
        *(["a", "p", "m", "r1"], [None, None, "n", "r2"], [None, None, "o", None]),
        *(["b", "q", "m", "r3"], [None, None, "n", "r4"]),
    ):
        sheet.append(row)
    for merged in ("A2:A4", "B2:B4", "A5:A6", "B5:B6"):
        sheet.merge_cells(merged)
    out = io.BytesIO()
    book.save(out)
    with read(out.getvalue()) as source:
        rows = [row.content for row in source.rows()]
        assert source.remarks == ["Merged cells are read for each of their rows."]
    assert [(row["id"], row["prompt"], row["model"]) for row in rows if isinstance(row, dict)] == [
        *(("a", "p", "m"), ("a", "p", "n"), ("a", "p", "o"), ("b", "q", "m"), ("b", "q", "n"))
    ]


def test_the_error_of_a_formula_is_no_value_and_is_told() -> None:
    file = workbook(["id", "prompt", "note"], ["a", "#N/A", "x"], ["b", "p", "#DIV/0!"])
    with read(file) as source:
        assert [row.content for row in source.rows()] == [
            {"id": "a", "note": "x"},
            {"id": "b", "prompt": "p"},
        ]
        assert source.remarks == [
            "2 cells are errors of formulas (#N/A, #DIV/0!), the first in line 2."
        ]


# --- Parquet ---


def test_lists_and_objects_stay_and_what_has_no_value_is_left_out() -> None:
    rows = [
        item(responses=[{"model": "m", "text": "é"}], response=None, n=1),
        item(id="b", tags=["x"]),
    ]
    assert contents(parquet(*rows)) == [(1, rows[0]), (2, rows[1])]


def test_times_and_decimals_are_texts_and_numbers_that_json_lacks_are_null() -> None:
    moment, number = DataType.timestamp("us", tz="UTC"), DataType.int64()
    file = typed(
        at=Array([1_709_211_900_000_000], number).cast(moment),
        day=Array([19_782], DataType.int32()).cast(DataType.date32()),
        price=Array([15], number).cast(DataType.decimal128(10, 2)),
        none=Array([float("nan")], DataType.float64()),
        most=Array([float("inf")], DataType.float64()),
        big=Array([2**62], number),
    )
    [(_line, found)] = contents(file)
    assert found == {
        "at": "2024-02-29T13:05:00+00:00",
        "day": "2024-02-29",
        "price": "15.00",
        "none": None,
        "most": None,
        "big": 2**62,
    }


def test_bytes_are_refused_with_their_column() -> None:
    file = typed(
        id=Array(["Binary"], DataType.string()), image=Array([b"\x89PNG"], DataType.binary())
    )
    assert (
        refused(file)
        == 'holds bytes in the column "image"; leave the column out, or write it as text'
    )


# --- logs of Inspect ---


SAMPLE = {
    "id": 1,
    "epoch": 1,
    "input": "Why?",
    "output": {"model": "m", "choices": [{"message": {"role": "assistant", "content": "So."}}]},
    "events": [{"event": "model"}],
    "attachments": {"0": "x"},
}


@cases("header", ["header.json", "_journal/start.json", "start.json"])
def test_a_sample_is_a_row_with_the_model_and_task_of_its_log(header: str) -> None:
    """The files are those that Inspect writes: its module log/_recorders/eval.py names them."""
    file = archive(
        {
            "samples/1_epoch_1.json": json.dumps(SAMPLE, indent=2).encode(),
            "samples/2_epoch_1.json": json.dumps(SAMPLE | {"id": 2, "model": "own"}).encode(),
            "summaries.json": b"[]",
            header: json.dumps({"eval": {"model": "openai/gpt-4", "task": "arc"}}).encode(),
        }
    )
    kept = {key: SAMPLE[key] for key in ("id", "epoch", "input", "output")}
    assert contents(file, "log.eval") == [
        (1, {"model": "openai/gpt-4", "task": "arc", **kept}),
        (2, {"model": "own", "task": "arc", **kept, "id": 2}),
    ]


def test_a_part_within_archives_is_named_by_all_of_them() -> None:
    rows = {"train": [{"id": "a"}], "test": [{"id": "b"}]}
    inner = archive({"rows.json": json.dumps(rows).encode()})
    file = archive({"inner.zip": inner, "items.csv": CSV})
    with pytest.raises(ChoiceNeeded) as caught, read(file, "all.zip", "inner.zip"):
        pass
    names = [option.value for option in caught.value.options if not option.is_whole]
    assert names == ["inner.zip/train", "inner.zip/test"]
    assert contents(file, "all.zip", "inner.zip/test") == [(1, {"id": "b"})]


# --- what would harm its reader ---


def test_a_cell_at_the_far_end_of_a_sheet_harms_nothing() -> None:
    file = workbook(HEADER, ["a", "p", "r"])
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    there = changed(file, "xl/worksheets/sheet1.xml", "</sheetData>", far)
    said = "has a value in row 1,048,576, column 16,384; a table may have 1,000 columns: "
    assert refused(there).startswith(said)
    alone = changed(workbook(), "xl/worksheets/sheet1.xml", "</sheetData>", far)
    assert refused(alone).startswith(said)


def test_two_thousand_columns_are_refused_and_not_believed() -> None:
    names = [f"c{number}" for number in range(2_000)]
    assert refused(workbook(names, names)).startswith("has a value in row 1, column 2,000; ")
    columns = Array(["x"], DataType.string())
    assert refused(typed(**dict.fromkeys(names, columns))).startswith("has 2,000 columns")
    claimed = f'ref="A1:{get_column_letter(2_000)}1048576"'
    file = changed(
        workbook(HEADER, ["a", "p", "r"]), "xl/worksheets/sheet1.xml", 'ref="A1:C2"', claimed
    )
    assert ids(file) == ["a"]


@cases("pack", [gzip.compress, lambda text: archive({"x.csv": text})])
def test_a_bomb_is_refused_before_it_fills_the_disk(pack: Any) -> None:
    assert refused(pack(b"\0" * 2**24)).startswith("unpacks to more than 200 times its size")


def test_a_small_parquet_file_that_writes_much_is_a_bomb() -> None:
    """A text of 20 kB in each of 20,000 rows, which Parquet stores once: 400 MB as lines."""
    text = Array(["x" * 20_000], DataType.string())
    kind = DataType.dictionary(DataType.int32(), DataType.string())
    many = text.cast(kind).take(Array([0] * 20_000, DataType.uint32()))
    file = typed(id=Array.from_arrow(many))
    assert len(file) < 100_000
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert refused(file).startswith("unpacks to more than 200 times its size")
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime < 4


def test_a_file_that_unpacks_to_more_than_two_gigabytes_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With a thousand bytes as the limit, which are soon written."""
    reader = tmp_path / "small_reader.py"
    reader.write_text(
        "import sys\n"
        "from tasks.importing.files import containers\n"
        "containers.LIMITS[containers.resource.RLIMIT_FSIZE] = 1_000\n"
        "containers.main(*sys.argv[1:])\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(containers, "__name__", "small_reader")
    assert refused(gzip.compress(CSV * 100)) == "is larger than 2 GB; split it"
    assert refused(parquet(*[item()] * 100)) == "is larger than 2 GB; split it"


def test_a_large_archive_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as written:  # without compression
        written.writestr("xl/workbook.xml", b" " * (200 * 2**20 + 1))
    assert refused(out.getvalue()).startswith("is more than 200 MB when it is unpacked")


@cases("name", ["items.xlsx", "items.parquet", "items.csv.gz"])
def test_a_file_that_is_cut_off_or_damaged_is_refused_in_a_sentence(name: str) -> None:
    file = FILES.get(name) or gzip.compress(CSV)
    for damaged in (file[: len(file) // 2], file[:-8], file[:4] + b"\xff" * len(file[4:])):
        said = refused(damaged, name)
        assert said.startswith("can’t be read (")
        assert said.endswith("; save it again where it was made, or save it as CSV in UTF-8")


def test_a_parquet_file_with_a_damaged_footer_is_refused_in_a_sentence() -> None:
    file = parquet(item())
    footer = bytearray(file)
    footer[-40:-8] = b"\xff" * 32
    assert refused(bytes(footer), "items.parquet").startswith("can’t be read (")
    assert refused(file[:-8] + b"\xff\xff\xff\x7fPAR1", "items.parquet").startswith(
        "can’t be read ("
    )


def test_a_reader_that_needs_more_than_a_gigabyte_of_memory_is_stopped() -> None:
    """A text of 5 MB in each of 250 rows, which Parquet stores once."""
    text = Array(["x" * 5 * 2**20], DataType.string())
    kind = DataType.dictionary(DataType.int32(), DataType.string())
    many = text.cast(kind).take(Array([0] * 250, DataType.uint32()))
    file = typed(id=Array.from_arrow(many))
    assert len(file) < 6 * 2**20
    assert refused(file).startswith(
        "needs more than 1 GB of memory or 2 minutes to read; save it as CSV"
    )


def test_a_reader_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "MOST_SECONDS", 0.01)
    assert refused(FILES["items.xlsx"]).startswith("needs more than 1 GB of memory or 2 minutes")


def test_json_that_is_nested_a_thousand_deep_is_refused() -> None:
    deep = "[" * 1_000 + "]" * 1_000
    assert refused(f'[{{"x": {deep}}}]'.encode()) == "is nested too deeply in line 1; flatten it"
    [(_line, found)] = contents(f'{{"id": "a", "x": {deep}}}\n'.encode(), "items.jsonl")
    assert str(found) == "line 1: is nested too deeply; flatten it"
