"""All that the overview shows, from kept counts: no query reads all items or ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from rubrics.schema import Dimension
from tasks.agreement.measures import MAIN
from tasks.agreement.results import last_result
from tasks.agreement.words import coefficient, sentence
from tasks.models import Project, ScoreCounts
from tasks.models.progress import progress_of
from tasks.models.score_counts import Tally
from tasks.overview.cost import mean_seconds
from tasks.overview.drawing import BarPart, bar_chart, colour_of, meter, per_cent, spark, stack
from tasks.overview.people import Person, people_of
from tasks.overview.speed import forecast, last_days, mean_with_interval

Json = dict[str, Any]
TICKS_SHOWN = 5
MARKS = (0.667, 0.800)  # readings of α


@dataclass(frozen=True, slots=True)
class ModelRow:
    """The scores of a model: their shares, and their mean with its interval."""

    name: str
    parts: list[BarPart]
    shares: str  # in words: "1: 2 %, 2: 5 %"
    number: int
    mean: tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class PersonRow:
    """An annotator in the table: figures of their work, and their state."""

    person: Person
    spark: str
    median: str
    mean: float | None
    alpha: str


def overview_of(project: Project, dimension: Dimension, now: datetime) -> Json:
    """Return the context of the page."""
    progress = progress_of(project)
    ratings = project.workdays.ratings_by_day()
    today = max([timezone.localdate(now), *ratings])  # it has begun where someone rates
    days = {each.annotator_id: each for each in project.workdays.latest_of_each()}
    tally = ScoreCounts.objects.counts(project, now)
    people = people_of(project, progress, ratings, days, today, now)
    kept = last_result(project, dimension)
    ahead = forecast(ratings, progress.left, today) if project.status == "open" else None
    seconds = mean_seconds(days.values())
    concerns = project.concerns.waiting()
    faster, stopped = _faster(people), [each for each in people if each.has_stopped]
    return {
        "now": now,
        "today": today,
        "progress": progress,
        "share": 100 * progress.counted // max(1, progress.wanted),
        "meter": meter(progress),
        "forecast": ahead,
        "hours_left": progress.left * seconds / 3600 if seconds else 0,
        "days": sorted(ratings.items(), reverse=True),
        "days_used": len(last_days(ratings, today)),
        "chart": bar_chart(ratings, ahead, today),
        "models": _models(tally, dimension),
        "ramp": [
            (18 * place, colour_of(place, len(dimension.scores)))
            for place in range(len(dimension.scores))
        ],
        "people": _rows(people, tally, dimension, kept or {}),
        "concerns": concerns,
        "faster": faster,
        "stopped": stopped,
        "needs": len(faster) + len(stopped) + bool(concerns["oldest"]),
        "agreement": _agreement(kept),
        "ticks": _ticks(tally, dimension),
    }


def clock_time(seconds: float | None) -> str:
    """Return a time as minutes and seconds: "4:07"."""
    return "" if seconds is None else "{}:{:02}".format(*divmod(round(seconds), 60))


def _models(tally: Tally, dimension: Dimension) -> list[ModelRow]:
    """Return the models, the highest mean first."""
    rows = []
    for name, scores in tally.by_model(dimension.code).items():
        number = sum(scores.values())
        if not number:
            continue
        shares = ", ".join(
            f"{level}: {100 * scores[level] / number:.0f} %" for level in dimension.scores
        )
        mean = mean_with_interval(scores)
        rows.append(ModelRow(name, stack(scores, dimension.scores), shares, number, mean))
    return sorted(rows, key=lambda row: (-(row.mean[0] if row.mean else 0), row.name))


def _rows(
    people: list[Person], tally: Tally, dimension: Dimension, figures: Json
) -> list[PersonRow]:
    scores, alphas = tally.by_annotator(dimension.code), _alphas(figures)
    rows = []
    for person in people:
        own = {value: number for value, number in scores.get(person.key, {}).items() if number}
        number = sum(own.values())
        mean = sum(value * times for value, times in own.items()) / number if number else None
        rows.append(
            PersonRow(
                person,
                spark(person.by_day),
                clock_time(person.median),
                mean,
                alphas.get(person.name, ""),
            )
        )
    return rows


def _alphas(figures: Json) -> dict[str, str]:
    """Return α with the others for each name: the mean of the pairs', by what both rated."""
    sums: dict[str, tuple[float, int]] = {}
    for pair in figures.get("pairs", []):
        alpha = pair["figures"][MAIN]
        if "missing" not in alpha:
            for name in (pair["first"], pair["second"]):
                total, units = sums.get(name, (0.0, 0))
                sums[name] = (total + alpha["value"] * pair["units"], units + pair["units"])
    return {name: coefficient(total / units) for name, (total, units) in sums.items() if units}


def _faster(people: list[Person]) -> list[tuple[Person, str, str]]:
    """Return who is far faster than the others, with their time and the others'."""
    return [
        (each, clock_time(each.faster[0]), clock_time(each.faster[1]))
        for each in people
        if each.faster
    ]


def _agreement(kept: Json | None) -> Json | None:
    """Return the headline of the figures as they were last made, or None."""
    if kept is None:
        return None
    main: Mapping[str, Any] = kept["overall"]["figures"][MAIN]
    said = {"made_at": kept["made_at"], "sentence": sentence(kept), "alpha": ""}
    if "missing" in main:
        return said
    return said | {
        **{each: coefficient(main[each]) for each in ("low", "high")},
        "alpha": coefficient(main["value"]),
        "units": kept["overall"]["units"],
        "at": _at(main["value"]),
        "from": _at(main["low"]),
        "to": _at(main["high"]),
        "marks": [(_at(mark), f"{mark:.3f}".strip("0")) for mark in MARKS],
    }


def _at(value: float) -> str:
    """Return the position on an axis from 0 to 1."""
    return per_cent(100 * min(max(value, 0), 1))


def _ticks(tally: Tally, dimension: Dimension) -> list[tuple[str, float]]:
    """Return the checks ticked most, each with its share of what was scored, in per cent."""
    number = sum(sum(scores.values()) for scores in tally.by_model(dimension.code).values())
    wordings = {check.code: check.wording for check in dimension.checks if not check.asked}
    counted = tally.ticks(dimension.code)
    most = sorted((-times, code) for code, times in counted.items() if code in wordings and times)
    return [(wordings[code], -100 * times / number) for times, code in most[:TICKS_SHOWN]]
