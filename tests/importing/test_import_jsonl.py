"""JSON lines in: what is taken and how, what is refused in which words; and that nothing changes on the way."""
# ruff: noqa: E501 - the tables below have a line for each case

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, strategies as st

from rubrics.judging.parts import Turn
from tasks.importing.batches import loading, staging
from tasks.importing.batches.loading import BadLines, FileToLoad, Load, UploadRefused, load_batch
from tasks.importing.columns.items import NewItem, NewResponse, item_of
from tasks.importing.files import json_lines
from tasks.importing.files.json_lines import JsonLines
from tasks.importing.files.readers import recognise
from tasks.importing.files.rows import LineError, Unreadable
from tasks.models import Batch, Item, Project, Response
from tests.cases import cases

from ..factories import (
    NOW,
    make_item,
    make_project,
    make_rubric,
    make_user,
)
from .import_steps import (
    JSON,
    Outcome,
    item,
    lines,
)


def mapped(file: bytes) -> list[NewItem | LineError]:
    return list(map(item_of, JsonLines(io.BytesIO(file)).rows()))


def only_item(content: object) -> NewItem:
    (found,) = mapped(lines(content))
    assert isinstance(found, NewItem), found
    return found


def only_error(file: bytes) -> LineError:
    (found,) = mapped(file)
    assert isinstance(found, LineError), found
    return found


def load(project: Project, file: bytes, **options: Any) -> Load:
    usual: dict[str, Any] = {"file_name": "items.jsonl", "now": NOW, "report": lambda error: None}
    return load_batch(FileToLoad(project, io.BytesIO(file), **usual | options))


@contextmanager
def refused(message: str) -> Iterator[None]:
    with pytest.raises(UploadRefused) as caught:
        yield
    assert str(caught.value) == message


# --- shapes ---


def test_a_prompt_is_one_turn_of_the_user() -> None:
    assert only_item(item(prompt=" Why? ")).messages == (Turn("user", " Why? "),)


@pytest.mark.parametrize("column", ["messages", "history"])
@pytest.mark.parametrize("key", ["content", "text"])
def test_messages_are_roles_and_texts(column: str, key: str) -> None:
    turns = [{"role": "system", key: "Be kind."}, {"role": "user", key: ""}]
    found = only_item(item(prompt=None, **{column: turns}))
    assert found.messages == (Turn("system", "Be kind."), Turn("user", ""))


def test_content_in_parts_of_type_text_is_put_together_with_nothing_between() -> None:
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "\ntwo"}]
    found = only_item(item(prompt=None, messages=[{"role": "user", "content": parts}]))
    assert found.messages == (Turn("user", "one \ntwo"),)


@pytest.mark.parametrize(
    "history", [["hi", "hello", "how are you?"], "hi\nhello\r\nhow are you?\n"]
)
def test_plain_lines_are_said_in_turn_and_the_last_is_what_the_responses_answer(
    history: object,
) -> None:
    assert only_item(item(prompt=None, history=history)).messages == (
        Turn("user", "hi"),
        Turn("assistant", "hello"),
        Turn("user", "how are you?"),
    )


def test_an_item_may_have_an_empty_history() -> None:
    assert only_item(item(prompt=None, history=[])).messages == ()


@pytest.mark.parametrize("persona", [["i bake.", "i row."], "i bake.\ni row.\n"])
def test_a_persona_is_a_list_or_a_text_of_lines(persona: object) -> None:
    assert only_item(item(persona=persona)).persona == ("i bake.", "i row.")


def test_an_item_has_one_response_or_several_with_models() -> None:
    assert only_item(item()).responses == (NewResponse("", "Because."),)
    assert only_item(item(model="m")).responses == (NewResponse("m", "Because."),)
    several = [{"model": "m", "text": "A"}, {"model": "m", "response": ""}, {"text": "C"}]
    assert only_item(item(response=None, responses=several)).responses == (
        NewResponse("m", "A"),
        NewResponse("m", ""),
        NewResponse("", "C"),
    )


def test_unknown_keys_and_the_entries_of_meta_are_metadata() -> None:
    found = only_item(
        item(
            lang="en",
            trailing=[],
            score=1.5,
            nothing=None,
            meta={"prompt_id": "p1", "deep": {"a": [1]}},
        )
        | {"nothing": None}
    )
    assert found.metadata == {
        "lang": "en",
        "trailing": [],
        "score": 1.5,
        "nothing": None,
        "prompt_id": "p1",
        "deep": {"a": [1]},
    }
    assert only_item(item(meta="a text")).metadata == {"meta": "a text"}
    # Beside `responses`, which name their models, `model` says something else.
    several = item(response=None, responses=[{"text": "A"}], model="judge")
    assert only_item(several).metadata == {"model": "judge"}


def test_null_is_as_good_as_absent() -> None:
    content = item() | {
        "system": None,
        "persona": None,
        "responses": None,
        "messages": None,
        "model": None,
    }
    found = only_item(content)
    assert (found.system, found.persona, found.responses[0].model) == ("", (), "")
    assert found.metadata == {}


def test_byte_order_mark_crlf_and_blank_lines_change_nothing() -> None:
    plain = lines(item(), item(id="b"))
    odd = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n  \n") + b"\n"
    kept = [
        (entry.external_id, entry.messages) for entry in mapped(plain) if isinstance(entry, NewItem)
    ]
    assert [(e.external_id, e.messages) for e in mapped(odd) if isinstance(e, NewItem)] == kept
    assert [entry.line for entry in mapped(odd)] == [1, 3]


def test_a_line_ends_at_a_line_feed_and_nowhere_else() -> None:
    text = "a\u2028b\u2029c\x85d"
    assert only_item(item(prompt=text)).messages[0].text == text
    raw = json.dumps(item(prompt=text), ensure_ascii=False).encode()
    (found,) = mapped(raw)
    assert isinstance(found, NewItem)
    assert found.messages[0].text == text


# --- errors, in words ---

WRONG = [
    (item(response=None), '"responses" is missing; give "response" (a text) or "responses" (a list of {model, text})'),
    (item(response=None, responses=[]), '"responses" is empty ([]); give one response at least, or leave the item out'),
    (item(response=True), '"response" is true or false, not a text (true); write a text, in quotes'),
    (item(prompt=5), '"prompt" is a number, not a text (5); write a text, in quotes'),
    (item(prompt=None), '"prompt" is missing; give one of "prompt" (a text), "messages" and "history" (lists)'),
    (item(messages=[]), '"messages" appears beside "prompt" ([]); keep one of them'),
    (item(responses=[]), '"responses" appears beside "response" ([]); keep one of them'),
    (item(id=None), '"id" is missing; give every item an id of its own, a text'),
    (item(id=7.0), '"id" is a number, not a text or a whole number (7.0); write a text, in quotes'),
    (item(id=True), '"id" is true or false, not a text or a whole number (true); write a text, in quotes'),
    (item(id=["a"]), '"id" is a list, not a text or a whole number (["a"]); write a text, in quotes'),
    (item(id=" "), '"id" is blank (" "); give every item an id of its own'),
    (item(id="x" * 501), f'"id" is 501 characters long ("{"x" * 60}"…); use 500 at most'),
    (item(system=[]), '"system" is a list, not a text ([]); write a text, in quotes'),
    (item(persona={}), '"persona" is an object, not a list of lines ({}); write a list of texts'),
    (item(persona=["a", 1]), '"persona[1]" is a number, not a text (1); write a text, in quotes'),
    (item(model=1), '"model" is a number, not a text (1); write a text, in quotes'),
    (item(response=None, responses="x"), '"responses" is a text, not a list ("x"); write a list of {model, text}'),
    (item(response=None, responses=["x"]), '"responses[0]" is a text, not an object ("x"); write {model, text}'),
    (item(response=None, responses=[{"model": "m"}]), '"responses[0].text" is missing; give "text", a text'),
    (
        item(response=None, responses=[{"text": "a"}, {"text": None}]),
        '"responses[1].text" is null, not a text; write a text, in quotes',
    ),
    (
        item(response=None, responses=[{"text": "a", "logprobs": [1]}]),
        '"responses[0].logprobs" can’t be shown here ([1]); remove it, or put it next to the item’s id, where it '
        "is kept as metadata",
    ),
    (
        item(prompt=None, messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]),
        '"messages[0].content[0].type" is no text and can’t be shown ("image_url"); take the item out, or describe '
        "the part as text",
    ),
    (
        item(prompt=None, messages=[{"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}]),
        '"messages[0].tool_calls" can’t be shown here ([{"id": "1"}]); remove it, or put it next to the item’s '
        "id, where it is kept as metadata",
    ),
    (
        item(prompt=None, messages=[{"content": "x"}]),
        '"messages[0].role" is missing; say who speaks, such as "user" or "assistant"',
    ),
    (item(prompt=None, messages={"role": "user"}), None),
    (item(prompt=None, history=["a", {"role": "user", "text": "b"}]), None),
    (item(prompt=None, history="a\n\nb"), None),
    (item(prompt="a\0b"), '"prompt" holds the character NUL (U+0000) ("a\\u0000b"); take it out, the database can’t hold it'),
    (
        item(prompt="a\ud83d!"),
        '"prompt" holds half a character (the lone surrogate U+D83D) ("a\\ud83d!"); write the whole character',
    ),
    (item(meta={"k": ["\0"]}), None),
    (item(**{"k\0": 1}), None),
    (item(**{"k\udc00": 1}), None),
    (item(deep=json.loads("[" * 20 + "]" * 20)), '"deep' + "[0]" * 16 + '" is nested more than 16 levels deep; flatten it, or write it as a text'),
    (item(lang="en", meta={"lang": "de"}), '"lang" is both beside "meta" and in it ("de"); rename one of them'),
    (["a"], 'is not a JSON object (["a"]); write one JSON object a line'),
    (5, "is not a JSON object (5); write one JSON object a line"),
]  # fmt: skip


@cases(("content", "said"), WRONG)
def test_a_line_that_cannot_be_taken_is_named_with_place_value_reason_and_advice(
    content: object, said: str | None
) -> None:
    error = only_error(lines(content))
    assert said is None or str(error) == f"line 1: {said}"
    str(error).encode()  # whatever the line held, what is said of it can be printed


@cases(
    ("line", "said"),
    [
        (b"{", 'is not JSON at character 3: expected a key in double quotes ("{")'),
        (
            b'{"id": "a" "prompt": 1}',
            "is not JSON at character 12: expected a comma or a closing bracket",
        ),
        (b'{"id": "a", "id": "b"}', '"id" appears twice in one object ("b"); keep one of them'),
        (
            b'{"id": "a", "meta": {"x": {"k": 1, "k": 1}}}',
            '"k" appears twice in one object (1); keep one',
        ),
        (
            b'{"x": 1e999}',
            "holds a number that is too large (1e999); write it as a text, in quotes",
        ),
        (
            b'{"x": ' + b"1" * 5000 + b"}",
            "holds a number of too many digits; write it as a text, in quotes",
        ),
        (b'{"x": ' + b"[" * 100_000 + b"}", "is nested too deeply; flatten it"),
        (b'{"id": "caf\xe9"}', 'is not UTF-8 ("{\\"id\\": \\"caf\\xe9\\"}'),
        (
            b'{"id": "a\0"}',
            "is not JSON at character 10: a text holds the control character U+0000",
        ),
        (b'{"id": "a', "is not JSON at character 10: a text is not closed in its line"),
    ],
)
def test_a_line_of_no_json_is_reported(line: bytes, said: str) -> None:
    assert said in str(only_error(line + b"\n"))


def test_a_text_that_the_end_of_the_file_cuts_off_is_said_to_be_open() -> None:
    assert "is not JSON at character 8: a text is not closed in its line" in str(
        only_error(b'{"id": "a')
    )


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("{}".encode("utf-32"), "is UTF-32; save it as UTF-8"),
        (b"\xd0\xcf\x11\xe0", "is an old workbook, or one that is locked by a password; save it"),
    ],
)
def test_a_file_of_another_kind_is_refused_as_a_whole(file: bytes, said: str) -> None:
    with (
        pytest.raises(Unreadable, match=re.escape(said)),
        recognise(io.BytesIO(file), "items.jsonl"),
    ):
        pass


def test_a_line_too_long_is_passed_over_and_the_next_one_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_ROW", 100)
    exact = json.dumps(item()).encode()
    exact += b" " * (99 - len(exact)) + b"\n"
    found = mapped(exact + lines(item(prompt="x" * 350), item(id="b")))
    assert [type(entry) for entry in found] == [NewItem, LineError, NewItem]
    assert str(found[1]) == "line 2: is longer than 100 bytes; make several items of it"


@given(st.binary() | st.binary().map(lambda tail: b'{"id": "a", "prompt": ' + tail + b"}"))
def test_any_line_of_bytes_is_an_item_or_a_printable_error(file: bytes) -> None:
    for entry in mapped(file):
        if isinstance(entry, LineError):
            str(entry).encode()


@given(
    st.dictionaries(
        st.sampled_from(
            ["id", "prompt", "messages", "history", "persona", "response", "responses", "meta", "x"]
        ),
        JSON,
    )
)
def test_any_object_of_json_is_an_item_or_an_error(content: dict[str, Any]) -> None:
    (found,) = mapped(lines(content))
    if isinstance(found, NewItem):
        assert found.external_id == content["id"]


# --- into the tables ---


def test_a_file_becomes_a_batch_of_items_with_their_responses_in_its_order(
    project: Project,
) -> None:
    lead = make_user()
    content = item(
        id="a",
        persona=["p"],
        system="s",
        context="c",
        reference="r",
        source="o",
        lang="en",
        model="m",
    )
    file = lines(content, item(id="b", response=None, responses=[{"text": "1"}, {"text": "2"}]))
    loaded = load(project, file, by=lead, file_name="C:\\fakepath/items.jsonl", batch_name="first")
    assert (loaded.items, loaded.responses) == (2, 3)
    batch = Batch.objects.get()
    assert (
        batch.name,
        batch.position,
        batch.file_name,
        batch.created_by,
        batch.created_at,
        batch.status,
    ) == (
        "first",
        0,
        "items.jsonl",
        lead,
        NOW,
        "open",
    )
    first, second = Item.objects.all()
    assert (first.project, first.batch, first.external_id, first.position, first.counted) == (
        project,
        batch,
        "a",
        0,
        0,
    )
    assert (first.persona, first.messages) == (["p"], [{"role": "user", "text": "Why?"}])
    assert (first.system, first.context, first.reference, first.source) == ("s", "c", "r", "o")
    assert first.metadata == {"lang": "en"}
    assert list(first.responses.values_list("project", "position", "model", "text")) == [
        (project.pk, 1, "m", "Because.")
    ]
    assert list(second.responses.values_list("position", "text")) == [(1, "1"), (2, "2")]


def test_rows_made_one_by_one_go_on_behind_those_loaded(project: Project) -> None:
    load(project, lines(item()))
    made = make_item(project=project)
    assert made.pk > Item.objects.get(external_id="a").pk


def test_with_one_bad_line_nothing_is_loaded_and_every_bad_line_is_reported_in_order(
    project: Project,
) -> None:
    file = lines(
        item(id="a"),
        item(id="b"),
        item(id="c"),
        item(response=None),
        item(id="a", prompt="Who?"),
        5,
        item(id="f"),
        item(id="b", lang="en"),
    )
    seen: list[LineError] = []
    with refused("items.jsonl: 4 rows can’t be loaded, so nothing was loaded"):
        load(project, file, report=seen.append)
    assert [error.line for error in seen] == [4, 5, 6, 8]
    assert str(seen[1]) == (
        'line 5: "prompt" differs from line 1, which has the same id ("Who?"); rows with the same id are one '
        "item: give them the same item data, or give each row its own id"
    )
    assert not Batch.objects.exists()
    assert not Item.objects.exists()
    assert not Response.objects.exists()


def test_an_id_that_the_project_has_is_refused_naming_the_batch(project: Project) -> None:
    load(project, lines(item()), batch_name="first")
    seen: list[LineError] = []
    with pytest.raises(BadLines):
        load(
            project,
            lines(item(id="b"), item(prompt="anew")),
            batch_name="second",
            report=seen.append,
        )
    assert [str(error) for error in seen] == [
        'line 2: "id" is already in the project, in batch “first” ("a"); give every item an id of its own in the '
        "project"
    ]
    # Another project may have it.
    assert load(make_project(), lines(item())).items == 1


def test_the_ids_of_a_closed_batch_stay_taken_and_it_is_named(project: Project) -> None:
    load(project, lines(item(), item(id="b")), batch_name="old").batch.change(status="closed")
    outcome = Outcome(project, lines(item(id="c"), item(prompt="anew")), "items.jsonl", True)
    assert outcome.said == [
        'line 2: "id" is already in the project, in batch “old” ("a"); give every item an id of its own in the '
        "project"
    ]
    assert {each.external_id for each in project.items.all()} == {"a", "b", "c"}


def test_the_same_file_twice_is_refused_naming_the_batch_and_so_is_a_name_twice(
    project: Project,
) -> None:
    load(project, lines(item()), batch_name="first")
    with refused("items.jsonl is already in the project, as batch “first” of 2 Mar 2026."):
        load(project, lines(item()), batch_name="second")
    with refused(
        "A batch “first” is already in the project; choose another name, by “Name of the batch” on the page or by --batch."
    ):
        load(project, lines(item(id="b")), batch_name="first")


@pytest.mark.parametrize("file", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
def test_a_file_without_items_is_refused(project: Project, file: bytes) -> None:
    with refused("items.jsonl holds no items; write one JSON object a line."):
        load(project, file)


def test_a_file_of_another_format_is_refused(project: Project) -> None:
    with refused(
        "items.doc is of a format that is not read; allowed are .csv, .tsv, .tab, .txt, .jsonl, .ndjson, .json, .gz, .tgz, .tar, .zip, .xlsx, .parquet, .eval"
    ):
        load(project, b"What?", file_name="items.doc")


def test_more_names_of_metadata_than_an_export_has_columns_are_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MOST_NAMES", 3)
    too_many = (
        "items.jsonl gives the project more than 3 metadata names. Each one becomes a column of the export; group "
        "some of them in one object."
    )
    load(project, lines(item(a="1", b="2"), item(id="b", c="3")))
    with refused(too_many):
        load(project, lines(item(id="c", d="4")), batch_name="second")
    with refused(too_many):
        load(make_project(), lines(item(w="1", x="2"), item(id="b", y="3", z="4")))
    assert load(project, lines(item(id="c", a="4")), batch_name="second").items == 1


def test_loading_takes_the_same_queries_for_one_item_and_for_many(project: Project) -> None:
    def count(file: bytes, name: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            load(project, file, batch_name=name)
        return len(queries)

    load(project, lines(item(id="0")))
    one = count(lines(item(id="1")), "one")
    assert count(lines(*(item(id=f"many {n}") for n in range(300))), "many") == one


def test_after_many_items_the_planner_is_told(
    project: Project, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(loading, "MANY", 3)
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        load(project, lines(item(id="1"), item(id="2")))
    assert callbacks == []
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        load(project, lines(item(id="3"), item(id="4"), item(id="5")), batch_name="many")
    assert len(callbacks) == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'tasks_item'")
        assert cursor.fetchone() == (5,)


def test_a_load_fills_every_column_of_an_item_that_the_database_does_not() -> None:
    dropped = {"dropped", "dropped_by_id", "dropped_at", "dropped_why"}
    by_the_database = {"reserved", "group", "imported", *dropped}
    of_the_batch = {"id", "project_id", "batch_id", "position", "wanted", "counted"}
    assert {field.column for field in Item._meta.concrete_fields} == {
        *staging.ITEM_TEXTS,
        *of_the_batch,
        *by_the_database,
    }


# --- the command ---


def command(*arguments: object) -> str:
    out = io.StringIO()
    call_command("import_batch", *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "first.items.jsonl"
    path.write_bytes(lines(item(), item(id="b")))
    return path


def test_the_command_loads_a_file_and_says_what_came_in(project: Project, file: Path) -> None:
    assert command("eggs", file) == 'Batch "first.items": 2 items, 2 responses.\n'
    assert Batch.objects.get().created_by is None


def test_the_command_says_it_in_json_too(project: Project, file: Path) -> None:
    said = command("eggs", file, "--json", "--batch", "mine")
    assert json.loads(said) == {"batch": "mine", "items": 2, "responses": 2, "bad_rows": 0}


def test_the_command_makes_a_project_where_it_is_told_to(db: None, file: Path) -> None:
    make_rubric(slug="dialogue")
    command("q", file, "--create", "--rubric", "dialogue", "--wanted", 2)
    made = Project.objects.get()
    assert (made.slug, made.rubric.slug, made.wanted, made.items.count()) == ("q", "dialogue", 2, 2)
    other = file.with_name("second.jsonl")
    other.write_bytes(lines(item(id="c")))
    command("q", other, "--create", "--rubric", "dialogue", "--wanted", 2)
    assert made.items.count() == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["q"], 'There is no project "q"; --create --rubric SLUG makes it.'),
        (["q", "--create"], "--create needs --rubric; there are: response-quality."),
        (
            ["q", "--create", "--rubric", "x"],
            'There is no rubric "x"; there are: response-quality.',
        ),
        (["q r", "--create", "--rubric", "response-quality"], 'A project cannot be named "q r"'),
        (["new", "--create", "--rubric", "response-quality"], 'A project cannot be named "new"'),
        (
            ["q", "--create", "--rubric", "response-quality", "--wanted", "0"],
            "--wanted is 0; it goes from 1 to",
        ),
        (["eggs", "--wanted", "2"], "--rubric, --wanted and --lead are of use with --create only."),
        (["eggs", "--lead", "lea"], "--rubric, --wanted and --lead are of use with --create only."),
        (
            ["eggs", "--create", "--wanted", "3"],
            'Project "eggs" is there already, with rubric "response-quality", 2 wanted and nobody as lead; leave out',
        ),
    ],
)
def test_the_command_says_what_is_wrong_with_its_arguments(
    project: Project, file: Path, arguments: Iterable[str], said: str
) -> None:
    name, *options = arguments
    with pytest.raises(CommandError) as caught:
        command(name, file, *options)
    assert str(caught.value).startswith(said)
    assert Project.objects.get() == project


def test_a_file_that_is_refused_leaves_no_project_behind(db: None, file: Path, capsys: Any) -> None:
    make_rubric()
    file.write_bytes(lines(item(), item(response=True), item(id=[])))
    out = io.StringIO()
    with pytest.raises(CommandError, match="2 rows can’t be loaded"):
        call_command(
            "import_batch",
            "q",
            file,
            "--create",
            "--rubric",
            "response-quality",
            "--json",
            stdout=out,
        )
    assert json.loads(out.getvalue()) == {"batch": None, "items": 0, "responses": 0, "bad_rows": 2}
    assert capsys.readouterr().err.splitlines() == [
        'first.items.jsonl, line 2: "response" is true or false, not a text (true); write a text, in quotes',
        'first.items.jsonl, line 3: "id" is a list, not a text or a whole number ([]); write a text, in quotes',
    ]
    assert not Project.objects.exists()


def test_a_file_that_is_not_there_is_named(project: Project, file: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere\.jsonl: No such file or directory\."):
        command("eggs", file.with_name("nowhere.jsonl"))
