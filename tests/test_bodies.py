"""A form that came in part is none: nothing of it is taken."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.test import override_settings
from django.urls import path

from config.request_bodies import Body, WholeBodies
from config.wsgi import application

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


def test_what_comes_after_the_announced_length_is_not_read() -> None:
    assert send(FORM + b"&comment=not+mine", len(FORM), KINDS[FORM]) == ["because it is so"]


def test_a_body_is_read_by_lines_too() -> None:
    body = Body(io.BytesIO(b"one\ntwo"))
    assert [body.readline(9), body.readline(2)] == [b"one\n", b"tw"]
    with pytest.raises(OSError, match="2 bytes too early"):
        body.readline(3)


def test_the_program_is_served_so() -> None:
    assert isinstance(application, WholeBodies)
