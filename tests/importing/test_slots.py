"""Raters that are slots: rater 1 to n of each item, other people in each."""

from __future__ import annotations

import json
import re
from html import unescape
from io import BytesIO, StringIO
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotators.models import User
from tasks.agreement.page_result import PageResult
from tasks.agreement.report import report
from tasks.agreement.results import result
from tasks.agreement.samples import Scores
from tasks.exporting.export import Export
from tasks.exporting.options import Options
from tasks.importing.batches.loading import FileToLoad
from tasks.importing.batches.staging import UploadRefused
from tasks.importing.columns.mapping_yaml import read_mapping
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import propose
from tasks.importing.files.rows import SourceRow
from tasks.importing.ratings.rating_loading import load_file
from tasks.models import ImportedRater, Project, Upload

from ..exports import rows_of
from ..factories import (
    NOW,
    make_project,
)
from ..worker import (
    few_resamples,
    work,
)
from .import_steps import (
    load_uploads,
    shown_in,
)

ROWS = """id,question,answer,rater_1,rater_2,rater_3
1,How long do I boil an egg?,Six minutes for a soft one.,4,5,3
2,Can I freeze a boiled egg?,Yes.,5,5,
3,Why did mine turn green?,Sulphur meets iron.,2,5,2
4,Is a cracked egg safe?,Not raw.,5,3,4
5,What is a poached egg?,One cooked without its shell.,1,,
"""
MAPPING = """
ratings: {slots: true}
columns:
  id: id
  question: prompt
  answer: response
  rater_1: {use: score, rater: rater_1}
  rater_2: {use: score, rater: rater_2}
  rater_3: {use: score, rater: rater_3}
"""
INSTEAD = "So they have no figures of their own."


def proposed(columns: dict[str, list[Any]]) -> Any:
    """What a file of six items with these columns is taken for."""
    rows = []
    for number in range(6):
        cells = {name: values[number] for name, values in columns.items()}
        texts = {"question": f"Why does egg {number} float?", "answer": "It is old."}
        rows.append(SourceRow(number + 1, texts | cells, ""))
    return propose(Profile.of(rows))


def load(project: Project, content: str, mapping: str = MAPPING) -> None:
    load_file(
        FileToLoad(
            project,
            BytesIO(content.encode()),
            file_name="eggs.csv",
            now=NOW,
            report=lambda error: None,
            mapping=read_mapping(mapping),
        )
    )


def figures_of(project: Project) -> PageResult:
    fresh = Project.objects.get(pk=project.pk)
    with few_resamples():
        return result(fresh, fresh.rubric.schema.dimensions[0], NOW)


def words_of(client: Client, address: str) -> str:
    html = client.get(address).content.decode()
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


# --- which figures need persons ---


def scores_by(annotators: int, slots: frozenset[int]) -> Scores:
    """Scores of 30 units by some annotators, who agree in part."""
    units, noise = 30, np.random.default_rng(1).integers(0, 2, (30, annotators))
    value = np.clip(np.arange(units)[:, None] % 5 + noise, 0, 4)
    none = np.zeros(units * annotators, dtype=np.int64)
    return Scores(
        levels=range(1, 6),
        value=value.reshape(-1).astype(np.int64),
        unit=np.repeat(np.arange(units), annotators),
        annotator=np.tile(np.arange(annotators), units),
        model=none,
        batch=none,
        week=none,
        answer_set=none,
        slots=slots,
    )


def test_alpha_is_of_items_whoever_rated_and_pairs_are_of_persons() -> None:
    with few_resamples():
        persons = report(scores_by(4, frozenset()), {})
        slots = report(scores_by(4, frozenset(range(4))), {})
        mixed = report(scores_by(5, frozenset([0, 1])), {})
    assert slots.overall == persons.overall
    assert slots.furthest == persons.furthest
    assert (len(persons.pairs), len(slots.pairs)) == (6, 0)
    assert {each for pair in mixed.pairs for each in (pair.first, pair.second)} == {2, 3, 4}
    assert persons.without is not None
    assert slots.without is None
    assert mixed.without is not None
    assert mixed.without[0] in (2, 3, 4)


def test_of_the_intraclass_correlations_slots_have_the_first_model_alone() -> None:
    with few_resamples():
        persons = report(scores_by(3, frozenset()), {})
        slots = report(scores_by(3, frozenset(range(3))), {})
    assert {*slots.of_team} == {"icc-1-1", "icc-1-k"}
    assert {*persons.of_team} > {*slots.of_team}
    assert slots.of_team["icc-1-1"] == persons.of_team["icc-1-1"]


# --- what a file is taken for ---


ALL, MOST, FEW = [1, 2, 3, 4, 5, 1], [1, 2, 3, 4, 4, ""], [2, 2, "", 4, "", ""]


def test_numbered_raters_are_slots_where_items_lack_the_last_ones() -> None:
    found = proposed({"rater_1": ALL, "rater_2": MOST, "rater_3": FEW})
    assert found.mapping.scoring.slots
    assert "14 scores in 3 slots: rater_1, rater_2, rater_3" in found.sentence
    assert any("never an earlier one" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    "columns",
    [
        {"rater_1": ALL, "rater_2": ALL, "rater_3": ALL},
        {"rater_1": MOST, "rater_2": ALL, "rater_3": FEW},
        {"Anna": ALL, "Ben": MOST, "Cem": FEW},
        {"rater_1": ALL, "rater_2": FEW},
        {"annotator": [*"abcabc"], "rating": ALL},
    ],
    ids=["all filled", "an earlier one empty", "names", "two", "a row each"],
)
def test_raters_are_persons_where_nothing_else_is_seen(columns: dict[str, list[Any]]) -> None:
    found = proposed(columns)
    assert found.mapping.repeats
    assert not found.mapping.scoring.slots


def test_lists_of_scores_without_names_are_slots_where_their_lengths_differ() -> None:
    longer = [[1, 2, 3], [2, 2], [3, 3, 4], [4, 4], [5, 5, 5], [1, 2, 1]]
    assert proposed({"ratings": longer}).mapping.scoring.slots
    alike = [each[:2] for each in longer]
    assert not proposed({"ratings": alike}).mapping.scoring.slots


def test_a_mapping_says_that_raters_are_slots() -> None:
    mapping = read_mapping(MAPPING)
    assert mapping.scoring.slots
    assert read_mapping(mapping.as_yaml({})) == mapping


# --- what is stored ---


@pytest.mark.django_db
def test_a_slot_is_no_member_and_no_person_of_another_file(lead: User) -> None:
    project = make_project(slug="p", leads=[lead])
    member = User.objects.create_user("rater_1", password="x")
    project.admit(member, role="annotator", by=lead, now=NOW)
    load(project, ROWS)
    assert {(each.name, each.account, each.is_slot) for each in project.raters.all()} == {
        (f"rater_{n}", None, True) for n in (1, 2, 3)
    }
    persons = "columns: {id: id, rater_2: {use: score, rater: rater_2}}"
    refusal = "“rater_2” is a slot of raters in one file and a person in another"
    with pytest.raises(UploadRefused, match=refusal):
        load(project, "id,rater_2\n5,3\n", persons)
    slot = ImportedRater.objects.get(name="rater_1")
    slot.account = member
    with pytest.raises(IntegrityError, match="a_slot_is_nobodys_account"), transaction.atomic():
        slot.save()


@pytest.mark.django_db
def test_pages_and_the_manifest_say_that_raters_are_slots(client: Client, lead: User) -> None:
    project = make_project(slug="p", leads=[lead])
    client.force_login(lead)
    load(project, ROWS)
    work()
    found = figures_of(project)
    assert list(found.names_by_number.values()) == ["rater_1", "rater_2", "rater_3"]
    assert found.result.slots == found.result.annotators
    assert (found.result.pairs, found.result.without) == ([], None)
    assert found.result.overall.ratings == 11
    for page in ("", "people/", "agreement/"):
        assert words_of(client, f"/projects/p/{page}").count(INSTEAD) == 1
    people = client.get("/projects/p/people/").content.decode()
    assert "rater_1" not in people
    assert "rater_1" not in client.get("/projects/p/").content.decode()
    slot = project.raters.first()
    assert slot is not None
    assert client.post(f"/projects/p/raters/{slot.pk}/", {"account": lead.pk}).status_code == 404
    page = words_of(client, "/projects/p/agreement/")
    assert "ICC(1,1)" in page
    assert "ICC(2,1)" not in page
    assert {row["annotator"] for row in rows_of(project)} == {"rater_1", "rater_2", "rater_3"}
    export = Export(project, Options(), now=NOW)
    list(export)
    assert json.loads(export.manifest())["slots"] == ["rater_1", "rater_2", "rater_3"]
    assert "whose names the manifest lists" in words_of(client, "/projects/p/export/")


@pytest.mark.django_db
def test_a_lead_says_on_the_page_that_raters_are_slots_or_that_they_are_none(
    client: Client, lead: User
) -> None:
    make_project(slug="p", title="P", leads=[lead])
    client.force_login(lead)
    file = SimpleUploadedFile("eggs.csv", ROWS.encode())
    client.post("/projects/new/sheet/", {"file": file})
    load_uploads()
    upload = Upload.objects.get()
    page = words_of(client, upload.address)
    assert "12 scores in 3 slots" in page
    assert "Raters have 3 slots." in page
    client.post(upload.address, shown_in(upload) | {"act": "read", "slots": ""})
    load_uploads()
    upload.refresh_from_db()
    assert "12 scores by 3 people" in words_of(client, upload.address)
    client.post(upload.address, shown_in(upload) | {"act": "read", "slots": "on"})
    load_uploads()
    upload.refresh_from_db()
    client.post(upload.address, shown_in(upload) | {"act": "import"})
    load_uploads()
    assert {*ImportedRater.objects.values_list("is_slot", flat=True)} == {True}


@pytest.mark.django_db
def test_the_command_takes_raters_for_slots_by_a_mapping(tmp_path: Any) -> None:
    project = make_project(slug="p")
    file, mapping = tmp_path / "eggs.csv", tmp_path / "mapping.yaml"
    file.write_text(ROWS)
    mapping.write_text(MAPPING)
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("import_batch", "p", str(file), stdout=StringIO(), stderr=StringIO())
    call_command("import_batch", "p", str(file), mapping=mapping, stdout=out)
    assert "12 ratings in 3 slots, 12 scores." in out.getvalue()
    assert project.raters.filter(is_slot=True).count() == 3
