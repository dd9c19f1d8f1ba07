"""A newcomer's rubric, from a page of prose to a rated item: `make journeys ONLY=rubrics`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext

from tasks.models import Rating
from tests.factories import PASSWORD, make_user
from tests.journeys import rubrics
from tests.journeys.__main__ import walk
from tests.journeys.person import Person


@pytest.fixture
def lea(new_context: Callable[..., BrowserContext], transactional_db: None) -> Person:
    """Someone who may create projects, in front of an empty browser; ada has an account."""
    make_user(name="lea", admin=True)
    make_user(name="ada")
    passwords = {"lea": PASSWORD, "ada": PASSWORD}
    return Person(new_context(), name="lea", passwords=passwords, meet=new_context)


def test_four_scales_from_a_page_of_prose(lea: Person) -> None:
    walked = walk(rubrics.summeval_from_prose, lea)
    for each in walked.heard: print(each)
    assert walked.stopped == ""
    assert Rating.objects.count() == 1


def test_dialogue_from_its_document(lea: Person) -> None:
    walked = walk(rubrics.dialogue_from_its_document, lea)
    for each in walked.heard: print(each)
    print(sum(s.leaves for s in rubrics.SPOKEN))
    assert walked.stopped == ""
