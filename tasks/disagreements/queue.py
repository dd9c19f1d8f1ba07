"""The queue of a project's cases: filters, numbers by state, and a page at a time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from config.web.people import User
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


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the queue; the cases that others have open come at its very end."""

    entries: Sequence[CaseEntry]
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
    def asked(self) -> Collection[int]:
        """The keys of the cases with a question that waits."""
        return CaseEntry.objects.asked_keys(self.project)

    @cached_property
    def open_elsewhere(self) -> frozenset[str]:
        """The tokens of the cases that others have open."""
        return CaseOpening.objects.tokens_of_others(self.project, self.user, now=self.now)

    @cached_property
    def numbers(self) -> StateNumbers:
        """How many cases the filter leaves in, in each state."""
        if self._is_counted:
            numbers = case_numbers(self.project, check=self.wanted.check, **self._kind)
        else:
            numbers = self._of_any_state.numbers(self.project)
        if self.asked:
            of_asked = self._of_any_state.filter(pk__in=self.asked).numbers(self.project)
            for (state, is_seen), number in of_asked.items():
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

    def page(
        self, *, after: str = "", before: str = "", last: bool = False, in_full: bool = True
    ) -> QueuePage:
        """Return a page: what comes after a sort key or before one, the last, or the first.

        `in_full`: with all that its rows show, and not only their order.
        """
        if in_full and self._is_empty:
            return QueuePage((), self.open_elsewhere, "", "")
        sort_key = read_case_key(before or after)
        is_reversed = last or bool(before and sort_key)
        cases = self._free
        if not in_full:
            cases = cases.in_few_columns()
        if sort_key and not last:
            cases = cases.beyond(sort_key, is_reversed=is_reversed)
        entries = list(cases.in_order(is_reversed=is_reversed)[: ON_A_PAGE + 1])
        has_more = len(entries) > ON_A_PAGE
        entries = entries[:ON_A_PAGE]
        if is_reversed:
            entries.reverse()
        comes_from_key = bool(sort_key and entries) and not last
        has_before = has_more if is_reversed else comes_from_key
        has_after = comes_from_key if is_reversed else has_more
        ends = _ends(entries, has_before=has_before, has_after=has_after)
        if not has_after and self.open_elsewhere:
            entries += self._open_elsewhere
        return QueuePage(entries, self.open_elsewhere, *ends)

    def first(self) -> CaseEntry | None:
        """Return the first case, or None if the filter leaves none in."""
        first = self._free.in_order().first()
        return first or (self._open_elsewhere.first() if self.open_elsewhere else None)

    def beside(self, sort_key: SortKey, *, is_before: bool = False) -> CaseEntry | None:
        """Return the case after a sort key, or before it, that nobody else has open."""
        cases = self._free.beyond(sort_key, is_reversed=is_before)
        return cases.in_order(is_reversed=is_before).first()

    @property
    def _matching(self) -> CaseEntryQuerySet:
        """The cases that the filter leaves in."""
        cases = self._of_any_state.in_state(self.wanted.state, self.project, self.asked)
        if self.wanted.seen is not None:
            cases = cases.filter(is_seen=self.wanted.seen)
        return cases

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

    @property
    def _kind(self) -> dict[str, int | str]:
        """The conditions of the filter that counts of cases have too."""
        wanted = self.wanted
        conditions: dict[str, int | str] = {}
        if wanted.batch is not None:
            conditions["batch"] = wanted.batch
        if wanted.model:
            conditions["model"] = wanted.model
        if wanted.spread is not None:
            conditions["spread__gte"] = wanted.spread
        return conditions

    @property
    def _of_any_state(self) -> CaseEntryQuerySet:
        """The cases that the filter leaves in, whatever their state, seen or concluded."""
        wanted = self.wanted
        cases = CaseEntry.objects.filter(project=self.project, **self._kind)
        if wanted.spread is not None:
            cases = cases.filter(item_spread__gte=wanted.spread)  # follows, and has an index
        if wanted.check:
            cases = cases.filter(checks__contains=[wanted.check])
        if wanted.is_mine:
            cases = cases.decided_by(self.user)
        return cases


def _ends(entries: Sequence[CaseEntry], *, has_before: bool, has_after: bool) -> tuple[str, str]:
    before = write_sort_key(entries[0].sort_key) if has_before and entries else ""
    after = write_sort_key(entries[-1].sort_key) if has_after and entries else ""
    return before, after


def read_case_key(text: str) -> SortKey | None:
    """Return the sort key that an address names, or None if it names none."""
    try:
        spread, item, place = map(int, text.split("."))
    except ValueError:
        return None
    is_possible = 0 <= spread < 2**15 and 0 < item < 2**63 and 0 < place < 2**31
    return (spread, item, place) if is_possible else None
