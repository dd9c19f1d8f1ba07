"""All that the overview shows of a project and its people, and the cost of a project.

The figures are made from stored counts. No query reads all items or ratings.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from statistics import fmean, median

from django.contrib.auth import get_user_model
from django.db.models import Sum
from django.utils import timezone

from rubrics.schema import Better, Dimension, Rubric as Schema, Unit, Without
from tasks.agreement.drawing import MARKS, WAITING, on_axis, whisker
from tasks.agreement.measures import Json, coefficient, sentence
from tasks.agreement.results import lacking_since, last_result
from tasks.exporting.filters import pseudonyms_of
from tasks.fact_checks import minutes
from tasks.freshness import Freshness
from tasks.model_names import ModelNames
from tasks.models import Admission, Project, Workday
from tasks.models.progress import ProjectFigures, progress_of
from tasks.models.stored_figures import Tally, whole_tally
from tasks.overview.annotators import annotators_of
from tasks.overview.asked import not_asked
from tasks.overview.drawing import (
    bar_chart,
    in_figures,
    meter,
    named_days,
    ramp,
    shares,
    spark,
    stack,
)
from tasks.overview.shortage import shortage_of
from tasks.overview.speed import (
    DAY,
    STOPPED_AFTER,
    Ratings,
    far_faster,
    forecast,
    idle_days,
    last_days,
    working_weekdays,
)
from tasks.pace import LEAST

TICKS_SHOWN = 5
SPARK_DAYS = 14


def alphas_of(figures: Json) -> dict[int, str]:
    """Return α with the others for each person: the mean of the pairs', by what both rated."""
    sums: dict[str, tuple[float, int]] = {}
    for pair in figures.get("pairs", []):
        alpha = pair["figures"][figures["main"]]
        if "missing" not in alpha:
            for name in (pair["first"], pair["second"]):
                total, units = sums.get(name, (0.0, 0))
                sums[name] = (total + alpha["value"] * pair["units"], units + pair["units"])
    people = dict(zip(figures.get("annotators", ()), figures.get("people", ()), strict=False))
    return {
        people[name]: coefficient(total / units) for name, (total, units) in sums.items() if units
    }


def latest_day(ratings: Ratings, now: datetime) -> date:
    """Return today, or the day after if it has begun where someone rates."""
    return max([timezone.localdate(now), *ratings])


def people_of(
    project: Project,
    progress: ProjectFigures,
    ratings: Ratings,
    days: Iterable[Workday],
    now: datetime,
    *,
    figures: Json,
    means: Mapping[int, float],
) -> list[Json]:
    """Return the annotators of a project, by name, with the figures of their work as shown.

    Imported raters who are none of them come last.

    `ratings`: of all by day. `days`: the latest workday of each. `figures`: of agreement. `means`:
    of each one's scores, by the annotator's primary key. States and times are by the day of whoever
    looks.
    """
    today, alphas = latest_day(ratings, now), alphas_of(figures)
    looking = timezone.localdate(now)
    progressed = project.batch_progress.order_by().values_list("annotator")
    done = dict(progressed.annotate(Sum("rated")))
    first = today - DAY * (SPARK_DAYS - 1)
    recent = {
        (annotator, day): rated
        for annotator, day, rated in project.workdays.filter(day__gte=first).values_list(
            "annotator", "day", "rated"
        )
    }
    weekdays = working_weekdays(ratings, today)
    may_go_on = project.status == Project.Status.OPEN and progress.left
    times = {day.annotator_id: tuple(day.recent) for day in days}
    admitted = Admission.objects.in_project(project) if project.asks_practice else {}
    found = []
    for key, name, last, is_rating, may_rate, may_get in annotators_of(project, now):
        last_day = last and timezone.localdate(last)
        others = [each for annotator, each in times.items() if annotator != key]
        own = times.get(key, ())
        # Items that want ratings and may come to them, at most.
        left = min(may_get, progress.unfinished)
        practises = project.asks_practice and key not in admitted
        left = max(0, left) if may_go_on and may_rate and not practises else 0
        idle = idle_days(last_day, looking, weekdays) if last_day else 0
        found.append(
            {
                "key": key,
                "name": name,
                "rated": done.get(key, 0),  # items
                "may_get": may_get,
                "left": left,
                # Ratings of the last days, today last, as the points of a line.
                "spark": spark(
                    [recent.get((key, first + DAY * number), 0) for number in range(SPARK_DAYS)]
                ),
                # Time of the last ratings; "" without any.
                "median": minutes(round(median(own))) if own else "",
                "mean": means.get(key),
                "alpha": alphas.get(key, ""),  # with the others; "" without a figure
                "last": last,  # time of the last rating
                "may_rate": may_rate,  # a member, with an active account
                "practises": practises,  # before their first item
                "is_rating": is_rating,  # they hold an item now
                "is_today": last_day == looking,
                "idle": idle,  # whole working days since the last rating
                # They rated, have items left, and gave no rating for three working days.
                "has_stopped": bool(left) and not is_rating and idle >= STOPPED_AFTER,
                # Their time and the others', if far faster.
                "faster": [
                    minutes(round(each)) for each in far_faster(own, others) or () if may_rate
                ],
            }
        )
    everyone: dict[int, Json] = {each["key"]: each for each in found}
    for rater in raters_of(project, figures, means):
        person = everyone.setdefault(rater["key"], rater | {"rated": 0})
        person["rated"] += rater["rated"]
    return list(everyone.values())


def raters_of(project: Project, figures: Json, means: Mapping[int, float]) -> list[Json]:
    """Return the persons among the imported raters of a project, by name.

    `figures` and `means` are those of `people_of`.
    """
    if not project.has_imported:
        return []
    alphas, rated = alphas_of(figures), project.ratings.items_by_rater()
    return [
        {
            "rater": rater,
            "key": rater.person,
            "name": rater.shown,
            "rated": rated.get(rater.pk, 0),  # items, without those that their account rated
            "mean": means.get(rater.person),
            "alpha": alphas.get(rater.person, ""),
            "is_imported": True,
            **dict.fromkeys(("may_rate", "has_stopped", "faster"), False),
        }
        for rater in project.raters.filter(is_slot=False).select_related("account")
    ]


def members_of(project: Project, dimension: Dimension, now: datetime) -> list[Json]:
    """Return the members by name, with nothing of other projects. `dimension`: of α with others."""
    roles: dict[int, set[str]] = {}
    for user, role in project.memberships.values_list("user", "role"):
        roles.setdefault(user, set()).add(role)
    found = people_of(
        project,
        progress_of(project),
        project.workdays.ratings_by_day(),
        project.workdays.latest_of_each(),
        now,
        figures=last_result(project, dimension, people=False) or {},
        means={},
    )
    figures = {each["key"]: each for each in found}
    pseudonyms = pseudonyms_of(project)
    seconds = {key: spent for key, (_n, spent, _day) in project.workdays.sums().items()}
    people = get_user_model()
    return [
        {
            "user": user,
            "roles": roles[user.pk],
            "role": "+".join(sorted(roles[user.pk])),  # as a choice of `RoleForm`
            "figures": figures.get(user.pk),  # None: does not rate here
            "hours": seconds.get(user.pk, 0) / 3600,
            "pseudonym": pseudonyms.get(user.pk, ""),  # "" until they have rated
        }
        for user in people.objects.filter(pk__in=roles)
        .only(people.USERNAME_FIELD, "is_active")
        .order_by(people.USERNAME_FIELD)
    ]


def overview_of(project: Project, dimension: Dimension, now: datetime, names: ModelNames) -> Json:
    """Return the context of the page."""
    progress = progress_of(project)
    ratings = project.workdays.ratings_by_day()
    today = latest_day(ratings, now)
    days = list(project.workdays.latest_of_each())
    tally = whole_tally(project)
    stored, means = last_result(project, dimension, people=False), _means(tally, dimension)
    models = _models(tally, dimension, names, stored)
    people = people_of(project, progress, ratings, days, now, figures=stored or {}, means=means)
    gets = any(each.get("left") for each in people)
    may_get = [each["may_get"] for each in people if each["may_rate"]]
    shortage = shortage_of(project, progress, may_get)
    ahead = forecast(ratings, progress.left, today) if gets and not shortage.ratings else None
    seconds = _mean_seconds(days)
    concerns = project.concerns.waiting()
    faster = [each for each in people if each["faster"]]
    stopped = [each for each in people if each["has_stopped"]]
    is_closed = project.status == Project.Status.CLOSED
    nobody = bool(progress.unfinished) and not is_closed and not any(p["may_rate"] for p in people)
    undelivered = list(project.invitations.not_delivered(now))
    # One that was not delivered and runs out is named once.
    ending = [each for each in project.invitations.ending(now) if each not in undelivered]
    lacking = lacking_since(project, stored)
    return {
        "now": now,
        "fresh": Freshness(lacking, now),
        "today": today,
        "progress": progress,
        "gets": gets,  # somebody can get an item now
        "not_asked": list(not_asked(project)),
        "share": 100 * progress.counted // max(1, progress.wanted),
        "meter": meter(progress),
        "forecast": ahead,
        "hours_left": progress.left * seconds / 3600 if seconds else 0,
        "days": named_days(ratings),
        "days_used": len(last_days(ratings, today)),
        "chart": bar_chart(ratings, ahead, today) if ratings else None,
        "models": models,
        "blanks": [
            (names.of(model), number)
            for model, number in sorted(
                tally.blanks(dimension.code).items(), key=lambda each: names.sort_key(each[0])
            )
        ],
        "compared_with": next(
            (
                row["name"]
                for row in models
                if row["is_best"] and any(each["difference"] for each in models)
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
        "shortage": shortage if shortage.ratings else None,
        "needs": nobody
        + bool(shortage.ratings)
        + len(faster)
        + len(stopped)
        + bool(concerns["oldest"])
        + bool(undelivered)
        + bool(ending),
        "agreement": _agreement(stored, lacking is not None),
        "ticks": ticked_most(tally, dimension, project.rubric.schema),
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


def _models(
    tally: Tally, dimension: Dimension, names: ModelNames, stored: Json | None
) -> list[Json]:
    """Return the shares of each model's scores, and its mean.

    A mean with an interval is of the time when the figures of agreement were made, as is its
    difference to the best one. Without an interval it is that of now. Those with an interval come
    first, the best at the top. Classes have no mean.
    """
    made = {part["name"]: part for part in stored["models"]} if stored else {}
    rows = [
        {
            "name": names.of(model),
            "parts": stack(scores, dimension),
            "shares": shares(scores, dimension),
            "mean": part.get("mean")
            or ({} if dimension.better is Better.NONE else {"value": _mean(scores)}),
            "difference": part.get("difference") or {},
            "is_best": part.get("is_best"),
        }
        for model, scores in sorted(
            tally.by_model(dimension.code).items(), key=lambda each: names.sort_key(each[0])
        )
        for part in [made.get(model, {})]
        if scores.total()
    ]
    rows.sort(
        key=lambda row: ("low" not in row["mean"], -dimension.merit(row["mean"].get("value", 0)))
    )
    return [row | {key: in_figures(row[key]) for key in ("mean", "difference")} for row in rows]


def _mean(scores: Counter[int]) -> float:
    return sum(value * times for value, times in scores.items()) / scores.total()


def _means(tally: Tally, dimension: Dimension) -> dict[int, float]:
    """Return the mean score of each annotator who gave any, by primary key."""
    return {
        annotator: _mean(scores)
        for annotator, scores in tally.by_annotator(dimension.code).items()
        if scores.total() and dimension.better is not Better.NONE
    }


def _agreement(stored: Json | None, is_outdated: bool) -> Json | None:
    """Return the headline of the figures as they were last made, or None."""
    if stored is None:
        return None
    main: Json = stored["overall"]["figures"][stored["main"]]
    # "No ratings" is wrong once there are some: the worker makes the figures next.
    waits = is_outdated and main.get("missing") in WAITING
    said = {"sentence": "" if waits else sentence(stored), "alpha": ""}
    said |= {each: stored[each] for each in ("made_at", "main")}
    if "missing" in main:
        return said
    return said | {
        "interval": [coefficient(main[end]) for end in ("low", "high")],
        "alpha": coefficient(main["value"]),
        "units": stored["overall"]["units"],
        **whisker("", main),
        "marks": [(on_axis(mark), f"{mark:.3f}".strip("0")) for mark in MARKS],
    }


def ticked_most(tally: Tally, dimension: Dimension, rubric: Schema) -> list[tuple[str, float]]:
    """Return the checks ticked most, each with its share of what was scored, in per cent."""
    of = {kind: tally.targets(kind, dimension.code) for kind in ("score", *Without)}
    all_targets = sum(of.values())
    whose_checks = [(dimension, all_targets - of[Without.NOT_ASKED])]
    if dimension.unit is Unit.RESPONSE:
        whose_checks.append((rubric.whole, all_targets))
    shares = [
        (-100 * times / number, check.wording)
        for whose, number in whose_checks
        for check in whose.checks
        if not check.asked and (times := tally.ticks(whose.code)[check.code])
    ]
    return [(wording, -share) for share, wording in sorted(shares)[:TICKS_SHOWN]]
