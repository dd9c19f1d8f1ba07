"""The steady load: a process that has many annotators at work, at their own pace, whatever the
server does.

`python -m benchmarks.steady`, spoken to by `annotators_at`. On standard input one JSON line says
whom to speak to ({host, port, path, people: [{session, lease}], answers, seed}); then commands
{annotators, warming, seconds}, each answered by a JSON line {waits, saves, acknowledged, late}.

An annotator sends a rating every 30 s, and eight drafts before it (questions for a verdict, which
save), at times drawn at random. The load is open: what is due is due, and a wait is counted from
then on and not from when the request could be sent, so that a server that holds everybody up is not
spared by their waiting. What is due in the warming is not counted. Knows neither Django nor the
program: only what is on the pages.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
import sys
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import urlencode

CYCLE = 30.0  # seconds for one rating
SAVES = 8
LONGEST_WAIT = 30.0  # seconds for one answer
LONGEST_DRAIN = 3.0  # seconds for what was due and could not be sent in its time
LONGEST_REST = 4.0  # seconds after which the server may close a connection
TOKEN = "t" * 32
FORM = re.compile(r'<form id="rating"[^>]* action="/[^"]*/(\d+)/submit/"')
SAVED = re.compile(r'id="conflict" data-hx-swap-oob="true"></div>')


class Refused(Exception):
    """The server's answer was no acknowledgement."""


@dataclass
class Outcome:
    """Of one step: waits in seconds; leases whose ratings were acknowledged; what was sent later
    than due."""

    waits: list[float] = field(default_factory=list)
    saves: int = 0
    acknowledged: list[int] = field(default_factory=list)
    late: int = 0


@dataclass
class Annotator:
    """One person with one connection, who is somewhere in the middle of an item."""

    orders: dict[str, Any]
    session: str
    lease: int
    chance: random.Random
    sent: int = 0  # drafts of this item
    number: int = 0
    page: int = 0
    line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    used: float = 0.0

    def times(self, seconds: float) -> list[float]:
        """When requests are due, from now on: the rest of this item's and those of the next."""
        begun = -self.chance.random() * CYCLE
        found: list[float] = []
        while begun < seconds:
            found += sorted(begun + self.chance.random() * CYCLE for _ in range(SAVES))
            found.append(begun + CYCLE)
            begun += CYCLE
        return [due for due in found if 0 <= due < seconds]

    async def work(self, begun: float, warming: float, seconds: float, outcome: Outcome) -> None:
        """Send each request when it is due, or as soon as the one before it is answered."""
        for due in self.times(warming + seconds):
            now = time.perf_counter() - begun
            if (
                now > warming + seconds + LONGEST_DRAIN
            ):  # more than the server bears; this is known by now
                outcome.waits.append(now - due)
                continue
            await asyncio.sleep(max(0.0, due - now))
            outcome.late += now > due + 0.005
            if self.sent < SAVES:
                await self.save()
                outcome.saves += 1
            else:
                outcome.acknowledged.append(await self.submit())
            if due >= warming:
                outcome.waits.append(time.perf_counter() - begun - due)

    def fields(self) -> dict[str, str]:
        self.number += 1
        answers = self.orders["answers"]
        return {
            "csrfmiddlewaretoken": TOKEN,
            "seen": "",
            "active_seconds": "21",
            "draft_writer": f"{self.page:016x}",
            "draft_number": str(self.number),
            "draft_revision": "0",
            "comment": "",
            **answers[self.lease % len(answers)],
        }

    async def save(self) -> None:
        self.sent += 1
        fields = self.fields() | {"comment": "Said of three responses. " * self.sent}
        page = await self.ask(f"{self.orders['path']}{self.lease}/verdict/?row=r1-quality", fields)
        if not SAVED.search(page):
            raise Refused(f"a draft was not saved: {page[:2000]}")

    async def submit(self) -> int:
        """The lease that was rated."""
        before = self.lease
        page = await self.ask(f"{self.orders['path']}{before}/submit/", self.fields())
        form = FORM.search(page)
        if form is None or int(form[1]) == before:
            said = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
            raise Refused(f"the rating was not taken, or there is no more to rate: {said[:2000]}")
        self.lease, self.sent, self.page = int(form[1]), 0, next(_pages)
        return before

    async def ask(self, path: str, fields: dict[str, str]) -> str:
        """A form and the whole of its answer, unpacked; over a new connection where the last one
        rested."""
        if self.line is None or time.perf_counter() - self.used > LONGEST_REST:
            self.close()
            self.line = await asyncio.open_connection(self.orders["host"], self.orders["port"])
        reader, writer = self.line
        writer.write(self.request(path, urlencode(fields).encode()))
        status, headers, body = await asyncio.wait_for(_answer(reader), LONGEST_WAIT)
        self.used = time.perf_counter()
        if headers.get("connection") == "close":
            self.close()
        page = (
            gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
        ).decode()
        if status != 200:
            raise Refused(f"{path}: status {status}: {page[:2000]}")
        return page

    def request(self, path: str, body: bytes) -> bytes:
        here = f"http://{self.orders['host']}:{self.orders['port']}"
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {here.removeprefix('http://')}\r\nAccept-Encoding: gzip\r\n"
            f"Cookie: sessionid={self.session}; csrftoken={TOKEN}\r\nOrigin: {here}\r\nReferer: {here}/\r\n"
            f"HX-Request: true\r\nHX-Current-URL: {here}{self.orders['path']}\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def close(self) -> None:
        if self.line is not None:
            self.line[1].close()
        self.line = None


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip().lower() for name, _, value in pairs}
    body = await reader.readexactly(int(headers["content-length"]))
    return int(head[0].split(" ")[1]), headers, body


_pages = count(1_000_000)


async def step(people: list[Annotator], warming: float, seconds: float) -> Outcome:
    """Have so many at work for so long."""
    outcome = Outcome()
    begun = time.perf_counter()
    await asyncio.gather(*(person.work(begun, warming, seconds, outcome) for person in people))
    for person in people:
        person.close()
    return outcome


async def main() -> None:
    """Do what standard input says until it ends."""
    orders = json.loads(sys.stdin.readline())
    chance = random.Random(orders["seed"])  # noqa: S311 - when what is due, no secret
    everyone = [
        Annotator(
            orders,
            person["session"],
            person["lease"],
            random.Random(chance.random()),  # noqa: S311 - likewise
            sent=chance.randrange(SAVES + 1),
            page=next(_pages),
        )
        for person in orders["people"]
    ]
    for command in map(json.loads, sys.stdin):
        outcome = await step(
            everyone[: command["annotators"]], command["warming"], command["seconds"]
        )
        print(json.dumps(vars(outcome)), flush=True)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (Refused, OSError, EOFError, TimeoutError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
