"""The typed result of the rating form, already checked against the rubric's rules."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class DraftVersion:
    """The page that sends a form, and the draft that it was shown."""

    writer: str  # a random name for each page view
    number: int = 0  # counts the requests of the page
    based_on: int = 0  # draft revision that the page was loaded with; 0 for none


@dataclass(frozen=True, slots=True)
class KeptRemark:
    """A remark that the annotator saw and left as it was when they submitted."""

    clause: str
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class GivenScore:
    """One score of a response or of a candidate set."""

    dimension: str
    unit: str
    response: int | None  # primary key; None for a candidate set of `model`
    model: str
    position: int  # on the desk, from 1
    value: int
    open: tuple[int, ...]
    clauses: tuple[str, ...]
    remarks: tuple[KeptRemark, ...]
    checks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GivenFact:
    """One claim of a response that the annotator looked up."""

    response: int
    position: int
    claim: str
    outcome: str
    sources: str  # addresses, one per line
    # The time is not part of the fingerprint, which is why `repr` leaves both fields out.
    seconds: int | None = field(default=None, repr=False)  # None without a clock
    over_time: bool = field(default=False, repr=False)  # took all the time allowed, or more


@dataclass(frozen=True)  # without slots: cached_property stores the fingerprint
class Submission:
    """Everything that one annotator says about one item."""

    scores: tuple[GivenScore, ...]
    comments: tuple[tuple[int, str], ...] = ()  # by the primary key of the response
    comment: str = ""
    facts: tuple[GivenFact, ...] = ()
    asked: tuple[tuple[str, str], ...] = ()  # answers to questions at submit, by field name
    active_seconds: int | None = field(default=None)
    # Only for the annotator. `fingerprint` adds it, and so stays as before where it is not set.
    not_sure: bool = field(default=False, repr=False)
    # How the texts were shown. It is not part of the rating: leaving it out of `repr` also keeps
    # the fingerprints from before there were views.
    view: str = field(default="", repr=False)
    sent_by: DraftVersion | None = field(default=None, repr=False)  # None: not by a page

    def active_within(self, seconds: int) -> int | None:
        """Return the active seconds, at most `seconds`, since the browser's clock may be wrong."""
        return None if self.active_seconds is None else min(self.active_seconds, seconds)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the answers, in hexadecimal.

        It leaves out the time taken and the way the texts were shown.
        """
        said = repr(replace(self, active_seconds=None)) + (" not sure" if self.not_sure else "")
        return sha256(said.encode()).hexdigest()
