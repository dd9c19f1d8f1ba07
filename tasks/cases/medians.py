"""The open cases of a project that may be settled by their medians, many at once.

`tasks/disagreements/median_views.py` lists them, `bulk_decisions.py` stores the decisions. A median
is offered if the rules leave it open under the checks that most people ticked. Cases are read in a
few statements for all of them: five hundred take about as long as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from rubrics.judging.case_figures import (
    ScoredAnswer,
    checks_without_majority,
    lower_median,
    majority_checks,
    reasons_against,
    scores_left_open,
    spread_of_answers,
)
from rubrics.judging.dimension import Dimension
from tasks.answers.slot_answers import SlotAnswers
from tasks.models import CaseEntry, Item, Project, ScoreDecision
from tasks.models.case_answers import CaseAnswers, answers_on
from tasks.models.case_entries import CaseEntryQuerySet, token_of
from tasks.models.targets import Target
from tasks.rating_form.rating_words import ScoreWords

from .badges import Badge, badge_of

MOST = 500  # cases that are settled at once
MOST_READ = 3_000  # cases that are looked at for these


@dataclass(frozen=True, slots=True)
class MedianCase:
    """A case as its answers stand now, with the median and what bars it, if anything does."""

    token: str
    version: str  # the decision and the answers that a page has seen
    item: Item
    dimension: Dimension
    target: Target
    scored_answers: Sequence[ScoredAnswer]  # in the order of their letters
    seen: str  # a digest of the answers
    next_revision: int
    is_complete: bool
    median: int | None  # None without a score of everyone
    obstacle: str  # "" where the median is offered

    @property
    def is_offered(self) -> bool:
        return not self.obstacle

    @property
    def spread(self) -> int:
        return spread_of_answers(self.dimension, self.scored_answers)

    @property
    def checks(self) -> Mapping[str, str]:
        """The answers to checks that more than half of the people gave, by check code."""
        return majority_checks(self.dimension, self.scored_answers) or {}

    @property
    def checks_in_words(self) -> list[str]:
        """The same in the rubric's words, without the best answers."""
        answers = SlotAnswers.stored(None, self.checks)
        words: list[str] = []
        for part in (self.item.project.rubric.schema.whole_response, self.dimension):
            words += ScoreWords.of(part, None, answers, best=False).answer_texts
        return words

    @property
    def badges(self) -> list[Badge]:
        """The scores as badges, in the order of their letters."""
        return [badge_of(self.dimension, answer.value) for answer in self.scored_answers]

    @property
    def median_badges(self) -> list[Badge]:
        """The median as a badge, if there is one."""
        return [] if self.median is None else [badge_of(self.dimension, self.median)]


@dataclass(frozen=True, slots=True)
class MedianList:
    """The open cases of one spread: those whose median is offered, and those that stay open."""

    spread: int
    number: int  # of open cases with this spread
    offered: Sequence[MedianCase]
    barred: Sequence[MedianCase]
    are_all_read: bool


def cases_with_median(project: Project) -> CaseEntryQuerySet:
    """Return the open cases in dimensions whose scores have an order."""
    codes = list(project.rubric.schema.ordered_dimensions)
    return CaseEntry.objects.open_in(project).filter(dimension__in=codes)


def median_list(project: Project, spread: int) -> MedianList:
    """Return the open cases of a spread as they stand, in the order of the queue."""
    entries = cases_with_median(project).filter(spread=spread)
    offered: list[MedianCase] = []
    barred: list[MedianCase] = []
    number = entries.count()
    read = 0
    for start in range(0, min(number, MOST_READ), MOST):
        if len(offered) >= MOST:
            break
        chunk = list(entries.select_related("item")[start : start + MOST])
        read += len(chunk)
        for case in _unchanged_cases(project, chunk, spread):
            if case.is_offered:
                offered.append(case)
            else:
                barred.append(case)
    are_all_read = read >= number and len(offered) <= MOST
    return MedianList(spread, number, offered[:MOST], barred[:MOST], are_all_read)


def _unchanged_cases(
    project: Project, entries: Sequence[CaseEntry], spread: int
) -> Iterator[MedianCase]:
    """Yield the cases of entries, without those that changed since the worker made the entries."""
    items = {entry.item_id: entry.item for entry in entries}
    for item in items.values():
        item.project = project
    cases = {case.token: case for case in read_cases(project, list(items.values()))}
    for entry in entries:
        case = cases.get(entry.token)
        if case and case.is_complete and case.spread == spread:
            yield case


def read_cases(project: Project, items: Sequence[Item]) -> Iterator[MedianCase]:
    """Yield all cases of items as they stand in the database."""
    dimensions = project.rubric.schema.ordered_dimensions
    items_by_key = {item.pk: item for item in items}
    revisions = ScoreDecision.objects.revisions_on(items_by_key)
    for case_answers in answers_on(list(items_by_key)):
        dimension = dimensions.get(case_answers.dimension)
        if dimension:
            item = items_by_key[case_answers.item]
            decisions = revisions.get(case_answers.key, [])
            yield _median_case(item, dimension, case_answers, decisions)


def _median_case(
    item: Item, dimension: Dimension, case_answers: CaseAnswers, decisions: Sequence[ScoreDecision]
) -> MedianCase:
    answers = case_answers.current_answers
    values = [answer.value for answer in answers if answer.value is not None]
    median = lower_median(values) if len(values) == len(answers) else None
    return MedianCase(
        token=token_of(item.project, item.pk, dimension.code, case_answers.target),
        version=f"{last_revision(decisions)}:{case_answers.seen}",
        item=item,
        dimension=dimension,
        target=case_answers.target,
        scored_answers=answers,
        seen=case_answers.seen,
        next_revision=decisions[-1].revision + 1 if decisions else 1,
        is_complete=case_answers.is_complete,
        median=median,
        obstacle=_obstacle(item.project, dimension, answers, median),
    )


def last_revision(decisions: Sequence[ScoreDecision]) -> int:
    """Return the number of the last decision, 0 for none; scores before the answers are none."""
    for decision in reversed(decisions):
        if decision.source != ScoreDecision.Source.FIRST:
            return decision.revision
    return 0


def _obstacle(
    project: Project,
    dimension: Dimension,
    scored_answers: Sequence[ScoredAnswer],
    median: int | None,
) -> str:
    """Return the reason why a median is not offered; "" if it is."""
    if median is None:
        return _("Not everyone gave a score.")
    checks = majority_checks(dimension, scored_answers)
    if checks is None:
        disputed = checks_without_majority(dimension, scored_answers)
        wordings = _wordings(project, dimension, disputed)
        return _("No majority on %(checks)s.") % {"checks": ", ".join(wordings)}
    if median in scores_left_open(dimension, checks):
        return ""
    reasons = [reason.text for reason in reasons_against(dimension, median, checks)]
    return " ".join(reasons) or _("The other answers leave this question out.")


def _wordings(project: Project, dimension: Dimension, codes: Sequence[str]) -> list[str]:
    """Return the wordings of checks, in the rubric's order; a code where there is no such check."""
    wordings = {}
    for check in (*project.rubric.schema.whole_response.checks, *dimension.checks):
        wordings[check.code] = check.wording
    known = [wording for code, wording in wordings.items() if code in codes]
    unknown = [code for code in codes if code not in wordings]
    return known + unknown
