"""The queue as a page shows it: its rows, the numbers by state, and the way from case to case."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse
from django.utils.http import urlencode

from rubrics.judging.dimension import Dimension
from tasks.cases.badges import Badge, badge_of
from tasks.models import CaseEntry, Project, ScoreDecision
from tasks.models.case_kinds import CaseState

from .queue import CasePlace, CaseQueue, QueuePage
from .queue_form import STATES, QueueForm

ALWAYS_NAMED = (CaseState.OPEN, CaseState.ASKED, CaseState.DECIDED)


@dataclass(frozen=True, slots=True)
class CaseLink:
    """The way to a case in a queue."""

    project: Project
    token: str
    query: Mapping[str, str]  # what the queue is asked for

    @property
    def address(self) -> str:
        address = reverse("tasks:case", args=[self.project.slug, self.token])
        return f"{address}?{urlencode(self.query)}" if self.query else address


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One case in the queue."""

    entry: CaseEntry
    address: str
    badges: Sequence[Badge]  # of the answers, in the order of their letters
    check_words: Sequence[str]  # that differ, in words
    dimension: str  # "" if the rubric has but one
    is_open_elsewhere: bool

    @property
    def words(self) -> str:
        """The dimension and the checks that differ."""
        checks = ", ".join(self.check_words)
        return ": ".join(filter(None, [self.dimension, checks]))


@dataclass(frozen=True, slots=True)
class StateLink:
    """The number of cases in a state, and where they are listed."""

    state: str
    words: str
    number: int
    address: str
    is_current: bool


@dataclass
class QueueView:
    """The queue of a project beside one of its cases, which may be another one later."""

    queue: CaseQueue
    form: QueueForm
    current: CaseEntry | None = None
    has_rows: bool = True  # else only the way from case to case is asked for

    @property
    def project(self) -> Project:
        return self.queue.project

    @cached_property
    def page(self) -> QueuePage:
        return self.queue.page(**self.form.place, in_full=self.has_rows)

    @property
    def dimensions(self) -> dict[str, Dimension]:
        """The dimensions with scores, by their codes."""
        return self.project.rubric.schema.scored_dimensions

    @cached_property
    def rows(self) -> list[QueueRow]:
        """The cases of the page. The scores of those that are to be decided first are hidden."""
        entries = self.page.entries
        visible = {entry.token for entry in entries}
        if self.project.decides_first:
            keys = {entry.item_id for entry in entries}
            known = ScoreDecision.objects.keys_by(self.queue.user, keys)
            visible = set()
            for entry in entries:
                if (entry.item_id, entry.dimension, entry.target) in known:
                    visible.add(entry.token)
        return [self._row(entry, shows_scores=entry.token in visible) for entry in entries]

    def _row(self, entry: CaseEntry, *, shows_scores: bool) -> QueueRow:
        dimension = self.dimensions.get(entry.dimension)
        badges = []
        checks = []
        if dimension and shows_scores:
            badges = [badge_of(dimension, value) for value in entry.values]
            checks = list(_check_words(dimension, entry.checks))
        has_several = len(self.dimensions) > 1
        return QueueRow(
            entry=entry,
            address=self.link_to(entry.token).address,
            badges=badges,
            check_words=checks,
            dimension=dimension.short or dimension.title if dimension and has_several else "",
            is_open_elsewhere=entry.token in self.page.open_elsewhere,
        )

    def lists(self, entry: CaseEntry) -> bool:
        """Return True if a case is on the page of the queue."""
        return any(entry.token == place.token for place in self.page.places)

    @property
    def current_address(self) -> str:
        """The address of the current case."""
        return self.link_to(self.current.token).address if self.current else self.address()

    @property
    def states(self) -> list[StateLink]:
        """The numbers by state; those of the rarer states only if there are any."""
        numbers = self.queue.numbers
        links = []
        for state, words in STATES.items():
            number = getattr(numbers, state)
            is_current = state == self.form.wanted.state
            if number or is_current or state in ALWAYS_NAMED:
                address = self.address(state=state, after="", before="", last="")
                links.append(StateLink(state, str(words), number, address, is_current))
        return links

    def address(self, **changes: str) -> str:
        """Return the address of the queue, with changes to what is asked for."""
        query = urlencode(self.form.query(**changes))
        address = reverse("tasks:disagreements", args=[self.project.slug])
        return f"{address}?{query}" if query else address

    @property
    def pages(self) -> dict[str, str]:
        """The addresses of the pages before and after this one; "" without one."""
        before = self.page.before
        after = self.page.after
        return {
            "before": self.address(before=before, after="", last="") if before else "",
            "after": self.address(after=after, before="", last="") if after else "",
        }

    @property
    def next_case(self) -> CaseLink | None:
        """The next case, or None for the last one."""
        return self._neighbour(is_before=False)

    @property
    def previous_case(self) -> CaseLink | None:
        """The case before, or None for the first one."""
        return self._neighbour(is_before=True)

    @property
    def next_or_first(self) -> CaseLink | None:
        """The next case; after the last one the first, if there is any."""
        if following := self.next_case:
            return following
        first = self.queue.first()
        return self.link_to(first.token, after="", before="", last="") if first else None

    def link_to(self, token: str, **changes: str) -> CaseLink:
        """Return the way to a case in this queue, with changes to what is asked for."""
        return CaseLink(self.project, token, self.form.query(**changes))

    def _neighbour(self, *, is_before: bool) -> CaseLink | None:
        if self.current is None:
            return None
        place = self._neighbour_on_page(self.current, is_before=is_before)
        if place:
            return self.link_to(place.token)
        if not (self.page.before if is_before else self.page.after):
            return None
        place = self.queue.neighbour(self.current.sort_key, is_before=is_before)
        if place is None:
            return None
        return self.link_to(place.token, **self._page_of_neighbour(is_before=is_before))

    def _neighbour_on_page(self, current: CaseEntry, *, is_before: bool) -> CasePlace | None:
        """Return the case after one, or before it, on the page that it is on, or was on."""
        places = self.page.places
        tokens = [place.token for place in places]
        if current.token in tokens:
            number = tokens.index(current.token) + (-1 if is_before else 1)
            return places[number] if 0 <= number < len(places) else None
        free = [place for place in places if place.token not in self.page.open_elsewhere]
        before = [place for place in free if place.sort_key > current.sort_key]
        after = free[len(before) :]
        if is_before:
            return before[-1] if before else None
        return after[0] if after else None

    def _page_of_neighbour(self, *, is_before: bool) -> dict[str, str]:
        """Return which page has the case after the last one of this page, or before its first."""
        if is_before and self.page.before:
            return {"before": self.page.before, "after": "", "last": ""}
        if not is_before and self.page.after:
            return {"after": self.page.after, "before": "", "last": ""}
        return {}


def _check_words(dimension: Dimension, names: Iterable[str]) -> Iterable[str]:
    """Yield the checks of a case in words, without those that the rubric lost."""
    for name in names:
        _dimension, _colon, code = name.partition(":")
        for check in (*dimension.shared, *dimension.checks):
            if check.code == code:
                yield check.wording
