"""Several rows to an item; whole or not at all; and the good rows without the bad, which go to a file."""
# ruff: noqa: E501 - the files and the messages are as long as they are

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command

from tasks.importing.batches import row_faults, row_places
from tasks.importing.batches.loading import BadLines
from tasks.models import Batch, Item, Project, Response

from ..factories import make_rubric
from .import_steps import (
    Outcome,
    item,
    lines,
)


def stored() -> dict[str, list[tuple[int, str, str]]]:
    return {
        found.external_id: list(found.responses.values_list("position", "model", "text"))
        for found in Item.objects.all()
    }


# --- several rows ---


def test_rows_with_one_id_are_one_item_wherever_they_stand(project: Project) -> None:
    file = b"id,prompt,model,response,note\na,p,m1,1,x\nb,q,m1,2,y\na,p,m2,,x\na,p,m1,4,x\nb,q,,5,y\nc,r,m1,6,z\n"
    outcome = Outcome(project, file)
    assert outcome.loaded is not None
    assert (outcome.loaded.items, outcome.loaded.responses, outcome.loaded.bad) == (3, 6, 0)
    assert stored() == {
        "a": [(1, "m1", "1"), (2, "m2", ""), (3, "m1", "4")],
        "b": [(1, "m1", "2"), (2, "", "5")],
        "c": [(1, "m1", "6")],
    }
    assert list(Item.objects.values_list("position", flat=True)) == [0, 1, 2]


def test_rows_of_lists_and_lines_are_put_together_too(project: Project) -> None:
    several = item(
        response=None, responses=[{"model": "m", "text": "x"}, {"model": "n", "text": "y"}]
    )
    contents = [several, item(model="o")]
    assert Outcome(project, json.dumps(contents).encode(), "items.json").loaded
    assert stored() == {"a": [(1, "m", "x"), (2, "n", "y"), (3, "o", "Because.")]}


@pytest.mark.parametrize(
    ("fields", "column", "value"),
    [
        ({"prompt": "How?"}, "prompt", '"How?"'),
        ({"persona": ["x"]}, "persona", '["x"]'),
        ({"system": "s"}, "system", '"s"'),
        ({"context": "c"}, "context", '"c"'),
        ({"reference": "r"}, "reference", '"r"'),
        ({"source": "s"}, "source", '"s"'),
        ({"lang": "de"}, "lang", '"de"'),
        ({"more": 1}, "more", "1"),
    ],
)
def test_rows_that_say_different_things_of_an_item_are_an_error_that_names_both_lines(
    project: Project, fields: dict[str, Any], column: str, value: str
) -> None:
    file = lines(item(lang="en"), item(id="b"), item(**{"lang": "en"} | fields))
    outcome = Outcome(project, file, "items.jsonl")
    assert outcome.said == [
        f'line 3: "{column}" differs from line 1, which has the same id ({value}); rows with the same id are '
        "one item: give them the same item data, or give each row its own id"
    ]
    assert not Item.objects.exists()


def test_a_copy_of_a_row_is_left_out_and_its_item_comes_in_all_the_same(project: Project) -> None:
    file = b"id,prompt,model,response\na,p,m,r\na,p,n,r\na,p,m,r\na,p,n,r\nb,p,m,r\n"
    outcome = Outcome(project, file, take_good=True)
    assert outcome.said == [
        'line 4: is a copy of another row of its item, which begins in line 2 ("a"); '
        "take it out, or have it left out",
        'line 5: is a copy of another row of its item, which begins in line 2 ("a"); '
        "take it out, or have it left out",
    ]
    assert stored() == {"a": [(1, "m", "r"), (2, "n", "r")], "b": [(1, "m", "r")]}


def test_a_value_missing_in_a_later_row_of_an_item_is_reported(project: Project) -> None:
    outcome = Outcome(project, lines(item(lang="en"), item()), "items.jsonl")
    assert outcome.said[0].startswith(
        'line 2: "lang" is missing here, but line 1 with the same id has it; '
    )


def test_an_item_of_too_many_rows_is_an_error(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (row_places, row_faults):
        monkeypatch.setattr(module, "MOST_RESPONSES", 2)
    outcome = Outcome(project, b"id,prompt,response\na,p,1\na,p,2\na,p,3\n")
    assert outcome.said == [
        'line 4: "id" brings the item to more than 2 responses ("a"); make several items of it'
    ]


# --- whole or not at all ---


def test_a_single_bad_row_keeps_the_file_out_and_every_bad_row_is_reported(
    project: Project,
) -> None:
    outcome = Outcome(project, b"id,prompt,response\na,p,r\n,p,r\nb,p\nc,p,r\n")
    assert outcome.refused == "items.csv: 2 rows can’t be loaded, so nothing was loaded"
    assert [(error.line, error.column) for error in outcome.errors] == [(3, "id"), (4, "")]
    assert not Batch.objects.exists()


def test_the_same_file_and_an_id_of_the_project_are_refused_with_take_good_too(
    project: Project,
) -> None:
    file = b"id,prompt,response\na,p,r\n"
    assert Outcome(project, file, batch_name="first").loaded
    again = Outcome(project, file, batch_name="second", take_good=True)
    assert again.refused == "items.csv is already in the project, as batch “first” of 2 Mar 2026."
    more = Outcome(project, file + b"b,p,r\na,p,s\n", batch_name="second", take_good=True)
    assert more.loaded is not None
    assert (more.loaded.items, more.loaded.bad) == (1, 2)
    assert [str(error)[:66] for error in more.errors] == [
        'line 2: "id" is already in the project, in batch “first” ("a"); gi',
        'line 4: "id" is already in the project, in batch “first” ("a"); gi',
    ]


# --- the good without the bad ---


def test_the_good_rows_come_in_and_an_item_comes_with_all_of_its_rows_or_none(
    project: Project,
) -> None:
    file = b'id,prompt,response\na,p,1\nb,q,2\na,p,"3\n,"\nb,other,4\n\nc,r,5\nb,q,6\n,x,y\n'
    outcome = Outcome(project, file, take_good=True)
    assert outcome.loaded is not None
    assert (outcome.loaded.items, outcome.loaded.responses, outcome.loaded.bad) == (2, 3, 4)
    assert stored() == {"a": [(1, "", "1"), (2, "", "3\n,")], "c": [(1, "", "5")]}
    assert [(error.line, error.column) for error in outcome.errors] == [
        (3, "id"),
        (6, "prompt"),
        (9, "id"),
        (10, "id"),
    ]
    assert str(outcome.errors[0].reason) == "is also the id of line 6, which has an error"


def test_rows_left_out_come_in_once_they_are_mended(project: Project) -> None:
    file = b"id,prompt,response\na,p,1\nb,q,2\nb,other,3\n"
    assert Outcome(project, file, take_good=True).loaded
    mended = file.replace(b"other", b"q")
    outcome = Outcome(project, mended, "mended.csv", take_good=True)
    assert [error.line for error in outcome.errors] == [2]  # it is in the project already
    assert stored() == {"a": [(1, "", "1")], "b": [(1, "", "2"), (2, "", "3")]}
    assert Item.objects.get(external_id="b").metadata == {}


def test_where_no_row_is_good_nothing_comes_in(project: Project) -> None:
    outcome = Outcome(project, b"id,prompt,response\n,p,r\n", take_good=True)
    assert outcome.refused == "items.csv: 1 row can’t be loaded, so nothing was loaded"
    assert not Batch.objects.exists()


# --- the command ---


def command(*arguments: object) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_batch", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "items.csv"
    path.write_text("id,prompt,response\na,p,r\n,p,r\n", encoding="utf-8")
    return path


def test_the_command_takes_the_good_rows_and_says_where_the_bad_ones_are(
    project: Project, file: Path
) -> None:
    out, err = command("eggs", file, "--take-good", "--json")
    assert json.loads(out) == {"batch": "items", "items": 1, "responses": 1, "bad_rows": 1}
    first, second = err.splitlines()
    assert first == 'items.csv, line 3: "id" is blank (""); give every item an id of its own'
    assert second.startswith("items.csv: 1 bad row is left out, and listed in ")
    written = Path(second.removesuffix(".").partition(" listed in ")[2])
    assert written.parent == Path(django_settings.DATA) / "faults"
    assert list(csv.DictReader(written.read_text(encoding="utf-8").splitlines())) == [
        {
            "line": "3",
            "column": "id",
            "value": '""',
            "reason": "is blank",
            "advice": "give every item an id of its own",
        }
    ]


def test_a_row_of_a_rating_whose_item_is_bad_is_counted_and_listed_once(
    project: Project, tmp_path: Path
) -> None:
    rows = [
        item(id=f"q{number}", response="So it is.", rater="Ann", score=number)
        for number in range(1, 8)
    ]
    rows[3]["response"] = True
    file = tmp_path / "rated.jsonl"
    file.write_bytes(lines(*rows))
    out, err = command("eggs", file, "--take-good", "--yes")
    fault, last = err.splitlines()
    assert "line 4: " in fault
    assert last.startswith("rated.jsonl: 1 bad row is left out, and listed in ")
    assert "6 ratings by 1 person, 6 scores." in out


def test_the_command_lists_the_faults_where_it_is_told_to(project: Project, file: Path) -> None:
    path = file.with_name("bad.csv")
    command("eggs", file, "--take-good", "--faults", path)
    assert path.read_text(encoding="utf-8").count("\n") == 2


def test_the_terminal_and_the_list_of_faults_say_the_same(project: Project, file: Path) -> None:
    path = file.with_name("bad.csv")
    file.write_text(f"id,prompt,response\na,p,r\n{'b' * 1_234},p,r\n", encoding="utf-8")
    out, err = command("eggs", file, "--take-good", "--faults", path)
    line, column, value, reason, advice = list(csv.reader(path.read_text("utf-8").splitlines()))[1]
    assert reason == "is 1,234 characters long"
    assert err.splitlines()[0] == f'items.csv, line {line}: "{column}" {reason} ({value}); {advice}'
    assert out.splitlines() == [
        'Batch "items": 1 item, 1 response.',
        "Rows: 2 in the file, 1 in these items, 1 left out.",
    ]


def test_where_the_faults_cannot_be_written_nothing_comes_in(project: Project, file: Path) -> None:
    with pytest.raises(CommandError, match="No such file or directory"):
        command("eggs", file, "--take-good", "--faults", file.parent / "no" / "bad.csv")
    assert not Batch.objects.exists()


def test_the_command_is_told_of_windows_1252(project: Project, file: Path) -> None:
    file.write_bytes("id;prompt;response\na;é;€\n".encode("windows-1252"))
    command("eggs", file, "--encoding", "windows-1252")
    assert Response.objects.get().text == "€"


def test_a_list_of_faults_is_for_taking_the_good_rows(project: Project, file: Path) -> None:
    with pytest.raises(CommandError, match="of use with --take-good only"):
        command("eggs", file, "--faults", "x")


def test_a_project_made_for_a_file_of_which_some_is_good_stays(db: None, file: Path) -> None:
    make_rubric()
    command("q", file, "--take-good", "--create", "--rubric", "response-quality", "--wanted", 1)
    assert Project.objects.get().items.count() == 1


def test_a_refusal_counts_the_bad_rows() -> None:
    assert str(BadLines("f", 1_000)) == "f: 1,000 rows can’t be loaded, so nothing was loaded"
