"""No one can ask for unbounded work: each page refuses its worst document, or shows a part of it.

The limits count steps. These tests read the clock of the process too, with room for slow machines.
"""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
import yaml
from openpyxl import Workbook

from rubrics import document as documents
from rubrics.differences import changes_between, lines_between
from rubrics.open_scores import MOST_LOOKS, most_tries, open_scores, why_not
from rubrics.proof import findings
from rubrics.prose import read_answer
from rubrics.schema import Dimension, Rubric as Schema
from rubrics.shipped import GALLERY, SLUGS, shipped
from rubrics.yaml_lines import DocumentError, values
from tasks.importing.files.unpacking import TooLong, at_most, unpacked
from tests.made_rubrics import Content, document, question, rule, tick

MOST_SECONDS = 4  # of CPU: twice of what a request may take, because machines differ


def within(act: Callable[[], Any]) -> Any:
    """Do something, in a few seconds of CPU."""
    start = time.process_time()
    try:
        return act()
    finally:
        assert time.process_time() - start < MOST_SECONDS


def pigeons(number: int, holes: int) -> Content:
    """Each pigeon is in a hole, and no two in the same: for more pigeons than holes never."""
    asked = [question(f"p{a}", *(f"p{a}_h{h}" for h in range(holes))) for a in range(number)]
    apart = [
        rule(f"h{h}_{a}_{b}", "exclude", {"all_of": [f"p{a}_h{h}"]}, against=[f"p{b}_h{h}"])
        for h in range(holes)
        for a in range(number)
        for b in range(a + 1, number)
    ]
    return document(asked, apart)


def dimension_of(checks: list[Content], rules: list[Content], highest: int = 5) -> Dimension:
    content = document(checks, rules, highest)
    content["dimensions"][0]["levels"] = []
    return documents.parse(content, is_stored=True).dimensions[0]


def test_a_proof_of_nine_pigeons_in_eight_holes_is_given_up_with_a_sentence() -> None:
    with pytest.raises(DocumentError, match=r"did not prove that .*; write fewer or simpler rules"):
        within(lambda: documents.parse(pigeons(9, 8)))


def test_many_hard_dimensions_are_proved_together_within_the_same_limit() -> None:
    content = pigeons(6, 5)
    (one,) = content["dimensions"]
    content["dimensions"] = [one | {"code": f"d{number}"} for number in range(15)]
    rubric = documents.parse(content, is_stored=True)
    texts = [found.text for found in within(lambda: [*findings(rubric)])]
    assert any("did not prove that its rules work" in text for text in texts)


ANSWERS = [question(f"q{number}", f"y{number}", f"n{number}") for number in range(30)]
LATER = [tick(f"z{n}", when={"all_of": [f"y{m}" for m in range(5)]}) for n in range(20)]
TICKS = [f"t{number}" for number in range(190)]
CAPS = [
    rule(f"r{number}", "cap", {"any_of": TICKS}, score=500 - number % 400) for number in range(400)
]


@pytest.mark.parametrize(
    "dimension",
    [
        dimension_of([*ANSWERS, *LATER], [rule("r", "cap", {"any_of": ["y1"]}, score=2)]),
        dimension_of([tick(code) for code in TICKS], CAPS, 1_000),
        dimension_of(
            [question("q", *(f"y{number}" for number in range(4_000)))],
            [rule("r", "cap", {"any_of": ["y1"]}, score=2)],
        ),
    ],
    ids=["chained questions", "many scores and rules", "many answers"],
)
def test_a_table_of_open_scores_ends_where_its_budget_does(dimension: Dimension) -> None:
    rows = within(lambda: open_scores(dimension))
    assert not rows.is_whole
    within(lambda: why_not(dimension, {}, 99_999))


@pytest.mark.parametrize("slug", [*SLUGS, *GALLERY])
def test_the_tables_of_a_shipped_rubric_are_whole(slug: str) -> None:
    rubric: Schema = shipped(slug)
    for dimension in rubric.dimensions:
        assert open_scores(dimension, MOST_LOOKS // len(rubric.dimensions) // 2).is_whole
        assert most_tries(dimension) == 2_000


@pytest.mark.parametrize("text", ["a: 1" + ":59" * 300_000, "a: 1" + ":59" * 300_000 + ".5"])
def test_a_number_to_the_base_of_60_is_refused(text: str) -> None:
    with pytest.raises(DocumentError, match="this number or date can’t be read; put it in quotes"):
        within(lambda: values(text))


def test_thousands_of_unknown_names_are_told_up_to_a_limit() -> None:
    ticks = [tick(f"tick_number_{number}") for number in range(900)]
    named = [f"no_such_tick_{number}" for number in range(4_000)]
    text = yaml.safe_dump(document(ticks, [rule("r", "cap", {"any_of": named}, score=2)]))
    with pytest.raises(DocumentError) as refused:
        within(lambda: documents.read(text))
    assert len(refused.value.faults) <= 1_001


def test_sixty_thousand_lines_are_not_compared_line_by_line() -> None:
    before = [f"- {number % 300}" for number in range(30_000)]
    after = [f"- {number % 301}" for number in range(30_000)]
    assert within(lambda: lines_between(before, after)) is None
    assert lines_between(before, [*before, "- new"])[-1:] == ["+- new"]  # type: ignore[index]


def test_thousands_of_parts_in_another_order_are_listed() -> None:
    parts = [{"code": f"c{number}"} for number in range(5_000)]
    moved = within(lambda: changes_between({"checks": parts}, {"checks": parts[::-1]}))
    assert len(moved) == 4_999


def test_prose_with_much_guidance_is_read_with_fewer_dimensions() -> None:
    entries = "".join(f"- {{code: g{n}, title: T, text: x, clauses: [a]}}\n" for n in range(1_200))
    parts = "".join(f"- {{title: D{n}, lowest: 1, highest: 5, question: Q}}\n" for n in range(50))
    text = f"title: T\nguidance:\n{entries}dimensions:\n{parts}"
    answer = within(lambda: read_answer(text))
    assert any("are read" in fault for fault in answer.faults)
    assert 5 <= len(answer.parts) < 50


def test_a_workbook_whose_rows_end_in_the_last_column_is_read_or_left_to_the_worker() -> None:
    rows = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="XFD{n}"/></row>' for n in range(1, 150_000)
    )
    made, file = BytesIO(), BytesIO()
    Workbook().save(made)
    with ZipFile(made) as before, ZipFile(file, "w", ZIP_DEFLATED) as after:
        for name in before.namelist():
            text = before.read(name)
            if name == "xl/worksheets/sheet1.xml":
                sheet = re.sub(
                    rb"<sheetData ?/>|<sheetData></sheetData>",
                    f"<sheetData>{rows}</sheetData>".encode(),
                    text,
                )
                assert len(sheet) > len(text)
                text = sheet
            after.writestr(name, text)
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with pytest.raises(TooLong), at_most(2), unpacked(file, ""):
        pass
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start < MOST_SECONDS
