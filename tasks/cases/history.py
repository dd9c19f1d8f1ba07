"""The history of an item or of a case: all that was decided, asked, flagged and replied to.

The entries stand in order of time, each with its reply. A reader of cases sees letters in place of
names.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _, ngettext

from config.web.people import User
from tasks.models import Concern, Item, Question, ReturnedRating, ScoreDecision

from .badges import Badge, badge_of
from .case import Case
from .rating_views import RatingView


@dataclass(frozen=True, slots=True)
class Naming:
    """The names that a reader sees: of annotators letters or names, of those who decide or ask."""

    reader: User
    shows_people: bool = True
    letters: Mapping[int, str] | None = None  # by the keys of annotators; None: by their names

    def question_to(self, annotator: User) -> str:
        """Return the head of a question to an annotator."""
        if self.letters is None:
            return _("Question to %(name)s") % {"name": annotator}
        letter = self.letters.get(annotator.pk)
        if not letter:  # the rating does not count any more
            return _("Question")
        return _("Question about answer %(letter)s") % {"letter": letter}

    def decider(self, user: User | None) -> str:
        """Return who decided, asked or replied; "" if nobody stored that."""
        if user is None:
            return ""
        if user.pk == self.reader.pk:
            return _("you")
        return str(user) if self.shows_people else _("another")


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of an entry: what came back, from whom and when."""

    outcome: str
    at: datetime | None
    by: str = ""  # "" for the annotator
    words: str = ""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One entry: a decision, a question, a flag, a skip, or a rating that came back."""

    key: str  # the id of its element
    at: datetime
    head: str
    by: str = ""
    about: str = ""  # the response or the candidate set, and the dimension
    badge: Badge | None = None
    details: Sequence[str] = ()
    words: str = ""  # of whoever began it
    state: str = ""
    reply: Reply | None = None
    act: str = ""  # by which a flag or skip is replied to

    @property
    def is_decision(self) -> bool:
        return self.key.startswith("decision-")


@dataclass(frozen=True, slots=True)
class TargetNames:
    """The names of an item's targets for a reader; none where there is one target only."""

    name_by_target: Mapping[int | str, str]
    dimensions: Mapping[str, str]  # titles by code; none where there is one dimension only

    def of(self, target: int | str, dimension: str) -> str:
        """Return what an entry is about, as the reader sees it; "" where that goes without."""
        parts = [self.name_by_target.get(target, ""), self.dimensions.get(dimension, "")]
        return " · ".join(filter(None, parts))


NO_TARGET_NAMES = TargetNames({}, {})


def history_of_case(case: Case, naming: Naming, *, now: datetime) -> list[HistoryEntry]:
    """Return the history of a case, oldest first."""
    dimension = case.dimension.code
    touching = Question.objects.touching_case(case.item, dimension, case.target)
    questions = touching.with_changes_of_case(dimension, case.target)
    about_case = questions.select_related("annotator", "asked_by")
    entries = [
        *_decisions(case.item, case.revisions, naming, NO_TARGET_NAMES),
        *_questions(list(about_case), naming, NO_TARGET_NAMES, now),
    ]
    return sorted(entries, key=lambda entry: entry.at)


def history_of_item(
    item: Item,
    ratings: Sequence[RatingView],
    concerns: Sequence[Concern],
    *,
    naming: Naming,
    target_names: TargetNames,
    now: datetime,
) -> list[HistoryEntry]:
    """Return the history of an item with all its targets, oldest first."""
    decisions = item.decisions.in_words()
    questions = item.questions.with_changes().select_related("annotator", "asked_by")
    about_item = list(questions.order_by("pk"))
    entries = [
        *_decisions(item, list(decisions.order_by("pk")), naming, target_names),
        *_questions(about_item, naming, target_names, now),
        *_concerns(concerns, naming),
        *_returns(ratings, {question.text for question in about_item}),
    ]
    return sorted(entries, key=lambda entry: entry.at)


def _decisions(
    item: Item, decisions: Sequence[ScoreDecision], naming: Naming, target_names: TargetNames
) -> Iterator[HistoryEntry]:
    dimensions = {part.code: part for part in item.project.rubric.schema.dimensions}
    for decision in decisions:
        badge = None
        is_score = decision.source != ScoreDecision.Source.WITHDRAWN
        if is_score and decision.dimension in dimensions:
            badge = badge_of(dimensions[decision.dimension], decision.value)
        yield HistoryEntry(
            key=f"decision-{decision.pk}",
            at=decision.decided_at,
            head=_head_of(decision),
            by=naming.decider(decision.decided_by),
            about=target_names.of(decision.target, decision.dimension),
            badge=badge,
            details=_details_of(decision, item),
            words=decision.reason,
        )


def _head_of(decision: ScoreDecision) -> str:
    match decision.source:
        case ScoreDecision.Source.FIRST:
            return _("Score before the answers")
        case ScoreDecision.Source.WITHDRAWN:
            return _("Decision taken back")
    return _("Decision")


def _details_of(decision: ScoreDecision, item: Item) -> list[str]:
    """Return where the score comes from, why people differed, and another version of the rubric."""
    details = []
    if decision.stands:
        details.append(decision.get_source_display())
    if decision.cause:
        details.append(decision.get_cause_display())
    if decision.rubric_id != item.project.rubric_id:
        words = _("version %(version)s of the rubric")
        details.append(words % {"version": decision.rubric_version})
    return details


def _questions(
    questions: Sequence[Question], naming: Naming, target_names: TargetNames, now: datetime
) -> Iterator[HistoryEntry]:
    for question in questions:
        reply = None
        if question.replied_at:
            reply = Reply(_outcome_of(question), question.replied_at, words=question.reply)
        yield HistoryEntry(
            key=f"question-{question.pk}",
            at=question.asked_at,
            head=naming.question_to(question.annotator),
            by=naming.decider(question.asked_by),
            about=target_names.of(question.target, question.dimension),
            words=question.text,
            state=_state_of(question, now),
            reply=reply,
        )


def _outcome_of(question: Question) -> str:
    if question.has_other_score:
        return _("answered, with another score")
    return _("answered, with the same score")


def _state_of(question: Question, now: datetime) -> str:
    """Return how long a question waits, or that it was withdrawn; "" with a reply."""
    if question.withdrawn_at:
        return _("withdrawn by the decision")
    if question.replied_at:
        return ""
    days = (now - question.asked_at).days
    if not days:
        return _("asked today")
    return ngettext("asked, %(days)s day", "asked, %(days)s days", days) % {"days": days}


def _concerns(concerns: Sequence[Concern], naming: Naming) -> Iterator[HistoryEntry]:
    heads = {
        Concern.Kind.FLAG: _("Flagged by %(name)s"),
        Concern.Kind.SKIP: _("Skipped by %(name)s"),
    }
    for concern in concerns:
        reply = None
        if concern.decision:
            reply = Reply(
                outcome=concern.get_decision_display(),
                at=concern.decided_at,
                by=naming.decider(concern.decided_by),
                words=concern.answer,
            )
        yield HistoryEntry(
            key=f"concern-{concern.pk}",
            at=concern.raised_at,
            head=heads[Concern.Kind(concern.kind)] % {"name": concern.annotator},
            details=[concern.get_reason_display()],
            words=concern.note,
            state="" if concern.decision else concern.get_decision_display(),
            reply=reply,
            act=reply_act(concern),
        )


def reply_act(concern: Concern) -> str:
    """Return the name of the act that replies to a flag or a skip."""
    return f"reply-{concern.pk}"


def _returns(ratings: Sequence[RatingView], questions: set[str]) -> Iterator[HistoryEntry]:
    """Yield the ratings that came back for another reason than a question or a reply to a flag."""
    for view in ratings:
        for returned in view.returns:
            reasons = []
            for cause, reason in returned.every_reason.items():
                if not cause.startswith("flag ") and reason not in questions:
                    reasons.append(reason)
            if reasons:
                yield _return(view, returned, reasons)


def _return(
    rating_view: RatingView, returned: ReturnedRating, reasons: Sequence[str]
) -> HistoryEntry:
    reply = Reply(_("answered"), returned.settled_at) if returned.settled_at else None
    return HistoryEntry(
        key=f"return-{returned.pk}",
        at=returned.returned_at,
        head=_("Came back to %(name)s") % {"name": rating_view.name},
        words="\n".join(dict.fromkeys(reasons)),
        state="" if reply else _("waits for an answer"),
        reply=reply,
    )
