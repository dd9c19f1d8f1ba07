"""All ratings of an item side by side: for each target, what everyone said of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise

from django.contrib.auth import get_user_model
from django.db.models import Prefetch
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _, ngettext

from rubrics.models import PARSED_COLUMNS, Rubric
from rubrics.scales import SIGN, shade
from rubrics.schema import Better, Dimension, Rubric as Schema, Unit
from tasks.agreement.measures import Json
from tasks.fact_checks import minutes
from tasks.model_names import ModelNames
from tasks.models import Item, Project, Rating, Response, ReturnedRating
from tasks.rating_form.fields import SaidTarget, ScoreWords, Target, said_by

NOTHING = SaidTarget(Target(""))  # by a rating of what a target lacks


def coloured(dimension: Dimension, value: int | None) -> Json:
    """Return a score and its colour. The answer without a score has a sign, and the colour 0."""
    if value is None:
        return {"value": SIGN, "colour": 0}
    return {"value": value, "colour": shade(dimension, value)}


@dataclass(frozen=True, slots=True)
class Given:
    """A rating as it stands, with its first revision and why it came back, if it did."""

    rating: Rating
    said: Mapping[int | str, SaidTarget]
    first: Rating
    corrections: int  # those that others can see: an annotator's "not sure" is for nobody else
    returns: tuple[ReturnedRating, ...]
    is_counted: bool  # unless the item is dropped
    is_dropped: bool  # the item

    @property
    def name(self) -> str:
        rater = self.rating.rater
        return rater.shown if rater else self.rating.annotator.get_username()

    @property
    def why_not(self) -> str:
        """Reason why the rating does not count; "" if it does."""
        rating = self.rating
        if self.is_counted:
            return _("the item is dropped") if self.is_dropped else ""
        if not rating.rater or rating.extra_because:
            return rating.why_extra
        if rating.project.imported == Project.Imported.APART or not rating.rater.account:
            return _("imported ratings don’t count in this project")
        return _("%(name)s rated the item here") % {"name": self.name}

    @property
    def places(self) -> list[int]:
        """Places of the responses on the annotator's desk, from 1."""
        every = (each.target for each in self.said.values())
        return sorted(target.place for target in every if target.label)

    @property
    def waits(self) -> bool:
        """True if it is with its annotator, who has not answered yet."""
        return any(each.settled_at is None for each in self.returns)


def ratings_of(item: Item) -> list[Given]:
    """Return all ratings of an item as they stand, first come first."""
    revisions = (
        Rating.objects.filter(item=item)
        .prefetch_related(
            Prefetch("rubric", Rubric.objects.defer(*PARSED_COLUMNS)),
            # Accounts have many columns, and most items no imported ratings.
            Prefetch("annotator", get_user_model().objects.only("username")),
            *("rater__account", "file", "scores", "placements", "fact_checks"),
        )
        .order_by("annotator", "rater", "attempt", "revision")
    )
    returned: dict[int, ReturnedRating] = {
        each.rating_id: each for each in ReturnedRating.objects.filter(rating__item=item)
    }
    filling = {*Rating.objects.filter(item=item).filling().values_list("pk", flat=True)}
    found = []
    for _key, group in groupby(
        revisions, key=lambda each: (each.annotator_id, each.rater_id, each.attempt)
    ):
        every = list(group)
        for rating in every:
            rating.project = item.project
        returns = tuple(returned[each.pk] for each in every if each.pk in returned)
        said = [(each.comment, said_by(each)) for each in every]
        corrections = sum(one != other for one, other in pairwise(said))
        is_counted = every[-1].pk in filling
        parts = (every[-1], said[-1][1], every[0], corrections, returns)
        found.append(Given(*parts, is_counted, item.dropped))
    return sorted(found, key=lambda given: given.first.pk)


def targets_of(
    item: Item, rubric: Schema, ratings: Sequence[Given], names: ModelNames
) -> list[Json]:
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
    scored = {target for given in ratings for target in given.said}
    return found + [
        _target(
            f"s{number}",
            names.of(model),
            _("Set %(number)s") % {"number": number},
            model,
            None,
            ratings,
            _dimensions(rubric, Unit.CANDIDATE_SET),
        )
        for number, model in enumerate((each for each in several if each in scored), start=1)
    ]


def _dimensions(rubric: Schema, unit: Unit) -> list[Dimension]:
    return [each for each in rubric.parts if each.unit is unit]


def _target(
    key: str,
    model: str,
    number: str,
    scored: int | str,
    response: Response | None,
    ratings: Sequence[Given],
    dimensions: Sequence[Dimension],
) -> Json:
    """Return a response, or a model's candidate set, with what the ratings say of it."""
    said = [given.said.get(scored, NOTHING) for given in ratings]
    both = [*zip(said, ratings, strict=True)]
    lines: list[Json] = []
    spreads = []
    for dimension in dimensions:
        found = [*_lines(dimension, [each.scores.get(dimension.code) for each in said], ratings)]
        counted = [
            cell["score"]["value"]
            for cell, given in zip(found[0]["cells"], ratings, strict=True)
            if "score" in cell and given.is_counted
        ]
        lines += found
        if len(counted) > 1:
            spreads.append(
                int(len({*counted}) > 1)
                if dimension.better is Better.NONE
                else max(counted) - min(counted)
            )
    return {
        # In addresses: 2 for the second response of the upload, s1 for the first candidate set.
        "key": key,
        # The model, as the lead sees it, with the number if it gave several or a set.
        "name": f"{model} ({number})" if model and number else model or number,
        "text": None if response is None else response.text,
        "response": response.pk if response else 0,
        # The letter under which each annotator saw it; "" if the rating is imported.
        "letters": ["" if each.rating.rater else one.target.label for one, each in both],
        "scores": [cell["score"] for line in lines for cell in line["cells"] if "score" in cell]
        if len([each for each in dimensions if each.scores]) == 1
        else [],
        # Of the dimension in which counted scores are furthest apart.
        "spread": max(spreads, default=None),
        "lines": [*lines, *_texts(said, ratings)],
    }


def _lines(
    dimension: Dimension, scores: Sequence[ScoreWords | None], ratings: Sequence[Given]
) -> Iterator[Json]:
    """Yield the score, the answers and the ticks of a dimension."""
    words = [score.answers if score else () for score in scores]
    cells: list[Json] = [
        {"score": coloured(dimension, score.score)}
        if score and score.score is not None
        else {"text": score.label if score else ""}
        for score in scores
    ]
    yield _line(dimension.title, cells, ratings)
    breaks = [score.breaks if score else () for score in scores]
    if any(breaks):
        yield _line(_("Breaks"), [{"ticks": each} for each in breaks], ratings)
    for about in dict.fromkeys(about for answers in words for about, answer in answers if answer):
        yield _line(about, [{"text": dict(answers).get(about, "")} for answers in words], ratings)
    # Equal in any order, which another version of the rubric may have.
    ticks = [dict.fromkeys(about for about, answer in answers if not answer) for answers in words]
    if any(ticks):
        yield _line(_("Ticked"), [{"ticks": each} for each in ticks], ratings)


def _line(about: str, cells: Sequence[Json], ratings: Sequence[Given]) -> Json:
    """Return a line in which ratings can disagree, with a cell for each of them.

    A cell has a score, ticks or a text, or nothing.
    """
    counted = [cell for cell, given in zip(cells, ratings, strict=True) if given.is_counted]
    return {
        "about": about,
        "cells": cells,
        "in_rubric": True,  # `about` and the cells are in the rubric's language
        "differs": any(cell != counted[0] for cell in counted),
    }


def _texts(said: Sequence[SaidTarget], ratings: Sequence[Given]) -> Iterator[Json]:
    """Yield the comments, and what is known of each rating; no line of which all is empty."""
    lines = [
        (_("Comment"), [each.comment for each in said]),
        (_("Claims looked up"), ["\n".join(each.claims) for each in said]),
        (_("Comment on the item"), [given.rating.comment for given in ratings]),
        (_("Sent back"), [_sent_back(given) for given in ratings]),
        (_("Does not count"), [given.why_not for given in ratings]),
        (_("Time, revisions"), [_time(given) for given in ratings]),
        (_("Submitted"), [_when(given.first.submitted_at) for given in ratings]),
        (
            _("Imported from"),
            [
                _("%(file)s, line %(line)s") % {"file": file, "line": given.rating.line}
                if (file := given.rating.file)
                else ""
                for given in ratings
            ],
        ),
    ]
    for about, texts in lines:
        if any(texts):
            yield {"about": about, "cells": [{"text": text} for text in texts]}


def _sent_back(given: Given) -> str:
    return "\n".join(
        _("%(reason)s (waits for an answer)") % {"reason": each.reason}
        if each.settled_at is None
        else _("%(reason)s (answered %(day)s)")
        % {"reason": each.reason, "day": _when(each.settled_at)}
        for each in given.returns
    )


def _when(time: datetime | None) -> str:
    return date_format(localtime(time), "DATETIME_FORMAT") if time else ""


def _time(given: Given) -> str:
    """Return the time of the first revision, and how many corrections there are."""
    seconds = given.first.active_seconds
    time = "–" if seconds is None else minutes(seconds)
    if not given.corrections:
        return time
    said = ngettext("%(number)s correction", "%(number)s corrections", given.corrections)
    return f"{time}, {said % {'number': given.corrections}}"
