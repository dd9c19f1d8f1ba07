"""Files of any shape: each of fixtures/shapes is recognised, each `-near` is asked about."""
# ruff: noqa: E501 - the sentences are as long as they are

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tasks.importing.columns.items import NewItem
from tasks.importing.columns.layouts import LAYOUTS
from tasks.importing.columns.mapping import Mapping
from tasks.importing.columns.opening import open_file
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import Proposal, propose
from tasks.importing.columns.sample import Sample, leaves
from tasks.importing.columns.table_cells import file_rows
from tasks.importing.columns.uses import Use
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.rows import LineError, SourceRow, Unreadable

from .import_steps import (
    FIXTURES,
    JSON,
    TEXTS,
)

FOLDER = FIXTURES.parent / "shapes"
A1, B1 = "The Danube.", "The Danube runs through Vienna, past the old harbour."
A2, B2 = "Eight, in four pairs.", "Eight; it's four more than you'd like."
Q1, Q2 = "Which river runs through Vienna?", "How many legs does a spider have?"
SYSTEM = "Answer in one short sentence."
PERSONA = ("i grow roses .", "my cat is called olive .", "i never eat fish .")
PARTS = {"datasets-server": "rows"}  # of files that hold several lists


def rows_in(path: Path) -> list[SourceRow]:
    part = PARTS.get(path.stem.removesuffix("-near"), "")
    options = ReadingOptions(part=part)
    with path.open("rb") as file, open_file(file, path.name, options) as source:
        return list(file_rows(source))


def rows(*contents: dict[str, Any]) -> list[SourceRow]:
    return [SourceRow(line, content, "") for line, content in enumerate(contents, start=1)]


def seen(*contents: dict[str, Any]) -> Sample:
    return Profile.of(rows(*contents)).sample


def guessed(*contents: dict[str, Any]) -> Proposal:
    return propose(Profile.of(rows(*contents)))


def item(found: Proposal, row: SourceRow) -> NewItem:
    made = found.mapping.item(row)
    assert isinstance(made, NewItem), made
    return made


def items_in(path: Path) -> list[NewItem]:
    there = rows_in(path)
    profile = Profile.of(there)
    found = propose(profile)
    assert (found.doubtful, found.mapping.faults(profile.sample)) == ((), [])
    mapping = replace(found.mapping, file=path.stem)
    items = [(mapping.item(row)) for row in there]
    assert all(isinstance(item, NewItem) for item in items), items
    return [item for item in items if isinstance(item, NewItem)]


def told(item: NewItem) -> dict[str, Any]:
    """What an item is, without what it lacks."""
    found = {
        "id": item.external_id,
        "says": [(turn.role[0], turn.text) for turn in item.messages],
        "responses": [(each.model, each.text) for each in item.responses],
        **{
            name: getattr(item, name)
            for name in ("persona", "system", "context", "reference", "source")
        },
        "metadata": set(item.metadata),
    }
    return {name: value for name, value in found.items() if value}


def one(id: str, response: str = A1, model: str = "", **more: Any) -> dict[str, Any]:
    return {"id": id, "says": [("u", Q1)], "responses": [(model, response)], **more}


# The first item of each fixture.
FIRST = {
    "own.jsonl": one("1", model="heron", metadata={"topic", "seed"}),
    "chat.jsonl": one("chat:1", system=SYSTEM),
    "sharegpt.json": one("rivers_0"),
    "wildchat.jsonl": one("wildchat:1", model="gpt-4-0314"),
    "plain.csv": one("q1", model="heron"),
    "pandas.json": one("q1", model="heron"),
    "response-list.jsonl": one("response-list:1", source="evol_instruct") | {"responses": [("wizardlm-7b", A1), ("starchat", B1)]},
    "nectar.jsonl": one("nectar:1", source="sharegpt", metadata={"answers[*].rank", "turns", "num_responses", "good_natured"}) | {"responses": [("gpt-4", A1), ("llama-2-7b-chat", B1)]},
    "open-assistant.jsonl": one("m1", metadata={"tree", "prompt", "replies"}) | {"responses": [("", A1), ("", B1)]},
    "open-assistant-messages.csv": one("m1", metadata={"tree", "prompt", "replies"}) | {"responses": [("", A1), ("", B1)]},
    "openai-batch.jsonl": one("request-1", model="gpt-4o-mini-2024-07-18", system=SYSTEM),
    "anthropic-batch.jsonl": one("request-1", model="claude-sonnet-4-5", system=SYSTEM),
    "preference.jsonl": one("p1", metadata={"prompt", "messages", "score_chosen", "score_rejected"}) | {"responses": [("chosen", B1), ("rejected", A1)]},
    "hh-rlhf.jsonl": {
        "id": "hh-rlhf:1",
        "says": [("u", Q1), ("a", A1), ("u", Q2)],
        "responses": [("chosen", A2), ("rejected", B2)],
    },
    "pairs.csv": one("101", metadata={"winner_model_a", "winner_model_b", "winner_tie"}) | {"responses": [("gpt-4-1106-preview", A1), ("gpt-4-0613", B1)]},
    "arena.jsonl": one("0a1b2c", metadata={"winner", "judge", "turn", "anony", "language", "tstamp", "openai_moderation", "toxic_chat_tag"}) | {"responses": [("chatglm-6b", A1), ("koala-13b", B1)]},
    "per-model.csv": one("p1", metadata={"topic"}) | {"responses": [("gpt-4o", A1), ("claude-3-opus", B1)]},
    "alpaca.json": one("alpaca:[0]", context="Vienna") | {"says": [("u", "Name the river that runs through the city.")]},
    "alpaca-eval.json": one("alpaca-eval:[0]", model="heron-7b", source="helpful_base", metadata={"datasplit"}),
    "mt-bench.jsonl": {
        "id": "901",
        "says": [("u", "Write a line about rain."), ("a", "Rain sings on tin."), ("u", "Now without the word rain.")],
        "responses": [("gpt-4", "Drops sing on tin.")],
        "metadata": {"category", "answer_id", "choices[*].index", "tstamp"},
    },
    "helpsteer.jsonl": one("helpsteer:1"),
    "mturk.csv": one("HIT1"),
    "label-studio.json": one("1", metadata={"created_at", "updated_at", "project", "predictions"}),
    "argilla.json": one("r1", metadata={"status", "metadata", "suggestions", "vectors", "_server_id"}),
    "argilla-v1.json": one("r1", metadata={"metadata", "suggestions", "vectors"}),
    "datasets-server.json": one("0"),
    "langfuse.json": one("trace-1"),
    "langfuse-observations.json": one("observation-1", model="gpt-4o", system=SYSTEM),
    "lm-eval.jsonl": one("0", reference=A1) | {"says": [("u", f"Q: {Q1}\nA:")]},
    "inspect-ai.json": one("1", model="gpt-4-0613", reference="Danube", system=SYSTEM),
    "persona-dialogue.jsonl": {
        "id": "persona-dialogue:1",
        "says": [("u", "good evening !"), ("a", "hello , i was in the garden . and you ?"), ("u", "what will you cook ?")],
        "responses": [("", "soup , but no fish in it .")],
        "persona": PERSONA,
    },
    "braintrust.jsonl": one("row-1", model="heron-7b", reference="Danube"),
    "deepeval.json": one("deepeval:[0]", reference="Danube", context="Vienna lies on a river."),
    "gemini-batch.jsonl": one("request-1", model="gemini-2.0-flash", system=SYSTEM),
    "helm.jsonl": one("id0", model="lab/heron-7b"),
    "langsmith.jsonl": one("run-1", model="heron-7b", reference="Danube"),
    "mlflow.jsonl": one("mlflow:1", reference="Danube"),
    "openai-eval-run.jsonl": one("outputitem_1", model="gpt-4o-mini-2024-07-18"),
    "openai-evals.jsonl": one("rivers.dev.0"),
    "opik.jsonl": one("trace-1"),
    "phoenix.csv": one("0000000000000000", model="gpt-x"),
    "prism.jsonl": one("int0", model="heron-7b"),
    "prometheus.json": one("prometheus:[0]", reference=B1),
    "promptfoo.jsonl": one("promptfoo:1", model="openai:gpt-4o") | {"says": [("u", f"Answer: {Q1}")]},
    "promptfoo-table.csv": one("promptfoo-table:2") | {"responses": [("openai:gpt-4o", A1), ("anthropic:claude-3", f"{A1} I say so because I have looked it up.")]},
    "toloka.tsv": one("task1", metadata={"GOLDEN:fluency", "HINT:text", "HINT:default_language"}),
    "wildbench.jsonl": one("session-1", model="heron-7b"),
    "ratings.jsonl": {"id": "e1", "responses": [("heron", "")]},
    "our-answers.csv": {"id": "first", "responses": [("gull", "")]},
    "our-export.csv": {"id": "e1", "responses": [("heron", "")]},
    "our-wide.csv": {"id": "e1", "responses": [("", "")]},
}  # fmt: skip
# Of their layouts none nearly fits another file.
TOOLS = (
    *("braintrust", "deepeval", "gemini-batch", "helm", "langsmith", "mlflow", "openai-eval-run"),
    *("openai-evals", "opik", "phoenix", "prism", "prometheus", "promptfoo"),
    *("toloka", "wildbench"),
)
# The metadata of these is long, and not what their shape is about.
LONG = {
    *(
        "openai-batch.jsonl",
        "anthropic-batch.jsonl",
        "inspect-ai.json",
        "lm-eval.jsonl",
        "wildchat.jsonl",
    ),
    *("response-list.jsonl", "langfuse.json", "langfuse-observations.json"),
    *(f"{name}.jsonl" for name in TOOLS),
    *("deepeval.json", "phoenix.csv", "prometheus.json"),
}

NEAR = {
    "own-near.jsonl": ["“response_2”: is it one more response to rate, or a reference that shows what is right?"],
    "chat-near.jsonl": ["“messages”: it ends with the assistant’s turn: is this a response, or before one?"],
    "sharegpt-near.json": ["“conversations”: conversations does not end with the assistant’s turn."],
    "plain-near.csv": ["“Answer”: is it one more response to rate, or a reference that shows what is right?"],
    "response-list-near.jsonl": ["“generations”: is it one more response to rate, or a reference that shows what is right?"],
    "open-assistant-near.jsonl": ["“text”: what is it?"],
    "openai-batch-near.jsonl": ["“response.body.choices[*].message.content”: It has no prompts: they are in the batch’s input file, in body.messages."],
    "preference-near.jsonl": ["“chosen”: is it one more response to rate, or a reference that shows what is right?", "“rejected”: is it one more response to rate, or a reference that shows what is right?"],
    "hh-rlhf-near.jsonl": ["“chosen”: chosen does not end with the assistant’s turn."],
    "pairs-near.csv": ["“response”: is it one more response to rate, or a reference that shows what is right?"],
    "arena-near.jsonl": ["“conversation_a”: conversation_a does not end with the assistant’s turn."],
    "per-model-near.csv": ["“heron”: what is it?", "“stork”: what is it?"],
    "alpaca-near.json": ["“output”: is it a response? It is empty in every row"],
    "alpaca-eval-near.json": ["“output_2”: is it one more response to rate, or a reference that shows what is right?"],
    "mt-bench-near.jsonl": ["Missing: a response. Your columns: question_id, category, turns, reference."],
    "helpsteer-near.jsonl": ["“response”: Some of its prompts hold several turns, each after the mark <extra_id_1>."],
    "mturk-near.csv": ["“Input.image_url”: what is it?"],
    "label-studio-near.json": ["“data.text”: what is it?"],
    "argilla-near.json": ["“fields.text”: what is it?"],
    "datasets-server-near.json": ["“row.output”: Some of its cells are cut off (truncated_cells): load the dataset itself."],
    "langfuse-near.json": ["“output”: is it a response? It is empty in every row"],
    "lm-eval-near.jsonl": ["“resps”: It has no text that was generated: gen_args_0.arg_1 holds no options."],
    "inspect-ai-near.json": ["“output.choices[*].message.content”: is it a response? It is empty in every row"],
    "ratings-near.csv": ["Missing: the item’s id. Your columns: Anna, Ben, Cem."],
    "our-answers-near.csv": ["“answer”: is it the response? Its few short texts look like a reference"],
    "our-wide-near.csv": ["“project”: what is it?"],
    "our-export-near.csv": ["“project”: what is it?"],
    "persona-dialogue-near.jsonl": ["“candidates”: Of its candidates only the last may be the one that was said."],
}  # fmt: skip


@pytest.mark.parametrize("name", FIRST)
def test_a_file_of_a_shape_is_recognised_and_its_first_item_is_this(name: str) -> None:
    found = told(items_in(FOLDER / name)[0])
    if name in LONG:
        found.pop("metadata", None)
    assert found == FIRST[name]


@pytest.mark.parametrize("name", FIRST)
def test_every_item_of_a_file_of_any_shape_comes_in(name: str) -> None:
    items = items_in(FOLDER / name)
    names = {item.external_id for item in items}
    assert len(names) >= 2
    # A file of ratings has a row for each.
    assert len(names) == len(items) or name in ("prism.jsonl", "toloka.tsv") or items[0].lacks_texts


@pytest.mark.parametrize("name", NEAR)
def test_a_file_that_nearly_fits_is_asked_about_with_the_reason(name: str) -> None:
    profile = Profile.of(rows_in(FOLDER / name))
    found = propose(profile)
    assert found.mapping.faults(profile.sample)
    sentences = found.sentences(profile)
    assert [sentence for sentence in NEAR[name] if sentence not in sentences] == []


def test_every_shape_has_a_fixture_and_one_that_nearly_fits() -> None:
    names = {path.name for path in FOLDER.glob("*.*")} - {"README.md"}
    assert names == {*FIRST, *NEAR}
    told_of = {name.partition(".")[0] for name in FIRST}
    near = {name.partition("-near.")[0] for name in NEAR}
    assert {*LAYOUTS} - {"columns"} - told_of == set()
    assert {*LAYOUTS} - {"columns", *TOOLS} - near == set()
    sources = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in told_of if f"| `{name}` |" not in sources] == []


# What the documents of the tools name besides.


def test_a_batch_of_the_responses_api_has_its_prompt_under_input() -> None:
    row = {
        "custom_id": "a",
        "response": {"body": {"output": [{"type": "reasoning"}, {"content": [{"text": A1}]}]}},
        "body": {"input": Q1, "instructions": SYSTEM},
    }
    made = item(guessed(row), rows(row)[0])
    assert told(made)["says"] == [("u", Q1)]
    assert made.system == SYSTEM


def test_a_request_of_a_batch_that_failed_is_an_error_of_its_row() -> None:
    good, *_rest = rows_in(FOLDER / "openai-batch.jsonl")
    failed = {"response": None, "error": {"code": "batch_expired", "message": "Late."}}
    assert isinstance(good.content, dict)
    mapping = guessed(good.content, good.content | failed).mapping
    error = mapping.item(rows(good.content | failed)[0])
    assert isinstance(error, LineError)
    assert error.reason == "is missing"


def test_a_sample_in_an_archive_of_inspect_was_said_by_the_model_of_its_run() -> None:
    sample_of_json, *_rest = rows_in(FOLDER / "inspect-ai.json")
    assert isinstance(sample_of_json.content, dict)
    row = {"model": "openai/gpt-4", "task": "rivers", **sample_of_json.content}
    found = guessed(row)
    assert found.doubtful == ()
    assert item(found, rows(row)[0]).responses[0].model == "openai/gpt-4"


def test_a_sample_of_inspect_whose_solver_asked_more_than_the_input_is_asked_about() -> None:
    answer = {"role": "assistant", "content": A1}
    said = {
        "more turns": [
            {"role": "user", "content": Q1},
            {"role": "assistant", "content": B1},
            {"role": "user", "content": "Sure?"},
        ],
        "a system prompt": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": Q1}],
        "a template": [{"role": "user", "content": f"{Q1} A) Danube B) Rhine"}],
    }
    row = {"epoch": 1, "input": Q1, "output": {"model": "m", "choices": [{"message": answer}]}}
    assert guessed(row | {"messages": [{"role": "user", "content": Q1}, answer]}).doubtful == ()
    for turns in said.values():
        whole = row | {"messages": [*turns, answer]}
        found = guessed(whole)
        assert found.questions == [
            "“output.choices[*].message.content”: Its messages hold more than the input, such as a system prompt; choose which annotators see."
        ]
        taken = found.mapping.with_uses(
            {
                "messages": Use.CHAT,
                "input": Use.UNUSED,
                "output.choices[*].message.content": Use.UNUSED,
            }
        )
        made = taken.item(rows(whole)[0])
        assert isinstance(made, NewItem)
        system = [{"role": "system", "content": made.system}] if made.system else []
        shown = [{"role": turn.role, "content": turn.text} for turn in made.messages]
        assert [*system, *shown] == turns
        assert made.responses[0].model == "m"


def test_rows_of_langfuses_storage_are_an_export_with_the_model() -> None:
    observation = {"id": "o", "trace_id": "t", "input": Q1, "output": A1}
    found = guessed(observation | {"provided_model_name": "gpt-4o"})
    assert found.mapping.shape == "langfuse"
    assert found.mapping.of(Use.MODEL) == ["provided_model_name"]


def test_every_use_has_a_label() -> None:
    assert all(str(use.label) for use in Use)


@pytest.mark.parametrize("name", ["chat.jsonl", "preference.jsonl", "per-model.csv", "alpaca.json"])
def test_within_an_outer_layout_a_file_is_what_it_is_alone(name: str) -> None:
    alone = rows_in(FOLDER / name)
    within = [{"row_idx": n, "row": row.content} for n, row in enumerate(alone, start=7)]
    made = item(guessed(*within), rows(*within)[0])
    wanted = FIRST[name] | {"metadata": FIRST[name].get("metadata", set()) | {"row_idx"}}
    if ":" in wanted["id"]:  # made of the line, and now there is a better one
        wanted = wanted | {"id": "7", "metadata": wanted["metadata"] - {"row_idx"}}
    assert told(made) == {name: value for name, value in wanted.items() if value}


def test_a_file_that_fits_as_a_whole_has_no_outer_layout() -> None:
    found = guessed({"prompt": Q1, "completions": [A1, B1], "data": {"seed": 1}})
    assert found.layout == "columns"
    assert found.mapping.of(Use.RESPONSE) == ["completions"]


# --- what is asked ---


def test_criteria_of_the_item_are_metadata_and_told() -> None:
    found = guessed({"id": "1", "prompt": Q1, "response": A1, "rubric": ["is short"]})
    assert found.mapping.columns["rubric"] is Use.METADATA
    assert found.remarks == (
        "The criteria in rubric are kept as metadata; the project’s rubric is asked.",
    )


def test_a_name_one_letter_off_ours_is_asked() -> None:
    found = guessed({"id": "1", "prompt": Q1, "response": A1, "sytem": "x"})
    assert found.questions == ["“sytem”: is “sytem” the system prompt?"]
    assert found.mapping.columns["sytem"] is Use.UNDECIDED


@pytest.mark.parametrize("name", ["mode", "score", "response_time", "modality", "prompt_tokens"])
def test_a_column_of_an_unknown_name_is_metadata(name: str) -> None:
    found = guessed({"id": "1", "prompt": Q1, "response": A1, name: "x"})
    assert (found.doubtful, found.mapping.columns[name]) == ((), Use.METADATA)


def test_a_response_empty_in_every_row_is_asked_and_one_empty_in_some_is_not() -> None:
    empty = {"id": "1", "prompt": Q1, "response": ""}
    assert [each.path for each in guessed(empty, empty | {"id": "2"}).doubtful] == ["response"]
    assert guessed(empty, empty | {"id": "2", "response": A1}).doubtful == ()


def test_a_conversation_that_cannot_be_shown_is_asked_about_and_then_an_error_of_its_row() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"name": "search"}]}
    row = {"id": "1", "messages": [{"role": "user", "content": Q1}, call], "response": A1}
    found = guessed(row)
    assert [each.path for each in found.doubtful] == ["messages"]
    error = found.mapping.with_uses({"messages": Use.CONVERSATION}).item(rows(row)[0])
    assert isinstance(error, LineError)
    assert (error.column, error.reason) == ("messages[1].tool_calls", "can’t be shown here")


def turns_with(found: Proposal, row: dict[str, Any]) -> list[tuple[str, str]]:
    made = item(found, rows(row)[0])
    return [(turn.role, turn.text) for turn in made.messages]


def test_the_prompt_after_a_history_of_two_names_is_of_the_one_who_did_not_speak_last() -> None:
    row = {"id": "1", "history": "A: Hi.\nB: Hello.", "prompt": Q1, "response": A1}
    found = guessed(row, row | {"id": "2"})
    assert turns_with(found, row) == [("A", "Hi."), ("B", "Hello."), ("A", Q1)]
    longer = row | {"history": "A: Hi.\nB: Hello.\nA: So."}
    assert turns_with(found, longer)[2:] == [("A", "So."), ("B", Q1)]
    assert found.remarks == (
        "history does not say who the user is: its speakers take turns, and the one who did not speak last says the prompt.",
    )


def test_texts_of_nobody_are_of_user_and_assistant_in_turn_and_that_is_told() -> None:
    row = {"dialog": ["Hi", "Hello", Q1, A1], "id": "1"}
    found = guessed(row, row | {"id": "2"})
    assert found.questions == [
        "“dialog”: is its last turn the response, or does it come before one?"
    ]
    assert found.remarks == ()
    chat = replace(found, mapping=found.mapping.with_uses({"dialog": Use.CHAT}))
    assert turns_with(chat, row) == [("user", "Hi"), ("assistant", "Hello"), ("user", Q1)]
    assert item(chat, rows(row)[0]).responses[0].text == A1
    before = guessed(row | {"response": A1}, row | {"id": "2", "response": B1})
    assert before.remarks == ("Nothing says who speaks in dialog: user and assistant take turns.",)
    after = before.mapping.with_uses({"dialog": Use.CONVERSATION, "q": Use.PROMPT})
    both = {"dialog": ["Hi", "Hello"], "id": "1", "q": Q1, "response": A1}
    asked = replace(before, mapping=after)
    assert turns_with(asked, both) == [("user", "Hi"), ("assistant", "Hello"), ("user", Q1)]


def test_a_transcript_in_a_cell_has_turns_of_several_lines() -> None:
    text = f"User: {Q1}\nA: Rhine\nB: Danube\n\nAssistant: {A1}\nNote: it is long.\n\nSo there.\n"
    row = {"id": "1", "chat": text}
    found = guessed(row, row | {"id": "2"})
    assert found.doubtful == ()
    assert turns_with(found, row) == [("user", f"{Q1}\nA: Rhine\nB: Danube")]
    assert item(found, rows(row)[0]).responses[0].text == f"{A1}\nNote: it is long.\n\nSo there."
    human = {"id": "1", "chat": f"Human: {Q1}\nAssistant: {A1}\nHuman: Why?\nAssistant: {B1}"}
    said = [("user", Q1), ("assistant", A1), ("user", "Why?")]
    assert turns_with(guessed(human, human | {"id": "2"}), human) == said


def test_sentences_about_a_column_of_any_name_can_be_encoded() -> None:
    profile = Profile.of(rows({"id": "1", "\udfff\0": "x"}))
    "".join(propose(profile).sentences(profile)).encode()
    "".join(propose(profile).as_yaml(profile)).encode()


def test_a_sheet_in_other_letters_with_a_column_for_each_model_goes_in() -> None:
    found = guessed({"Prompt": Q1, "GPT-4": A1, "Claude": B1})
    assert found.doubtful == ()
    assert dict(found.mapping.models) == {"GPT-4": "GPT-4", "Claude": "Claude"}


def test_an_id_that_is_the_same_for_the_same_prompt_gathers_its_rows() -> None:
    row = {"question_id": "7", "question": Q1, "answer": A1}
    found = guessed(row, row | {"answer": B1}, {"question_id": "8", "question": Q2, "answer": A2})
    assert found.mapping.columns["question_id"] is Use.GROUP
    another = guessed(row, row | {"question": Q2}, row | {"question_id": "8"})
    assert another.mapping.columns["question_id"] is Use.METADATA


def test_rows_with_one_prompt_and_no_id_are_one_item_if_the_lead_says_so() -> None:
    row = {"prompt": Q1, "response": A1}
    several = rows(row, row | {"response": B1}, row | {"prompt": Q2})
    profile = Profile.of(several)
    found = propose(profile)
    assert found.questions == [
        "“prompt”: several rows have the same: is each an item of its own, or are they one?"
    ]
    for use, items in ((Use.PROMPT, 3), (Use.SHARED, 2)):
        mapping = replace(found.mapping.with_uses({"prompt": use}), file="asked")
        assert mapping.faults(profile.sample) == []
        made = [(mapping.item(row)) for row in several]
        assert len({item.external_id for item in made if isinstance(item, NewItem)}) == items
    models = [{"prompt": Q1, "response": A1, "model": name} for name in ("heron", "wren")]
    found = guessed(*models, row | {"prompt": Q2, "model": "wren"})
    assert (found.doubtful, found.mapping.columns["prompt"]) == ((), Use.SHARED)
    assert guessed(row | {"id": "1"}, row | {"id": "2"}).doubtful == ()
    both = found.mapping.with_uses({"model": Use.ID})
    sample = seen(*models)
    assert both.faults(sample) == ["An item has one id, and not prompt, model; choose one."]


# --- columns ---


def test_a_column_is_a_path_of_names_dots_and_brackets() -> None:
    there = seen(
        {
            "id": 1,
            "turns": [{"role": "user", "content": Q1}, {"role": "assistant", "content": A1}],
            "outputs": [{"text": A1, "by": {"name": "heron"}}, {"text": B1}],
            "tags": ["a", "b"],
            "none": None,
        },
        {"id": 2, "outputs": [], "none": {"inner": 1}},
    )
    assert [(column.path, column.example) for column in there.columns] == [
        ("id", "1"),
        ("turns", f'2 entries: "{Q1}"'),
        ("outputs[*].text", f'"{A1}"'),
        ("outputs[*].by.name", '"heron"'),
        ("tags", '2 entries: "a"'),
        ("none.inner", "1"),
    ]


def test_a_file_has_a_thousand_columns_at_most() -> None:
    many = {f"k{number}": "x" for number in range(1_000)}
    begun = thread_time()
    assert len(seen(*[many] * 100).columns) == 1_000
    assert thread_time() - begun < 10  # seconds; it took 24 when each column looked at all cells
    with pytest.raises(Unreadable, match=r"^has 1,001 columns in its header; a table may have 1,0"):
        seen(many, {"one more": "x"})
    with pytest.raises(Unreadable, match=r"^has 30,000 columns"):
        seen({f"item {number}": {"a": 1, "b": 2, "c": 3} for number in range(10_000)})


def test_a_text_in_one_row_and_an_object_in_another_are_one_column() -> None:
    there = seen({"input": Q1}, {"input": {"question": Q2}})
    assert [(column.path, column.first_values) for column in there.columns] == [
        ("input", (Q1, {"question": Q2}))
    ]


def test_json_in_a_cell_is_opened_and_json_that_a_model_said_is_not() -> None:
    cell = json.dumps([A1])
    table = seen({"prompt": Q1, "response": cell})
    assert table.packed == {"response"}
    assert seen({"prompt": Q1, "response": cell, "score": 1}).packed == frozenset()
    turns = json.dumps([{"role": "user", "content": Q1}])
    assert seen({"messages": turns, "score": 1}).packed == {"messages"}


def test_a_turn_or_an_object_of_turns_in_a_text_is_opened_wherever_it_stands() -> None:
    turn = {"role": "assistant", "content": A1}
    for value in (turn, [turn], {"messages": [turn]}):
        there = seen({"input": Q1, "output": json.dumps(value), "latency": 1})
        assert there.packed == {"output"}
    assert seen({"input": Q1, "output": json.dumps({"a": A1}), "latency": 1}).packed == frozenset()


def test_a_row_that_lacks_one_of_its_texts_does_not_close_the_cells_of_others() -> None:
    full, lacking = json.dumps([A1, B1]), json.dumps([A1, None])
    there = seen({"prompt": Q1, "responses": full}, {"prompt": Q2, "responses": lacking})
    assert there.packed == {"responses"}


def test_a_column_without_a_name_is_metadata_as_in_a_table_of_pandas_with_its_index() -> None:
    found = guessed({"": "0", "prompt": Q1, "response": A1})
    assert found.mapping.columns[""] is Use.METADATA
    made = item(found, rows({"": "0", "prompt": Q1, "response": A1})[0])
    assert made.metadata == {"": "0"}


def test_a_cell_that_is_no_json_in_a_later_row_is_an_error_of_its_column() -> None:
    mapping = guessed({"prompt": Q1, "response_a": '["a"]', "response_b": '["b"]'}).mapping
    [row] = rows({"prompt": Q1, "response_a": "[oh]", "response_b": '["b"]'})
    error = mapping.item(row)
    assert isinstance(error, LineError)
    assert (error.column, error.advice) == ("response_a", "write the list or the object as JSON")


# --- nothing is lost ---

NAMES = st.text("abcxyz", min_size=1, max_size=6)
ROW = st.dictionaries(NAMES, JSON, max_size=5)


@given(st.lists(ROW, min_size=1, max_size=4))
def test_every_column_has_one_use_and_every_value_a_column(contents: list[dict[str, Any]]) -> None:
    profile = Profile.of(rows(*contents))
    paths = [column.path for column in profile.sample.columns]
    assert len(paths) == len(set(paths))
    assert list(propose(profile).mapping.columns) == paths
    for content in contents:
        for leaf in leaves(content, set(paths), profile.packed):
            assert leaf.path in paths or leaf.value in (None, "", [], {})


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, JSON), min_size=1, max_size=4), st.booleans())
def test_no_text_and_no_metadata_changes(said: list[tuple[str, str, str, Any]], deep: bool) -> None:
    contents = [
        {
            "a": {"q": asked} if deep else asked,
            "b": [{"t": first}, {"t": second}],
            "c": {"more": more, "gone": 1},
        }
        for asked, first, second, more in said
    ]
    there = seen(*contents)
    of_c = {column.path: Use.METADATA for column in there.columns if column.path.startswith("c")}
    mapping = Mapping(
        "columns",
        {"a.q" if deep else "a": Use.PROMPT, "b[*].t": Use.RESPONSE} | of_c,
        file="f",
    )
    for row, (asked, first, second, more) in zip(there.first_rows, said, strict=True):
        item = mapping.item(row)
        assert isinstance(item, NewItem)
        assert [turn.text for turn in item.messages] == [asked]
        assert [each.text for each in item.responses] == [first, second]
        assert item.metadata == {"c": {"more": more, "gone": 1}}
