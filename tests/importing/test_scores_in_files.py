"""Scores in files: what a cell says, and which columns are ratings, of whom and on which scale."""
# ruff: noqa: E501 - a row of a table is a line

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tasks.importing.columns.choices import Certainty, with_groups
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import Proposal, propose
from tasks.importing.columns.rating_names import is_amount, is_person
from tasks.importing.columns.score_cells import (
    highest_in,
    list_in,
    read_score,
    scale_of,
    word_order,
)
from tasks.importing.columns.scoring import RatingRow, Scoring, title_of
from tasks.importing.columns.uses import Use
from tasks.importing.files.rows import LineError, SourceRow

NO_ANSWER = frozenset(map(str.casefold, Scoring().no_answer))
LONG = "for there is no claim in it " * 20


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        ("5", 5), (" 5.0 ", 5), ("-2", -2), ("4.5", Decimal("4.5")), ("4,5", Decimal("4.5")),
        ("5 - very good", 5), ("5: very good", 5), ("1. It is wrong", 1), ("4 (good)", 4), ("Very good (5)", 5), ("5 stars", 5),
        ("4/5", 4), ("4 out of 5", 4), ("4 von 5", 4), ("80 %", 80), ("80%", 80), ("★★★☆☆", 3), ("⭐️⭐️", 2),
        ("true", 1), ("False", 0), ("good", "good"), ("2-3 hours", "2-3 hours"), ("4/5/2026", "4/5/2026"), ("7/5", "7/5"),
        ("", None), ("-", None), ("n/a", None), ("NaN", None), ("N/A (no claim)", None), (f"N/A ({LONG})", None), ("NA: none", None),
        ("Nadia", "Nadia"), ("na ja", "na ja"),
    ],
)  # fmt: skip
def test_a_cell_says_a_score(cell: str, score: Any) -> None:
    assert read_score(cell, NO_ANSWER) == score


def test_a_long_text_is_cut_and_a_beginning_of_ones_own_is_no_answer() -> None:
    assert len(str(read_score(LONG, NO_ANSWER))) == 200
    assert read_score("cannot say, as it is cut", frozenset(["cannot say", "0"])) is None
    assert read_score("0.0", frozenset(["0"])) is None
    assert read_score("0 - bad", frozenset(["1"])) == 0


@pytest.mark.parametrize(
    ("cell", "highest"), [("4/5", 5), ("80 %", 100), ("★★☆☆☆", 5), ("★★", None), ("4", None)]
)
def test_a_cell_may_say_where_its_scale_ends(cell: str, highest: int | None) -> None:
    assert highest_in(cell) == highest


@pytest.mark.parametrize(
    ("cell", "entries"),
    [
        ("[4, 3, 5]", [4, 3, 5]), ('["4", null]', ["4", None]), ("['x', None]", ["x", None]), ("[4.5, NaN]", [Decimal("4.5"), None]),
        ("[torn", "[torn"), ("4", "4"), (4, 4),
    ],
)  # fmt: skip
def test_a_list_may_stand_in_a_cell(cell: Any, entries: Any) -> None:
    assert list_in(cell) == entries


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["Yes", "No", "Unsure"], ["No", "Unsure", "Yes"]), (["good", "bad", "fair"], ["bad", "fair", "good"]),
        (["extreme", "benign"], ["benign", "extreme"]), (["gut", "schlecht"], ["schlecht", "gut"]),
        (["yes", "Yes"], []), (["red", "blue"], []), (["bad", "poor"], []),
    ],
)  # fmt: skip
def test_words_of_a_scale_have_a_known_order(texts: list[str], order: list[str]) -> None:
    assert [*word_order(texts)] == order


def test_a_scale_is_read_without_slips() -> None:
    assert scale_of(Counter({1: 3, 5: 6, 55: 1})) == (1, 5)
    assert scale_of(Counter({20: 1, 100: 1})) == (1, 100)
    assert scale_of(Counter({None: 1, "good": 1})) is None


@pytest.mark.parametrize(
    "name",
    [
        "words", "lines", "links", "idx", "num", "Topic", "Difficulty", "Session", "Mode", "duration",
        "experience", "seconds", "years", "answer_time_ms", "n_words", "Unnamed: 0", "Work time in seconds",
    ],
)  # fmt: skip
def test_a_quantity_is_no_person(name: str) -> None:
    assert is_amount(name)
    assert not is_person(name)


# --- columns ---


def rows_of(number: int, **columns: Any) -> list[dict[str, Any]]:
    """Rows with an id, a prompt and a response, and columns whose values come in turns."""
    return [
        {"id": f"i{n}", "prompt": f"Why number {n}?", "response": f"Because of {n}, I think."}
        | {name: values[n % len(values)] for name, values in columns.items()}
        for n in range(number)
    ]


def by_raters(*raters: Any, **columns: Any) -> list[dict[str, Any]]:
    """Rows for each rater of six items."""
    rows = []
    for number in range(6 * len(raters)):
        item, rater = divmod(number, len(raters))
        row = {
            "item": f"i{item}",
            "prompt": f"Why number {item}?",
            "response": f"Because of {item}.",
        }
        row |= {"annotator": raters[rater]}
        rows.append(row | {name: values[number % len(values)] for name, values in columns.items()})
    return rows


def proposal(rows: list[dict[str, Any]]) -> Proposal:
    return propose(Profile.of(SourceRow(line, row, "") for line, row in enumerate(rows, start=1)))


def ratings(found: Proposal, rows: list[dict[str, Any]]) -> list[RatingRow]:
    mapping = replace(found.mapping, file="f")
    each = [
        rating
        for line, row in enumerate(rows, start=1)
        for rating in mapping.ratings(SourceRow(line, row, ""))
    ]
    assert [str(error) for error in each if isinstance(error, LineError)] == []
    return [rating for rating in each if isinstance(rating, RatingRow)]


def in_short(rows: list[dict[str, Any]]) -> tuple[int, set[str], dict[str, Any]]:
    """The number of scores, the people, and the scales or words."""
    found = proposal(rows)
    assert (
        found.doubtful,
        found.mapping.faults(Profile.of(SourceRow(1, row, "") for row in rows).sample),
    ) == ((), [])
    read = ratings(found, rows)
    scores = [
        score for each in read for _path, score in each.score_cells.values() if score is not None
    ]
    scoring = found.mapping.scoring
    return len(scores), {each.rater for each in read}, {**scoring.scales, **scoring.words}


def without_item(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Rows without the name of their item, and with another name for who rated."""
    return [
        {name if key == "annotator" else key: value for key, value in row.items() if key != "item"}
        for row in rows
    ]


LATE = [4] * 120 + [5]
CASES: dict[str, tuple[list[dict[str, Any]], Any]] = {
    "a top score that comes after the first rows": (
        rows_of(121, Anna=LATE, Ben=[1, 2], Cem=[3]), (363, {"Anna", "Ben", "Cem"}, {"quality": (1, 5)}),
    ),
    "a list in a cell of a table": (
        rows_of(4, scores=["[4, 3, 5]", "[1, 2, NaN]"]), (10, {"1", "2", "3"}, {"quality": (1, 5)}),
    ),
    "no answer with a reason": (
        rows_of(4, scores=[[1, 2, f"N/A ({LONG})"], [3, 3, 1]]), (10, {"1", "2", "3"}, {"quality": (1, 3)}),
    ),
    "words of two raters": (
        rows_of(4, rater_1=["good", "bad"], rater_2=["bad"]), (8, {"rater_1", "rater_2"}, {"quality": ("bad", "good")}),
    ),
    "the rater 0 as a number": (
        by_raters(0, 1, 2, score=[1, 2, 3, 4, 5]), (18, {"0", "1", "2"}, {"quality": (1, 5)}),
    ),
    "a number of a row beside raters": (
        [{"idx": str(n)} | row for n, row in enumerate(rows_of(15, annotator1=["1", "5"], annotator2=["2"]))],
        (30, {"annotator1", "annotator2"}, {"quality": (1, 5)}),
    ),
    "a topic beside people": (
        rows_of(12, Anna=[1, 5], Ben=[3], Cem=[2, 4], Topic=[0, 1, 2]), (36, {"Anna", "Ben", "Cem"}, {"quality": (1, 5)}),
    ),
    "a dimension, then a rater": (
        rows_of(4, fluency_1=[1, 5], fluency_2=[2], coherence_1=[3, 1], coherence_2=[1]),
        (16, {"1", "2"}, {"fluency": (1, 5), "coherence": (1, 3)}),
    ),
    "a rater, then a dimension": (
        rows_of(4, Anna_fluency=[1, 5], Anna_truth=[2], Ben_fluency=[3, 1], Ben_truth=[1, 3]),
        (16, {"Anna", "Ben"}, {"fluency": (1, 5), "truth": (1, 3)}),
    ),
    "a duration and years of experience beside a score": (
        by_raters("p", "q", score=[1, 5], duration=[10, 12, 14], experience=[0, 3]), (12, {"p", "q"}, {"quality": (1, 5)}),
    ),
    "three scales": (
        by_raters("p", "q", understandable=[0, 1], natural=[1, 2, 3], overall=[1, 5]),
        (36, {"p", "q"}, {"understandable": (0, 1), "natural": (1, 3), "overall": (1, 5)}),
    ),
    "cells with their scale": (
        by_raters("p", "q", score=["4/5", "2/5"], style=["80 %", "60 %"], tone=["★★☆☆☆", "★☆☆☆☆"]),
        (36, {"p", "q"}, {"quality": (1, 5), "style": (1, 100), "tone": (1, 5)}),
    ),
    "an object of scores by person": (
        rows_of(4, ratings=[{"ana": 1, "bo": 5}, {"ana": 3, "bo": 2}]), (8, {"ana", "bo"}, {"quality": (1, 5)}),
    ),
    "a list of objects with the name of who rated": (
        rows_of(4, ratings=[[{"name": "ana", "clarity": 1, "truth": 4}, {"name": "bo", "clarity": 5, "truth": 2}]]),
        (16, {"ana", "bo"}, {"clarity": (1, 5), "truth": (1, 4)}),
    ),
    "a rater who is called Max, then a dimension": (
        rows_of(4, **{"Ute - Tone": [1, 5], "Ute - Truth": [2], "Max - Tone": [3, 1], "Max - Truth": [1, 3]}),
        (16, {"Ute", "Max"}, {"tone": (1, 5), "truth": (1, 3)}),
    ),
    "a dimension, then a rater in brackets": (
        rows_of(4, **{"Tone (Anna)": [1, 5], "Truth (Anna)": [2], "Tone (Ben)": [3, 1], "Truth (Ben)": [1, 3]}),
        (16, {"Anna", "Ben"}, {"tone": (1, 5), "truth": (1, 3)}),
    ),
    "a rating with its scale and its rater": (
        rows_of(4, **{f"Rating (1-5) {name}": [1, 5, 3] for name in ("Anna", "Ben", "Cem")}),
        (12, {"Anna", "Ben", "Cem"}, {"quality": (1, 5)}),
    ),
    "persons with numbers": (
        rows_of(4, **{"Person 1": [1, 5], "Person 2": [2]}), (8, {"Person 1", "Person 2"}, {"quality": (1, 5)}),
    ),
    "words in a column of labels": (
        by_raters("ana", "bo", label=["good", "bad"]), (12, {"ana", "bo"}, {"label": ("bad", "good")}),
    ),
    "an object of scores for each person": (
        rows_of(4, ratings=[{"ana": {"tone": 1, "truth": 5}, "bo": {"tone": 3, "truth": 2}}]),
        (16, {"ana", "bo"}, {"tone": (1, 3), "truth": (1, 5)}),
    ),
    "a list of objects with a score of an unusual name": (
        rows_of(4, ratings=[[{"name": "ana", "clarity": 1, "vibe": 4}, {"name": "bo", "clarity": 5, "vibe": 5}]]),
        (16, {"ana", "bo"}, {"clarity": (1, 5), "vibe": (1, 5)}),
    ),
    "names and scores as lists of Python in cells": (
        rows_of(4, annotators=["['x', 'y']"], ratings=["[4, 1]", "[5, 2]"]), (8, {"x", "y"}, {"quality": (1, 5)}),
    ),
    "scores with their own raters": (
        rows_of(4, **{"tone.responses": [[1, 5]], "tone.responses.users": [["x", "y"]], "truth.responses": [[2, 3]], "truth.responses.users": [["y", "z"]]}),
        (16, {"x", "y", "z"}, {"tone": (1, 5), "truth": (1, 3)}),
    ),
    "people with numbers beside figures of them": (
        rows_of(4, ann_1=[1, 5], ann_2=[2], majority=[3], agreement=[2], final=[2]), (8, {"ann_1", "ann_2"}, {"quality": (1, 5)}),
    ),
    "two kinds of people with numbers": (
        rows_of(4, expert1=[1, 5], expert2=[2], novice1=[3], novice2=[4]),
        (16, {"expert1", "expert2", "novice1", "novice2"}, {"quality": (1, 5)}),
    ),
    "people with numbers beside a score of a model": (
        rows_of(4, human_1=[1, 5], human_2=[2], gpt4_score=[3]), (8, {"human_1", "human_2"}, {"quality": (1, 5)}),
    ),
    "the address of who rated": (
        without_item(by_raters("a@b.c", "d@e.f", score=[1, 5, 3]), "Email Address"), (12, {"a@b.c", "d@e.f"}, {"quality": (1, 5)}),
    ),
    "a rater with a number, then a dimension": (
        rows_of(4, **{"Annotator 1: Tone": [1, 5], "Annotator 1: Truth": [2], "Annotator 2: Tone": [3], "Annotator 2: Truth": [1, 3]}),
        (16, {"1", "2"}, {"tone": (1, 5), "truth": (1, 3)}),
    ),
    "a dimension in German, then a rater in brackets": (
        rows_of(4, **{"Kohärenz (Anna)": [1, 5], "Kohärenz (Ben)": [2]}), (8, {"Anna", "Ben"}, {"koharenz": (1, 5)}),
    ),
    "scores of two people in small letters": (
        rows_of(4, score_anna=["1 - no", "5 - very clear"], score_ben=["3 - fine"]), (8, {"anna", "ben"}, {"quality": (1, 5)}),
    ),
    "scores of two people from 0 on": (
        rows_of(4, **{"Score Anna": [0, 9], "Score Ben": [3]}), (8, {"Anna", "Ben"}, {"quality": (0, 9)}),
    ),
    "a difference beside people": (
        rows_of(4, Anna=[1, 5], Ben=[3], Differenz=[2, 2]), (8, {"Anna", "Ben"}, {"quality": (1, 5)}),
    ),
    "a chat with a list of ratings": (
        [{"messages": [{"role": "user", "content": row["prompt"]}, {"role": "assistant", "content": row["response"]}], "ratings": [{"rater": "x", "tone": 1 + n}]} for n, row in enumerate(rows_of(4))],
        (4, {"x"}, {"tone": (1, 4)}),
    ),
    "an attention check and keystrokes beside a score": (
        by_raters("ana", "bo", tone=[1, 5, 2], attention_check=[5, 3], keystrokes=[7, 40, 9]), (12, {"ana", "bo"}, {"tone": (1, 5)}),
    ),
    "words that are the same for all raters of an item": (
        [row | {"degree_of_harm": ["Benign", "Extreme"][n // 2 % 2]} for n, row in enumerate(by_raters("ana", "bo", harmful=["Yes", "No", "No"]))],
        (12, {"ana", "bo"}, {"harmful": ("No", "Yes")}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_ratings_go_in_with_nothing_chosen(case: str) -> None:
    rows, expected = CASES[case]
    assert in_short(rows) == expected


def test_a_dimension_of_any_name_for_each_of_two_people_is_asked_about() -> None:
    rows = rows_of(4, **{"Vibe (Anna)": [1, 5], "Vibe (Ben)": [2, 3]})
    assert [choice.path for choice in proposal(rows).doubtful] == ["Vibe (Anna)", "Vibe (Ben)"]


def test_a_reason_beside_the_score_of_a_person_is_their_comment() -> None:
    rows = rows_of(
        4, score_anna=[1, 5], reason_anna=["It is clear and short enough for me."], score_ben=[2]
    )
    assert proposal(rows).mapping.columns["reason_anna"] is Use.COMMENT


def test_scores_in_the_entry_of_a_response_are_of_that_response() -> None:
    rows = rows_of(3, response=[None])
    for row in rows:
        row["annotators"] = ["x", "y"]
        row["responses"] = [
            {"text": f"{row['id']} says Heron.", "Natural": [1, 2], "Vibe": [1, 1]},
            {"text": f"{row['id']} says Wren.", "Natural": [3, None], "Vibe": [3, 1]},
        ]
        del row["response"]
    found = ratings(proposal(rows), rows)
    read = [
        (
            each.rater,
            each.target[0],
            {name: score for name, (_path, score) in each.score_cells.items()},
        )
        for each in found[:4]
    ]
    assert read == [
        ("x", 1, {"natural": 1, "vibe": 1}), ("y", 1, {"natural": 2, "vibe": 1}),
        ("x", 2, {"natural": 3, "vibe": 3}), ("y", 2, {"natural": None, "vibe": 1}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "names", "dimension"),
    [
        (("response_a", "response_b"), ("score_a", "score_b"), "quality"),
        (("completion_a", "completion_b"), ("completion_a_is_acceptable", "completion_b_is_acceptable"), "is_acceptable"),
        (("response_a", "response_b"), ("vibe_a", "vibe_b"), "vibe"),
        (("answer_gpt4", "answer_llama"), ("score_gpt4", "score_llama"), "quality"),
        (("gpt4 answer", "llama answer"), ("gpt4 tone", "llama tone"), "tone"),
    ],
)  # fmt: skip
def test_scores_that_are_named_after_a_response_are_of_that_response(
    answers: tuple[str, str], names: tuple[str, str], dimension: str
) -> None:
    rows = [
        {"id": f"i{n}", "prompt": f"Why {n}?", **{name: f"{name} says {n}." for name in answers}}
        | {names[0]: n % 2, names[1]: 1, "annotator": "anna"}
        for n in range(4)
    ]
    found = ratings(proposal(rows), rows)
    assert [each.target[0] for each in found] == [1, 2] * 4
    assert {name for each in found for name in each.score_cells} == {dimension}


@pytest.mark.parametrize("name", ["ratings", "opinions.all"])
def test_scores_in_a_list_within_the_entry_of_a_response_are_of_that_response(name: str) -> None:
    rows = rows_of(3, response=[None])
    for number, row in enumerate(rows):
        del row["response"]
        row["responses"] = [
            {"text": f"{bird} {number}.", name: [{"annotator": "x", "score": score}]}
            for bird, score in (("Heron", 1), ("Wren", number + 2))
        ]
    found = ratings(proposal(rows), rows)
    read = [
        (each.target[0], *(score for _path, score in each.score_cells.values())) for each in found
    ]
    assert read == [(1, 1), (2, 2), (1, 1), (2, 3), (1, 1), (2, 4)]


def test_numbers_behind_people_are_those_of_responses() -> None:
    rows = [
        {"prompt": f"Why {n}?", "response_1": f"So {n}.", "response_2": f"No, {n}."}
        | {"Anna_1": n + 1, "Anna_2": 2, "Ben_1": 3, "Ben_2": 4}
        for n in range(4)
    ]
    found = ratings(proposal(rows), rows)
    assert [(each.rater, each.target[0], each.score_cells["quality"][1]) for each in found[-4:]] == [
        ("Anna", 1, 4), ("Anna", 2, 2), ("Ben", 1, 3), ("Ben", 2, 4),
    ]  # fmt: skip


def test_an_index_is_no_score_beside_words_of_raters() -> None:
    rows = by_raters(7001, 7011, Q_overall=["Yes", "No", "Unsure"], rater_gender=["w", "m"])
    rows = [{"Unnamed: 0": str(number)} | row for number, row in enumerate(rows)]
    found = proposal(rows).mapping
    assert found.of(Use.SCORE) == ["Q_overall"]
    assert found.scoring.words == {"q_overall": ("No", "Unsure", "Yes")}


def asked(rows: list[dict[str, Any]]) -> set[str]:
    return {choice.path for choice in proposal(rows).doubtful}


@pytest.mark.parametrize(
    ("rows", "paths"),
    [
        (rows_of(4, Clear=[[1, 2, 3], [2, 2, 3]]), {"Clear"}),
        (rows_of(4, Clear=[1, 2], Brief=[3]), {"Clear", "Brief"}),
        (rows_of(12, hedges=[0, 5], quotes=[0, 3], caps=[1, 0]), {"hedges", "quotes", "caps"}),
        (rows_of(12, Anna=[1, 5], Ben=[2], Cem=[3], Zeal=[1, 40]), {"Zeal"}),
        (rows_of(12, Polite=[1, 0], Rude=[0, 1], Terse=[1]), {"Polite", "Rude", "Terse"}),
        (rows_of(12, human_score=[1, 5]), {"human_score"}),
        (by_raters("anna", "ben", label=["spam", "ham"]), {"label"}),
        (by_raters("anna", "ben", score=["0.13", "0.85", "0.5"]), {"score"}),
        (by_raters("gpt-4", "gpt-4o", score=[1, 2, 3]), {"annotator"}),
        (by_raters("Anna", "anna", "ben", score=[1, 2, 3]), {"annotator"}),
        (by_raters("anna", "anna", severity=["major", "minor"], category=["tone", "fact"]), {"severity"}),
        (rows_of(4, rater_1=["red", "blue"], rater_2=["blue"]), {"rater_1", "rater_2"}),
        (rows_of(12, Europe=[1, 5], Asia=[2, 3], Africa=[4]), {"Europe", "Asia", "Africa"}),
        (rows_of(12, Precision=[0, 1], Recall=[1], Hallucinated=[1, 0, 0]), {"Precision", "Recall", "Hallucinated"}),
        (by_raters("anna", "ben", human_rating=[1, 5], gpt4_rating=[4, 3]), {"gpt4_rating"}),
        (by_raters("anna", "ben", score=["4/5", "80 %", "3", "1/5"]), {"score"}),
        (by_raters("anna", "ben", score=[1, 5, -99, 3]), {"score"}),
        (by_raters("anna", "ben", rating=[1, 4, 5, 2, 3], confidence=[1, 2, 3, 5]), {"confidence"}),
        (by_raters("anna", "ben", Punkte=["1,3", "2,7", "3,3"]), {"Punkte"}),
        (by_raters("anna", "gpt-4o", score=[1, 2, 3]), {"annotator"}),
        (by_raters("anna", "consensus", score=[1, 2, 3]), {"annotator"}),
        (by_raters("anna", "ben", score=[1, 2, 3], predicted_score=[3, 1]), {"predicted_score"}),
        (by_raters("A;B", "B;C", "A;C", score=[1, 2, 3]), {"annotator"}),
        (by_raters("anna", score=[1, 2, 3], reviewer=["ben"], review_score=[2, 1, 3]), {"annotator", "reviewer"}),
        (by_raters("anna", "ben", response_tone=[1, 2, 3], prompt_tone=[3, 1]), {"prompt_tone"}),
        (without_item(by_raters("n1x", "n2x", score=[1, 2, 3]), "Panel"), {"Panel"}),
        (rows_of(12, p1=[1, 5], p2=[2], p3=[3]), {"p1", "p2", "p3"}),
        (rows_of(12, **{"1": [1, 5], "2": [2]}), {"1", "2"}),
    ],
    ids=["a list", "two names", "unknown counts", "another range", "flags", "of a human", "labels", "decimals", "models", "capitals", "several rows", "unknown words", "regions", "metrics", "a machine's", "two scales", "a code for none", "how sure", "commas", "a model among people", "a consensus among people", "a predicted score", "several in a cell", "two who rated", "of another text", "an unknown name", "letters with numbers", "numbers"],
)  # fmt: skip
def test_doubtful_columns_of_scores_are_asked_about(
    rows: list[dict[str, Any]], paths: set[str]
) -> None:
    assert asked(rows) == paths


QUALITIES = ("gpt4_score", "fluency", "coherence", "score", "turn_1_score", "turn_2_score")


@pytest.mark.parametrize(
    "columns",
    [
        {"words": [0, 5], "lines": [0, 3], "links": [0, 1]},
        {"gpt4_score": [[3, 3, 4]], "gpt4_feedback": [["Fine.", "Good.", "Bad."]]},
        {"fluency": [1, 5], "coherence": [3]},
        {"score": [1, 0]},
        {"turn_1_score": [1, 5], "turn_2_score": [3]},
        {"Joy": [1, 5], "Anger": [3], "Fear": [2]},
    ],
    ids=str,
)
def test_numbers_of_nobody_stay_metadata_and_say_so(columns: dict[str, Any]) -> None:
    found = proposal(rows_of(12, **columns))
    assert found.doubtful == ()
    assert {*columns} <= {*found.mapping.of(Use.METADATA)}
    likely = [
        each.path
        for each in found.choices
        if each.path in columns and each.certainty is Certainty.LIKELY
    ]
    assert likely == [name for name in columns if name in QUALITIES]  # fmt: skip


def test_a_lists_scores_stay_a_lists_when_the_column_is_named_as_a_rater() -> None:
    rows = rows_of(3, Clear=[[1, 2, 3]])
    found = proposal(rows)
    chosen = found.mapping.with_uses({"Clear": Use.SCORE})
    names = {
        path: replace(column, rater="Clear")
        for path, column in chosen.rated_columns.rating_keys.items()
    }
    read = ratings(replace(found, mapping=replace(chosen, rating_keys=names)), rows)
    assert [(each.rater, each.score_cells["clear"][1]) for each in read[:3]] == [("1", 1), ("2", 2), ("3", 3)]  # fmt: skip


@pytest.mark.parametrize("name", ["item", "id"])
def test_names_in_other_letters_are_one_person(name: str) -> None:
    rows = by_raters("Anna", "ben", score=[1, 2]) + by_raters("anna", "BEN ", score=[3])
    rows = [{name: row["item"]} | row for row in rows]
    found = proposal(rows)
    [choice] = found.doubtful
    assert choice.use is Use.RATER
    assert {each.rater for each in ratings(found, rows)} == {"Anna", "ben"}
    apart = replace(found.mapping, scoring=replace(found.mapping.scoring, merged={}))
    assert len({each.rater for each in ratings(replace(found, mapping=apart), rows)}) == 4


def test_a_score_off_the_scale_is_a_fault_of_that_score_alone() -> None:
    rows = by_raters("anna", "ben", fluency=[1, 5, 3], truth=[1, 2])
    found = proposal(rows).mapping
    row = rows[0] | {"fluency": 55}
    error, rating = found.ratings(SourceRow(9, row, ""))
    assert isinstance(error, LineError)
    assert isinstance(rating, RatingRow)
    assert (error.column, error.line) == ("fluency", 9)
    assert rating.score_cells == {"truth": ("truth", 1)}


def test_a_row_for_each_rating_with_ids_of_rows_is_one_item_by_its_prompt() -> None:
    rows = by_raters("anna", "ben", score=[1, 5])
    rows = [{"id": f"r{number}"} | row for number, row in enumerate(rows)]
    for row in rows:
        del row["item"]
    found = proposal(rows)
    assert found.mapping.of(Use.SHARED) == ["prompt"]
    assert len({each.item for each in ratings(found, rows)}) == 6


def test_a_preference_has_no_place_and_one_sentence_says_so() -> None:
    rows = [
        {"idx": n, "instruction": f"Why {n}?", "response1": f"So {n}.", "response2": f"No, {n}."}
        | {"annotator1": n % 3, "annotator2": 1, "annotator3": 2}
        for n in range(6)
    ]
    found = proposal(rows)
    assert (found.doubtful, found.mapping.repeats) == ((), False)
    assert found.remarks == ("Left out, as it compares responses: annotator1, annotator2, annotator3.",)  # fmt: skip
    ranked = [
        {"prompt": f"Why {n // 2}?", "response_a": f"So {n // 2}.", "response_b": f"No, {n // 2}."}
        | {"annotator": "xy"[n % 2], "rank_a": 1 + n % 2, "rank_b": 2 - n % 2}
        for n in range(8)
    ]
    found = proposal(ranked)
    assert found.remarks == ("Left out, as it compares responses: rank_a, rank_b.",)
    assert not found.mapping.repeats


def test_numbers_that_mean_no_answer_are_asked_about_once() -> None:
    rows = rows_of(12, rater_1=[1, 5, -99], rater_2=[2], rater_3=[3, 999])
    found = proposal(rows)
    assert [(choice.path, choice.group) for choice in found.doubtful] == [("rater_1", ""), ("rater_3", "rater_1")]  # fmt: skip
    assert "-99, 999" in found.doubtful[0].question
    uses = with_groups({"rater_1": Use.SCORE}, found.choices)
    assert uses == {"rater_1": Use.SCORE, "rater_3": Use.SCORE}
    mapping = found.mapping.with_uses(uses)
    read = ratings(replace(found, mapping=mapping), rows)
    scores = Counter(
        (each.rater, score) for each in read for _path, score in each.score_cells.values()
    )
    assert {score for _rater, score in scores} == {1, 2, 3, 5}


def test_a_group_of_columns_that_may_be_people_is_asked_about_once() -> None:
    found = proposal(rows_of(12, **{f"p{number}": [1, number] for number in range(2, 9)}))
    assert [choice.group for choice in found.doubtful] == ["", *["p2"] * 6]
    uses = with_groups({"p2": Use.SCORE, "p4": Use.METADATA}, found.choices)
    assert [uses[f"p{number}"] for number in (2, 3, 4)] == [Use.SCORE, Use.SCORE, Use.METADATA]


def test_a_model_beside_a_suggested_score_said_no_response() -> None:
    rows = rows_of(6, **{"tone.responses": [[1, 5]], "tone.responses.users": [["x", "y"]], "tone.suggestion": [3, 4], "tone.suggestion.agent": ["gpt-4"]})  # fmt: skip
    found = proposal(rows).mapping
    assert (found.of(Use.MODEL), found.of(Use.SCORE)) == ([], ["tone.responses"])


@pytest.mark.parametrize(
    ("name", "code", "title"),
    [
        ("Verständlichkeit", "verstandlichkeit", "Verständlichkeit"),
        ("Anna_Clarté", "clarte", "Clarté"),
        ("Maintains Context (Ben)", "maintains_context", "Maintains Context"),
        ("Anna", "quality", "quality"),
    ],
)
def test_a_dimension_is_called_as_the_file_writes_it(name: str, code: str, title: str) -> None:
    assert title_of(name, code) == title


def test_the_sentence_calls_a_dimension_as_the_file_writes_it() -> None:
    rows = by_raters("anna", "ben", Verständlichkeit=[1, 5, 3])
    assert "“Verständlichkeit” from 1 to 5" in proposal(rows).sentence


@pytest.mark.parametrize("other", ["Tätigkeit", "Häufigkeit", "Geschwindigkeit"])
@pytest.mark.parametrize("quality", ["Textverständlichkeit", "Nützlichkeit", "Richtigkeit"])
def test_a_german_noun_of_a_quality_is_a_score_and_another_is_asked(
    quality: str, other: str
) -> None:
    columns = {quality: [1, 5, 3], other: [10, 55, 30]}
    found = proposal(by_raters("anna", "ben", **columns))
    assert found.mapping.of(Use.SCORE) == [quality]
    assert [choice.path for choice in found.doubtful] == [other]


def test_the_sentence_says_scores_people_and_scales() -> None:
    rows = rows_of(12, Anna=[1, 5], Ben=[3], Cem=[2, 4])
    assert "36 scores by 3 people: Anna, Ben, Cem, in “quality” from 1 to 5." in proposal(rows).sentence  # fmt: skip


def test_a_mapping_with_responses_and_merged_names_is_written_and_read() -> None:
    from tasks.importing.columns.mapping_yaml import read_mapping

    rows = [
        {"id": "1", "prompt": "Why?", "response_a": "So.", "response_b": "No.", "score_a": 1}
        | {"score_b": 2, "annotator": name}
        for name in ("Anna", "anna")
    ]
    mapping = proposal(rows).mapping
    again = read_mapping(mapping.as_yaml({}))
    assert again.scoring == mapping.scoring
    assert {path: again.rating_keys[path].response for path in again.rating_keys} == {"score_a": "response_a", "score_b": "response_b"}  # fmt: skip
    assert json.dumps(mapping.scoring.merged) == '{"anna": "Anna"}'
