"""Many rows that are wrong alike are said once, with where they are."""

from __future__ import annotations

import csv
import io
import itertools
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation
from django.utils.translation import gettext as _, ngettext

from tasks.importing.files.rows import (
    MOST_KINDS,
    MOST_LINES,
    MOST_SAMPLES,
    ErrorsByKind,
    LineError,
    fill_in,
)
from tasks.importing.files.values import A_LIST, A_TEXT, WRITE_TEXT, wrong_kind
from tasks.models import Batch, Project


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "items.csv"


def fault(line: int, column: str = "id", reason: str = "is blank", **values: int) -> LineError:
    return LineError(line, column, "x", fill_in(reason, **values), "give one")


def by_kind(*errors: LineError) -> ErrorsByKind:
    faults = ErrorsByKind()
    for error in errors:
        faults.add(error)
    return faults


def numbers(faults: ErrorsByKind) -> list[int]:
    return [kind.number for kind in faults.kinds]


def command(*arguments: object) -> list[str]:
    """What the command says of a file that it refuses."""
    err = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("import_batch", "eggs", *map(str, arguments), stderr=err, stdout=io.StringIO())
    return [*err.getvalue().splitlines(), str(caught.value)]


# --- kinds ---


def test_faults_of_a_kind_are_counted_with_samples_and_further_lines() -> None:
    faults = by_kind(*map(fault, range(2, 200_002)))
    [kind] = faults.kinds
    assert kind.number == faults.number == 200_000
    assert [error.line for error in kind.samples] == [2, 3, 4]
    assert (
        kind.rest
        == "199,997 more rows are wrong like that (lines 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, …)"
    )
    assert (len(kind.samples), len(kind.line_numbers)) == (MOST_SAMPLES, MOST_LINES)


@pytest.mark.parametrize(
    ("count", "said"), [(1, ""), (3, ""), (4, "1 more row is wrong like that (line 4)")]
)
def test_a_few_faults_of_a_kind_are_all_listed(count: int, said: str) -> None:
    faults = by_kind(*map(fault, range(1, count + 1)))
    assert faults.kinds[0].rest == said
    assert faults.is_cut == bool(said)


def test_faults_that_differ_in_values_or_places_of_a_list_are_of_one_kind() -> None:
    assert numbers(by_kind(*(fault(line, reason="is %(n)s", n=line) for line in (1, 2)))) == [2]
    assert numbers(
        by_kind(*(fault(place, f"[{place}].responses[{place}]") for place in (1, 2)))
    ) == [2]


def test_faults_of_another_column_or_reason_are_of_another_kind() -> None:
    wanted = [wrong_kind("id", 5, due, WRITE_TEXT) for due in (A_TEXT, A_LIST)]
    others = [LineError(4, "id", bad.value, bad.reason, bad.advice) for bad in wanted]
    faults = by_kind(fault(1), fault(2, "prompt"), fault(3, reason="is missing"), *others, fault(5))
    assert numbers(faults) == [2, 1, 1, 1, 1]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_in_every_language_values_make_no_kind_of_their_own_and_other_words_do(
    language: str,
) -> None:
    with translation.override(language):
        reasons = [
            *(
                fill_in(_("is %(number)s characters long"), number=number)
                for number in (201, 4_321, 7_654_321)
            ),
            *(
                fill_in(
                    ngettext(
                        "has %(cells)s cell under %(names)s names",
                        "has %(cells)s cells under %(names)s names",
                        cells,
                    ),
                    cells=cells,
                    names=3,
                )
                for cells in (1, 2, 1_234)
            ),
            *(
                fill_in(_("is already in the project, in batch “%(batch)s”"), batch=batch)
                for batch in ("a", 'the "2nd" of\nthem', "“b” «c»")
            ),
            *(
                fill_in(_("holds half a character (the lone surrogate %(code)s)"), code=code)
                for code in ("U+D801", "U+DEAD")
            ),
            *(
                fill_in(_("is not JSON at character %(place)s: %(what)s"), place=place, what=what)
                for place, what in (
                    (5, _("expected a value")),
                    (6_789, _("expected a value")),
                    (5, _("expected a colon")),
                )
            ),
        ]
    assert numbers(by_kind(*(fault(1, reason=reason) for reason in reasons))) == [3, 3, 3, 2, 2, 1]


def test_a_line_that_holds_many_rows_is_named_once() -> None:
    [kind] = by_kind(*itertools.repeat(fault(1), 9)).kinds
    assert kind.rest == "6 more rows are wrong like that (lines 1, …)"


def test_the_kinds_of_faults_in_memory_are_no_more_than_a_person_can_read() -> None:
    faults = by_kind(*(fault(line, f"column {line}") for line in range(1_000)))
    assert len(faults.kinds) == MOST_KINDS
    assert faults.number == 1_000
    assert faults.rest == "900 more rows are wrong in other ways"


# --- the command ---


def test_the_command_says_one_fault_of_all_rows_in_a_few_lines(
    project: Project, file: Path
) -> None:
    file.write_text("id,prompt,response\n" + ",p,r\n" * 2_000 + "a,p\n", encoding="utf-8")
    blank = 'items.csv, line {}: "id" is blank (""); give every item an id of its own'
    assert command(file) == [
        *(blank.format(line) for line in (2, 3, 4)),
        "items.csv: 1,997 more rows are wrong like that"
        " (lines 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, …)",
        'items.csv, line 2002: has 2 cells under 3 names ("a,p"); give every row as many cells as'
        " the header, empty ones too; put a cell that holds commas, quotes or line ends in quotes",
        "items.csv: not every row is named here; --take-good writes a list of all of them.",
        "items.csv: 2,001 rows can’t be loaded, so nothing was loaded",
    ]


def test_the_command_speaks_english_whatever_the_language_of_the_installation(
    project: Project, file: Path
) -> None:
    file.write_text("id,prompt,response\n" + ",p,r\n" * 1_200, encoding="utf-8")
    bad = file.with_name("bad.csv")
    with translation.override("de"):
        said = command(file, "--take-good", "--faults", bad)
    assert said[3].startswith("items.csv: 1,197 more rows are wrong like that (lines 5, 6, ")
    assert said[-1] == "items.csv: 1,200 rows can’t be loaded, so nothing was loaded"
    assert "is blank" in bad.read_text(encoding="utf-8")


def test_all_bad_rows_are_listed_where_nothing_is_good(project: Project, file: Path) -> None:
    file.write_text("id,prompt,response\n" + ",p,r\n" * 5, encoding="utf-8")
    bad = file.with_name("bad.csv")
    said = command(file, "--take-good", "--faults", bad)
    assert said[3:] == [
        "items.csv: 2 more rows are wrong like that (lines 5, 6)",
        f"items.csv: 5 bad rows are left out, and listed in {bad}.",
        "items.csv: 5 rows can’t be loaded, so nothing was loaded",
    ]
    with bad.open(encoding="utf-8", newline="") as rows:
        assert [row["reason"] for row in csv.DictReader(rows)] == ["is blank"] * 5
    assert not Batch.objects.exists()
