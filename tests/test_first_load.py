"""What a browser has to fetch before the desk works: little, and in few requests."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from tests.factories import make_item, make_lease, make_project, make_rating, make_rubric, make_user

MOST_REQUESTS = 8
MOST_BYTES = 65_000
MOST_OF_A_PAGE = 80_000
# Of a project with 60 items and 4 people, as its lead opens them with an empty cache.
PAGES = (
    *("/", "/inbox/", "/profile/", "/work/", "/rubrics/", "/projects/new/"),
    *(f"/projects/eggs/{tab}" for tab in ("", "items/", "people/", "agreement/", "export/")),
    *("/projects/eggs/settings/", "/projects/eggs/upload/", "/projects/eggs/rubric/1/"),
    *("/projects/eggs/items/{item}/", "/projects/eggs/batches/{batch}/"),
    *("/projects/eggs/desk/", "/projects/eggs/ratings/"),
)

pytestmark = pytest.mark.django_db


def size(page: bytes, files: set[str]) -> int:
    """The bytes of a page and its files, compressed."""
    whole = [page, *(Path(str(finders.find(name))).read_bytes() for name in files)]
    return sum(len(gzip.compress(each)) for each in whole)


def test_no_page_loads_more_than_80_kb(client: Client) -> None:
    people = [make_user(name=name) for name in ("lea", "ada", "ben", "cem")]
    project = make_project(slug="eggs", annotators=people, leads=people[:1])
    for _item in range(60):
        item = make_item(project=project)
        for annotator in people[:3]:
            make_rating(item=item, annotator=annotator)
    client.force_login(people[0])
    for address in PAGES:
        page = client.get(address.format(item=item.pk, batch=item.batch_id))
        assert page.status_code == 200, address
        files = set(re.findall(r'(?:href|src)="/static/([^"]+)"', page.content.decode()))
        assert size(page.content, files) <= MOST_OF_A_PAGE, address


@pytest.mark.parametrize("rubric", ["response-quality", "dialogue"])
def test_the_desk_comes_in_few_requests_and_bytes(client: Client, rubric: str) -> None:
    ada = make_user(name="ada")
    project = make_project(slug="eggs", annotators=[ada], rubric=make_rubric(slug=rubric))
    item = make_item(
        project=project, responses=["One.", "Two.", "Three."], persona=["I keep bees."]
    )
    make_lease(item=item, annotator=ada, now=timezone.now())
    client.force_login(ada)
    page = client.get("/projects/eggs/desk/").content
    files = set(re.findall(r'(?:href|src)="/static/([^"]+)"', page.decode()))
    assert {"css/desk.css", "js/desk.js"} <= files
    [beside] = re.findall(r'id="rubric"[^>]+data-hx-get="([^"]+)"', page.decode())
    words = client.get(beside)
    assert words["Cache-Control"] == "private, max-age=31536000, immutable"
    fetched = files - {"favicon.svg"}  # which the log-in has brought, and no page waits for
    assert len(fetched) + 2 <= MOST_REQUESTS
    assert size(page, files) + len(gzip.compress(words.content)) <= MOST_BYTES
