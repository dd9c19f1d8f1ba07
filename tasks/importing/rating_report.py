"""A first look at the ratings of a file, before they are stored."""

from datetime import datetime
from typing import Any

from tasks.agreement.measures import sentence, worded
from tasks.agreement.results import result
from tasks.models import Project, Rating

from .rating_writer import RatingLoad

MOST_DIMENSIONS = 12  # that are looked at


def first_look(ratings: RatingLoad, now: datetime) -> dict[str, Any]:
    """Return what the ratings say, within the transaction that is rolled back afterwards."""
    project = ratings.project
    if project.imported == Project.Imported.APART:  # to be seen, they must count for once
        Project.objects.filter(pk=project.pk).update(imported=Project.Imported.COUNTED)
    scored = {*ratings.file.ratings.values_list("scores__dimension", flat=True).distinct()}
    dimensions = [each for each in project.rubric.schema.dimensions if each.code in scored]
    looks = []
    for dimension in dimensions[:MOST_DIMENSIONS]:
        found = result(project, dimension, now)
        looks.append(
            {
                "title": dimension.title,
                "code": dimension.code,
                "units": found["overall"]["units"],
                "figure": worded(found["overall"]["figures"][found["main"]]),
                "sentence": sentence(found),
                "furthest": found["furthest"],
            }
        )
    people = Rating.objects.filter(file=ratings.file, revision=1).values_list("rater")
    return {
        "ratings": ratings.ratings,
        "scores": ratings.scores,
        "told_of_ratings": ratings.told,
        "people": people.distinct().count(),
        "looks": looks,
    }
