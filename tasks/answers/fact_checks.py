"""Looking up a claim (RQ-02, RQ-03): its clock, and the addresses it leads to."""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urlsplit

from .slot_answers import Claim

CLAIM = "{claim}"  # placeholder of the claim in the address of a search
LONGEST_QUERY = 300  # characters: search engines refuse long addresses
SEARCH = f"https://duckduckgo.com/?q={CLAIM}"

_CLOCK = re.compile(r"(\d{1,9})(?:\+(\d{1,12}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that a look-up takes, in whole seconds.

    Its text is "42" if it is stopped, or "42+1763743386" if it is running.
    """

    spent: int = 0  # until the clock last stopped
    since: int | None = None  # Unix time of its last start; None if it is stopped

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Parse a clock from its text; return None if the text is not one."""
        match = _CLOCK.fullmatch(text)
        if match is None:
            return None
        spent, since = match.groups()
        return cls(int(spent), None if since is None else int(since))

    def __str__(self) -> str:
        return str(self.spent) if self.since is None else f"{self.spent}+{self.since}"

    @property
    def runs(self) -> bool:
        return self.since is not None

    def seconds(self, now: int) -> int:
        """Return the time spent until `now`."""
        return self.spent if self.since is None else self.spent + max(0, now - self.since)

    def after_outcome(self, outcome: str, now: int) -> "Clock":
        """Return the clock stopped if there is an outcome, else running.

        Only an outcome stops it, and it goes on if the outcome is taken back.
        """
        if outcome:
            return Clock(self.seconds(now))
        return self if self.runs else Clock(self.spent, now)


def clock_after(claim: Claim, stored: Claim, now: int) -> Clock | None:
    """Return the clock to use for a claim, given the stored one from the same place of the form.

    A page that could not send for a while may be ahead of the stored clock. But no page may reduce
    the time or remove the clock.
    """
    clock, stored_clock = Clock.read(claim.clock), Clock.read(stored.clock)
    if stored_clock is None:
        return clock  # begun by this page
    if clock is None:
        is_same = claim.claim.strip() == stored.claim.strip()
        return stored_clock if is_same else None
    if claim.outcome == stored.outcome and not stored_clock.runs:
        return stored_clock
    return clock if clock.seconds(now) >= stored_clock.seconds(now) else stored_clock


def minutes(seconds: int) -> str:
    """Format seconds as minutes and seconds, such as 2:07."""
    return f"{seconds // 60}:{seconds % 60:02}"


def search_for(claim: str, address: str) -> str:
    """Return the address that searches for a claim, or for the first whole words of a long one."""
    query = " ".join(claim.split())
    if len(query) > LONGEST_QUERY:
        head = query[: LONGEST_QUERY + 1]
        query = head[: head.rfind(" ")] if " " in head else head[:LONGEST_QUERY]
    return address.replace(CLAIM, quote(query, safe="", errors="replace"))


def is_address(text: str) -> bool:
    """Return whether a browser could open the text as an http or https address."""
    with suppress(ValueError):
        parts = urlsplit(text)
        _port = parts.port  # raises ValueError if it is none
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
        return is_web and text.isprintable() and " " not in text
    return False


def is_search(address: str) -> bool:
    """Return whether an address has the placeholder for a claim once, after the host."""
    if address.count(CLAIM) != 1 or not is_address(address.replace(CLAIM, "claim")):
        return False
    rest = address.replace(CLAIM, "")
    return CLAIM not in urlsplit(address).netloc and "{" not in rest and "}" not in rest
