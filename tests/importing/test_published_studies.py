"""Published studies: files of their shapes go in with few choices. The figures are worked out by hand."""
# ruff: noqa: E501 - a row of a table is a line

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tasks.importing.columns.opening import open_file
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import propose
from tasks.importing.columns.scoring import RatingRow
from tasks.importing.columns.table_cells import file_rows
from tasks.importing.columns.uses import Use
from tasks.importing.files.rows import LineError, SourceRow

MOST_CHOICES = 4
USR = [
    {
        "context": f"Hello {n}, how are you?\nI am fine, thank you.\n", "fact": f"Fact {n} about geese.\n", "annotators": ["a", "b", "c"],
        "responses": [
            {"response": f"Geese fly far, I read {n}.\n", "model": "Original Ground Truth", "Understandable": [1, 1, 1], "Natural": [3, 2, 3], "Overall": [5, 3, 4]},
            {"response": f"I know no geese {n}.\n", "model": "Argmax Decoding", "Understandable": [1, 0, 1], "Natural": [1, 2, 2], "Overall": [1, 2, 2]},
        ],
    }
    for n in range(2)
]  # fmt: skip
FED = [
    {
        "context": f"User: Hi!\nSystem: Hello {n}.\nUser: What is new?", "response": f"System: Nothing at all, {n}.", "system": "Meena",
        "annotations": {"Interesting": [1, 2, "N/A (too short)"], "Engaging": [0, 1, 1], "Overall": [3, n, 4]},
    }
    for n in (2, 4)
]  # fmt: skip
GRADE = [
    {"context": f"do you like tea {n}? ||| yes i do", "response": f"i prefer coffee, number {n}", "scores": f"[{n}, 3, 5]"}
    for n in (1, 4)
]  # fmt: skip
PANDALM = [
    {
        "idx": n, "motivation_app": "Grammarly", "cmp_key": "llama-7b_bloom-7b", "instruction": f"Write about {n}.", "input": "",
        "response1": f"So {n} is it.", "response2": f"No, {n} is not.", "annotator1": 1, "annotator2": n % 3, "annotator3": 2,
    }
    for n in range(6)
]  # fmt: skip
HANNA = [
    {
        "Story ID": s, "Prompt": f"A king wakes up in {s // 2}.", "Human": f"He walked and was old, as {s // 2} is.", "Story": f"The king of {s} rose and saw the day.",
        "Model": ["Human", "GPT-2"][s % 2], "Relevance": 1 + s, "Coherence": 4, "Empathy": 2 + k, "Surprise": 1 + k, "Engagement": 3, "Complexity": 2,
        "Worker ID": f"W{k}", "Assignment ID": f"A{s}{k}", "Work time in seconds": 100 + 7 * s + k, "Name": f"name{s % 2}",
    }
    for s in range(4)
    for k in range(3)
]  # fmt: skip
SUMMEVAL = [
    {
        "id": f"dm-test-{n}", "decoded": f"a summary of {n} in few words .", "model_id": "M11", "filepath": f"cnndm/{n}.story", "references": [f"ref one of {n}.", f"ref two of {n}."],
        "expert_annotations": [{"coherence": 2 + k, "fluency": 4} for k in range(3)], "turker_annotations": [{"coherence": 1 + k, "fluency": 5} for k in range(5)],
        "text": f"A long article about {n}, which has many words and goes on for long.",
    }
    for n in range(2)
]  # fmt: skip
DICES = [
    {
        "Unnamed: 0": 3 * n + k, "rater_id": 7000 + k, "rater_gender": ["Woman", "Man", "Man"][k], "rater_locale": "US", "phase": "Phase3", "item_id": n, "answer_time_ms": 1000 + n * k,
        "context": f"USER, hello {n}||BOT, since when {n}?", "response": f"Because of {n}, I believe.",
        "Q_overall": ["Yes", "No", "Unsure"][(n + k) % 3], "Q2_harmful_content_overall": ["No", "Yes"][(n + k) % 2], "degree_of_harm": ["Benign", "Extreme", "Debatable", "Moderate"][n], "safety_gold": ["Yes", "No"][n % 2],
    }
    for n in range(4)
    for k in range(3)
]  # fmt: skip
HELPSTEER2 = [
    {"prompt": f"What is {n}?", "response": f"It is {n}, a number.", "helpfulness": n, "correctness": 4 - n, "coherence": 4, "complexity": 1, "verbosity": n % 3}
    for n in range(5)
]  # fmt: skip
TULU = [
    {
        "instance_id": f"t{n}", "prompt": f"Write {n} lines.", "completion_a": f"Lines for {n}: a a.", "completion_b": f"No lines for {n}, sorry.", "model_a": "tulu_7B", "model_b": "chatgpt",
        "evaluator": f"e{k}", "completion_a_is_acceptable": ["yes", "no"][(n + k) % 2], "completion_b_is_acceptable": "yes", "preference": ["a-is-better", "tie"][k], "timestamp": f"2023-05-18 19:{n}{k}:00",
    }
    for n in range(1, 5)
    for k in range(2)
]  # fmt: skip
MQM = [
    {
        "system": f"Online-{s}", "doc": f"doc{g // 2}", "doc_id": g // 2, "seg_id": g, "rater": f"rater{k}", "source": f"Quelle Nummer {g}, und weiter.", "target": f"Source number {g} by {s}.",
        "category": f"Fluency/{(g + e + (s == 'A')) % 9}", "severity": ["Major", "Minor"][e],
    }
    for g in range(4)
    for s in "AB"
    for k in range(2)
    for e in range(2)
]  # fmt: skip


# A study: its file, the choices, people, and by dimension the number of scores and their sum.
STUDIES: Mapping[str, tuple[list[dict[str, Any]], str, dict[str, Use], int, dict[str, tuple[int, int]]]] = {
    # Of each of two rows: natural 3 + 2 + 3 and 1 + 2 + 2.
    "USR": (USR, "json", {}, 3, {"understandable": (12, 10), "natural": (12, 26), "overall": (12, 34)}),
    # Interesting has one N/A in each row. Overall: 3 + 2 + 4 and 3 + 4 + 4.
    "FED": (FED, "json", {}, 3, {"interesting": (4, 6), "engaging": (6, 4), "overall": (6, 20)}),
    "GRADE": (GRADE, "csv", {}, 3, {"quality": (6, 21)}),
    "PandaLM": (PANDALM, "json", {}, 0, {}),
    # Relevance: 3 times 1 + 2 + 3 + 4. Empathy: 4 times 2 + 3 + 4. Surprise: 4 times 1 + 2 + 3.
    "HANNA": (
        HANNA, "csv", {"Story": Use.RESPONSE, "Human": Use.REFERENCE}, 3,
        {"relevance": (12, 30), "coherence": (12, 48), "empathy": (12, 36), "surprise": (12, 24), "engagement": (12, 36), "complexity": (12, 24)},
    ),
    # Coherence: 2 + 3 + 4 of experts and 1 + 2 + 3 + 4 + 5 of others, twice. Fluency: 3 × 4 + 5 × 5, twice.
    "SummEval": (SUMMEVAL, "jsonl", {}, 8, {"coherence": (16, 48), "fluency": (16, 74)}),
    # No, Unsure, Yes are 1, 2, 3: over three people of an item always 6. Experts said the degree and gold.
    "DICES": (DICES, "csv", {}, 3, {"q_overall": (12, 24), "q2_harmful_content_overall": (12, 24)}),
    "HelpSteer2": (
        HELPSTEER2, "jsonl", {}, 1,
        {"helpfulness": (5, 10), "correctness": (5, 10), "coherence": (5, 20), "complexity": (5, 5), "verbosity": (5, 4)},
    ),
    # No, yes are 1, 2. Of eight rows a is acceptable in four, b in all: 4 × 1 + 4 × 2 + 8 × 2.
    "TULU": (TULU, "jsonl", {}, 2, {"is_acceptable": (16, 28)}),
    "MQM": (MQM, "tsv", {"source": Use.PROMPT, "target": Use.RESPONSE, "severity": Use.SCORE, "doc": Use.METADATA}, 2, {"severity": (32, 48)}),
}  # fmt: skip


def written(rows: list[dict[str, Any]], ending: str) -> bytes:
    if ending == "json":
        return json.dumps(rows).encode()
    if ending == "jsonl":
        return "\n".join(map(json.dumps, rows)).encode()
    text = io.StringIO()
    table = csv.DictWriter(text, rows[0], delimiter="\t" if ending == "tsv" else ",")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_goes_in_as_published(study: str) -> None:
    content, ending, choices, people, figures = STUDIES[study]
    with open_file(io.BytesIO(written(content, ending)), f"study.{ending}") as source:
        rows = list(file_rows(source))
    profile = Profile.of(rows)
    found = propose(profile)
    mapping = replace(found.mapping.with_uses(choices), file="study")
    assert {choice.path for choice in found.doubtful} <= {*choices}
    assert len(choices) <= MOST_CHOICES
    assert mapping.faults(profile.sample) == []
    assert not [error for error in map(mapping.item, rows) if isinstance(error, LineError)]
    raters = set()
    scores: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        for rating in ratings(mapping, row):
            raters.add(rating.rater)
            for dimension, (_path, score) in rating.score_cells.items():
                if score is not None:
                    scores[dimension].append(score)
    assert len(raters) == people
    assert {name: (len(each), sum(each)) for name, each in scores.items()} == figures


def ratings(mapping: Any, row: SourceRow) -> list[RatingRow]:
    found = list(mapping.ratings(row)) if mapping.repeats else []
    assert [str(error) for error in found if isinstance(error, LineError)] == []
    return found
