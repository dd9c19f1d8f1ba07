"""Pages travel compressed, and their length does not give away what is in them."""

from __future__ import annotations

import gzip

from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from config.middleware import Gzip

PAGE = "<p>One line of a page.</p>\n" * 200


def answered(response: HttpResponseBase, **headers: str) -> HttpResponseBase:
    request: HttpRequest = RequestFactory().get("/", headers=headers)
    return Gzip(lambda request: response)(request)  # type: ignore[return-value]


def asked_for(response: HttpResponseBase) -> HttpResponseBase:
    return answered(response, accept_encoding="deflate, gzip")


def test_a_page_comes_back_whole_from_what_is_sent() -> None:
    response = asked_for(HttpResponse(PAGE))
    assert isinstance(response, HttpResponse)
    assert response["Content-Encoding"] == "gzip"
    assert response["Vary"] == "Accept-Encoding"
    assert int(response["Content-Length"]) == len(response.content) < len(PAGE) / 5
    assert gzip.decompress(response.content).decode() == PAGE


def test_the_same_page_is_not_always_of_the_same_length() -> None:
    lengths = {int(asked_for(HttpResponse(PAGE))["Content-Length"]) for _ in range(40)}
    assert len(lengths) > 10
    assert max(lengths) - min(lengths) <= Gzip.max_random_bytes


def test_who_does_not_take_it_gets_the_page_as_it_is() -> None:
    response = answered(HttpResponse(PAGE))
    assert isinstance(response, HttpResponse)
    assert not response.has_header("Content-Encoding")
    assert response["Vary"] == "Accept-Encoding"
    assert response.content.decode() == PAGE


def test_a_few_words_are_sent_as_they_are() -> None:
    assert not asked_for(HttpResponse("Saved.")).has_header("Content-Encoding")


def test_what_is_compressed_already_is_left_alone() -> None:
    packed = gzip.compress(PAGE.encode())
    response = asked_for(HttpResponse(packed, headers={"Content-Encoding": "gzip"}))
    assert isinstance(response, HttpResponse)
    assert response.content == packed


def test_a_stream_is_compressed_as_it_goes() -> None:
    response = asked_for(StreamingHttpResponse(PAGE[:2700] for _ in range(2)))
    assert isinstance(response, StreamingHttpResponse)
    assert not isinstance(response, FileResponse)
    assert gzip.decompress(b"".join(response)).decode() == PAGE[:2700] * 2
