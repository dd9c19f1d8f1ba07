"""Results of agreement: made from the ratings, stored as JSON, shown by the page and the command.

The worker makes them again when ratings came since. The pages show what is stored.
"""

import os
from datetime import datetime, timedelta
from itertools import combinations, product

from django.db.models.lookups import GreaterThan

from rubrics.schema import Dimension
from tasks.agreement.measures import Json
from tasks.exporting.filters import pseudonyms_of
from tasks.model_names import ModelNames
from tasks.models import AgreementResult, Project, Rating
from tasks.models.imported import names_of
from tasks.models.item_list import list_progress_of, unlisted_ratings
from tasks.models.ratings import CAME_AT
from tasks.models.stored_figures import counts_stored

# The version of the stored figures. Increase it when their content or their computation changes:
# results of another version are made again.
FORM = 10
AGAIN = timedelta(minutes=1)  # the least time between two computations


def renew(project: Project, now: datetime) -> None:
    """Make the outdated figures of a project again, each at most once a minute."""
    both, dimensions = (False, True), project.rubric.schema.dimensions
    begun = list_progress_of(project).begun_at
    some_break_rules = project.breaking_ratings > 0
    for dimension, first, sound in product(dimensions, both, both[: 1 + some_break_rules]):
        key = _key(project, dimension, first=first, sound=sound)
        acts = counts_stored(project).acts  # what is dropped or taken back counts at once
        if not AgreementResult.objects.filter(**key, made_at__gt=now - AGAIN, acts=acts).exists():
            _make(project, dimension, now, first=first, sound=sound)
    if list_progress_of(project).begun_at != begun:  # other ratings count since
        AgreementResult.objects.filter(project=project).delete()
        renew(project, now)


def result(
    project: Project,
    dimension: Dimension,
    now: datetime,
    *,
    first: bool = False,
    sound: bool = False,
) -> Json:
    """Return the figures of a dimension, as stored if nothing else counts since they were made.

    `first`: of the first revisions in place of the current ones. `sound`: without ratings that
    break a rule.
    """
    return _show(project, _make(project, dimension, now, first=first, sound=sound))


def glance_at(project: Project, dimension: Dimension) -> Json:
    """Return a first look: see `making.glance`. Nothing of it is stored."""
    from tasks.agreement.making import glance  # as below

    figures = glance(project, dimension)
    return _name_people(figures, _names(project, figures))


def _make(
    project: Project, dimension: Dimension, now: datetime, *, first: bool, sound: bool
) -> AgreementResult:
    marks = {  # read before the scores: what changes meanwhile is made anew
        "acts": counts_stored(project).acts,
        "ratings": Rating.objects.filter(project=project).count(),
    }
    stored = _find(project, dimension, first=first, sound=sound)
    if stored is None or (stored.acts, stored.ratings) != (marks["acts"], marks["ratings"]):
        # Matrices are small here: several threads for one would take twice the CPU for the same
        # time. Numpy reads this when it is loaded.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # Imported here, because it loads numpy, which a web worker does not need.
        from tasks.agreement.making import make

        figures = {"form": FORM, **make(project, dimension, first=first, sound=sound)}
        stored, _is_new = AgreementResult.objects.update_or_create(
            **_key(project, dimension, first=first, sound=sound),
            defaults=marks | {"made_at": now, "figures": figures},
        )
    return stored


def last_result(
    project: Project,
    dimension: Dimension,
    *,
    first: bool = False,
    sound: bool = False,
    people: bool = True,
) -> Json | None:
    """Return the figures as they were last made, or None.

    `first` and `sound` as in `result`. Without `people`, the figures of single people are left out
    if leads see no names: pseudonyms need all ratings.
    """
    stored = _find(project, dimension, first=first, sound=sound)
    if stored is None:
        return None
    acted: Json = {"acted_at": stored.acted_at if stored.acts != stored.acts_now else None}
    if people or project.names_annotators:
        return _show(project, stored) | acted
    nobody: Json = {"annotators": [], "team": [], "slots": [], "pairs": [], "without": None}
    return stored.figures | nobody | {"made_at": stored.made_at} | acted


def lacking_since(project: Project, found: Json | None) -> datetime | None:
    """Return the time of the first rating or the last drop that figures lack, or None."""
    if found is None:
        return None
    later = GreaterThan(CAME_AT, found["made_at"])
    first = unlisted_ratings(project).filter(later).values_list(CAME_AT, flat=True).first()
    return min((time for time in (first, found["acted_at"]) if time), default=None)


def as_shown(found: Json, names: ModelNames) -> Json:
    """Return the figures with models as a lead sees them."""
    return {
        **found,
        "models": [
            {**part, "name": names.of(part["name"])}
            for part in sorted(found["models"], key=lambda part: names.sort_key(part["name"]))
        ],
        "furthest": [{**unit, "model": names.of(unit["model"])} for unit in found["furthest"]],
    }


def _key(project: Project, dimension: Dimension, *, first: bool, sound: bool) -> Json:
    return {
        "project": project,
        "rubric_id": project.rubric_id,
        "dimension": dimension.code,
        "first": first,
        "sound": sound,
    }


def _find(
    project: Project, dimension: Dimension, *, first: bool, sound: bool
) -> AgreementResult | None:
    key = _key(project, dimension, first=first, sound=sound)
    return AgreementResult.objects.with_acts().filter(**key, figures__form=FORM).first()


def _show(project: Project, stored: AgreementResult) -> Json:
    return {
        **_name_people(stored.figures, _names(project, stored.figures)),
        "made_at": stored.made_at,
    }


def _names(project: Project, figures: Json) -> dict[int, str]:
    """Return the names of people by number, or their pseudonyms if leads see no names."""
    rated = figures["annotators"]
    if not project.names_annotators:
        return {key: name for key, name in pseudonyms_of(project).items() if key in rated}
    return names_of(rated)


def _name_people(figures: Json, names: dict[int, str]) -> Json:
    """Return the figures with names in place of numbers, in the order of the names."""
    pairs = {frozenset((each["first"], each["second"])): each for each in figures["pairs"]}
    without = figures["without"]
    return {
        **figures,
        "annotators": list(names.values()),
        "people": list(names),  # their numbers
        "team": [name for key, name in names.items() if key in figures["team"]],
        "slots": [name for key, name in names.items() if key in figures["slots"]],
        "pairs": [
            {**pairs[frozenset(two)], "first": names[two[0]], "second": names[two[1]]}
            for two in combinations(names, 2)
            if frozenset(two) in pairs
        ],
        "furthest": [
            {
                **unit,
                "given": [(name, given[key]) for key, name in names.items() if key in given],
            }
            for unit in figures["furthest"]
            for given in [dict(unit["given"])]
        ],
        "without": without and {**without, "annotator": names[without["annotator"]]},
    }
