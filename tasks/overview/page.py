"""All that the overview shows, and the cost of a project, from kept counts.

No query reads all items or ratings.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from statistics import fmean

from rubrics.schema import Dimension
from tasks.agreement.drawing import MARKS, on_axis
from tasks.agreement.measures import MAIN, Json, coefficient, sentence
from tasks.agreement.results import lacking_since, last_result
from tasks.freshness import Freshness
from tasks.model_names import ModelNames
from tasks.models import Project, Workday
from tasks.models.kept_figures import Tally, whole_tally
from tasks.models.progress import progress_of
from tasks.overview.asked import not_asked
from tasks.overview.drawing import bar_chart, in_figures, meter, ramp, stack
from tasks.overview.people import latest_day, people_of
from tasks.overview.speed import forecast, last_days
from tasks.pace import LEAST

TICKS_SHOWN = 5


def overview_of(project: Project, dimension: Dimension, now: datetime, names: ModelNames) -> Json:
    """Return the context of the page."""
    progress = progress_of(project)
    ratings = project.workdays.ratings_by_day()
    today = latest_day(ratings, now)
    days = list(project.workdays.latest_of_each())
    tally = whole_tally(project)
    kept, means = last_result(project, dimension, people=False), _means(tally, dimension)
    models = _models(tally, dimension, names, kept)
    people = people_of(project, progress, ratings, days, now, figures=kept or {}, means=means)
    ahead = forecast(ratings, progress.left, today) if project.status == "open" else None
    seconds = _mean_seconds(days)
    concerns = project.concerns.waiting()
    faster = [each for each in people if each.faster]
    stopped = [each for each in people if each.has_stopped]
    nobody = bool(progress.unfinished) and not any(each.may_rate for each in people)
    undelivered = list(project.invitations.not_delivered(now))
    # One that was not delivered and runs out is named once.
    named = set(undelivered)
    ending = [each for each in project.invitations.ending(now) if each not in named]
    return {
        "now": now,
        "fresh": Freshness(lacking_since(project, kept), now),
        "today": today,
        "progress": progress,
        "not_asked": list(not_asked(project)),
        "share": 100 * progress.counted // max(1, progress.wanted),
        "meter": meter(progress),
        "forecast": ahead,
        "hours_left": progress.left * seconds / 3600 if seconds else 0,
        "days": sorted(ratings.items(), reverse=True),
        "days_used": len(last_days(ratings, today)),
        "chart": bar_chart(ratings, ahead, today) if ratings else None,
        "models": models,
        "compared_with": next(
            (
                row["name"]
                for row in models
                if row["is_highest"] and any(each["difference"] for each in models)
            ),
            None,
        ),
        "shows_models": names.shown,
        "ramp": ramp(dimension),
        "people": people,
        "concerns": concerns,
        "faster": faster,
        "stopped": stopped,
        "undelivered": undelivered,
        "ending": ending,
        "nobody": nobody,
        "needs": nobody
        + len(faster)
        + len(stopped)
        + bool(concerns["oldest"])
        + bool(undelivered)
        + bool(ending),
        "agreement": _agreement(kept),
        "ticks": _ticks(tally, dimension),
    }


def _mean_seconds(days: Iterable[Workday]) -> float | None:
    """Return the mean of the last active times of all annotators, from their latest days.

    A sum of many times is their number times the mean. A few long ones lift it above the median.
    """
    times = [seconds for day in days for seconds in day.recent]
    return fmean(times) if len(times) >= LEAST else None


def cost_of(project: Project) -> dict[str, float | None]:
    """Return the ratings that a project wants, and the hours that they take.

    `each`: ratings that each item wants; None if that is not their sum. `more`: hours for one more
    rating of each item. Hours are None if too few ratings tell.
    """
    progress = progress_of(project)
    hours = (_mean_seconds(project.workdays.latest_of_each()) or 0) / 3600
    return {
        "items": progress.items,
        "ratings": progress.wanted,
        "each": project.wanted if progress.items * project.wanted == progress.wanted else None,
        "hours": progress.wanted * hours or None,
        "more": progress.items * hours or None,
    }


def _models(tally: Tally, dimension: Dimension, names: ModelNames, kept: Json | None) -> list[Json]:
    """Return the shares of each model's scores, and its mean.

    A mean with an interval is of the time when the figures of agreement were made, as is its
    difference to the highest one. Without an interval it is that of now. Those with an interval
    come first, the highest at the top.
    """
    made = {part["name"]: part for part in kept["models"]} if kept else {}
    rows = [
        {
            "name": names.of(model),
            "parts": stack(scores, dimension.scores),
            "shares": ", ".join(
                f"{level}: {100 * scores[level] / scores.total():.0f} %"
                for level in dimension.scores
            ),
            "mean": part.get("mean") or {"value": _mean(scores)},
            "difference": part.get("difference") or {},
            "is_highest": part.get("is_highest"),
        }
        for model, scores in sorted(
            tally.by_model(dimension.code).items(), key=lambda each: names.place(each[0])
        )
        for part in [made.get(model, {})]
        if scores.total()
    ]
    rows.sort(key=lambda row: ("low" not in row["mean"], -row["mean"]["value"]))
    return [row | {key: in_figures(row[key]) for key in ("mean", "difference")} for row in rows]


def _mean(scores: Counter[int]) -> float:
    return sum(value * times for value, times in scores.items()) / scores.total()


def _means(tally: Tally, dimension: Dimension) -> dict[int, float]:
    """Return the mean score of each annotator who gave any, by primary key."""
    return {
        annotator: _mean(scores)
        for annotator, scores in tally.by_annotator(dimension.code).items()
        if scores.total()
    }


def _agreement(kept: Json | None) -> Json | None:
    """Return the headline of the figures as they were last made, or None."""
    if kept is None:
        return None
    main: Json = kept["overall"]["figures"][MAIN]
    said = {"made_at": kept["made_at"], "sentence": sentence(kept), "alpha": ""}
    if "missing" in main:
        return said
    return said | {
        **{each: coefficient(main[each]) for each in ("low", "high")},
        "alpha": coefficient(main["value"]),
        "units": kept["overall"]["units"],
        "at": on_axis(main["value"]),
        "from": on_axis(main["low"]),
        "to": on_axis(main["high"]),
        "marks": [(on_axis(mark), f"{mark:.3f}".strip("0")) for mark in MARKS],
    }


def _ticks(tally: Tally, dimension: Dimension) -> list[tuple[str, float]]:
    """Return the checks ticked most, each with its share of what was scored, in per cent."""
    number = sum(sum(scores.values()) for scores in tally.by_model(dimension.code).values())
    wordings = {check.code: check.wording for check in dimension.checks if not check.asked}
    most = sorted(
        (-times, code)
        for code, times in tally.ticks(dimension.code).items()
        if code in wordings and times
    )
    return [(wordings[code], -100 * times / number) for times, code in most[:TICKS_SHOWN]]
