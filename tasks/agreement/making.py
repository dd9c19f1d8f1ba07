"""Make a result of agreement: the figures of a dimension, with people by their numbers.

`results` imports this only when there is a result to make.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import Check
from tasks.agreement.figures import RESAMPLES, SEED, reading
from tasks.agreement.means import means_of
from tasks.agreement.report import furthest_of, main_figure, report, without_one
from tasks.agreement.stored import (
    CheckPart,
    DifferingUnit,
    Estimate,
    Figure,
    ModelPart,
    Pair,
    Part,
    Result,
    WithoutOne,
)
from tasks.agreement.study import FIRST_WEEK, NO_WEEK, Study, read_study
from tasks.models import Batch, Item, Project, Response
from tasks.models.agreement_results import ALL_RATINGS, RatingChoice


def make(project: Project, dimension: Dimension, choice: RatingChoice = ALL_RATINGS) -> Result:
    """Return the figures of a dimension, of the ratings as `read_study` has them."""
    study = read_study(project, dimension, choice)
    scores = study.scores
    annotators = study.annotators
    figures = report(scores, study.positions_by_check, study.applies)
    main = scores.measures[0]
    checks = project.rubric.schema.checks_at(dimension)
    return Result(
        main=main,
        reading=_reading_of(figures.overall.figures[main]),
        overall=figures.overall,
        annotators=list(annotators),
        team=[annotators[number] for number in figures.team],
        team_units=figures.team_units,
        of_team=figures.of_team,
        slots=[annotators[number] for number in scores.slots],
        models=_models(figures.by_model, study, dimension),
        batches=_batches(figures.by_batch, study),
        weeks=_weeks(figures.by_week),
        checks=_checks(figures.by_check, checks),
        pairs=_pairs(figures.pairs, study),
        sources=figures.sources,
        furthest=list(_furthest(study, figures.furthest)),
        without=_without(study, figures.without),
        breaks=project.breaking_ratings,
        dropped=project.dropped_count,
        short=dimension.short,
        seed=SEED,
        resamples=RESAMPLES,
    )


def glance(project: Project, dimension: Dimension) -> Result:
    """Return the main figure alone, whom it hangs on, and the units furthest apart.

    With many people the pairs of `make` take most of its time.
    """
    study = read_study(project, dimension)
    scores = study.scores
    overall = main_figure(scores)
    (figure,) = overall.figures.values()
    return Result(
        main=scores.measures[0],
        reading=_reading_of(figure),
        overall=overall,
        annotators=list(study.annotators),
        furthest=list(_furthest(study, furthest_of(scores))),
        without=_without(study, without_one(scores)),
    )


def _reading_of(figure: Estimate) -> str:
    return reading(figure) if isinstance(figure, Figure) else ""


def _models(
    parts_by_number: Mapping[int, Part], study: Study, dimension: Dimension
) -> list[ModelPart]:
    """Return the parts of models with their names and mean scores."""
    item_of_score = study.units[study.scores.unit, 0]
    means = means_of(study.scores, item_of_score, dimension.better)
    models = []
    for (number, part), mean in zip(parts_by_number.items(), means, strict=True):
        model = ModelPart(
            name=study.models[number],
            units=part.units,
            ratings=part.ratings,
            prevalence=part.prevalence,
            figures=part.figures,
            mean=mean.mean,
            difference=mean.difference,
            is_best=mean.is_best,
        )
        models.append(model)
    return models


def _batches(parts_by_number: Mapping[int, Part], study: Study) -> list[Part]:
    batches = Batch.objects.in_bulk(study.batches)
    rows = []
    for number, part in parts_by_number.items():
        batch = batches[study.batches[number]]
        rows.append(replace(part, name=batch.name))
    return rows


def _weeks(parts_by_number: Mapping[int, Part]) -> list[Part]:
    """Return the parts of weeks by their Mondays, without that of ratings without a time."""
    weeks = []
    for number, part in parts_by_number.items():
        if number != NO_WEEK:
            monday = FIRST_WEEK + timedelta(weeks=number)
            weeks.append(replace(part, name=str(monday)))
    return weeks


def _checks(group_parts: Iterable[Part], checks: Iterable[Check]) -> list[CheckPart]:
    """Return the parts of checks with the share of ticks, None for questions."""
    questions = {check.code for check in checks if check.needs_answer}
    rows = []
    for part in group_parts:
        ticked = None
        if part.units and part.name not in questions:
            ticked = part.prevalence[1]
        row = CheckPart(
            name=part.name,
            units=part.units,
            ratings=part.ratings,
            prevalence=part.prevalence,
            figures=part.figures,
            ticked=ticked,
        )
        rows.append(row)
    return rows


def _pairs(pairs: Iterable[Pair], study: Study) -> list[Pair]:
    rows = []
    for pair in pairs:
        first = study.annotators[pair.first]
        second = study.annotators[pair.second]
        rows.append(replace(pair, first=first, second=second))
    return rows


def _without(study: Study, without: tuple[int, Estimate] | None) -> WithoutOne | None:
    if without is None:
        return None
    number, figure = without
    return WithoutOne(study.annotators[number], figure)


def _furthest(study: Study, units: Sequence[int]) -> Iterator[DifferingUnit]:
    """Yield the units whose scores are furthest apart, by the names of item and target."""
    scores = study.scores
    keys = study.units[list(units)]
    item_keys = keys[:, 0].tolist()
    response_keys = keys[:, 1].tolist()
    items = Item.objects.in_bulk(item_keys)
    responses_by_key: Mapping[int, Response] = Response.objects.in_bulk(response_keys)
    for unit, (item_key, response_key) in zip(units, keys.tolist(), strict=True):
        rows = scores.where(scores.unit == unit)
        values_of_unit = rows.value + rows.levels[0]
        values = values_of_unit.tolist()
        people = [study.annotators[number] for number in rows.annotator.tolist()]
        response = responses_by_key.get(response_key)
        model = int(rows.model[0])
        item = items[item_key]
        yield DifferingUnit(
            key=item_key,
            item=item.external_id,
            response=response.position if response else None,
            model=study.models[model],
            scores=tuple(sorted(values)),
            scores_of_people=list(zip(people, values, strict=True)),
        )
