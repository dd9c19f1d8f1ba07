"""JSON in: one list of items, read as it goes by; and what a list and lines have in common."""
# ruff: noqa: E501 - the tables below have a line for each case

from __future__ import annotations

import io
import json
import tracemalloc
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from tasks.importing.columns.items import NewItem, item_of
from tasks.importing.columns.opening import open_file
from tasks.importing.files import json_documents, json_text
from tasks.importing.files.json_documents import json_source
from tasks.importing.files.json_lines import JsonLines
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.rows import WHOLE, ChoiceNeeded, LineError, Unreadable
from tests.cases import cases

from .import_steps import (
    JSON,
    item,
)


def mapped(file: bytes, name: str = "items.json") -> list[NewItem | LineError]:
    with open_file(io.BytesIO(file), name) as source:
        return list(map(item_of, source.rows()))


def ids(file: bytes, name: str = "items.json") -> list[str]:
    found = mapped(file, name)
    assert all(isinstance(entry, NewItem) for entry in found), found
    return [entry.external_id for entry in found if isinstance(entry, NewItem)]


def unreadable(file: bytes, name: str = "items.json") -> str:
    with pytest.raises(Unreadable) as caught:
        mapped(file, name)
    return str(caught.value)


ITEMS = [item(), item(id="é\u2028"), item(id="]}", prompt='"')]
IDS = ["a", "é\u2028", "]}"]
LIST = json.dumps(ITEMS, ensure_ascii=False)


@cases("name", ["items.json", "items.jsonl", "items.ndjson"])
@cases(
    "text",
    [
        LIST,
        json.dumps(ITEMS, indent=2),
        f'{{"items": {LIST}}}',
        json.dumps({"items": ITEMS}, indent=4),
        "\n".join(json.dumps(each) for each in ITEMS),
    ],
)
@cases("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@cases("end", ["\n", "\r\n"])
def test_lists_and_lines_are_told_apart_by_what_stands_there(
    name: str, text: str, encoding: str, end: str
) -> None:
    if name != "items.json" and text.startswith('{"items": [{"id"'):
        return  # one line, which these names say is one item
    assert ids((f"{end} {text}").replace("\n", end).encode(encoding), name) == IDS


def test_lines_that_end_in_a_lone_cr_are_one_line_which_is_refused() -> None:
    (error,) = mapped("\r".join(map(json.dumps, ITEMS)).encode())
    assert isinstance(error, LineError)
    assert "something comes after its end" in str(error)
    assert "write one JSON object a line" in str(error)


@pytest.mark.parametrize("block", [1, 2, 7, 64])
def test_wherever_a_block_ends_the_same_is_read(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "BLOCK", block)
    numbered = [item(id=n, score=n + 0.5) for n in range(99, 130)]
    for text in (json.dumps(numbered), json.dumps({"items": numbered}, indent=1)):
        found = [entry for entry in mapped(text.encode()) if isinstance(entry, NewItem)]
        assert [entry.external_id for entry in found] == [str(n) for n in range(99, 130)]
        assert [str(entry.metadata["score"]) for entry in found] == [
            f"{n}.5" for n in range(99, 130)
        ]


def test_an_empty_list_holds_no_rows() -> None:
    assert mapped(b"[]") == mapped(b' {"items" : [ ] } ') == []


@cases("written", ["7", "0", "-3", "123456789012345678901234567890"])
@cases("form", ['[{{"id": {}, "prompt": "p", "response": "r"}}]', '{{"id": {}, "prompt": "p", "response": "r"}}'])  # fmt: skip
def test_a_whole_number_is_an_id_digit_by_digit(written: str, form: str) -> None:
    assert ids(form.format(written).encode()) == [written]


@cases(
    ("text", "said"),
    [
        ('[{"id": "a"', "is not JSON in line 1: expected a comma or a closing bracket"),
        ("[{} {}]", "is not JSON in line 1: expected a comma or a closing bracket"),
        ("[{},\n]", "is not JSON in line 2: expected a value"),
        ("[{}] x", "is not JSON in line 1: something comes after its end"),
        ("[{}", "is not JSON in line 1: expected a comma or a closing bracket"),
        ('{"items": [{}]', "is not JSON in line 1: expected a comma or a closing bracket"),
        ('{"items": [{}],\n"more": 1} x', "is not JSON in line 2: something comes after its end"),
        ('{"items": [{}],\nmore: 1}', "is not JSON in line 2: expected a key in double quotes"),
        ("[" * 100_000, "is nested too deeply in line 1; flatten it"),
    ],
)
def test_a_list_that_is_broken_is_refused_as_a_whole(text: str, said: str) -> None:
    assert unreadable(text.encode()).startswith(said)


def test_a_broken_entry_is_not_looked_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "LONGEST_ROW", 1_000)
    monkeypatch.setattr(json_text, "BLOCK", 100)
    text = "[{},\n" + json.dumps(item(prompt="x" * 5_000)) + "]"
    assert unreadable(text.encode()).startswith(
        "has an entry in line 2 that is broken or longer than 1,000"
    )


@cases(
    ("entry", "said"),
    [
        ("5", 'line 2: "[1]" is not a JSON object (5); write an object for each item'),
        ('{"id": "x", "id": "y"}', 'line 2: "[1].id" appears twice in one object ("y"); keep one of them'),
        ('{"x": 1e999}', 'line 2: "[1]" holds a number that is too large (1e999); write it as a text, in quotes'),
        ('{"x": 1e-99999999999999999999}', None),
        ('{"x": ' + "1" * 5000 + "}", 'line 2: "[1]" holds a number of too many digits; write it as a text, in quotes'),
        ('{"id": "x", "prompt": "p"}', 'line 2: "[1].responses" is missing; give "response" (a text) or "responses" (a list of {model, text})'),
    ],
)  # fmt: skip
def test_a_bad_entry_is_named_by_line_and_path_and_the_next_one_read(
    entry: str, said: str | None
) -> None:
    first, bad, last = mapped(
        f"[{json.dumps(item())},\n{entry}, {json.dumps(item(id='b'))}]".encode()
    )
    assert isinstance(first, NewItem)
    assert isinstance(last, NewItem)
    assert isinstance(bad, LineError)
    assert said is None or str(bad) == said


def test_a_damaged_byte_among_good_utf_8_is_an_error_of_its_entry() -> None:
    good = json.dumps(item(id="b", prompt="où ça a été là ?"), ensure_ascii=False)
    bad, read = mapped(b'[{"id": "caf\xe9"}, ' + good.encode() + b"]")
    assert str(bad) == (
        'line 1: "[0]" is not UTF-8 ("{\\"id\\": \\"caf\\xe9\\"}"); save the file as UTF-8, or choose another '
        "encoding, by “Encoding” on the page or by --encoding"
    )
    assert isinstance(read, NewItem)


@given(
    st.lists(st.dictionaries(st.sampled_from(["id", "prompt", "response", "x"]), JSON), max_size=4)
)
def test_a_list_says_of_each_object_what_lines_say(contents: list[dict[str, object]]) -> None:
    as_list = json_source(io.BytesIO(json.dumps(contents).encode()), are_lines=False, part="")
    as_lines = JsonLines(io.BytesIO("".join(json.dumps(each) + "\n" for each in contents).encode()))
    for one, other in zip(as_list.rows(), as_lines.rows(), strict=True):
        assert one.content == other.content


def test_a_list_is_never_held_whole() -> None:
    file = io.BytesIO(
        json.dumps([item(id=str(n), prompt="x" * 5_000) for n in range(4_000)]).encode()
    )
    tracemalloc.start()
    with open_file(file, "items.json") as source:
        assert sum(1 for _ in map(item_of, source.rows())) == 4_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2**20


# --- one document ---


def contents(text: str, name: str = "items.json", part: str = "") -> list[object]:
    with open_file(io.BytesIO(text.encode()), name, ReadingOptions(part=part)) as source:
        return [row.content for row in source.rows()]


ROW = {"instruction": "Why?"}


@cases("indent", [None, 1])
@cases("key", ["items", "data", "rows", "train"])
@cases("beside", [{}, {"version": 1, "tags": ["x"], "info": {"n": [{"note": "x"}]}, "none": []}])
def test_the_only_list_of_objects_is_read_whatever_its_key_and_its_line_breaks(
    key: str, indent: int | None, beside: dict[str, object]
) -> None:
    text = json.dumps(beside | {key: [ROW, ROW]} | beside, indent=indent)
    assert contents(text) == [ROW, ROW]
    with open_file(io.BytesIO(text.encode()), "x.json") as source:
        assert [row.path for row in source.rows()] == [f"{key}[0]", f"{key}[1]"]


def test_of_several_lists_of_objects_one_is_named() -> None:
    text = json.dumps({"train": [ROW], "n": 1, "test": [ROW, ROW]}, indent=1)
    with pytest.raises(ChoiceNeeded) as caught:
        contents(text)
    assert caught.value.field == "part"
    assert [(part.value, part.first_row) for part in caught.value.options] == [
        *(("train", ROW), ("test", ROW)),
        (WHOLE, {"train": None, "n": None, "test": None}),
    ]
    assert contents(text, part="test") == [ROW, ROW]
    with pytest.raises(ChoiceNeeded, match=r'^has the parts "train", "test"; name the one to read'):
        contents(text, part="dev")


def test_a_list_whose_name_the_database_cannot_hold_is_named_by_its_escape() -> None:
    text = r'{"a\u0000": [{"n": 1}], "\ud800": [{"n": 2}]}'
    with pytest.raises(ChoiceNeeded) as caught:
        contents(text)
    names = [part.value for part in caught.value.options][:2]
    assert names == [r"a\u0000", r"\ud800"]
    assert [contents(text, part=name) for name in names] == [[{"n": 1}], [{"n": 2}]]
    options = ReadingOptions(part=r"a\u0000")
    with open_file(io.BytesIO(text.encode()), "x.json", options) as source:
        assert [row.path for row in source.rows()] == [r"a\u0000[0]"]


@cases("number", [2, 200])
def test_objects_by_their_ids_are_rows(number: int) -> None:
    by_id = {f"item {place}": {"prompt": "p", "n": place} for place in range(number)}
    assert contents(json.dumps(by_id)) == [{"id": key} | row for key, row in by_id.items()]
    assert contents(json.dumps({"version": 1, "all": by_id}), part="all")[0] == {
        "id": "item 0",
        "prompt": "p",
        "n": 0,
    }
    named = {"a": {"id": 7, "prompt": "p"}, "b": {"id": 8}}
    assert contents(json.dumps(named)) == [*named.values()]


def test_many_objects_of_different_kinds_are_neither_rows_nor_one_item() -> None:
    text = json.dumps({f"key {place}": {f"n{place}": 1} for place in range(101)})
    assert unreadable(text.encode()) == (
        'is one object of 101 objects; write a list of objects, or {"items": […]}'
    )
    pair = {"a": {"x": 1}, "b": {"y": 2}}
    assert contents(json.dumps(pair)) == [pair]


def test_objects_by_key_within_an_object_may_be_a_part_of_it_or_one_row() -> None:
    text = json.dumps({"title": "t", "scores": {"anna": {"s": 1}, "ben": {"s": 2}}})
    with pytest.raises(ChoiceNeeded) as caught:
        contents(text)
    assert [part.value for part in caught.value.options] == ["scores", WHOLE]
    assert contents(text, part=WHOLE) == [json.loads(text)]


def test_lists_deep_in_a_document_are_parts_by_their_path() -> None:
    text = json.dumps({"n": 1, "results": {"prompts": [{"p": 1}], "results": [ROW, ROW]}})
    with pytest.raises(ChoiceNeeded) as caught:
        contents(text)
    assert [part.value for part in caught.value.options][:2] == [
        "results.prompts",
        "results.results",
    ]
    assert contents(text, part="results.results") == [ROW, ROW]


@cases("text", ["[{}]", '{"id": "a"}\n{"id": "b"}\n', "id,prompt,response\n", '{"id": "a"}'])
def test_a_part_of_what_has_none_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match=r'^has no part that can be read, and so no "train"'):
        contents(text, "items.csv", part="train")


@cases("name", ["items.json", "items.jsonl"])
def test_an_object_with_a_column_of_items_or_without_a_list_is_one_item(name: str) -> None:
    chat = {"messages": [{"role": "user", "content": "m"}]}
    for content in (chat, ROW, {"responses": [{"text": "x"}], "tags": [ROW]}):
        for indent in (None, 2):
            assert contents(json.dumps(content, indent=indent), name) == [content]


def test_a_file_of_one_line_is_one_item_if_its_name_says_lines() -> None:
    text = json.dumps({"turns": [ROW]})
    assert (
        contents(text, "items.jsonl") == contents(text + "\n\n", "x.ndjson") == [{"turns": [ROW]}]
    )
    assert contents(text, "items.json") == contents(text, "items.txt") == [ROW]


def test_a_first_line_that_is_broken_is_one_of_several_lines() -> None:
    bad, good = contents('{"id": "a, "x": 1}\n{"id": "b"}\n')
    assert isinstance(bad, LineError)
    assert good == {"id": "b"}


@cases("indent", [None, 1])
def test_a_table_by_columns_as_pandas_writes_it_is_read_by_rows(indent: int | None) -> None:
    columns = {"id": {"0": 7, "1": 8}, "prompt": {"0": "é", "1": None}, "n": {"0": 1.50, "1": [{}]}}
    assert contents(json.dumps(columns, indent=indent)) == [
        {"id": 7, "prompt": "é", "n": Decimal("1.5")},
        {"id": 8, "prompt": None, "n": [{}]},
    ]
    lists = {"id": [7, 8], "prompt": ["é", None], "n": [1.5, 2]}
    assert contents(json.dumps(lists, indent=indent))[1] == {"id": 8, "prompt": None, "n": 2}
    split = {"columns": ["id", "n"], "index": [0, 1], "data": [[7, "x"], [8, [{}]]]}
    assert contents(json.dumps(split, indent=indent)) == [
        {"id": 7, "n": "x"},
        {"id": 8, "n": [{}]},
    ]
    told = {"columns": [{"name": "id", "type": "number"}], "data": [[7]]}
    assert contents(json.dumps(told, indent=indent)) == [{"id": 7}]
    with pytest.raises(ChoiceNeeded, match=r'^has the parts "train", "test"; '):
        contents(json.dumps({"train": lists, "test": lists}, indent=indent))
    both = json.dumps({"train": columns, "test": lists}, indent=indent)
    assert contents(both, part="test") == contents(json.dumps(lists))
    index = {"0": {"prompt": "é"}, "1": {"prompt": "p"}}
    assert contents(json.dumps(index, indent=indent))[1] == {"id": "1", "prompt": "p"}


@cases("text", ['[{}, {"x": %s}]', '{"n": 1}\n{"x": %s}\n'])
@cases("number", ["NaN", "-Infinity"])
def test_numbers_that_python_writes_and_json_lacks_are_null_and_said(
    text: str, number: str
) -> None:
    with open_file(io.BytesIO((text % number).encode()), "x.json") as source:
        assert [row.content for row in source.rows()][1] == {"x": None}
        [remark] = source.remarks
    assert remark.startswith("1 value is NaN or Infinity, which JSON does not have; it is read as")


def test_a_table_by_columns_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_documents, "MOST_CELLS", 200)
    text = json.dumps({"id": {str(number): "x" for number in range(5)}})
    assert unreadable(text.encode()).startswith(
        "is a table by columns of more than 64 MB; write it"
    )
