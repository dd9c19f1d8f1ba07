"""Pseudonyms of the people of a project, the same in every file of it and for every token.

People go by their numbers (`counting.PERSON`): 7 is the account 7, and -7 the rater 7 of a file
who is no account's.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Expression, Min, QuerySet

from config.web.refused_writes import WritesRefused
from tasks.models import CorpusAnswer, Project, Rating, StoredNumber
from tasks.models.ratings import CAME_AT
from tasks.models.stored_numbers import Numbering


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


def pseudonyms_of(project: Project, *, stores: bool = True) -> dict[int, str]:
    """Return the pseudonym of everyone who rated or answered in a project, by person.

    New people get the next numbers, in the order in which accounts began, and in which raters came
    in files. `stores=False`: a page that one looks at stores none.
    """
    sources = _sources(project)
    numbering = _raters(project)
    if stores:
        _pass_on_numbers(numbering, sources)
    people = dict.fromkeys(source.person for source in sources)
    numbers = numbering.of(map(str, people), stores=stores)
    pseudonyms = {}
    for subject, number in numbers.items():
        if int(subject) in people:
            pseudonyms[int(subject)] = _rater(number)
    return pseudonyms


def pseudonyms_with(project: Project, people: Collection[int]) -> dict[int, str]:
    """Return the pseudonyms of some people who rated. All ratings are read only for a new one."""
    known = _raters(project).known()
    if not {str(person) for person in people} <= known.keys():
        known_people = pseudonyms_of(project)
    else:
        known_people = {int(subject): _rater(number) for subject, number in known.items()}
    return {person: name for person, name in known_people.items() if person in people}


def _raters(project: Project) -> Numbering:
    return Numbering(project, StoredNumber.Kind.RATER)


def _rater(number: int) -> str:
    return f"rater-{number}"


def _pass_on_numbers(numbering: Numbering, sources: Iterable[_Source]) -> None:
    """Have an account go on with the number of its rater of a file, if it has none itself.

    The rows of such a rater come again to programs; those of the account do not.
    """
    known = numbering.known()
    for source in sources:
        rater, account = str(-(source.rater or 0)), str(source.account)
        if source.account and account not in known and rater in known:
            with suppress(WritesRefused), transaction.atomic():
                numbering.pass_on(rater, account)


def _sources(project: Project) -> list[_Source]:
    """Return all who rated or answered, in the order in which they began or came."""
    firsts = _first_moments(Rating.objects.filter(project=project), CAME_AT)
    answered = _first_moments(CorpusAnswer.objects.filter(project=project), "answered_at")
    for source, moment in answered.items():
        earlier = firsts.setdefault(source, moment)
        # An imported answer has the time of the file, not that at which it came.
        if source.rater is None:
            firsts[source] = min(moment, earlier)
    return sorted(firsts, key=lambda source: (firsts[source], source.rank))


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
    people = [person for person, _first in firsts.order_by("first", "annotator")]
    numbers = Numbering(project, StoredNumber.Kind.NEWCOMER).of(map(str, people))
    return {person: f"newcomer-{numbers[str(person)]}" for person in people}
