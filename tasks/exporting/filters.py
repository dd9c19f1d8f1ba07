"""The filters of an export: names looked up in its project, and conditions in SQL.

`look_up` turns the names in options into keys, or refuses them. Each shape of rows then says by
`FilterColumns` which expressions the filters are about, and its statement ends in `Filters.where`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, time
from typing import TypeVar

from django.db import connection
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from psycopg import sql

from tasks.lead_pages.freshness import Freshness
from tasks.models import ItemEntry, Project, Rating, Response
from tasks.models.imported import names_of
from tasks.models.item_list import ItemFilter, missing_since

from .options import Options, Shape
from .pseudonyms import newcomers_of, pseudonyms_of

Key = TypeVar("Key", int, str)
MOST_NAMES = 50  # in an error
# The options that each shape does not have, by their names in `Options`. `items` are made of
# current ratings that count.
LACKING = {
    Shape.SCORES: ("open_median",),
    Shape.RATINGS: ("open_median",),
    Shape.ITEMS: ("kinds", "revisions"),
    Shape.WIDE: ("revisions", "texts", "open_median"),
    Shape.CORPUS_ANSWERS: ("kinds", "texts", "items", "dropped", "open_median"),
    Shape.DECISIONS: ("annotators", "kinds", "texts", "open_median"),
    Shape.TALK: ("kinds", "revisions", "texts", "open_median"),
    Shape.PRACTICE: (
        "batches",
        "models",
        "kinds",
        "items",
        "texts",
        "revisions",
        "dropped",
        "open_median",
    ),
}


class Refused(Exception):
    """Options that make no export of this project; `option` is the one to change."""

    def __init__(self, option: str, message: str) -> None:
        self.option = option
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class FilterColumns:
    """The SQL expressions of a statement that its filters are about.

    They stand beside the statement, and name its tables. None: it has no such filter (`LACKING`).
    """

    moment: sql.Composable  # for `since` and `until`
    batch_key: sql.Composable | None = None
    model: sql.Composable | None = None
    person: sql.Composable | None = None  # a number, as in `counting.PERSON`
    kind: sql.Composable | None = None
    item_key: sql.Composable | None = None
    not_dropped: sql.Composable | None = None  # a condition


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters, with keys in place of names. An empty one leaves everything in."""

    batches: Sequence[int] = ()
    models: Sequence[str] = ()
    annotators: Sequence[int] = ()  # persons, as in `pseudonyms`
    kinds: Sequence[str] = ()
    item_query: sql.Composable | None = None  # the query for their keys
    dropped: bool = True  # dropped items, too
    since: date | None = None
    until: date | None = None
    pseudonyms: Mapping[int, str] | None = None  # by person; None: names are exported

    @property
    def are_empty(self) -> bool:
        """True if nothing is left out, but perhaps dropped items."""
        names = (self.batches, self.models, self.annotators, self.kinds)
        return not (any(names) or self.item_query or self.since or self.until)

    def where(self, filter_columns: FilterColumns, *conditions: sql.Composable) -> sql.Composable:
        """Return these conditions and those of the filters, each after AND: the end of a WHERE."""
        all_conditions = [*conditions, *self._conditions(filter_columns)]
        return sql.Composed([sql.SQL(" AND ") + condition for condition in all_conditions])

    def _conditions(self, filter_columns: FilterColumns) -> Iterator[sql.Composable]:
        if self.item_query is not None and filter_columns.item_key is not None:
            yield sql.SQL("{} IN ({})").format(filter_columns.item_key, self.item_query)
        if filter_columns.not_dropped is not None and not self.dropped:
            yield filter_columns.not_dropped
        yield from _among(filter_columns.batch_key, self.batches)
        yield from _among(filter_columns.model, self.models)
        yield from _among(filter_columns.person, self.annotators)
        yield from _among(filter_columns.kind, self.kinds)
        if self.since:
            first = datetime.combine(self.since, time.min, UTC)
            yield sql.SQL("{} >= {}").format(filter_columns.moment, sql.Literal(first))
        if self.until:
            last = datetime.combine(self.until, time.max, UTC)
            yield sql.SQL("{} <= {}").format(filter_columns.moment, sql.Literal(last))

    def options_as_named(self, options: Options) -> Options:
        """Return options that name annotators as the file does."""
        if self.pseudonyms is None:
            return options
        pseudonyms = [self.pseudonyms[person] for person in self.annotators]
        return replace(options, annotators=tuple(pseudonyms))

    @property
    def pseudonym(self) -> sql.Composable:
        """The expression for the pseudonym of who rated.

        Every statement with people joins `annotator`, the account, and `rater`, that of a file.
        """
        by_person = sql.SQL("{}::jsonb ->> COALESCE(annotator.id, -rater.id)::text")
        return by_person.format(sql.Literal(json.dumps(self.pseudonyms)))


def _among(
    column: sql.Composable | None, chosen: Sequence[int] | Sequence[str]
) -> Iterator[sql.Composable]:
    """Yield the condition that a column has one of these values, if there are any."""
    if column is not None and chosen:
        literals = sql.SQL(", ").join(map(sql.Literal, chosen))
        yield sql.SQL("{} IN ({})").format(column, literals)


def look_up(project: Project, options: Options, listed: ItemFilter | None) -> Filters:
    """Return the filters of an export. Raise Refused if the project has no such name."""
    _refuse_lacking(options)
    if options.since and options.until and options.since > options.until:
        raise Refused("until", _("This day is before the first one."))
    pseudonyms = _pseudonyms_for(project, options)
    people = _people(project, options, pseudonyms)
    batches = project.batches.values_list("name", "pk")
    all_kinds = [(kind, kind) for kind in Rating.Kind.values]
    return Filters(
        batches=_keys("batches", options.batches, batches),
        models=_keys("models", options.models, _models(project)),
        annotators=_keys("annotators", options.annotators, people.items()),
        kinds=_keys("kinds", options.kinds, all_kinds),
        item_query=_items(project, listed) if listed else None,
        dropped=options.dropped,
        since=options.since,
        until=options.until,
        pseudonyms=pseudonyms if options.pseudonyms else None,
    )


def _refuse_lacking(options: Options) -> None:
    """Raise Refused if an option is chosen that the shape does not have."""
    values = asdict(options)
    for option in LACKING[options.shape]:
        if values[option]:
            message = _("This can’t be chosen for the file “%(shape)s”.")
            raise Refused(option, message % {"shape": options.shape})


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
    """Return the keys of the names wanted. `known` has all names, and is read only if any is."""
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
