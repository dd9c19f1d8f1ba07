"""The scores of each model in one dimension, and the checks that were ticked most."""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better, Unit, Without
from rubrics.judging.schema import Rubric
from tasks.agreement.page_result import PageResult
from tasks.agreement.stored import ModelPart
from tasks.lead_pages.model_names import ModelNames
from tasks.lead_pages.printed_means import PrintedMean
from tasks.models.tallies import Tally
from tasks.overview.drawing import ShareMark, shares, stack

TICKS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ModelRow:
    """The shares of a model's scores, and its mean.

    A mean with an interval is of the time when the figures of agreement were made, as is its
    difference to the best one. Without an interval it is that of now. Classes have no mean.
    """

    name: str
    parts: list[ShareMark]
    shares: str
    mean: PrintedMean
    difference: PrintedMean | None
    is_best: bool
    rank: tuple[bool, float]


def model_rows(
    tally: Tally, dimension: Dimension, model_names: ModelNames, agreement: PageResult | None
) -> list[ModelRow]:
    """Return a row for each model. Those with an interval come first, the best at the top."""
    figures = {part.name: part for part in agreement.result.models} if agreement else {}
    by_model = tally.by_model(dimension.code)
    rows = []
    for model in sorted(by_model, key=model_names.sort_key):
        scores = by_model[model]
        if scores.total():
            rows.append(_row(model_names.of(model), scores, dimension, figures.get(model)))
    return sorted(rows, key=lambda row: row.rank)


def _row(
    name: str, score_counts: Counter[int], dimension: Dimension, model_part: ModelPart | None
) -> ModelRow:
    mean = model_part.mean if model_part else None
    difference = model_part.difference if model_part else None
    value = 0.0
    printed_difference = None
    if difference:
        printed_difference = PrintedMean.of(difference.value, difference.low, difference.high)
    printed_mean = PrintedMean()
    if mean:
        value = mean.value
        printed_mean = PrintedMean.of(mean.value, mean.low, mean.high)
    elif dimension.better is not Better.NONE:
        value = mean_of(score_counts)
        printed_mean = PrintedMean.of(value)
    return ModelRow(
        name=name,
        parts=stack(score_counts, dimension),
        shares=shares(score_counts, dimension),
        mean=printed_mean,
        difference=printed_difference,
        is_best=bool(model_part and model_part.is_best),
        rank=(mean is None, -dimension.goodness(value)),
    )


def compared_with(model_rows: list[ModelRow]) -> str | None:
    """Return the name of the model to which differences are, if there are any."""
    if not any(row.difference for row in model_rows):
        return None
    best = [row.name for row in model_rows if row.is_best]
    return best[0] if best else None


class BlankRow(NamedTuple):
    """How often a model got the answer without a score."""

    name: str
    number: int


def blanks_of(tally: Tally, dimension: Dimension, names: ModelNames) -> list[BlankRow]:
    """Return how often each model got the answer without a score."""
    numbers = tally.blanks(dimension.code)
    models = sorted(numbers, key=names.sort_key)
    return [BlankRow(names.of(model), numbers[model]) for model in models]


def mean_of(score_counts: Counter[int]) -> float:
    """Return the mean of counted scores."""
    total = sum(value * times for value, times in score_counts.items())
    return total / score_counts.total()


def annotators_means(tally: Tally, dimension: Dimension) -> dict[int, float]:
    """Return the mean score of each annotator who gave any, by primary key."""
    if dimension.better is Better.NONE:
        return {}
    by_annotator = tally.by_annotator(dimension.code)
    return {key: mean_of(scores) for key, scores in by_annotator.items() if scores.total()}


class TickShare(NamedTuple):
    """A check, and how often it was ticked."""

    wording: str
    share: float  # of what was scored, in per cent


def ticked_most(tally: Tally, dimension: Dimension, rubric: Rubric) -> list[TickShare]:
    """Return the checks ticked most, the most frequent first."""
    without_score = sum(tally.targets(kind, dimension.code) for kind in Without)
    all_targets = tally.targets("score", dimension.code) + without_score
    applied = all_targets - tally.targets(Without.NOT_ASKED, dimension.code)
    shares = _ticks(tally, dimension, applied)
    if dimension.unit is Unit.RESPONSE:
        shares += _ticks(tally, rubric.whole_response, all_targets)
    shares.sort(key=lambda tick: (-tick.share, tick.wording))
    return shares[:TICKS_SHOWN]


def _ticks(tally: Tally, dimension: Dimension, target_count: int) -> list[TickShare]:
    times = tally.ticks(dimension.code)
    shares = []
    for check in dimension.checks:
        if times[check.code] and not check.needs_answer:
            share = 100 * times[check.code] / target_count
            shares.append(TickShare(check.wording, share))
    return shares
