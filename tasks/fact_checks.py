"""Claims that an annotator looks up (RQ-02, RQ-03): the clock of a look-up, and the addresses it
leads to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

CLAIM = "{claim}"  # stands for it in the address of a search
LONGEST_QUERY = 300  # characters: search engines refuse long addresses
SEARCH = f"https://duckduckgo.com/?q={CLAIM}"

_CLOCK = re.compile(r"(\d{1,9})(?:\+(\d{1,12}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that a look-up takes, in whole seconds: `spent` until the clock last stood still,
    and all since `since` (seconds of the Unix epoch) where it runs. As a text "42", or
    "42+1763743386"."""

    spent: int = 0
    since: int | None = None

    @classmethod
    def read(cls, text: str) -> Clock | None:
        """The clock that a text tells of; None where it tells of none."""
        found = _CLOCK.fullmatch(text)
        if found is None:
            return None
        spent, since = found.groups()
        return cls(int(spent), None if since is None else int(since))

    def __str__(self) -> str:
        return str(self.spent) if self.since is None else f"{self.spent}+{self.since}"

    @property
    def runs(self) -> bool:
        return self.since is not None

    def seconds(self, now: int) -> int:
        """All that was spent till `now`."""
        return self.spent if self.since is None else self.spent + max(0, now - self.since)

    def settled(self, outcome: str, now: int) -> Clock:
        """Nothing but an outcome stops the clock; where that is taken back, it goes on."""
        if outcome:
            return Clock(self.seconds(now))
        return self if self.runs else Clock(self.spent, now)


@dataclass(frozen=True, slots=True)
class LookUp:
    """A claim, what came of it, and the clock of its look-up, as a form has them."""

    claim: str = ""
    outcome: str = ""
    clock: Clock | None = None

    @classmethod
    def of(cls, claim: str, outcome: str, _sources: str, clock: str) -> LookUp:
        """From the texts of its fields."""
        return cls(claim.strip(), outcome, Clock.read(clock))

    def clock_after(self, kept: LookUp, now: int) -> Clock | None:
        """The clock to go by, where `kept` is what is known here of the same place of the form. A
        page may be ahead of it, where it could not send for a while; but none takes time back, nor
        the clock away."""
        if kept.clock is None or (self.clock is None and self.claim != kept.claim):
            return self.clock  # begun by this page, or another claim
        if self.clock is None or (self.outcome == kept.outcome and not kept.clock.runs):
            return kept.clock
        return self.clock if self.clock.seconds(now) >= kept.clock.seconds(now) else kept.clock


def minutes(seconds: int) -> str:
    """2:07"""
    return f"{seconds // 60}:{seconds % 60:02}"


def search_for(claim: str, address: str) -> str:
    """Where a claim is searched. Of a long one its beginning, in whole words."""
    query = " ".join(claim.split())
    if len(query) > LONGEST_QUERY:
        head = query[: LONGEST_QUERY + 1]
        query = head[: head.rfind(" ")] if " " in head else head[:LONGEST_QUERY]
    return address.replace(CLAIM, quote(query, safe="", errors="replace"))


def is_address(text: str) -> bool:
    """Whether a browser could go there by http or https."""
    if any(char.isspace() or not char.isprintable() for char in text):
        return False
    try:
        parts = urlsplit(text)
        _port = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def is_search(address: str) -> bool:
    """Whether a claim can be searched at an address: it stands there once, after the host."""
    if address.count(CLAIM) != 1 or not is_address(address.replace(CLAIM, "claim")):
        return False
    rest = address.replace(CLAIM, "")
    return CLAIM not in urlsplit(address).netloc and "{" not in rest and "}" not in rest
