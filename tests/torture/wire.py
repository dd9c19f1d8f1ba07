"""HTTP as a browser speaks it, and as a bad network breaks it. Knows nothing of the program."""

from __future__ import annotations

import gzip
import http.client
import random
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlencode

LONGEST_WAIT = 30.0  # seconds for one answer; more is a hang, and a hang is a broken promise
LONGEST_REST = 4.0  # seconds after which the server may close a connection


class Hang(Exception):
    """No answer came."""


class Cut(Exception):
    """The connection ended before the answer was there: what was sent may have been taken, or
    not."""


class Where(StrEnum):
    """Where a connection is cut."""

    HEADERS = "in the headers"
    BODY = "in the body"
    END = "before the last bytes of the body"
    SENT = "after the request"
    ANSWER = "in the answer"


@dataclass(frozen=True)
class Answer:
    """What came back, unpacked."""

    status: int
    headers: http.client.HTTPMessage
    page: str
    seconds: float


@dataclass
class Cookies:
    """Of one browser, with all its tabs."""

    known: dict[str, str] = field(default_factory=dict)

    def take(self, headers: http.client.HTTPMessage) -> None:
        for cookie in headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.known[name] = value

    def __str__(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.known.items())


class Flight:
    """Counts the requests that are on their way, one byte an annotator, in memory that others may
    read."""

    def __init__(self, memory: memoryview, place: int) -> None:
        self.memory = memory
        self.place = place
        self.lock = threading.Lock()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self.lock:
            self.memory[self.place] += 1
        try:
            yield
        finally:
            with self.lock:
                self.memory[self.place] -= 1


@dataclass
class Tab:
    """One tab: a connection that is kept, and opened anew where it rested."""

    host: str
    port: int
    cookies: Cookies
    flight: Flight
    line: http.client.HTTPConnection | None = None
    used: float = 0.0

    def ask(
        self, method: str, path: str, fields: Mapping[str, str] | None = None, *, htmx: bool = True
    ) -> Answer:
        """A request and the whole of its answer."""
        if self.line is None or time.monotonic() - self.used > LONGEST_REST:
            self.close()
            self.line = http.client.HTTPConnection(self.host, self.port, timeout=LONGEST_WAIT)
        body = None if fields is None else urlencode(fields).encode()
        begun = time.monotonic()
        try:
            with self.flight():
                self.line.request(method, path, body, self._headers(body, path, htmx=htmx))
                answer = self.line.getresponse()
                content = answer.read()
        except TimeoutError as error:
            self.close()
            raise Hang(f"{method} {path}: no answer in {time.monotonic() - begun:.0f} s") from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Cut(f"{method} {path}: {error!r}") from error
        self.used = time.monotonic()
        self.cookies.take(answer.headers)
        if answer.headers.get("Connection", "").lower() == "close":
            self.close()
        if answer.headers.get("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        return Answer(answer.status, answer.headers, content.decode(), self.used - begun)

    def break_off(
        self, path: str, fields: Mapping[str, str], where: Where, chance: random.Random
    ) -> None:
        """Send a form over a connection of its own, and cut it."""
        body = urlencode(fields).encode()
        lines = {**self._headers(body, path, htmx=True), "Host": f"{self.host}:{self.port}"}
        lines["Content-Length"] = str(len(body))
        head = "\r\n".join(
            [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in lines.items())]
        )
        whole = head.encode() + b"\r\n\r\n" + body
        start = len(whole) - len(body)
        upto = {
            Where.HEADERS: chance.randrange(1, start),
            Where.BODY: chance.randrange(start, len(whole) - 20),
            Where.END: len(whole) - chance.randrange(1, 20),
        }.get(where, len(whole))
        try:
            with (
                self.flight(),
                socket.create_connection((self.host, self.port), LONGEST_WAIT) as line,
            ):
                line.sendall(whole[:upto])
                if where is Where.ANSWER:
                    line.recv(chance.randrange(1, 60))
                elif where is Where.SENT:
                    time.sleep(chance.random() * 0.05)
        except TimeoutError as error:
            raise Hang(f"POST {path}: no answer in {LONGEST_WAIT:.0f} s") from error
        except OSError:
            return  # cut by the other end

    def close(self) -> None:
        """Let go of the connection."""
        if self.line is not None:
            self.line.close()
        self.line = None

    def _headers(self, body: bytes | None, path: str, *, htmx: bool) -> dict[str, str]:
        here = f"http://{self.host}:{self.port}"
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip", "Cookie": str(self.cookies)}
        if body is not None:
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "Origin": here,
                "Referer": here + path,
            }
            if htmx:
                headers |= {"HX-Request": "true", "HX-Current-URL": here + path}
        return headers
