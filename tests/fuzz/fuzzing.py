"""Requests at random to all pages, and what their answers may never have."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from time import monotonic, process_time
from typing import Any
from urllib.parse import urlencode, urlsplit

import hypothesis
from django.core.signals import got_request_exception
from django.db import transaction
from django.http import HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import Resolver404, resolve
from hypothesis import HealthCheck, Phase, strategies
from hypothesis.strategies import SearchStrategy

from tests.addresses import API, addresses

from .harvest import FoundForm, PageReader, parameters_of
from .hostile import broken_files, hostile_values, sent_fields, sent_headers
from .people import PROJECTS, Person

EXAMPLES = 8  # in a row, of one form
MOST_SECONDS = 2.0  # of this process's time for one answer
MOST_PAGES = 150  # that are read for their forms, of one person
# Pages of Django's own; and the API, which has calls at random of its own.
LEFT_OUT = ("admin/", API)
NUMBER = re.compile(r"(?<=/)\d+(?=/)")
SLUG = re.compile(rf"(?<=/projects/)({'|'.join(PROJECTS.values())})(?=/)")


@dataclass(frozen=True)
class RandomRequest:
    """A request that was drawn."""

    method: str
    address: str
    fields: dict[str, list[str]]
    files: dict[str, Any]
    headers: dict[str, str]

    def send(self, client: Client) -> HttpResponseBase:
        if self.method == "GET":
            query = urlencode(self.fields, doseq=True, errors="replace")
            path = self.address.partition("?")[0]
            return client.generic("GET", path, headers=self.headers, QUERY_STRING=query)
        # As a browser sends a form, apart from the headers that were drawn.
        content = encode_multipart(BOUNDARY, {**sendable(self.fields), **self.files})
        return client.generic(
            "POST", self.address, content, MULTIPART_CONTENT, headers=self.headers
        )


def sendable(fields: dict[str, list[str]]) -> dict[str, list[str]]:
    """Fields as a browser encodes them: half a pair of surrogates is a question mark."""
    pairs = {}
    for name, values in fields.items():
        encoded = [value.encode("utf-8", "replace").decode() for value in values]
        pairs[name.encode("utf-8", "replace").decode()] = encoded
    return pairs


@contextmanager
def taken_back() -> Iterator[None]:
    """Take back all that is stored inside, so that each request meets the same database."""
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined]  # a view may begin a durable one in it
    with block:
        yield
        transaction.set_rollback(True)


@dataclass
class PageFuzz:
    """Requests of all people to all forms and addresses in turns, until a time is over."""

    people: Sequence[Person]
    seed: int
    forms: list[FoundForm] = field(default_factory=list)
    answers: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    faults: dict[tuple[str, str], str] = field(default_factory=dict)  # the first of each kind
    slowest: float = 0.0  # seconds

    def read_pages(self) -> None:
        """Find what can be sent: the forms of all pages that people reach, and all addresses."""
        forms: dict[Any, FoundForm] = {}
        for person in self.people:
            for form in forms_of(person):
                forms.setdefault(form.key, form).finders.append(person.name)
        for pattern, example in addresses():
            if not pattern.startswith(LEFT_OUT):
                form = FoundForm(f"/{example}", "POST")
                forms.setdefault(form.key, form)
        self.forms = list(forms.values())

    def send_for(self, seconds: float, requests: int = 0) -> None:
        """Send requests for so long, or so many."""
        chance = Random(self.seed)  # noqa: S311 - no secret
        end = monotonic() + seconds
        while monotonic() < end and (not requests or self.answers.total() < requests):
            self._send_some(chance.choice(self.forms), chance)

    def _send_some(self, form: FoundForm, chance: Random) -> None:
        @hypothesis.seed(chance.getrandbits(64))
        @hypothesis.settings(
            database=None,
            deadline=None,
            max_examples=EXAMPLES,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @hypothesis.given(self._senders(form), requests_like(form))
        def send(person: Person, request: RandomRequest) -> None:
            self.judge(person, request)

        send()

    def _senders(self, form: FoundForm) -> SearchStrategy[Person]:
        """Who sends it: everybody, but in two of three cases somebody whose pages have it."""
        everybody = strategies.sampled_from(self.people)
        finders = [person for person in self.people if person.name in form.finders]
        if not finders:
            return everybody
        return strategies.one_of(
            everybody, strategies.sampled_from(finders), strategies.sampled_from(finders)
        )

    def judge(self, person: Person, request: RandomRequest) -> None:
        """Send a request, and note what is wrong with its answer."""
        request = without_words(request, person)
        errors: list[str] = []

        def note(**_details: Any) -> None:
            errors.append(traceback.format_exc(limit=-6))

        got_request_exception.connect(note)
        client = person.client()
        begin = process_time()
        try:
            with taken_back():
                response = request.send(client)
                content = content_of(response)
        finally:
            got_request_exception.disconnect(note)
        seconds = process_time() - begin
        self.slowest = max(self.slowest, seconds)
        pattern = pattern_of(request.address)
        self.answers[request.method, pattern, response.status_code] += 1
        faults = []
        if response.status_code >= 500:
            faults.append(f"{response.status_code} {errors[-1] if errors else content[:600]!r}")
        if seconds > MOST_SECONDS:
            faults.append(f"took {seconds:.1f} s of the processor")
        for word in person.never_reads:
            if word.encode() in content:
                faults.append(f"has the word “{word}”, of what this person may not see")
        for fault in faults:
            kind = (pattern, fault[-90:])
            text = f"{request.method} /{pattern}, by {person.name}: {fault}\n  {request}"
            self.faults.setdefault(kind, text[:4_000])


def content_of(response: HttpResponseBase) -> bytes:
    if isinstance(response, StreamingHttpResponse):
        return b"".join(response)
    return response.content  # type: ignore[attr-defined]


def pattern_of(address: str) -> str:
    try:
        return resolve(urlsplit(address).path).route
    except Resolver404:
        return "no page"


def without_words(request: RandomRequest, person: Person) -> RandomRequest:
    """Leave out words that the person may not read: a page quotes what was sent."""
    fields = {}
    for name, values in request.fields.items():
        fields[name] = [without(person.never_reads, value) for value in values]
    address = without(person.never_reads, request.address)
    return RandomRequest(request.method, address, fields, request.files, request.headers)


def without(words: Sequence[str], text: str) -> str:
    for word in words:
        text = text.replace(word, "x")
    return text


def forms_of(person: Person) -> Iterator[FoundForm]:
    """Follow a person's links from page to page, and return what can be sent from there."""
    client = person.client()
    waiting = ["/"]
    seen: set[tuple[str, frozenset[str]]] = set()
    read = 0
    while waiting and read < MOST_PAGES:
        address = waiting.pop(0)
        with taken_back():
            response = client.get(address, follow=True)
            content = content_of(response)
        if not response.get("Content-Type", "").startswith("text/html"):
            continue
        read += 1
        final = response.redirect_chain[-1][0] if response.redirect_chain else address
        reader = PageReader(final)
        reader.feed(content.decode())
        path = final.partition("?")[0]
        for form in reader.forms:
            if not form.address.lstrip("/").startswith(LEFT_OUT):
                yield form
        for link in reader.links:
            kind = pattern_of(link), frozenset(parameters_of(link))
            if link.startswith("/static/") or str(kind).startswith("admin"):
                continue
            yield FoundForm(link.partition("?")[0], "GET", parameters_of(link))
            # Pages of one kind have the same forms.
            if kind not in seen and link.startswith("/"):
                seen.add(kind)
                waiting.append(link)
        yield FoundForm(path, "GET", parameters_of(final))


@strategies.composite
def requests_like(draw: strategies.DrawFn, form: FoundForm) -> RandomRequest:
    """A request as a form makes it, with hostile values, headers and files now and then."""
    chance = strategies.integers(0, 9)
    address = form.address
    method = form.method
    if draw(chance) == 0:
        method = "POST" if method == "GET" else "GET"
    if draw(chance) < 2:
        address = NUMBER.sub(lambda _match: draw(strange_numbers), address)
    if draw(chance) < 2:
        other = draw(strategies.sampled_from([*PROJECTS.values(), "none"]))
        address = SLUG.sub(other, address)
    if draw(chance) == 0:
        values = draw(strategies.lists(hostile_values, max_size=2))
        address += "?" + urlencode([("page", value.encode("utf-8", "replace")) for value in values])
    fields = draw(sent_fields(form.fields))
    files = {}
    for name in form.files:
        if draw(chance) > 1:
            files[name] = draw(broken_files())
    return RandomRequest(method, address, fields, files, draw(sent_headers()))


strange_numbers = strategies.one_of(
    strategies.integers(0, 40).map(str),
    strategies.sampled_from(["2147483648", "9223372036854775808", "9" * 40]),
)
