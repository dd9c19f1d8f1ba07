"""The part of an upload's report that is about ratings: how they are written, and a first look."""

from collections import Counter
from collections.abc import Mapping as AnyMapping
from dataclasses import replace
from decimal import Decimal
from pathlib import PurePath
from typing import Any, BinaryIO

from django.utils import timezone

from rubrics.scales import shade
from tasks.agreement.measures import sentence, worded
from tasks.agreement.results import glance_at
from tasks.models import Item, Project, Rating, Upload

from ..columns.mapping import Mapping
from ..columns.opening import open_file
from ..columns.score_cells import Score, scale_of
from ..columns.scoring import FILE, KINDS
from ..columns.uses import Use
from ..files.options import ReadingOptions
from ..files.rows import printable
from .rating_loading import with_all_scales
from .rating_writer import RatingLoad

MOST_DIMENSIONS = 12  # that are looked at
FURTHEST = 3  # units of each, where there are several


def with_ratings(mapping: Mapping, said: AnyMapping[str, Any]) -> Mapping:
    """Return a mapping with the choices of a lead about its ratings."""
    names = said.get("said", {})
    columns = {
        path: replace(column, **names.get(printable(path), {}))
        for path, column in mapping.reader.said.items()
    }
    scoring = {name: KINDS[name](value) for name, value in said.get("scoring", {}).items()}
    return replace(mapping, said=columns, scoring=replace(mapping.scoring, **scoring))


def scoring_of(upload: Upload, file: BinaryIO, mapping: Mapping) -> tuple[Mapping, dict[str, Any]]:
    """Read how the ratings of a whole file are written.

    Return the mapping with a scale for each dimension that has none, and the report: by dimension
    its scale, the lowest and highest score found, and how many are halves, texts and no answers.
    """
    choices = upload.choices
    source = open_file(file, upload.file_name, ReadingOptions.model_validate(choices))
    mapping, found = with_all_scales(mapping, source)
    rater = mapping.scoring.rater.replace(FILE, PurePath(upload.file_name).stem)
    scoring = replace(mapping.scoring, rater=rater)
    dimensions = [
        {
            "code": code,
            "scale": scoring.scales.get(code),
            "words": scoring.words.get(code, ()),
            "found": scale_of(each),
            "none": each[None],
            "halves": sum(n for score, n in each.items() if isinstance(score, Decimal)),
            "texts": _texts(each),
        }
        for code, each in found.items()
        if scoring.dimensions.get(code) != ""
    ]
    return replace(mapping, scoring=scoring), {
        **{name: getattr(scoring, name) for name in ("no_answer", "doubled", "first", "rater")},
        "dimensions": dimensions,
        "has_numbers": bool(mapping.of(Use.TARGET)),
        "has_checks": bool(mapping.of(Use.CHECK, Use.EXPORTED)),
        "can_make": not upload.project.is_begun(timezone.now()),
    }


def _texts(found: Counter[Score]) -> list[str]:
    """Return the texts of a dimension that people answered in texts, and not slip by slip."""
    texts = [text for text, _number in found.most_common() if isinstance(text, str)]
    is_usual = sum(found[text] for text in texts) * 2 > found.total() - found[None]
    return [*map(printable, texts[:20])] if is_usual else []


def first_look(ratings: RatingLoad) -> dict[str, Any]:
    """Return what the ratings say, within the transaction that is rolled back afterwards."""
    project = ratings.project
    if not ratings.ratings:
        return {"told_of_ratings": ratings.told}
    if project.imported == Project.Imported.APART:  # to be seen, they must count for once
        Project.objects.filter(pk=project.pk).update(imported=Project.Imported.COUNTED)
    own = Rating.objects.filter(file=ratings.file, revision=1)
    people = own.values("rater").distinct().count()
    scored = {*own.values_list("scores__dimension", flat=True).distinct()} if people > 1 else ()
    looks = []
    for dimension in [each for each in project.rubric.schema.dimensions if each.code in scored][
        :MOST_DIMENSIONS
    ]:
        found = glance_at(project, dimension)
        items = Item.objects.filter(pk__in=[unit["key"] for unit in found["furthest"]])
        gists = {item.pk: item.gist for item in items.in_brief()}
        looks.append(
            {
                "title": dimension.title,
                "units": found["overall"]["units"],
                "figure": worded(found["overall"]["figures"][found["main"]]),
                "sentence": sentence(found),
                "furthest": [
                    {
                        "item": unit["item"],
                        "prompt": gists.get(unit["key"], ""),
                        "cells": [
                            {"name": name, "value": score, "colour": shade(dimension, score)}
                            for name, score in unit["given"]
                        ],
                    }
                    for unit in found["furthest"][: None if len(scored) == 1 else FURTHEST]
                ],
            }
        )
    return {
        "ratings": ratings.ratings,
        "scores": ratings.scores,
        "told_of_ratings": ratings.told,
        "people": people,
        # Some of them are members.
        "members": [
            rater.shown
            for rater in project.raters.filter(ratings__in=own).exclude(account=None).distinct()
        ],
        "dropped": own.filter(item__dropped=True).values("item").distinct().count(),
        "looks": looks,
    }
