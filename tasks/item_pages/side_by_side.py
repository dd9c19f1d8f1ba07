"""All ratings of an item side by side: for each target, what everyone said of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _, ngettext

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better, Unit
from rubrics.judging.schema import Rubric
from tasks.answers.fact_checks import minutes
from tasks.cases.badges import Badge
from tasks.cases.rating_lines import RatingCell, RatingLine, lines_in
from tasks.cases.rating_views import RatingView
from tasks.lead_pages.model_names import ModelNames
from tasks.models import Item, Response
from tasks.rating_form.fields import Target
from tasks.rating_form.rating_words import NO_SCORE, ScoreWords, TargetInWords

NOTHING = TargetInWords(Target(""))  # by a rating of what a target lacks


@dataclass(frozen=True, slots=True)
class TargetView:
    """A response, or a model's candidate set, with what the ratings say of it."""

    key: str  # in addresses: 2 for the second response of the upload, s1 for the first set
    name: str  # the model, as the lead sees it, with the number if it gave several or a set
    text: str | None  # None: a candidate set
    scored: int | str  # primary key of the response, or the model of the candidate set
    response: int  # primary key, or 0
    letters: list[str]  # under which each annotator saw it; "" if the rating is imported
    score_badges: list[Badge]  # if there is one dimension with scores
    spread: int | None  # of the dimension in which counted scores are furthest apart
    lines: list[RatingLine]


@dataclass(frozen=True, slots=True)
class _Subject:
    """A target as its ratings name it, and how its lead sees it."""

    key: str
    scored: int | str  # primary key of the response, or the model of the candidate set
    model: str
    number: str  # in words; "" if the model alone says it
    stored_response: Response | None = None

    @property
    def name(self) -> str:
        if self.model and self.number:
            return f"{self.model} ({self.number})"
        return self.model or self.number


def targets_of(
    item: Item, rubric: Rubric, ratings: Sequence[RatingView], model_names: ModelNames
) -> list[TargetView]:
    """Return the responses in the order of the upload, then the candidate sets."""
    of_response = _dimensions(rubric, Unit.RESPONSE)
    of_set = _dimensions(rubric, Unit.CANDIDATE_SET)
    views = []
    for subject in _responses(item, model_names):
        views.append(_target(subject, ratings, of_response))
    for subject in _candidate_sets(item, ratings, model_names):
        views.append(_target(subject, ratings, of_set))
    return views


def _dimensions(rubric: Rubric, unit: Unit) -> tuple[Dimension, ...]:
    return tuple(dimension for dimension in rubric.parts if dimension.unit is unit)


def _responses(item: Item, model_names: ModelNames) -> Iterator[_Subject]:
    times = Counter(response.model for response in item.responses_in_order)
    for response in item.responses_in_order:
        number = ""
        if times[response.model] > 1 or not response.model:
            number = _("Response %(number)s") % {"number": response.position}
        key = str(response.position)
        model = model_names.of(response.model)
        yield _Subject(key, response.pk, model, number, stored_response=response)


def _candidate_sets(
    item: Item, ratings: Sequence[RatingView], model_names: ModelNames
) -> Iterator[_Subject]:
    models = dict.fromkeys(response.model for response in item.responses_in_order)
    number = 0
    for model in models:
        if any(model in view.targets for view in ratings):
            number += 1
            words = _("Set %(number)s") % {"number": number}
            model_name = model_names.of(model)
            yield _Subject(f"s{number}", model, model_name, words)


def _target(
    subject: _Subject, ratings: Sequence[RatingView], dimensions: tuple[Dimension, ...]
) -> TargetView:
    """Return a target with what the ratings say of it."""
    words = [view.targets.get(subject.scored, NOTHING) for view in ratings]
    rating_lines: list[RatingLine] = []
    spreads = []
    for dimension in dimensions:
        scores = [target.words_by_dimension.get(dimension.code, NO_SCORE) for target in words]
        for line in lines_in(dimension, scores):
            rating_lines.append(_marked(line, ratings))
        spread = _spread(dimension, scores, ratings)
        if spread is not None:
            spreads.append(spread)
    letters = []
    for view, target in zip(ratings, words, strict=True):
        letters.append("" if view.rating.rater else target.target.label)
    scored = [dimension for dimension in dimensions if dimension.scores]
    badges = _all_scores(rating_lines) if len(scored) == 1 else []
    response = subject.stored_response
    return TargetView(
        key=subject.key,
        name=subject.name,
        text=response.text if response else None,
        scored=subject.scored,
        response=response.pk if response else 0,
        letters=letters,
        score_badges=badges,
        spread=max(spreads, default=None),
        lines=[*rating_lines, *_texts(words, ratings)],
    )


def _marked(line: RatingLine, ratings: Sequence[RatingView]) -> RatingLine:
    """Return a line, marked if counted ratings disagree in it."""
    cells = zip(line.cells, ratings, strict=True)
    return line.compared([cell for cell, view in cells if view.is_counted])


def _all_scores(rating_lines: Sequence[RatingLine]) -> list[Badge]:
    badges: list[Badge] = []
    for line in rating_lines:
        badges += [cell.score for cell in line.cells if cell.score]
    return badges


def _spread(
    dimension: Dimension, score_words: Sequence[ScoreWords], ratings: Sequence[RatingView]
) -> int | None:
    """Return how far the counted scores are apart, or None if there are fewer than two."""
    values = []
    for score, view in zip(score_words, ratings, strict=True):
        if score.score is not None and view.is_counted:
            values.append(score.score)
    if len(values) < 2:
        return None
    spread = max(values) - min(values)
    return min(spread, 1) if dimension.better is Better.NONE else spread


def _texts(
    targets_in_words: Sequence[TargetInWords], ratings: Sequence[RatingView]
) -> Iterator[RatingLine]:
    """Yield the comments, and what is known of each rating; no line of which all is empty."""
    texts_by_line: dict[str, list[str]] = {}
    texts_by_line[_("Comment")] = [target.comment for target in targets_in_words]
    texts_by_line[_("Claims looked up")] = ["\n".join(target.claims) for target in targets_in_words]
    texts_by_line[_("Comment on the item")] = [view.rating.comment for view in ratings]
    texts_by_line[_("Does not count")] = [view.why_not for view in ratings]
    texts_by_line[_("Time, revisions")] = [_time(view) for view in ratings]
    texts_by_line[_("Submitted")] = [_when(view.first.submitted_at) for view in ratings]
    texts_by_line[_("Imported from")] = [_place_in_file(view) for view in ratings]
    for about, texts in texts_by_line.items():
        if any(texts):
            cells = [RatingCell(text=text) for text in texts]
            yield RatingLine(about, cells)


def _place_in_file(rating_view: RatingView) -> str:
    rating = rating_view.rating
    if not rating.file:
        return ""
    return _("%(file)s, line %(line)s") % {"file": rating.file, "line": rating.line}


def _when(time: datetime | None) -> str:
    return date_format(localtime(time), "DATETIME_FORMAT") if time else ""


def _time(rating_view: RatingView) -> str:
    """Return the time of the first revision, and how many corrections there are."""
    seconds = rating_view.first.active_seconds
    time = "–" if seconds is None else minutes(seconds)
    if not rating_view.corrections:
        return time
    number = rating_view.corrections
    words = ngettext("%(number)s correction", "%(number)s corrections", number)
    corrections = words % {"number": number}
    return f"{time}, {corrections}"
