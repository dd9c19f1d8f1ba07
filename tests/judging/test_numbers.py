"""Scores of any scale: their digits, the levels that describe them, and numbers that are typed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotators.models import User
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging.scales import digits, is_typed, nearest
from tasks.models import Draft, Lease, Project, Rating, Score
from tasks.rating_form.item_view import ItemView, ResponseView
from tasks.rating_form.row_view import Row
from tests.cases import cases
from tests.desk_steps import HTMX, page, start, url
from tests.evaluated_forms import evaluate, row
from tests.exports import rows_of
from tests.factories import make_item, make_project, written
from tests.number_rubrics import CONTENT, LENGTH, load, rubric_of, scale


def content_row(*, submitting: bool = False, **answers: str) -> Row:
    """The row of a response's content with these answers; `score` is what stands in the field."""
    desk = ItemView(rubric_of(CONTENT), (ResponseView("r1", 1, 1, "gull", "They met."),))
    fields = {f"r1.content.{code}": said for code, said in answers.items() if code != "score"}
    fields["r1.content"] = answers.get("score", "")
    return row(evaluate(desk, fields, submitting=submitting), "r1-content")


# --- the scale ---


@cases(
    ("lowest", "highest", "expected"),
    [
        (1, 7, "1 2 3 4 5 6 7"),
        (0, 9, "0 1 2 3 4 5 6 7 8 9"),
        (1, 10, "1 2 3 4 5 6 7 8 9 0"),  # "0" is the 10
        (0, 10, ""),  # "1" and "0" would be two scores
        (10, 15, ""),
        (-2, 2, "1 2 3 4 5"),  # by place
        (-5, 5, "1 2 3 4 5 6 7 8 9"),
        (0, 100, ""),
    ],
)
def test_a_digit_is_a_score_or_on_a_scale_with_a_minus_a_place(
    lowest: int, highest: int, expected: str
) -> None:
    [dimension] = rubric_of(scale(lowest, highest)).dimensions
    assert " ".join(digits(dimension).values()) == expected
    assert list(digits(dimension)) == list(dimension.scores)[: len(digits(dimension))]


@cases(
    ("lowest", "highest", "expected"), [(0, 10, False), (1, 12, True), (-6, 5, True), (1, 7, False)]
)
def test_a_scale_of_more_than_eleven_levels_is_typed(
    lowest: int, highest: int, expected: bool
) -> None:
    [dimension] = rubric_of(scale(lowest, highest)).dimensions
    assert is_typed(dimension) is expected


def test_a_score_that_is_not_described_is_between_those_that_are() -> None:
    [dimension] = rubric_of(CONTENT).dimensions
    assert dimension.level(50).label == "Half"
    assert (dimension.level(55).score, dimension.level(55).label) == (55, "")
    assert dimension.level(55).between
    found = [nearest(dimension, score) for score in (0, 12, 13, 55, 99)]
    assert [level.score for level in found if level] == [0, 0, 25, 50, 100]
    assert nearest(rubric_of(scale(0, 100)).dimensions[0], 5) is None


def test_a_level_is_on_its_scale_and_described_once() -> None:
    for score, said in ((101, "levels.101.score: 101; content goes from 0 to 100"), (0, '"0" ')):
        levels = [{"score": each, "label": "So", "definition": "So."} for each in (0, score)]
        with pytest.raises(DocumentError) as caught:
            rubric_of({**CONTENT, "levels": levels})
        assert said in str(caught.value)


# --- the row ---


@cases("typed", ["85", " 85 ", "+85", "085"])
def test_a_whole_number_on_the_scale_is_a_score(typed: str) -> None:
    found = content_row(score=typed)
    assert (found.score, found.input_value, found.misread, found.complete) == (85, "85", "", True)
    assert found.nearest is not None
    assert found.nearest.score == 75


@cases("typed", ["101", "-1", "8.5", "8,5", "1e1", "eight", "8 5", "9" * 400, "٨"])
def test_anything_else_is_none_and_stays_with_the_reason(typed: str) -> None:
    for submitting in (False, True):
        found = content_row(score=typed, submitting=submitting)
        assert (found.score, found.input_value, found.complete) == (None, typed, False)
        assert found.misread.endswith("is no score here: write a whole number, 0 to 100.")
        assert list(found.errors) == ([found.misread] if submitting else [])


def test_a_number_that_is_barred_stays_and_the_open_ones_are_said_as_a_span() -> None:
    found = content_row(score="85", made_up="yes")
    assert found.headline.text == "Open: 0 to 60."
    assert [reason.clause for reason in found.barring] == ["M-1"]
    assert (found.input_value, found.complete) == ("85", False)
    assert content_row(score="60", made_up="yes").barring == ()
    assert content_row(score="75", order="yes").complete


def test_a_number_always_asks_for_its_verdict() -> None:
    assert content_row().silent_inputs == ()


def test_a_minus_may_be_the_sign_that_is_one() -> None:
    desk = ItemView(rubric_of(scale(-50, 50)), (ResponseView("r1", 1, 1, "gull", "They met."),))
    for typed in ("-10", "−10"):
        assert row(evaluate(desk, {"r1.scale": typed}), "r1-scale").score == -10


# --- the desk, over HTTP ---


@pytest.fixture
def minutes(ada: User, lead: User) -> Project:
    """Two items of one response each, rated from 0 to 100 and from -2 to 2."""
    rubric = load(CONTENT, LENGTH)
    project = make_project(slug="minutes", rubric=rubric, annotators=[ada], leads=[lead], wanted=1)
    for name in ("one", "two"):
        make_item(project=project, external_id=name, responses=["They met."])
    return project


def post(desk: Client, lease: Lease, step: str, **fields: str) -> str:
    sent = {name.replace("__", "."): said for name, said in fields.items()} | page()
    return desk.post(f"{url(lease, step)}?row=r1-content", sent, headers=HTMX).content.decode()


def test_a_number_that_is_no_score_is_answered_kept_in_the_draft_and_not_stored(
    desk: Client, minutes: Project, ada: User
) -> None:
    lease = start(desk, minutes, ada)
    html = post(desk, lease, "verdict", r1__content="8.5")
    assert 'value="8.5"' in html
    assert "“8.5” is no score here" in html
    assert Draft.objects.get().answers == {"r1.content": "8.5"}
    assert 'value="8.5"' in desk.get("/projects/minutes/desk/").content.decode()
    html = post(desk, lease, "submit", r1__content="8.5", r1__length="0")
    assert 'href="#r1-content-number"' in html
    assert not Rating.objects.exists()
    html = post(desk, lease, "submit", r1__content="85", r1__length="0", r1__content__made_up="yes")
    assert "You can’t give 85" in html
    assert not Rating.objects.exists()


def rated(desk: Client, project: Project, ada: User) -> Rating:
    post(desk, start(desk, project, ada), "submit", r1__content="55", r1__length="-2")
    return Rating.objects.get()


def test_numbers_and_minus_scores_are_stored_exported_corrected_and_shown_to_the_lead(
    desk: Client, minutes: Project, ada: User, lead: User
) -> None:
    rating = rated(desk, minutes, ada)
    assert list(Score.objects.values_list("dimension", "value")) == [
        ("content", 55),
        ("length", -2),
    ]
    exported = {line["dimension"]: line["score"] for line in rows_of(minutes)}
    assert exported == {"content": "55", "length": "-2"}
    own = f"/projects/minutes/ratings/{rating.pk}/"
    html = desk.get(own).content.decode()
    assert 'value="55"' in html
    assert "-2 Much too short" in " ".join(html.split())
    sent = {"revision": "1", "r1.content": "5", "r1.length": "2"}
    desk.post(f"{own}correct/", sent)
    corrected = Score.objects.filter(rating__revision=2)
    assert {*corrected.values_list("value", flat=True)} == {2, 5}
    desk.force_login(lead)
    item = rating.item.pk
    for place in ("", f"items/{item}/", "items/?dimension=length&low=-2&high=-1", "preview/"):
        assert desk.get(f"/projects/minutes/{place}").status_code == 200, place


def test_the_keys_that_give_scores_are_listed_for_every_kind_of_scale(
    desk: Client, ada: User
) -> None:
    rubric = load(CONTENT, LENGTH, scale(1, 10, "grade"), scale(0, 10, "answer"))
    project = make_project(slug="all", rubric=rubric, annotators=[ada])
    make_item(project=project)
    start(desk, project, ada)
    html = " ".join(desk.get("/projects/all/desk/").content.decode().split())
    listed = html[html.index('<dl class="keys">') : html.index("previous row")]
    for keys, does in (
        (
            "<kbd>0</kbd> … <kbd>9</kbd>",
            "write the number in a row that has a field; ↵ confirms it",
        ),
        ("<kbd>1</kbd> … <kbd>5</kbd>", "give the row the score at this place"),
        ("<kbd>1</kbd> … <kbd>0</kbd>", "give the row a score"),
        ("<kbd>Tab</kbd>", "go to a scale whose scores have no key, such as a 10"),
    ):
        assert f"<dt>{keys}</dt> <dd>{does}" in listed
    assert 'id="r1-grade-10"' in html
    assert html.count('aria-keyshortcuts="0"') == 2  # the 10 of each response


def test_the_rubrics_page_says_the_range_of_a_scale_that_is_described_in_part(
    desk: Client, minutes: Project
) -> None:
    page = " ".join(
        desk.get(f"/rubrics/minutes/{minutes.rubric.version}/").content.decode().split()
    )
    assert page.count("Those that are not described lie between the others.") == 1
    assert "Scores go from 0 to 100." in page


def test_the_command_judges_numbers(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "minutes.yaml"
    file.write_text(written(rubric_of(CONTENT)), encoding="utf-8")
    call_command("rubric", "judge", str(file), "content", "order")
    assert json.loads(capsys.readouterr().out)["open"] == [*range(81)]
