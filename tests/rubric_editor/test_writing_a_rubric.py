"""A newcomer's rubric, from a page of prose to a rated item: `make journeys ONLY=rubrics`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext

from rubrics.models import Rubric
from tasks.models import Rating
from tests.factories import PASSWORD, make_user
from tests.journeys import rubrics
from tests.journeys.__main__ import walk
from tests.journeys.person import Person


@pytest.fixture
def lea(new_context: Callable[..., BrowserContext], worker: None) -> Person:
    """Someone who may create projects, in front of an empty browser; ada has an account."""
    make_user(name="lea", admin=True)
    make_user(name="ada")
    passwords = {"lea": PASSWORD, "ada": PASSWORD}
    return Person(new_context(), name="lea", passwords=passwords, meet=new_context)


def test_each_text_that_is_typed_stands_in_the_page_of_prose() -> None:
    prose = " ".join(rubrics.PROSE.read_text(encoding="utf-8").split())
    for scale in rubrics.QUALITIES:
        texts = [text for level in scale.levels for text in (level.label, *level.points)]
        assert [t for t in (scale.title, scale.question, *texts) if t not in prose] == []


def test_four_scales_of_a_page_of_prose_are_published_and_rated_with(lea: Person) -> None:
    walked = walk(rubrics.summeval_from_prose, lea)
    assert walked.stopped == ""
    assert Rating.objects.count() == 1
    published = [
        (
            (scale.title, scale.question),
            [(level.score, level.label, level.definition) for level in scale.levels],
        )
        for scale in Rubric.objects.get().schema.dimensions
    ]
    assert published == [
        (
            (scale.title, scale.question),
            [(level.score, level.label, *level.points) for level in scale.levels],
        )
        for scale in rubrics.QUALITIES
    ]


def test_the_paper_of_a_dialogue_has_so_many_leaves() -> None:
    """Titles and questions, labels, points, turns, notes, and lines of personas."""
    assert [scale.leaves for scale in rubrics.SPOKEN] == [29, 28, 29, 23]
