"""All ratings of an item side by side: for each target, what everyone said of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from typing import Self

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _, ngettext

from rubrics.schema import Dimension, Rubric as Schema, Unit
from tasks.fact_checks import minutes
from tasks.model_names import ModelNames
from tasks.models import Item, Placement, Rating, Response, ReturnedRating, Score
from tasks.overview.drawing import colour_of
from tasks.rating_form.answer_words import ScoreWords
from tasks.rating_form.fields import Target


@dataclass(frozen=True, slots=True)
class ColouredScore:
    """A score, and the number of its colour on the scale from low (1) to high (7)."""

    value: int
    colour: int

    @classmethod
    def of(cls, dimension: Dimension, value: int) -> Self:
        return cls(value, colour_of(value - dimension.lowest, len(dimension.scores)))


@dataclass(frozen=True, slots=True)
class Cell:
    """The part of one rating in a line: a score, ticks, or a text; "" for nothing."""

    text: str = ""
    score: ColouredScore | None = None
    ticks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One thing that is asked or known, with a cell for each rating."""

    about: str
    cells: tuple[Cell, ...]
    in_rubric: bool = False  # `about` and the cells are in the rubric's language
    differs: bool = False  # counted ratings say different things here


@dataclass(frozen=True, slots=True)
class Given:
    """A rating as it stands, with its first revision and why it came back, if it did."""

    rating: Rating
    scores: Mapping[tuple[str, int | str], Score]  # by dimension and target
    placements: Mapping[int, Placement]  # by the response's primary key
    first: Rating
    corrections: int  # those that others can see: an annotator's "not sure" is for nobody else
    returns: tuple[ReturnedRating, ...]

    @property
    def name(self) -> str:
        return self.rating.annotator.get_username()

    @property
    def is_counted(self) -> bool:
        return self.rating.kind == Rating.Kind.COUNTED

    @property
    def waits(self) -> bool:
        """True if it is with its annotator, who has not answered yet."""
        return any(each.settled_at is None for each in self.returns)


@dataclass(frozen=True, slots=True)
class RatedTarget:
    """A response, or a model's candidate set, with what the ratings say of it."""

    key: str  # in addresses: 2 for the second response of the upload, m1 for the first model's set
    name: str  # the model, as the lead sees it, with the number if it gave several or a set
    text: str | None  # None for a candidate set
    shown_as: tuple[str, ...]  # the letters under which it was shown, by rating
    scores: tuple[ColouredScore, ...]
    spread: int | None  # of the dimension in which counted scores are furthest apart
    lines: tuple[AnswerLine, ...]


def ratings_of(item: Item) -> list[Given]:
    """Return all ratings of an item as they stand, first come first."""
    revisions = (
        Rating.objects.filter(item=item)
        .select_related("annotator")
        .prefetch_related("scores", "placements", "fact_checks")
        .order_by("annotator", "attempt", "revision")
    )
    returned: dict[int, ReturnedRating] = {
        each.rating_id: each for each in ReturnedRating.objects.filter(rating__item=item)
    }
    found = []
    for _key, group in groupby(revisions, key=lambda each: (each.annotator_id, each.attempt)):
        every = list(group)
        returns = tuple(returned[each.pk] for each in every if each.pk in returned)
        corrections = sum(_said(one) != _said(other) for one, other in pairwise(every))
        last = every[-1]
        found.append(
            Given(
                rating=last,
                scores={(each.dimension, each.target): each for each in last.scores.all()},
                placements={each.response_id: each for each in last.placements.all()},
                first=every[0],
                corrections=corrections,
                returns=returns,
            )
        )
    return sorted(found, key=lambda given: given.first.pk)


def _said(rating: Rating) -> tuple[object, ...]:
    """Return all that a rating says to others."""
    scores = rating.scores.all()
    return (
        rating.comment,
        {(each.dimension, each.target): (each.value, each.checks) for each in scores},
        {placed.response_id: placed.comment for placed in rating.placements.all()},
        [(fact.claim, fact.outcome, fact.sources) for fact in rating.fact_checks.all()],
    )


def targets_of(
    item: Item, rubric: Schema, ratings: Sequence[Given], names: ModelNames
) -> list[RatedTarget]:
    """Return the responses in the order of the upload, then the candidate sets."""
    several = Counter(response.model for response in item.own_responses)
    found = [
        _target(
            str(response.position),
            names.of(response.model),
            _("Response %(number)s") % {"number": response.position}
            if several[response.model] > 1 or not response.model
            else "",
            response.pk,
            response,
            ratings,
            _dimensions(rubric, Unit.RESPONSE),
        )
        for response in item.own_responses
    ]
    scored = {
        score.model
        for given in ratings
        for score in given.scores.values()
        if score.response_id is None
    }
    for place, model in enumerate((each for each in several if each in scored), start=1):
        found.append(
            _target(
                f"m{place}",
                names.of(model),
                _("Set %(number)s") % {"number": place},
                model,
                None,
                ratings,
                _dimensions(rubric, Unit.CANDIDATE_SET),
            )
        )
    return found


def _dimensions(rubric: Schema, unit: Unit) -> list[Dimension]:
    return [dimension for dimension in rubric.dimensions if dimension.unit is unit]


def _target(
    key: str,
    model: str,
    number: str,
    scored: int | str,
    response: Response | None,
    ratings: Sequence[Given],
    dimensions: Sequence[Dimension],
) -> RatedTarget:
    lines: list[AnswerLine] = []
    coloured: list[ColouredScore] = []
    spreads = []
    for dimension in dimensions:
        scores = [given.scores.get((dimension.code, scored)) for given in ratings]
        lines += _lines(dimension, scores, ratings)
        coloured += [ColouredScore.of(dimension, score.value) for score in scores if score]
        counted = [
            score.value
            for score, given in zip(scores, ratings, strict=True)
            if score and given.is_counted
        ]
        if len(counted) > 1:
            spreads.append(max(counted) - min(counted))
    return RatedTarget(
        key=key,
        name=f"{model} ({number})" if model and number else model or number,
        text=None if response is None else response.text,
        shown_as=tuple(_letter(given, response) for given in ratings) if response else (),
        scores=tuple(coloured) if len(dimensions) == 1 else (),
        spread=max(spreads, default=None),
        lines=(*lines, *_texts(response, ratings)),
    )


def _lines(
    dimension: Dimension, scores: Sequence[Score | None], ratings: Sequence[Given]
) -> Iterator[AnswerLine]:
    """Yield the score, the answers and the ticks of a dimension."""
    words = [
        ScoreWords.stored(dimension, score.value, score.checks).answers if score else ()
        for score in scores
    ]
    cells = [
        Cell(score=ColouredScore.of(dimension, score.value)) if score else Cell()
        for score in scores
    ]
    yield _line(dimension.title, cells, ratings)
    asked = dict.fromkeys(about for answers in words for about, answer in answers if answer)
    for about in asked:
        yield _line(about, [Cell(dict(answers).get(about, "")) for answers in words], ratings)
    ticks = [tuple(about for about, answer in answers if not answer) for answers in words]
    if any(ticks):
        yield _line(_("Ticked"), [Cell(ticks=each) for each in ticks], ratings)


def _line(about: str, cells: Sequence[Cell], ratings: Sequence[Given]) -> AnswerLine:
    """Return a line in which ratings can disagree."""
    counted = {
        (cell.text, cell.score, frozenset(cell.ticks))
        for cell, given in zip(cells, ratings, strict=True)
        if given.is_counted
    }
    return AnswerLine(about, tuple(cells), in_rubric=True, differs=len(counted) > 1)


def _texts(response: Response | None, ratings: Sequence[Given]) -> Iterator[AnswerLine]:
    """Yield the comments, and what is known of each rating; no line of which all is empty."""
    lines: list[tuple[str, list[str]]] = []
    if response is not None:
        lines += [
            (_("Comment"), [_comment(given, response) for given in ratings]),
            (_("Claims looked up"), [_claims(given, response) for given in ratings]),
        ]
    lines += [
        (_("Comment on the item"), [given.rating.comment for given in ratings]),
        (_("Sent back"), [_sent_back(given) for given in ratings]),
        (
            _("Does not count"),
            ["" if given.is_counted else str(given.rating.why_extra) for given in ratings],
        ),
        (_("Time, revisions"), [_time(given) for given in ratings]),
        (_("Submitted"), [_when(given.first.submitted_at) for given in ratings]),
    ]
    for about, texts in lines:
        if any(texts):
            yield AnswerLine(about, tuple(Cell(text) for text in texts))


def _comment(given: Given, response: Response) -> str:
    placed = given.placements.get(response.pk)
    return placed.comment if placed else ""


def _claims(given: Given, response: Response) -> str:
    return "\n".join(
        _("“%(claim)s”: %(outcome)s") % {"claim": fact.claim, "outcome": fact.get_outcome_display()}
        for fact in given.rating.fact_checks.all()
        if fact.response_id == response.pk
    )


def _sent_back(given: Given) -> str:
    return "\n".join(
        _("%(reason)s (waits for an answer)") % {"reason": each.reason}
        if each.settled_at is None
        else _("%(reason)s (answered %(day)s)")
        % {"reason": each.reason, "day": _when(each.settled_at)}
        for each in given.returns
    )


def _when(time: datetime) -> str:
    return date_format(localtime(time), "j M H:i")


def _time(given: Given) -> str:
    """Return the time of the first revision, and how many corrections there are."""
    seconds = given.first.active_seconds
    time = "–" if seconds is None else minutes(seconds)
    if not given.corrections:
        return time
    said = ngettext("%(number)s correction", "%(number)s corrections", given.corrections)
    return f"{time}, {said % {'number': given.corrections}}"


def _letter(given: Given, response: Response) -> str:
    """Return the letter under which a response was shown to the annotator of a rating."""
    placed = given.placements.get(response.pk)
    return Target(f"r{placed.position}").label if placed else "–"
