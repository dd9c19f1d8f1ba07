"""Ratings in files: what is found by itself, what is read of a row, and what is wrong with one."""
# ruff: noqa: E501 - the sentences are as long as they are

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tasks.exporting import columns as exported
from tasks.importing.columns.items import NewItem, NewResponse, item_of
from tasks.importing.columns.mapping import Mapping
from tasks.importing.columns.mapping_yaml import MappingRefused, read_mapping
from tasks.importing.columns.opening import open_file
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import Proposal, propose
from tasks.importing.columns.score_cells import scale_of
from tasks.importing.columns.scoring import RatedTarget, RatingKey, RatingRow, Scoring, code_of
from tasks.importing.columns.table_cells import file_rows
from tasks.importing.columns.uses import Use
from tasks.importing.files.rows import LineError, SourceRow

from .import_steps import FIXTURES

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FOLDER = FIXTURES.parent / "shapes"
Q1, A1 = "How long do I boil an egg?", "Six minutes for a soft one."
Q2, A2 = "Can I freeze a boiled egg?", "Yes, and the white gets tough."


def seen(*contents: dict[str, Any]) -> Profile:
    return Profile.of(SourceRow(line, each, "") for line, each in enumerate(contents, start=1))


def guessed(profile: Profile) -> Proposal:
    found = propose(profile)
    assert found.doubtful == ()
    assert found.mapping.faults(profile.sample) == []
    return found


def rated(mapping: Mapping, *contents: dict[str, Any]) -> list[RatingRow]:
    found = [
        each
        for line, content in enumerate(contents, start=1)
        for each in replace(mapping, file="f").ratings(SourceRow(line, content, ""))
    ]
    assert [str(each) for each in found if isinstance(each, LineError)] == []
    return [each for each in found if isinstance(each, RatingRow)]


def brief(mapping: Mapping, *contents: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """The ratings of some rows: the item, who rated, and the scores."""
    return [
        (
            each.item,
            each.rater,
            {name: score for name, (_column, score) in each.score_cells.items()},
        )
        for each in rated(mapping, *contents)
    ]


def errors(mapping: Mapping, **content: Any) -> list[str]:
    found = mapping.ratings(SourceRow(3, content, ""))
    return [str(each) for each in found if isinstance(each, LineError)]


def found_in(*contents: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return brief(guessed(seen(*contents)).mapping, *contents)


def rows_in(path: Path) -> list[SourceRow]:
    with path.open("rb") as file, open_file(file, path.name) as source:
        return list(file_rows(source))


# --- what is found by itself ---

ITEM = {"question": Q1, "answer": A1}
OTHER = {"question": Q2, "answer": A2}


def test_a_column_for_each_rater() -> None:
    rows = [
        {"row": "1", **ITEM, "Anna": "4", "Ben": "5", "Cem": "n/a"},
        {"row": "2", **OTHER, "Anna": "1", "Ben": "5.0", "Cem": ""},
    ]
    found = guessed(seen(*rows))
    assert found.mapping.scoring.scales == {"quality": (1, 5)}
    first, *rest = rated(found.mapping, *rows)
    target = RatedTarget(None, "", NewResponse("", A1))
    assert first == RatingRow(1, "1", "Anna", target, {"quality": ("Anna", 4)}, {}, "", None, {})
    assert [(each.item, each.rater, each.score_cells["quality"][1]) for each in rest] == [
        ("1", "Ben", 5), ("2", "Anna", 1), ("2", "Ben", 5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "names",
    [["anna", "ben", "cem"], ["rater_1", "rater_2"], ["Score A", "Score B", "Score C"]],
    ids=str,
)
def test_raters_of_many_names_are_columns_of_raters(names: list[str]) -> None:
    rows = [{**ITEM, **dict.fromkeys(names, 4)}, {**OTHER, **dict.fromkeys(names, 1)}]
    assert len(found_in(*rows)) == 2 * len(names)


@pytest.mark.parametrize(
    "names",
    [["fluency", "coherence", "helpfulness"], ["tokens", "turns", "seed"], ["gpt-4", "llama", "claude"], ["score_chosen", "score_rejected", "turn_idx"]],
    ids=str,
)  # fmt: skip
def test_columns_of_other_numbers_stay_metadata(names: list[str]) -> None:
    rows = [{**ITEM, **dict.fromkeys(names, 4)}, {**OTHER, **dict.fromkeys(names, 1)}]
    found = guessed(seen(*rows)).mapping
    assert (found.of(Use.METADATA), found.repeats) == (names, False)


@pytest.mark.parametrize(
    "name", ["Bewertung %s (Anna)", "Anna rating %s", "Rating %s - Anna", "%s Anna"]
)
def test_columns_that_name_a_response_and_a_person_are_scores_of_that_response(name: str) -> None:
    rows = []
    for question, scores in ((Q1, (4, 1)), (Q2, (2, 5))):
        row: dict[str, Any] = {"Frage": question, "GPT-4": f"{A1} {question}", "Claude 3": A2}
        rows.append(row | {name % "GPT-4": scores[0], name % "Claude 3": scores[1]})
    ratings = rated(guessed(seen(*rows)).mapping, *rows)
    first = [
        (rating.rater, rating.target[0], rating.score_cells["quality"][1]) for rating in ratings
    ]
    assert first == [("Anna", 1, 4), ("Anna", 2, 1), ("Anna", 1, 2), ("Anna", 2, 5)]


def test_a_column_for_each_rater_and_dimension() -> None:
    rows = [
        {
            **ITEM,
            "Anna_fluency": 4,
            "Anna_truth": 1,
            "Ben_fluency": 3,
            "Ben_truth": 2,
            "Ben_note": "So.",
        },
        {**OTHER, "Anna_fluency": 4, "Anna_truth": "", "Ben_fluency": "", "Ben_truth": ""},
    ]
    assert found_in(*rows) == [
        ("f:1", "Anna", {"fluency": 4, "truth": 1}),
        ("f:1", "Ben", {"fluency": 3, "truth": 2}),
        ("f:2", "Anna", {"fluency": 4, "truth": None}),
    ]


def test_ratings_are_found_within_the_rows_of_the_dataset_viewer_too() -> None:
    rows = [
        {"row_idx": n, "row": {**each, "Anna": 4, "Ben": 2, "Cem": 1}}
        for n, each in enumerate((ITEM, OTHER))
    ]
    assert found_in(*rows)[0] == ("0", "Anna", {"quality": 4})


def test_a_comment_column_without_a_name_asks_whose_comment_it_is() -> None:
    scores = {"Anna": "4", "Ben": "2", "Cem": "3"}
    there = seen({**ITEM, **scores, "remark": "short", "Ben comment": "too short"})
    found = propose(there)
    assert found.questions == ["“remark”: whose comment?"]
    assert found.mapping.rating_keys["Ben comment"].rater == "Ben"
    told = replace(
        found.mapping.with_uses({"remark": Use.COMMENT}),
        rating_keys={**found.mapping.rating_keys, "remark": RatingKey("Anna")},
    )
    [row] = [each.content for each in there.sample.first_rows]
    assert isinstance(row, dict)
    assert {each.rater: each.comment for each in rated(told, row)} == {"Anna": "short", "Ben": "too short", "Cem": ""}  # fmt: skip


@pytest.mark.parametrize("name", ["Commentaire de Ben", "Kommentar Ben", "Ben’s remark"])
def test_a_comment_is_whose_its_column_names_in_any_order(name: str) -> None:
    found = guessed(seen({**ITEM, "Note Anna": "4", "Note Ben": "2", name: "too short"}))
    assert found.mapping.rating_keys[name].rater == "Ben"


@pytest.mark.parametrize("name", ["Liste", "condition", "question", "Bedingung"])
def test_a_number_of_a_list_or_a_question_is_no_score_beside_one(name: str) -> None:
    people = [("Anna", ITEM), ("Ben", ITEM), ("Anna", OTHER), ("Ben", OTHER)]
    rows = [{"Text": "x", "prompt": item["question"], "response": item["answer"], "rater": rater, name: place % 3 + 1, "Urteil": 5 - place} for place, (rater, item) in enumerate(people)]  # fmt: skip
    assert guessed(seen(*rows)).mapping.of(Use.SCORE) == ["Urteil"]


def test_numbers_of_two_scales_whose_names_say_nothing_are_asked() -> None:
    rows = [{**ITEM, "rater": rater, "x": x, "y": y} for rater, x, y in (("Anna", 5, 1), ("Ben", 3, 2))]  # fmt: skip
    assert propose(seen(*rows)).questions == ["“x”: is it a score?", "“y”: is it a score?"]


def test_a_judge_who_has_scores_beside_people_is_one_who_may_have_rated() -> None:
    found = propose(seen({**ITEM, "Anna": 4, "Ben": 2, "Judge": 3}, {**OTHER, "Anna": 1, "Ben": 2, "Judge": 1}))  # fmt: skip
    assert found.questions == ["“Judge”: is it a person who rated?"]


def test_an_initial_with_a_last_name_may_be_a_person() -> None:
    found = propose(seen({**ITEM, "M. Keller": 4, "J. Ortiz": 2, "Mean": 3}))
    assert [choice.path for choice in found.doubtful] == ["M. Keller", "J. Ortiz"]


@pytest.mark.parametrize(
    ("name", "score"), [("Bewertung (1-5)", 4), ("rating", "4/5"), ("Sterne", "★★★★☆")]
)
def test_scores_of_nobody_are_asked_where_a_scale_stands_with_them(name: str, score: Any) -> None:
    found = propose(seen({**ITEM, name: score}, {**OTHER, name: score}))
    assert found.questions == [f"“{name}”: is it a score of one person?"]


def test_people_rate_how_toxic_a_text_is_and_a_text_in_every_row_is_no_level() -> None:
    people = ({"worker": worker, "language": "English"} for worker in ("w1", "w2"))
    rows = [{**ITEM, **person, "toxicity": score} for person, score in zip(people, (0, 4), strict=True)]  # fmt: skip
    assert [scores for *_who, scores in found_in(*rows)] == [{"toxicity": 0}, {"toxicity": 4}]
    language = propose(seen({**ITEM, "judge": "j1", "language": "English"}, {**OTHER, "judge": "j2", "language": "English"}))  # fmt: skip
    assert language.doubtful == ()


def test_a_row_for_each_rater_repeats_the_item() -> None:
    rows = [
        {"text_id": "t1", **ITEM, "annotator": "anna@example.org", "rating": "4", "comment": "good", "created_at": "2026-03-02T09:00:00+01:00"},
        {"text_id": "t1", **ITEM, "annotator": "ben", "rating": "2", "comment": "", "created_at": ""},
        {"text_id": "t2", **OTHER, "annotator": "ben", "rating": "NA", "comment": "", "created_at": ""},
    ]  # fmt: skip
    mapping = guessed(seen(*rows)).mapping
    assert mapping.repeats
    first, second = rated(mapping, *rows)
    assert (first.rater, first.comment) == ("anna@example.org", "good")
    assert first.at == datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert (second.rater, second.at, second.score_cells) == (
        "ben",
        None,
        {"quality": ("rating", 2)},
    )
    items = [(mapping.item(SourceRow(line, each, ""))) for line, each in enumerate(rows)]
    assert [item.external_id for item in items if isinstance(item, NewItem)] == ["t1", "t1", "t2"]
    assert replace(items[0], line=1) == replace(items[1], line=1)


def test_rows_for_each_rater_without_an_id_are_one_item_by_their_prompt() -> None:
    rows = [{**ITEM, "rater": "anna", "score": 4}, {**ITEM, "rater": "ben", "score": 2}]
    (first, _anna, _one), (second, _ben, _two) = found_in(*rows)
    assert first == second
    item = replace(guessed(seen(*rows)).mapping, file="f").item(SourceRow(1, rows[0], ""))
    assert isinstance(item, NewItem)
    assert item.external_id == first


def test_columns_that_may_differ_within_an_item_are_left_out_and_named() -> None:
    rows = [{"id": "1", **ITEM, "worker_id": who, "rating": 3, "browser": who} for who in "ab"]
    found = guessed(seen(*rows))
    assert found.mapping.columns["browser"] is Use.UNUSED
    assert found.remarks == ("Left out, as each rating may have another: browser.",)


def test_a_dimension_with_one_score_alone_has_the_scale_of_those_beside_it() -> None:
    rows = [{"text_id": n, "annotator_id": 1, "Q1": n, "Q2": "2.0", "DQ1": 9} for n in (0, 4)]
    found = guessed(seen(*rows))
    assert found.mapping.scoring.scales == {"q1": (0, 4), "q2": (0, 4)}
    assert found.mapping.columns["DQ1"] is Use.UNUSED
    assert brief(found.mapping, *rows) == [("0", "1", {"q1": 0, "q2": 2}), ("4", "1", {"q1": 4, "q2": 2})]  # fmt: skip


def test_a_row_for_each_score_counts_responses_from_where_the_file_does() -> None:
    row = {"item": "e1", "annotator": "anna", "model": "heron", "dimension": "B.tone", "score": 4}
    for first in (0, 1):
        rows = [row | {"response": first}, row | {"response": first + 1, "model": "wren"}]
        mapping = guessed(seen(*rows)).mapping
        assert mapping.scoring.dimensions == {"B.tone": "tone"}
        assert [each.target[:2] for each in rated(mapping, *rows)] == [(1, "heron"), (2, "wren")]  # fmt: skip


def test_preferences_have_no_place_and_are_left_out_by_name() -> None:
    row = {"item": "e1", "annotator": "anna", "dimension": "tone", "score": 1, "response": 0}
    rows = [row, row | {"dimension": "preference", "score": -2, "response": None}]
    found = guessed(seen(*rows))
    assert found.remarks == ("Left out, as it compares responses: preference.",)
    assert brief(found.mapping, *rows) == [("e1", "anna", {"tone": 1})]
    assert found.mapping.reader.scales(seen(*rows).sample.first_rows)["preference"].total() == 1


def test_a_list_of_ratings_in_each_item() -> None:
    who = [{"annotator": "anna", "score": 4}, {"annotator": "ben", "score": None}]
    rows = [{"id": "1", "prompt": Q1, "response": A1, "annotations": who}]
    assert found_in(*rows) == [("1", "anna", {"quality": 4})]


def test_a_score_outside_the_list_of_ratings_is_no_rating() -> None:
    who = [{"by": {"rater_id": 7}, "detail": {"rating": 4, "note": "kind", "browser": "x"}}]
    row = {"id": "1", "prompt": Q1, "response": A1, "difficulty_score": 3, "reviews": who}
    mapping = guessed(seen(row)).mapping
    [one] = rated(mapping, row)
    assert (one.rater, one.comment) == ("7", "kind")
    assert mapping.of(Use.METADATA) == ["difficulty_score"]
    assert mapping.of(Use.UNUSED) == ["reviews[*].detail.browser"]


def test_a_list_of_numbers_is_of_raters_who_have_numbers() -> None:
    rows = [{"id": "1", "prompt": Q1, "response": A1, "ratings": [4, None, Decimal("3.0")]}]
    assert found_in(*rows) == [("1", "1", {"quality": 4}), ("1", "3", {"quality": 3})]
    named = [rows[0] | {"raters": ["anna", "ben", "cem"]}]
    assert found_in(*named) == [("1", "anna", {"quality": 4}), ("1", "cem", {"quality": 3})]


def in_fixture(name: str) -> list[tuple[str, str, dict[str, Any]]]:
    there = [row.content for row in rows_in(FOLDER / name) if isinstance(row.content, dict)]
    return found_in(*there)


def test_helpsteer_is_rated_by_one_who_has_the_name_of_the_file() -> None:
    assert in_fixture("helpsteer.jsonl")[0] == (
        "f:1", "f", {"helpfulness": 4, "correctness": 4, "coherence": 4, "complexity": 1, "verbosity": 0},
    )  # fmt: skip


USER = "00000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("argilla.json", ("r1", USER, {"quality": 5})),
        ("argilla-v1.json", ("r1", USER, {"quality": 5})),
        ("label-studio.json", ("1", "10", {"quality": 4})),
        ("mturk.csv", ("HIT1", "WORKER1", {"quality": 4})),
        ("ratings.jsonl", ("e1", "Anna", {"tone": 4})),
    ],
)
def test_ratings_in_exports_of_other_tools(name: str, first: Any) -> None:
    assert in_fixture(name)[0] == first


def test_argillas_questions_that_are_no_scores_are_named_with_their_count() -> None:
    row = {
        "id": "1",
        "fields": {"instruction": Q1, "response": A1},
        "responses": {
            "tone": [{"value": 4, "user_id": "u1"}, {"value": 2, "user_id": "u2"}],
            "why": [{"value": "It is kind.", "user_id": "u1"}],
            "order": [{"value": [{"value": "a", "rank": 1}], "user_id": "u1"}],
        },
        "status": "completed",
    }
    found = guessed(seen(row))
    assert brief(found.mapping, row) == [("1", "u1", {"tone": 4}), ("1", "u2", {"tone": 2})]
    [told] = found.remarks
    assert told == (
        "There is no place for responses.why[*].value, responses.order[*].value[*].value, "
        "responses.order[*].value[*].rank yet (3 values)."
    )


def test_label_studios_choices_are_checks_beside_its_ratings() -> None:
    result = [
        {"from_name": "tone", "type": "rating", "value": {"rating": 4}},
        {"from_name": "safe", "type": "choices", "value": {"choices": ["yes"]}},
    ]
    row = {
        "id": 7,
        "data": {"prompt": Q1, "response": A1},
        "annotations": [{"completed_by": {"email": "anna@example.org"}, "result": result}],
    }
    mapping = guessed(seen(row)).mapping
    [one] = rated(mapping, row)
    assert (one.rater, one.score_cells["tone"][1]) == ("anna@example.org", 4)
    assert one.check_cells == {"": {"safe": "yes"}}


def test_langfuses_scores_name_their_dimension() -> None:
    scores = [
        {"name": "tone", "value": 4, "authorUserId": "u1", "comment": "kind", "timestamp": "2026-03-02T09:00:00.000Z"},
        {"name": "truth", "value": 1, "authorUserId": "u1", "comment": None},
    ]  # fmt: skip
    row = {"id": "t1", "input": Q1, "output": A1, "sessionId": "s", "scores": scores}
    [one] = rated(guessed(seen(row)).mapping, row)
    assert {name: score for name, (_column, score) in one.score_cells.items()} == {
        "tone": 4,
        "truth": 1,
    }
    assert (one.comment, one.at) == ("kind", datetime(2026, 3, 2, 9, tzinfo=UTC))


# --- our own export ---


def test_an_export_of_scores_is_recognised_and_read() -> None:
    rows = [row.content for row in rows_in(FOLDER / "our-export.csv")]
    there = [row for row in rows if isinstance(row, dict)]
    first, blank, of_model, _last = rated(guessed(seen(*there)).mapping, *there)
    assert (first.item, first.rater, *first.target[:2]) == ("e1", "anna", 1, "heron")
    assert first.score_cells == {"quality": ("score", 5)}
    assert first.check_cells == {"quality": {"errors": "none", "length": "right"}, "response": {"safe": "yes"}}  # fmt: skip
    assert (first.exported["verdict"], first.exported["attempt"], first.exported["facts"]) == (
        "5;6",
        "0",
        "[]",
    )
    assert first.at == datetime(2026, 3, 2, 9, 0, 52, tzinfo=UTC)
    assert (blank.score_cells, blank.exported["without"]) == ({"quality": ("score", None)}, "blank")
    assert (of_model.target[0], of_model.exported["unit"]) == (None, "candidate_set")


def test_an_export_of_ratings_is_recognised_and_read() -> None:
    row = {
        **dict.fromkeys(column.name for column in exported.RATINGS),
        "dropped": 0,  # the file has dropped items, too
        **{"item": "e1", "target": 2, "annotator": "anna", "attempt": 0, "unit": "response"},
        **{"facts": [{"claim": "So", "sources": []}], "revision": 1, "comment": "good"},
        **{"quality": 5, "tone-2": 1, "tone-2.without": "blank", "quality.errors": "none"},
        **{"quality.contradicts.lines": "1,3", "response.safe": "yes", "meta.topic": "eggs"},
    }
    mapping = guessed(seen(row)).mapping
    assert mapping.shape == "our-export"
    [one] = rated(mapping, row)
    assert {name: score for name, (_column, score) in one.score_cells.items()} == {"quality": 5, "tone-2": 1}  # fmt: skip
    assert one.check_cells == {"quality": {"errors": "none", "contradicts.lines": "1,3"}, "response": {"safe": "yes"}}  # fmt: skip
    assert (one.target[0], one.comment, one.exported["tone-2.without"]) == (2, "good", "blank")
    assert one.exported["facts"] == '[{"claim": "So", "sources": []}]'
    assert one.exported["revision"] == "1"


def test_a_row_of_an_export_is_a_rating_without_a_score_too() -> None:
    names = ("project", "batch", "item", "annotator", "unit", "rubric_version", "attempt")
    row: dict[str, Any] = {
        **dict.fromkeys((*names, "revision", "target"), "1"),
        "dimension": "tone",
    }
    rows = [row | {"score": 4}, row | {"without": "blank"}]
    _scored, blank = rated(guessed(seen(*rows)).mapping, *rows)
    assert (blank.score_cells, blank.exported["without"]) == ({"tone": ("score", None)}, "blank")


def test_every_column_of_an_export_has_its_use() -> None:
    for shape in (exported.SCORES, exported.RATINGS):
        row = {column.name: "1" for column in (*shape, *exported.TEXTS)} | {"target": "1"}
        mapping = propose(seen(row)).mapping
        assert mapping.shape == "our-export"
        assert mapping.of(Use.SCORE) == (["score"] if "score" in row else [])


# --- what a mapping says ---


def columns(rating_keys: dict[str, RatingKey] | None = None, scoring: Scoring | None = None, **uses: str) -> Mapping:  # fmt: skip
    kinds = {name: Use(use) for name, use in uses.items()}
    return Mapping(
        "ratings", kinds, rating_keys=rating_keys or {}, scoring=scoring or Scoring(), file="f"
    )


ANNA = {"a": RatingKey("Anna", "tone")}


def test_a_mapping_of_ratings_is_written_and_read() -> None:
    scoring = Scoring(
        no_answer=("", "0"),
        scales={"tone": (0, 4), "x: y": (1, 7)},
        words={"use": ("bad", "good")},
        dimensions={"B.tone": "tone", "preference": ""},
        doubled=True,
        first=0,
        rater="{file}",
    )
    mapping = columns(
        {"a": RatingKey("Anna: 1", "tone", "no")}, scoring, i="id", a="check", b="score"
    )
    mapping = replace(mapping, file="", packed=frozenset())
    assert read_mapping(mapping.as_yaml({"a": "So."})) == mapping


@pytest.mark.parametrize(
    "said",
    [
        "[1]",
        "{scales: {tone: 5}}",
        "{scales: {tone: [1, .inf]}}",
        "{first: none}",
        "{no_answers: [NA]}",
    ],
)
def test_a_part_of_the_ratings_that_cannot_be_read_is_said(said: str) -> None:
    with pytest.raises(MappingRefused, match="ratings"):
        read_mapping(f"ratings: {said}\ncolumns: {{a: id}}")


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        (columns(ANNA, a="score"), "Missing: the item’s id. Your columns: a, b."),
        (columns(a="score", b="id"), "Who rated in a? Say whose each is, or which column says who rated."),
        (columns(ANNA, a="score", b="comment"), "Who rated in b? Say whose each is, or which column says who rated."),
        (
            columns({**ANNA, "b": RatingKey("Anna", "tone")}, a="score", b="score"),
            "A person gives one score of tone / Anna, and not a, b; choose one.",
        ),
    ],
)  # fmt: skip
def test_an_unclear_mapping_of_ratings_is_a_fault(mapping: Mapping, said: str) -> None:
    assert said in mapping.faults(seen({"a": "4", "b": "5"}).sample)


def test_texts_in_order_are_scores_from_1() -> None:
    mapping = columns(ANNA, Scoring(words={"tone": ("bad", "fair", "good")}), i="id", a="score")
    assert brief(mapping, {"i": "1", "a": "Fair "}) == [("1", "Anna", {"tone": 2})]
    assert mapping.scoring.scale("tone") == (1, 3)
    assert errors(mapping, i="1", a="great") == [
        'line 3: "a" is no number ("great"); write a score, put the column’s texts in order, or say that it is none'
    ]


@pytest.mark.parametrize("half", ["4.5", "4,5", Decimal("4.5")])
def test_halves_are_doubled_if_the_lead_says_so(half: Any) -> None:
    mapping = columns(ANNA, Scoring(scales={"tone": (1, 5)}, doubled=True), i="id", a="score")
    assert brief(mapping, {"i": "1", "a": half}, {"i": "2", "a": 5}) == [
        ("1", "Anna", {"tone": 9}), ("2", "Anna", {"tone": 10}),
    ]  # fmt: skip
    assert mapping.scoring.scale("tone") == (2, 10)


@pytest.mark.parametrize("five", [5, "5", " 5 ", "5.0", "5,0", Decimal("5.0"), "5 - marvellous"])
def test_a_whole_number_is_a_score_however_it_is_written(five: Any) -> None:
    mapping = columns(ANNA, i="id", a="score")
    assert brief(mapping, {"i": "1", "a": five}) == [("1", "Anna", {"tone": 5})]


@pytest.mark.parametrize("none", ["", "NA", "N/A", "n/a", "-", None, " na "])
def test_no_answer_is_no_rating(none: Any) -> None:
    assert rated(columns(ANNA, i="id", a="score"), {"i": "1", "a": none}) == []


@pytest.mark.parametrize("none", [0, "0", "0.0"])
def test_zero_is_no_answer_where_the_lead_says_so(none: Any) -> None:
    row = {"i": "1", "w": "anna", "a": none, "b": 2}
    mapping = columns(i="id", w="rater", a="score", b="score")
    assert brief(mapping, row) == [("1", "anna", {"a": 0, "b": 2})]
    told = replace(mapping, scoring=Scoring(no_answer=("", "0")))
    assert brief(told, row) == [("1", "anna", {"a": None, "b": 2})]


# --- what is wrong with a row ---

SCALE = Scoring(scales={"tone": (1, 5)})
WHO: dict[str, Any] = {"i": "1", "w": "anna", "a": 4, "n": 1, "t": ""}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"a": "4,5"}, 'line 3: "a" is no whole score ("4,5"); round it, or have halves doubled'),
        ({"a": Decimal("4.5")}, 'line 3: "a" is no whole score (4.5); round it, or have halves doubled'),
        ({"a": "55"}, 'line 3: "a" is off the scale of tone, from 1 to 5 ("55"); correct it, or choose another scale'),
        ({"a": "good"}, 'line 3: "a" is no number ("good"); write a score, put the column’s texts in order, or say that it is none'),
        *(
            ({"a": date}, f'line 3: "a" is no number ("{date}")')
            for date in ("3-May", "03-Mar", "5. Mai", "4-Okt-25")
        ),
        ({"w": ""}, 'line 3: "w" does not say who rated; name the person, or leave the rating out'),
        ({"w": "x" * 201}, 'line 3: "w" is 201 characters long'),
        ({"n": 0}, 'line 3: "n" is no number of a response ("0"); count the responses from 1 on'),
        ({"n": "first"}, 'line 3: "n" is no number of a response ("first"); count the responses from 1 on'),
        ({"t": "yesterday"}, 'line 3: "t" is no time ("yesterday"); write it like 2026-03-02 09:00, or say that the column is not kept'),
        ({"i": None}, 'line 3: "id" is missing; give every item an id of its own, a text'),
        ({"c": "a\0b"}, 'line 3: "c" holds the character NUL (U+0000)'),
    ],
)  # fmt: skip
def test_a_fault_of_a_rating_names_line_and_column(wrong: dict[str, Any], said: str) -> None:
    uses = {"i": "id", "w": "rater", "n": "target", "t": "time", "a": "score", "c": "comment"}
    mapping = columns({"a": RatingKey(dimension="tone")}, SCALE, **uses)
    found = list(mapping.ratings(SourceRow(3, WHO | {"c": ""} | wrong, "")))
    assert [str(each)[: len(said)] for each in found] == [said]


def test_a_bad_score_keeps_out_its_rater_alone() -> None:
    mapping = columns({"a": RatingKey("Anna", "tone"), "b": RatingKey("Ben", "tone")}, SCALE, i="id", a="score", b="score")  # fmt: skip
    bad, good = mapping.ratings(SourceRow(3, {"i": "1", "a": "55", "b": 4}, ""))
    assert isinstance(bad, LineError)
    assert bad.item == "1"
    assert isinstance(good, RatingRow)
    assert good.rater == "Ben"


def test_a_rater_twice_in_one_list_is_an_error() -> None:
    row = {"id": "1", "prompt": Q1, "response": A1, "annotations": [{"rater": "anna", "score": n} for n in (4, 5)]}  # fmt: skip
    [said] = errors(guessed(seen(row)).mapping, **row)
    assert (
        said
        == 'line 3: "annotations[1].score" is a second score of quality (5); keep one score of each rater'
    )


def test_a_row_that_could_not_be_read_stays_an_error() -> None:
    fault = LineError(3, "", "", "is torn", "mend it")
    assert list(columns(ANNA, i="id", a="score").ratings(SourceRow(3, fault, ""))) == [fault]


def test_a_list_in_a_cell_that_is_torn_is_an_error_of_its_row() -> None:
    rows = [
        {"id": "1", "question": Q1, "answer": A1, "annotations": '[{"rater": "anna", "score": 4}]'}
    ]
    mapping = guessed(seen(*rows)).mapping
    assert brief(mapping, *rows) == [("1", "anna", {"quality": 4})]
    torn = rows[0] | {"annotations": '[{"rater": '}
    assert errors(mapping, **torn)[0].startswith('line 3: "annotations" ')
    assert mapping.reader.scales([SourceRow(3, torn, "")]) == {}


# --- no texts ---


def test_an_item_may_lack_its_texts() -> None:
    mapping = columns(ANNA, i="id", a="score", m="model")
    item = mapping.item(SourceRow(3, {"i": 7, "a": 4, "m": "heron"}, ""))
    assert isinstance(item, NewItem)
    assert (item.external_id, item.messages, item.lacks_texts) == ("7", (), True)
    assert item.responses == (NewResponse("heron", ""),)


def test_an_item_of_any_other_file_has_texts() -> None:
    row = {"id": "1", "prompt": Q1, "response": "", "lacks_texts": True}
    item = item_of(SourceRow(1, row, ""))
    assert isinstance(item, NewItem)
    assert (item.lacks_texts, item.metadata) == (False, {"lacks_texts": True})


# --- what a whole file has ---


def test_the_scales_of_a_file_are_counted_with_what_is_no_score() -> None:
    cells = [1, 5, "5", "n/a", "", "4,5", "3.5", "good", 55]
    rows = [SourceRow(n, {"i": n, "a": cell}, "") for n, cell in enumerate(cells)]
    rows += [SourceRow(n, {"i": n, "a": 3}, "") for n in range(20)]
    found = columns(ANNA, i="id", a="score").reader.scales(rows)
    half = Decimal("4.5"), Decimal("3.5")
    assert found == {"tone": Counter({3: 20, 5: 2, 1: 1, 55: 1, None: 2, half[0]: 1, half[1]: 1, "good": 1})}  # fmt: skip
    assert scale_of(found["tone"]) == (1, 5)
    assert scale_of(Counter([20, 100])) == (1, 100)
    assert scale_of(Counter([None])) is None


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Q0", "q0"),
        ("B.quality", "quality"),
        ("tone-2", "tone-2"),
        ("Qualität", "qualitat"),
        ("annotations[*].score", "quality"),
        ("responses.tone[*].value", "tone"),
        ("responses[*].values.tone.value", "tone"),
        ("品質", "quality"),
    ],
)  # fmt: skip
def test_a_dimension_has_a_code_made_of_its_name(name: str, code: str) -> None:
    assert code_of(name) == code


# --- real studies ---


@pytest.mark.parametrize(
    ("name", "number", "raters", "scales"),
    [
        ("convai2_wild.ratings.jsonl", 1_076, 3, {"quality": (1, 5), "persona_consistency": (1, 5)}),
        ("tulu.ratings.jsonl", 2_300, 16, {"acceptable": (0, 1)}),
        ("llm_rubric_judges.tsv", 743, 24, {f"q{number}": (0, 4) for number in range(8)} | {"q8": (0, 3)}),
    ],
)  # fmt: skip
def test_the_studies_are_read_without_a_question(name: str, number: int, raters: int, scales: Any) -> None:  # fmt: skip
    if not (DATA / name).exists():
        pytest.skip("the data are not here")
    rows = rows_in(DATA / name)
    found = guessed(Profile.of(rows))
    assert dict(found.mapping.scoring.scales) == scales
    said = [each for row in rows for each in found.mapping.ratings(row)]
    assert len(said) == number
    assert len({each.rater for each in said if isinstance(each, RatingRow)}) >= raters
