"""What `manage.py import_batch` does at a terminal: a bar, Ctrl-C, the lead of a new project."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction

from tasks.importing.columns.sample import ROWS
from tasks.management.commands import import_batch
from tasks.models import Batch, Item, Project
from tasks.models.loads import is_alone

from ..factories import (
    make_rubric,
    make_user,
)
from ..waiting import (
    LONGEST,
    until_one_waits_for_us,
)
from .import_steps import (
    item,
    lines,
    pass_rows,
)

CREATE = ("--create", "--rubric", "response-quality")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "heard.jsonl"
    path.write_bytes(lines(*(item(id=f"{number}") for number in range(6))))
    return path


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def command(*arguments: object, err: io.StringIO | None = None) -> str:
    out = io.StringIO()
    call_command(
        "import_batch", *map(str, arguments), stdout=out, stderr=err or io.StringIO(), no_color=True
    )
    return out.getvalue()


# --- the bar ---


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What is in the list passes before each row."""
    passing: list[float] = []
    now = [100.0]

    def monotonic() -> float:
        return now[0]

    def slowly(entries: Iterable[Any]) -> Iterator[Any]:
        for entry in entries:
            now[0] += passing.pop(0) if passing else 0
            yield entry

    pass_rows(monkeypatch, slowly)
    monkeypatch.setattr(import_batch, "monotonic", monotonic)
    return passing


def drawn(file: Path, err: io.StringIO) -> list[tuple[int, float, float, int]]:
    """What stands on the line in turn: filled places of 24, MB read, MB in all, rows."""
    command("eggs", file, err=err)
    start, *looks, end = err.getvalue().split("\r\x1b[K")
    assert (start, end) == ("", "")
    found = [
        re.fullmatch(r"\[(#*)-*\] ([\d.]+) of ([\d.]+) MB, (\d+) rows?", look) for look in looks
    ]
    return [(len(m[1]), float(m[2]), float(m[3]), int(m[4])) for m in found if m]


def test_a_bar_shows_how_much_is_read_and_is_gone_at_the_end(
    project: Project, file: Path, seconds: list[float]
) -> None:
    with file.open("ab") as opened:
        opened.write(lines(item(id="long", context="x" * 2**21), item(id="end")))
    seconds += [1] * 8
    looks = drawn(file, Terminal())
    assert [rows for _places, _read, _size, rows in looks] == [*range(1, 9)]
    assert looks[0][:3] == (0, 0.0, 2.0)
    assert looks[-1][:3] == (24, 2.0, 2.0)


def test_the_bar_is_drawn_a_few_times_a_second_at_most(
    project: Project, file: Path, seconds: list[float]
) -> None:
    seconds += [1, 0.2, 0.2]
    assert [rows for _places, _read, _size, rows in drawn(file, Terminal())] == [1, 3]


def test_there_is_no_bar_where_there_is_no_terminal(project: Project, file: Path) -> None:
    err = io.StringIO()
    command("eggs", file, err=err)
    assert err.getvalue() == ""


def test_a_file_without_a_byte_has_a_bar_too(project: Project, file: Path) -> None:
    file.write_bytes(b"")
    with pytest.raises(CommandError, match="holds no items"):
        command("eggs", file, err=Terminal())


# --- Ctrl-C ---

# The items are stored when it is interrupted: in Python, or while it waits for the database.
PROGRAM = """
import signal, sys, time, django
django.setup()
from django.core.management import execute_from_command_line
from django.db import connection, connections, transaction
from config.web.raw_sql import run
from tasks.importing.batches import loading
signal.signal(signal.SIGINT, signal.default_int_handler)
connection.settings_dict["NAME"], where = sys.argv.pop(1), sys.argv.pop(1)
fill_tables = loading.fill_tables
def fill_and_wait(batch):
    fill_tables(batch)
    print(batch.items.count(), flush=True)
    run("SELECT pg_sleep(60)", []) if where == "database" else time.sleep(60)
loading.fill_tables = fill_and_wait
execute_from_command_line(sys.argv)
"""


@pytest.mark.parametrize("where", ["python", "database"])
@pytest.mark.django_db(transaction=True)
def test_ctrl_c_while_it_loads_leaves_a_sentence_and_stores_nothing(file: Path, where: str) -> None:
    make_rubric()
    name = str(connection.settings_dict["NAME"])
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, name, where, "import_batch", "q", str(file), *CREATE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        assert run.stdout
        assert run.stdout.readline() == "6\n"
        os.killpg(run.pid, signal.SIGINT)
        _out, err = run.communicate(timeout=30)
    # The pool of connections may warn before it.
    assert err.splitlines()[-1] == "CommandError: Interrupted: nothing was loaded."
    assert run.returncode == 130
    assert not Project.objects.exists()
    assert not Item.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_command_that_waits_for_another_load_says_so(project: Project, file: Path) -> None:
    err = io.StringIO()

    def load() -> str:
        try:
            return command("eggs", file, err=err)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            assert is_alone(project.pk)
            begun = threads.submit(load)
            until_one_waits_for_us()
            assert err.getvalue() == "Waiting: another file is being loaded into this project.\n"
        assert begun.result(timeout=LONGEST).startswith('Batch "heard": 6 items')
    Batch.objects.get().remove()
    command("eggs", file, err=(alone := io.StringIO()))
    assert alone.getvalue() == ""


# --- what helps ---


def test_a_mapping_that_is_no_utf_8_is_refused_in_a_sentence(
    project: Project, file: Path, tmp_path: Path
) -> None:
    mapping = tmp_path / "mapping.yaml"
    mapping.write_bytes(b"columns: {\xe9: id}")
    with pytest.raises(CommandError, match=r"mapping\.yaml: it is not UTF-8; save it as UTF-8\.$"):
        command("eggs", file, "--mapping", mapping)


def test_a_pipe_is_refused_in_a_sentence(project: Project) -> None:
    reading, writing = os.pipe()
    os.close(writing)
    with pytest.raises(CommandError) as refused:
        command("eggs", f"/dev/fd/{reading}")
    os.close(reading)
    assert str(refused.value) == (
        f"/dev/fd/{reading}: a pipe cannot be read twice; write it to a file first."
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", b"", "a.jsonl holds no items; write one JSON object a line."),
        ("a.csv", b"id,prompt\n", "a.csv holds no items; write a header with "),
        ("a.csv", b"id,prompt\n1\n", "a.csv, line 2: has 1 cell under 2 names (\"1\"); give "),
        ("a.jsonl", b'{"a" 1}\n{"b" 2}\n', "a.jsonl, line 1: is not JSON at character 6: "),
        ("a.json", b"[{}]", "a.json holds no items; write a list of objects"),
    ],
)  # fmt: skip
def test_of_a_file_without_a_good_row_the_fault_is_said_and_not_guessed(
    project: Project, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        command("eggs", path, "--guess")
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.csv", b"1,Why me?,So.\n2,Why?,So.\n", "say which line holds them (0: none), by"),
        ("none.csv", b"who,what\nme,so\n", "--guess prints what each column may be"),
        ("bytes.csv", b"id,prompt,response\n1,O\xf9,So\n", "by --encoding: windows-1252"),
        ("bytes.jsonl", b'{"id": "1", "prompt": "O\xf9"}', "by --encoding: windows-1252"),
        ("head.csv", b"id,prompt,r\xe9ponse\n1,a,b\n", "by --encoding: windows-1252"),
        ("lists.json", b'{"a": [{"id": "1"}], "b": [{"id": "1"}]}', "by --part"),
        ("more.csv", b"id,prompt,response\n1,a,b,c\n", "give every row as many cells as the"),
    ],
)  # fmt: skip
def test_a_refusal_names_what_helps(
    project: Project, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path, err = tmp_path / name, io.StringIO()
    path.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        command("eggs", path, err=err)
    assert said in f"{err.getvalue()}{refused.value}"


@pytest.mark.parametrize(
    "content",
    [b"sep=;\nid;prompt;response\n1;a,b;c\n", b"id,prompt,response,\n1,a,b,\n"],
    ids=["sep=;", "a trailing comma"],
)
def test_additions_of_excel_to_a_table_are_no_fault(
    project: Project, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(content)
    assert command("eggs", path) == 'Batch "items": 1 item, 1 response.\n'


def test_a_name_that_a_batch_has_is_refused_naming_the_option(project: Project, file: Path) -> None:
    command("eggs", file, "--batch", "mine")
    file.write_bytes(lines(item(id="other")))
    with pytest.raises(CommandError, match=r"on the page or by --batch\.$"):
        command("eggs", file, "--batch", "mine")


# --- who leads a new project ---


def test_a_project_that_is_made_has_the_lead_who_is_named(db: None, file: Path) -> None:
    make_rubric()
    lea = make_user(name="lea")
    said = command("q", file, *CREATE, "--lead", "lea")
    assert said == 'Batch "heard": 6 items, 6 responses.\n'
    membership = Project.objects.get().memberships.get()
    assert (membership.user, membership.role) == (lea, "lead")


def test_without_a_lead_the_command_says_that_only_admins_see_the_project(
    db: None, file: Path
) -> None:
    make_rubric()
    assert command("q", file, *CREATE).splitlines() == [
        'Batch "heard": 6 items, 6 responses.',
        'Only admins see project "q", since nobody is in it; they add a lead on its page “People”.',
    ]


def test_a_lead_without_an_account_is_refused_before_anything_is_loaded(
    db: None, file: Path
) -> None:
    make_rubric()
    with pytest.raises(CommandError, match='There is no account named "lea"'):
        command("q", file, *CREATE, "--lead", "lea")
    assert not Project.objects.exists()


def test_the_lead_of_a_project_that_is_there_is_not_changed(project: Project, file: Path) -> None:
    make_user(name="lea")
    with pytest.raises(CommandError, match=r"and nobody as lead; leave out --create\."):
        command("eggs", file, "--create", "--lead", "lea")
    assert not Batch.objects.exists()


# --- what is sure, likely and open ---

OPEN = "question,prediction,answer\nWhy is the sky blue?,Light scatters in air.,scattering\n"
OPEN += "Why is the sea salt?,Rivers bring salt there.,rivers\n"
LIKELY = "question,output,note\nWhy is the sky blue?,Light scatters in air.,x\n"
TITLE = "Items of May,,\nid,prompt,response\na,Why?,So.\nb,Who is it?,Me.\n"
SCORES = "id,prompt,response,rater,score\n" + "".join(
    f"{number},Why {number}?,Because of it.,{name},{number % 7 + 1}\n"
    for number in range(12)
    for name in ("Anna", "Ben")
)
PANEL = "id,prompt,response,p1,p2,p3\n" + "".join(
    f"{number},Why {number}?,Because of it.,{number % 7 + 1},{number % 3 + 1},2\n"
    for number in range(12)
)


@pytest.mark.parametrize(
    ("content", "arguments", "status", "words"),
    [
        (LIKELY, [], 2, "Annotators see “question” as the prompt and “output” as the response."),
        (LIKELY, [], 2, "--yes takes what is likely"),
        (LIKELY, ["--yes"], 0, 'Batch "sheet": 1 item, 1 response.'),
        (LIKELY, ["--use", "answer=response"], 1, "sheet.csv has no column answer; it has "),
        (OPEN, ["--yes"], 2, "To be chosen: "),
        (
            OPEN,
            ["--yes", "--use", "prediction=response", "--use", "answer=reference"],
            0,
            'Batch "sheet": 2 items, 2 responses.',
        ),
        (TITLE, [], 2, "say which line holds them (0: none)"),
        (TITLE, ["--header", "2"], 0, 'Batch "sheet": 2 items, 2 responses.'),
        (SCORES, [], 2, "24 scores by 2 people: Anna, Ben"),
        (SCORES, ["--yes"], 0, "24 ratings by 2 persons, 24 scores."),
        (PANEL, ["--yes"], 2, "Open: p1: is it a person who rated?"),
        (PANEL, ["--yes", "--use", "p1=score"], 0, "36 ratings by 3 persons, 36 scores."),
    ],
)
def test_a_likely_column_needs_a_yes_and_an_open_one_needs_its_use(
    project: Project, tmp_path: Path, content: str, arguments: list[str], status: int, words: str
) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(content, encoding="utf-8")
    try:
        out, code = command("eggs", path, *arguments), 0
    except CommandError as error:
        out, code = str(error), error.returncode
    assert words in out
    assert (code, Item.objects.exists()) == (status, status == 0)


def test_a_doubt_about_the_columns_is_an_outcome_in_json_too(
    project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(LIKELY, encoding="utf-8")
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("import_batch", "eggs", path, "--json", stdout=out)
    assert json.loads(out.getvalue()) == {
        "batch": None,
        "items": 0,
        "responses": 0,
        "bad_rows": 0,
    }


def test_an_unknown_use_is_refused_with_the_uses_there_are(project: Project, file: Path) -> None:
    with pytest.raises(CommandError, match="it is COLUMN=USE; the uses are id, group, prompt"):
        command("eggs", file, "--use", "prompt=question")


def test_a_column_that_begins_behind_the_first_rows_is_kept(
    project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    numbers = range(ROWS)
    rows = [{"question": f"Why {number}?", "answer": f"As {number} is odd."} for number in numbers]
    rows.append({"question": "And now?", "answer": "Yes.", "note": "late"})
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command("eggs", path, "--yes", "--use", "note=metadata")
    assert Item.objects.get(metadata__note="late").messages[0]["text"] == "And now?"
