"""Rows of ratings → whole ratings: all that one rater says of one item. No Django but translations.

A rating has no more than one row for a target and a dimension. With times, a later row is a
correction: a revision of its own, which keeps all that it does not change.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from django.utils.translation import gettext as _

from .mapping import NewResponse
from .ratings import RatingRow
from .rows import LineError, excerpt, filled


class RatedTarget(NamedTuple):
    """A response or candidate set, as far as a row says which."""

    number: int | None
    model: str
    response: NewResponse | None
    is_set: bool  # the candidate set of the model


Said: TypeAlias = Mapping[tuple[RatedTarget, str], RatingRow]


class WholeRating(NamedTuple):
    """All that one rater says of one item, in one revision."""

    item: str
    rater: str
    attempt: int
    said: Said  # by target and dimension; a row without a score has the dimension ""

    @property
    def first(self) -> RatingRow:
        """The row that stands first in the file."""
        return next(iter(self.said.values()))


def whole_ratings(rows: Iterable[RatingRow]) -> Iterator[WholeRating | LineError]:
    """Yield ratings in the order in which they begin, and errors in place of others."""
    groups: defaultdict[tuple[str, str, int, int], list[RatingRow]] = defaultdict(list)
    for row in rows:
        attempt, revision = int(row.own.get("attempt") or 0), int(row.own.get("revision") or 0)
        groups[row.item, row.rater, attempt, revision].append(row)
    for (item, rater, attempt, _revision), group in groups.items():
        for said in _revisions(group):
            if isinstance(said, LineError):
                yield said
            else:
                yield WholeRating(item, rater, attempt, said)


def _revisions(rows: list[RatingRow]) -> Iterator[Said | LineError]:
    """Yield what a rater says of an item after each correction, or why that is unclear."""
    said: dict[tuple[RatedTarget, str], RatingRow] = {}
    fresh: dict[tuple[RatedTarget, str], RatingRow] = {}  # since the last revision
    if len(rows) > 1 and all(row.at for row in rows):
        rows = sorted(rows, key=attrgetter("at"))
    for row in rows:
        is_set = row.own.get("unit") == "candidate_set"
        target = RatedTarget(None if is_set else row.number, row.model, row.response, is_set)
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
