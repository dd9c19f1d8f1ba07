"""The line between browser and server: it breaks in every way that there is, and notes what went
over it.

HTTP/1.1, one request on a connection to the server. Knows nothing of the program but what the paths
of the desk look like.
"""

from __future__ import annotations

import math
import re
import socket
import socketserver
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import parse_qsl

DESK = re.compile(r"/projects/[^/]+/desk/(\d+)/(\w+)/")
RATING = re.compile(r"/projects/[^/]+/ratings/\d+/\w+/")
LONGEST_WAIT = 30.0  # seconds
HELD = 0.7  # seconds for which a request is held back
DEVICE = re.compile(rb"\r\nuser-agent: [^\r]*device-(\w+)", re.I)
DOCUMENT = re.compile(rb"\r\nsec-fetch-dest: document", re.I)
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.I)
# Asked for anew: answers come unpacked, and end with the connection.
DROPPED = re.compile(rb"\r\n(?:connection|accept-encoding): [^\r]*", re.I)


class Fault(StrEnum):
    """What happens to one request."""

    BEFORE = "cut before the request"
    HALF = "cut in the request"
    AFTER = "cut before the answer"
    LATE = "held back"


@dataclass
class Sent:
    """A form of the desk on its way. `passed`: its answer has reached the browser; `arrived`: the
    server may have it. `said`: the answer. `begun`, `ended`: when the server was sent it, and when
    it had answered."""

    number: int
    device: str
    lease: int
    verb: str
    row: str  # that is to be judged
    fields: dict[str, str]
    fault: Fault | None
    arrived: bool = False
    passed: bool = False
    status: int = 0
    said: str = ""
    begun: float = math.inf
    ended: float = math.inf

    @property
    def writer(self) -> str:
        return self.fields.get("draft_writer", "")

    @property
    def order(self) -> int:
        """Its place among what its page sent."""
        return int(self.fields.get("draft_number") or 0)

    @property
    def version(self) -> str:
        """The name of what it saves, as a page that is shown it sends it."""
        return f"{self.writer}.{self.order}"

    @property
    def shown(self) -> str:
        """The version that its page was loaded with."""
        return self.fields.get("draft_shown", "")

    def __str__(self) -> str:
        fate = (
            "answered"
            if self.passed
            else "lost on the way back"
            if self.arrived
            else "never arrived"
        )
        fault = f", {self.fault}" if self.fault else ""
        comment = self.fields.get("comment", "")[-24:]
        return (
            f"#{self.number} {self.device} {self.verb} {self.row} of {self.lease}"
            f" by {self.writer[:4]}/{self.order} on {self.shown[:4]}/{self.shown[17:]}"
            f" {comment!r}: {fate} {self.status or ''}{fault}"
        )


@dataclass
class Network:
    """A line to `server`, which may change. `is_down`: nothing goes through."""

    server: tuple[str, int]
    is_down: bool = False
    faults: list[Fault] = field(default_factory=list)  # of the next forms
    log: list[Sent] = field(default_factory=list)
    pages: dict[str, float] = field(default_factory=dict)  # when a device last asked for one
    corrections: set[str] = field(
        default_factory=set
    )  # who wrote, or was shown, on a rating's page
    lock: threading.Lock = field(default_factory=threading.Lock)
    busy: int = 0

    def __post_init__(self) -> None:
        network = self

        class Line(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):
                    network.pass_on(self.request)

        self._listener = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Line)
        self._listener.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._listener.server_address[1]}"
        self._thread = threading.Thread(target=self._listener.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown()
        self._listener.server_close()

    def wait_until_idle(self) -> None:
        """Until what is on its way has come to its end."""
        deadline = time.monotonic() + LONGEST_WAIT
        while self.busy and time.monotonic() < deadline:
            time.sleep(0.01)

    def pass_on(self, client: socket.socket) -> None:
        """One request of a browser's, and its answer, whatever happens to them."""
        client.settimeout(LONGEST_WAIT)
        head, _, body = _upto(client, b"").partition(b"\r\n\r\n")
        if not head or self.is_down:
            return
        length = LENGTH.search(head)
        while length and len(body) < int(length[1]):
            body += client.recv(65536)
        with self.lock:
            self.busy += 1
        try:
            self._deliver(client, head, body, self._note(head, body))
        finally:
            with self.lock:
                self.busy -= 1

    def _note(self, head: bytes, body: bytes) -> Sent | None:
        method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        place = DESK.match(path)
        device = DEVICE.search(head)
        if method == "GET" and DOCUMENT.search(head) and device:
            self.pages[device[1].decode()] = time.monotonic()
        if method == "POST" and RATING.match(path):
            fields = dict(parse_qsl(body.decode())) if b"multipart" not in head else _parts(body)
            for name in ("draft_writer", "draft_shown"):
                self.corrections.add(fields.get(name, "").partition(".")[0])
        if method != "POST" or place is None:
            return None
        with self.lock:
            fault = self.faults.pop(0) if self.faults else None
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True))
            if b"multipart/form-data" in head:  # of a page that is being left
                fields = _parts(body)
            name = device[1].decode() if device else ""
            row = path.partition("?row=")[2]
            sent = Sent(len(self.log) + 1, name, int(place[1]), place[2], row, fields, fault)
            self.log.append(sent)
        return sent

    def _deliver(self, client: socket.socket, head: bytes, body: bytes, sent: Sent | None) -> None:
        fault = sent.fault if sent else None
        if fault is Fault.BEFORE:
            return
        if fault is Fault.LATE:
            time.sleep(HELD)
        head = DROPPED.sub(b"", head) + b"\r\nConnection: close\r\n\r\n"
        with socket.create_connection(self.server, LONGEST_WAIT) as line:
            if fault is Fault.HALF:
                line.sendall(head + body[: len(body) // 2])
                return
            if sent:
                sent.arrived, sent.begun = True, time.monotonic()
            line.sendall(head + body)
            answer = _all(line)
        if sent:  # without an answer it may still be stored a while later
            sent.ended = time.monotonic() + (0 if answer else LONGEST_WAIT)
        if not answer or fault is Fault.AFTER or self.is_down:
            return
        if sent:
            sent.status = int(answer.split(b" ", 2)[1])
            sent.said = answer.partition(b"\r\n\r\n")[2].decode(errors="replace")
            sent.passed = True
        client.sendall(answer)


def _upto(line: socket.socket, found: bytes) -> bytes:
    while b"\r\n\r\n" not in found:
        part = line.recv(65536)
        if not part:
            return b""
        found += part
    return found


def _all(line: socket.socket) -> bytes:
    parts = []
    while part := line.recv(65536):
        parts.append(part)
    return b"".join(parts)


def _parts(body: bytes) -> dict[str, str]:
    """The fields of a form that came in parts, each a text."""
    found = re.findall(rb'name="([^"]+)"\r\n\r\n(.*?)\r\n--', body, re.S)
    return {name.decode(): value.decode() for name, value in found}
