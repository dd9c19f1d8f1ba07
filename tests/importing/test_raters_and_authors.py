"""Columns of people and of models beside one prompt: who rated a response, and who gave it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import Proposal, propose
from tasks.importing.columns.uses import Use
from tasks.importing.files.rows import SourceRow

PROMPTS = 20


def study(name: str, people: Sequence[str], *, responses: int) -> Proposal:
    """Return the proposal for a table in which people score the responses to each prompt.

    Person by person, the next response is rated; with fewer responses than people some have the
    same one.
    """
    rows: list[SourceRow] = []
    for prompt in range(PROMPTS):
        for place, person in enumerate(people):
            row = {
                "prompt": f"Why is it that number {prompt} is odd?",
                "response": f"Since {prompt} is odd, says wren number {place % responses}.",
                name: person,
                "quality": 1 + (prompt + place) % 5,
            }
            rows.append(SourceRow(len(rows) + 1, row))
    return propose(Profile.of(rows))


def questions(proposal: Proposal) -> list[tuple[str, str]]:
    return [(choice.path, choice.question) for choice in proposal.doubtful]


@pytest.mark.parametrize("name", ["subject", "name", "student"])
def test_people_who_rate_the_same_responses_are_no_authors(name: str) -> None:
    proposal = study(name, ["s1", "s2", "s3", "s4", "s5", "s6"], responses=2)
    assert questions(proposal) == []
    assert proposal.mapping.of(Use.RATER, Use.SCORE) == [name, "quality"]
    assert "120 scores by 6 people" in proposal.sentence


@pytest.mark.parametrize(
    ("name", "people", "question"),
    [
        ("Vp", ["V1", "V2", "V3", "V4", "V5", "V6"], "is it a person who rated?"),
        (
            "initials",
            ["Claude", "Gemma", "Anna", "Ben", "Cem", "Dora"],
            "did people rate? These may be none: Claude, Gemma",
        ),
    ],
)
def test_people_are_asked_about_as_raters_and_their_scores_stay(
    name: str, people: list[str], question: str
) -> None:
    proposal = study(name, people, responses=2)
    assert questions(proposal) == [(name, question)]
    assert proposal.mapping.of(Use.MODEL) == []
    assert proposal.mapping.of(Use.SCORE) == ["quality"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("setting", ["prompt v1", "prompt v2"]),
        ("author", ["Claude Martin", "Anna Weber"]),
        ("author", ["Claude Martin", "Anna Weber", "Gemma Hall", "Ben Okafor"]),
        ("who_wrote", ["Sophie", "Philip"]),
    ],
    ids=["versions", "one of two people", "two of four people", "letters of a model’s name"],
)
def test_values_of_which_few_are_models_are_asked(name: str, values: list[str]) -> None:
    proposal = study(name, values, responses=len(values))
    assert (name, "does it name who gave each response?") in questions(proposal)
    assert proposal.mapping.of(Use.MODEL) == []


def test_values_of_which_most_are_models_are_the_models() -> None:
    proposal = study("author", ["gpt-4o", "Claude 3.5", "ChatGPT", "an expert"], responses=4)
    assert questions(proposal) == []
    assert proposal.mapping.of(Use.MODEL) == ["author"]


def test_models_that_gave_the_same_response_are_asked_about() -> None:
    proposal = study("author", ["gpt-4o", "gemini-pro", "Llama 3"], responses=2)
    assert ("author", "does it name who gave each response?") in questions(proposal)
    assert proposal.mapping.of(Use.MODEL) == []
