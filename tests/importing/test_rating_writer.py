"""Ratings of a file, judged by the rubric and written as they stand there."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress

from rubrics.documents.document import parse
from rubrics.models import Rubric
from tasks.agreement.making import make
from tasks.importing.batches.loading import UploadRefused
from tasks.importing.columns.scoring import RatedTarget, RatingRow
from tasks.importing.files.rows import LineError
from tasks.importing.ratings import rating_writer
from tasks.importing.ratings.own_cells import fault_in
from tasks.importing.ratings.rating_writer import RatingLoad
from tasks.models import Membership, Project, Rating, RatingFile, Score

from ..factories import (
    NOW,
    make_batch,
    make_item,
    make_project,
    make_user,
)
from ..made_rubrics import (
    document,
    rule,
    tick,
)

pytestmark = pytest.mark.django_db


def row(
    item: str = "a",
    rater: str = "Anna",
    score: int | None = 5,
    *,
    line: int = 2,
    number: int | None = None,
    model: str = "",
    checks: dict[str, str] | None = None,
    comment: str = "",
    at: datetime | None = None,
    dimension: str = "quality",
    **own: str,
) -> RatingRow:
    scores = {dimension: (rater, score)}
    said = {dimension: checks} if checks else {}
    target = RatedTarget(number, model, None)
    return RatingRow(line, item, rater, target, scores, said, comment, at, own)


def a_project(**fields: Any) -> Project:
    """A project with the items a (one response) and b (two responses, of the models x and y)."""
    project = make_project(**fields)
    batch = make_batch(project=project)
    make_item(batch=batch, external_id="a", responses=[("x", "Six minutes.")])
    make_item(batch=batch, external_id="b", responses=[("x", "Yes."), ("y", "No.")])
    return project


def taken(
    project: Project, *rows: RatingRow, by_rules: bool = False, takes_breaks: bool = False
) -> tuple[RatingLoad, list[LineError]]:
    """Write these rows; return the load, and what was wrong."""
    faults: list[LineError] = []
    file = RatingFile.objects.create(
        project=project, file_name="sheet.csv", created_at=NOW, has_checks=by_rules
    )
    load = RatingLoad(project, file, takes_breaks, faults.append)
    load.take(rows)
    return load, faults


def test_a_score_is_stored_with_its_file_line_and_rater() -> None:
    project = a_project()
    load, faults = taken(
        project, row(line=7, comment="Clear.", at=NOW), row("b", "Ben", 3, number=2)
    )
    assert (load.ratings, load.scores, faults) == (2, 2, [])
    first, second = Rating.objects.order_by("pk")
    assert first.rater
    assert first.file
    assert (first.kind, first.rater.name, first.annotator) == ("imported", "Anna", None)
    assert (first.file.file_name, first.line, first.submitted_at) == ("sheet.csv", 7, NOW)
    assert first.placements.get().comment == "Clear."
    assert (second.submitted_at, second.started_at, second.elapsed_seconds) == (None, None, None)
    score = second.scores.get()
    assert score.response
    assert (score.value, score.response.model, score.position) == (3, "y", 2)
    # The file has no checks: the scale alone judged it.
    assert (score.open, score.breaks) == ([1, 2, 3, 4, 5, 6, 7], [])
    assert [each.position for each in second.placements.all()] == [1, 2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (row(score=9), 'line 2: "Anna" is no score of “Quality” (9); give 1 to 7'),
        (row("c"), 'line 2: is no item of the project ("c"); add the item first'),
        (
            row("b"),
            'line 2: does not say which response it is of ("b"); '
            "give the response’s number or its model",
        ),
        (
            row("b", number=3),
            'line 2: is no response of the item ("3"); give the response’s number or its model',
        ),
        (
            row("b", model="z"),
            'line 2: is no response of the item ("z"); give the response’s number or its model',
        ),
    ],
)
def test_a_row_that_cannot_be_taken_says_where_and_why(given: RatingRow, said: str) -> None:
    load, faults = taken(a_project(), given, row("a", "Ben", line=3))
    assert ([str(each) for each in faults], load.bad, load.ratings) == ([said], 1, 1)


def test_a_rater_twice_on_one_item_is_refused_unless_times_say_which_is_later() -> None:
    project = a_project()
    _load, faults = taken(project, row(), row(score=4, line=3))
    assert [str(each) for each in faults] == [
        'line 3: rates “a” again, after line 2 ("Anna"); keep one of the two, or give each a time'
    ]
    later = NOW + timedelta(hours=1)
    rows = [
        row("b", number=1, at=later, score=2, line=4),
        row("b", number=1, at=NOW, score=6, line=5),
        row("b", number=2, at=NOW, score=7, line=6),
    ]
    load, faults = taken(project, *rows)
    assert (load.ratings, faults) == (2, [])
    latest = Rating.objects.current().get(item__external_id="b")
    assert latest.supersedes
    assert (latest.revision, latest.supersedes.revision, latest.submitted_at) == (2, 1, later)
    # The correction keeps what it does not change.
    assert [each.value for each in latest.scores.order_by("position")] == [2, 7]


def test_a_rating_that_an_earlier_file_had_is_refused() -> None:
    project = a_project()
    taken(project, row())
    load, faults = taken(project, row(), row("b", model="x"))
    assert (load.ratings, [each.reason for each in faults]) == (
        1,
        ["has a rating by this person already"],
    )


def test_a_file_of_very_many_people_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_writer, "MOST_RATERS", 1)
    with pytest.raises(UploadRefused, match=r"sheet\.csv has more than 1 people or 500,000"):
        taken(a_project(), row(), row(rater="Ben", line=3))
    assert not Rating.objects.exists()


def test_a_score_that_breaks_a_rule_is_refused_or_taken_with_the_rule() -> None:
    project = a_project()
    bad = row(score=7, checks={"unhelpful": "x", "honest": "yes"})
    load, faults = taken(project, bad, by_rules=True)
    assert (load.ratings, Rating.objects.count()) == (0, 0)
    assert faults
    assert all("breaks the rule" in each.reason for each in faults)
    load, faults = taken(project, bad, by_rules=True, takes_breaks=True)
    score = Score.objects.get()
    assert (load.ratings, faults) == (1, [])
    assert score.breaks == list(load.breaks) != []
    assert score.value not in score.open


def test_checks_of_the_longest_codes_that_clash_come_in_with_their_names() -> None:
    codes = ["a" * 80, "b" * 80]
    apart: dict[str, Any] = {"when": {"all_of": codes[:1]}, "against": codes[1:], "clause": ""}
    rules = [{k: v for k, v in rule("apart", "exclude", **apart).items() if v}]
    content = document([tick(code) for code in codes], rules)
    rubric = Rubric.objects.load(parse(content), now=NOW)[0]
    project, ticked = a_project(rubric=rubric), dict.fromkeys(codes, "x")
    taken(project, row(score=2, checks=ticked), by_rules=True, takes_breaks=True)
    assert Score.objects.get().breaks == ["+".join(codes)]


def test_a_rule_between_two_responses_is_broken_by_the_lower_one() -> None:
    project = a_project()
    best = {"helpful": "entirely", "harmless": "yes", "honest": "yes", "comprehensive": "yes"}
    rows = [
        row("b", score=5, number=1, checks=best | {"repeats_itself": "1"}),
        row("b", score=4, number=2, checks=best, line=3),
    ]
    load, _faults = taken(project, *rows, by_rules=True, takes_breaks=True)
    broken = Score.objects.exclude(breaks=[])
    assert load.breaks["repeater_ranks_below"] == 1
    assert next((each.position, each.breaks[-1:]) for each in broken) == (
        1,
        ["repeater_ranks_below"],
    )


def test_people_are_matched_by_name_or_confirmed_address_and_no_address_is_kept() -> None:
    project = a_project()
    ben, dora = make_user(name="ben"), make_user(name="dora", email="dora@lab.example")
    for each in (ben, dora):
        Membership.objects.create(project=project, user=each, role="annotator")
    EmailAddress.objects.create(user=dora, email="dora@lab.example", verified=True)
    names = ["Ben", "Dora@lab.example", "Cem", "eve@lab.example"]
    taken(project, *[row("a", name, line=number) for number, name in enumerate(names, start=2)])
    found = {rater.name: rater.account for rater in project.raters.all()}
    assert found == {"Ben": ben, "dora": dora, "Cem": None, "imported-4": None}


def test_an_answer_that_a_check_does_not_have_is_named_with_those_it_has() -> None:
    _load, faults = taken(a_project(), row(checks={"helpful": "maybe"}), by_rules=True)
    assert [str(each) for each in faults] == [
        'line 2: "helpful" is no answer to “Helpful” ("maybe"); give one of entirely, partly, not'
    ]


def test_a_file_without_checks_says_nothing_of_ticks() -> None:
    project = a_project()
    taken(project, row("a", "Anna"), row("a", "Ben", 4, line=3))
    Project.objects.filter(pk=project.pk).update(imported="counted")
    found = make(project, project.rubric.schema.dimension("quality"))
    assert {check.units for check in found.checks} == {0}
    assert found.overall.units == 1


def test_revisions_come_in_as_they_follow_one_another_whatever_came_in_of_the_others() -> None:
    project = a_project()
    rows = [
        row(score=3, revision="3", line=2),  # the table was sorted
        row(score=2, revision="2", line=3),
        row("b", score=4, number=1, revision="2", line=4),  # alone, as in an export of the current
        row("b", "Ben", 9, number=1, at=NOW, line=5),  # off the scale
        row("b", "Ben", 6, number=1, at=NOW + timedelta(hours=1), line=6),
    ]
    load, faults = taken(project, *rows)
    assert (load.ratings, [each.line for each in faults]) == (4, [5])
    found = Rating.objects.order_by("rater__name", "item", "revision")
    assert [(each.revision, each.scores.get().value) for each in found] == [
        *((1, 2), (2, 3)),
        *((1, 4), (1, 6)),
    ]
    assert [each.supersedes for each in found] == [None, found[0], None, None]


def test_a_person_under_two_names_rates_an_item_once() -> None:
    project = a_project()
    ada = make_user(name="ada", email="ada@lab.example")
    Membership.objects.create(project=project, user=ada, role="annotator")
    EmailAddress.objects.create(user=ada, email="ada@lab.example", verified=True)
    load, faults = taken(project, row(rater="ada"), row(rater="ada@lab.example", line=3))
    assert (load.ratings, [str(each) for each in faults]) == (
        1,
        [
            'line 3: rates “a” again, after line 2 ("ada@lab.example"); '
            "keep one of the two, or give each a time"
        ],
    )


def test_someone_without_a_name_gets_one_that_nobody_has() -> None:
    project = a_project()
    taken(project, row(rater="imported-2"), row(rater="eve@lab.example", line=3))
    assert [each.name for each in project.raters.all()] == ["imported-2", "imported-3"]


def test_two_responses_in_one_position_are_refused() -> None:
    rows = [row("b", number=number, position="1", line=number) for number in (1, 2)]
    _load, faults = taken(a_project(), *rows)
    assert [str(each) for each in faults] == [
        'line 1: has two responses in one position ("b"); export it again, or leave the row out'
    ]


@pytest.mark.parametrize(
    ("column", "texts"),
    {
        "attempt": ["99999", "-1", "x"],
        "revision": ["1e400", "1.0"],
        "position": ["0", "1000000000"],
        "verdict": ["x", "99999"],
        "clause": ["x" * 81],
        "unit": ["x"],
        "without": ["x"],
        "view": ["x"],
        "kind": ["x"],
        "extra_because": ["x"],
        "active_seconds": ["1.5", "9999999999"],
        "started_at": ["x", "2026-13-45T00:00:00Z"],
        "item_comment": ["\0", "\ud800"],
        "facts": [
            *("x", "5", "[1]", '[{"claim": "a"}]', "[" * 3000),
            '[{"claim":"a","outcome":"x","sources":[],"seconds":1,"over_time":false}]',
            '[{"claim":"a","outcome":"holds","sources":[],"seconds":null,"over_time":true}]',
        ],
    }.items(),
)
def test_a_cell_that_no_export_has_is_refused(column: str, texts: list[str]) -> None:
    for text in texts:
        fault = fault_in(replace(row(), exported={column: text}))
        assert fault
        assert (fault.line, fault.column) == (2, column)
        assert fault.reason == "is not as an export has it"
    assert fault_in(replace(row(), exported={column: ""})) is None
