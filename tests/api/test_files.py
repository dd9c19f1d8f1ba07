"""Programs send files of items and ratings, and read what became of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client, override_settings

from annotators.models import User
from config.web.raw_sql import one_row
from tasks.models import Batch, Item, Membership, Project, Rating, Upload
from tests.api.calling import Caller, Form, api_client
from tests.cases import cases
from tests.factories import make_membership, make_project, make_user
from tests.worker import work_on_files

pytestmark = pytest.mark.django_db(transaction=True)  # a worker has two connections

FILES = "projects/eggs/files"
OURS = "id,prompt,response,model\na,Why?,So.,heron\na,Why?,Else.,stork\nb,When?,Now.,heron\n"
# Texts of two models in columns whose names say nothing.
UNCLEAR = """prompt_id,prompt,heron,stork
p1,Which river runs through Vienna?,"The Danube, as two books say.","The Danube, past the port."
p2,How many legs does a spider have?,"Eight legs, in four pairs.","Eight: four more than you."
"""
MAPPING = """shape: columns
columns:
  prompt_id: id
  prompt: prompt
  heron: {use: response, model: heron}
  stork: {use: response, model: stork}
"""


@pytest.fixture
def project(lead: User) -> Project:
    return make_project(slug="eggs", leads=[lead])


@pytest.fixture
def caller(lead: User, project: Project) -> Caller:
    return api_client(lead, project, may_write=True, names_people=True, names_models=True)


def send(caller: Caller, text: str, *, name: str = "night.csv", **fields: Any) -> Any:
    return caller.post(FILES, Form(file=(name, text), **fields))


def job_of(caller: Caller, text: str, **fields: Any) -> Any:
    """The job of a file, once a worker has had it."""
    response = send(caller, text, **fields)
    assert response.status_code == 202, response.content
    work_on_files()
    return caller.value(response.json()["url"])


def test_a_file_waits_and_is_imported_by_a_worker(caller: Caller, lead: User) -> None:
    response = send(caller, OURS)
    assert response.status_code == 202, response.content
    job = response.json()
    assert (job["state"], job["file"], job["batch"]) == ("waiting", "night.csv", None)
    assert not Item.objects.exists()
    work_on_files()
    job = caller.value(job["url"])
    assert (job["state"], job["batch"]) == ("done", "night")
    assert (job["items"], job["responses"], job["bad_rows"]) == (2, 3, 0)
    assert (job["refused_because"], job["errors"]) == ([], [])
    batch = Batch.objects.get()
    assert (batch.name, batch.created_by) == ("night", lead)
    assert Item.objects.count() == 2


def test_the_options_of_the_command_are_fields(caller: Caller) -> None:
    text = OURS.replace(",", ";")
    job = job_of(caller, text, batch="Monday", warning="Hot.", delimiter=";", encoding="utf-8")
    assert (job["state"], job["batch"]) == ("done", "Monday")
    assert Batch.objects.get().warning == "Hot."


def test_a_choice_to_make_is_an_error_and_a_mapping_makes_it(
    caller: Caller, lead: User, client: Client
) -> None:
    """Or the lead makes it on the page of the file."""
    job = job_of(caller, UNCLEAR)
    assert job["state"] == "refused"
    client.force_login(lead)
    assert "what is it?" in client.get(job["page"]).content.decode()
    assert job["refused_because"]
    fault = job["errors"][0]
    assert (fault["line"], fault["column"], fault["reason"]) == (None, "heron", "what is it?")
    assert "one of these for “heron” below columns: response" in fault["advice"]
    assert 'heron: "?"' in job["mapping"]
    assert not Batch.objects.exists()
    job = job_of(caller, UNCLEAR, mapping=MAPPING)
    assert (job["state"], job["items"], job["responses"]) == ("done", 2, 4)
    assert "heron: {use: response, model: heron}" in Batch.objects.get().mapping


def test_a_part_to_choose_is_an_error_that_names_the_option_and_its_values(caller: Caller) -> None:
    rows = [{"id": "a", "prompt": "Why?", "response": "So."}]
    text = json.dumps({"monday": rows, "tuesday": rows})
    job = job_of(caller, text, name="week.json")
    assert job["errors"][0]["advice"] == "Send part, one of: monday, tuesday."
    job = job_of(caller, text, name="week.json", part="tuesday")
    assert (job["state"], job["items"]) == ("done", 1)


def test_a_lead_who_cancels_the_work_on_its_page_cancels_the_job(
    caller: Caller, lead: User, client: Client
) -> None:
    client.force_login(lead)
    job = send(caller, OURS).json()
    assert client.get(job["page"]).status_code == 200
    client.post(job["page"], {"act": "cancel"})
    assert caller.value(job["url"])["state"] == "cancelled"


def test_a_mapping_may_be_a_file_of_the_form(caller: Caller) -> None:
    job = job_of(caller, UNCLEAR, mapping=("mapping.yaml", MAPPING))
    assert job["state"] == "done"


@pytest.mark.parametrize("hidden", ["names_people", "names_models"])
def test_a_job_quotes_nothing_of_its_file_to_a_token_that_may_not_read_names(
    caller: Caller, lead: User, project: Project, hidden: str
) -> None:
    job = job_of(caller, f"{OURS},Why?,So.,heron\n", name="n.csv", mapping="")
    choice = job_of(caller, UNCLEAR)
    assert "heron" in json.dumps(choice)
    readable = {"names_people": True, "names_models": True} | {hidden: False}
    reader = api_client(lead, project, **readable)
    masked = reader.value(job["url"])
    assert (masked["state"], masked["bad_rows"]) == ("refused", 1)
    assert [(fault["line"], fault["value"]) for fault in masked["errors"]] == [(5, "")]
    assert "heron" not in json.dumps([masked, reader.value(choice["url"])])


def test_a_bad_row_refuses_all_unless_the_good_ones_are_wanted(caller: Caller) -> None:
    text = f"{OURS},Why not?,So.,heron\n"
    job = job_of(caller, text)
    assert (job["state"], job["bad_rows"]) == ("refused", 1)
    assert job["errors"][0]["line"] == 5
    assert "take_good=true" in job["refused_because"][-1]
    assert not Item.objects.exists()
    job = job_of(caller, text, take_good="true")
    assert (job["state"], job["items"], job["bad_rows"]) == ("done", 2, 1)


def test_ratings_come_in_by_a_file_too(caller: Caller) -> None:
    text = "id,prompt,response,model,annotator,quality\n"
    for number in range(3):
        for person in ("Anna", "Ben"):
            text += f"q{number},Why {number}?,So it is.,heron,{person},{number + 3}\n"
    job = job_of(caller, text)
    assert (job["state"], job["ratings"], job["items"]) == ("done", 6, 3), job
    assert Rating.objects.count() == 6


def test_a_file_that_is_there_already_is_refused_by_its_batch(caller: Caller) -> None:
    job_of(caller, OURS)
    job = job_of(caller, OURS, name="again.csv")
    assert job["state"] == "refused"
    assert "already in the project, as batch “night”" in job["refused_because"][0]


def test_a_file_is_taken_once_for_a_key(caller: Caller) -> None:
    key = {"Idempotency-Key": "night-1"}
    first = caller.post(FILES, Form(file=("a.csv", OURS)), **key)
    again = caller.post(FILES, Form(file=("a.csv", OURS)), **key)
    other = caller.post(FILES, Form(file=("a.csv", OURS), take_good="true"), **key)
    assert (first.status_code, again.json()) == (202, first.json())
    assert other.status_code == 422
    assert Upload.objects.count() == 1


# --- what is refused before a job ---


@cases(
    "fields, pointer",
    [
        ({"mapping": "columns: {prompt: colour}"}, "/mapping"),
        ({"mapping": ("m.yaml", "columns: [")}, "/mapping"),
        ({"batch": "x" * 201}, None),
        ({"encoding": "morse"}, None),
        ({"header": "10001"}, None),
        ({"batch": "a\0b"}, "/batch"),
        ({"take_god": "true"}, ""),
        ({"files": ("b.csv", OURS)}, ""),
        ({"file": ("empty.csv", "")}, "/file"),
        ({"file": ""}, None),
    ],
)
def test_a_form_that_does_not_fit_is_a_422(
    caller: Caller, fields: dict[str, Any], pointer: str | None
) -> None:
    response = caller.post(FILES, Form({"file": ("a.csv", OURS)} | fields))
    assert response.status_code == 422, response.content
    assert response.json()["errors"][0].get("pointer") == pointer
    assert not Upload.objects.exists()


def test_an_unknown_encoding_is_refused_with_those_that_are_known(caller: Caller) -> None:
    response = caller.post(FILES, Form({"file": ("a.csv", OURS), "encoding": "morse"}))
    assert response.json()["errors"][0]["allowed"].startswith("one of windows-1252, ")


def test_a_file_that_is_no_form_is_a_415(caller: Caller) -> None:
    assert caller.post(FILES, {"file": OURS}).status_code == 415


def test_a_large_file_goes_to_disk_by_a_token_that_may_write_and_counts_one_call(
    caller: Caller, lead: User, project: Project
) -> None:
    """Whoever may not send it is told so, however large it is."""
    reader = api_client(lead, project)
    elsewhere = make_project(slug="ham")
    other = make_user()
    make_membership(project=elsewhere, user=other, role=Membership.Role.LEAD)
    stranger = api_client(other, may_write=True)
    with override_settings(LARGEST_FORM=10, FILE_UPLOAD_MAX_MEMORY_SIZE=10):
        assert send(caller, OURS).status_code == 202
        assert send(Caller("evh_none"), OURS).status_code == 401
        assert send(reader, OURS).status_code == 403
        assert send(stranger, OURS).status_code == 404
        with override_settings(UPLOAD_LIMIT=10):
            assert send(caller, OURS).status_code == 413
    assert Upload.objects.count() == 1
    calls = "SELECT calls FROM tasks_tokenuse WHERE token_id = %s"
    assert reader.token
    assert one_row(calls, [reader.token.pk]) == (1,)


def test_a_job_is_its_owners_and_of_its_project(caller: Caller, project: Project) -> None:
    job = send(caller, OURS).json()
    colleague = make_user()
    make_membership(project=project, user=colleague, role=Membership.Role.LEAD)
    assert api_client(colleague, project).get(job["url"]).status_code == 404
    make_project(slug="ham", leads=[User.objects.get(username="lea")])
    everywhere = api_client(User.objects.get(username="lea"))
    assert everywhere.get(f"projects/ham/jobs/{job['id']}").status_code == 404
    assert everywhere.get(f"projects/eggs/jobs/{job['id']}").status_code == 200
