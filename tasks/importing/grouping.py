"""Rows of ratings → whole ratings: all that one rater says of one item. No Django but translations.

A rating has no more than one row for a target and a dimension. With times, a later row is a
correction: a revision of its own, which keeps all that it does not change.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from django.utils.translation import gettext as _

from .mapping import NewResponse
from .ratings import RatingRow
from .rows import LineError, excerpt, filled

MOST_RATERS = 1_000  # each of them is a line on the pages
MOST_ROWS = 500_000  # in memory: some 700 bytes each


class RatedTarget(NamedTuple):
    """A response or candidate set, as far as a row says which."""

    number: int | None
    model: str
    response: NewResponse | None
    is_set: bool = False  # the candidate set of the model


@dataclass
class WholeRating:
    """All that one rater says of one item, in one revision."""

    item: str
    rater: str
    attempt: int
    # By target and dimension. A row without a score has the dimension "".
    said: Mapping[tuple[RatedTarget, str], RatingRow]

    @property
    def first(self) -> RatingRow:
        """The row that stands first in the file."""
        return next(iter(self.said.values()))

    @property
    def last(self) -> RatingRow:
        """The row that was rated last."""
        return max(self.said.values(), key=lambda row: (row.at is not None, row.at and row.at))


@dataclass
class Gathering:
    """The ratings of a file, in the order in which they begin there."""

    # By item, rater and attempt, and by revision; `order` names each once for each revision.
    rows: dict[tuple[str, str, int], dict[int, list[RatingRow]]] = field(default_factory=dict)
    order: list[tuple[str, str, int]] = field(default_factory=list)
    raters: dict[str, int] = field(default_factory=dict)  # by name, with their numbers of rows
    number: int = 0

    def add(self, row: RatingRow) -> None:
        """Take a row. Raise TooMany if it is one too many, or of one rater too many."""
        self.number += 1
        self.raters[row.rater] = self.raters.get(row.rater, 0) + 1
        if len(self.raters) > MOST_RATERS:
            raise TooMany(_("more than %(most)s people"), MOST_RATERS)
        if self.number > MOST_ROWS:
            raise TooMany(_("more than %(most)s ratings"), MOST_ROWS)
        own = row.own
        whose, revision = (row.item, row.rater, int(own.get("attempt") or 0)), own.get("revision")
        rows = self.rows.setdefault(whose, {}).setdefault(int(revision or 0), [])
        if not rows:
            self.order.append(whose)
        rows.append(row)

    def ratings(self) -> Iterator[WholeRating | LineError]:
        """Yield the ratings, the revisions of one in their order, and errors in place of others.

        This empties `rows`.
        """
        for whose in self.order:
            revisions = self.rows[whose]  # a table that was sorted may have the latest first
            for said in _revisions(revisions.pop(min(revisions))):
                yield said if isinstance(said, LineError) else WholeRating(*whose, said)


class TooMany(Exception):
    """A file has more than is read; the arguments are what of, and how many may be."""


def target_of(row: RatingRow) -> RatedTarget:
    """Return the target of a row."""
    is_set = row.own.get("unit") == "candidate_set"
    return RatedTarget(None if is_set else row.number, row.model, row.response, is_set)


Said = dict[tuple[RatedTarget, str], RatingRow]


def _revisions(rows: list[RatingRow]) -> Iterator[Said | LineError]:
    """Yield what a rater says of an item after each correction, or why that is unclear."""
    said: Said = {}
    fresh: Said = {}  # since the last revision
    if len(rows) > 1 and all(row.at for row in rows):
        rows = sorted(rows, key=attrgetter("at"))
    for row in rows:
        target = target_of(row)
        slots = [(target, dimension) for dimension in row.scores or row.checks or ("",)]
        if again := next((fresh[slot] for slot in slots if slot in fresh), None):
            if not (row.at and again.at and row.at > again.at):
                yield LineError(
                    row.line,
                    "",
                    excerpt(row.rater),
                    filled(
                        _("rates “%(item)s” again, after line %(line)s"),
                        item=row.item,
                        line=again.line,
                    ),
                    _("keep one of the two, or give each a time"),
                    row.item,
                )
                continue  # the first counts
            yield dict(said)
            fresh.clear()
        for slot in slots:
            said[slot] = fresh[slot] = row
    yield said
