"""A lead drops a sheet that people have rated, sees what it says, and imports it."""

from __future__ import annotations

import json
import re
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.imported import let_count
from tasks.importing import uploading
from tasks.importing.mapping_yaml import read_mapping
from tasks.importing.rating_loading import load_ratings
from tasks.models import Item, Project, Rating, Upload

from .factories import make_project
from .import_steps import shown_in

EGGS = """row,question,answer,system,Anna,Ben,Cem,Dora,remark
1,How long do I boil an egg?,Six minutes for a soft one.,heron-8b,4,5,n/a,3,too short
2,Can I freeze a boiled egg?,Yes.,heron-8b,5,5,1,4,
3,Why did mine turn green?,Sulphur meets iron.,wren-2b,2,5,2,4,
4,Is a cracked egg safe?,Not raw.,wren-2b,5,3,2,5,
5,What is a poached egg?,One cooked without its shell.,heron-8b,1,2,1,1,
"""


@pytest.fixture
def lead(lead: User) -> User:
    make_project(leads=[lead])  # so that they may open others
    return lead


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def drop(client: Client, content: str, name: str = "egg_study.csv") -> Any:
    file = SimpleUploadedFile(name, content.encode())
    return client.post("/projects/new/sheet/", {"file": file})


def page(client: Client, response: Any) -> str:
    return str(client.get(response.headers["Location"]).content.decode())


def act(client: Client, name: str, **fields: str) -> Any:
    upload = Upload.objects.latest("pk")
    address = f"/projects/{upload.project.slug}/upload/{upload.pk}/"
    return client.post(address, shown_in(upload) | {"act": name} | fields)


def test_a_sheet_says_how_well_people_agree_before_anything_is_stored(here: Client) -> None:
    answer = drop(here, EGGS.replace(",remark", "").replace(",too short", "").replace(",\n", "\n"))
    seen = page(here, answer)
    upload = Upload.objects.get()
    assert upload.report["missing"] == []
    assert "What it says, at a first look" in seen
    assert "Quality: α" in seen
    assert "19 ratings ready, by 4 people" in " ".join(
        seen.replace("<b>", "").replace("</b>", "").split()
    )
    assert not Rating.objects.exists()
    assert not Item.objects.exists()
    done = act(here, "import")
    project = Project.objects.get(slug="egg_study")
    assert done.headers["Location"] == "/projects/egg_study/agreement/"
    assert (project.imported, project.rubric.schema.dimension("quality").highest) == ("places", 5)
    assert Rating.objects.counting().count() == 19
    assert [(each.wanted, each.counted) for each in Item.objects.order_by("position")][:2] == [
        (3, 3),
        (4, 4),
    ]
    assert "α" in page(here, done)


def test_no_address_is_kept_once_the_ratings_are_imported(here: Client) -> None:
    drop(here, EGGS.replace("Anna", "anna@lab.example").replace("Cem", "cem@lab.example"))
    act(here, "read", **{"use-8": "unused"})
    done = act(here, "import")
    assert done.headers["Location"].endswith("/agreement/")
    upload = Upload.objects.get()
    assert "@" not in json.dumps([upload.report, upload.choices])
    assert upload.batch
    assert "@" not in upload.batch.mapping
    assert {each.name for each in upload.project.raters.all()} == {
        *("Ben", "Dora", "imported-1", "imported-4")
    }
    assert here.get(f"/projects/egg_study/upload/{upload.pk}/").status_code == 200
    assert act(here, "import").status_code in {200, 302}  # a second click


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (EGGS.replace(",remark", ",x"), f"{'x' * 250}.csv", "19 ratings"),
        (EGGS.replace("4,5,n/a", "nul\0,5,n/a"), "eggs.csv", "is no number"),
        (
            "item,rater,dimension,score\n"
            + "".join(f"{n},{who},response,{n}\n" for n in (1, 2, 3) for who in ("Anna", "Ben")),
            "eggs.csv",
            "No rubric can be made from these columns",
        ),
    ],
)
def test_a_strange_sheet_gets_a_sentence(here: Client, content: str, name: str, said: str) -> None:
    assert said in unescape(re.sub(r"<[^>]+>", "", page(here, drop(here, content, name))))


def test_the_figures_of_many_people_are_left_to_a_worker(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "FEW", 3)
    drop(here, EGGS)
    assert Upload.objects.get().asked == "read"


def test_a_second_file_does_not_undo_that_the_first_one_counts_nowhere(here: Client) -> None:
    drop(here, EGGS)
    act(here, "read", **{"use-8": "unused"})
    act(here, "import")
    project = Project.objects.get(slug="egg_study")
    let_count(project, "apart", now=timezone.now())
    columns = "shape: ratings\ncolumns: {item: group, rater: rater, score: score}"
    load_ratings(
        project,
        BytesIO(f"item,rater,score\n{project.items.all()[0].external_id},Fay,3\n".encode()),
        mapping=read_mapping(columns),
        file_name="more.csv",
        now=timezone.now(),
        report=lambda error: None,
    )
    project.refresh_from_db()
    assert (project.imported, project.ratings.counting().count()) == ("apart", 0)
