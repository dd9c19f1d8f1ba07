"""An annotator's own ratings, for them to look back at, one page at a time."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from config.web.people import User
from tasks.models import Project, Rating
from tasks.rating_form.rating_words import TargetInWords, rating_in_words

PAGE = 25  # ratings


@dataclass(frozen=True, slots=True)
class PastRating:
    """A rating as it is now, in words."""

    rating: Rating
    targets_in_words: list[TargetInWords]
    read_only: str  # why it can no longer be corrected; "" if it can


@dataclass(frozen=True, slots=True)
class PastRatings:
    """A page of ratings, newest first, and the `before` of the next page; None without one."""

    past_ratings: list[PastRating]
    older: int | None


def page_of_ratings(
    project: Project,
    annotator: User,
    *,
    words: Collection[str] = (),
    not_sure: bool = False,
    before: int | None = None,
    now: datetime,
) -> PastRatings:
    """Return a page of ratings that contain all `words`, older than the primary key `before`.

    `not_sure`: only those that the annotator is not sure of.
    """
    query = Rating.objects.first_of(annotator, project).saying(words)
    if not_sure:
        query = query.not_sure_of()
    if before is not None:
        query = query.filter(pk__lt=before)
    firsts = list(query[: PAGE + 1])
    older = None
    if len(firsts) > PAGE:
        older = firsts[PAGE - 1].pk
    firsts = firsts[:PAGE]
    latest = _latest_revisions(firsts, annotator)
    past_ratings = []
    for first in firsts:
        # Of each rating one revision is current, also if a correction came between the queries.
        rating = latest[first.item_id, first.attempt]
        rating.use_loaded(project=project, first=first)
        past_ratings.append(_past_rating(rating, now))
    return PastRatings(past_ratings, older)


def _latest_revisions(firsts: Collection[Rating], annotator: User) -> dict[tuple[int, int], Rating]:
    """Return the current revisions of these ratings with all their parts, by item and attempt."""
    items = [first.item_id for first in firsts]
    query = Rating.objects.current().by(annotator).filter(item__in=items)
    query = query.select_related("item__batch", "rubric", "returned")
    ratings = query.prefetch_related("scores", "placements", "fact_checks")
    return {(rating.item_id, rating.attempt): rating for rating in ratings}


def _past_rating(rating: Rating, now: datetime) -> PastRating:
    """Return a rating as it is now, in words.

    They leave out the best answers: what one looks for is what was wrong.
    """
    targets = rating_in_words(rating, best=False).values()
    targets_with_words = [target for target in targets if target.words_by_dimension]
    return PastRating(rating, targets_with_words, rating.why_read_only(now))
