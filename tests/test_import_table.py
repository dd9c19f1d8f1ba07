"""CSV and its kin in: every cell as it stands, every row whole, whatever parts the cells and ends the lines."""
# ruff: noqa: E501 - the tables below have a line for each case

from __future__ import annotations

import csv
import io
import tracemalloc

import pytest

from rubrics.schema import Turn
from tasks.importing.columns.items import NewItem, NewResponse, item_of
from tasks.importing.columns.table_cells import file_rows, open_file
from tasks.importing.files import tables
from tasks.importing.files.containers import MOST_COLUMNS
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.rows import LineError, Unreadable
from tests.cases import cases

from .import_steps import ODDITIES, table


def mapped(file: bytes, name: str = "items.csv", encoding: str = "") -> list[NewItem | LineError]:
    with open_file(io.BytesIO(file), name, ReadingOptions(encoding=encoding)) as source:
        return list(map(item_of, file_rows(source)))


def only_item(file: bytes, name: str = "items.csv", encoding: str = "") -> NewItem:
    (found,) = mapped(file, name, encoding)
    assert isinstance(found, NewItem), found
    return found


def only_error(file: bytes, name: str = "items.csv") -> LineError:
    (found,) = mapped(file, name)
    assert isinstance(found, LineError), found
    return found


def unreadable(file: bytes, name: str = "items.csv", encoding: str = "") -> str:
    with pytest.raises(Unreadable) as caught:
        mapped(file, name, encoding)
    return str(caught.value)


HEADER = ["id", "prompt", "response"]
ROWS = [HEADER, ["a", "Why?", "Because; so,\tand |"], ["b", "How\nso?", 'Say "thus"']]


def kept(found: list[NewItem | LineError]) -> list[tuple[str, str, str]]:
    assert all(isinstance(entry, NewItem) for entry in found), found
    return [
        (entry.external_id, entry.messages[0].text, entry.responses[0].text)
        for entry in found
        if isinstance(entry, NewItem)
    ]


WANTED = [tuple(row) for row in ROWS[1:]]


# --- the file ---


@cases("name", ["items.csv", "ITEMS.TSV"])
@cases("delimiter", [",", ";", "\t", "|"])
@cases("end", ["\n", "\r\n", "\r"])
@cases("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_delimiters_line_ends_and_encodings_are_recognised(
    name: str, delimiter: str, end: str, encoding: str
) -> None:
    text = table(*ROWS, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).decode()
    assert kept(mapped(text.encode(encoding), name)) == WANTED


def test_a_mark_of_big_ended_utf_16_is_one_too() -> None:
    assert kept(mapped(b"\xfe\xff" + table(*ROWS).decode().encode("utf-16-be"))) == WANTED


@cases("text", ODDITIES)
def test_a_cell_is_the_text_that_it_is(text: str) -> None:
    file = table(
        [
            "id",
            "prompt",
            "response",
            "model",
            "system",
            "context",
            "reference",
            "source",
            "note",
            f"n{text}",
        ],
        [f"i{text}", *[text] * 9],
    )
    found = only_item(file)
    assert found.external_id == f"i{text}"
    assert found.messages == (Turn("user", text),)
    assert found.responses == (NewResponse(text, text),)
    assert (found.system, found.context, found.reference, found.source) == (text,) * 4
    assert found.metadata == {"note": text, f"n{text}": text}


def test_windows_1252_is_taken_where_someone_says_so_and_never_guessed() -> None:
    text = (
        "id,prompt,response\na,na\u00efve \u201cquote\u201d \u2014 \u20ac,caf\u00e9\nb,plain,text\n"
    )
    file = text.encode("windows-1252")
    assert kept(mapped(file, encoding="windows-1252"))[0] == ("a", "naïve “quote” — €", "café")
    bad, good = mapped(file)
    assert isinstance(good, NewItem)
    assert str(bad) == (
        'line 2: "prompt" is not UTF-8 ("na\\xefve \\x93quote\\x94 \\x97 \\x80"); save the file as UTF-8, or say that '
        "it is Windows-1252, by “Encoding” on the page or by --encoding windows-1252"
    )
    # A byte order mark says otherwise, and is believed.
    assert kept(mapped(b"\xef\xbb\xbf" + text.encode(), encoding="windows-1252"))[0][2] == "café"


@cases(
    ("file", "encoding", "said"),
    [
        (b"", "", 'is empty; write a header with "id", "prompt" and "response", and a row for each response'),
        (b"id,prompt,response\na,b,\x81\n", "windows-1252", "was read as Windows-1252, but byte 24 does not fit; save the file as UTF-8"),
        ("id\n".encode("utf-16-le") + b"\x00\xd8a\x00", "", "was read as UTF-16 (little end first), but byte 7 does not fit; save the file as UTF-8"),
        ("id".encode("utf-32"), "", "is UTF-32; save it as UTF-8"),
        (b"caf\xe9,id\n", "", 'is not UTF-8 in its header ("caf\\xe9"); save the file as UTF-8, or say that it is Windows-1252, by “Encoding” on the page or by --encoding windows-1252'),
        (b"id,prompt,response,a,a\n", "", 'has the column "a" twice in its header; rename one of them'),
        (b"id,prompt,,response,,x\n", "", 'has the column "" twice in its header; rename one of them'),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_of_items_is_refused_as_a_whole(
    file: bytes, encoding: str, said: str
) -> None:
    assert unreadable(file, encoding=encoding) == said


def test_a_header_of_too_many_columns_is_refused_before_a_look_at_them() -> None:
    columns = ["a"] * (MOST_COLUMNS + 1)  # whose name is not their own either
    assert unreadable(table([], columns, columns)) == (
        "has 1,001 columns in its header; a table may have 1,000: leave out what is not needed, "
        "or write several as one"
    )


def test_a_table_may_have_a_thousand_columns() -> None:
    names = [f"name {number}" for number in range(MOST_COLUMNS - 5)]
    file = table([*HEADER, "model", "persona", *names], [*ROWS[1], "gull", "", *names])
    assert only_item(file).metadata == dict(zip(names, names, strict=True))


def test_json_under_a_name_of_a_table_is_read_as_json() -> None:
    assert only_item(b'{"id": "a", "prompt": "p", "response": "r"}\n').external_id == "a"


# --- empty, and not there ---


def test_an_empty_response_is_a_response() -> None:
    assert only_item(b"id,prompt,response\na,p,\n").responses == (NewResponse("", ""),)
    assert only_item(b'id,prompt,response\na,"",""\n').messages == (Turn("user", ""),)
    assert str(only_error(b"id,prompt,response\na,p\n")).startswith(
        'line 2: has 2 cells under 3 names ("a,p"); '
    )


def test_an_empty_cell_gives_way_to_a_filled_one_for_the_same_thing() -> None:
    file = table(
        ["id", "prompt", "messages", "history", "response", "responses"],
        ["a", "p", "", "", "r", ""],
        ["b", "", '[{"role": "user", "content": "m"}]', "", "", '[{"text": "x"}, {"text": ""}]'],
        ["c", "", "", "", "", ""],
        ["d", "", "", "h", "", ""],
    )
    found = [entry for entry in mapped(file) if isinstance(entry, NewItem)]
    assert [entry.messages[0].text for entry in found] == ["p", "m", "", "h"]
    assert [[response.text for response in entry.responses] for entry in found] == [
        ["r"],
        ["x", ""],
        [""],
        [""],
    ]


def test_two_filled_cells_for_one_thing_are_an_error() -> None:
    file = b"id,prompt,history,response\na,p,h,r\n"
    assert (
        str(only_error(file)) == 'line 2: "history" appears beside "prompt" ("h"); keep one of them'
    )


def test_no_persona_and_no_history_are_empty_cells() -> None:
    found = only_item(b"id,persona,history,response\na,,,r\n")
    assert (found.persona, found.messages) == ((), ())
    assert only_error(b"id,messages,response\na,,r\n").column == "prompt"


def test_rows_of_nothing_but_empty_cells_are_passed_over() -> None:
    assert kept(mapped(b"\nid,prompt,response\n\na,b,c\n,,\n\n")) == [("a", "b", "c")]


# --- cells with more in them ---


def test_cells_that_begin_with_a_bracket_are_lists_where_a_list_is_due() -> None:
    file = table(
        ["id", "persona", "history", "responses", "note"],
        [
            "a",
            '["i row.", "i [bake]."]',
            '[{"role": "S1", "text": "hi"}]',
            '[{"model": "m", "text": "x"}]',
            "[1]",
        ],
    )
    found = only_item(file)
    assert found.persona == ("i row.", "i [bake].")
    assert found.messages == (Turn("S1", "hi"),)
    assert found.responses == (NewResponse("m", "x"),)
    assert found.metadata == {"note": "[1]"}


def test_a_list_that_is_broken_is_an_error_not_a_line() -> None:
    error = only_error(
        table(["id", "persona", "prompt", "response"], ["a", "[laughs] hi", "p", "r"])
    )
    assert (error.column, error.item) == ("persona", "a")
    assert str(error.advice) == "a cell that begins with [ is a list in JSON"


@cases(
    ("history", "turns"),
    [
        ("hi\nhello\nbye", [("user", "hi"), ("assistant", "hello"), ("user", "bye")]),
        ("user: hi\nassistant: hello: you\r\nuser:  two", [("user", "hi"), ("assistant", "hello: you"), ("user", " two")]),
        ("S1: a\nS2:b\nS1:", [("S1", "a"), ("S2", "b"), ("S1", "")]),
        ("Speaker 1: a\nSpeaker 2: b", [("Speaker 1", "a"), ("Speaker 2", "b")]),
        ("A: x\nB: y", [("A", "x"), ("B", "y")]),
        ("Bot 006: x", [("Bot 006", "x")]),
        ("Note: x\nhttp://a\nC:\\d", [("user", "Note: x"), ("assistant", "http://a"), ("user", "C:\\d")]),
        ("i: x", [("user", "i: x")]),
    ],
)  # fmt: skip
def test_lines_of_a_history_may_say_who_speaks(history: str, turns: list[tuple[str, str]]) -> None:
    found = only_item(table(["id", "history", "response"], ["a", history, "r"]))
    assert [(turn.role, turn.text) for turn in found.messages] == turns


@pytest.mark.parametrize(
    "history", ["user: hi\nwell\nassistant: yes", "hm\nS1: x", "S1: x\n\nS2: y"]
)
def test_where_some_lines_say_who_speaks_all_must(history: str) -> None:
    error = only_error(table(["id", "history", "response"], ["a", history, "r"]))
    assert (error.column, error.item) == ("history", "a")
    assert "and has one in another" in str(error.reason)


# --- rows that cannot be read ---


def test_the_header_once_more_is_an_error_not_an_item() -> None:
    first, again, second = mapped(table(*ROWS[:2], HEADER, ROWS[2])[:-2])
    assert isinstance(first, NewItem)
    assert isinstance(second, NewItem)
    assert str(again) == (
        'line 3: is the header once more ("id,prompt,response"); take it out, or have it left out'
    )


def test_a_row_that_cannot_be_read_is_named_and_the_next_one_read() -> None:
    found = mapped(b'id,prompt,response\na,"x"y,r\nb,p,r\nc,p,r,s\nd,"q\n1",r\ne,"open\nf,p,r\n')
    assert [(type(entry), entry.line) for entry in found] == [
        (LineError, 2),
        (NewItem, 3),
        (LineError, 4),
        (NewItem, 5),
        (LineError, 7),
    ]
    assert str(found[0]) == (
        'line 2: has text after the closing quote of a cell ("a,\\"x\\"y,r"); put the whole cell in quotes, and double every '
        "quote within"
    )
    assert str(found[2]) == (
        'line 4: has 4 cells under 3 names ("c,p,r,s"); give every row as many cells as the header, empty ones too; put a cell that '
        "holds commas, quotes or line ends in quotes"
    )
    assert "begins a quote that is not closed" in str(found[4])


def test_a_row_without_end_is_not_held_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LONGEST_ROW", 1_000)
    for endless in (b"x" * 2_000, b'"' + b"x\n" * 2_000):
        assert unreadable(b"id,prompt,response\na,b," + endless).startswith("has a row near line ")


def test_a_table_is_never_held_whole() -> None:
    file = io.BytesIO(
        b"id,prompt,response\n" + b"".join(b"%d,%s,r\n" % (n, b"x" * 5_000) for n in range(4_000))
    )
    tracemalloc.start()
    with open_file(file, "items.csv") as source:
        assert sum(1 for _ in map(item_of, file_rows(source))) == 4_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * 2**20
