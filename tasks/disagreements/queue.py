"""The queue of a project's cases: filters, numbers by state, and a page at a time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from config.web.people import User
from config.web.raw_sql import all_rows
from tasks.item_pages.sort_keys import write_sort_key
from tasks.models import CaseEntry, CaseOpening, Project
from tasks.models.case_counts import are_counted, case_numbers
from tasks.models.case_entries import CaseEntryQuerySet, SortKey
from tasks.models.case_kinds import CaseState

ON_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """The cases that are asked for. An empty one leaves in all that are open."""

    state: str = CaseState.OPEN
    batch: int | None = None
    model: str = ""
    check: str = ""  # with its dimension: "quality:language_error"
    spread: int | None = None  # at least
    seen: bool | None = None  # True: seen, False: concluded
    is_mine: bool = False  # decided by whoever asks

    @property
    def kind(self) -> dict[str, int | str]:
        """The conditions that counts of cases have too."""
        conditions: dict[str, int | str] = {}
        if self.batch is not None:
            conditions["batch"] = self.batch
        if self.model:
            conditions["model"] = self.model
        if self.spread is not None:
            conditions["spread__gte"] = self.spread
        return conditions


@dataclass(frozen=True, slots=True)
class StateNumbers:
    """How many cases there are in each state, and how many of the chosen state were seen."""

    open: int
    asked: int
    decided: int
    changed: int
    incomplete: int
    settled: int
    seen: int
    concluded: int


class CasePlace(NamedTuple):
    """The name of a case, and its place in the queue."""

    token: str
    item_spread: int
    item_id: int
    place: int

    @property
    def sort_key(self) -> SortKey:
        return SortKey(self.item_spread, self.item_id, self.place)

    @classmethod
    def of(cls, entry: CaseEntry) -> "CasePlace":
        """Return the place of an entry."""
        return cls(entry.token, *entry.sort_key)


PLACE = ", ".join(CasePlace._fields)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the queue; the cases that others have open come at its very end."""

    places: Sequence[CasePlace]
    entries: Sequence[CaseEntry]  # the same; none if only the places are asked for
    open_elsewhere: frozenset[str]  # tokens
    before: str  # the sort key of the page before, as an address has it; "" without one
    after: str


@dataclass(frozen=True)
class CaseQueue:
    """The queue of a project as one person sees it."""

    project: Project
    user: User
    wanted: QueueFilter
    now: datetime

    @cached_property
    def waiting(self) -> frozenset[int]:
        """The keys of the cases with a question that waits."""
        return CaseEntry.objects.waiting_keys(self.project)

    @cached_property
    def open_elsewhere(self) -> frozenset[str]:
        """The tokens of the cases that others have open."""
        return CaseOpening.objects.tokens_of_others(self.project, self.user, now=self.now)

    @cached_property
    def numbers(self) -> StateNumbers:
        """How many cases the filter leaves in, in each state."""
        if self._is_counted:
            numbers = case_numbers(self.project, check=self.wanted.check, **self.wanted.kind)
        else:
            numbers = self._of_any_state.numbers(self.project)
        if self.waiting:
            waiting_numbers = self._of_any_state.filter(pk__in=self.waiting).numbers(self.project)
            for (state, is_seen), number in waiting_numbers.items():
                if state in (CaseState.OPEN, CaseState.INCOMPLETE):
                    numbers[state, is_seen] -= number
                    numbers[CaseState.ASKED, is_seen] += number
        by_state = dict.fromkeys(CaseState.values, 0)
        for (state, _is_seen), number in numbers.items():
            by_state[state] += number
        return StateNumbers(
            **by_state,
            seen=numbers[self.wanted.state, True],
            concluded=numbers[self.wanted.state, False],
        )

    @property
    def _is_counted(self) -> bool:
        """True if nothing has to be looked at to count the cases that the filter leaves in."""
        return are_counted(self.project) and not self.wanted.is_mine

    @property
    def _is_empty(self) -> bool:
        """True if the counts tell that the filter leaves no case in."""
        if not self._is_counted:
            return False
        match self.wanted.seen:
            case True:
                return not self.numbers.seen
            case False:
                return not self.numbers.concluded
        return not getattr(self.numbers, self.wanted.state)

    @property
    def _of_any_state(self) -> CaseEntryQuerySet:
        return _of_any_state(self.project, self.user, self.wanted)

    def page(
        self, *, after: str = "", before: str = "", last: bool = False, in_full: bool = True
    ) -> QueuePage:
        """Return a page: what comes after a sort key or before one, the last, or the first.

        `in_full`: with all that its rows show, and not only their places.
        """
        if in_full and self._is_empty:
            return QueuePage((), (), self.open_elsewhere, "", "")
        sort_key = read_case_key(before or after)
        is_reversed = last or bool(before and sort_key)
        start = None if last else sort_key
        entries = self._entries(start, is_reversed=is_reversed) if in_full else []
        places = [CasePlace.of(entry) for entry in entries]
        if not in_full:
            places = self._places(start, is_reversed=is_reversed)
        has_more = len(places) > ON_A_PAGE
        entries = entries[:ON_A_PAGE]
        places = places[:ON_A_PAGE]
        if is_reversed:
            entries.reverse()
            places.reverse()
        comes_from_key = bool(sort_key and places) and not last
        has_before = has_more if is_reversed else comes_from_key
        has_after = comes_from_key if is_reversed else has_more
        ends = _ends(places, has_before=has_before, has_after=has_after)
        if not has_after and self.open_elsewhere:
            of_others = list(self._open_elsewhere)
            entries += of_others if in_full else []
            places += [CasePlace.of(entry) for entry in of_others]
        return QueuePage(places, entries, self.open_elsewhere, *ends)

    def _entries(self, start: SortKey | None, *, is_reversed: bool) -> list[CaseEntry]:
        """Return the cases after a sort key, or before it: one more than a page has."""
        cases = self._free
        if start:
            cases = cases.beyond(start, is_reversed=is_reversed)
        return list(cases.in_order(is_reversed=is_reversed)[: ON_A_PAGE + 1])

    def _places(self, start: SortKey | None, *, is_reversed: bool) -> list[CasePlace]:
        """Return the places of the same cases."""
        project = self.project
        settings = (*project.thresholds.items(), *project.disputed_checks)
        user = self.user if self.wanted.is_mine else None
        statement, values = _remembered(project, settings, user, self.wanted, self.waiting)
        sort = "ASC" if is_reversed else "DESC"
        order = ", ".join(f"{name} {sort}" for name in SortKey._fields)
        where = "token <> ALL(%s)"
        more_values: list[Any] = [sorted(self.open_elsewhere)]
        if start:
            comparison = ">" if is_reversed else "<"
            where += f" AND ({', '.join(SortKey._fields)}) {comparison} (%s, %s, %s)"
            more_values += start
        few = f"SELECT {PLACE} FROM ({statement}) AS entry WHERE {where} ORDER BY {order} LIMIT %s"  # noqa: S608
        rows = all_rows(few, [*values, *more_values, ON_A_PAGE + 1])
        return list(map(CasePlace._make, rows))

    def first(self) -> CasePlace | None:
        """Return the place of the first case, or None if the filter leaves none in."""
        first = self._free.in_order().first()
        if first is None and self.open_elsewhere:
            first = self._open_elsewhere.first()
        return CasePlace.of(first) if first else None

    def neighbour(self, sort_key: SortKey, *, is_before: bool = False) -> CasePlace | None:
        """Return the place of the case after a sort key, or before it, that nobody has open."""
        cases = self._free.beyond(sort_key, is_reversed=is_before)
        entry = cases.in_order(is_reversed=is_before).first()
        return CasePlace.of(entry) if entry else None

    @property
    def _matching(self) -> CaseEntryQuerySet:
        """The cases that the filter leaves in."""
        return matching(self.project, self.user, self.wanted, self.waiting)

    @property
    def _free(self) -> CaseEntryQuerySet:
        """Those among them that nobody else has open."""
        cases = self._matching.select_related("item", "batch")
        return cases.exclude(token__in=self.open_elsewhere) if self.open_elsewhere else cases

    @property
    def _open_elsewhere(self) -> CaseEntryQuerySet:
        """Those among them that others have open."""
        cases = self._matching.select_related("item", "batch")
        return cases.filter(token__in=self.open_elsewhere).in_order()


def matching(
    project: Project, user: User | None, wanted: QueueFilter, waiting: Collection[int]
) -> CaseEntryQuerySet:
    """Return the cases that a filter leaves in; `waiting`: the keys of those with a question."""
    cases = _of_any_state(project, user, wanted).in_state(wanted.state, project, waiting)
    if wanted.seen is not None:
        cases = cases.filter(is_seen=wanted.seen)
    return cases


def _of_any_state(project: Project, user: User | None, wanted: QueueFilter) -> CaseEntryQuerySet:
    """Return the cases that a filter leaves in, whatever their state, seen or concluded."""
    cases = CaseEntry.objects.filter(project=project, **wanted.kind)
    if wanted.spread is not None:
        cases = cases.filter(item_spread__gte=wanted.spread)  # follows, and has an index
    if wanted.check:
        cases = cases.filter(checks__contains=[wanted.check])
    if wanted.is_mine and user:
        cases = cases.decided_by(user)
    return cases


@lru_cache(maxsize=256)
def _remembered(
    project: Project,
    _settings: tuple[object, ...],
    user: User | None,
    wanted: QueueFilter,
    waiting: frozenset[int],
) -> tuple[str, tuple[Any, ...]]:
    """Return the statement of `matching`: the ORM takes longer to make it than to run it."""
    cases = matching(project, user, wanted, waiting).order_by()
    return cases.values(*CasePlace._fields).query.sql_with_params()


def _ends(places: Sequence[CasePlace], *, has_before: bool, has_after: bool) -> tuple[str, str]:
    before = write_sort_key(places[0].sort_key) if has_before and places else ""
    after = write_sort_key(places[-1].sort_key) if has_after and places else ""
    return before, after


def read_case_key(text: str) -> SortKey | None:
    """Return the sort key that an address names, or None if it names none."""
    try:
        spread, item, place = map(int, text.split("."))
    except ValueError:
        return None
    is_possible = 0 <= spread < 2**15 and 0 < item < 2**63 and 0 < place < 2**31
    return SortKey(spread, item, place) if is_possible else None
