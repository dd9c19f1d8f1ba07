"""A form that came in part is none: nothing of it is taken."""

from __future__ import annotations

import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.test import Client, override_settings
from django.urls import path

from annotators.models import User
from config.request_bodies import Body, WholeBodies
from config.wsgi import application
from tests.factories import make_project

FORM = b"comment=because+it+is+so"
MULTIPART = (
    b'--edge\r\nContent-Disposition: form-data; name="comment"\r\n\r\nbecause it is so\r\n'
    b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    b"a,b\n1,2\n\r\n--edge--\r\n"
)
KINDS = {FORM: "application/x-www-form-urlencoded", MULTIPART: "multipart/form-data; boundary=edge"}


class Addresses:
    """One address, which says what it got."""

    seen: list[str] = []

    @staticmethod
    def view(request: HttpRequest) -> HttpResponse:
        try:
            Addresses.seen.append(request.POST.get("comment", "none"))
        except UnreadablePostError as error:
            Addresses.seen.append(str(error))
        return HttpResponse("answered")

    urlpatterns = [path("says/", lambda request: Addresses.view(request))]


def send(body: bytes, announced: int, kind: str) -> list[str]:
    """What the view saw of a body in which the connection broke, or did not."""
    Addresses.seen = []
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/says/",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "CONTENT_TYPE": kind,
        "CONTENT_LENGTH": str(announced),
        "wsgi.input": io.BytesIO(body),
        "wsgi.url_scheme": "http",
    }
    with override_settings(
        ROOT_URLCONF=Addresses,
        MIDDLEWARE=[],
        ALLOWED_HOSTS=["localhost"],
        SECURE_SSL_REDIRECT=False,
    ):
        WholeBodies(get_wsgi_application())(environ, lambda *_: None)
    return Addresses.seen


@pytest.mark.parametrize("form", KINDS)
def test_a_whole_form_is_taken(form: bytes) -> None:
    assert send(form, len(form), KINDS[form]) == ["because it is so"]


@pytest.mark.parametrize("form", KINDS)
@pytest.mark.parametrize("missing", [1, 3, 10])
def test_nothing_of_a_form_that_is_cut_off_is_taken(form: bytes, missing: int) -> None:
    [said] = send(form[:-missing], len(form), KINDS[form])
    assert said == f"the connection ended {missing} bytes too early"


def test_a_form_without_content_is_one() -> None:
    assert send(b"", 0, KINDS[FORM]) == ["none"]


def test_bytes_after_the_announced_length_of_a_body_are_not_read() -> None:
    assert send(FORM + b"&comment=not+mine", len(FORM), KINDS[FORM]) == ["because it is so"]


def test_a_body_is_read_by_lines_too() -> None:
    body = Body(io.BytesIO(b"one\ntwo"))
    assert [body.readline(9), body.readline(2)] == [b"one\n", b"tw"]
    with pytest.raises(OSError, match="2 bytes too early"):
        body.readline(3)


def test_the_program_is_served_so() -> None:
    assert isinstance(application, WholeBodies)


# --- files ---

LARGE = 3 * 2**20  # more than Django keeps in memory
ALLOWED = {("lead", "{own}"), ("annotator", "{other}")}  # ada leads the other project


@pytest.fixture
def disk(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """The folder of uploaded files, where nothing goes away by itself."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    gc.disable()
    yield tmp_path
    gc.enable()


@contextmanager
def watched(disk: Path) -> Iterator[list[Path]]:
    """The files that are on disk while a body is read."""
    seen: list[Path] = []
    write = TemporaryFileUploadHandler.receive_data_chunk

    def look(self: TemporaryFileUploadHandler, data: bytes, start: int) -> None:
        write(self, data, start)
        seen.extend(disk.iterdir())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", look)
        yield seen


@pytest.mark.django_db
@pytest.mark.parametrize("where", ["/accounts/login/", "/nowhere/upload/", "{own}", "{other}"])
@pytest.mark.parametrize("who", ["nobody", "annotator", "lead"])
def test_a_large_file_is_read_only_where_this_person_may_upload(
    client: Client, ada: User, lead: User, settings: Any, where: str, who: str
) -> None:
    settings.LARGEST_FORM = 1000
    make_project(slug="eggs", annotators=[ada], leads=[lead])
    make_project(slug="other", leads=[ada])
    if who != "nobody":
        client.force_login({"annotator": ada, "lead": lead}[who])
    address = where.format(own="/projects/eggs/upload/", other="/projects/other/upload/")
    answer = client.post(address, {"file": SimpleUploadedFile("a.csv", b"x" * 2000)})
    assert (answer.status_code == 413) is ((who, where) not in ALLOWED)


@pytest.mark.django_db
def test_a_body_that_is_too_large_for_a_page_is_refused_before_anyone_asks_who_sent_it(
    client: Client, lead: User, settings: Any, django_assert_num_queries: Any
) -> None:
    settings.LARGEST_FORM = 1000
    client.force_login(lead)
    file = SimpleUploadedFile("a.csv", b"x" * 2000)
    with django_assert_num_queries(0):
        assert client.post("/inbox/", {"file": file}).status_code == 413


@pytest.mark.django_db
def test_a_file_that_no_page_asks_for_is_never_written_to_disk(disk: Path) -> None:
    client = Client()
    with watched(disk) as seen:
        client.post("/accounts/login/", {"file": SimpleUploadedFile("a.csv", b"x" * LARGE)})
    assert seen == []


@pytest.mark.django_db
def test_nothing_is_left_of_an_upload_that_broke_off(lead: User, disk: Path) -> None:
    make_project(slug="eggs", leads=[lead])
    client = Client(raise_request_exception=False)
    client.force_login(lead)
    body = MULTIPART.replace(b"1,2\n", b"1,2\n" * (LARGE // 4))
    sent: Any = {"wsgi.input": Body(io.BytesIO(body[:-100]))}
    with watched(disk) as seen:
        answer = client.generic(
            "POST",
            "/projects/eggs/upload/",
            CONTENT_TYPE=KINDS[MULTIPART],
            CONTENT_LENGTH=str(len(body)),
            **sent,
        )
    assert answer.status_code == 400
    assert seen
    assert list(disk.iterdir()) == []
