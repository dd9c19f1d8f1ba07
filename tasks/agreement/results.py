"""Results of agreement: made from the ratings, stored as JSON, shown by the page and its CSV files.

The worker makes them again when ratings came since. The pages show what is stored.
"""

import os
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product

from django.db.models.lookups import GreaterThan

from rubrics.judging.dimension import Dimension
from tasks.agreement.page_result import PageResult, page_result, without_people
from tasks.agreement.stored import FORM, as_json, result_of
from tasks.models import AgreementResult, Project, Rating
from tasks.models.agreement_results import ALL_RATINGS, RatingChoice
from tasks.models.item_list import list_progress_of, unlisted_ratings
from tasks.models.questions import has_talk
from tasks.models.ratings import CAME_AT
from tasks.models.stored_figures import counts_stored

AGAIN = timedelta(minutes=1)  # the least time between two computations


def renew(project: Project, now: datetime) -> None:
    """Make the outdated figures of a project again, each at most once a minute."""
    begun = list_progress_of(project).begun_at
    choices = [ALL_RATINGS, RatingChoice(first=True)]
    if has_talk(project):
        choices.append(RatingChoice(talk=True))
    if project.breaking_ratings:
        choices += [choice._replace(sound=True) for choice in choices]
    for dimension, choice in product(project.rubric.schema.dimensions, choices):
        results = AgreementResult.objects.of(project, dimension.code, choice)
        acts = counts_stored(project).acts  # what is dropped or taken back counts at once
        recent = results.filter(made_at__gt=now - AGAIN, acts=acts)
        if not recent.exists():
            _make(project, dimension, now, choice)
    if list_progress_of(project).begun_at != begun:  # other ratings count since
        AgreementResult.objects.filter(project=project).delete()
        renew(project, now)


def result(
    project: Project, dimension: Dimension, now: datetime, choice: RatingChoice = ALL_RATINGS
) -> PageResult:
    """Return the figures of a dimension, as stored if nothing else counts since they were made."""
    stored = _make(project, dimension, now, choice)
    return page_result(project, result_of(stored.figures), stored.made_at)


def glance_at(project: Project, dimension: Dimension) -> PageResult:
    """Return a first look: see `making.glance`. Nothing of it is stored."""
    from tasks.agreement.making import glance  # as below

    return page_result(project, glance(project, dimension))


def _make(
    project: Project, dimension: Dimension, now: datetime, choice: RatingChoice
) -> AgreementResult:
    choice = _without_absent_talk(project, choice)
    # Read before the scores: what changes meanwhile is made anew.
    acts = counts_stored(project).acts
    ratings = Rating.objects.filter(project=project).count()
    stored = _find(project, dimension, choice)
    if stored and stored.acts == acts and stored.ratings == ratings:
        return stored
    # Matrices are small here: several threads for one would take twice the CPU for the same
    # time. Numpy reads this when it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imported here, because it loads numpy, which a web worker does not need.
    from tasks.agreement.making import make

    figures = as_json(make(project, dimension, choice))
    made, _is_new = AgreementResult.objects.update_or_create(
        project=project,
        rubric_id=project.rubric_id,
        dimension=dimension.code,
        **choice._asdict(),
        defaults={"acts": acts, "ratings": ratings, "made_at": now, "figures": figures},
    )
    return made


def last_result(
    project: Project,
    dimension: Dimension,
    choice: RatingChoice = ALL_RATINGS,
    *,
    names_people: bool = True,
) -> PageResult | None:
    """Return the figures as they were last made, or None.

    Without `names_people`, the figures of single people are left out if leads see no names:
    pseudonyms need all ratings.
    """
    stored = _find(project, dimension, _without_absent_talk(project, choice))
    if stored is None:
        return None
    figures = result_of(stored.figures)
    acted_at = stored.acted_at if stored.acts != stored.acts_now else None
    if names_people or project.names_annotators:
        return replace(page_result(project, figures, stored.made_at), acted_at=acted_at)
    return PageResult(
        result=without_people(figures),
        names_by_number={},
        made_at=stored.made_at,
        acted_at=acted_at,
    )


def lacking_since(project: Project, agreement: PageResult | None) -> datetime | None:
    """Return the time of the first rating or the last drop that figures lack, or None."""
    if agreement is None:
        return None
    is_later = GreaterThan(CAME_AT, agreement.made_at)
    later_ratings = unlisted_ratings(project).filter(is_later)
    first_rating = later_ratings.values_list(CAME_AT, flat=True).first()
    times = [time for time in (first_rating, agreement.acted_at) if time]
    return min(times, default=None)


def _without_absent_talk(project: Project, choice: RatingChoice) -> RatingChoice:
    """Return a choice; without a revision after a question it makes no difference to ask for it."""
    return choice._replace(talk=choice.talk and has_talk(project))


def _find(project: Project, dimension: Dimension, choice: RatingChoice) -> AgreementResult | None:
    results = AgreementResult.objects.of(project, dimension.code, choice)
    return results.with_acts().filter(figures__form=FORM).first()
