"""Faulty rubrics, each with one fault: the proof finds it and names it.

`tests/mutations/README.md` tells how the files are written.
"""

import re
from collections.abc import Collection
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from rubrics.documents.document import dump, parse, parse_stored
from rubrics.documents.proof import findings
from rubrics.documents.wellformed import faults_in
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging.dimension import Dimension
from rubrics.judging.rules import judge
from rubrics.judging.schema import Rubric
from rubrics.judging.verdict import Verdict

KEPT = Path(__file__).parents[1] / "mutations"
SHIPPED = Path(__file__).parents[2] / "fixtures"
FAULTY = sorted((KEPT / "faulty").glob("*.yaml"))
SOUND = sorted((KEPT / "sound").glob("*.yaml"))


def check_of(code: str, kind: str | dict[str, str | None]) -> dict[str, Any]:
    """Return a check: a tick, a detected one by its detector, or a question by its answers."""
    if kind == "tick":
        return {"code": code, "kind": "tick", "wording": code}
    if isinstance(kind, str):
        return {"code": code, "kind": "detected", "wording": code, "detector": kind}
    answers = [
        {"code": answer, "wording": answer} | ({"sets": fact} if fact else {})
        for answer, fact in kind.items()
    ]
    kind_of = "yes_no" if list(kind) == ["yes", "no"] else "one_of"
    return {"code": code, "kind": kind_of, "wording": code, "answers": answers}


def rule_of(rule: dict[str, Any]) -> dict[str, Any]:
    return {"clause": "M-1", "reason": "It is so."} | rule


@cache
def shipped(slug: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((SHIPPED / f"{slug}.yaml").read_text())
    return document


def mutated(kept: dict[str, Any]) -> dict[str, Any]:
    """Return the shipped document with the rules of one dimension changed."""
    document = deepcopy(shipped(kept["of"]))
    (dimension,) = (one for one in document["dimensions"] if one["code"] == kept["dimension"])
    rules = {rule["code"]: rule for rule in dimension["rules"]}
    for rule in kept.get("replace", ()):
        assert rule["code"] in rules
        rules[rule["code"]] = rule_of(rule)
    for rule in kept.get("add", ()):
        assert rule["code"] not in rules
        rules[rule["code"]] = rule_of(rule)
    dimension["rules"] = list(rules.values())
    return document


def made(kept: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the document of a rubric that is kept without its texts."""
    lowest, highest = kept["scores"]
    return {
        "slug": name.replace("_", "-"),
        "title": name,
        "summary": "A small rubric.",
        "dimensions": [
            {
                "code": "rating",
                "short": "Rating",
                "title": "Rating",
                "question": "How good is it?",
                "unit": "response",
                "lowest": lowest,
                "highest": highest,
                "levels": [
                    {"score": score, "label": f"L{score}", "definition": f"Level {score}."}
                    for score in range(lowest, highest + 1)
                ],
                "checks": [check_of(code, kind) for code, kind in kept["checks"].items()],
                "rules": [rule_of(rule) for rule in kept["rules"]],
            }
        ],
    }


@cache
def kept_in(file: Path) -> tuple[dict[str, Any], Rubric]:
    """Return what a file holds, and the rubric that it makes."""
    kept: dict[str, Any] = yaml.safe_load(file.read_text())
    content = mutated(kept) if "of" in kept else made(kept, file.stem)
    return kept, parse_stored(content)


# Each kind of fault: whether it is refused, and what its finding says.
KINDS = {
    "no_score": (True, "no score is left"),
    "equal_forces": (True, "give one a higher precedence"),
    "impossible": (True, "asks for what no answers give"),
    "two_ranks": (True, "are all rank_below"),
    "rank_not_met": (True, "can’t be met"),
    "detected_clash": (True, "detected, all answers clash"),
    "no_effect": (False, "has no effect of its own"),
    "never_ranks": (False, "never ranks"),
    "unreached": (False, "no answers reach"),
    "always_forces": (False, 'has no "when"'),
}


def named_by(text: str, dimension: Dimension) -> tuple[set[str], set[str], set[str]]:
    """Return the rules, the facts and the numbers that a finding names after its path."""
    said = text.partition(": ")[2]
    words = set(re.findall(r"\w+", said))
    facts = set(re.findall(r'"(\w+)"', said)).intersection(dimension.facts)
    return words & {rule.code for rule in dimension.rules}, facts, set(re.findall(r"\b\d+\b", said))


def is_named(case: dict[str, Any], text: str, dimension: Dimension) -> bool:
    """Return True if the finding names exactly the rules and facts of the case."""
    rules, facts, numbers = named_by(text, dimension)
    choice = set(case.get("one_of", ()))
    return (
        rules == set(case.get("rules", ()))
        and facts - choice == set(case.get("facts", ()))
        and len(facts & choice) == bool(choice)
        and ("score" not in case or numbers == {str(case["score"])})
    )


def place_of(kept: dict[str, Any], rubric: Rubric) -> tuple[Dimension, str]:
    """Return the dimension with the fault, and its path."""
    code = kept.get("dimension", "rating")
    dimension = rubric.dimension(code)
    return dimension, f"dimensions.{dimension.code}."


def open_to(dimension: Dimension, facts: Collection[str]) -> tuple[int, ...]:
    verdict = judge(dimension, facts)
    assert isinstance(verdict, Verdict)
    return verdict.open


def test_thirty_are_faulty_and_ten_are_sound() -> None:
    assert (len(FAULTY), len(SOUND)) == (30, 10)
    assert {kept_in(file)[0]["kind"] for file in FAULTY} == set(KINDS)


@pytest.mark.parametrize("file", FAULTY, ids=lambda file: file.stem)
def test_the_proof_finds_the_fault_and_names_its_smallest_case(file: Path) -> None:
    kept, rubric = kept_in(file)
    dimension, path = place_of(kept, rubric)
    is_refused, says = KINDS[kept["kind"]]
    assert not list(faults_in(rubric))

    found = list(findings(rubric))

    of_this_kind = [each for each in found if says in each.text]
    assert of_this_kind
    for each in of_this_kind:
        assert any(is_named(case, each.text, dimension) for case in kept["names"]), each.text
        assert each.text.startswith(path)
    # Nothing but this fault refuses the document.
    assert [each for each in found if each.is_fault] == (of_this_kind if is_refused else [])


@pytest.mark.parametrize("file", FAULTY, ids=lambda file: file.stem)
def test_a_faulty_rubric_is_refused_or_only_spoken_of(file: Path) -> None:
    kept, rubric = kept_in(file)
    is_refused, says = KINDS[kept["kind"]]

    if is_refused:
        with pytest.raises(DocumentError, match=says):
            parse(dump(rubric))
    else:
        assert parse(dump(rubric)) == rubric


@pytest.mark.parametrize(
    "file",
    [file for file in FAULTY if "kind: no_score" in file.read_text()],
    ids=lambda file: file.stem,
)
def test_no_fact_of_a_case_without_a_score_can_be_left_out(file: Path) -> None:
    kept, rubric = kept_in(file)
    dimension, _path = place_of(kept, rubric)

    for case in kept["names"]:
        assert open_to(dimension, case["facts"]) == ()
        for fact in case["facts"]:
            assert open_to(dimension, {*case["facts"]} - {fact})


@pytest.mark.parametrize("file", SOUND, ids=lambda file: file.stem)
def test_the_proof_finds_nothing_in_a_rubric_that_only_looks_faulty(file: Path) -> None:
    _kept, rubric = kept_in(file)

    assert list(findings(rubric)) == []
    assert parse(dump(rubric)) == rubric
