"""A sheet with a slip in it stays readable, however often it is read."""

from __future__ import annotations

import pytest
from django.test import Client

from .test_sheet import EGGS, act, drop, faults, here, report, words

pytestmark = pytest.mark.django_db
__all__ = ["here"]


def test_a_text_among_numbers_is_a_fault_and_no_scale_of_texts(here: Client) -> None:
    seen = drop(here, EGGS.replace("5,2,4\n", "5,x,4\n", 1))
    assert "Scale of quality" in seen
    act(here, "read", no_answer="n/a, NA, -")
    assert [fault[1:] for fault in faults()] == [("Cem", "is no number")]
    assert report()["scoring"]["dimensions"][0]["scale"] == [1, 5]


@pytest.mark.parametrize("scale", ["3 to 3", "1 to 999999"])
def test_a_scale_that_no_rubric_can_have_is_refused_in_words(here: Client, scale: str) -> None:
    drop(here, EGGS)
    seen = words(here, act(here, "read", **{"scale-0": scale}))
    assert "No rubric can be made from the columns: " in seen


def test_a_scale_reaches_beyond_its_halves(here: Client) -> None:
    halves = EGGS.replace(",5.0", ",4.5").replace(",5,", ",4.5,").replace(",5,", ",4.5,")
    drop(here, halves)
    act(here, "read", doubled="on")
    assert faults() == []
    assert report()["scoring"]["dimensions"][0]["scale"] == [1, 5]


def test_ratings_in_no_dimension_of_the_rubric_are_refused_by_its_name(here: Client) -> None:
    drop(here, EGGS)
    tone = {f"dimension-{number}": "tone" for number in range(4, 8)}
    seen = words(here, act(here, "read", rubric="", **tone))
    assert "No rating can be taken. “tone” is not in the rubric: 19 scores are left out." in seen
