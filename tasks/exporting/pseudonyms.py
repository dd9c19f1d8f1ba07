"""Pseudonyms of the people of a project, the same in every file of it.

People go by their numbers (`counting.PERSON`): 7 is the account 7, and -7 the rater 7 of a file
who is no account's.
"""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from django.db.models import Expression, Min, QuerySet

from tasks.models import CorpusAnswer, Project, Rating
from tasks.models.ratings import CAME_AT


class _Source(NamedTuple):
    """An account that rates, or a rater of a file, by primary keys."""

    annotator: int | None
    rater: int | None
    account: int | None  # that the rater turned out to be

    @property
    def person(self) -> int:
        return self.annotator or self.account or -(self.rater or 0)

    @property
    def rank(self) -> tuple[int, int]:
        """The order of those who began at one time: accounts first."""
        return (self.rater or 0, self.annotator or 0)


def pseudonyms_of(project: Project) -> dict[int, str]:
    """Return the pseudonym of everyone who rated or answered in a project, by person.

    Pseudonyms go by the order in which accounts began, and in which raters came in files. This
    order only changes if a file is taken back: nothing else is ever deleted. A rater
    who turns out to be an account's has the lower number of the two.
    """
    firsts = _first_moments(Rating.objects.filter(project=project), CAME_AT)
    answered = _first_moments(CorpusAnswer.objects.filter(project=project), "answered_at")
    for source, moment in answered.items():
        earlier = firsts.setdefault(source, moment)
        # An imported answer has the time of the file, not that at which it came.
        if source.rater is None:
            firsts[source] = min(moment, earlier)
    ordered = sorted(firsts, key=lambda source: (firsts[source], source.rank))
    pseudonyms: dict[int, str] = {}
    for number, source in enumerate(ordered, start=1):
        pseudonyms.setdefault(source.person, f"rater-{number}")
    return pseudonyms


def _first_moments(
    records: QuerySet[Rating] | QuerySet[CorpusAnswer], moment: str | Expression
) -> dict[_Source, datetime]:
    """Return the first moment of each source of ratings, or of answers about corpora."""
    sources = records.order_by().values_list("annotator", "rater", "rater__account")
    firsts = sources.annotate(first=Min(moment))
    return {_Source(*keys): first for *keys, first in firsts}


def newcomers_of(project: Project, raters: Collection[int]) -> dict[int, str]:
    """Return a pseudonym for everyone who practised and is none of the raters, by person."""
    rounds = project.practice_rounds.exclude(annotator__in=raters).order_by()
    firsts = rounds.values_list("annotator").annotate(first=Min("started_at"))
    pseudonyms: dict[int, str] = {}
    for person, _first in firsts.order_by("first", "annotator"):
        pseudonyms[person] = f"newcomer-{len(pseudonyms) + 1}"
    return pseudonyms
