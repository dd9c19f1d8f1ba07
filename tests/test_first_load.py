"""What a browser has to fetch before the desk works: little, and in few requests."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from tests.factories import make_item, make_lease, make_project, make_rubric, make_user

MOST_REQUESTS = 8
MOST_BYTES = 65_000

pytestmark = pytest.mark.django_db


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
    whole = [page, words.content, *(Path(str(finders.find(name))).read_bytes() for name in files)]
    assert sum(len(gzip.compress(each)) for each in whole) <= MOST_BYTES
