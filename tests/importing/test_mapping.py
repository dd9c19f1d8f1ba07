"""A mapping: what each column of a foreign file is, read from YAML, written as it, and applied."""
# ruff: noqa: E501 - the sentences are as long as they are

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, strategies as st

from tasks.importing.columns.items import NewItem
from tasks.importing.columns.mapping import Mapping
from tasks.importing.columns.mapping_yaml import MappingRefused, read_mapping
from tasks.importing.columns.sample import sample
from tasks.importing.columns.uses import Use
from tasks.importing.files.rows import LineError, SourceRow
from tasks.models import Item, Project

from .import_steps import (
    FIXTURES,
    TEXTS,
    Outcome,
    lines,
)

PAIRS = """shape: preference
columns:
  ask: prompt
  chosen: {use: response, model: good}
  rejected: {use: response, model: bad}
  score: metadata
  seed: unused
"""


def row(**content: Any) -> SourceRow:
    return SourceRow(3, content, "")


def item(mapping: Mapping, **content: Any) -> NewItem:
    found = mapping.item(row(**content))
    assert isinstance(found, NewItem), found
    return found


def error(mapping: Mapping, **content: Any) -> str:
    found = mapping.item(row(**content))
    assert isinstance(found, LineError)
    return str(found)


def columns(**uses: str) -> Mapping:
    return Mapping("columns", {name: Use(use) for name, use in uses.items()}, file="f")


# --- YAML ---


def test_a_mapping_of_as_many_columns_as_a_file_may_have_is_read_however_long_their_names() -> None:
    uses = {f"{'long ' * 220}{number}": Use.METADATA for number in range(1_000)}
    assert read_mapping(Mapping("columns", uses).as_yaml({})).columns == uses


def test_a_mapping_is_read_from_yaml() -> None:
    found = item(
        read_mapping(PAIRS), ask="Why?", chosen="A", rejected="B", score=Decimal("1.50"), seed=3
    )
    assert [turn.text for turn in found.messages] == ["Why?"]
    assert [(each.model, each.text) for each in found.responses] == [("good", "A"), ("bad", "B")]
    assert found.metadata == {"score": Decimal("1.50")}


@given(
    st.dictionaries(TEXTS, st.sampled_from(list(Use)), max_size=4),
    TEXTS,
    st.frozensets(TEXTS, max_size=2),
    st.data(),
)
def test_a_mapping_written_as_yaml_reads_as_the_same_mapping(
    uses: dict[str, Use], root: str, packed: frozenset[str], data: st.DataObject
) -> None:
    models = data.draw(st.dictionaries(st.sampled_from(sorted(uses) or [""]), TEXTS, max_size=2))
    models = {path: model for path, model in models.items() if path in uses}
    mapping = Mapping("columns", uses, models, root, packed)
    comments = {path: data.draw(TEXTS) for path in uses}
    assert read_mapping(mapping.as_yaml(comments)) == mapping


@pytest.mark.parametrize("name", ["x" * 1_100, "😀" * 101, "\u2028" * 500], ids=len)
def test_a_column_of_a_long_name_is_read_as_it_was(name: str) -> None:
    mapping = Mapping(
        "columns", {name: Use.RESPONSE, "b": Use.PROMPT}, {name: "m"}, "", frozenset()
    )
    assert read_mapping(mapping.as_yaml({name: "So."})) == mapping


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("columns: [", "The mapping is not readable as YAML"),
        ("columns: {a: id, a: prompt}", "appears twice in one mapping"),
        ("shape: pairs", 'The mapping has no "columns"; write what each column is below it.'),
        ("[1]", 'The mapping has no "columns"; write what each column is below it.'),
        ("colums: 1\ncolumns: {}", "“colums” is not a key in a mapping; there are shape, root, json, ratings, columns."),
        ("shape: squares\ncolumns: {}", "“squares” is not a shape in a mapping; there are "),
        ("json: a\ncolumns: {}", "“json” is not a value in a mapping; there are list."),
        ("columns: {a: answer}", "“answer” is not a use of a in a mapping; there are id, group, prompt,"),
        ("columns: {a: {use: response, modle: x}}", "“modle” is not a key in a mapping; there are use, model, rater, dimension, check, response."),
    ],
)  # fmt: skip
def test_faulty_yaml_of_a_mapping_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(MappingRefused) as refused:
        read_mapping(text)
    assert said in str(refused.value)


# --- models in the header ---


@pytest.mark.parametrize(
    ("paths", "models"),
    [
        (("GPT-4o", "Claude 3.5", "Llama 3 70B"), ["GPT-4o", "Claude 3.5", "Llama 3 70B"]),
        (("outputs.gpt-3.5", "outputs.claude-3.5"), ["gpt-3.5", "claude-3.5"]),
        (("gpt-4.content", "claude.content"), ["gpt-4.content", "claude.content"]),
        (("response_a", "Answer B", "outputs.text"), []),
        (("answer_1", "wren"), ["wren"]),
        (("Antwort",), []),
    ],
)  # fmt: skip
def test_several_responses_picked_by_hand_are_of_the_models_in_their_header(
    paths: tuple[str, ...], models: list[str]
) -> None:
    picked = columns(Frage="prompt", **dict.fromkeys(paths, "?"))
    found = picked.with_uses(dict.fromkeys(paths, Use.RESPONSE))
    assert [*found.models.values()] == models


def test_a_column_of_models_is_taken_before_the_header() -> None:
    found = columns(m="model", GPT="?", Claude="?")
    assert found.with_uses(dict.fromkeys(("GPT", "Claude"), Use.RESPONSE)).models == {}


# --- what is missing ---


def test_a_mapping_names_all_its_faults_at_once() -> None:
    there = sample([row(q="Why?", topic="x", extra=1)])
    mapping = columns(q="metadata", topic="?", gone="response")
    assert mapping.faults(there) == [
        "The file has no column gone; correct it (a column is names, dots and [*]), or leave it out.",
        "Still to be chosen: topic, extra; say what each is.",
        "Missing: the prompt. Your columns: q, topic, extra.",
    ]
    assert columns(q="metadata", topic="metadata", extra="metadata").faults(there) == [
        "Missing: the prompt, a response. Your columns: q, topic, extra."
    ]


def test_a_first_row_that_is_no_header_is_told() -> None:
    there = sample([row(**{"1": "2", "Why is the sky blue?": "Why me?", "So": "Yes"})])
    mapping = columns(**{"1": "id", "Why is the sky blue?": "prompt", "So": "metadata"})
    assert mapping.faults(there) == [
        "Missing: a response. Your columns: 1, Why is the sky blue?, So.",
        "These are no names: 1, Why is the sky blue?; if the file has no header, write one above its first row.",
    ]
    whole = columns(**{"1": "id", "Why is the sky blue?": "prompt", "So": "response"})
    assert whole.faults(there) == []


def test_an_item_has_one_of_each() -> None:
    there = sample([row(a="1", b="2", q="Why?", r="So.", x=[{"p": "Why?"}, {"p": "How?"}])])
    mapping = Mapping(
        "columns",
        {
            "a": Use.ID,
            "b": Use.GROUP,
            "q": Use.CONVERSATION,
            "r": Use.RESPONSE,
            "x[*].p": Use.PROMPT,
        },
    )
    assert mapping.faults(there) == [
        "An item has one id, and not a, b; choose one.",
        "An item has one prompt, and not x[*].p; choose one.",
    ]


# --- models ---


@pytest.mark.parametrize(
    ("uses", "content", "models"),
    [
        ({"r": "response", "m": "model"}, {"r": "A", "m": "heron"}, ["heron"]),
        (
            {"r_a": "response", "r_b": "response", "m_a": "model", "m_b": "model"},
            {"r_a": "A", "r_b": "B", "m_b": "stork", "m_a": "heron"},
            ["heron", "stork"],
        ),
        (
            {"chosen": "response", "rejected": "response", "rejected_model": "model", "chosen_model": "model"},
            {"chosen": "A", "rejected": "B", "rejected_model": "stork", "chosen_model": "heron"},
            ["heron", "stork"],
        ),
        ({"r": "response", "m": "model"}, {"r": ["A", "B"], "m": ["heron", "stork"]}, ["heron", "stork"]),
        ({"r": "response", "m": "model"}, {"r": ["A", "B"], "m": "heron"}, ["heron", "heron"]),
        (
            {"o[*].t": "response", "o[*].m": "model"},
            {"o": [{"t": "A", "m": "heron"}, {"t": "B"}, {"t": "C", "m": "stork"}]},
            ["heron", "", "stork"],
        ),
        (
            {"o[*].t": "response", "run.m": "model"},
            {"o": [{"t": "A"}, {"t": "B"}], "run": {"m": "heron"}},
            ["heron", "heron"],
        ),
    ],
)  # fmt: skip
def test_a_model_belongs_to_the_response_beside_it_or_with_its_ending_or_to_all(
    uses: dict[str, str], content: dict[str, Any], models: list[str]
) -> None:
    found = item(columns(q="prompt", **uses), q="Why?", **content)
    assert [each.model for each in found.responses] == models


def test_models_that_belong_to_no_response_are_a_fault() -> None:
    there = sample([row(q="Why?", answer="A", gen="heron", judge="stork")])
    mapping = columns(q="prompt", answer="response", gen="model", judge="model")
    assert mapping.faults(there) == [
        "It is unclear which model said answer; choose one column of models."
    ]


# --- rows ---


def test_an_absent_id_is_made_of_file_and_line() -> None:
    assert item(columns(q="prompt", r="response"), q="Why?", r="So.").external_id == "f:3"


def test_rows_of_one_group_are_one_item(project: Project, tmp_path: Path) -> None:
    file = lines(*({"g": "x", "q": "Why?", "r": text} for text in ("A", "B")))
    outcome = Outcome(
        project, file, "f.jsonl", mapping=columns(g="group", q="prompt", r="response")
    )
    assert outcome.loaded is not None
    assert [each.text for each in Item.objects.get().responses.all()] == ["A", "B"]


def test_turns_before_the_prompt_come_before_it() -> None:
    history = [{"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Hello."}]
    found = item(columns(q="prompt", h="conversation", r="response"), q="Why?", h=history, r="So.")
    assert [(turn.role, turn.text) for turn in found.messages] == [
        ("user", "Hi."),
        ("assistant", "Hello."),
        ("user", "Why?"),
    ]


def test_answers_to_several_prompts_stand_between_them_and_the_last_is_the_response() -> None:
    mapping = columns(q="prompt", a="response", b="response")
    found = item(mapping, q=["Why?", "And?"], a=["So.", "A"], b=["So.", "B"])
    assert [(turn.role, turn.text) for turn in found.messages] == [
        ("user", "Why?"),
        ("assistant", "So."),
        ("user", "And?"),
    ]
    assert [each.text for each in found.responses] == ["A", "B"]
    said = error(mapping, q=["Why?", "And?"], a=["So.", "A"], b=["No.", "B"])
    assert said.startswith('line 3: "b" holds another conversation than "a"; make several items')


def test_responses_to_different_conversations_are_an_error() -> None:
    chats = [
        [{"role": "user", "content": asked}, {"role": "assistant", "content": "A"}]
        for asked in ("Why?", "How?")
    ]
    said = error(columns(a="chat", b="chat"), a=chats[0], b=chats[1])
    assert said.startswith('line 3: "b" holds another conversation than "a"; make several items')


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"q": 1, "r": True}, 'line 3: "r" is true or false, not a text (true); write a text, in quotes'),
        ({"q": "Why?", "r": None}, 'line 3: "r" is missing; give it, or leave the item out'),
        ({"q": None, "r": "A"}, 'line 3: "q" is missing; give it, or leave the item out'),
        ({"q": "Why?", "r": "A", "new": 1}, 'line 3: "new" is a column that the mapping does not name (1); say in the mapping what it is'),
    ],
)  # fmt: skip
def test_an_error_names_the_column_of_the_file(content: dict[str, Any], said: str) -> None:
    assert error(columns(q="prompt", r="response"), **content) == said


def test_a_new_column_of_our_own_shape_is_metadata() -> None:
    mapping = Mapping(
        "own", {"id": Use.ID, "prompt": Use.PROMPT, "response": Use.RESPONSE}, {}, "meta"
    )
    found = item(mapping, id="1", prompt="Why?", response="A", new={"x": [1]}, meta={"y": None})
    assert found.metadata == {"new": {"x": [1]}, "y": None}


def test_the_number_of_a_reference_keeps_its_digits() -> None:
    found = item(
        columns(q="prompt", r="response", t="reference"), q="Why?", r="A", t=Decimal("4.20")
    )
    assert found.reference == "4.20"


# --- the command ---


def command(*arguments: object) -> str:
    out = io.StringIO()
    call_command("import_batch", *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "heard.jsonl"
    rows = [{"q": f"Why {n}?", "a": "So.", "Model": "heron", "n": n} for n in (1, 2)]
    path.write_bytes(lines(*rows))
    return path


def test_a_guess_is_printed_corrected_and_used(
    project: Project, file: Path, tmp_path: Path
) -> None:
    guess = command("eggs", file, "--guess")
    assert guess.splitlines()[-5:] == [
        "columns:",
        '  q: "?"  # "Why 1?"',
        '  a: "?"  # "So."',
        '  Model: model  # "heron"',
        "  n: metadata  # 1",
    ]
    assert not Item.objects.exists()
    path = tmp_path / "mapping.yaml"
    path.write_text(guess)
    with pytest.raises(CommandError, match="Still to be chosen: q, a; say what each is"):
        command("eggs", file, "--mapping", path)
    for name, use in (("q", "prompt"), ("a", "response")):
        guess = guess.replace(f'  {name}: "?"', f"  {name}: {use}")
    path.write_text(guess)
    assert command("eggs", file, "--mapping", path) == 'Batch "heard": 2 items, 2 responses.\n'
    first = Item.objects.earliest("position")
    assert (first.external_id, first.metadata) == ("heard:1", {"n": 1})
    assert first.responses.get().model == "heron"


def test_without_a_mapping_a_foreign_file_is_refused_with_what_it_looks_like(
    project: Project,
) -> None:
    path = FIXTURES.parent / "shapes" / "chat.jsonl"
    with pytest.raises(CommandError) as refused:
        command("eggs", path)
    assert str(refused.value).startswith(
        "chat.jsonl: 2 items, each with one response. "
        "Annotators see “messages” as the conversation with the response."
    )


def test_the_native_shape_with_a_doubtful_column_is_refused_and_says_which(
    project: Project,
) -> None:
    rows = [{"id": n, "prompt": "Why?", "response": "A", "response_2": "B"} for n in (1, 2)]
    outcome = Outcome(project, lines(*rows), "items.jsonl")
    assert (
        "“response_2”: is it one more response to rate, or a reference that shows what is right?"
        in outcome.refused
    )
    assert not Item.objects.exists()


def test_a_mapping_that_cannot_be_read_is_one_sentence(
    project: Project, file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mapping.yaml"
    path.write_text("columns: {q: answer}")
    with pytest.raises(CommandError, match="“answer” is not a use of q in a mapping"):
        command("eggs", file, "--mapping", path)
    with pytest.raises(CommandError, match=r"nowhere\.yaml: No such file"):
        command("eggs", file, "--mapping", tmp_path / "nowhere.yaml")


def test_every_unknown_key_and_every_column_that_the_file_lacks_is_told(
    project: Project, file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mapping.yaml"
    path.write_text("colour: 1\nshpae: chat\ncolumns: {q: prompt}")
    with pytest.raises(CommandError) as refused:
        command("eggs", file, "--mapping", path)
    assert refused.value.returncode == 1
    assert str(refused.value) == (
        "“colour” is not a key in a mapping; there are shape, root, json, ratings, columns. "
        "“shpae” is not a key in a mapping; there are shape, root, json, ratings, columns."
    )
    path.write_text("columns: {q: prompt, a: response, Model: model, n: unused, x: id, y: context}")
    with pytest.raises(CommandError) as refused:
        command("eggs", file, "--mapping", path)
    assert refused.value.returncode == 1
    assert str(refused.value) == (
        "heard.jsonl: The file has no column x, y; correct it (a column is names, dots and [*]), "
        "or leave it out."
    )
    assert not Item.objects.exists()


# --- turns ---


def test_further_keys_of_turns_are_metadata_and_a_part_that_cannot_be_shown_is_named() -> None:
    turns = [
        {"role": "user", "content": "Why?"},
        {"speaker": "bot", "text": "So.", "reasoning_content": "Hm.", "tool_calls": []},
    ]
    for name in ("messages", "talk"):
        mapping = Mapping("columns", {name: Use.CHAT}, file="f")
        found = item(mapping, **{name: turns})
        assert found.responses[0].text == "So."
        assert found.metadata == {name: [{}, {"reasoning_content": "Hm."}]}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    said = error(columns(talk="chat"), talk=[turns[0], call])
    assert "talk[1].tool_calls" in said
    ours = Mapping("own", {"id": Use.ID, "messages": Use.CONVERSATION, "response": Use.RESPONSE})
    found = item(ours, id="1", messages=turns, response="Yes.")
    assert found.metadata == {"messages": [{}, {"reasoning_content": "Hm."}]}
    assert [turn.role for turn in found.messages] == ["user", "bot"]


def test_the_first_message_of_a_developer_is_the_system_prompt() -> None:
    turns = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": "So."},
    ]
    found = item(Mapping("columns", {"messages": Use.CHAT}, file="f"), messages=turns)
    assert found.system == "Be brief."
    assert [turn.text for turn in found.messages] == ["Why?"]
