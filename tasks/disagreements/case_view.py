"""A case as its page shows it: nobody's name and, unless a lead shows them, no model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from config.web.people import User
from rubrics.judging.case_figures import CaseFigures, figures_of, lower_median, verdict_on
from rubrics.judging.kinds import Better
from rubrics.judging.parts import Level
from rubrics.judging.scales import is_typed
from rubrics.judging.verdict import Verdict
from tasks.cases.ask_form import AskPanel, ask_panel, naming_of
from tasks.cases.badges import Badge, badge_of
from tasks.cases.case import Case, cases_of
from tasks.cases.history import HistoryEntry, history_of_case
from tasks.cases.rating_lines import RatingLine
from tasks.cases.rating_views import RatingView, ratings_of
from tasks.item_pages.texts import ItemTexts, RenderedText, as_html, item_texts, texts_of
from tasks.models import CaseEntry, Item, Project, Response, ScoreDecision
from tasks.models.questions import has_questions
from tasks.rating_form.verdict_words import why_barred

from .case_lines import lines_of_case

EXCERPT = 240  # characters of the prompt beside its fold
RESPONSE = "response"  # the name of the case's response among the texts that open by themselves


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person who looks at cases, and what they may see."""

    user: User
    sees_people: bool  # by name, who decided
    shows_models: bool


@dataclass(frozen=True, slots=True)
class LevelChoice:
    """A level of the scale, and why the rules bar it under the checks that most ticked."""

    level: Level
    cause: str  # "" for an open one

    @property
    def score(self) -> int:
        return self.level.score


class FinalInWords(NamedTuple):
    """A final score as a badge, or none, and where it comes from."""

    badges: list[Badge]
    source: str


@dataclass(frozen=True)
class CaseView:
    """One case for one person."""

    entry: CaseEntry
    case: Case
    ratings: Sequence[RatingView]
    viewer: Viewer

    @cached_property
    def is_blind(self) -> bool:
        """True if the answers are hidden until this person has entered a score."""
        return self.case.is_hidden_from(self.viewer.user)

    @property
    def first(self) -> ScoreDecision | None:
        """The score of this person from before the answers were shown, if there is one."""
        for decision in self.case.revisions:
            is_first = decision.source == ScoreDecision.Source.FIRST
            if is_first and decision.decided_by_id == self.viewer.user.pk:
                return decision
        return None

    @property
    def first_badge(self) -> Badge | None:
        """The first score as a badge."""
        return badge_of(self.case.dimension, self.first.value) if self.first else None

    @cached_property
    def lines(self) -> list[RatingLine]:
        """The table of the answers."""
        return [] if self.is_blind else lines_of_case(self.case, self.ratings)

    @property
    def lines_in_sight(self) -> list[RatingLine]:
        """The score, then what differs, the comments and the times."""
        return [line for line in self.lines if not self._is_alike(line)]

    @property
    def lines_alike(self) -> list[RatingLine]:
        """The lines in which all answered alike."""
        return [line for line in self.lines if self._is_alike(line)]

    def _is_alike(self, line: RatingLine) -> bool:
        return line.is_compared and not line.differs and line is not self.lines[0]

    @cached_property
    def has_talk(self) -> bool:
        """True if somebody was asked about the item or a part of it."""
        return has_questions(self.case.item)

    @cached_property
    def panel(self) -> AskPanel:
        """The form that asks about the case."""
        return ask_panel(self.case, self.ratings)

    @cached_property
    def figures(self) -> CaseFigures:
        scored = [answer.scored for answer in self.case.answers]
        return figures_of(self.case.dimension, scored)

    @property
    def is_own(self) -> bool:
        """True if one of the answers is by whoever looks at them."""
        return any(answer.person == self.viewer.user.pk for answer in self.case.answers)

    @property
    def about(self) -> list[str]:
        """The target and the difference in few words."""
        parts = [self._target_in_words(), self._model_in_words()]
        if not self.is_blind:
            if self.figures.is_mixed:
                parts.append(_("with and without a score"))
            parts.append(_("spread %(spread)s") % {"spread": self.figures.spread})
        return list(filter(None, parts))

    def _target_in_words(self) -> str:
        item = self.case.item
        if isinstance(self.case.target, int):
            number = len(item.responses_in_order)
            words = ngettext("the only response", "one response of %(number)s", number)
        else:
            number = len(self.texts)
            words = ngettext("a set of one response", "a set of %(number)s responses", number)
        return words % {"number": number}

    def _model_in_words(self) -> str:
        if self.viewer.shows_models:
            return self.entry.model
        return _("model hidden") if self.entry.model else ""

    @property
    def how(self) -> str:
        """The difference in words: people saw different things, or concluded differently."""
        if self.is_blind or not self.figures.pairs:
            return ""
        if self.figures.is_seen:
            return _("They saw different things: no score is open under the checks of both.")
        return _("They concluded differently: a score is open under the checks of both.")

    @property
    def final_score(self) -> FinalInWords:
        """The final score as it is now; where it is open, the median."""
        case = self.case
        if case.decision or case.final.source != "open":
            return FinalInWords(case.badges, case.source_in_words)
        values = [answer.value for answer in case.answers if answer.value is not None]
        if len(values) < len(case.answers):
            return FinalInWords([], _("no median: some gave no score"))
        median = badge_of(case.dimension, lower_median(values))
        return FinalInWords([median], _("median"))

    @cached_property
    def levels(self) -> list[LevelChoice]:
        """The levels from low to high. All are open where most ticked nothing that judges."""
        dimension = self.case.dimension
        checks = None if self.is_blind else self.case.majority_checks
        verdict = None
        if checks is not None and self.case.judges(checks):
            judgement = verdict_on(dimension, checks)
            if isinstance(judgement, Verdict) and judgement.open:
                verdict = judgement
        scores = list(dimension.scores)
        if is_typed(dimension):
            scores = sorted(level.score for level in dimension.levels)
        levels = []
        for score in scores:
            reasons = verdict.bars(score) if verdict else ()
            cause = " ".join(map(why_barred, reasons))
            levels.append(LevelChoice(dimension.level(score), cause))
        return levels

    @property
    def levels_from_top(self) -> list[LevelChoice]:
        """The levels with the best one first; classes in their order."""
        better = self.case.dimension.better
        return self.levels if better in (Better.LOW, Better.NONE) else self.levels[::-1]

    @cached_property
    def texts(self) -> list[RenderedText]:
        """The response, or all responses of the candidate set."""
        texts = []
        for number, response in enumerate(case_responses(self.case), 1):
            texts.append(as_html(response.text, f"{RESPONSE}-{number}", self.address))
        return texts

    @property
    def address(self) -> str:
        """The address of the case, without what the queue is asked for."""
        return reverse("tasks:case", args=[self.case.item.project.slug, self.entry.token])

    @property
    def prompt(self) -> ItemTexts:
        """All that came before the response."""
        return item_texts(self.case.item, self.address)

    @property
    def excerpt(self) -> str:
        """The beginning of the newest message."""
        messages = self.case.item.messages
        return " ".join(messages[-1]["text"][:EXCERPT].split()) if messages else ""

    @cached_property
    def history(self) -> list[HistoryEntry]:
        """The decisions and the talk, the first ones first; none while the answers are hidden."""
        if self.is_blind or not (self.case.revisions or self.has_talk):
            return []
        naming = naming_of(self.case, self.viewer.user, shows_people=self.viewer.sees_people)
        return history_of_case(self.case, naming, now=timezone.now())

    @property
    def last_decision(self) -> HistoryEntry | None:
        """The last entry of a decision, if there is one."""
        decisions = [entry for entry in self.history if entry.is_decision]
        return decisions[-1] if decisions else None

    @property
    def scores_apart(self) -> bool:
        """True if the answers still differ; a correction can have ended that."""
        return self.figures.differs_at_all


def case_view(entry: CaseEntry, project: Project, viewer: Viewer) -> CaseView | None:
    """Return a case as it is now, or None if nobody has scored its target any more."""
    item = entry.item
    item.project = project
    item.batch = entry.batch
    ratings = ratings_of(item, entry.target)
    for case in cases_of(item, entry.target, ratings):
        if case.dimension.code == entry.dimension:
            return CaseView(entry, case, ratings, viewer)
    return None


def case_responses(case: Case) -> list[Response]:
    """Return the response of a case, or those of its candidate set."""
    responses = []
    for response in case.item.responses_in_order:
        if case.target in (response.pk, response.model):
            responses.append(response)
    return responses


def texts_to_open(case_page: CaseView) -> dict[str, str]:
    """Return all texts of a case by the names under which each opens by itself."""
    item: Item = case_page.case.item
    texts = {**texts_of(item), "source": item.source}
    for number, response in enumerate(case_responses(case_page.case), 1):
        texts[f"{RESPONSE}-{number}"] = response.text
    return texts
