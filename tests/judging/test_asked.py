"""Who is asked what: a dimension that needs something is not asked for every item, and its lead is
told for how many, and why not for the others."""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from rubrics.judging.kinds import Unit
from rubrics.judging.parts import Needs
from rubrics.models import Rubric
from tasks.models import Batch, Item, Lease, Project, Upload
from tasks.rating_form.leased_item import item_view_of
from tests.factories import (
    NOW,
    make_batch,
    make_item,
    make_project,
    make_rubric,
    make_talk,
    rubric_document,
)
from tests.importing.import_steps import (
    load_uploads,
    shown_in,
)

pytestmark = pytest.mark.django_db

DIVERSITY = (
    "Diversity is asked for %s items: "
    "a model needs two responses to a history and five other histories in the batch."
)
DIVERSITY_OF_ONE = (DIVERSITY % "0 of 1").replace("items:", "item:")
PERSONA = "Persona consistency is asked for %s items: an item needs a persona."
HISTORY = "Coherence is asked for %s items: an item needs a history."
CORPUS = "Each batch is a corpus of its own."


@pytest.fixture
def talks(lead: User) -> Project:
    """Dialogues, without a batch, which lea leads."""
    return make_project(slug="talks", rubric=make_rubric(slug="dialogue"), leads=[lead])


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    """The browser in which lea has logged in."""
    client.force_login(lead)
    return client


def dialogue(number: int, *, persona: bool = True, times: int = 2) -> dict[str, Any]:
    """A line of a file: an item of one model, which responds so many times."""
    return {
        "id": f"talk-{number}",
        "persona": ["i keep bees."] if persona else [],
        "history": [f"turn {number}"],
        "responses": [{"model": "gull", "text": f"reply {each}"} for each in range(times)],
    }


def file_of(items: Sequence[dict[str, Any]], name: str = "talks.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join(map(json.dumps, items)).encode())


def told(client: Client, items: Sequence[dict[str, Any]], name: str = "talks.jsonl") -> list[str]:
    """What a file's page says of what is asked, before the import and after it."""
    client.post("/projects/talks/upload/", {"file": file_of(items, name)})
    load_uploads()
    upload = Upload.objects.latest("pk")
    before = words(client.get(upload.address))
    client.post(upload.address, shown_in(upload) | {"act": "import"})
    load_uploads()
    upload.refresh_from_db()
    assert upload.batch
    after = words(client.get(upload.address))
    remarks = list(upload.report["items"].get("remarks", ()))
    assert all(remark in before for remark in remarks)
    assert all(remark in after for remark in remarks)
    return remarks


def words(answer: Any) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


# --- the rule ---


def make_mixed_batch(project: Project, drawn: random.Random, histories: int) -> Batch:
    """Of items with and without a persona or a history. The models respond to some of them, once or
    several times; one has no name."""
    batch = make_batch(project=project)
    for number in range(histories):
        models = [
            model
            for model, share in (("gull", 0.9), ("heron", 0.5), ("", 0.3))
            for _ in range(drawn.randint(1, 3))
            if drawn.random() < share
        ] or ["heron"]
        make_item(
            batch=batch,
            persona=["i keep bees."] * drawn.randint(0, 1),
            messages=[("user", f"turn {number}")] * drawn.randint(0, 1),
            context="By the sea",
            responses=[(model, f"reply {place}") for place, model in enumerate(models)],
            dropped=drawn.random() < 0.1,
        )
    return batch


def lent(item: Item, annotator: User) -> Lease:
    """A lease that is not stored, so that one person can hold many."""
    responses = item.responses.all()
    return Lease(
        project=item.project,
        item=item,
        annotator=annotator,
        responses=[response.pk for response in responses],
        model_names=list(dict.fromkeys(response.model for response in responses)),
    )


NEEDS = {
    "as_published": Needs(candidates=2, other_histories=5),
    "candidates": Needs(candidates=3),
    "histories": Needs(other_histories=4),
    "either": Needs(candidates=1, other_histories=1, persona=True, history=True),
    "nothing": Needs(),
}


def test_the_items_of_a_dimension_are_those_whose_form_asks_it(ada: User) -> None:
    """`Item.objects.with_dimension` and the form have one rule, each in a way of its own."""
    written = rubric_document("dialogue")
    set_dimension = written.dimension("diversity")
    dimensions = (
        *(each for each in written.dimensions if each.unit is Unit.RESPONSE),
        *(replace(set_dimension, code=name, needs=needs) for name, needs in NEEDS.items()),
    )
    rubric, _ = Rubric.objects.load(replace(written, dimensions=dimensions), now=NOW)
    project = make_project(rubric=rubric, annotators=[ada])
    drawn, numbers = random.Random(17), []  # noqa: S311 - the same batches on every run
    batches = [make_mixed_batch(project, drawn, histories) for histories in (1, 5, 6, 7, 12, 8)]
    batches[-1].complete = False
    batches[-1].save()
    for batch in batches:
        desks = {item.pk: item_view_of(lent(item, ada)) for item in batch.items.all()}
        for dimension in dimensions:
            asked = {
                pk
                for pk, desk in desks.items()
                if dimension in desk.dimensions(dimension.unit) and desk.targets(dimension)
            }
            found = set(Item.objects.with_dimension(dimension, batch).values_list("pk", flat=True))
            assert found == asked, (dimension.code, batch)
            numbers.append((len(found), len(desks)))
    assert any(found == items for found, items in numbers)
    assert any(found == 0 for found, _items in numbers)
    assert sum(0 < found < items for found, items in numbers) > len(numbers) / 3


# --- after an upload ---


def test_an_upload_says_for_how_many_items_a_dimension_is_asked_and_what_it_needs(
    here: Client, talks: Project
) -> None:
    assert told(here, [dialogue(1), dialogue(2, persona=False)]) == [
        PERSONA % "1 of 2",
        DIVERSITY % "0 of 2",
    ]


def test_an_upload_of_which_all_is_asked_says_no_more_than_its_number(
    here: Client, talks: Project
) -> None:
    assert told(here, [dialogue(number) for number in range(6)]) == []


def test_a_turn_without_a_history_is_told_likewise(here: Client, talks: Project) -> None:
    no_history = dialogue(6) | {"history": [], "context": "By the sea"}
    said = told(here, [*(dialogue(number) for number in range(6)), no_history])
    assert said == [HISTORY % "6 of 7"]


def test_an_item_that_no_dimension_is_asked_for_is_told_before_the_import(
    here: Client, lead: User
) -> None:
    written = rubric_document("dialogue")
    of_persona = [each for each in written.dimensions if each.needs == Needs(persona=True)]
    rubric, _ = Rubric.objects.load(
        replace(written, slug="persona", dimensions=tuple(of_persona)), now=NOW
    )
    make_project(slug="talks", rubric=rubric, leads=[lead])
    assert told(here, [dialogue(1), dialogue(2, persona=False)]) == [
        PERSONA % "1 of 2",
        "1 item is asked nothing, so nobody can rate it.",
    ]


def test_each_upload_is_counted_by_itself(here: Client, talks: Project) -> None:
    told(here, [dialogue(number) for number in range(6)])
    assert told(here, [dialogue(9)], "more.jsonl") == [DIVERSITY_OF_ONE]


def test_the_good_rows_of_an_upload_are_told_beside_the_bad_ones(
    here: Client, talks: Project
) -> None:
    sent = {"file": file_of([dialogue(1), {"id": "bad"}])}
    here.post("/projects/talks/upload/", sent)
    load_uploads()
    answer = here.get(Upload.objects.get().address)
    assert "1 row can’t be loaded" in words(answer)
    assert DIVERSITY_OF_ONE in words(answer)


def test_the_command_says_it_too(talks: Project, tmp_path: Path) -> None:
    file, out = tmp_path / "talks.jsonl", StringIO()
    file.write_bytes(file_of([dialogue(1), dialogue(2)]).read())
    call_command("import_batch", "talks", str(file), stdout=out)
    assert out.getvalue().splitlines() == [
        'Batch "talks": 2 items, 4 responses.',
        "Nothing says who speaks in history: user and assistant take turns.",
        DIVERSITY % "0 of 2",
    ]


# --- before an upload ---


def test_a_project_that_has_a_batch_says_at_its_name_that_each_is_a_corpus_of_its_own(
    here: Client, talks: Project
) -> None:
    here.post("/projects/talks/upload/", {"file": file_of([dialogue(1)])})
    load_uploads()
    address = Upload.objects.get().address
    assert CORPUS not in words(here.get(address))
    make_item(batch=make_batch(project=talks))
    page = here.get(address).content.decode()
    [beside_the_name] = re.findall(r'id="id_batch_helptext".*?</', page, re.S)
    assert CORPUS in beside_the_name


def test_a_rubric_that_compares_no_histories_says_nothing_of_a_corpus(
    here: Client, lead: User
) -> None:
    make_item(batch=make_batch(project=make_project(slug="eggs", leads=[lead])))
    here.post("/projects/eggs/upload/", {"file": file_of([dialogue(1)])})
    load_uploads()
    assert CORPUS not in words(here.get(Upload.objects.get().address))


# --- on the overview ---


def test_the_overview_says_it_for_all_batches_together(here: Client, talks: Project) -> None:
    for histories in (6, 3):
        batch = make_batch(project=talks)
        for number in range(histories):
            make_item(
                batch=batch,
                persona=["i keep bees."] * (number > 0),
                responses=[("gull", "one"), ("gull", "two")],
            )
    page = words(here.get("/projects/talks/"))
    assert DIVERSITY % "6 of 9" in page
    assert PERSONA % "7 of 9" in page
    assert "Coherence is asked" not in page


def test_the_overview_says_nothing_where_all_is_asked(here: Client, lead: User, ada: User) -> None:
    talk = make_talk(annotators=[ada])
    talk.memberships.create(user=lead, role="lead")
    assert "is asked for" not in words(here.get("/projects/talk/"))


def test_a_batch_is_counted_when_it_is_looked_at_first(here: Client, talks: Project) -> None:
    """No look after the first reads the items or the responses."""
    make_item(project=talks)
    looks = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as seen:
            assert "Diversity is asked for 0 of 1 item:" in words(here.get("/projects/talks/"))
        looks.append([query["sql"] for query in seen if 'FROM "tasks_response"' in query["sql"]])
    assert looks[0]
    assert looks[1] == []
