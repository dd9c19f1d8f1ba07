"""An annotator's own ratings, for them to look back at, one page at a time."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from config.web.people import User

from .models import Project, Rating
from .rating_form.fields import said_by

PAGE = 25  # ratings


def own_page(
    project: Project,
    annotator: User,
    *,
    words: Collection[str] = (),
    not_sure: bool = False,
    before: int | None = None,
    now: datetime,
) -> dict[str, Any]:
    """Return a page of ratings that contain all `words`, older than the primary key `before`.

    `not_sure`: only those that the annotator is not sure of.
    """
    found = Rating.objects.first_of(annotator, project).saying(words)
    if not_sure:
        found = found.not_sure_of()
    if before is not None:
        found = found.filter(pk__lt=before)
    firsts = list(found[: PAGE + 1])
    # The current revision of each, with all its parts.
    latest = {
        (rating.item_id, rating.attempt): rating
        for rating in Rating.objects.current()
        .by(annotator)
        .filter(item__in=[first.item_id for first in firsts[:PAGE]])
        .select_related("item__batch", "rubric", "returned")
        .prefetch_related("scores", "placements", "fact_checks")
    }
    return {
        "ratings": [
            _own(first, latest[first.item_id, first.attempt], project, now)
            for first in firsts[:PAGE]
        ],
        # `before` of the next page; None if there is no next page.
        "older": firsts[PAGE - 1].pk if len(firsts) > PAGE else None,
    }


def _own(first: Rating, rating: Rating, project: Project, now: datetime) -> dict[str, Any]:
    """Return a rating as it is now, in words. It knows when its first revision was submitted.

    Its words leave out the best answers: what one looks for is what was wrong.
    """
    rating.project, rating.first_said_at = project, first.submitted_at
    rating.item.project = rating.item.batch.project = project
    return {
        "rating": rating,
        "targets": [said for said in said_by(rating, best=False).values() if said.scores],
        # Why it can no longer be corrected; "" if it can.
        "read_only": rating.why_read_only(now),
    }
