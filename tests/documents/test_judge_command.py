"""manage.py rubric judge: verdicts for scripts and other programs."""

from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from unittest import mock

import pytest
from django.core.management import call_command
from django.db import connection

from rubrics.documents.document import dump, parse
from rubrics.documents.shipped import path_of, shipped
from rubrics.judging.verdict import as_plain
from rubrics.management.files import find_rubric
from rubrics.models import Rubric
from tests.factories import NOW
from tests.verdicts import response_quality, verdict_on

QUALITY = str(path_of("response-quality"))
DIALOGUE = str(path_of("dialogue"))


def run(*arguments: str, stdin: bytes = b"") -> tuple[list[dict], int]:
    """(the lines printed, the exit status)"""
    out, status = StringIO(), 0
    try:
        with mock.patch("sys.stdin", TextIOWrapper(BytesIO(stdin))):
            call_command("rubric", "judge", *arguments, stdout=out)
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    return [json.loads(line) for line in out.getvalue().splitlines()], status


def test_a_verdict_is_one_line_with_everything_that_was_decided() -> None:
    lines, status = run(
        *(QUALITY, "quality", "instructions_missed", "harmless", "helpful"),
        *("--answered", "comprehensive"),
    )
    assert status == 0
    assert lines == [
        {
            "open": [2, 3, 4, 5, 6],
            "barred": [
                {
                    "score": 1,
                    "clauses": ["RQ-25"],
                    "reasons": ["1 needs one of these: Harmless (no), Nonsense, Off topic."],
                },
                {
                    "score": 7,
                    "clauses": ["RQ-08", "RQ-14"],
                    "reasons": [
                        "7 needs the best answer to all four questions.",
                        "Instructions missed: at most 6. A 7 follows every instruction.",
                    ],
                },
            ],
            "remarks": [
                {
                    "scores": [6],
                    "clause": "RQ-14",
                    "text": "Instructions missed: the source lists this under 3. Keep the 6?",
                }
            ],
            "overridden": [],
            "forced": None,
            "missing": ["honest"],
        }
    ]


def test_left_out_every_question_counts_as_answered() -> None:
    (verdict,), _ = run(QUALITY, "quality", "helpful")
    assert verdict["missing"] == []
    (verdict,), _ = run(QUALITY, "quality", "--answered", "helpful", "--answered", "honest")
    assert verdict["missing"] == ["harmless", "comprehensive"]
    (verdict,), _ = run(QUALITY, "quality", "plagiarised", "--answered", "helpful")
    assert (verdict["forced"], verdict["missing"]) == (3, ["harmless"])


def test_a_line_and_a_target_name_what_was_answered_too() -> None:
    line = b'{"checks": ["helpful"], "answered": ["comprehensive"]}'
    (verdict,), _ = run(QUALITY, "quality", "--jsonl", stdin=line)
    assert verdict["missing"] == ["harmless", "honest"]
    (item,), _ = run(
        *(QUALITY, "quality", "--item"),
        stdin=b'[{"checks": ["repeats_itself"], "answered": []}, {"checks": [], "score": 4}]',
    )
    assert item["targets"][0]["missing"] == ["helpful", "harmless", "honest", "comprehensive"]
    assert item["targets"][0]["open"] == [2, 3, 4, 5, 6], "not narrowed before it is answered"


def test_an_unknown_question_is_named_with_those_there_are() -> None:
    (answer,), status = run(QUALITY, "quality", "--answered", "helpfull")
    assert status == 1
    assert answer["error"] == (
        "expected questions of quality in answered (helpful, harmless, honest, comprehensive),"
        " found helpfull"
    )


def test_a_force_and_what_it_overrides_are_told() -> None:
    (verdict,), _ = run(QUALITY, "quality", "harmful", "plagiarised")
    assert (verdict["open"], verdict["forced"]) == ([1], 1)
    assert [each["clause"] for each in verdict["overridden"]] == ["RQ-07"]


def test_a_clause_that_bars_a_score_twice_is_named_once_with_both_reasons() -> None:
    (verdict,), _ = run(QUALITY, "quality", "language_error", "punctuation_error")
    (five,) = (bar for bar in verdict["barred"] if bar["score"] == 5)
    assert (five["clauses"], len(five["reasons"])) == (["RQ-12"], 2)


def test_checks_that_exclude_one_another_are_an_error_that_names_them() -> None:
    lines, status = run(QUALITY, "quality", "missing_disclaimer", "late_disclaimer", "harmless")
    assert status == 1
    assert lines == [
        {
            "error": "missing_disclaimer, late_disclaimer: A disclaimer is either missing or late. "
            "Keep one: Disclaimer missing, Disclaimer late.",
            "checks": ["missing_disclaimer", "late_disclaimer"],
            "clauses": ["RQ-13"],
        }
    ]


def test_an_unknown_check_is_an_error_that_names_it_and_those_there_are() -> None:
    (answer,), status = run(DIALOGUE, "consistency", "reflects", "relfects")
    assert status == 1
    assert answer["checks"] == ["relfects"]
    assert "its checks are contradicts, reflects" in answer["error"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((QUALITY, "qualty"), '"qualty" is no dimension of response-quality; it has quality'),
        (("nowhere/at-all.yaml", "quality"), "nowhere/at-all.yaml: "),
        (
            (QUALITY, "quality", "harmful", "--jsonl"),
            "with --jsonl or --item all comes from standard input",
        ),
    ],
)
def test_a_wrong_call_is_answered_in_json_too(arguments: list[str], says: str) -> None:
    (answer,), status = run(*arguments)
    assert status == 1
    assert says in answer["error"]


def test_a_document_with_faults_is_refused_with_each_of_them(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("slug: 7\ntitle: Broken\nsummary: x\n")
    (answer,), status = run(str(file), "quality")
    assert status == 1
    assert "slug: expected a text, found 7" in answer["error"]
    assert '"dimensions" is missing' in answer["error"]


def test_lines_are_answered_one_each_and_in_order_and_a_bad_one_stops_nothing() -> None:
    asked = b'["harmful"]\n[\n{"a": 1}\n\n["helpful", 3]\n["nope"]\n\xff\n'
    asked += b'["honest","false_claim"]\r\n[]\n["empty"]'
    lines, status = run(QUALITY, "quality", "--jsonl", stdin=asked)
    assert status == 0
    assert len(lines) == 10
    assert [line.get("open", line.get("error", "")[:7]) for line in lines] == [
        [1],
        "line 2:",
        "line 3:",
        "line 4:",
        "line 5:",
        '"nope":',
        "line 7:",
        "honest,",
        [4, 5, 6],
        [1],
    ]


def test_the_order_of_the_checks_and_a_check_named_twice_change_nothing() -> None:
    lines, _ = run(
        QUALITY,
        "quality",
        "--jsonl",
        stdin=b'["harmless","helpful"]\n["helpful","harmless","helpful"]\n',
    )
    assert lines[0] == lines[1]


def test_nested_without_end_is_a_bad_line_too() -> None:
    lines, _ = run(QUALITY, "quality", "--jsonl", stdin=b"[" * 100_000 + b"\n[]\n")
    assert "not readable as JSON" in lines[0]["error"]
    assert lines[1]["open"] == [4, 5, 6]


def test_every_answer_comes_before_the_next_question(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "rubric", "judge", QUALITY, "quality", "--jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for facts, scores in (([], [4, 5, 6]), (["harmful"], [1])):
            process.stdin.write(json.dumps(facts).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["open"] == scores
        process.stdin.close()
        assert process.wait(timeout=20) == 0


def test_the_command_answers_as_the_engine_does() -> None:
    (answer,), _ = run(QUALITY, "quality", "distracting_errors")
    assert answer == as_plain(verdict_on(response_quality(), "distracting_errors"))


def test_without_a_database_a_slug_stands_for_the_document_that_ships(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Not the folder of the tests: another process may have made their database by now.
    monkeypatch.setitem(connection.settings_dict["EMBEDDED"], "data", tmp_path)
    assert find_rubric("dialogue") == shipped("dialogue")
    assert find_rubric("summeval") == shipped("summeval")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(
        LookupError, match=r"is no rubric here; load one with manage\.py rubric load FILE"
    ):
        find_rubric("nothing")


@pytest.mark.django_db
def test_a_slug_stands_for_the_newest_version() -> None:
    document = shipped("dialogue")
    assert find_rubric("dialogue") == document
    content = {**_plain("dialogue"), "title": "Dialogue, revised"}
    Rubric.objects.load(parse(content), now=NOW)
    assert find_rubric("dialogue").title == "Dialogue, revised"


@pytest.mark.django_db
def test_a_rubric_of_ones_own_is_found_by_its_slug() -> None:
    Rubric.objects.load(parse({**_plain("dialogue"), "slug": "ours"}), now=NOW)
    (answer,), status = run("ours", "coherence", "irrelevant")
    assert (answer["open"], status) == ([1, 2], 0)


def _plain(slug: str) -> dict:
    return dump(shipped(slug))


# --- items ---


def judged_items(*items: object) -> list[dict]:
    asked = "".join(f"{json.dumps(item)}\n" for item in items).encode()
    lines, status = run(QUALITY, "quality", "--item", stdin=asked)
    assert status == 0
    return lines


def test_an_item_is_answered_by_each_verdict_and_the_pairs_out_of_order() -> None:
    repeating = {"checks": ["repeats_itself"], "score": 5}
    helpful, copied = {"checks": ["helpful"], "score": 5}, {"checks": ["plagiarised"], "score": 3}
    (answer,) = judged_items([helpful, repeating, copied, {"checks": ["harmful"], "score": 1}])
    assert [target["open"] for target in answer["targets"]] == [[4, 5, 6], [2], [3], [1]]
    assert [(pair["lower"], pair["higher"]) for pair in answer["out_of_order"]] == [(1, 0), (1, 2)]
    assert {pair["clause"] for pair in answer["out_of_order"]} == {"RQ-11"}


def test_a_target_of_an_item_has_all_that_a_single_verdict_has() -> None:
    (answer,) = judged_items([{"checks": ["distracting_errors"]}])
    assert answer == {
        "targets": [as_plain(verdict_on(response_quality(), "distracting_errors"))],
        "out_of_order": [],
    }


def test_a_target_without_a_score_is_out_of_no_order() -> None:
    (answer,) = judged_items([{"checks": ["repeats_itself"]}, {"checks": [], "score": None}])
    assert [target["open"] for target in answer["targets"]] == [[2, 3, 4, 5], [4, 5, 6]]
    assert answer["out_of_order"] == []


def test_checks_that_clash_are_told_at_their_target() -> None:
    (answer,) = judged_items([{"checks": ["honest", "false_claim"]}, {"checks": []}])
    assert answer["targets"][0]["clauses"] == ["RQ-08"]
    assert answer["targets"][1]["open"] == [4, 5, 6]


@pytest.mark.parametrize(
    "item",
    [
        {},
        ["helpful"],
        [{"score": 4}],
        [{"checks": "helpful"}],
        [{"checks": [], "score": 8}],
        [{"checks": [], "score": True}],
        [{"checks": [], "score": "4"}],
        [{"checks": [], "scored": 4}],
    ],
)
def test_an_item_of_another_shape_is_answered_with_its_line_and_what_to_write(item: object) -> None:
    bad, good = judged_items(item, [])
    assert bad["error"] == (
        'line 1: expected a JSON list of {"checks": ["harmless"], "score": n, '
        '"answered": ["honest"]}, with n from 1 to 7, null or left out'
    )
    assert good == {"targets": [], "out_of_order": []}


def test_an_unknown_check_in_an_item_is_named() -> None:
    (answer,) = judged_items([{"checks": ["nope"], "score": 4}])
    assert answer["checks"] == ["nope"]


def test_lines_are_checks_or_items_and_not_both() -> None:
    (answer,), status = run(QUALITY, "quality", "--item", "--jsonl")
    assert (status, answer["error"]) == (1, "--jsonl and --item read different lines; choose one")


def test_a_force_decides_and_what_it_excludes_is_named() -> None:
    (line,), status = run(QUALITY, "quality", "plagiarised", "helpful", "harmless")
    assert status == 0
    assert (line["open"], line["forced"], line["excluded"]) == ([3], 3, ["helpful"])
    (line,), status = run(QUALITY, "quality", "harmful", "plagiarised", "helpful")
    assert (line["open"], status, "excluded" in line) == ([1], 0, False)
    assert [remark["clause"] for remark in line["remarks"]] == ["RQ-07"]
