"""What each column of a file is taken for, what is asked, and the sentence that says it."""
# ruff: noqa: E501 - a file is one text

from __future__ import annotations

import io
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from tasks.importing.columns.choices import Certainty
from tasks.importing.columns.name_tables import OURS, SYNONYMS, WEAK
from tasks.importing.columns.names import meaning
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import Proposal, propose, propose_again
from tasks.importing.columns.spelling import fold, variant
from tasks.importing.columns.turn_keys import role_of
from tasks.importing.columns.uses import Use
from tasks.importing.files.readers import recognise
from tasks.importing.files.rows import SourceRow

ASKED = (
    "Which river runs through Vienna?",
    "How many legs does a spider have?",
    "What keeps bread fresh for a week?",
    "Why does my bicycle chain squeak?",
    "Is it safe to eat green potatoes?",
    "How do I fold a fitted sheet?",
)
SAID = tuple(
    f"Heron says about number {number}: it depends, but mostly yes." for number in range(6)
)
OTHER = tuple(
    f"Wren says about number {number}: not at all, as far as one knows." for number in range(6)
)
LONG = tuple(
    f"A longer passage, number {number}, which tells of rivers and bread." for number in range(6)
)
CHINESE = tuple(
    f"{number}这是一个很长的问题请告诉我答案是什么好吗谢谢" for number in "一二三四五六"
)
PAIRS = tuple(zip(ASKED, SAID, strict=True))
MANY = [
    {
        "query": f"Why is {number} odd?",
        "question": f"Why is {number} odd?",
        "response": f"It is so, {number}.",
    }
    for number in range(120)
]
KEYS = tuple(str(UUID(int=2**127 + 3**number)) for number in range(6))
YES = ("yes", "no", "yes", "no", "no", "yes")


def table(**columns: Sequence[object]) -> list[dict[str, Any]]:
    """Return six rows; a value that is no list stands in each."""
    names = [*columns]
    cells = [[value] * 6 if isinstance(value, str) else [*value] for value in columns.values()]
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def proposed(rows: Sequence[dict[str, Any]]) -> Proposal:
    return propose(Profile.of(SourceRow(line, row, "") for line, row in enumerate(rows, start=1)))


class Case(NamedTuple):
    name: str
    rows: list[dict[str, Any]]
    uses: dict[str, str]  # of these columns
    open: list[str] = []
    sentence: str = ""  # a part of it


CASES = [
    Case(
        "a header in capitals",
        table(ID=range(6), Prompt=ASKED, Response=SAID, Model="heron-7b"),
        {"ID": "id", "Prompt": "prompt", "Response": "response", "Model": "model"},
        sentence="6 items, each with one response by heron-7b.",
    ),
    Case(
        "a question and its answer in one text",
        table(id=range(6), text=[f"Question: {asked}\nAnswer: {said}" for asked, said in PAIRS]),
        {"id": "id", "text": "chat"},
        sentence="“text” as the conversation with the response",
    ),
    Case(
        "the same in German, beside a question that has a column",
        table(text=[f"Frage: {asked}\nAntwort: {said}" for asked, said in PAIRS], question=ASKED),
        {"text": "?", "question": "prompt"},
        open=["text"],
    ),
    Case(
        "the answers that a question offers",
        table(question=ASKED, option_a=SAID, option_b=OTHER, output=LONG),
        {"question": "prompt", "option_a": "context", "option_b": "context", "output": "response"},
        sentence="“option_a”, “option_b” as the context",
    ),
    Case(
        "options of which one says the same everywhere",
        table(question=ASKED, option_a=SAID, option_b=OTHER, option_c=["None of the above"] * 6, output=LONG),
        {"question": "prompt", "option_a": "context", "option_b": "context", "option_c": "context", "output": "response"},
    ),
    Case(
        "a poem that is no model",
        table(topic=ASKED, haiku=SAID),
        {"topic": "?", "haiku": "?"},
        open=["topic", "haiku"],
    ),
    Case(
        "the model of the response, in German",
        table(Frage=ASKED, Antwort=SAID, **{"Modell der Antwort": ["llama-3", "gpt-4"] * 3}),
        {"Frage": "prompt", "Antwort": "response", "Modell der Antwort": "model"},
    ),
    Case(
        "answers with a letter alone, beside a passage",
        table(passage=LONG, Frage=ASKED, A=SAID, B=OTHER, C=KEYS, Modellantwort=LONG[::-1]),
        {"passage": "context", "A": "context", "B": "context", "C": "context"},
    ),
    Case(
        "a list of the answers that a question offers",
        table(question=ASKED, choices=[["Danube", "Rhine"]] * 6, prediction=SAID),
        {"choices": "context", "prediction": "response"},
    ),
    Case(
        "a header with blanks",
        table(**{" id": range(6), "prompt ": ASKED, "Response ": SAID}),
        {" id": "id", "prompt ": "prompt", "Response ": "response"},
    ),
    Case(
        "a German header",
        table(Nr=range(6), Frage=ASKED, Antwort=SAID, Modell=["heron", "wren"] * 3),
        {"Frage": "prompt", "Antwort": "response", "Modell": "model"},
        sentence="one response by one of 2 models",
    ),
    Case(
        "a French header",
        table(Question=ASKED, Réponse=SAID, Modèle="heron", Contexte=OTHER),
        {"Question": "prompt", "Réponse": "response", "Modèle": "model", "Contexte": "context"},
    ),
    *(
        Case(
            f"a gold answer beside {name}",
            table(id=range(6), question=ASKED, answer=YES, **{name: SAID}),
            {"question": "prompt", name: "response", "answer": "?"},
            open=["answer"],
            sentence="To be chosen: “answer”.",
        )
        for name in (
            *("prediction", "model_answer", "generated_answer", "pred", "llm_response"),
            *("system_output", "candidate", "hypothesis", "Model Answer"),
        )
    ),
    Case(
        "an answer alone",
        table(question=ASKED, answer=SAID),
        {"question": "prompt", "answer": "response"},
    ),
    Case(
        "an answer alone that looks like a label",
        table(question=ASKED, answer=YES),
        {"question": "prompt", "answer": "?"},
        open=["answer"],
    ),
    *(
        Case(
            f"{name} beside a model's output",
            table(question=ASKED, output=SAID, **{name: OTHER}),
            {"question": "prompt", "output": "response", name: "reference"},
        )
        for name in ("gold", "reference", "label", "ideal", "target", "ground_truth", "expected_output")
    ),
    Case(
        "a history that is always empty",
        table(chat_history=[[]] * 6, conversation_input=[[{"role": "user", "content": each}] for each in ASKED], output=[[each] for each in SAID], generator="heron-7b"),
        {"chat_history": "metadata", "conversation_input": "conversation", "output": "response"},
    ),
    Case(
        "a template beside the question",
        table(id=range(6), prompt="Answer the question: {question}", question=ASKED, response=SAID),
        {"prompt": "metadata", "question": "prompt", "response": "response"},
        sentence="“prompt” (a template, and no prompt)",
    ),
    Case(
        "a constant instruction beside the input",
        table(instruction="Answer in one short sentence.", input_text=ASKED, response=SAID),
        {"instruction": "?", "input_text": "prompt"},
        open=["instruction"],
    ),
    Case(
        "an input beside the text of the prompt",
        table(input=OTHER, prompt_text=ASKED, response=SAID),
        {"prompt_text": "prompt", "input": "?"},
        open=["input"],
    ),
    Case(
        "a question that stands in the prompt",
        table(question=ASKED, prompt=[f"Answer at once. {each}" for each in ASKED], response=SAID),
        {"prompt": "prompt", "question": "metadata"},
    ),
    Case(
        "scores and words of a judge in lists",
        table(idx=range(6), response_source="m-13b", instruction=ASKED, gpt4_score=[[3, 3, 4]] * 6, gpt4_feedback=[[each, "Good."] for each in OTHER]),
        {"instruction": "prompt", "gpt4_feedback": "?"},
        open=["gpt4_feedback"],
    ),
    Case(
        "responses with numbers",
        table(prompt=ASKED, response_1=SAID, response_2=OTHER),
        {"response_1": "response", "response_2": "response"},
        sentence="each with 2 responses.",
    ),
    Case(
        "responses named after models",
        table(prompt=ASKED, gpt4_response=SAID, claude_response=OTHER, response_length=range(6)),
        {"gpt4_response": "response", "claude_response": "response", "response_length": "metadata"},
        sentence="each with 2 responses by 2 models.",
    ),
    Case(
        "one response without a word and a filled output",
        table(id=range(6), prompt=ASKED, response="", output=SAID),
        {"prompt": "prompt", "response": "metadata", "output": "response"},
    ),
    Case(
        "a post under an object, and a summary",
        [{"info": {"id": f"t{number}", "post": asked}, "summary": {"text": said}} for number, (asked, said) in enumerate(zip(ASKED, SAID, strict=True))],
        {"info.id": "id", "info.post": "prompt", "summary.text": "response"},
    ),
    Case(
        "unnamed texts",
        table(first=ASKED, second=SAID),
        {"first": "?", "second": "?"},
        open=["first", "second"],
    ),
    # Traps.
    Case("a reference in a list", table(id=range(6), context=LONG, question=ASKED, answers=[[each] for each in YES]), {"context": "context", "question": "prompt", "answers": "?"}, ["answers"]),
    Case("options of a question", table(question=ASKED, choices=[["a", "b", "c"]] * 6, answer=["a", "b"] * 3, model_output=SAID), {"choices": "context", "answer": "?", "model_output": "response"}, ["answer"]),
    Case("what is retrieved", table(question=ASKED, contexts=[[each] for each in LONG], answer=SAID, ground_truth=OTHER), {"contexts": "context", "answer": "response", "ground_truth": "reference"}),
    Case("a translation's source", table(source=ASKED, hypothesis=SAID, reference=OTHER), {"source": "prompt", "hypothesis": "response", "reference": "reference"}),
    Case("a translation's source beside each system's text", table(source=[*ASKED[:3], *ASKED[:3]], hypothesis=SAID, system=["wren", "wren", "wren", "heron", "heron", "heron"]), {"source": "shared prompt", "hypothesis": "response", "system": "model"}),
    Case("a long source beside a response that is no translation", table(source=ASKED, output=SAID), {"source": "?", "output": "response"}, ["source"]),
    Case("a source where words have no blanks", table(source=CHINESE, output=SAID), {"source": "?", "output": "response"}, ["source"]),
    Case("prompts that repeat beside the names of data sets", table(prompt=[*ASKED[:3], *ASKED[:2], ASKED[4]], response=SAID, source=["web", "web", "web", "book", "book", "web"]), {"prompt": "?", "source": "source"}, ["prompt"]),
    Case("an instruction that repeats beside the texts to be translated", table(prompt=["Into German, please.", "Into French, please."] * 3, response=SAID, source=LONG), {"prompt": "prompt", "source": "source"}),
    Case("what who fills in a form answers beside the response", table(question=ASKED, Answer=SAID, **{"Your response": OTHER}), {"question": "prompt", "Answer": "response", "Your response": "?"}, ["Your response"]),
    Case("a model whose name is long", table(prompt=ASKED, model="Qwen/Qwen2.5-7B-Instruct", output=SAID), {"model": "model", "output": "response"}),
    Case("models whose names are long", table(prompt=ASKED, response=SAID, model=["GPT-4o mini (July 2024)", "Claude 3.5 Sonnet (new)"] * 3), {"model": "model", "response": "response"}),
    Case("a model with a setting in brackets", table(prompt=ASKED, response=SAID, model="wren (new, t = 0.2)"), {"model": "model", "response": "response"}),
    Case("what a person says is no name where words have no blanks", table(human=CHINESE, bot=[f"{number}" + "这是一个很长的回答我也不知道应该怎么说才好" for number in "一二三四五六"]), {"human": "prompt", "bot": "response"}),
    Case("which of two responses is best", table(question=ASKED, answer_1=SAID, answer_2=OTHER, best_answer=["1", "2", "1", "1", "tie", "2"]), {"answer_1": "response", "answer_2": "response", "best_answer": "metadata"}, sentence="“best_answer” (compares the responses)"),
    Case("the name of the best response", table(question=ASKED, answer_a=SAID, answer_b=OTHER, best_answer=["answer_a", "answer_b"] * 3), {"best_answer": "metadata"}),
    Case("a right option beside numbered responses", table(question=ASKED, answer_1=SAID, answer_2=OTHER, correct_answer=["1", "2", "3", "4", "1", "2"]), {"correct_answer": "reference"}),
    Case("authors that are models", table(prompt=[*ASKED[:2], *ASKED[:2], *ASKED[:2]], author=["gpt-4o", "gpt-4o", "gemini-pro", "gemini-pro", "an expert", "an expert"], text=SAID), {"prompt": "shared prompt", "author": "model", "text": "response"}, sentence="by 3 models"),
    Case("conditions that may be models", table(prompt=[*ASKED[:3], *ASKED[:3]], condition=["baseline"] * 3 + ["tuned"] * 3, response=SAID), {"condition": "?", "response": "response"}, ["prompt", "condition"]),
    Case("the same instruction for several texts", table(instruction=["Sum it up.", "Sum it up.", "Shorten it.", "Shorten it.", "Sum it up.", "Sum it up."], context=LONG, output=SAID), {"instruction": "prompt", "context": "context", "output": "response"}),
    Case("how a test of the response went", table(prompt=ASKED, completion=SAID, result=["passed", "failed: AssertionError", "passed", "passed", "timed out", "passed"]), {"completion": "response", "result": "metadata"}, sentence="“result” (says how a test went)"),
    Case("results that only begin like the outcome of a test", table(prompt=ASKED, completion=SAID, result=["Success takes time.", "OK then.", "Passed on as it is.", "Errors are human.", "Failure is one, too.", "OK, so be it."]), {"completion": "response", "result": "?"}, ["result"]),
    Case("short answers beside a prediction", table(prompt=ASKED, prediction=SAID, result=YES), {"prediction": "response"}, ["result"]),
    Case("a class that was predicted", table(text=ASKED, label=["good", "bad", "good", "good", "bad", "bad"], predicted_label=["good", "bad", "bad", "good", "bad", "bad"]), {"text": "prompt", "predicted_label": "response"}),
    Case("questions and answers of a form", table(**{"Question shown": ASKED, "Answer shown": SAID}), {"Question shown": "prompt", "Answer shown": "response"}),
    Case("names in Spanish", table(Pregunta=ASKED, **{"Respuesta A": SAID, "Modelo A": "wren", "Respuesta B": OTHER, "Modelo B": "heron"}), {"Pregunta": "prompt", "Respuesta A": "response", "Modelo A": "model", "Respuesta B": "response", "Modelo B": "model"}),
    Case("a summary", table(article=LONG, summary=SAID, reference_summary=OTHER), {"article": "prompt", "summary": "response", "reference_summary": "reference"}),
    Case("two systems", table(prompt=ASKED, system_a=SAID, system_b=OTHER), {"system_a": "response", "system_b": "response"}),
    Case("two names that say nothing", table(prompt=ASKED, baseline=SAID, ours=OTHER), {"prompt": "prompt", "baseline": "?", "ours": "?"}, ["baseline", "ours"]),
    Case("an output with its raw text", table(prompt=ASKED, output=SAID, raw_output=[f"{each} <eos>" for each in SAID]), {"output": "?", "raw_output": "?"}, ["output", "raw_output"]),
    Case("the same output twice", table(prompt=ASKED, output=SAID, prediction=SAID), {"output": "response", "prediction": "metadata"}),
    Case("a response of a person", table(prompt=ASKED, human_response=OTHER, model_response=SAID), {"human_response": "?", "model_response": "response"}, ["human_response"]),
    Case("what a judge says", table(prompt=ASKED, response=SAID, judge_response=OTHER, critique=LONG), {"response": "response", "judge_response": "metadata", "critique": "metadata"}),
    Case("reasoning beside the answer", table(question=ASKED, reasoning=OTHER, answer=SAID), {"reasoning": "metadata", "answer": "response"}),
    Case("the whole prompt beside the question", table(question=ASKED, full_prompt=[f"Be brief. {each}" for each in ASKED], output=SAID), {"question": "prompt", "full_prompt": "metadata"}, sentence="“full_prompt” (other texts)"),
    Case("turns that hold the prompt", [{"prompt": asked, "messages": [{"role": "user", "content": asked}], "response": said} for asked, said in PAIRS], {"prompt": "metadata", "messages": "conversation", "response": "response"}),
    Case("turns that hold another prompt", [{"prompt": said, "messages": [{"role": "user", "content": asked}], "response": said} for asked, said in PAIRS], {"prompt": "?", "messages": "?"}, ["prompt", "messages"]),
    Case("turns that end with the response", [{"prompt": asked, "messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": said}]} for asked, said in PAIRS], {"prompt": "metadata", "messages": "chat"}),
    Case("turns that hold the response", [{"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": said}], "response": said} for asked, said in PAIRS], {"messages": "chat", "response": "metadata"}),
    Case("two speakers without a role", [{"dialog": [{"speaker": "S1", "text": asked}, {"speaker": "S2", "text": said}]} for asked, said in PAIRS], {"dialog": "?"}, ["dialog"]),
    Case("participants before the response", [{"utterances": [{"sender": "participant1", "text": asked}, {"sender": "participant2", "text": said}], "response": said} for asked, said in PAIRS], {"utterances": "conversation", "response": "response"}),
    Case("an empty prompt", table(prompt="", instruction=ASKED, output=SAID), {"prompt": "metadata", "instruction": "prompt"}),
    Case("a prompt that is mostly empty", table(id=range(6), prompt=[ASKED[1], "", "", "", "", ""], question=ASKED, response=SAID), {"prompt": "?", "question": "prompt"}, ["prompt"]),
    Case("a history before the question", table(history="user: Hi.\nbot: Hello.", question=ASKED, response=SAID), {"history": "conversation", "question": "prompt"}),
    Case("a context alone", table(context=LONG, response=SAID), {"context": "prompt", "response": "response"}),
    Case("the numbers of tokens", table(prompt=ASKED, response=SAID, input=range(6), output=range(6)), {"response": "response", "input": "metadata", "output": "metadata"}),
    Case("a class in numbers", table(question=ASKED, prediction=[0, 1] * 3, response=SAID), {"prediction": "metadata", "response": "response"}),
    Case("metadata with our names", [{"id": str(number), "prompt": asked, "response": said, "metadata": {"prompt": "p1", "model": "x"}} for number, (asked, said) in enumerate(PAIRS)], {"prompt": "prompt", "metadata.prompt": "metadata", "metadata.model": "metadata"}),
    Case("responses by model in an object", [{"prompt": asked, "responses": {"gpt-4": said, "claude": asked}} for asked, said in PAIRS], {"responses.gpt-4": "response", "responses.claude": "response"}, sentence="by 2 models"),
    Case("answers with authors", [{"question": asked, "answers": [{"text": said, "author": "x"}, {"text": asked, "author": "y"}]} for asked, said in PAIRS], {"answers[*].text": "response", "answers[*].author": "metadata"}),
    Case("one prompt in all rows", table(prompt=ASKED[:1] * 6, response=SAID), {"prompt": "?", "response": "response"}, ["prompt"]),
    Case("rows of several models", table(question_id=[1, 1, 2, 2, 3, 3], question=[ASKED[0], ASKED[0], ASKED[1], ASKED[1], ASKED[2], ASKED[2]], answer=SAID, model=["heron", "wren"] * 3), {"question_id": "group", "answer": "response"}, sentence="3 items, each with 2 responses by 2 models."),
    Case("seeds and times of rows with one prompt", table(question_id=[1, 1, 2, 2, 3, 3], question=[ASKED[0], ASKED[0], ASKED[1], ASKED[1], ASKED[2], ASKED[2]], answer=SAID, seed=range(6), topic=["a", "a", "b", "b", "b", "b"]), {"seed": "unused", "topic": "metadata"}),
    Case("a German sheet of two models", table(**{"Lfd. Nr.": range(6), "Frage": ASKED, "Antwort A": SAID, "Antwort B": OTHER, "Referenz": LONG}), {"Frage": "prompt", "Antwort A": "response", "Antwort B": "response", "Referenz": "reference"}),
    Case("models in brackets", table(**{"Prompt": ASKED, "Response (GPT-4)": SAID, "Response (Claude)": OTHER}), {"Response (GPT-4)": "response", "Response (Claude)": "response"}, sentence="by 2 models"),
    Case("scores beside models", table(**{"prompt": ASKED, "gpt-4": SAID, "gpt-4 score": range(6), "claude": OTHER, "claude score": range(6)}), {"gpt-4": "response", "gpt-4 score": "metadata", "claude": "response", "claude score": "metadata"}),
    Case("a template for responses", table(id=range(6), prompt=ASKED, response=""), {"prompt": "prompt", "response": "?"}, ["response"]),
    Case("turns in numbered columns", table(user_1=ASKED, assistant_1=SAID, user_2=LONG, assistant_2=OTHER), {"assistant_1": "?", "assistant_2": "?"}, ["user_1", "assistant_1", "user_2", "assistant_2"]),
    Case("one answer in two languages", table(question=ASKED, answer_en=SAID, answer_de=OTHER), {"answer_en": "?", "answer_de": "?"}, ["answer_en", "answer_de"]),
    Case("one prompt in two languages", table(prompt_en=ASKED, prompt_de=LONG, response=SAID), {"prompt_en": "?", "prompt_de": "?"}, ["prompt_en", "prompt_de"]),
    Case("what a model's service gives back", [{"id": str(number), "model": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": said}}]} for number, said in enumerate(SAID)], {"choices[*].message.content": "?"}, ["choices[*].message.content"]),
    Case("preferences of last turns", [{"prompt": [{"role": "user", "content": asked}], "chosen": [{"role": "assistant", "content": said}], "rejected": [{"role": "assistant", "content": "No."}]} for asked, said in PAIRS], {"prompt": "conversation", "chosen": "chat", "rejected": "chat"}),
    Case("turns with keys in capitals", [{"Messages": [{"Role": "User", "Content": asked}, {"Role": "Assistant", "Content": said}]} for asked, said in PAIRS], {"Messages": "chat"}),
    Case("a log of a service", table(timestamp="2026-01-01", query=ASKED, answer=SAID, latency_ms=range(6)), {"query": "prompt", "answer": "response", "latency_ms": "metadata"}),
    Case("a program's solution", table(task_id=range(6), prompt=LONG, canonical_solution=OTHER, completion=SAID), {"prompt": "prompt", "canonical_solution": "reference", "completion": "response"}),
    Case("an output where the response is missing", [{"prompt": asked, "response": said if number % 2 else None, "output": said} for number, (asked, said) in enumerate(PAIRS)], {"response": "response", "output": "?"}, ["output"]),
    Case("a sheet whose other columns are empty", table(prompt=ASKED, response=SAID, system="", context="", persona="", history=""), {"prompt": "prompt", "response": "response", "history": "metadata", "context": "metadata"}),
    Case("objects in the cells of a table", [{"inputs": json.dumps({"question": asked}), "outputs": json.dumps({"answer": said})} for asked, said in PAIRS], {"inputs.question": "prompt", "outputs.answer": "response"}),
    Case("models in a list", [{"instruction": asked, "outputs": [said, asked], "models": ["x", "y"]} for asked, said in PAIRS], {"outputs": "response", "models": "model"}, sentence="each with 2 responses by 2 models"),
    Case("turns with pictures", [{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]}, {"role": "assistant", "content": said}]} for said in SAID], {"messages": "?"}, ["messages"]),
    Case("several prompts in a row", [{"pairs": [{"prompt": asked, "response": said}, {"prompt": said, "response": asked}]} for asked, said in PAIRS], {"pairs[*].prompt": "prompt"}),
    Case("a draft and its final text", table(prompt=ASKED, draft=SAID, final=OTHER), {"draft": "?", "final": "?"}, ["draft", "final"]),
    Case("names in another script", table(**{"問題": ASKED, "回答": SAID}), {"問題": "?", "回答": "?"}, ["問題", "回答"]),
    Case("each row twice", table(prompt=[*ASKED[:3], *ASKED[:3]], response=[*SAID[:3], *SAID[:3]]), {"prompt": "?", "response": "response"}, ["prompt"]),
    Case("a column for each side", table(user=ASKED, bot=SAID), {"user": "prompt", "bot": "response"}),
    Case("the answer of a pupil", table(question=ASKED, student_answer=SAID, rubric=LONG), {"student_answer": "response", "rubric": "metadata"}),
    Case("a gold answer beside the expected one", table(question=ASKED, answer=OTHER, gold="Danube", response=SAID), {"answer": "?", "gold": "reference", "response": "response"}, ["answer"]),
    Case("a table of promptfoo", table(**{"question": ASKED, "[openai:gpt-4o] Say: {{question}}": SAID}), {"question": "prompt", "[openai:gpt-4o] Say: {{question}}": "response"}, sentence="by openai:gpt-4o."),
    Case("a table of pandas", table(**{"Unnamed: 0": range(6), "prompt": ASKED, "response": SAID}), {"Unnamed: 0": "metadata"}),
    Case("two languages", table(en=ASKED, de=SAID), {"en": "?", "de": "?"}, ["en", "de"]),
    Case("a gold output beside the predicted one", table(input=ASKED, output=YES, pred_output=SAID), {"input": "prompt", "output": "?", "pred_output": "response"}, ["output"]),
    Case("two turns in numbered columns", table(prompt_1=ASKED, response_1=SAID, prompt_2=[f"{each} And why?" for each in ASKED], response_2=OTHER), {}, ["prompt_1", "response_1", "prompt_2", "response_2"]),
    Case("answers that are true and answers that are not", table(question=ASKED, best_answer=YES, correct_answers=SAID, incorrect_answers=OTHER), {"correct_answers": "?", "incorrect_answers": "?"}, ["correct_answers", "incorrect_answers"]),
    Case("a response that a person edited", table(prompt=ASKED, response=SAID, edited_response=OTHER), {"response": "response", "edited_response": "?"}, ["edited_response"]),
    Case("a history of bare texts before the output", [{"session_id": f"s{number}", "chat_history": [asked, said, "And why?"], "model_input": f"<|user|>\n{asked}\n<|assistant|>\n{said}\n<|user|>\nAnd why?", "output": [said], "generator": "heron"} for number, (asked, said) in enumerate(PAIRS)], {"chat_history": "conversation", "output": "response"}),
    Case("a story of a person beside a story of a model", table(Prompt=ASKED, Human=OTHER, Story=SAID, Model="heron"), {"Prompt": "prompt", "Human": "?", "Story": "response"}, ["Human"]),
    Case("a translation as its target", table(system="heron", source=ASKED, target=SAID), {"source": "?", "target": "response"}, ["source"]),
    Case("a German word for the model", table(Nutzerfrage=ASKED, Antwort=SAID, Sprachmodell=["heron", "wren"] * 3), {"Nutzerfrage": "prompt", "Sprachmodell": "model"}, sentence="by one of 2 models"),
    Case("texts of German model A and model B", table(**{"Frage": ASKED, "Modell A": SAID, "Modell B": OTHER}), {"Frage": "prompt", "Modell A": "response", "Modell B": "response"}),
    Case("turns that end with the user, and no response", [{"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": said}, {"role": "user", "content": "And why?"}]} for asked, said in PAIRS], {"messages": "?"}, ["messages"]),
    Case("a stimulus that two people saw", [{"rater": rater, "stimulus": asked, "reply": said, "rating": 1 + number % 5} for number, (asked, said) in enumerate(PAIRS) for rater in ("anna", "ben")], {"rater": "rater", "stimulus": "shared prompt", "reply": "response", "rating": "score"}, sentence="6 items, each with one response."),
    Case("two questions that say the same", table(query=ASKED, question=ASKED, response=SAID), {"query": "prompt", "question": "metadata", "response": "response"}, sentence="“question” (says the same as “query”)"),
    Case("two questions of which one row differs", table(query=ASKED, question=[*ASKED[:5], "And then?"], response=SAID), {"query": "?", "question": "?"}, ["query", "question"]),
    Case("two questions that differ behind the first rows", [*MANY[:-1], MANY[-1] | {"question": "And then?"}], {"query": "?", "question": "?"}, ["query", "question"]),
    Case("an input that differs from the prompt behind the first rows", [{"input": row["query"] if row is not MANY[-1] else "And then?", "prompt_text": row["question"], "response": row["response"]} for row in MANY], {"input": "?", "prompt_text": "prompt"}, ["input"]),
    Case("an input that is empty in the first rows", [{"input": LONG[0] if row is MANY[-1] else "", "prompt_text": row["question"], "response": row["response"]} for row in MANY], {"input": "?", "prompt_text": "prompt"}, ["input"]),
    Case("keys beside an answer", table(answer_id=KEYS, answer=SAID), {"answer_id": "?", "answer": "response"}, ["answer_id"]),
    Case("keys beside a prompt", table(prompt=ASKED, digest=[key.replace("-", "") for key in KEYS]), {"prompt": "prompt", "digest": "?"}, ["digest"]),
    Case("keys that are named as a question", table(question=KEYS, answer=SAID), {"question": "?", "answer": "response"}, ["question"]),
    Case("keys of one length that are named as an output", table(prompt=ASKED, output=[f"answer-in-block-{number}-zz" for number in range(6)]), {"prompt": "prompt", "output": "?"}, ["output"]),
    Case("long Chinese words that are no keys", table(prompt=[f"第{number}条河的名字到底叫什么呢请你马上用一句话回答我" for number in range(6)], output=SAID), {"prompt": "prompt", "output": "response"}),
    Case("a turn as Python writes it", table(question=ASKED, answer=[str({"role": "assistant", "content": said}) for said in SAID]), {"answer.content": "response"}),
    Case("turns as Python writes them", table(messages=[str([{"role": "user", "content": asked}, {"role": "assistant", "content": said}]) for asked, said in PAIRS]), {"messages": "chat"}),
    Case("models that are named as systems", table(prompt=ASKED, response=SAID, system=["Heron 3", "Wren 4"] * 3), {"system": "?"}, ["system"]),
    Case("models that are named as systems, in our own shape", table(id=range(6), prompt=ASKED, response=SAID, system=["Heron 3", "Wren 4"] * 3), {"system": "?"}, ["system"]),
    *(
        Case(f"models that are named as {name}", table(prompt=ASKED, response=SAID, **{name: ["gpt-4", "human"] * 3}), {name: "?"}, [name])
        for name in ("source", "persona", "context")
    ),
    Case("systems and sources beside the model", table(prompt=ASKED, response=SAID, model=["heron", "wren"] * 3, system=["Be brief", "Be kind"] * 3, source=["sharegpt", "alpaca"] * 3), {"system": "system", "source": "source"}),
    Case("instructions of the system", table(prompt=ASKED, response=SAID, system=LONG, source=["web", "mail"] * 3), {"system": "system", "source": "source"}),
    Case("models of chosen and rejected responses", table(prompt=ASKED, chosen=SAID, chosen_model="heron", rejected=OTHER, rejected_model_name="wren"), {"chosen_model": "model", "rejected_model_name": "model"}, sentence="each with 2 responses by 2 models"),
    Case("a model of one response of two", table(prompt=ASKED, chosen=SAID, chosen_model="heron", rejected=OTHER), {"chosen_model": "metadata"}),
    Case("what is expected, in the plural", table(inputs=ASKED, outputs=SAID, expected_outputs=OTHER), {"outputs": "response", "expected_outputs": "reference"}),
    Case("words of people", table(id=range(6), prompt=ASKED, response=SAID, Anna=["poor", "fair", "good"] * 2, Ben=["fair", "good", "good"] * 2), {"Anna": "?", "Ben": "?"}, ["Anna", "Ben"]),
    Case("words that nobody's name heads", table(id=range(6), prompt=ASKED, response=SAID, Status=["pass", "fail"] * 3, Verdict=["yes", "no"] * 3), {"Status": "metadata", "Verdict": "metadata"}),
    Case("halves of people", table(id=range(6), prompt=ASKED, response=SAID, Anna=["3,5", "4,5", "2"] * 2, Ben=["1,5", "3,5", "2,5"] * 2), {"Anna": "score", "Ben": "score"}, sentence="12 scores by 2 people"),
    Case("a list of texts, of which nobody knows who said which", [{"context": [asked, said, "And why?"], "response": said} for asked, said in PAIRS], {"context": "?", "response": "response"}, ["context"]),
    Case("parameters of the model", table(id=range(6), prompt=ASKED, response=SAID, top_p=["1"] * 6, top_k=["4"] * 6), {"top_p": "metadata", "top_k": "metadata"}),
    Case("what is known of who rated", [{"id": str(number), "prompt": asked, "response": said, "rater": rater, "quality": number % 5, "education": 3} for number, (asked, said) in enumerate(PAIRS) for rater in ("anna", "ben")], {"quality": "score", "education": "metadata"}),
    Case("scores of two responses by two people", [{"id": str(number), "prompt": asked, "gpt4": asked * 2, "claude": said, "rater": rater, "gpt4_score": 1 + number % 5, "claude_score": 4} for number, (asked, said) in enumerate(PAIRS) for rater in ("anna", "ben")], {"gpt4": "response", "claude": "response"}, sentence="6 items, each with 2 responses by 2 models."),
    *(
        Case(f"turns with {speaker} and {text}", [{"id": number, "talk": [{speaker: "user", text: asked}, {speaker: "bot", text: said}]} for number, (asked, said) in enumerate(PAIRS)], {"talk": "chat"}, sentence="6 items, each with one response.")
        for speaker, text in (("author", "body"), ("from", "message"), ("name", "content"), ("type", "content"), ("by", "says"))
    ),
    Case("turns with a name beside the role", [{"id": number, "talk": [{"name": "Ann", "role": "user", "content": asked}, {"name": "Bot", "role": "assistant", "content": said}]} for number, (asked, said) in enumerate(PAIRS)], {"talk": "chat"}),
    Case("answers that name their models", [{"prompt": asked, "answers": [{"name": "claude", "text": said}, {"name": "gemini", "text": asked}]} for asked, said in PAIRS], {"answers[*].text": "response", "answers[*].name": "model"}, sentence="each with 2 responses by 2 models"),
    *(
        Case(f"an id that is called {name}", table(**{name: [f"k{3 * number}" for number in range(6)]}, prompt=ASKED, response=SAID), {name: "id"})
        for name in ("pid", "PID", "uid", "qid", "sample_id", "record_id", "tweetId")
    ),
    *(
        Case(f"no id that is called {name}", table(**{name: values}, prompt=ASKED, response=SAID), {name: "metadata"})
        for name, values in (("pid", ["a", "b"] * 3), ("paid", ["3", "5", "7", "9", "11", "13"]), ("worker_id", [f"w{number}" for number in range(6)]), ("solid", ASKED))
    ),
    Case("an id beside prompts that repeat", [{"response_id": f"r{number}", "prompt": ASKED[number // 2], "response": said} for number, said in enumerate(SAID)], {"response_id": "metadata", "prompt": "?"}, ["prompt"]),
    Case("an evaluation of Bedrock", [{"automatedEvaluationResult": {"scores": [{"metricName": "Accuracy", "result": 0.5}, {"metricName": "Toxicity", "result": 0}]}, "inputRecord": {"prompt": asked, "referenceResponse": other}, "modelResponses": [{"response": said, "modelIdentifier": "nova"}]} for (asked, said), other in zip(PAIRS, OTHER, strict=True)], {"inputRecord.prompt": "prompt", "inputRecord.referenceResponse": "reference", "modelResponses[*].response": "response", "modelResponses[*].modelIdentifier": "model", "automatedEvaluationResult.scores[*].result": "metadata"}, sentence="6 items, each with one response by nova."),
    Case("a judge's prompt in Alpaca's columns", [{"instruction": f"Judge it.\nTask: {asked}\nResponse: {said}", "input": "", "output": f"Fine [RESULT] {number}", "model_response": said} for number, (asked, said) in enumerate(PAIRS)], {"instruction": "?"}, ["instruction", "model_response"]),
    Case("a judge's prompt with the response", [{"prompt": f"Judge it.\nTask: {asked}\nResponse: {said}", "response": said} for asked, said in PAIRS], {"prompt": "?", "response": "response"}, ["prompt"]),
    Case("what a click says beside the texts", [{"prompt": asked, "options": [{"id": 1, "text": said}, {"id": 2, "text": other}], "answer": "accept"} for (asked, said), other in zip(PAIRS, OTHER, strict=True)], {"answer": "?", "options[*].text": "?"}, ["options[*].text", "answer"]),
    Case("answers of a human and of a machine", [{"question": asked, "answers": [{"author": "human", "text": said}, {"author": "chatgpt", "text": asked}]} for asked, said in PAIRS], {"question": "prompt", "answers[*].text": "response"}, sentence="each with 2 responses"),
    Case("texts of other names beside ratings of several people", [{"ID": number, "Original": asked, "Rewritten": said, "Tone (1-5)": 1 + number % 5, "Annotator": rater} for number, (asked, said) in enumerate(PAIRS) for rater in ("JS", "KT")], {"Original": "?", "Rewritten": "?", "Tone (1-5)": "score", "Annotator": "rater"}, ["Original", "Rewritten"]),
    Case("texts of nobody before a response", [{"dialog": ["Hi", "Hello", asked], "response": said} for asked, said in PAIRS], {"dialog": "conversation", "response": "response"}),
    *(
        Case(f"texts of nobody in {name}", [{name: ["Hi", "Hello", asked]} for asked in ASKED], {name: "?"}, [name])
        for name in ("dialog", "utterances")
    ),
    *(
        Case(f"a history of A and B as {kind} before a prompt", [{"id": number, "history": history, "prompt": asked, "response": said} for number, (asked, said) in enumerate(PAIRS)], {"history": "conversation", "prompt": "prompt"}, sentence="6 items, each with one response.")
        for kind, history in (("lines", "A: Hi.\nB: Hello."), ("texts", ["A: Hi.", "B: Hello."]), ("turns", [{"speaker": "A", "text": "Hi."}, {"speaker": "B", "text": "Hello."}]))
    ),
    Case("a transcript of several lines a turn", table(transcript=[f"User: {asked}\nIn short.\n\nAssistant: {said}\n- one" for asked, said in PAIRS]), {"transcript": "chat"}, sentence="6 items, each with one response."),
    Case("a class beside the texts that a model got", table(text=ASKED, completion=SAID, task=["qa", "chat"] * 3), {"text": "prompt", "task": "metadata"}),
    Case("a class of two words beside texts", table(text=ASKED, completion=SAID, task=["open qa", "chat"] * 3), {"text": "?", "task": "?"}, ["text", "task"]),
    Case("an instruction for all beside the texts", table(instruction="Sum this up.", text=LONG, summary=SAID), {"summary": "response"}, ["instruction", "text"]),
    Case("a judge's reasons beside a response alone", table(response=SAID, rationale=OTHER), {"rationale": "?"}, ["rationale"]),
    Case("texts of two systems beside an answer", table(question=ASKED, answer=SAID, baseline=OTHER, ours=LONG), {"question": "prompt"}, ["answer", "baseline", "ours"]),
    Case("one text beside an answer", table(question=ASKED, answer=SAID, title=OTHER), {"answer": "response", "title": "metadata"}),
    Case("a text beside one that a model's name stands for", table(question=ASKED, **{"GPT-5": SAID, "ours": OTHER}), {"question": "prompt"}, ["GPT-5", "ours"]),
    Case("gold answers beside the text of a prediction", [{"question": asked, "answers": {"text": [said]}, "prediction_text": other} for asked, said, other in zip(ASKED, SAID, OTHER, strict=True)], {"answers.text": "?", "prediction_text": "response"}, ["answers.text"]),
    Case("a number in a model's name beside gold answers", table(Question=ASKED, **{"Best Answer": OTHER, "Correct Answers": LONG, "llama2_answer": SAID}), {"Best Answer": "reference", "llama2_answer": "response"}, ["Correct Answers"], "one response by llama2."),
    Case("a number of questions in French", table(**{"N° question": [f"Q0{number}" for number in range(6)], "Question": ASKED, "Réponse": SAID}), {"N° question": "metadata", "Question": "prompt"}),
    Case("a transcript in French", table(échange=[f"Utilisateur : {asked}\nAssistant\u202f: {said}" for asked, said in PAIRS]), {"échange": "chat"}, sentence="6 items, each with one response."),
    Case("what a question was made of beside its reference", table(question=ASKED, reference_answer=SAID, reference_context=LONG), {"question": "prompt", "reference_answer": "reference"}, ["reference_context"]),
    Case("a speaker whose name is not read", table(Dialog=[f"Kunde: {asked}\nBerater: Darf ich fragen?\nKunde: Ja." for asked in ASKED], Antwort=SAID), {"Antwort": "response"}, ["Dialog"]),
    Case("a speaker whose name is not read, with the response", table(dialog=[f"User: {asked}\nBot: Let me ask.\nDr. Lee: {said}\nBot: It is so." for asked, said in PAIRS]), {}, ["dialog"]),
    Case("a note in a line of some conversations", table(dialog=[f"User: {asked}\nBot: Well.\nUser: So?{note}" for asked, note in zip(ASKED, ["\nNote: short", *[""] * 5], strict=True)], answer=SAID), {"dialog": "conversation", "answer": "response"}),
    Case("a list as Python writes it", table(question=ASKED, generations=[str([said, other]) for said, other in zip(SAID, OTHER, strict=True)]), {"generations": "response"}, sentence="each with 2 responses"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_file_is_taken_for_this(case: Case) -> None:
    found = proposed(case.rows)
    uses = {path: use.value for path, use in found.mapping.columns.items() if path in case.uses}
    assert uses == case.uses
    assert [each.path for each in found.doubtful] == case.open
    assert case.sentence in found.sentence


def test_names_are_compared_without_case_blanks_signs_and_accents() -> None:
    assert {fold(name) for name in ("Model Name", "model_name", " MODEL-name", "Modèl.Name")} == {
        "modelname"
    }
    assert [variant(name) for name in ("response_a", "Response B", "output 12", "answerC")] == [
        ("response", "a"), ("response", "b"), ("output", "12"), ("answer", "c"),
    ]  # fmt: skip
    assert {role_of(name) for name in ("Human", "USER", "Nutzer")} == {"user"}
    assert role_of("S1") == "S1"


@pytest.mark.parametrize(
    ("path", "use"),
    [
        ("outputs[*].text", Use.RESPONSE), ("reference.answer", Use.REFERENCE),
        ("input.question", Use.PROMPT), ("output.score", None), ("Überschrift", None),
        ("Musterlösung", Use.REFERENCE), ("respnse", Use.RESPONSE), ("model_a", None),
        ("Answer given by the bot", Use.RESPONSE), ("AI-generated responses", Use.RESPONSE),
        ("Antwort des Chatbots", Use.RESPONSE), ("Vom Modell erzeugte Ausgabe", Use.RESPONSE),
        ("Réponse générée par l’IA", Use.RESPONSE), ("output.model_reply", Use.RESPONSE),
        ("response_model", Use.MODEL), ("model_answer_key", None), ("system output id", None),
    ],
)  # fmt: skip
def test_a_name_says_its_use(path: str, use: Use | None) -> None:
    found = meaning(path)
    assert (found and found.use) == use


def test_a_column_that_is_named_and_filled_as_ours_is_sure_and_a_synonym_is_likely() -> None:
    found = proposed(table(Prompt=ASKED, prediction=SAID, split="test"))
    sure = {each.path: each.certainty for each in found.choices}
    assert sure == {
        "Prompt": Certainty.SURE, "prediction": Certainty.LIKELY, "split": Certainty.SURE,
    }  # fmt: skip


def test_a_profile_knows_all_rows_and_holds_few_of_them() -> None:
    rows = [{"id": f"q{number}", "score": str(1 + number // 2_400), "text": "x" * number} for number in range(5_000)]  # fmt: skip
    found = Profile.of(SourceRow(line, row, "") for line, row in enumerate(rows, start=1))
    score = found.columns["score"]
    assert (found.rows, score.counts) == (5_000, {"1": 2_400, "2": 2_400, "3": 200})
    assert (score.lowest, score.highest) == (1, 3)
    assert found.columns["id"].distinct == found.columns["id"].filled == 5_000
    assert len(found.columns["id"].counts) == 1_000
    assert len(found.sample.first_rows) == 100


def test_a_model_has_its_name_without_the_word_for_a_response() -> None:
    rows = table(prompt=ASKED, gpt4_response=SAID, **{"Claude 3_response": OTHER})
    assert proposed(rows).mapping.models == {
        "gpt4_response": "gpt4",
        "Claude 3_response": "Claude 3",
    }


def test_a_version_in_a_models_name_has_a_dot() -> None:
    names = ["Llama-3.1-70B-Instruct", "gpt-3.5-turbo"]
    rows = table(prompt=ASKED, **dict(zip(names, (SAID, OTHER), strict=True)))
    assert [*proposed(rows).mapping.models.values()] == names


def test_the_contents_of_a_file_are_said_in_a_sentence() -> None:
    people = {"Anna": [1, 2, 3, 4, 5, 5], "Ben": [1, 2, 3, 4, 5, 4], "Cem": [1, 1, 3, 4, 5, 5]}
    rows = table(
        id=range(6), question=ASKED, prediction=SAID, source="made", split="test", **people
    )
    assert proposed(rows).sentence == (
        "6 items, each with one response. Annotators see “question” as the prompt, “prediction” as "
        "the response and “source” as the source. Kept from them: split. 18 scores by 3 people: "
        "Anna, Ben, Cem, in “quality” from 1 to 5. 8 columns: 3 shown, 1 kept from annotators, 1 "
        "of ids and models, 3 of ratings."
    )


@pytest.mark.parametrize(
    "names",
    [
        ("Timestamp", "Your name", "How helpful is it? [Item %s]"),
        ("Zeitstempel", "Ihr Name", "Wie hilfreich ist Antwort %s?"),
        ("StartDate", "ResponseId", "Q%s_1"),
    ],
)
def test_a_survey_with_a_column_for_each_item_is_refused_with_what_to_do(
    names: tuple[str, str, str],
) -> None:
    time, name, item = names
    people = {time: "2026-01-03 10:00", name: ["Anna", "Ben", "Cem", "Dora", "Eva", "Finn"]}
    scores = {item % number: [1, 5, 3, 2, 4, 4] for number in range(1, 4)}
    proposal = proposed(table(**people, **scores))
    assert proposal.doubtful == ()
    assert proposal.mapping.of(Use.SCORE) == []
    assert proposal.remarks == (
        "Each row looks like the answers of one person, and each column like an item. Write a row "
        "for each rating instead, with the item’s id, who rated, and the score.",
    )


def test_errors_in_translations_do_not_leave_the_translations_out() -> None:
    two = {name: [*texts[:2]] * 3 for name, texts in (("source", ASKED), ("target", SAID))}
    severity = ["major", "minor", "minor", "major", "minor", "major"]
    rows = table(system=["a", "b"] * 3, seg_id=[1, 2] * 3, rater=["x", "x", "y", "y", "z", "z"], severity=severity, **two)  # fmt: skip
    assert [choice.path for choice in proposed(rows).doubtful] == ["source", "target"]


def test_the_number_of_an_element_is_no_score() -> None:
    twice = {"Invite": [*ASKED[:3]] * 2, "Réponse du modèle": [*SAID[:3]] * 2}
    words = ["bien", "mal", "moyen", "mal", "bien", "moyen"]
    rows = table(Élément=[1, 2, 3] * 2, Juge=["Anne"] * 3 + ["Luc"] * 3, Clarté=words, **twice)
    mapping = proposed(rows).mapping
    assert (mapping.of(Use.GROUP), mapping.of(Use.SCORE)) == (["Élément"], [])


def test_people_of_an_experiment_are_raters_by_their_numbers() -> None:
    people = {f"Vp0{number}": [1, 7, 3, 4, 6, 2] for number in range(1, 4)}
    proposal = proposed(table(**{"Satz-Nr.": range(6)}, Satz=LONG, **people))
    assert proposal.mapping.of(Use.ID, Use.SCORE) == ["Satz-Nr.", *people]
    assert [choice.path for choice in proposal.doubtful] == ["Satz"]


def test_ratings_that_name_their_item_are_no_survey() -> None:
    rows = table(
        item_id=range(6), rater="Anna", Q1=[1, 2, 3] * 2, Q2=[3, 2, 1] * 2, Q3=[2, 2, 5] * 2
    )
    assert proposed(rows).mapping.of(Use.SCORE) == ["Q1", "Q2", "Q3"]


def test_a_csv_file_is_read_by_its_columns() -> None:
    text = "ID;Frage;Antwort\n1;Warum?;Darum.\n2;Wie?;So.\n"
    with recognise(io.BytesIO(text.encode()), "fragen.csv") as source:
        found = propose(Profile.of(source.rows()))
    assert json.loads(json.dumps(found.mapping.columns)) == {
        "ID": "id", "Frage": "prompt", "Antwort": "response",
    }  # fmt: skip


def test_chosen_uses_are_proposed_for_a_file_with_the_same_columns() -> None:
    rows = [SourceRow(1, row, "") for row in table(question=ASKED, answer=YES, pred=SAID)]
    profile = Profile.of(rows)
    chosen = propose(profile).mapping.with_uses({"answer": Use.REFERENCE})
    again = propose_again(profile, chosen)
    assert again is not None
    assert (again.mapping, again.doubtful) == (chosen, ())
    assert "“answer” as the reference" in again.sentence
    assert propose_again(Profile.of([*rows[:1], SourceRow(2, {"new": "x"}, "")]), chosen) is None


def test_the_names_in_the_document_are_those_of_the_code() -> None:
    lines = []
    for use in SYNONYMS:
        sure = ", ".join(name for name, meant in OURS.items() if meant is use)
        names = " ".join([*SYNONYMS[use].split(), *WEAK.get(use, "").split()])
        lines += textwrap.wrap(f"- {use.value} ({sure}): {names}", 116, subsequent_indent="  ")
    document = (Path(__file__).parents[2] / "docs" / "column-names.md").read_text(encoding="utf-8")
    assert "\n".join(lines) in document
