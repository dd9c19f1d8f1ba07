"""Cases: what people answered to one target in one dimension, what was decided, and what is final.

A case reads the ratings that count as they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import md5

from django.db import connection
from django.utils.translation import gettext as _, gettext_lazy

from config.web.people import User
from rubrics.judging.case_figures import (
    ScoredAnswer,
    majority_checks,
    reasons_against,
    scores_left_open,
)
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Without
from rubrics.judging.verdict import Reason
from tasks.answers.slot_answers import LABELS
from tasks.final_scores.final_scores import FinalScore, final_scores_of
from tasks.models import Item, Rating, Score, ScoreDecision
from tasks.models.case_answers import answers_on

from .badges import Badge, badge_of
from .rating_views import RatingView

RATING_KEYS = ("id", "annotator_id", "rater_id")
Target = int | str  # the key of a response, or the model of a candidate set
SOURCES = {
    "decision": gettext_lazy("by decision"),
    "incomplete": gettext_lazy("more ratings are wanted"),
    "single": gettext_lazy("one rating was wanted"),
    "agreed": gettext_lazy("all gave the same"),
    "near": gettext_lazy("near: the median"),
    "open": gettext_lazy("open: people differ"),
}


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """One person's counted answer in a case. Its letter names it where nobody's name shows."""

    letter: str
    rating: Rating
    value: int | None
    without: str
    check_answers: Mapping[str, str]  # check code → answer code, those of the whole response too

    @property
    def name(self) -> str:
        """The name of whoever answered."""
        rater = self.rating.rater
        return rater.display_name if rater else self.rating.annotator.get_username()

    @property
    def scored(self) -> ScoredAnswer:
        """The answer without the person."""
        return ScoredAnswer(self.value, self.without, self.check_answers)

    @property
    def person(self) -> int:
        """The number of whoever answered. A correction keeps it."""
        return rater_key(self.rating)


@dataclass(frozen=True)
class BareCase:
    """One target of an item in one dimension, with all that a decision needs."""

    item: Item
    dimension: Dimension
    target: Target
    answers: Sequence[CaseAnswer]  # in the order of their letters
    seen: str  # a digest of the answers
    revisions: Sequence[ScoreDecision]  # of the decision; scores from before the answers too

    @property
    def last_decision(self) -> ScoreDecision | None:
        """The last revision, be it taken back or not; no score from before the answers."""
        for decision in reversed(self.revisions):
            if decision.source != ScoreDecision.Source.FIRST:
                return decision
        return None

    @property
    def decision(self) -> ScoreDecision | None:
        """The decision that stands, if there is one."""
        last = self.last_decision
        return last if last and last.stands else None

    @property
    def last_revision(self) -> int:
        return self.last_decision.revision if self.last_decision else 0

    @property
    def version(self) -> str:
        """The decision and the counted answers that a page has seen, as a text."""
        return f"{self.last_revision}:{len(self.answers)}:{self.seen}"

    def is_hidden_from(self, user: User) -> bool:
        """Return True if someone sees no answer yet: they decide first, and have not."""
        if not self.item.project.decides_first:
            return False
        return all(decision.decided_by_id != user.pk for decision in self.revisions)

    @cached_property
    def majority_checks(self) -> dict[str, str] | None:
        """The answers that more than half of the people gave; None if a check has no majority."""
        scored = [answer.scored for answer in self.answers]
        return majority_checks(self.dimension, scored)

    @property
    def check_sets(self) -> list[Mapping[str, str]]:
        """The checks that another score may go with: those of most people, then of each person."""
        sets: list[Mapping[str, str]] = []
        if self.majority_checks is not None:
            sets.append(self.majority_checks)
        for answer in self.answers:
            if answer.check_answers not in sets:
                sets.append(answer.check_answers)
        return sets

    def is_open(self, value: int, check_answers: Mapping[str, str]) -> bool:
        """Return True if the rules leave a score open under these checks, with a comment."""
        if not self.judges(check_answers):
            return value in self.dimension.scores
        return value in scores_left_open(self.dimension, check_answers)

    def judges(self, check_answers: Mapping[str, str]) -> bool:
        """Return True if the rules can judge: a score from a file comes without any answer."""
        return bool(check_answers) or not self.dimension.required_checks

    def reasons_against(self, value: int, check_answers: Mapping[str, str]) -> Sequence[Reason]:
        """Return the reasons that bar a score under these checks; none if no rule does."""
        return reasons_against(self.dimension, value, check_answers)


@dataclass(frozen=True)
class Case(BareCase):
    """A case as pages show it."""

    final: FinalScore  # by the scores alone

    @property
    def badges(self) -> list[Badge]:
        """The final score as a badge, or nothing if there is none."""
        final = self.decision or self.final
        if final.value is None and final.without != Without.BLANK:
            return []
        return [badge_of(self.dimension, final.value)]

    @property
    def source_in_words(self) -> str:
        """The source of the final score."""
        final = self.decision or self.final
        source = "decision" if self.decision else self.final.source
        words = str(SOURCES.get(source, ""))
        if final.without == Without.NOT_ASKED:
            return _("%(source)s: not asked") % {"source": words}
        return words

    @property
    def has_changed(self) -> bool:
        """True if other answers count than when it was decided."""
        return self.decision is not None and self.decision.seen != self.seen


def cases_of(item: Item, target: Target, ratings: Sequence[RatingView]) -> list[Case]:
    """Return the cases of a target, one for each dimension in which it is scored.

    A dropped item has none.
    """
    if item.dropped:
        return []
    counted = [view for view in ratings if view.is_counted]
    finals = final_scores_of(item)
    revisions = ScoreDecision.objects.on_target(item, target)
    cases = []
    for dimension in item.project.rubric.schema.dimensions:
        final = finals.get((target, dimension.code))
        if final is None or not dimension.scores:
            continue
        case = Case(
            item=item,
            dimension=dimension,
            target=target,
            answers=_answers(counted, target, dimension),
            seen=final.seen,
            final=final,
            revisions=revisions.get(dimension.code, ()),
        )
        cases.append(case)
    return cases


def bare_case(item: Item, dimension: str, target: Target) -> BareCase | None:
    """Return a case without what only its page shows, or None if nobody has scored its target.

    A case of a dropped item is None too.
    """
    dimensions = item.project.rubric.schema.scored_dimensions
    if item.dropped or dimension not in dimensions:
        return None
    for row in answers_on([item.pk]):
        if (row.dimension, row.target) != (dimension, target):
            continue
        answers = []
        for letter, answer in zip(LABELS, row.answer_rows, strict=False):
            keys = (answer.rating, answer.annotator, answer.imported_rater)
            rating = Rating.from_db(connection.alias, RATING_KEYS, keys)
            answers.append(CaseAnswer(letter, rating, answer.value, answer.without, answer.checks))
        return BareCase(
            item=item,
            dimension=dimensions[dimension],
            target=target,
            answers=answers,
            seen=row.seen,
            revisions=ScoreDecision.objects.on_target(item, target).get(dimension, ()),
        )
    return None


def rater_key(rating: Rating) -> int:
    """Return who rated: the key of an account, or minus that of an imported rater without one."""
    if rating.annotator_id is not None:
        return rating.annotator_id
    rater = rating.rater
    assert rater is not None  # the database holds that one of both is there
    return rater.account_id or -rater.pk


def _answers(
    counted: Sequence[RatingView], target: Target, dimension: Dimension
) -> list[CaseAnswer]:
    """Return the answers of a case in the order by chance that `CaseEntry.values` has too."""
    by_chance: dict[str, tuple[RatingView, Score]] = {}
    for view in counted:
        for score in view.rating.scores.all():
            if score.target == target and score.dimension == dimension.code:
                place = _place_by_chance(view.rating, target, dimension)
                by_chance[place] = (view, score)
    answers = []
    for letter, place in zip(LABELS, sorted(by_chance), strict=False):
        view, score = by_chance[place]
        checks = {**checks_of_response(view.rating, target), **score.checks}
        answer = CaseAnswer(letter, view.rating, score.value, score.without, checks)
        answers.append(answer)
    return answers


def _place_by_chance(rating: Rating, target: Target, dimension: Dimension) -> str:
    """Return what sorts the answers of a case (`case_answers.LETTER`)."""
    words = f"{rating.item_id}.{dimension.code}.{target}.{rater_key(rating)}"
    return md5(words.encode(), usedforsecurity=False).hexdigest()


def checks_of_response(rating: Rating, target: Target) -> Mapping[str, str]:
    """Return what a rating answers about a whole response; nothing for a candidate set."""
    for placement in rating.placements.all():
        if placement.response_id == target:
            return placement.checks
    return {}
