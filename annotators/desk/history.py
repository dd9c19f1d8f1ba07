"""An annotator's own ratings, for them to look back at, one page at a time."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from config.web.people import User
from tasks.models import Project, Rating
from tasks.rating_form.rating_words import rating_in_words

PAGE = 25  # ratings


def page_of_ratings(
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
    query = Rating.objects.first_of(annotator, project).saying(words)
    if not_sure:
        query = query.not_sure_of()
    if before is not None:
        query = query.filter(pk__lt=before)
    firsts = list(query[: PAGE + 1])
    # `before` of the next page; None if there is no next page.
    older = None
    if len(firsts) > PAGE:
        older = firsts[PAGE - 1].pk
    firsts = firsts[:PAGE]
    latest = _latest_revisions(firsts, annotator)
    past_ratings: list[dict[str, Any]] = []
    for first in firsts:
        rating = latest[first.item_id, first.attempt]
        past_ratings.append(_past_rating(first, rating, project, now))
    return {"ratings": past_ratings, "older": older}


def _latest_revisions(firsts: Collection[Rating], annotator: User) -> dict[tuple[int, int], Rating]:
    """Return the current revisions of these ratings with all their parts, by item and attempt."""
    items = [first.item_id for first in firsts]
    query = Rating.objects.current().by(annotator).filter(item__in=items)
    query = query.select_related("item__batch", "rubric", "returned")
    ratings = query.prefetch_related("scores", "placements", "fact_checks")
    return {(rating.item_id, rating.attempt): rating for rating in ratings}


def _past_rating(first: Rating, rating: Rating, project: Project, now: datetime) -> dict[str, Any]:
    """Return a rating as it is now, in words. It knows when its first revision was submitted.

    Its words leave out the best answers: what one looks for is what was wrong.
    """
    rating.project, rating.first_submitted_at = project, first.submitted_at
    rating.item.project = rating.item.batch.project = project
    targets = rating_in_words(rating, best=False).values()
    return {
        "rating": rating,
        "targets": [target for target in targets if target.words_by_dimension],
        # Why it can no longer be corrected; "" if it can.
        "read_only": rating.why_read_only(now),
    }
