"""Make a result of agreement: read the ratings, and write the figures as JSON.

It needs numpy, so `results` imports it only when there is a result to make.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date, timedelta

from rubrics.schema import Dimension
from tasks.agreement.figures import RESAMPLES, SEED, Figure, reading
from tasks.agreement.measures import MAIN, Json
from tasks.agreement.report import Report, report
from tasks.agreement.rows import Study, read_study
from tasks.models import Batch, Item, Project, Response

_FIRST_WEEK = date(1970, 1, 5)  # week 0 of `Scores.week`


def make(project: Project, dimension: Dimension, *, first: bool) -> Json:
    """Return the figures of a dimension as JSON, with people by their primary keys."""
    study = read_study(project, project.rubric, dimension, first=first)
    found = report(study.scores, study.checks)
    people, main, plain = study.annotators, found.overall.figures[MAIN], asdict(found)
    batches = Batch.objects.in_bulk(study.batches)
    return {
        **plain,
        "seed": SEED,
        "resamples": RESAMPLES,
        "annotators": list(people),
        "reading": reading(main) if isinstance(main, Figure) else "",
        "team": [people[each] for each in found.team],
        "models": _named(plain["models"], study.models),
        "batches": _named(plain["batches"], [batches[each].name for each in study.batches]),
        "weeks": [
            {**week, "name": str(_FIRST_WEEK + timedelta(weeks=week["name"]))}
            for week in plain["weeks"]
        ],
        "checks": [
            {
                **part,
                "ticked": part["prevalence"][1] if part["units"] and not check.asked else None,
            }
            for check, part in zip(dimension.checks, plain["checks"], strict=True)
        ],
        "pairs": [
            {**pair, "first": people[pair["first"]], "second": people[pair["second"]]}
            for pair in plain["pairs"]
        ],
        "furthest": list(_furthest(study, found)),
        "without": found.without
        and {"annotator": people[found.without[0]], **asdict(found.without[1])},
    }


def _named(parts: Iterable[Json], names: Sequence[str]) -> list[Json]:
    """Return parts with names in place of numbers."""
    return [{**part, "name": names[part["name"]]} for part in parts]


def _furthest(study: Study, found: Report) -> Iterable[Json]:
    """Yield the units whose scores are furthest apart, by the names of item and target."""
    scores = study.scores
    keys = study.units[list(found.furthest)]
    items = Item.objects.in_bulk(keys[:, 0].tolist())
    responses: Mapping[int, Response] = Response.objects.in_bulk(keys[:, 1].tolist())
    for unit, (item, response) in zip(found.furthest, keys.tolist(), strict=True):
        rows = scores.unit == unit
        values = sorted((scores.value[rows] + scores.levels[0]).tolist())
        model = study.models[int(scores.model[rows][0])]
        position = responses[response].position if response else None
        yield {
            "key": item,
            "item": items[item].external_id,
            "response": position,
            "model": model,
            "scores": values,
        }
