"""Send requests over persistent connections, as a browser with htmx would.

`submit_next` starts `python -m benchmarks.load` as a process. The first JSON line on standard input
names the server and the content ({kind, host, port, path, sessions, answers}). The other lines are
commands, each answered by one JSON line:

- `open N`: N annotators connect, fetch their page, and send a few untimed requests → {}
- `send N`: they send N requests altogether → {seconds, waits, acknowledged}. `seconds` is from the
  first to the last, `waits` has one entry per response, `acknowledged` lists the stored ids.

If a response does not acknowledge the request, the process exits and prints the response.
"""

from __future__ import annotations

import gzip
import html
import http.client
import json
import re
import sys
import time
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar
from urllib.parse import urlencode

from .desk_page import TOKEN, Page

WARMING = 4  # requests of each annotator that are not timed
LONGEST_WAIT = 60  # seconds for one answer
LONGEST_REST = 4  # seconds after which the server may have closed an idle connection


class Refused(Exception):
    """A response that does not acknowledge the request."""


@dataclass
class Annotator(ABC):
    """One person with one connection, who calls `fetch` once and then `send` repeatedly."""

    orders: dict[str, Any]
    number: int
    line: http.client.HTTPConnection | None = None
    used: float = 0  # the time of the last response
    cookies: dict[str, str] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)

    def connect(self) -> None:
        """Open a new connection, fetch the page and warm up.

        The connection is new because the server closes idle ones after some seconds.
        """
        if self.line is not None:
            self.line.close()
        self.line = http.client.HTTPConnection(
            self.orders["host"], self.orders["port"], timeout=LONGEST_WAIT
        )
        self.cookies = {"sessionid": self.orders["sessions"][self.number], "csrftoken": TOKEN}
        self.fetch()
        for _ in range(WARMING):
            self.send()
        self.waits.clear()

    def ask(
        self, method: str, path: str, fields: dict[str, str] | None = None, *, target: str = ""
    ) -> str:
        """Send a request and return the whole response, decompressed.

        `target`: of a GET by htmx, the id of the element that it is for.
        """
        assert self.line is not None
        if time.perf_counter() - self.used > LONGEST_REST:
            self.line.close()  # the next request reopens it, as in a browser
        host = f"{self.orders['host']}:{self.orders['port']}"
        headers = {
            "Accept": "*/*",
            "Accept-Encoding": "gzip",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "User-Agent": "evenhand-bench",
        }
        body = None
        if fields is not None:
            body = urlencode({"csrfmiddlewaretoken": TOKEN, **fields})
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "HX-Request": "true",
                "HX-Current-URL": f"http://{host}{self.orders['path']}",
                "Origin": f"http://{host}",
                "Referer": f"http://{host}{self.orders['path']}",
            }
        if target:
            headers |= {"HX-Request": "true", "HX-Target": target}
        begun = time.perf_counter()
        self.line.request(method, path, body, headers)
        answer = self.line.getresponse()
        content = answer.read()
        self.used = time.perf_counter()
        self.waits.append(self.used - begun)
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        if answer.headers.get("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        page = content.decode()
        if answer.status != 200:
            raise Refused(f"{method} {path}: status {answer.status}: {page[:2000]}")
        return page

    @abstractmethod
    def fetch(self) -> None:
        """Fetch the first page."""

    @abstractmethod
    def send(self) -> None:
        """Send the form. Raises Refused if the response does not acknowledge it."""


@dataclass
class OfMinimal(Annotator):
    """An annotator that sends notes to the minimal view."""

    STORED: ClassVar = re.compile(r"stored as <b>(\d+)</b>")

    def fetch(self) -> None:
        self.ask("GET", self.orders["path"])

    def send(self) -> None:
        page = self.ask("POST", self.orders["path"], self.orders["answers"][0])
        stored = self.STORED.search(page)
        if stored is None:
            raise Refused(f"the minimal view did not store: {page[:2000]}")
        self.acknowledged.append(int(stored[1]))


@dataclass
class OfDesk(Annotator):
    """An annotator that submits ratings on the desk. Each response is the next item's form."""

    numbers: ClassVar = count()
    page: Page = field(default_factory=Page)

    def fetch(self) -> None:
        self.page = Page(self.ask("GET", self.orders["path"]))
        if self.page.start:
            self.page = Page(self.ask("POST", self.page.start, {}))
        if not self.page.lease:
            raise Refused(f"there is no form to rate: {self.page.words[:2000]}")

    def send(self) -> None:
        before, answers = self.page, self.orders["answers"]
        answer = answers[next(self.numbers) % len(answers)]
        fields = before.fields | answer | {"active_seconds": "41"}
        self.page = Page(self.ask("POST", f"{before.path}submit/", fields))
        if self.page.lease in (0, before.lease):
            raise Refused(f"the rating was not taken, or none is left: {self.page.words[:2000]}")
        self.acknowledged.append(before.lease)


@dataclass
class OfCases(Annotator):
    """A lead who settles cases. Each response is the next case.

    When the rows of the queue are used up, the page's script fetches it anew; so does this.
    """

    FORM: ClassVar = re.compile(r'<form id="decide"[^>]* action="([^"]*)"')
    VERSION: ClassVar = re.compile(r'name="version" value="([^"]*)"')
    TOKEN: ClassVar = re.compile(r'data-token="(\w+)"')
    ROW: ClassVar = re.compile(r'<li id="row-(\w+)">')
    page: str = ""
    rows: set[str] = field(default_factory=set)
    sent: int = 0

    def fetch(self) -> None:
        self.page = self.ask("GET", self.orders["path"])
        self.rows = set(self.ROW.findall(self.page))

    def send(self) -> None:
        form, version = self.FORM.search(self.page), self.VERSION.search(self.page)
        if not form or not version:
            raise Refused(f"there is no case to settle: {self.page[:2000]}")
        self.sent += 1
        choice = {"choice": "ABC"[self.sent % 3], "cause": "slip", "act": "decide"}
        address = html.unescape(form[1])
        self.page = self.ask("POST", address, {"version": version[1], **choice})
        token = self.TOKEN.search(self.page)
        if not token or "is saved." not in self.page:
            raise Refused(f"the decision was not taken, or no case is left: {self.page[:2000]}")
        self.acknowledged.append(self.sent)
        if token[1] not in self.rows:
            form = self.FORM.search(self.page)
            assert form
            queue = self.ask("GET", html.unescape(form[1]), target="queue-rows")
            self.waits[-2:] = [sum(self.waits[-2:])]  # of one decision
            self.rows = set(self.ROW.findall(queue))


KINDS = {"minimal": OfMinimal, "desk": OfDesk, "cases": OfCases}


def together(annotators: list[Annotator], requests: int) -> dict[str, Any]:
    """Let all annotators send their share of the requests at the same time."""
    each, rest = divmod(requests, len(annotators))
    shares = {annotator.number: each + (place < rest) for place, annotator in enumerate(annotators)}

    def send_share(annotator: Annotator) -> None:
        for _ in range(shares[annotator.number]):
            annotator.send()

    begun = time.perf_counter()
    with ThreadPoolExecutor(len(annotators)) as pool:
        list(pool.map(send_share, annotators))
    return {
        "seconds": time.perf_counter() - begun,
        "waits": [wait for annotator in annotators for wait in annotator.waits],
        "acknowledged": [number for annotator in annotators for number in annotator.acknowledged],
    }


def main() -> None:
    """Run the commands from standard input until it ends."""
    orders = json.loads(sys.stdin.readline())
    everyone = [KINDS[orders["kind"]](orders, number) for number in range(len(orders["sessions"]))]
    at_work: list[Annotator] = []
    for command in sys.stdin:
        word, number = command.split()
        outcome: dict[str, Any] = {}
        if word == "open":
            at_work = list(everyone[: int(number)])
            with ThreadPoolExecutor(len(at_work)) as pool:
                list(pool.map(type(at_work[0]).connect, at_work))
        else:
            outcome = together(at_work, int(number))
            for annotator in at_work:
                annotator.waits.clear()
                annotator.acknowledged.clear()
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    try:
        main()
    except (Refused, OSError, http.client.HTTPException) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
