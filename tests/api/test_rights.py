"""Every operation by everybody: a new one without a row here fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from annotators.models import User
from tasks.api.api import api
from tasks.api.authentication import READS, WRITES
from tasks.models import Membership, Project, Upload
from tests.api.calling import Caller, Form, api_client
from tests.factories import (
    make_batch,
    make_item,
    make_membership,
    make_project,
    make_rating,
    make_user,
)

READ_200 = {"read": 200, "write": 200, "admin": 200}
NOBODY = {"no token": 401, "annotator": 401}
READ_OWN = NOBODY | {"another lead": 404} | READ_200
OF_SENDER = READ_OWN | {"admin": 404}
WRITE_200 = NOBODY | {"another lead": 404, "read": 403, "write": 200, "admin": 200}
WRITE_202 = WRITE_200 | {"write": 202, "admin": 202}
WRITE_409 = WRITE_200 | {"write": 409, "admin": 409}
NAMES: dict[str, Any] = {"names_people": True, "names_models": True}  # which exports have
# What a caller of another project may never read: it stands in the project of the others.
SECRET = "a text of the others"
BATCH = "projects/{slug:slug}/batches/{path:name}"
ITEM = "projects/{slug:slug}/items/{path:item}"
FILE = Form(file=(f"{SECRET}.csv", "id,prompt,response\na,Why?,So.\n"))
CASE_QUERY = f"?item={quote(SECRET)}&target=1&dimension=quality"
OLD_CASE = {"item": SECRET, "target": 1, "dimension": "quality", "version": "0:0:"}
CHECKS = {"rubric": "response-quality", "dimension": "quality", "items": [[{"checks": []}]]}


@dataclass(frozen=True)
class Row:
    """An operation: what is sent, and the status that each caller gets."""

    method: str
    address: str  # as the router writes it
    statuses: dict[str, int]
    body: object = None
    query: str = ""


# By caller: no token; the token of someone who rates only; that of a lead of another project; a
# lead's that reads, and one that reads and writes; an admin's, which writes.
ROWS = [
    Row("GET", "projects", NOBODY | {"another lead": 200} | READ_200),
    Row(
        "POST",
        "projects",
        NOBODY | {"another lead": 201, "read": 403, "write": 403, "admin": 201},
        {"title": "Made", "rubric": "response-quality"},
    ),
    Row(
        "POST",
        "projects/{slug:slug}/items",
        WRITE_200,
        {
            "batch": "night",
            "items": [{"id": "a", "prompt": "p", "response": "r"}],
            "existing": "skip",
        },
    ),
    Row("GET", "projects/{slug:slug}", READ_OWN),
    Row("GET", "projects/{slug:slug}/ratings", READ_OWN),
    Row("GET", "projects/{slug:slug}/scores", READ_OWN),
    Row("GET", "projects/{slug:slug}/rubric", READ_OWN),
    Row("GET", "projects/{slug:slug}/batches", READ_OWN),
    Row("GET", "projects/{slug:slug}/items", READ_OWN),
    Row("GET", "projects/{slug:slug}/decisions", READ_OWN),
    Row("GET", "projects/{slug:slug}/agreement", READ_OWN),
    Row("GET", "projects/{slug:slug}/people", READ_OWN),
    Row("GET", "projects/{slug:slug}/events", READ_OWN),
    Row("GET", "projects/{slug:slug}/export", READ_OWN),
    Row("GET", "projects/{slug:slug}/export/manifest", READ_OWN),
    Row("POST", "projects/{slug:slug}/files", WRITE_202, FILE),
    Row("GET", "projects/{slug:slug}/jobs/{int:job}", OF_SENDER),
    Row("POST", f"{BATCH}/pause", WRITE_200),
    Row("POST", f"{BATCH}/resume", WRITE_200),
    Row("POST", f"{BATCH}/close", WRITE_200),
    Row("POST", f"{BATCH}/complete", WRITE_200),
    Row("POST", f"{ITEM}/drop", WRITE_200, {"why": "Twice."}),
    Row("POST", f"{ITEM}/take-back", WRITE_200, {"why": "Once."}),
    Row("GET", "projects/{slug:slug}/case", READ_OWN, query=CASE_QUERY),
    Row("POST", "projects/{slug:slug}/decisions", WRITE_409, OLD_CASE | {"score": 4}),
    Row("POST", "projects/{slug:slug}/decisions/take-back", WRITE_409, OLD_CASE),
    Row("POST", "verdict", NOBODY | {"another lead": 200} | READ_200, CHECKS),
]
# Those that store something when they are sent as above. A form has its test in test_files.py.
WRITING = [
    row for row in ROWS if row.statuses["read"] == 403 and row.statuses["admin"] in (200, 201)
]
EXAMPLES = {
    "{slug:slug}": "eggs",
    "{path:name}": "night",
    "{path:item}": quote(SECRET),
}


def operations() -> Iterator[tuple[str, str]]:
    """Each operation of the router."""
    for bound in api._get_bound_routers():
        for path, view in bound.path_operations.items():
            for operation in view.operations:
                for method in operation.methods:
                    yield method, path.strip("/")


@pytest.fixture
def project(lead: User, ada: User) -> Project:
    """At /projects/eggs/: lea leads, and ada rates."""
    project = make_project(slug="eggs", title=SECRET, leads=[lead], annotators=[ada])
    batch = make_batch(project=project, name="night", complete=False)
    make_rating(item=make_item(batch=batch, external_id=SECRET), annotator=ada)
    return project


@pytest.fixture
def callers(lead: User, ada: User, project: Project) -> dict[str, Caller]:
    """Everybody who may come, by name. The lead has sent a file."""
    other = make_user()
    elsewhere = make_project(slug="ham", leads=[other])
    make_membership(project=elsewhere, user=ada, role=Membership.Role.LEAD)
    former = api_client(ada, project, may_write=True)  # made when she led
    writer = api_client(lead, project, may_write=True, **NAMES)
    writer.post("projects/eggs/files", FILE)
    return {
        "no token": Caller(),
        "annotator": former,
        "another lead": api_client(other, may_write=True, **NAMES),
        "read": api_client(lead, project, **NAMES),
        "write": writer,
        "admin": api_client(make_user(admin=True), may_write=True, **NAMES),
    }


def example_of(row: Row) -> str:
    """An address of an operation, below /api/v1/."""
    address = row.address
    job = str(Upload.objects.earliest("pk").pk)
    for placeholder, example in {**EXAMPLES, "{int:job}": job}.items():
        address = address.replace(placeholder, example)
    return address + row.query


def as_parameter(row: Row) -> Any:
    """A row by its name. An export has a snapshot of its own, which sees what is committed."""
    is_export = "/export" in row.address
    marks = [pytest.mark.django_db(transaction=True)] if is_export else []
    return pytest.param(row, id=f"{row.method} {row.address}", marks=marks)


def test_every_operation_has_a_row() -> None:
    assert {(row.method, row.address) for row in ROWS} == set(operations())
    assert len(ROWS) == len({(row.method, row.address) for row in ROWS})


def test_every_row_says_what_each_caller_gets(callers: dict[str, Caller]) -> None:
    assert [row for row in ROWS if set(row.statuses) != set(callers)] == []


@pytest.mark.parametrize("row", [*map(as_parameter, ROWS)])
def test_an_operation_answers_each_caller_as_its_row_says(
    callers: dict[str, Caller], row: Row
) -> None:
    found = {}
    for name, caller in callers.items():
        response = caller.call(row.method, example_of(row), row.body)
        found[name] = response.status_code
        if response.status_code >= 400:
            assert response.headers["Content-Type"] == "application/problem+json"
        content = response.getvalue().decode()
        if name in ("no token", "annotator", "another lead"):
            assert SECRET not in content
    assert found == row.statuses


def test_an_operation_that_is_no_get_asks_for_a_token_that_writes() -> None:
    """But those that only compute: each says so here."""
    computing = {"/verdict"}
    wrong = []
    for bound in api._get_bound_routers():
        for path, view in bound.path_operations.items():
            for operation in view.operations:
                wanted = READS if operation.methods == ["GET"] or path in computing else WRITES
                if list(operation.auth_callbacks) != [wanted]:
                    wrong.append(path)
    assert wrong == []


@pytest.mark.parametrize("row", WRITING, ids=lambda row: f"{row.method} {row.address}")
def test_a_call_that_writes_is_done_once_for_a_key(callers: dict[str, Caller], row: Row) -> None:
    caller = callers["admin"]
    address = f"/api/v1/{example_of(row)}"
    headers = {"Authorization": f"Bearer {caller.secret}", "Idempotency-Key": "night-1"}
    body = "" if row.body is None else json.dumps(row.body)
    first, again, other = [
        caller.client.post(address, text, content_type="application/json", headers=headers)
        for text in (body, body, f"{body} ")
    ]
    assert first.status_code == row.statuses["admin"]
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert "Idempotency-Key" in other.json()["detail"]


def test_every_operation_has_a_name_of_its_own_and_says_what_it_answers() -> None:
    document = api.get_openapi_schema()
    every = [operation for methods in document["paths"].values() for operation in methods.values()]
    names = [operation["operationId"] for operation in every]
    assert sorted(names) == sorted(set(names))
    for operation in every:
        [success] = [status for status in operation["responses"] if int(status) < 300]
        types = operation["responses"][success]["content"].values()
        assert all("schema" in content for content in types), operation["operationId"]
        assert operation["description"]
