"""The table of a case: what differs between the answers, in the order of their letters."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from rubrics.judging.case_figures import verdict_on
from rubrics.judging.kinds import Effect
from tasks.answers.fact_checks import minutes
from tasks.answers.slot_answers import WHOLE
from tasks.cases.case import Case, CaseAnswer, checks_of_response
from tasks.cases.rating_lines import RatingCell, RatingLine, lines_in
from tasks.cases.rating_views import RatingView
from tasks.models import Project, Rating, Score, Workday
from tasks.rating_form.fields import Target
from tasks.rating_form.headlines import headline_of
from tasks.rating_form.rating_words import NO_SCORE, TargetInWords
from tasks.rating_form.verdict_words import cited

NOTHING = TargetInWords(Target(""))
LEAST_TIMES = 20  # of ratings, to say what is usual
HASTY = 3  # a third of the usual time


def lines_of_case(case: Case, ratings: Sequence[RatingView]) -> list[RatingLine]:
    """Return the table of a case, a cell for each answer."""
    by_rating = {view.rating.pk: view for view in ratings}
    views = [by_rating[answer.rating.pk] for answer in case.answers]
    targets = [view.targets.get(case.target, NOTHING) for view in views]
    lines = []
    for line in _lines_that_differ(case, targets):
        lines.append(line.compared(line.cells))
    if case.decision and case.has_changed:
        cells = []
        for change in changes_since(case, case.decision.decided_at):
            cells.append(RatingCell(ticks=[change] if change else ()))
        lines.append(RatingLine(_("Since the decision"), cells, differs=True))
    rules = RatingLine(_("Rules"), [RatingCell(text=text) for text in _rules(case)])
    lines.append(rules.compared(rules.cells))
    lines += _lines_of_texts(views, targets)
    lines.append(_times(case.item.project, views))
    return lines


def _lines_that_differ(case: Case, targets: Sequence[TargetInWords]) -> Iterator[RatingLine]:
    parts = [(case.dimension.code, case.dimension)]
    if case.dimension.shared:
        parts.append((WHOLE, case.item.project.rubric.schema.whole_response))
    for code, dimension in parts:
        scores = [target.words_by_dimension.get(code, NO_SCORE) for target in targets]
        lines = list(lines_in(dimension, scores))
        yield from lines if code != WHOLE else lines[1:]


def _rules(case: Case) -> Iterator[str]:
    """Yield what each one's checks leave open, and by which rules: those that are not all's.

    Rules of what a score still needs are left out, because the checks that differ say it in fewer
    words.
    """
    headlines = []
    for answer in case.answers:
        judgement = verdict_on(case.dimension, answer.check_answers)
        headlines.append(headline_of(judgement, case.dimension, Target("r1")))
    common = set(headlines[0].limits) if headlines else set()
    for words in headlines:
        common.intersection_update(words.limits)
    for words in headlines:
        texts = [words.text]
        for reason in words.limits:
            if reason not in common and reason.effect is not Effect.REQUIRE:
                texts.append(cited(reason.short_text, reason.clause, reason.reading))
        yield "\n".join(filter(None, texts))


def _lines_of_texts(
    views: Sequence[RatingView], targets: Sequence[TargetInWords]
) -> Iterator[RatingLine]:
    """Yield the comments and the claims that were looked up; no line of which all is empty."""
    texts_by_line = {
        _("Comment"): [target.comment for target in targets],
        _("Comment on the item"): [view.rating.comment for view in views],
        _("Claims looked up"): ["\n".join(target.claims) for target in targets],
    }
    for about, texts in texts_by_line.items():
        if any(texts):
            yield RatingLine(about, [RatingCell(text=text) for text in texts])


def _times(project: Project, views: Sequence[RatingView]) -> RatingLine:
    """Return the time that each took for the item, marked if it is far under the usual one."""
    usual = usual_time(project)
    cells = []
    for view in views:
        seconds = view.first.active_seconds
        if seconds is None:
            cells.append(RatingCell())
        elif HASTY * seconds < usual:
            words = _("%(time)s, under a third of the median") % {"time": minutes(seconds)}
            cells.append(RatingCell(ticks=[words]))
        else:
            cells.append(RatingCell(text=minutes(seconds)))
    return RatingLine(_("Time"), cells)


def usual_time(project: Project) -> float:
    """Return the median seconds of the last ratings of all; 0 for too few of them."""
    number, seconds = Workday.objects.usual_time(project)
    return seconds if number >= LEAST_TIMES else 0


def changes_since(case: Case, decided_at: datetime) -> list[str]:
    """Return how each answer changed since a decision, "" for not at all."""
    earlier = _scores_at(case, decided_at)
    changes = []
    for answer in case.answers:
        rating = answer.rating
        if rating.submitted_at is None or rating.submitted_at <= decided_at:
            changes.append("")
        elif rating.revision == 1 or rating.annotator_id not in earlier:
            changes.append(_("new since the decision"))
        else:
            score = earlier[rating.annotator_id]
            changes.append(_change(case, score, answer))
    return changes


def _change(case: Case, before: Score, answer: CaseAnswer) -> str:
    """Return how an answer changed, or "" if nothing changed that counts in the case."""
    if (before.value, before.without) == (answer.value, answer.without):
        checks = {**checks_of_response(before.rating, case.target), **before.checks}
        return "" if checks == answer.check_answers else _("same score, other checks")
    words = case.dimension.blank if before.value is None else str(before.value)
    return _("was %(score)s") % {"score": words or _("not asked")}


def _scores_at(case: Case, moment: datetime) -> Mapping[int | None, Score]:
    """Return the scores of the case at a moment, by the keys of their annotators."""
    ratings = Rating.objects.filter(item=case.item, submitted_at__lte=moment)
    scores = Score.objects.filter(rating__in=ratings, dimension=case.dimension.code)
    if isinstance(case.target, int):
        scores = scores.filter(response=case.target)
    else:
        scores = scores.filter(response=None, model=case.target)
    in_order = scores.select_related("rating").order_by("rating__revision")
    in_order = in_order.prefetch_related("rating__placements")
    return {score.rating.annotator_id: score for score in in_order}
