"""All ratings of an item as they stand, each with what became of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.contrib.auth import get_user_model
from django.db.models import Prefetch
from django.utils.translation import gettext as _

from rubrics.models import PARSED_COLUMNS, Rubric
from tasks.models import Item, Project, Rating, ReturnedRating
from tasks.rating_form.rating_words import TargetInWords, rating_in_words


@dataclass(frozen=True, slots=True)
class RatingView:
    """A rating as it stands, with its first revision and why it came back, if it did."""

    rating: Rating
    targets: Mapping[int | str, TargetInWords]
    first: Rating
    corrections: int  # those that others can see: an annotator's "not sure" is for nobody else
    returns: tuple[ReturnedRating, ...]
    is_counted: bool  # unless the item is dropped
    is_dropped: bool  # the item

    @property
    def name(self) -> str:
        rater = self.rating.rater
        return rater.display_name if rater else self.rating.annotator.get_username()

    @property
    def why_not(self) -> str:
        """Reason why the rating does not count; "" if it does."""
        rating = self.rating
        if self.is_counted:
            return _("the item is dropped") if self.is_dropped else ""
        if not rating.rater or rating.extra_because:
            return rating.why_extra
        if rating.project.imported == Project.Imported.APART or not rating.rater.account:
            return _("imported ratings don’t count in this project")
        return _("%(name)s rated the item here") % {"name": self.name}

    @property
    def places(self) -> list[int]:
        """Places of the responses on the annotator's desk, from 1."""
        places = []
        for words in self.targets.values():
            if words.target.label:
                places.append(words.target.place)
        return sorted(places)

    def response_at(self, place: int) -> int | str:
        """Return the key of the response at a place of the desk; "" for the place 0."""
        for key, words in self.targets.items():
            if place and words.target.label and words.target.place == place:
                return key
        return ""

    @property
    def waits(self) -> bool:
        """True if it is with its annotator, who has not answered yet."""
        return any(returned.settled_at is None for returned in self.returns)


def ratings_of(item: Item) -> list[RatingView]:
    """Return all ratings of an item as they stand, first come first."""
    rubrics = Prefetch("rubric", Rubric.objects.defer(*PARSED_COLUMNS))
    # Accounts have many columns, and most items no imported ratings.
    annotators = Prefetch("annotator", get_user_model().objects.only("username"))
    parts = ("rater__account", "file", "scores", "placements", "fact_checks")
    ratings = Rating.objects.filter(item=item).prefetch_related(rubrics, annotators, *parts)
    every_revision = ratings.order_by("annotator", "rater", "attempt", "revision")
    returned = {row.rating_id: row for row in ReturnedRating.objects.filter(rating__item=item)}
    filling_ratings = Rating.objects.filter(item=item).filling()
    filling = set(filling_ratings.values_list("pk", flat=True))
    by_rating: dict[tuple[int | None, int | None, int], list[Rating]] = defaultdict(list)
    for rating in every_revision:
        rating.project = item.project
        key = (rating.annotator_id, rating.rater_id, rating.attempt)
        by_rating[key].append(rating)
    views = []
    for revisions in by_rating.values():
        returns = []
        for rating in revisions:
            if rating.pk in returned:
                returns.append(returned[rating.pk])
        is_counted = revisions[-1].pk in filling
        views.append(_view(revisions, returns, is_counted, item.dropped))
    return sorted(views, key=lambda view: view.first.pk)


def _view(
    revisions: Sequence[Rating], returns: Sequence[ReturnedRating], is_counted: bool, dropped: bool
) -> RatingView:
    words = [(rating.comment, rating_in_words(rating)) for rating in revisions]
    _comment, targets = words[-1]
    corrections = sum(before != after for before, after in pairwise(words))
    return RatingView(
        rating=revisions[-1],
        targets=targets,
        first=revisions[0],
        corrections=corrections,
        returns=tuple(returns),
        is_counted=is_counted,
        is_dropped=dropped,
    )
