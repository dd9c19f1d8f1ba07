"""A process of annotators, a thread for each: `python -m tests.torture.crowd`.

The first line of standard input says, as JSON, who and where; the end of it says that it is over.
Standard output has a JSON line every quarter of a second, {acknowledged, silent}, and a last one
with what was done, how long the longest answer took, and the complaints. In memory shared through a
file stands, one byte an annotator, how many requests are on their way.
"""

from __future__ import annotations

import json
import mmap
import random
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from .annotator import Annotator
from .journal import Journal
from .wire import Flight

BETWEEN_LINES = 0.25  # seconds


def main() -> None:
    """Have them work until it is over, or until they are through."""
    orders = json.loads(sys.stdin.readline())
    over = threading.Event()
    with Path(orders["flight"]).open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        view = memoryview(memory)
        people = [annotator(orders, each, view, over) for each in orders["people"]]
        threads = [
            threading.Thread(target=person.work, kwargs={"drain": orders["drain"]})
            for person in people
        ]
        for thread in threads:
            thread.start()
        threading.Thread(target=wait_for_the_end, args=(over,), daemon=True).start()
        while any(thread.is_alive() for thread in threads):
            say(acknowledged=acknowledged(people), silent=silent(people))
            for thread in threads:
                thread.join(BETWEEN_LINES / len(threads))
        counts: Counter[str] = sum((person.counts for person in people), Counter())
        say(
            acknowledged=acknowledged(people),
            silent=silent(people),
            counts=counts,
            longest=max(person.longest for person in people),
            complaints=[complaint for person in people for complaint in person.complaints],
        )
        view.release()


def annotator(
    orders: dict[str, Any], who: dict[str, Any], view: memoryview, over: threading.Event
) -> Annotator:
    """One of them."""
    return Annotator(
        name=who["name"],
        address=(orders["host"], orders["port"]),
        desk_path=orders["desk"],
        sessions=who["sessions"],
        kinds=orders["kinds"],
        journal=Journal(Path(orders["journals"]) / f"{who['name']}.jsonl"),
        flight=Flight(view, who["place"]),
        chance=random.Random(f"{orders['seed']}/{who['name']}"),  # noqa: S311 - habits, no secret
        over=over,
        notes=who["notes"],
        remembers=not orders["drain"],
    )


def acknowledged(people: list[Annotator]) -> int:
    """Ratings and corrections that the program said it has, each once however often it was sent."""
    return sum(len(person.leases) + person.counts["acknowledged corrections"] for person in people)


def silent(people: list[Annotator]) -> int:
    """Count those who have not sent a rating yet, but drafts at most."""
    return sum(not person.filled for person in people)


def wait_for_the_end(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main()
