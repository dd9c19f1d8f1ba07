"""manage.py rubric load: documents become versions, and versions stand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from rubrics.documents.document import dump, parse, parse_stored
from rubrics.documents.shipped import SLUGS, path_of, shipped
from rubrics.models import Rubric
from tests.factories import NOW, written

pytestmark = pytest.mark.django_db

STORED = Path(__file__).resolve().parents[1] / "stored"


def load(file: Path, *options: str) -> str:
    out = StringIO()
    call_command("rubric", "load", str(file), *options, stdout=out)
    return out.getvalue().strip()


def outcome(file: Path) -> str:
    """What became of it, without what the author should look at."""
    return load(file).splitlines()[0]


def versions(slug: str) -> list[int]:
    return list(
        Rubric.objects.filter(slug=slug).order_by("version").values_list("version", flat=True)
    )


def revised(slug: str, tmp_path: Path, **changes: object) -> Path:
    file = tmp_path / "revised.yaml"
    file.write_text(written(parse({**dump(shipped(slug)), **changes})), encoding="utf-8")
    return file


@pytest.mark.parametrize("slug", SLUGS)
def test_a_shipped_rubric_is_published_as_it_is_written(slug: str) -> None:
    assert outcome(path_of(slug)) == f"{slug}, version 1 is published."
    assert Rubric.objects.newest(slug).schema == shipped(slug)


def test_the_same_document_again_changes_nothing_and_says_so() -> None:
    load(path_of("dialogue"))
    assert (
        outcome(path_of("dialogue"))
        == "dialogue, version 1 says the same already; nothing changed."
    )
    assert versions("dialogue") == [1]


def test_a_changed_document_becomes_the_next_version_and_the_first_stands(tmp_path: Path) -> None:
    load(path_of("dialogue"))
    assert (
        outcome(revised("dialogue", tmp_path, title="Revised"))
        == "dialogue, version 2 is published."
    )
    assert versions("dialogue") == [1, 2]
    assert [rubric.title for rubric in Rubric.objects.order_by("version")] == [
        "Dialogue",
        "Revised",
    ]
    assert Rubric.objects.get(version=1).schema == shipped("dialogue")


def test_a_stored_version_stays_as_it_is_when_the_shipped_document_changes() -> None:
    stored = json.loads((STORED / "response-quality.json").read_text(encoding="utf-8"))["rubric"]
    first, _is_new = Rubric.objects.load(parse_stored(stored), now=NOW)
    digest = first.digest
    assert outcome(path_of("response-quality")) == "response-quality, version 2 is published."
    kept, newest = Rubric.objects.order_by("version")
    assert dump(kept.schema) == stored
    assert kept.digest == digest != newest.digest
    assert newest.schema == shipped("response-quality")
    assert newest.since(kept)


@pytest.mark.parametrize(
    "change", [lambda rubrics: rubrics.update(dimensions=[]), lambda rubrics: rubrics.delete()]
)
def test_the_database_refuses_to_change_a_published_version(change: Callable[..., object]) -> None:
    load(path_of("dialogue"))
    with (
        pytest.raises(IntegrityError, match="is published and cannot be changed"),
        transaction.atomic(),
    ):
        change(Rubric.objects.all())
    assert Rubric.objects.get().schema == shipped("dialogue")


def test_faults_are_printed_a_line_each_with_the_file_and_nothing_is_stored(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    content = dump(shipped("dialogue"))
    rules = content["dimensions"][0]["rules"]
    one, other = (
        place
        for place, rule in enumerate(rules)
        if rule["effect"] == "cap" and len(rule["when"]) == 1
    )
    rules[one]["score"] = 9
    rules[other]["when"] = {"any_of": ["tpyo"]}
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        load(file)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    place = f"{re.escape(str(file))}: line [0-9]+: dimensions.quality.rules"
    assert re.fullmatch(
        rf"{place}\.{rules[one]['code']}\.score: 9; quality goes from 1 to 5", lines[0]
    )
    assert re.match(
        rf'{place}\.{rules[other]["code"]}\.when\.any_of: "tpyo" is no check of quality', lines[1]
    )
    assert not Rubric.objects.exists()


def test_a_doubtful_rule_is_reported_and_the_rubric_loads(tmp_path: Path) -> None:
    content = dump(shipped("dialogue"))
    (rule,) = [
        each for each in content["dimensions"][0]["rules"] if each["code"] == "poor_at_most_2"
    ]
    content["dimensions"][0]["rules"].append(rule | {"code": "again", "score": 3})
    file = tmp_path / "doubled.yaml"
    file.write_text(written(parse(content)), encoding="utf-8")
    assert load(file).splitlines() == [
        "dialogue, version 1 is published.",
        f"dimensions.{content['dimensions'][0]['code']}.rules.again: "
        '"again" has no effect of its own; take it out, or change its conditions',
        'dimensions.quality.rules: no example shows "grammar_errors_at_most_4"; add one for each',
    ]


def test_a_rubric_without_a_score_for_some_answers_is_refused(tmp_path: Path) -> None:
    content = dump(shipped("dialogue"))
    for rule in content["dimensions"][1]["rules"]:
        if rule["code"] == "reflection_at_least_4":
            del rule["when"]["none_of"]
    file = tmp_path / "closed.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        load(file)
    said, line = str(caught.value), str(caught.value).split(": ")[1]
    assert file.read_text().splitlines()[int(line.removeprefix("line ")) - 1] == "  rules:"
    assert said == (
        f'{file}: {line}: dimensions.consistency.rules: with "contradicts" and "reflects" no score'
        " is left: rules contradiction_at_most_2 and reflection_at_least_4;"
        " change one of them, or exclude what can’t go together"
    )
    assert not Rubric.objects.exists()


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b"slug: ["])
def test_a_file_that_cannot_be_read_is_told_of(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "file.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError, match=r"file\.yaml: "):
        load(file)
