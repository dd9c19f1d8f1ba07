"""Ratings out: one row per score, every column, every text as it was; one's own data defused for spreadsheets."""
# ruff: noqa: E501 - a file's lines are as long as they are

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from rubrics.models import Rubric
from tasks.answers.slot_answers import SlotAnswers
from tasks.answers.submission import SeenRemark, Submission, SubmittedScore
from tasks.exporting.columns import SCORES
from tasks.exporting.copying import BLOCK
from tasks.exporting.export import Export
from tasks.exporting.own_data import personal_csv
from tasks.models import Item, Lease, Project, Rating
from tasks.queue.submitting import correct_rating, submit_lease

from ..exports import (
    rows_of,
    text_of,
)
from ..factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_submission,
    make_user,
)


def score(lease: Lease, **given: Any) -> SubmittedScore:
    """A score of the response shown first."""
    usual: dict[str, Any] = {
        "dimension": "quality",
        "unit": "response",
        "response": lease.responses[0],
        "model": "",
        "position": 1,
        "value": 4,
        "open": (),
        "clauses": (),
        "remarks": (),
    }
    checks = dict(given.pop("checks", ()))
    return SubmittedScore(
        **usual | given, answers=SlotAnswers.stored(given.get("value", 4), checks)
    )


def test_every_column_of_a_row(project: Project, ada: User) -> None:
    item = make_item(
        batch=make_batch(project=project, name="first"),
        external_id="egg-1",
        responses=[("heron", "Six."), ("wren", "Nine.")],
        metadata={"lang": "en"},
    )
    start = datetime(2026, 3, 2, 9, 0, 1, 5, tzinfo=UTC)
    lease = make_lease(item=item, annotator=ada, now=start, order=[2, 1])
    submit_lease(
        lease,
        Submission(
            scores=(
                score(
                    lease,
                    value=3,
                    open=(2, 3, 4),
                    clauses=("RQ-08", "RQ-12"),
                    remarks=(
                        SeenRemark("RQ-09", "a", "It may be a 4."),
                        SeenRemark("RQ-24", "b", "Or a 2 | no."),
                    ),
                    # As the database likes to sort them, by length; the export goes by the rubric.
                    checks=(
                        ("honest", "yes"),
                        ("helpful", "partly"),
                        ("language_error", "yes"),
                        ("punctuation_error", "yes"),
                    ),
                ),
                score(lease, response=lease.responses[1], position=2, value=7, open=(7,)),
            ),
            comments=((lease.responses[0], "short"),),
            comment="of the item",
            active_seconds=40,
            view="rendered",
        ),
        now=start + timedelta(seconds=75.9),
    )
    # A column set that other programs read: it changes by decision only.
    assert text_of(project) == (
        "project,batch,item,unit,target,model,position,dimension,score,without,verdict,clause,breaks,remarks,checks,asked,response_checks,comment,"
        "item_comment,facts,annotator,rubric,rubric_version,attempt,kind,extra_because,revision,view,active_seconds,elapsed_seconds,"
        "started_at,submitted_at,file,line,after_talk,warning,batch_warning,meta.lang\n"
        "eggs,first,egg-1,response,2,wren,1,quality,3,,2;3;4,RQ-08;RQ-12,,RQ-09: It may be a 4. | RQ-24: Or a 2 | no.,"
        "helpful=partly;honest=yes;language_error=yes;punctuation_error=yes,,,short,of the item,[],ada,"
        "response-quality,1,0,counted,,1,rendered,40,75,2026-03-02T09:00:01.000005Z,2026-03-02T09:01:16.900005Z,,,0,,,en\n"
        "eggs,first,egg-1,response,1,heron,2,quality,7,,7,,,,,,,,of the item,[],ada,response-quality,1,0,counted,,1,rendered,40,75,"
        "2026-03-02T09:00:01.000005Z,2026-03-02T09:01:16.900005Z,,,0,,,en\n"
    )


def test_checks_stand_in_the_order_of_the_rubric(project: Project, ada: User) -> None:
    (dimension,) = project.rubric.schema.dimensions
    codes = [check.code for check in dimension.checks]
    lease = make_lease(item=make_item(project=project), annotator=ada)
    answers = tuple((code, "yes") for code in reversed([*codes, "zzz_unknown", "unknown"]))
    submit_lease(lease, Submission(scores=(score(lease, checks=answers),)), now=NOW)
    (row,) = rows_of(project)
    assert row["checks"] == ";".join(f"{code}=yes" for code in [*codes, "unknown", "zzz_unknown"])


def test_each_dimension_has_its_own_order_of_checks(ada: User) -> None:
    project = make_project(rubric=make_rubric(slug="dialogue"))
    lease = make_lease(item=make_item(project=project), annotator=ada)
    asked = {
        each.code: [check.code for check in each.checks]
        for each in project.rubric.schema.dimensions
    }
    scores = [
        score(lease, dimension=dimension, checks=tuple((code, "no") for code in sorted(codes)))
        for dimension, codes in asked.items()
    ]
    submit_lease(lease, Submission(scores=tuple(scores)), now=NOW)
    found = {row["dimension"]: row["checks"] for row in rows_of(project)}
    assert len(found) > 1
    assert found == {
        name: ";".join(f"{code}=no" for code in codes) for name, codes in asked.items()
    }


def test_a_candidate_set_is_named_by_its_model(db: None, ada: User) -> None:
    project = make_project(rubric=make_rubric(slug="dialogue"))
    item = make_item(project=project, responses=[("heron", "a"), ("wren", "b"), ("heron", "c")])
    lease = make_lease(item=item, annotator=ada)
    given = score(
        lease, dimension="diversity", unit="candidate_set", response=None, model="heron", position=2
    )
    submit_lease(lease, Submission(scores=(given,)), now=NOW)
    (row,) = rows_of(project)
    wanted = {
        "unit": "candidate_set",
        "target": "heron",
        "model": "heron",
        "position": "2",
        "comment": "",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_the_view_is_that_of_the_current_revision_and_empty_where_no_desk_told(
    project: Project, ada: User
) -> None:
    first = make_rating(
        item=make_item(project=project, responses=["x"]), annotator=ada, view="rendered"
    )
    assert [row["view"] for row in rows_of(project)] == ["rendered"]
    lease = first.lease
    assert lease
    said = make_submission(lease=lease, view="text", comment="So")
    correct_rating(first, said, based_on=1, now=NOW)
    assert [row["view"] for row in rows_of(project)] == ["text"]
    correct_rating(first, make_submission(lease=lease, comment="Hm"), based_on=2, now=NOW)
    assert [row["view"] for row in rows_of(project)] == [""]
    assert list(Rating.objects.order_by("revision").values_list("view", flat=True)) == [
        "rendered",
        "text",
        "",
    ]


def test_marked_lines_of_the_persona_stand_with_the_answers_that_they_bear_out(ada: User) -> None:
    project = make_project(rubric=make_rubric(slug="dialogue"))
    lease = make_lease(item=make_item(project=project, persona=["a", "b", "c"]), annotator=ada)
    checks = (("contradicts", "yes"), ("reflects", "no"), ("contradicts.lines", "1,3"))
    submit_lease(
        lease, Submission(scores=(score(lease, dimension="consistency", checks=checks),)), now=NOW
    )
    assert [row["checks"] for row in rows_of(project)] == [
        "contradicts=yes;reflects=no;contradicts.lines=1,3"
    ]


def test_facts_stand_with_their_response_as_json(project: Project, ada: User) -> None:
    facts = [
        (1, "Mars has two moons", "holds", "https://a.example\nhttps://b.example"),
        (1, "“é”", "refuted", ""),
    ]
    make_rating(item=make_item(project=project), annotator=ada, facts=facts)
    first, second = rows_of(project)
    assert json.loads(first["facts"]) == [
        {
            "claim": claim,
            "outcome": outcome,
            "sources": sources.split(),
            "seconds": None,
            "over_time": False,
        }
        for _, claim, outcome, sources in facts
    ]
    assert second["facts"] == "[]"


def test_only_current_revisions_of_this_project_are_there(project: Project, ada: User) -> None:
    item = make_item(project=project, responses=["x"])
    first = make_rating(item=item, annotator=ada, values={1: 5})
    assert first.lease
    correct_rating(first, make_submission(lease=first.lease, values={1: 6}), based_on=1, now=NOW)
    make_rating(item=make_item(project=make_project()), annotator=ada)
    assert Rating.objects.filter(project=project).count() == 2
    told = ("score", "attempt", "kind", "revision")
    assert [tuple(row[name] for name in told) for row in rows_of(project)] == [
        ("6", "0", "counted", "2")
    ]
    every = rows_of(project, revisions=True)
    assert [(row["score"], row["revision"]) for row in every] == [("5", "1"), ("6", "2")]


def test_an_extra_rating_is_exported_with_its_reason(project: Project, ada: User) -> None:
    item = make_item(project=project, responses=["x"], wanted=1)
    make_rating(item=item, annotator=make_user())
    late = make_lease(item=item, annotator=ada, status="expired", ended_at=NOW)
    submit_lease(late, make_submission(lease=late), now=NOW)
    told = [(row["kind"], row["extra_because"]) for row in rows_of(project)]
    assert told == [("counted", ""), ("extra", "full")]


def test_a_rating_keeps_the_version_of_the_rubric_that_it_was_made_by(
    project: Project, ada: User
) -> None:
    make_rating(item=make_item(project=project, responses=["x"]), annotator=ada)
    newer = Rubric.objects.create(
        slug="response-quality", version=2, title="t", summary="s", published_at=NOW
    )
    Project.objects.filter(pk=project.pk).update(rubric=newer)
    assert [row["rubric_version"] for row in rows_of(project)] == ["1"]


def test_metadata_follows_sorted_by_name_over_the_whole_project(
    project: Project, ada: User
) -> None:
    item = make_item(
        project=project, responses=["x"], metadata={"b": "text", "a": "", 'q"%s{}': "odd"}
    )
    make_item(
        project=project,
        metadata={
            "Z": [1, {"k": "é"}],
            "b": True,
            "n": 1.50,
            "none": None,
            "x" * 80: "long",
            "": "unnamed",
        },
    )
    make_rating(item=item, annotator=ada)
    other = Item.objects.exclude(pk=item.pk).get()
    make_rating(item=other, annotator=ada)
    first, second, _ = rows_of(project)
    names = [
        "meta.",
        "meta.Z",
        "meta.a",
        "meta.b",
        "meta.n",
        "meta.none",
        'meta.q"%s{}',
        "meta." + "x" * 80,
    ]
    assert list(first) == [column.name for column in SCORES] + names
    assert [first[name] for name in names] == ["", "", "", "text", "", "", "odd", ""]
    assert [second[name] for name in names] == [
        "unnamed",
        '[1, {"k": "é"}]',
        "",
        "true",
        "1.5",
        "",
        "",
        "long",
    ]


def test_a_project_without_ratings_gives_the_header(project: Project) -> None:
    assert text_of(project) == ",".join(column.name for column in SCORES) + "\n"


# --- for spreadsheets ---

RUN = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1+1",
    "\nx",
    "＝1+1",
    "＋1+1",
    "－1+1",
    "＠x",
    "-",
    "-1\n",
]
NOT_RUN = [
    "-1",
    "+1",
    "-1.5",
    "+.5",
    "-1e5",
    "+1.E-3",
    "1+1",
    " =1",
    "'=1",
    "a=b",
    "",
    "NA",
    "1\n=1",
    "0",
]


def test_cells_that_a_spreadsheet_would_run_get_an_apostrophe_in_ones_own_data(
    project: Project, ada: User
) -> None:
    texts = [*RUN, *NOT_RUN]
    for text in texts:
        item = make_item(project=project, external_id=text or "i", responses=[("m", "x")])
        make_rating(item=item, annotator=ada, comments={1: text}, comment=text)
    rows = zip(texts, own_rows(ada), own_rows(ada, defused=True), strict=True)
    for text, exact, defused in rows:
        a_cell_gets_one_where_it_would_be_run(text, exact, defused)


def own_rows(person: User, *, defused: bool = False) -> list[dict[str, str]]:
    text = b"".join(personal_csv(person, defused=defused)).decode()
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return [row for row in rows if row["record"] == "rating"]


def a_cell_gets_one_where_it_would_be_run(
    text: str, exact: dict[str, str], defused: dict[str, str]
) -> None:
    cells = ("comment", "item_comment")
    assert {exact[cell] for cell in cells} == {text}
    assert {defused[cell] for cell in cells} == {f"'{text}" if text in RUN else text}
    if text in RUN:
        assert defused["item"] == f"'{text}"
    untouched = ("unit", "score", "verdict", "facts", "started_at", "elapsed_seconds")
    assert [defused[cell] for cell in untouched] == [exact[cell] for cell in untouched]


# --- streaming ---


def test_an_export_takes_as_many_queries_whatever_is_in_it(project: Project, ada: User) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            rows_of(project)
        return len(captured)

    make_rating(item=make_item(project=project), annotator=ada)
    one = queries()
    for _ in range(2):
        make_rating(item=make_item(project=project), annotator=ada)
    assert queries() == one == 3  # names of metadata, checks in their order, the rows


@pytest.mark.django_db(transaction=True)
def test_an_export_comes_in_blocks_and_may_be_broken_off() -> None:
    project, ada = make_project(), make_user()
    for _ in range(3):
        item = make_item(project=project, responses=["x"], metadata={"long": "x" * BLOCK})
        make_rating(item=item, annotator=ada)
    blocks = list(Export(project, now=NOW))
    assert len(blocks) == 4
    broken_off: Any = iter(Export(project, now=NOW))
    next(broken_off)
    broken_off.close()
    # The connection is as good as before.
    assert list(Export(project, now=NOW)) == blocks


# --- the command ---


def test_the_command_writes_a_file_with_every_text_exactly(
    project: Project, ada: User, tmp_path: Path
) -> None:
    make_rating(item=make_item(project=project), annotator=ada, comments={1: "=1+1\r\n“é”"})
    path = tmp_path / "ratings.csv"
    call_command("export_ratings", "eggs", "-o", str(path))
    assert path.read_bytes() == text_of(project).encode()
    assert '"=1+1\r\n“é”"'.encode() in path.read_bytes()


def test_the_command_writes_to_standard_output(
    project: Project, ada: User, capfdbinary: Any
) -> None:
    make_rating(item=make_item(project=project), annotator=ada, comments={1: "a\r\nb"})
    call_command("export_ratings", "eggs")
    assert capfdbinary.readouterr().out == text_of(project).encode()


def test_the_command_says_what_is_wrong(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match='There is no project "q"'):
        call_command("export_ratings", "q")
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("export_ratings", "eggs", "-o", str(tmp_path / "no" / "ratings.csv"))
