"""Beside an export: what its columns mean, and a manifest from which it can be made again."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotators.models import User
from rubrics.documents import document
from tasks.exporting import columns, decision_rows, project_columns, talk_rows
from tasks.exporting.column_types import Column
from tasks.exporting.export import Export
from tasks.exporting.forms import options_in
from tasks.exporting.manifest import version
from tasks.exporting.options import Format, Options, Shape
from tasks.models import Project

from ..factories import (
    NOW,
    answer_about_corpus,
    make_batch,
    make_decision,
    make_item,
    make_practice,
    make_question,
    make_rating,
    make_user,
)

ROOT = Path(__file__).resolve().parents[2]
# The tables of docs/export.md, by the heading above them.
TABLES: dict[str, tuple[Column, ...]] = {
    "## Scores": columns.SCORES,
    "## Ratings": (
        project_columns.OF_SCORE,
        project_columns.OF_WITHOUT,
        project_columns.OF_CHECK,
        project_columns.OF_LINES,
        project_columns.OF_RESPONSE,
    ),
    "## Items": columns.ITEMS,
    "## Wide": (project_columns.OF_PERSON,),
    "## Decisions": decision_rows.DECISIONS,
    "## Talk": talk_rows.TALK,
    "## Corpus answers": columns.CORPUS_ANSWERS,
    "## Practice": columns.PRACTICE,
    "## Texts and metadata": (*columns.TEXTS, project_columns.OF_METADATA),
}


@pytest.fixture
def rated(project: Project, ada: User) -> Project:
    item = make_item(
        batch=make_batch(project=project, name="first"), responses=["x"], metadata={"a,b": "“é”"}
    )
    make_rating(item=item, annotator=ada, comment="a,b\n“é”")
    return project


def export(project: Project, *arguments: object) -> Any:
    call_command("export_ratings", project.slug, *map(str, arguments))


def again(manifest: Path, output: Path) -> Any:
    call_command("export_ratings", "--again", str(manifest), "-o", str(output))


def beside(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((file.parent / f"{file.name}.manifest.json").read_text())
    return found


# --- the manifest ---


def test_beside_a_file_is_a_manifest_that_says_how_it_came_about(
    rated: Project, tmp_path: Path
) -> None:
    file = tmp_path / "scores.csv"
    before = datetime.now(UTC)
    export(rated, "batches=first&delimiter=tab", "-o", file)
    found = beside(file)
    assert before <= datetime.fromisoformat(found.pop("taken_at")) <= datetime.now(UTC)
    rubric = json.dumps(
        document.dump(rated.rubric.schema), sort_keys=True, ensure_ascii=False
    ).encode()
    assert found == {
        "program": f"Evenhand {version()}",
        "project": "eggs",
        "title": rated.title,
        "rubrics": [
            {
                "rubric": "response-quality",
                "version": 1,
                "sha256": sha256(rubric).hexdigest(),
            }
        ],
        "options": "batches=first&delimiter=tab",
        "consequences": "always",
        "rows": 1,
        "columns": len(columns.SCORES) + 1,
        "bytes": file.stat().st_size,
        "sha256": sha256(file.read_bytes()).hexdigest(),
    }
    assert re.fullmatch(r"\d+\.\d+\.\d+", version())


@pytest.mark.parametrize("form", [Format.CSV, Format.JSONL])
@pytest.mark.parametrize("shape", Shape)
def test_rows_are_counted_whatever_the_file(talk: Project, shape: Shape, form: Format) -> None:
    answer_about_corpus(talk.batches.get(), make_user(), "yes", now=NOW)
    for _ in range(2):
        rating = make_rating(item=talk.items.order_by("position")[0], annotator=make_user())
    make_question(rating, by=make_user())
    make_practice(project=talk, annotator=make_user(), now=NOW)
    make_decision(talk.items.order_by("position")[0], by=make_user())
    export = Export(talk, Options(shape=shape, format=form), now=NOW)
    lines = b"".join(export).count(b"\n") - (form is Format.CSV)
    assert export.rows == lines > 0


def test_with_pseudonyms_the_manifest_has_no_names(rated: Project, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(username="zelda")
    options = Options(pseudonyms=True, annotators=("zelda",))
    export = Export(rated, options, now=NOW)
    file = b"".join(export)
    assert b"zelda" not in file + export.manifest() + export.dictionary()
    named = options_in(rated, json.loads(export.manifest())["options"])
    assert named == replace(options, annotators=("rater-1",))
    assert b"".join(Export(rated, named, now=NOW)) == file


def test_an_export_to_standard_output_writes_no_file(
    rated: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    export(rated)
    assert list(tmp_path.iterdir()) == []


# --- the same again ---


@pytest.mark.parametrize("form", Format)
def test_a_manifest_makes_the_same_export_again(
    rated: Project, tmp_path: Path, capsys: Any, form: Format
) -> None:
    first, second = tmp_path / f"first.{form}", tmp_path / f"second.{form}"
    export(rated, f"format={form}&shape=items&since=2026-03-01", "-o", first)
    again(tmp_path / f"first.{form}.manifest.json", second)
    assert capsys.readouterr().out == "The file is the same.\n"
    assert second.read_bytes() == first.read_bytes()
    assert beside(first) == beside(second) | {"taken_at": beside(first)["taken_at"]}


def test_a_manifest_of_an_earlier_version_makes_the_same_export_again(
    rated: Project, tmp_path: Path, capsys: Any
) -> None:
    export(rated, "batches=first&since=2026-03-01&texts=on", "-o", tmp_path / "first.csv")
    file = tmp_path / "first.csv.manifest.json"
    manifest = json.loads(file.read_text())
    manifest["options"] = {"shape": "scores", "format": "csv", "batches": ["first"], "models": []}
    manifest["options"] |= {"since": "2026-03-01", "until": None, "texts": True, "bom": False}
    file.write_text(json.dumps(manifest))
    again(file, tmp_path / "second.csv")
    assert capsys.readouterr().out == "The file is the same.\n"


def test_a_file_made_again_that_differs_is_said_to_with_what_came_since(
    rated: Project, tmp_path: Path, capsys: Any
) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    export(rated, "-o", first)
    manifest = tmp_path / "first.csv.manifest.json"
    rated.batches.update(warning="careful")
    again(manifest, second)
    said = capsys.readouterr().out
    assert "differs" in said
    assert " 0 ratings and 0 corpus answers came." in said
    assert "a name or a warning changed" in said
    make_rating(item=rated.items.get(), submitted_at=datetime.now(UTC))
    again(manifest, second)
    said = capsys.readouterr().out
    assert " 1 ratings and 0 corpus answers came." in said
    assert "changed" not in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no manifest"),
        ("[]", "no manifest"),
        ("{}", "no manifest"),
        ({"shape": "x"}, "shape: There is no “x”. There are: scores, ratings"),
        ("shap=scores", "shap: There is no “shap”. There are: items, shape, format"),
        ("kinds=1", "kinds: There is no “1” in this project. There are: counted"),
        ({"bom": True}, "bom: There is no “bom”"),  # of an earlier version
        ("since=2026-13-01", "since: Enter a valid date"),
    ],
)
def test_a_faulty_manifest_is_refused_where_it_is_wrong(
    rated: Project, tmp_path: Path, content: Any, said: str
) -> None:
    file = tmp_path / "manifest.json"
    if isinstance(content, dict) or "=" in content:
        export(rated, "-o", tmp_path / "scores.csv")
        content = json.dumps(beside(tmp_path / "scores.csv") | {"options": content})
    file.write_text(content)
    with pytest.raises(CommandError, match=rf"manifest\.json: .*{said}"):
        again(file, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_again_takes_nothing_but_a_manifest_and_a_file(rated: Project, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    export(rated, "-o", file)
    manifest = f"{file}.manifest.json"
    for arguments in (
        (rated.slug, "--again", manifest, "-o", str(file)),
        ("--again", manifest),
    ):
        with pytest.raises(CommandError, match="nothing else"):
            call_command("export_ratings", *arguments)
    with pytest.raises(CommandError, match="Name a PROJECT"):
        call_command("export_ratings")
    with pytest.raises(CommandError, match=r"gone\.json: No such file"):
        again(tmp_path / "gone.json", file)


# --- the dictionary ---


@pytest.mark.parametrize("shape", Shape)
def test_the_dictionary_says_of_every_column_what_it_means(rated: Project, shape: Shape) -> None:
    export = Export(rated, Options(shape=shape), now=NOW)
    (header,) = [*csv.reader(io.StringIO(b"".join(export).decode(), newline=""))][:1]
    told = list(csv.DictReader(io.StringIO(export.dictionary().decode())))
    assert [row["name"] for row in told] == header
    assert all(row["meaning"] for row in told)
    assert {row["type"] for row in told} <= {"text", "word", "integer", "number", "time", "json"}


def test_the_documentation_says_the_same_of_the_columns() -> None:
    text = (ROOT / "docs/export.md").read_text(encoding="utf-8")
    for heading, own in TABLES.items():
        part = text.partition(f"{heading}\n")[2].partition("\n## ")[0]
        found = re.findall(r"^\| `([^`]+)` \| (\w+) \| (.+) \|$", part, re.MULTILINE)
        wanted = [(each.name, each.type, each.meaning.replace("|", r"\|")) for each in own]
        assert found == wanted, heading
