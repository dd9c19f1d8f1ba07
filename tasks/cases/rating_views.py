"""All ratings of an item as they stand, each with what became of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

from django.db import models
from django.utils.translation import gettext as _
from psycopg import sql

from config.web.people import named_account
from config.web.raw_sql import Columns, all_rows, give_related, instances
from rubrics.models import Rubric
from tasks.models import FactCheck, Item, Placement, Project, Rating, ReturnedRating, Score
from tasks.models.counting import FILLING
from tasks.rating_form.rating_words import TargetInWords, rating_in_words

# Every revision, those of one person after each other; then the name of the account.
RATING = Columns(Rating, "rating")
RATINGS = sql.SQL("""
SELECT {columns}, {filling}, account.username
FROM tasks_rating AS rating LEFT JOIN annotators_user AS account ON account.id = rating.annotator_id
WHERE rating.item_id = %(item)s
ORDER BY rating.annotator_id, rating.rater_id, rating.attempt, rating.revision
""").format(columns=sql.SQL(str(RATING)), filling=FILLING)
RETURNED = Columns(ReturnedRating, "returned")
RETURNS = f"""
SELECT {RETURNED} FROM tasks_returnedrating AS returned WHERE rating_id = ANY(%(keys)s)
"""  # noqa: S608 - constant parts
# The parts of ratings by the names of their relations: all, or those on one target.
PARTS: Mapping[str, Columns[Any]] = {
    "scores": Columns(Score, "part"),
    "placements": Columns(Placement, "part"),
    "fact_checks": Columns(FactCheck, "part"),
}
OF_RATINGS = "FROM {table} AS part WHERE part.rating_id = ANY(%(keys)s)"
ON_RESPONSE = " AND part.response_id = %(target)s"
ON_CANDIDATES = " AND part.response_id IS NULL AND part.model = %(target)s"


@dataclass(frozen=True)
class RatingView:
    """A rating as it stands, with its revisions and why it came back, if it did."""

    rating: Rating
    revisions: Sequence[Rating]  # with the rating as the last one
    returns: tuple[ReturnedRating, ...]
    is_counted: bool  # unless the item is dropped
    is_dropped: bool  # the item

    @cached_property
    def targets(self) -> Mapping[int | str, TargetInWords]:
        return rating_in_words(self.rating)

    @property
    def first(self) -> Rating:
        """The first revision."""
        return self.revisions[0]

    @cached_property
    def corrections(self) -> int:
        """The number of corrections that others can see: none of "not sure"."""
        words = [(rating.comment, rating_in_words(rating)) for rating in self.revisions]
        return sum(before != after for before, after in pairwise(words))

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


def ratings_of(item: Item, target: int | str | None = None) -> list[RatingView]:
    """Return all ratings of an item as they stand, first come first.

    With a target they have only what was said on it, and nothing of what came back.

    SQL, since the ORM takes several times as long to make the statements as to run them.
    """
    filling = set()
    by_rating: dict[tuple[int | None, int | None, int], list[Rating]] = defaultdict(list)
    for row in all_rows(RATINGS, {"item": item.pk}):
        rating, is_filling, username = instances(row, RATING)
        rating.project = item.project
        rating.item = item
        if username is not None:
            rating.annotator = named_account(rating.annotator_id, username)
        if is_filling:
            filling.add(rating.pk)
        by_rating[rating.annotator_id, rating.rater_id, rating.attempt].append(rating)
    ratings = [rating for revisions in by_rating.values() for rating in revisions]
    for name, columns in PARTS.items():
        _give_parts(ratings, name, columns, target)
    # What is imported has a rater and a file.
    imported = [rating for rating in ratings if rating.rater_id]
    models.prefetch_related_objects(imported, "rater__account", "file")
    _give_rubrics(ratings, item.project.rubric)
    returned = _returns_by_rating(ratings) if target is None else {}
    views = []
    for revisions in by_rating.values():
        returns = tuple(returned[rating.pk] for rating in revisions if rating.pk in returned)
        is_counted = revisions[-1].pk in filling
        views.append(RatingView(revisions[-1], revisions, returns, is_counted, item.dropped))
    return sorted(views, key=lambda view: view.first.pk)


def _give_parts(
    ratings: Sequence[Rating], name: str, part_columns: Columns[Any], target: int | str | None
) -> None:
    """Load a part of ratings: the scores, the placements or the fact checks."""
    parts_by_rating: dict[int, list[models.Model]] = defaultdict(list)
    # Nothing else is said on a candidate set.
    if name == "scores" or not isinstance(target, str):
        values = {"keys": [rating.pk for rating in ratings], "target": target}
        for row in all_rows(_statement(part_columns, _condition(target)), values):
            (part,) = instances(row, part_columns)
            parts_by_rating[part.rating_id].append(part)
    for rating in ratings:
        give_related(rating, name, parts_by_rating[rating.pk])


def _condition(target: int | str | None) -> str:
    """Return the condition that a part is on a target."""
    if target is None:
        return ""
    return ON_RESPONSE if isinstance(target, int) else ON_CANDIDATES


@cache
def _statement(part_columns: Columns[Any], condition: str) -> str:
    """Return the statement for the parts of ratings."""
    options = part_columns.model._meta
    where = OF_RATINGS.format(table=options.db_table) + condition
    order = options.ordering[0]
    return f"SELECT {part_columns} {where} ORDER BY part.{'id' if order == 'pk' else order}"


def _give_rubrics(ratings: Sequence[Rating], usual: Rubric) -> None:
    """Give each rating the version of the rubric that it was made with."""
    keys = {rating.rubric_id for rating in ratings} - {usual.pk}
    rubrics = {usual.pk: usual}
    if keys:
        rubrics |= Rubric.objects.to_show().in_bulk(keys)
    for rating in ratings:
        rating.rubric = rubrics[rating.rubric_id]


def _returns_by_rating(ratings: Sequence[Rating]) -> dict[int, ReturnedRating]:
    keys = [rating.pk for rating in ratings]
    returned = {}
    for row in all_rows(RETURNS, {"keys": keys}):
        (returned_rating,) = instances(row, RETURNED)
        returned[returned_rating.rating_id] = returned_rating
    return returned
