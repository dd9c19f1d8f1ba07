"""What a browser has to fetch before the desk works: little, and in few requests. All is counted as
it is sent: static files collected and compressed by Brotli, pages by gzip."""

from __future__ import annotations

import fcntl
import gzip
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils import timezone

from config import settings as program
from tests.factories import make_item, make_lease, make_project, make_rating, make_rubric, make_user
from tests.settings import FOLDER

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
# What browsers send over TLS, and to the machine itself.
ENCODINGS = "gzip, deflate, br, zstd"

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Sent:
    """An answer as a browser gets it: its text, and the bytes and the encoding of its body."""

    text: str
    bytes: int
    encoding: str
    caching: str


@pytest.fixture(scope="module")
def _collected() -> Iterator[None]:
    """Collect the static files as the program has them, once for all processes, and serve those."""
    collected = Path(os.environ[FOLDER]) / "collected"
    with (
        collected.with_suffix(".lock").open("w") as lock,
        override_settings(
            STATIC_ROOT=collected,
            STORAGES=program.STORAGES,
            WHITENOISE_USE_FINDERS=False,
            WHITENOISE_AUTOREFRESH=False,
        ),
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not collected.exists():
            call_command("collectstatic", interactive=False, verbosity=0)
        fcntl.flock(lock, fcntl.LOCK_UN)
        yield


@pytest.fixture
def client(_collected: None) -> Client:
    """A browser with an empty cache."""
    return Client(headers={"accept-encoding": ENCODINGS})


def fetch(client: Client, address: str) -> Sent:
    answer = client.get(address)
    assert answer.status_code == 200, address
    body = answer.getvalue()
    encoding = answer.get("Content-Encoding", "")
    text = gzip.decompress(body).decode() if encoding == "gzip" else ""
    return Sent(text, len(body), encoding, answer["Cache-Control"])


def files_of(page: Sent) -> set[str]:
    return set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text))


def size(client: Client, page: Sent, files: set[str]) -> int:
    """The bytes of a page and its files."""
    return page.bytes + sum(fetch(client, file).bytes for file in files)


def test_scripts_and_style_sheets_are_sent_as_brotli_and_kept_for_good(client: Client) -> None:
    files = files_of(fetch(client, "/accounts/login/"))
    texts = [file for file in files if file.endswith((".css", ".js"))]
    assert texts
    for file in texts:
        sent = fetch(client, file)
        assert sent.encoding == "br", file
        assert "immutable" in sent.caching, file


def test_no_page_loads_more_than_80_kb(client: Client) -> None:
    people = [make_user(name=name) for name in ("lea", "ada", "ben", "cem")]
    project = make_project(slug="eggs", annotators=people, leads=people[:1])
    for _item in range(60):
        item = make_item(project=project)
        for annotator in people[:3]:
            make_rating(item=item, annotator=annotator)
    client.force_login(people[0])
    for address in PAGES:
        page = fetch(client, address.format(item=item.pk, batch=item.batch_id))
        assert size(client, page, files_of(page)) <= MOST_OF_A_PAGE, address


@pytest.mark.parametrize("rubric", ["response-quality", "dialogue"])
def test_the_desk_comes_in_few_requests_and_bytes(client: Client, rubric: str) -> None:
    ada = make_user(name="ada")
    project = make_project(slug="eggs", annotators=[ada], rubric=make_rubric(slug=rubric))
    item = make_item(
        project=project, responses=["One.", "Two.", "Three."], persona=["I keep bees."]
    )
    make_lease(item=item, annotator=ada, now=timezone.now())
    client.force_login(ada)
    page = fetch(client, "/projects/eggs/desk/")
    # The icon has come with the log-in, and no page waits for it.
    files = {file for file in files_of(page) if not file.endswith(".svg")}
    names = {re.sub(r"\.[0-9a-f]{12}\.", ".", file) for file in files}
    assert {"/static/css/desk.css", "/static/css/texts.css", "/static/js/desk.js"} <= names
    [beside] = re.findall(r'id="rubric"[^>]+data-hx-get="([^"]+)"', page.text)
    words = fetch(client, beside)
    assert words.caching == "private, max-age=31536000, immutable"
    assert len(files) + 2 <= MOST_REQUESTS
    assert size(client, page, files) + words.bytes <= MOST_BYTES
