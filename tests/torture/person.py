"""One annotator's browser, memory and manners: how a form is filled in, and how it is sent."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from benchmarks.desk_page import TOKEN, Page

from .habits import PASSING, Form
from .journal import Journal
from .wire import Answer, Cookies, Cut, Flight, Hang, Tab

T = TypeVar("T")
LONGEST_OUTAGE = 60.0  # seconds for which the same is sent again and again


class Complaint(Exception):
    """The program did what it promised not to do."""


class Gone(Cut):
    """The item was removed with its batch: what was sent is not taken, however often one tries."""


class Unavailable(Exception):
    """503: to be sent again."""


@dataclass
class Drafts:
    """What an item may be shown with, by the comment, which no other draft has: what was
    acknowledged last, what was sent after it, and what another page sent without an answer. `of`:
    the page that sent it."""

    known: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    acknowledged: set[str] = field(default_factory=set)
    of: dict[str, str] = field(default_factory=dict)

    def send(self, item: str, comment: str, writer: str) -> None:
        self.known[item].append(comment)
        self.of[comment] = writer

    def acknowledge(self, item: str, comment: str) -> None:
        """All that its page sent before it is superseded, and all that was acknowledged before."""
        self.acknowledged.add(comment)
        place = self.known[item].index(comment)
        before = self.known[item][:place]
        on_their_way = [
            each
            for each in before
            if each not in self.acknowledged and self.of[each] != self.of[comment]
        ]
        self.known[item] = [*on_their_way, *self.known[item][place:]]

    def refuse(self, item: str, comment: str) -> None:
        self.known[item].remove(comment)

    def is_open(self, item: str, before: str = "") -> bool:
        """Whether something, apart from this, is on its way perhaps, or was taken without a
        word."""
        return any(comment not in {*self.acknowledged, before} for comment in self.known[item])

    def allow(self, item: str, comment: str) -> bool:
        """Whether a form may be shown with this."""
        known = self.known[item]
        return comment in known or (not comment and not self.acknowledged.intersection(known))


def controls(page: Page, number: int) -> dict[str, str]:
    """By what the program knows which page sends, when, and what it was shown."""
    assert page.writer, "a form that does not say which page it is"
    return {
        "draft_writer": page.writer,
        "draft_number": str(number),
        "draft_shown": page.shown,
    }


@dataclass
class Person:
    """`kinds`: what may be said of a response, as {fields, score}; `unsure`: leases of which a
    submit was sent that has had no answer; `filled`: how many forms of a lease were filled in;
    `remembers`: what was sent by this name before, if anything."""

    name: str
    address: tuple[str, int]
    desk_path: str
    sessions: list[str]
    kinds: list[dict[str, Any]]
    journal: Journal
    flight: Flight
    chance: random.Random
    over: threading.Event
    page: Page = field(default_factory=Page)
    stored: list[Form] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    complaints: list[tuple[str, str]] = field(default_factory=list)
    longest: float = 0.0
    tabs: list[Tab] = field(default_factory=list)
    notes: int = 0
    leases: set[int] = field(default_factory=set)
    drafts: Drafts = field(default_factory=Drafts)
    sent: int = 0
    unsure: set[int] = field(default_factory=set)
    filled: Counter[int] = field(default_factory=Counter)
    remembers: bool = True
    # Pages of items that a lead may take back, by their addresses, and leases that went with one.
    passing: dict[str, tuple[int, str]] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)

    def _log_in(self) -> None:
        for tab in self.tabs:
            tab.close()
        cookies = Cookies({"sessionid": self.sessions[0], "csrftoken": TOKEN})
        self.tabs = [Tab(*self.address, cookies, self.flight) for _ in range(2)]

    def _look(self) -> None:
        self._take(self._persist(lambda: self._ask("GET", self.desk_path)))

    def _fill(self, page: Page | None = None) -> Form:
        """The form on the desk, with an answer to everything and a comment that no other form
        has."""
        page = page or self.page
        fields, said = self._answers(page.fields, page.targets)
        self.sent += 1
        self.filled[page.lease] += 1
        fields |= controls(page, self.sent)
        fields["comment"] = fields.pop("comment")
        intent = self.journal.intend(
            "rate",
            lease=page.lease,
            item=page.item,
            comment=fields["comment"],
            said=said,
            page=controls(page, self.sent),
        )
        return Form(page.path, fields, page.lease, intent, item=page.item)

    def _answers(
        self, empty: dict[str, str], targets: Iterable[str]
    ) -> tuple[dict[str, str], dict[str, Any]]:
        self.notes += 1
        fields, said = {"csrfmiddlewaretoken": TOKEN, **empty}, {}
        for target in targets:
            kind = self.chance.choice(self.kinds)
            fields |= {f"{target}.quality.{code}": value for code, value in kind["fields"].items()}
            fields[f"{target}.quality"] = str(kind["score"])
            said[target] = {"score": kind["score"], "checks": kind["fields"]}
        # Last, as on the page: what a connection that breaks cuts off first.
        comment = f"{self.name} says {self.notes}: " + "because it is so, " * self.chance.randrange(
            1, 6
        )
        fields |= {"active_seconds": "7"}
        fields.pop("comment", None)
        fields["comment"] = comment.strip()
        return fields, said

    def _at_once(self, act: Callable[[Tab], T]) -> list[T]:
        """The same in both tabs, at the same moment."""
        found: list[T] = []
        failed: list[Exception] = []
        ready = threading.Barrier(len(self.tabs))

        def go(tab: Tab) -> None:
            ready.wait()
            try:
                found.append(act(tab))
            except (Complaint, Hang) as error:
                failed.append(error)

        threads = [threading.Thread(target=go, args=(tab,)) for tab in self.tabs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
        return found

    def _post(
        self,
        path: str,
        fields: dict[str, str],
        *,
        tab: Tab | None = None,
        allowed: set[int] | None = None,
        htmx: bool = True,
    ) -> Answer | None:
        """One try; None where the connection or the database was away."""
        sent = {"csrfmiddlewaretoken": TOKEN, **fields}
        try:
            return self._ask("POST", path, sent, tab=tab, allowed=allowed, htmx=htmx)
        except (Cut, Unavailable):
            return None

    def _persist(self, act: Callable[[], Answer]) -> Answer:
        """Again and again while the connection or the database is away."""
        given_up = time.monotonic() + LONGEST_OUTAGE
        while True:
            try:
                return act()
            except (Cut, Unavailable) as error:
                if time.monotonic() > given_up:
                    raise Complaint(f"still away after {LONGEST_OUTAGE:.0f} s: {error}") from error
                time.sleep(self.chance.uniform(0.1, 0.6))

    def _ask(
        self,
        method: str,
        path: str,
        fields: dict[str, str] | None = None,
        *,
        tab: Tab | None = None,
        allowed: set[int] | None = None,
        htmx: bool = True,
    ) -> Answer:
        """A request whose answer is one of those that there may be."""
        try:
            answer = (tab or self.tabs[0]).ask(method, path, fields, htmx=htmx)
        except Cut:
            self.counts["cut by the other end"] += 1
            raise
        self.counts[f"status {answer.status}"] += 1
        self.longest = max(self.longest, answer.seconds)
        if answer.status == 503:
            if not answer.headers.get("Retry-After", "").isdigit():
                raise Complaint(f"{method} {path}: 503 does not say when to come back")
            raise Unavailable(f"{method} {path}: 503")
        if answer.status == 404 and (page := self._passing_page(path)):
            lease, item = page
            self.gone.add(lease)
            self.journal.note(gone=item)
            raise Gone(f"{method} {path}: item {item} was removed")
        if answer.status not in (allowed or {200, 302}):
            words = Page(answer.page).words
            raise Complaint(f"{method} {path}: status {answer.status}: {words[:300]}")
        to = answer.headers.get("Location", "") + answer.headers.get("HX-Redirect", "")
        if "/login/" in to and path != "/accounts/logout/":
            raise Complaint(f"{method} {path}: sent to the log-in")
        return answer

    def _take(self, answer: Answer) -> None:
        if answer.status == 200:
            self.page = Page(answer.page)
            self._check_shown(self.page)

    def _htmx(self) -> bool:
        return self.chance.random() < 0.75

    def _may_be_rated(self, lease: int, answer: Answer) -> bool:
        """Whether a 409 says that the item has its rating, which another form may have become."""
        sent = lease in self.leases or lease in self.unsure or self.filled[lease] > 1
        return Page(answer.page).says_rated and sent

    def _complain(self, words: str) -> None:
        self.complaints.append((self.name, words))

    def _passing_page(self, path: str) -> tuple[int, str] | None:
        return next((page for start, page in self.passing.items() if path.startswith(start)), None)

    def _check_shown(self, page: Page) -> None:
        """That a form comes with what was saved of its item."""
        if page.item.startswith(PASSING):
            self.passing[page.path] = (page.lease, page.item)
        if page.item and self.remembers and not self.drafts.allow(page.item, page.comment):
            known = [
                f"{each} ({each in self.drafts.acknowledged})"
                for each in self.drafts.known[page.item]
            ]
            raise Complaint(f"lease {page.lease} is shown with {page.comment!r}; sent were {known}")

    def _try(self, path: str, fields: dict[str, str], tab: Tab) -> Answer | None:
        """Once more after an error, with the same number; None where it was to no avail."""
        for _ in range(3):
            try:
                return self._ask("POST", path, fields, tab=tab, allowed={200, 409})
            except (Cut, Unavailable):
                self.over.wait(self.chance.uniform(0.1, 0.6))
        return None
