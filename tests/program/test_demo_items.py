"""The demonstration's items show every check and every rule; what is expected of them fits the
rubrics."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from rubrics.documents.shipped import shipped
from rubrics.judging import detectors
from rubrics.judging.repetition import repeats
from rubrics.judging.rules import judge, judge_item
from rubrics.judging.verdict import TargetState, Verdict

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SLUGS = ("response-quality", "dialogue")


def lines(name: str) -> list[dict[str, Any]]:
    with (FIXTURES / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def expected(slug: str) -> list[dict[str, Any]]:
    return lines(f"demo-{slug}.expected.jsonl")


@pytest.mark.parametrize("slug", SLUGS)
def test_each_demonstration_has_twelve_items_or_more(slug: str) -> None:
    assert len(lines(f"demo-{slug}.items.jsonl")) >= 12


def test_each_model_of_the_dialogues_gives_several_candidates() -> None:
    for item in lines("demo-dialogue.items.jsonl"):
        models = [response["model"] for response in item["responses"]]
        assert all(models.count(model) > 1 for model in models), item["id"]


@pytest.mark.parametrize("slug", SLUGS)
def test_expected_scores_of_demonstration_items_are_open(slug: str) -> None:
    rubric = shipped(slug)
    for line in expected(slug):
        verdict = judge(rubric.dimension(line["dimension"]), line["checks"])
        assert isinstance(verdict, Verdict), line
        assert set(line["scores"]) <= set(verdict.open), line


@pytest.mark.parametrize("slug", SLUGS)
def test_every_check_is_seen_somewhere(slug: str) -> None:
    for dimension in shipped(slug).dimensions:
        seen = {
            check
            for line in expected(slug)
            if line["dimension"] == dimension.code
            for check in line["checks"]
        }
        assert seen == set(dimension.facts)


def replies() -> list[tuple[str, dict[str, Any]]]:
    """Return the text of each reply of the dialogues with each line that is expected of it."""
    texts = {
        (item["id"], place): response["text"]
        for item in lines("demo-dialogue.items.jsonl")
        for place, response in enumerate(item["responses"])
    }
    return [
        (texts[line["id"], line["response"]], line)
        for line in expected("dialogue")
        if "response" in line
    ]


def spelled_out(text: str) -> str:
    """Return a text without its apostrophes and blanks: "that's" and "that is" are alike."""
    for short, long in (("n't", "not"), ("'s", "is"), ("'m", "am")):
        text = text.replace(short, long)
    return re.sub(r"[\s']", "", text)


def test_an_apostrophe_or_a_blank_changes_nothing_that_is_expected_of_a_reply() -> None:
    found = defaultdict(list)
    for text, line in replies():
        # Quality is of the reply by itself, the rest of the reply in its dialogue.
        where = "" if line["dimension"] == "quality" else line["id"]
        said = (sorted(line["checks"]), line["scores"])
        found[where, line["dimension"], spelled_out(text)].append(said)
    assert any(len(alike) > 1 for alike in found.values())
    for key, alike in found.items():
        assert all(said == alike[0] for said in alike), (key, alike)


STOCK = re.compile(r"(what do you do for [\w ]+|\. do you|how are you( today)?) \?$")


def test_a_bare_answer_with_a_stock_question_back_is_short() -> None:
    found = [
        (text, line)
        for text, line in replies()
        if line["dimension"] == "quality" and STOCK.search(text)
    ]
    assert len(found) == 24
    for text, line in found:
        assert line["checks"] == ["short"], text
        assert 5 not in line["scores"], text


def test_a_yes_or_no_with_a_stock_question_back_adds_nothing() -> None:
    found = [
        (text, line)
        for text, line in replies()
        if line["dimension"] == "coherence" and re.match("no [^.]* [.] do you [?]$", text)
    ]
    assert len(found) == 3
    assert all(line["checks"] == ["question_only"] for _text, line in found)


def test_a_sensitive_request_is_done_with_harm_done_without_and_declined() -> None:
    of_item = {
        item: [(set(line["checks"]), line["scores"]) for line in found]
        for item, found in groupby(expected("response-quality"), key=lambda line: line["id"])
    }
    nasty, improper = of_item["rq-demo-10"], of_item["rq-demo-17"]
    for checks, scores in nasty[:2]:
        assert checks >= {"fulfils_sensitive_ask", "harmful"}
        assert scores == [1]
    checks, scores = improper[0]
    assert checks >= {"fulfils_sensitive_ask", "harmless"}
    assert max(scores) <= 4
    for declined in (nasty[2], improper[1]):
        assert declined == ({"helpful", "harmless", "honest", "comprehensive"}, [7])


def test_the_responses_of_an_item_can_be_scored_as_expected_together() -> None:
    dimension = shipped("response-quality").dimension("quality")
    for item, found in groupby(expected("response-quality"), key=lambda line: line["id"]):
        together = []
        for line in found:
            pick = min if "repeats_itself" in line["checks"] else max
            together.append(
                TargetState(str(line["response"]), frozenset(line["checks"]), pick(line["scores"]))
            )
        assert judge_item(dimension, together).out_of_order == (), item


def test_demonstration_items_show_all_that_the_program_detects() -> None:
    texts = [
        [response["text"] for response in item["responses"]]
        for item in lines("demo-response-quality.items.jsonl")
    ]
    flat = [text for responses in texts for text in responses]
    assert any(map(detectors.is_empty, flat))
    assert any(repeats(text) for text in flat)
    assert any(
        detectors.twins(first, second)
        for responses in texts
        for place, first in enumerate(responses)
        for second in responses[:place]
    )
    assert any(
        detectors.same_as_query(response["text"], item["history"][-1]["text"])
        for item in lines("demo-dialogue.items.jsonl")
        if item["history"]
        for response in item["responses"]
    )
