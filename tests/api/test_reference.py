"""The page of the API: every operation, with an example that is sent anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from django.test import Client, override_settings

from annotators.models import User
from tasks.api.api import api
from tasks.api_pages import reference
from tasks.api_pages.reference import ApiOperation, resources_of, words_of
from tests.api.made_examples import made_examples
from tests.factories import make_user

FILE = Path(reference.__file__).with_name("examples.json")
WRITE = "WRITE_EXAMPLES"


@pytest.mark.django_db(transaction=True)
def test_the_examples_are_what_the_operations_say(lead: User) -> None:
    examples = made_examples(lead)
    if os.environ.get(WRITE):
        text = json.dumps(examples, ensure_ascii=False, indent=1)
        FILE.write_text(f"{text}\n", encoding="utf-8")
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    command = f"{WRITE}=1 .venv/bin/python -m pytest tests/api/test_reference.py"
    assert stored == examples, f"{command} writes {FILE.name} anew; read the difference"


def test_every_operation_has_an_example() -> None:
    operations = set()
    for bound in api._get_bound_routers():
        for view in bound.path_operations.values():
            operations |= {operation.view_func.__name__ for operation in view.operations}
    assert operations == set(json.loads(FILE.read_text(encoding="utf-8")))


@pytest.mark.django_db
def test_the_page_shows_operations_to_whoever_is_logged_in(client: Client) -> None:
    assert client.get("/api/").status_code == 302
    client.force_login(make_user())
    with override_settings(SITE_URL="https://rate.example.org"):
        page = client.get("/api/").content.decode()
    for resource in resources_of("https://rate.example.org"):
        for operation in resource.operations:
            assert f'id="{operation.key}"' in page
    assert "https://rate.example.org/api/v1/projects/everyday/scores?limit=1" in page
    assert 'id="too-many"' in page


def test_an_operation_has_its_parameters_a_call_and_an_answer() -> None:
    operations: dict[str, ApiOperation] = {}
    for resource in resources_of("https://rate.example.org"):
        operations |= {operation.key: operation for operation in resource.operations}
    added = operations["add_items"]
    assert (added.method, added.short) == ("POST", "items")
    parameters = {row.name: (row.kind, row.is_required) for row in added.parameters}
    assert parameters["slug"] == ("string", True)
    assert parameters["Idempotency-Key"] == ("string", False)
    assert parameters["items"] == ("list of object", True)
    assert parameters["existing"] == ('"refuse" | "skip"; default "refuse"', False)
    assert added.curl.text.startswith('curl --header "Authorization: Bearer $EVENHAND_TOKEN" \\\n')
    assert '"batch": "2026-11-30"' in added.curl.text
    assert added.answer_listing.text.startswith("{")
    assert "--form file=@more.csv" in operations["send_file"].curl.text
    assert "--request POST" in operations["pause_batch"].curl.text
    assert operations["get_job"].path == "/api/v1/projects/{slug}/jobs/{job}"


def test_code_in_a_text_comes_after_what_is_before_it() -> None:
    assert words_of("as `--item`\n does") == ["as ", "--item", " does"]
