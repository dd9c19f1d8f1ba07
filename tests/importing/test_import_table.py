"""CSV and its kin in: every cell as it stands, every row whole, whatever parts the cells and ends the lines."""
# ruff: noqa: E501 - the tables below have a line for each case

from __future__ import annotations

import csv
import io
import tracemalloc
from typing import Any

import pytest

from rubrics.judging.parts import Turn
from tasks.importing.columns.items import NewItem, NewResponse, item_of
from tasks.importing.columns.opening import open_file
from tasks.importing.columns.table_cells import file_rows
from tasks.importing.files import readers, tables
from tasks.importing.files.formats import MOST_COLUMNS
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.rows import ChoiceNeeded, LineError, Unreadable
from tests.cases import cases

from .import_steps import (
    ODDITIES,
    table,
)


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


def test_an_encoding_of_one_byte_for_a_character_is_asked_with_a_text_and_never_guessed() -> None:
    text = (
        "id,prompt,response\na,na\u00efve \u201cquote\u201d \u2014 \u20ac,caf\u00e9\nb,plain,text\n"
    )
    file = text.encode("windows-1252")
    with pytest.raises(ChoiceNeeded) as caught:
        mapped(file)
    assert caught.value.field == "encoding"
    texts = {option.value: option.sample for option in caught.value.options}
    assert texts["windows-1252"] == '"a,naïve “quote” — €,café"'
    assert texts["mac-roman"] == '"a,naÔve ìquoteî ó Ä,cafÈ"'
    assert "is not UTF-8; choose its encoding by how its texts look" in str(caught.value)
    assert kept(mapped(file, encoding="windows-1252"))[0] == ("a", "naïve “quote” — €", "café")
    bad, good = mapped(file, encoding="utf-8")
    assert isinstance(good, NewItem)
    assert isinstance(bad, LineError)
    assert bad.reason == "is not UTF-8"
    # A byte order mark says otherwise, and is believed.
    assert kept(mapped(b"\xef\xbb\xbf" + text.encode(), encoding="windows-1252"))[0][2] == "café"


TEXTS = {
    "gb18030": ("天空为什么是蓝色的？", "因为空气分子会散射蓝光。"),
    "big5": ("天空為什麼是藍色的？", "因為空氣分子會散射藍光。"),
    "shift-jis": ("空はなぜ青いのですか？", "空気の分子が青い光を散らすからです。"),
    "euc-jp": ("空はなぜ青いのですか？", "空気の分子が青い光を散らすからです。"),
    "euc-kr": ("하늘은 왜 파란가요?", "공기 분자가 푸른 빛을 산란시키기 때문입니다."),
}
CODECS = {"shift-jis": "cp932", "euc-kr": "cp949"}


@cases("encoding", TEXTS)
def test_an_encoding_of_two_bytes_for_a_character_proves_itself(encoding: str) -> None:
    prompt, response = TEXTS[encoding]
    file = f"id,prompt,response\na,{prompt},{response}\n".encode(CODECS.get(encoding, encoding))
    assert kept(mapped(file)) == [("a", prompt, response)]


@cases(
    ("text", "encoding"),
    [
        ("Où est le café ?", "mac-roman"),
        ("Müde Füße stehen still.", "latin-1"),
        ("Почему небо голубое сегодня?", "windows-1251"),
        ("Почему небо голубое сегодня?", "koi8-r"),
        ("Γιατί ο ουρανός είναι γαλάζιος;", "windows-1253"),
        ("ทำไมท้องฟ้าจึงเป็นสีฟ้า", "cp874"),
        ("למה השמיים כחולים?", "windows-1255"),
        ("天空", "gb18030"),  # too few to be sure
    ],
)
def test_any_other_encoding_is_asked_and_the_right_one_is_offered(text: str, encoding: str) -> None:
    with pytest.raises(ChoiceNeeded) as caught:
        mapped(f"id,prompt,response\na,{text},r\n".encode(encoding))
    assert any(text[:8] in option.sample for option in caught.value.options[:8])


def test_a_proof_that_a_later_byte_refutes_is_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "FIRST", 200)
    prompt, response = TEXTS["gb18030"]
    rows = "".join(f"{number},{prompt},{response}\n" for number in range(20))
    with pytest.raises(ChoiceNeeded):
        mapped(f"id,prompt,response\n{rows}".encode("gb18030") + b"x,\xff\xff,r\n")


@cases(
    ("file", "encoding", "said"),
    [
        (b"", "", 'is empty; write a header with "id", "prompt" and "response", and a row for each response'),
        (b"id,prompt,response\na,b,\x81\n", "windows-1252", "was read as Windows-1252 (Western Europe), but byte 24 does not fit; choose another encoding"),
        ("id\n".encode("utf-16-le") + b"\x00\xd8a\x00", "", "was read as UTF-16 (little end first), but byte 7 does not fit; choose another encoding"),
        ("id".encode("utf-32"), "", "is UTF-32; save it as UTF-8"),
        (b"caf\xe9,id\na,b\n", "utf-8", 'is not UTF-8 in its header ("caf\\xe9"); save the file as UTF-8, or choose another encoding, by “Encoding” on the page or by --encoding'),
        (b"id,prompt,response,a,a\n", "", 'has the column "a" twice in its header; rename one of them'),
        (b"id,\x00\xff\xfe\xfa\n", "", "is neither text nor of another format that is read"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_of_items_is_refused_as_a_whole(
    file: bytes, encoding: str, said: str
) -> None:
    assert unreadable(file, encoding=encoding) == said


# --- the names of columns ---


def names_in(
    text: str, name: str = "items.csv", **options: Any
) -> tuple[list[str], list[int], list[str]]:
    """Return the names of columns, the lines of the rows, and what is proposed by the file."""
    with open_file(io.BytesIO(text.encode()), name, ReadingOptions(**options)) as source:
        rows = list(source.rows())
        content = next(row.content for row in rows if not isinstance(row.content, LineError))
        return list(content), [row.line for row in rows], list(source.guesses)


SECOND = ["The names of columns are in line 2; the row above it is left out."]
TWO = ["The names of columns are in two rows, the lower one is line 2."]
TEXT = "a text of some length as people write them when they answer at all"


@cases(
    ("rows", "names", "guesses"),
    [
        # The first row, whatever its names.
        (["id,prompt,response", "a,p,r", "b,p,r"], ["id", "prompt", "response"], []),
        (["item,1,2,3", "i1,4,5,3", "i2,3,3,4"], ["item", "1", "2", "3"], []),
        (["When asked: how fluent is it?,Anna", "4,5", "3,3"], ["When asked: how fluent is it?", "Anna"], []),
        ([",prompt,response", "0,yes,no", "1,no,no"], ["column 1", "prompt", "response"], []),
        (["id,prompt,,note", "a,p,x,n", "b,p,x,n"], ["id", "prompt", "column 3", "note"], []),
        (["id,prompt,,", "a,p,,x", "b,p,y,"], ["id", "prompt", "column 3", "column 4"], []),
        # Below a title.
        (["Study of replies 2024,,", "id,prompt,response", f"1,{TEXT},x", f"2,{TEXT},y"], ["id", "prompt", "response"], SECOND),
        (["Study of replies 2024", "id,prompt,response", f"1,{TEXT},x", f"2,{TEXT},y"], ["id", "prompt", "response"], SECOND),
        # In two rows: people above dimensions, and what is merged in a sheet.
        ([",,Anna,,Ben,", "id,text,fluent,clear,fluent,clear", f"i1,{TEXT},1,2,3,4", f"i2,{TEXT},1,1,3,4"], ["id", "text", "Anna_fluent", "Anna_clear", "Ben_fluent", "Ben_clear"], TWO),
        (["id,text,Anna,,Ben,", ",,fluent,clear,fluent,clear", f"i1,{TEXT},1,2,3,4", f"i2,{TEXT},1,1,3,4"], ["id", "text", "Anna_fluent", "Anna_clear", "Ben_fluent", "Ben_clear"], TWO),
        (["id,text,fluent,,clear,", ",,1,2,1,2", f"i1,{TEXT},1,2,3,4", f"i2,{TEXT},1,1,3,4"], ["id", "text", "fluent_1", "fluent_2", "clear_1", "clear_2"], TWO),
    ],
)  # fmt: skip
def test_the_first_full_row_has_the_names(
    rows: list[str], names: list[str], guesses: list[str]
) -> None:
    found, lines, proposed = names_in("\n".join(rows) + "\n")
    assert (found, proposed) == (names, guesses)
    assert lines[0] == 2 + len(guesses)


@cases(
    "rows",
    [
        ["1,What is the sky?,Blue", "2,What is grass?,Green", "3,What is snow?,White"],
        ["q1,a1", "q2,a2", "q3,a3", "q4,a4"],
        ["gpt,hello to all of you", "claude,and to you", "gpt,never mind", "gpt,so long"],
        [f"{TEXT} one,{TEXT} two", f"{TEXT} three,{TEXT} four", f"{TEXT} five,{TEXT} six"],
        ["prompt,", "hi,ho", "he,ha"],  # a name, or a title
    ],
)
def test_a_first_row_that_may_be_no_header_is_asked(rows: list[str]) -> None:
    with pytest.raises(ChoiceNeeded) as caught:
        names_in("\n".join(rows) + "\n")
    assert caught.value.field == "header"
    assert [option.value for option in caught.value.options][:2] == ["1", "2"]
    assert caught.value.options[-1].value == "0"


LEGEND = 'a running number,what was asked,what the model said,"1 = bad, 5 = good",initials'
RATED = [f"{number},{TEXT} {number},{TEXT},{number % 5},{'AB'[number % 2]}" for number in range(5)]
NAMED = [f"q{row.replace(TEXT, f'{TEXT} {number}')}" for number, row in enumerate(RATED, start=1)]


def test_a_row_in_words_above_numbers_is_left_out_and_said() -> None:
    header = "id,prompt,response,helpful,rater"
    names = header.split(",")
    said = "The row in line {} tells of the columns, and is left out."
    below = [header, LEGEND, *RATED]
    assert names_in("\n".join(below)) == (names, [3, 4, 5, 6, 7], [said.format(2)])
    title = "Study of replies 2024,,,,"
    both = f"{SECOND[0]} {said.format(3)}"
    assert names_in("\n".join([title, *below])) == (names, [4, 5, 6, 7, 8], [both])


@cases("legend", ["which item,asked,said,how helpful,initials", "item,asked,said,from 0 to 4,name"])
def test_a_row_that_tells_of_most_columns_or_of_a_scale_is_left_out(legend: str) -> None:
    below = ["id,prompt,response,helpful,rater", legend, *NAMED]
    assert names_in("\n".join(below))[1] == [3, 4, 5, 6, 7]


@cases(
    "first",
    [
        "new,Why so?,It is.,did not answer,Carla",
        "new,Why so?,It is.,3 or 4,Carla",
        "new,Why so?,It is.,4 = nearly good,Carla",
    ],
)
def test_a_rated_row_with_a_remark_for_its_score_is_never_left_out(first: str) -> None:
    below = ["id,prompt,response,helpful,rater", first, *NAMED]
    assert names_in("\n".join(below))[1:] == ([2, 3, 4, 5, 6, 7], [])


@cases(
    "first",
    [
        f"0,{TEXT} x,{TEXT},did not answer,A",  # a remark in place of a score
        f"x,{TEXT} x,{TEXT},very good,A",
        "a number,what,said,1 = bad,",  # not of each column
    ],
)
def test_a_row_that_resembles_those_below_it_is_no_legend(first: str) -> None:
    header = "id,prompt,response,helpful,rater"
    assert names_in("\n".join([header, first, *RATED]))[1:] == ([2, 3, 4, 5, 6, 7], [])


def test_rows_that_tell_of_the_columns_are_left_out_and_said() -> None:
    imported = '"{""ImportId"":""a""}","{""ImportId"":""b""}"'
    text = f"ResponseId,Q1\nResponse ID,How fluent?\n{imported}\nR_1,4\nR_2,5\n"
    assert names_in(text) == (
        ["ResponseId", "Q1"],
        [4, 5],
        ["The rows from line 2 to 3 tell of the columns, and are left out."],
    )


def test_the_row_of_names_can_be_chosen() -> None:
    text = "About\n\nid,prompt\n1,p\n"
    assert names_in(text, header=3) == (["id", "prompt"], [4], [])
    assert names_in("1,p\n2,q\n", header=0) == (["column 1", "column 2"], [1, 2], [])
    groups = ",Anna,Ben\nid,clear,clear\n1,2,3\n"
    assert names_in(groups, header=2)[0] == ["id", "Anna_clear", "Ben_clear"]
    with pytest.raises(Unreadable, match=r"^has no names of columns in line 2; choose another"):
        names_in(text, header=2)


@cases(
    ("text", "delimiter"),
    [
        ("id;prompt;response\na;one, two;three, four\nb;five, six;seven, eight\n", ";"),
        ("id\tprompt\na\tone; two\nb\tthree; four\n", "\t"),
        ("Study of replies\nid|prompt|r\n1|a, b|x\n2|c, d|y\n", "|"),
        ("id,prompt\na,x; y; z\nb,x; y; z\n", ","),
    ],
)
def test_the_delimiter_splits_all_rows_alike_the_first_one_too(text: str, delimiter: str) -> None:
    with open_file(io.BytesIO(text.encode()), "items.csv") as source:
        assert source.proposals["delimiter"] == delimiter


def test_the_delimiter_can_be_told() -> None:
    assert names_in("a,b;c\n1,2;3\n4,5;6\n", delimiter=";")[0] == ["a,b", "c"]


def test_errors_of_formulas_are_told() -> None:
    with open_file(io.BytesIO(b"id,prompt\na,#NAME?\nb,#NAME?\n"), "items.csv") as source:
        first, _second = source.rows()
        assert first.content == {"id": "a", "prompt": "#NAME?"}
        assert source.remarks == ["2 cells are errors of formulas (#NAME?), the first in line 2."]


@cases("name", ["items.csv", "items.xls", "items.html"])
@cases("start", ["<html><table>", "\n<!DOCTYPE html>\n<html>", "<table border=1>"])
def test_a_web_page_is_refused_by_name_whatever_it_is_called(name: str, start: str) -> None:
    assert unreadable(f"{start}<tr><td>id</td></tr>".encode(), name) == (
        "is a web page (HTML), whatever its name; open it in a spreadsheet, and save it as XLSX"
    )


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
            "[{'role': 'S1', 'text': 'hi'}]",
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


def test_in_a_text_that_begins_with_a_word_for_a_speaker_a_turn_has_several_lines() -> None:
    history = "user: hi\nwell\n\nassistant: yes\n\nS1: no"
    found = only_item(table(["id", "history", "response"], ["a", history, "r"]))
    turns = [(turn.role, turn.text) for turn in found.messages]
    assert turns == [("user", "hi\nwell"), ("assistant", "yes\n\nS1: no")]


@pytest.mark.parametrize(
    "history", ["Kim: hi\nTom: yes\nKim: well", "Ian: hi\nGuest: yes\nIan: well"]
)
def test_a_name_that_begins_as_a_short_word_for_a_speaker_is_none(history: str) -> None:
    found = only_item(table(["id", "history", "response"], ["a", history, "r"]))
    assert [turn.text for turn in found.messages] == history.splitlines()


@pytest.mark.parametrize("line", ["It is A.", "B it is"])
def test_the_one_letter_beside_one_word_for_a_speaker_is_who_answers(line: str) -> None:
    history = f"User: Which?\nA: {line}\nUser: Why?"
    found = only_item(table(["id", "history", "response"], ["a", history, "r"]))
    turns = [(turn.role, turn.text) for turn in found.messages]
    assert turns == [("User", "Which?"), ("A", line), ("User", "Why?")]


def test_several_letters_beside_one_word_for_a_speaker_are_its_options() -> None:
    history = "User: Which?\nA: this\nB: that"
    found = only_item(table(["id", "history", "response"], ["a", history, "r"]))
    assert [turn.text for turn in found.messages] == ["Which?\nA: this\nB: that"]


@pytest.mark.parametrize("history", ["S1: hi\nwell\nS2: yes", "hm\nS1: x", "S1: x\n\nS2: y"])
def test_where_some_lines_say_who_speaks_all_must(history: str) -> None:
    error = only_error(table(["id", "history", "response"], ["a", history, "r"]))
    assert (error.column, error.item) == ("history", "a")
    assert "and has one in another" in str(error.reason)


# --- rows that cannot be read ---


def test_a_line_of_dashes_below_the_names_is_an_error_not_an_item() -> None:
    text = b"| id | prompt | response |\n|:---|--------|---------:|\n| -- | Why? | So. |\n"
    with open_file(io.BytesIO(text), "items.csv") as source:
        dashes, item = [row.content for row in source.rows()]
    assert str(dashes).startswith('line 2: is a line of dashes ("---------:"); take it out')
    assert not isinstance(item, LineError)


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
