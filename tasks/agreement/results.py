"""Results of agreement: made from the ratings, stored as JSON, shown by the page and the command.

Both show what is stored and compute nothing. A result is made anew when ratings came since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model

from rubrics.schema import Dimension
from tasks.agreement.figures import RESAMPLES, Figure, reading
from tasks.agreement.report import SEED, Part, Report, Shown, report
from tasks.agreement.rows import Study, read_study
from tasks.agreement.scores import Scores
from tasks.models import AgreementResult, Batch, Item, Project, Rating, Response

Json = dict[str, Any]
_FIRST_WEEK = date(1970, 1, 5)  # week 0 of `Scores.week`


def result(project: Project, dimension: Dimension, now: datetime, *, first: bool = False) -> Json:
    """Return the figures of a dimension, as stored if no rating came since they were made.

    `first`: of the first revisions in place of the current ones.
    """
    which: Json = {
        "project": project,
        "rubric": project.rubric,
        "dimension": dimension.code,
        "first": first,
    }
    ratings = Rating.objects.filter(project=project).count()
    stored = AgreementResult.objects.filter(**which, ratings=ratings).first()
    if stored is None:
        study = read_study(project, project.rubric, dimension, first=first)
        figures = _as_json(study, report(study.scores, study.checks))
        stored, _made = AgreementResult.objects.update_or_create(
            **which, defaults={"ratings": ratings, "made_at": now, "figures": figures}
        )
    return {**stored.figures, "made_at": stored.made_at}


def _as_json(study: Study, found: Report) -> Json:
    """Return the report with names in place of numbers."""
    people = get_user_model().objects.in_bulk(study.annotators)
    names = [people[each].get_username() for each in study.annotators]
    batches = Batch.objects.in_bulk(study.batches)
    return {
        "seed": SEED,
        "resamples": RESAMPLES,
        "units": found.units,
        "ratings": found.ratings,
        "annotators": names,
        "overall": {code: _shown(each) for code, each in found.overall.items()},
        "team": [names[each] for each in found.team],
        "of_team": {code: _shown(each) for code, each in found.of_team.items()},
        "models": _parts(found.models, study.models),
        "batches": _parts(found.batches, [batches[each].name for each in study.batches]),
        "weeks": [
            {"name": str(_FIRST_WEEK + timedelta(weeks=int(week.name))), **_shown(week.figure)}
            for week in found.weeks
        ],
        "checks": [{"name": part.name, **_shown(part.figure)} for part in found.checks],
        "pairs": [
            {
                "first": names[pair.first],
                "second": names[pair.second],
                "units": pair.units,
                "figures": {code: _shown(each) for code, each in pair.figures.items()},
            }
            for pair in found.pairs
        ],
        "sources": [asdict(source) for source in found.sources],
        "furthest": list(_furthest(study, found)),
        "without": found.without
        and {"annotator": names[found.without[0]], **_shown(found.without[1])},
    }


def _shown(figure: Shown) -> Json:
    if not isinstance(figure, Figure):
        return {"missing": str(figure.why)}
    as_list = {"prevalence": list(figure.prevalence), "reading": str(reading(figure))}
    return asdict(figure) | as_list


def _parts(parts: Iterable[Part], names: list[str] | Any) -> list[Json]:
    return [{"name": names[int(part.name)], **_shown(part.figure)} for part in parts]


def _furthest(study: Study, found: Report) -> Iterable[Json]:
    """Yield the units whose scores are furthest apart, by the names of item and target."""
    scores: Scores = study.scores
    keys = study.units[list(found.furthest)]
    items = Item.objects.in_bulk(keys[:, 0].tolist())
    responses: Mapping[int, Response] = Response.objects.in_bulk(keys[:, 1].tolist())
    for unit, (item, response) in zip(found.furthest, keys.tolist(), strict=True):
        rows = scores.unit == unit
        values = sorted((scores.value[rows] + scores.levels[0]).tolist())
        model = study.models[int(scores.model[rows][0])]
        position = responses[response].position if response else None
        yield {
            "item": items[item].external_id,
            "response": position,
            "model": model,
            "scores": values,
        }
