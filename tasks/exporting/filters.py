"""The filters of an export: names looked up in its project, and conditions in SQL."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import TypeVar

from django.db import connection
from django.db.models import Min
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from psycopg import sql

from tasks.freshness import Freshness
from tasks.models import CorpusAnswer, ItemEntry, Project, Rating, Response
from tasks.models.counting import NOT_DROPPED, PERSON
from tasks.models.imported import names_of
from tasks.models.item_list import ItemFilter, missing_since
from tasks.models.ratings import CAME_AT

from .options import Options, Shape

Key = TypeVar("Key", int, str)
MOST_NAMED = 50  # in an error
# What the shapes don't have. `items` are made of current ratings that count.
LACKING = {
    Shape.ITEMS: ("kinds", "revisions"),
    Shape.WIDE: ("revisions", "texts"),
    Shape.CORPUS_ANSWERS: ("kinds", "texts", "items", "dropped"),
    Shape.PRACTICE: ("batches", "models", "kinds", "items", "texts", "revisions", "dropped"),
}


class Refused(Exception):
    """Options that make no export of this project; `option` is the one to change."""

    def __init__(self, option: str, message: str) -> None:
        self.option = option
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters, with keys in place of names. An empty one leaves everything in."""

    batches: Sequence[int] = ()
    models: Sequence[str] = ()
    annotators: Sequence[int] = ()
    kinds: Sequence[str] = ()
    items: sql.Composable | None = None  # the query for their keys
    dropped: bool = True  # dropped items, too
    since: date | None = None
    until: date | None = None
    pseudonyms: Mapping[int, str] | None = None  # by person; None: names are exported

    def of_scores(self) -> sql.Composable:
        """Return the conditions for scores, from AND on."""
        among = sql.SQL(" AND item.id IN ({})").format(self.items) if self.items else sql.SQL("")
        condition = sql.SQL("" if self.dropped else f" AND {NOT_DROPPED}")
        return (among + condition) + self._where(
            ("item.batch_id", self.batches),
            ("COALESCE(response.model, score.model)", self.models),
            (PERSON, self.annotators),
            ("rating.kind", self.kinds),
            moment="rating.submitted_at",
        )

    def of_corpus_answers(self) -> sql.Composable:
        """Return the conditions for corpus answers, from AND on."""
        return self._where(
            ("said.batch_id", self.batches),
            ("said.model", self.models),
            (PERSON.replace("rating.", "said."), self.annotators),
            moment="said.answered_at",
        )

    def of_practice(self) -> sql.Composable:
        """Return the conditions for answers of practice, from AND on."""
        among = ("round.annotator_id", self.annotators)
        return self._where(among, moment="said.answered_at")

    def _where(
        self, *among: tuple[str, Sequence[int] | Sequence[str]], moment: str
    ) -> sql.Composable:
        conditions = [
            sql.SQL(" AND {} IN ({})").format(
                sql.SQL(expression), sql.SQL(", ").join(map(sql.Literal, values))
            )
            for expression, values in among
            if values
        ]
        for sign, day, hour in ((">=", self.since, time.min), ("<=", self.until, time.max)):
            if day:
                limit = sql.Literal(datetime.combine(day, hour, UTC))
                conditions.append(sql.SQL(f" AND {moment} {sign} {{}}").format(limit))
        return sql.Composed(conditions)

    def shown(self, options: Options) -> Options:
        """Return options that name annotators as the file does."""
        if self.pseudonyms is None:
            return options
        return replace(options, annotators=tuple(self.pseudonyms[pk] for pk in self.annotators))

    @property
    def pseudonym(self) -> sql.Composable:
        """The expression for the pseudonym of who rated."""
        return sql.SQL("{}::jsonb ->> COALESCE(annotator.id, -rater.id)::text").format(
            sql.Literal(json.dumps(self.pseudonyms))
        )


def look_up(project: Project, options: Options, listed: ItemFilter | None) -> Filters:
    """Return the filters of an export. Raise Refused if the project has no such name."""
    for option in LACKING.get(options.shape, ()):
        if getattr(options, option):
            raise Refused(
                option,
                _("This can’t be chosen for the file “%(shape)s”.") % {"shape": options.shape},
            )
    if options.since and options.until and options.since > options.until:
        raise Refused("until", _("This day is before the first one."))
    wanted = options.annotators
    pseudonyms = pseudonyms_of(project) if wanted or options.pseudonyms else {}
    if options.shape is Shape.PRACTICE and (wanted or options.pseudonyms):
        pseudonyms |= newcomers_of(project, pseudonyms)
    there = [*pseudonyms]
    if wanted and not options.pseudonyms:
        there += project.memberships.values_list("user", flat=True)
    people = {name: key for key, name in names_of(there).items()}
    if options.pseudonyms:
        people |= {name: key for key, name in pseudonyms.items()}
    return Filters(
        batches=_keys("batches", options.batches, project.batches.values_list("name", "pk")),
        models=_keys("models", options.models, _models(project)),
        annotators=_keys("annotators", wanted, people.items()),
        kinds=_keys("kinds", options.kinds, ((kind, kind) for kind in Rating.Kind.values)),
        items=_items(project, listed) if listed else None,
        dropped=options.dropped,
        since=options.since,
        until=options.until,
        pseudonyms=pseudonyms if options.pseudonyms else None,
    )


def refuse_old_list(project: Project, listed: ItemFilter | None, *, now: datetime) -> None:
    """Raise Refused if the list of items lacks more than the last minute's ratings, or texts."""
    fresh = Freshness(missing_since(project, listed) if listed else None, now)
    if fresh.is_old:
        raise Refused(
            "items",
            _("The list of items is as of %(time)s. Try again when “manage.py work” renewed it.")
            % {"time": date_format(timezone.localtime(fresh.as_of), "DATETIME_FORMAT")},
        )


def _items(project: Project, listed: ItemFilter) -> sql.Composable:
    """Return the query for the keys of the items in the list."""
    entries = ItemEntry.objects.matching(project, listed).order_by()
    query, values = entries.values("item").query.sql_with_params()
    return sql.SQL(connection.ops.compose_sql(query, values))  # type: ignore[attr-defined]  # PostgreSQL has it


def _keys(option: str, wanted: tuple[str, ...], there: Iterable[tuple[str, Key]]) -> list[Key]:
    """Return the keys of the names wanted. `there` is read only if there are any."""
    keys: dict[str, Key] = dict(there) if wanted else {}
    for name in wanted:
        if name not in keys:
            names = [*list(keys)[:MOST_NAMED], *["…"][: len(keys) > MOST_NAMED]]
            raise Refused(
                option,
                _("There is no “%(name)s” in this project. There are: %(names)s.")
                % {"name": name, "names": ", ".join(names) or "–"},
            )
    return [keys[name] for name in wanted]


def _models(project: Project) -> Iterator[tuple[str, str]]:
    """Yield the models of a project. A generator, so that nothing is read without a filter."""
    models = Response.objects.filter(project=project).order_by("model")
    yield from ((model, model) for model in models.values_list("model", flat=True).distinct())


def newcomers_of(project: Project, raters: Collection[int]) -> dict[int, str]:
    """Return a pseudonym for everyone who practised and is none of the raters, by person."""
    rounds = project.practice_rounds.exclude(annotator__in=raters).order_by()
    firsts = rounds.values_list("annotator").annotate(first=Min("started_at"))
    ordered = firsts.order_by("first", "annotator")
    return {key: f"newcomer-{number}" for number, (key, _first) in enumerate(ordered, start=1)}


def pseudonyms_of(project: Project) -> dict[int, str]:
    """Return the pseudonym of everyone who rated or answered in a project, by person.

    Pseudonyms go by the order in which accounts began, and in which raters came in files. This
    order only changes if a file is taken back: nothing else is ever deleted. A rater
    who turns out to be an account's has the lower number of the two.
    """
    whose = ("annotator", "rater", "rater__account")
    rated = Rating.objects.filter(project=project).order_by().values_list(*whose)
    answered = CorpusAnswer.objects.filter(project=project).order_by().values_list(*whose)
    firsts: dict[tuple[int, int], datetime] = {}
    people: dict[tuple[int, int], int] = {}
    for annotator, rater, account, first in (
        *rated.annotate(first=Min(CAME_AT)),
        *answered.annotate(first=Min("answered_at")),
    ):
        one = (rater or 0, annotator or 0)
        people[one] = annotator or account or -rater
        # An imported answer has the time of the file, not that at which it came.
        firsts[one] = firsts.get(one, first) if rater else min(first, firsts.get(one, first))
    found: dict[int, str] = {}
    for number, one in enumerate(sorted(firsts, key=lambda each: (firsts[each], each)), start=1):
        found.setdefault(people[one], f"rater-{number}")
    return found
