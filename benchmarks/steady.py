"""Simulate many annotators who work at their own pace, however slow the server is.

`annotators_at` starts `python -m benchmarks.steady` as a process. The first JSON line on standard
input names the server and the annotators ({host, port, path, people: [{session, lease}], answers,
seed}). The other lines are commands {annotators, warming, seconds}, each answered by one JSON line
{waits, saves, acknowledged, late}.

An annotator sends a rating every 30 s and eight drafts before it, at random times. (A request for a
verdict saves a draft.) This is an open load: a wait counts from the time when the request was due,
not from when it could be sent. Otherwise a slow server would profit from the annotators' waiting.
Requests due during the warm-up do not count.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import sys
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import urlencode

from .desk_page import TOKEN, Page

CYCLE = 30.0  # seconds for one rating
SAVES = 8
LONGEST_WAIT = 30.0  # seconds for one answer
LONGEST_DRAIN = 3.0  # seconds after the step in which overdue requests are still sent
LONGEST_REST = 4.0  # seconds after which the server may close an idle connection


class Refused(Exception):
    """A response that does not acknowledge the request."""


@dataclass
class Outcome:
    """The outcome of one step."""

    waits: list[float] = field(default_factory=list)  # seconds
    saves: int = 0
    acknowledged: list[int] = field(default_factory=list)  # leases of acknowledged ratings
    late: int = 0  # requests sent later than due


@dataclass
class Annotator:
    """One person with one connection, somewhere in the middle of an item."""

    orders: dict[str, Any]
    session: str
    lease: int
    chance: random.Random
    sent: int = 0  # drafts sent for the current item
    number: int = 0
    page: int = 0
    line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    used: float = 0.0

    def times(self, seconds: float) -> list[float]:
        """Return when requests are due: the rest for this item, then those for the next ones."""
        begun = -self.chance.random() * CYCLE
        found: list[float] = []
        while begun < seconds:
            found += sorted(begun + self.chance.random() * CYCLE for _ in range(SAVES))
            found.append(begun + CYCLE)
            begun += CYCLE
        return [due for due in found if 0 <= due < seconds]

    async def work(self, begun: float, warming: float, seconds: float, outcome: Outcome) -> None:
        """Send each request when it is due, or as soon as the previous one is answered."""
        for due in self.times(warming + seconds):
            now = time.perf_counter() - begun
            # The server is clearly overloaded, so count the wait so far and send no more.
            if now > warming + seconds + LONGEST_DRAIN:
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
            "comment": "",
            **answers[self.lease % len(answers)],
        }

    async def save(self) -> None:
        self.sent += 1
        fields = self.fields() | {"comment": "Said of three responses. " * self.sent}
        page = await self.ask(f"{self.orders['path']}{self.lease}/verdict/?row=r1-quality", fields)
        if not page.says_saved:
            raise Refused(f"a draft was not saved: {page.text[:2000]}")

    async def submit(self) -> int:
        """Submit the rating, and return its lease."""
        before = self.lease
        page = await self.ask(f"{self.orders['path']}{before}/submit/", self.fields())
        if page.lease in (0, before):
            raise Refused(f"the rating was not taken, or none is left: {page.words[:2000]}")
        self.lease, self.sent, self.page = page.lease, 0, next(_pages)
        return before

    async def ask(self, path: str, fields: dict[str, str]) -> Page:
        """Send a form and return the whole response, decompressed.

        Opens a new connection if the last one was idle for too long.
        """
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
        return Page(page)

    def request(self, path: str, body: bytes) -> bytes:
        here = f"http://{self.orders['host']}:{self.orders['port']}"
        head = (
            f"POST {path} HTTP/1.1\r\n"
            f"Host: {here.removeprefix('http://')}\r\nAccept-Encoding: gzip\r\n"
            f"Cookie: sessionid={self.session}; csrftoken={TOKEN}\r\n"
            f"Origin: {here}\r\nReferer: {here}/\r\n"
            f"HX-Request: true\r\nHX-Current-URL: {here}{self.orders['path']}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
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
    """Let these annotators work for the given seconds after the warm-up."""
    outcome = Outcome()
    begun = time.perf_counter()
    await asyncio.gather(*(person.work(begun, warming, seconds, outcome) for person in people))
    for person in people:
        person.close()
    return outcome


async def main() -> None:
    """Run the commands from standard input until it ends."""
    orders = json.loads(sys.stdin.readline())
    chance = random.Random(orders["seed"])  # noqa: S311 - due times, no secret
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
