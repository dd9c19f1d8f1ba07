"""What the rating form hands on: one typed object, already judged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class KeptRemark:
    """A remark that was shown and gone on from."""

    clause: str
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class GivenScore:
    """One score. `response` is the primary key of the response, None for a candidate set of
    `model`. `position`: the place on the desk, from 1."""

    dimension: str
    unit: str
    response: int | None
    model: str
    position: int
    value: int
    open: tuple[int, ...]
    clauses: tuple[str, ...]
    remarks: tuple[KeptRemark, ...]
    checks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GivenFact:
    """One claim of a response looked up. `sources`: addresses, a line each. `seconds`: how long,
    where a clock told; `over_time`: all the time that there was for it, or more."""

    response: int
    position: int
    claim: str
    outcome: str
    sources: str
    # How long is no part of what is said.
    seconds: int | None = field(default=None, repr=False)
    over_time: bool = field(default=False, repr=False)


@dataclass(frozen=True)  # without slots: the fingerprint is worked out once
class Submission:
    """All that one annotator says of one item. `comments` by the primary key of the response.
    `asked`: the answers to what the program asked at submit, by field name. `view`: how the texts
    were shown."""

    scores: tuple[GivenScore, ...]
    comments: tuple[tuple[int, str], ...] = ()
    comment: str = ""
    facts: tuple[GivenFact, ...] = ()
    asked: tuple[tuple[str, str], ...] = ()
    active_seconds: int | None = field(default=None)
    # No part of what is said: without it in `repr`, fingerprints are what they were before there
    # were views.
    view: str = field(default="", repr=False)
    # The page that sends it, and how much it has sent (`drafts.Writing`), where one does.
    writer: str = field(default="", repr=False)
    number: int = field(default=0, repr=False)

    def active_within(self, seconds: int) -> int | None:
        """The browser's clock is not ours: no one was active for longer than there were seconds."""
        return None if self.active_seconds is None else min(self.active_seconds, seconds)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of what is said, in hexadecimal; how long it took and how the texts
        were shown is no part of it."""
        return sha256(repr(replace(self, active_seconds=None)).encode()).hexdigest()
