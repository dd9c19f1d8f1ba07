"""The filters of an export: names looked up in its project, and conditions in SQL."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from itertools import chain
from typing import TypeVar

from django.db import connection
from django.db.models import Min
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from psycopg import sql

from tasks.lead_pages.freshness import Freshness
from tasks.models import CorpusAnswer, ItemEntry, Project, Rating, Response
from tasks.models.counting import NOT_DROPPED, PERSON, person_of
from tasks.models.imported import names_of
from tasks.models.item_list import ItemFilter, missing_since
from tasks.models.ratings import CAME_AT

from .options import Options, Shape

Key = TypeVar("Key", int, str)
Source = tuple[int, int]  # the rater of a file and the account that ratings are of; 0 for none
MOST_NAMES = 50  # in an error
# What the shapes don't have. `items` are made of current ratings that count.
LACKING = {
    Shape.SCORES: ("open_median",),
    Shape.RATINGS: ("open_median",),
    Shape.ITEMS: ("kinds", "revisions"),
    Shape.WIDE: ("revisions", "texts", "open_median"),
    Shape.CORPUS_ANSWERS: ("kinds", "texts", "items", "dropped", "open_median"),
    Shape.DECISIONS: ("annotators", "kinds", "texts", "open_median"),
    Shape.TALK: ("kinds", "revisions", "texts", "open_median"),
    Shape.PRACTICE: (
        *("batches", "models", "kinds", "items", "texts", "revisions", "dropped", "open_median"),
    ),
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
    item_query: sql.Composable | None = None  # the query for their keys
    dropped: bool = True  # dropped items, too
    since: date | None = None
    until: date | None = None
    pseudonyms: Mapping[int, str] | None = None  # by person; None: names are exported

    def of_scores(self) -> sql.Composable:
        """Return the conditions for scores, from AND on."""
        conditions = self._where(
            (sql.SQL("item.batch_id"), self.batches),
            (sql.SQL("COALESCE(response.model, score.model)"), self.models),
            (PERSON, self.annotators),
            (sql.SQL("rating.kind"), self.kinds),
            moment="rating.submitted_at",
        )
        if not self.dropped:
            conditions = sql.SQL(" AND {}").format(NOT_DROPPED) + conditions
        if self.item_query:
            conditions = sql.SQL(" AND item.id IN ({})").format(self.item_query) + conditions
        return conditions

    def of_corpus_answers(self) -> sql.Composable:
        """Return the conditions for corpus answers, from AND on."""
        batches = (sql.SQL("said.batch_id"), self.batches)
        models = (sql.SQL("said.model"), self.models)
        people = (person_of("said"), self.annotators)
        return self._where(batches, models, people, moment="said.answered_at")

    def of_decisions(self) -> sql.Composable:
        """Return the conditions for decisions, from AND on."""
        batches = (sql.SQL("item.batch_id"), self.batches)
        models = (sql.SQL("COALESCE(response.model, decision.model)"), self.models)
        return self._of_items(self._where(batches, models, moment="decision.decided_at"))

    def of_talk(self) -> sql.Composable:
        """Return the conditions for questions, from AND on."""
        batches = (sql.SQL("item.batch_id"), self.batches)
        models = (sql.SQL("COALESCE(response.model, question.model)"), self.models)
        people = (person_of("question"), self.annotators)
        return self._of_items(self._where(batches, models, people, moment="question.asked_at"))

    def _of_items(self, conditions: sql.Composable) -> sql.Composable:
        """Return conditions with those on the item of a row, from AND on."""
        if not self.dropped:
            conditions = sql.SQL(" AND NOT item.dropped") + conditions
        if self.item_query:
            conditions = sql.SQL(" AND item.id IN ({})").format(self.item_query) + conditions
        return conditions

    def of_practice(self) -> sql.Composable:
        """Return the conditions for answers of practice, from AND on."""
        people = (sql.SQL("round.annotator_id"), self.annotators)
        return self._where(people, moment="said.answered_at")

    def _where(
        self,
        *values_by_column: tuple[sql.Composable, Sequence[int] | Sequence[str]],
        moment: str,
    ) -> sql.Composable:
        """Return conditions for columns with the values that they may have, and for a moment."""
        conditions = []
        for expression, values in values_by_column:
            if values:
                literals = sql.SQL(", ").join(map(sql.Literal, values))
                among = sql.SQL(" AND {} IN ({})")
                conditions.append(among.format(expression, literals))
        if self.since:
            first = datetime.combine(self.since, time.min, UTC)
            is_late = sql.SQL(f" AND {moment} >= {{}}")
            conditions.append(is_late.format(sql.Literal(first)))
        if self.until:
            last = datetime.combine(self.until, time.max, UTC)
            is_early = sql.SQL(f" AND {moment} <= {{}}")
            conditions.append(is_early.format(sql.Literal(last)))
        return sql.Composed(conditions)

    def options_as_named(self, options: Options) -> Options:
        """Return options that name annotators as the file does."""
        if self.pseudonyms is None:
            return options
        pseudonyms = [self.pseudonyms[person] for person in self.annotators]
        return replace(options, annotators=tuple(pseudonyms))

    @property
    def pseudonym(self) -> sql.Composable:
        """The expression for the pseudonym of who rated."""
        by_person = sql.SQL("{}::jsonb ->> COALESCE(annotator.id, -rater.id)::text")
        return by_person.format(sql.Literal(json.dumps(self.pseudonyms)))


def look_up(project: Project, options: Options, listed: ItemFilter | None) -> Filters:
    """Return the filters of an export. Raise Refused if the project has no such name."""
    for option in LACKING.get(options.shape, ()):
        if getattr(options, option):
            message = _("This can’t be chosen for the file “%(shape)s”.")
            raise Refused(option, message % {"shape": options.shape})
    if options.since and options.until and options.since > options.until:
        raise Refused("until", _("This day is before the first one."))
    pseudonyms = _pseudonyms_for(project, options)
    people = _people(project, options, pseudonyms)
    batches = project.batches.values_list("name", "pk")
    all_kinds = [(kind, kind) for kind in Rating.Kind.values]
    batch_keys = _keys("batches", options.batches, batches)
    models = _keys("models", options.models, _models(project))
    annotators = _keys("annotators", options.annotators, people.items())
    kinds = _keys("kinds", options.kinds, all_kinds)
    return Filters(
        batches=batch_keys,
        models=models,
        annotators=annotators,
        kinds=kinds,
        item_query=_items(project, listed) if listed else None,
        dropped=options.dropped,
        since=options.since,
        until=options.until,
        pseudonyms=pseudonyms if options.pseudonyms else None,
    )


def _pseudonyms_for(project: Project, options: Options) -> dict[int, str]:
    """Return the pseudonyms of all whom the file can have; none if no option is about people."""
    if not options.annotators and not options.pseudonyms:
        return {}
    pseudonyms = pseudonyms_of(project)
    if options.shape is Shape.PRACTICE:
        pseudonyms |= newcomers_of(project, pseudonyms)
    return pseudonyms


def _people(project: Project, options: Options, pseudonyms: Mapping[int, str]) -> dict[str, int]:
    """Return the keys of all whom an option may name, by user name and by pseudonym if chosen."""
    keys = list(pseudonyms)
    if options.annotators and not options.pseudonyms:
        keys += project.memberships.values_list("user", flat=True)
    people = {name: key for key, name in names_of(keys).items()}
    if options.pseudonyms:
        for key, pseudonym in pseudonyms.items():
            people[pseudonym] = key
    return people


def refuse_old_list(project: Project, listed: ItemFilter | None, *, now: datetime) -> None:
    """Raise Refused if the list of items lacks more than the last minute's ratings, or texts."""
    if listed is None:
        return
    fresh = Freshness(missing_since(project, listed), now)
    if fresh.is_old:
        moment = date_format(timezone.localtime(fresh.as_of), "DATETIME_FORMAT")
        message = _(
            "The list of items is as of %(time)s. Try again when “manage.py work” renewed it."
        )
        raise Refused("items", message % {"time": moment})


def _items(project: Project, listed: ItemFilter) -> sql.Composable:
    """Return the query for the keys of the items in the list."""
    entries = ItemEntry.objects.matching(project, listed).order_by().values("item")
    query, values = entries.query.sql_with_params()
    return sql.SQL(connection.ops.compose_sql(query, values))  # type: ignore[attr-defined]  # PostgreSQL has it


def _keys(option: str, wanted: tuple[str, ...], known: Iterable[tuple[str, Key]]) -> list[Key]:
    """Return the keys of the names wanted. `known` is read only if there are any."""
    if not wanted:
        return []
    keys = dict(known)
    for name in wanted:
        if name not in keys:
            names = list(keys)[:MOST_NAMES]
            if len(keys) > MOST_NAMES:
                names.append("…")
            message = _("There is no “%(name)s” in this project. There are: %(names)s.")
            raise Refused(option, message % {"name": name, "names": ", ".join(names) or "–"})
    return [keys[name] for name in wanted]


def _models(project: Project) -> Iterator[tuple[str, str]]:
    """Yield the models of a project. A generator, so that nothing is read without a filter."""
    responses = Response.objects.filter(project=project).order_by("model")
    for model in responses.values_list("model", flat=True).distinct():
        yield model, model


def newcomers_of(project: Project, raters: Collection[int]) -> dict[int, str]:
    """Return a pseudonym for everyone who practised and is none of the raters, by person."""
    rounds = project.practice_rounds.exclude(annotator__in=raters).order_by()
    firsts = rounds.values_list("annotator").annotate(first=Min("started_at"))
    pseudonyms: dict[int, str] = {}
    for person, _first in firsts.order_by("first", "annotator"):
        pseudonyms[person] = f"newcomer-{len(pseudonyms) + 1}"
    return pseudonyms


def pseudonyms_of(project: Project) -> dict[int, str]:
    """Return the pseudonym of everyone who rated or answered in a project, by person.

    Pseudonyms go by the order in which accounts began, and in which raters came in files. This
    order only changes if a file is taken back: nothing else is ever deleted. A rater
    who turns out to be an account's has the lower number of the two.
    """
    whose = ("annotator", "rater", "rater__account")
    rated = Rating.objects.filter(project=project).order_by().values_list(*whose)
    answered = CorpusAnswer.objects.filter(project=project).order_by().values_list(*whose)
    firsts: dict[Source, datetime] = {}
    person_numbers: dict[Source, int] = {}
    first_ratings = rated.annotate(first=Min(CAME_AT))
    first_answers = answered.annotate(first=Min("answered_at"))
    for annotator, rater, account, first in chain(first_ratings, first_answers):
        source = (rater or 0, annotator or 0)
        person_numbers[source] = annotator or account or -rater
        earlier = firsts.get(source, first)
        # An imported answer has the time of the file, not that at which it came.
        firsts[source] = earlier if rater else min(first, earlier)
    ordered = sorted(firsts, key=lambda source: (firsts[source], source))
    pseudonyms: dict[int, str] = {}
    for number, source in enumerate(ordered, start=1):
        pseudonyms.setdefault(person_numbers[source], f"rater-{number}")
    return pseudonyms
