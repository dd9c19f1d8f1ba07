"""Make a result of agreement: read the ratings, and write the figures as JSON.

It needs numpy, so `results` imports it only when there is a result to make.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

from rubrics.schema import Dimension
from tasks.agreement.figures import RESAMPLES, Figure, reading
from tasks.agreement.measures import MAIN
from tasks.agreement.report import SEED, Part, Report, Shown, report
from tasks.agreement.rows import Study, read_study
from tasks.models import Batch, Item, Project, Response

Json = dict[str, Any]
_FIRST_WEEK = date(1970, 1, 5)  # week 0 of `Scores.week`


def make(project: Project, dimension: Dimension, *, first: bool) -> Json:
    """Return the figures of a dimension as JSON, with people by their primary keys."""
    study = read_study(project, project.rubric, dimension, first=first)
    found = report(study.scores, study.checks)
    people = study.annotators
    batches = Batch.objects.in_bulk(study.batches)
    main = found.overall.figures[MAIN]
    return {
        "seed": SEED,
        "resamples": RESAMPLES,
        "annotators": list(people),
        "overall": _part("", found.overall),
        "reading": str(reading(main)) if isinstance(main, Figure) else "",
        "team": [people[each] for each in found.team],
        "team_units": found.team_units,
        "of_team": _shown(found.of_team),
        "models": _parts(found.models, study.models),
        "batches": _parts(found.batches, [batches[each].name for each in study.batches]),
        "weeks": [
            _part(str(_FIRST_WEEK + timedelta(weeks=int(week.name))), week) for week in found.weeks
        ],
        "checks": [
            {
                **_part(check.code, part),
                "ticked": part.prevalence[1] if part.units and not check.asked else None,
            }
            for check, part in zip(dimension.checks, found.checks, strict=True)
        ],
        "pairs": [
            {
                "first": people[pair.first],
                "second": people[pair.second],
                "units": pair.units,
                "figures": _shown(pair.figures),
            }
            for pair in found.pairs
        ],
        "sources": [asdict(source) for source in found.sources],
        "furthest": list(_furthest(study, found)),
        "without": found.without
        and {"annotator": people[found.without[0]], **_figure(found.without[1])},
    }


def _parts(parts: Iterable[Part], names: Sequence[str]) -> list[Json]:
    return [_part(names[int(part.name)], part) for part in parts]


def _part(name: str, part: Part) -> Json:
    return {
        "name": name,
        "units": part.units,
        "ratings": part.ratings,
        "prevalence": list(part.prevalence),
        "figures": _shown(part.figures),
    }


def _shown(figures: Mapping[str, Shown]) -> Json:
    return {code: _figure(each) for code, each in figures.items()}


def _figure(figure: Shown) -> Json:
    """Return a figure without what all of its part have in common."""
    if not isinstance(figure, Figure):
        return {"missing": str(figure.why)}
    names = ("value", "low", "high", "undefined")
    return {name: getattr(figure, name) for name in names}


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
