"""All shapes of files, by their names. No Django but its translations.

To add one, write its entry, in the order of the alphabet, and its fixtures.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from .layout import ASKING, ASKS, NUMBERED, PROMPT, RESPONSE, FileShape, chats, fits
from .rating_columns import guessed_ratings
from .sample import Sample, is_turns
from .scoring import FILE, Said
from .uses import Use

# Samples of an Inspect log.
INSPECTED = "output.choices[*].message.(content|content[*].text)"


def _says_more(sample: Sample) -> bool:
    """Tell whether a solver asked the model more than the input, or otherwise."""
    there = {column.name: column.values for column in sample.columns}
    return any(
        [turn.get("content") for turn in said[:-1]]
        != ([turn.get("content") for turn in asked] if is_turns(asked) else [asked])
        for said, asked in zip(there.get("messages", ()), there.get("input", ()), strict=False)
        if is_turns(said)
    )


# The output of a batch API (OpenAI's, Anthropic's), perhaps with the requests put beside it.
BATCH_ANSWER = (
    "response.body.choices[*].message.content|response.body.output[*].content[*].text"
    "|response.body.choices[*].text|result.message.content[*].text"
)
BATCH_INPUT = r"(request\.)?body\.input"
BATCH_REQUEST = rf"((request\.)?(body|params)\.|request\.)?messages|{BATCH_INPUT}"

# Our own export of scores or of ratings, as docs/export.md describes it.
EXPORTED = (
    "unit|position|without|verdict|clause|remarks|asked|item_comment|facts|rubric|rubric_version"
    "|attempt|kind|extra_because|revision|view|active_seconds|elapsed_seconds|started_at"
    "|file|line|breaks"
)
EXPORT_USES = {
    "item": Use.GROUP,
    "target": Use.TARGET,
    "model": Use.MODEL,
    "annotator": Use.RATER,
    "dimension": Use.DIMENSION,
    "score": Use.SCORE,
    "checks|response_checks": Use.CHECK,
    "comment": Use.COMMENT,
    "submitted_at": Use.TIME,
    rf"({EXPORTED})(\[.*)?": Use.EXPORTED,
    # The item's file has them.
    r"(project|batch|dropped|warning|batch_warning|persona|system|context|messages|reference|source"
    r"|response|candidates|meta\..*)(\[.*)?": Use.UNUSED,
    r".+\.without": Use.EXPORTED,
}


def _rated_columns(sample: Sample) -> Mapping[str, Use]:
    """Return the columns of the rubric's dimensions and checks."""
    return {
        column.path: Use.CHECK if "." in column.path else Use.SCORE
        for column in sample.columns
        if not any(fits(name, column.path) for name in EXPORT_USES)
    }


def _said_by_columns(sample: Sample) -> Mapping[str, Said]:
    named = [
        path.partition(".") for path, use in _rated_columns(sample).items() if use is Use.CHECK
    ]
    return {
        "checks": Said(check="*"),
        "response_checks": Said(dimension="response", check="*"),
        **{f"{dimension}.{check}": Said("", dimension, check) for dimension, _dot, check in named},
    }


# A column for each model: the header is the model.
MODEL_NAME = re.compile(
    r"gpt|claude|llama|mi[sx]tral|gemini|gemma|qwen|deepseek|command|falcon|vicuna|alpaca|tulu|phi"
    r"|palm|grok|davinci|bard|yi-|olmo|bloom|t5|\d+b\b|v\d",
    re.IGNORECASE,
)
NO_MODEL = (
    rf"{ASKS}|model(_name|_id)?|model[ _-]?.|.*_(id|by|at|url)|id|source|.*model_?(output|response)"
    r"|.*\[.*|(meta|metadata)\..*|(chosen|rejected).*"
)
LONG_TEXT = 40  # characters


def _models(sample: Sample) -> Mapping[str, Use]:
    """Return the columns whose headers are models, or else those of long texts."""
    there = {
        column.name: sum(map(len, map(str, column.filled))) / len(column.filled)
        for column in sample.columns
        if column.name
        and not fits(f"(?i:{NO_MODEL})", column.name)
        and column.holds_words
        and column.filled
    }
    named = [path for path in there if MODEL_NAME.search(path)]
    long = [path for path, length in there.items() if length >= LONG_TEXT]
    return dict.fromkeys(named if len(named) > 1 else long, Use.RESPONSE)


# Dialogues with a persona, such as PersonaChat and ConvAI2.
DIALOGUE = "history|dialog|dialogue|dialogs|utterances"
DIALOGUE_ANSWER = "response|responses|reply|utterance|candidates|labels|label"


def _doubt(sample: Sample) -> str | None:
    """Return None if a column holds prose, such as prompts: then it is no file without texts."""
    uses = {column.path: Use.METADATA for column in sample.columns}
    found, _said, _scoring, asked, _told = guessed_ratings(sample, uses, FileShape("", ()))
    prose = any(
        column.holds_words
        and len(" ".join(map(str, column.filled)).split()) > 2 * len(column.filled)
        for column in sample.columns
        if column.path not in {*found, *asked}
    )
    return None if prose or Use.SCORE not in found.values() else ""


# A prompt with a list of responses: of texts, or of objects that may name their model.
LISTS = (
    "(responses|outputs|completions|candidates|answers|generations|samples|choices|replies"
    "|predictions|(model|candidate)_(responses|outputs))"
)
LIST_TEXTS = f"{LISTS}([*].(text|response|content|output|answer|completion|message.content))?"

SHAPES: Mapping[str, FileShape] = {
    # Alpaca's instructions, and the outputs that AlpacaEval reads.
    "alpaca": FileShape(
        _("Alpaca or AlpacaEval"),
        ("instruction", "output", "input|generator|datasplit"),
        {
            "instruction": Use.PROMPT,
            "input": Use.CONTEXT,
            "output": Use.RESPONSE,
            "history": Use.CONVERSATION,
            "dataset": Use.SOURCE,
        },
    ),
    # Two conversations with one beginning: battles of Chatbot Arena.
    "arena": FileShape(
        _("pairs of conversations (Chatbot Arena)"),
        ("conversation_a", "conversation_b"),
        {"conversation_[a-z]": Use.CHAT, "model_[a-z]": Use.MODEL},
    ),
    # Argilla's records in JSON: what was shown is under `fields`.
    "argilla": FileShape(
        _("an export of Argilla"),
        (r"fields\..*", r"(responses|suggestions|vectors|status)(\W.*)?"),
        {
            r"responses(\.[^.]+)?[*].user_id": Use.RATER,
            r"responses\.[^.]+[*].value(\W.*)?|responses[*]\.values\.[^.]+\.value(\W.*)?": (
                Use.SCORE
            ),
        },
        root="fields",
    ),
    # Chat messages, as in files for fine-tuning: the last turn is the response.
    "chat": FileShape(_("chat messages"), ("messages",), {"messages": Use.CHAT}),
    # Columns of any kind: what a file is read as that no other shape fits.
    "columns": FileShape(
        _("columns of any kind"),
        (),
        ASKING,
        named=2,
        judge=lambda sample: _("No known shape fits it."),
    ),
    # Rows as the Hugging Face dataset viewer gives them: each is under `row`.
    "datasets-server": FileShape(
        _("rows of the dataset viewer"),
        ("row_idx", r"row\..*"),
        {"truncated_cells": Use.UNUSED},
        root="row",
        judge=lambda sample: (
            _("Some of its cells are cut off (truncated_cells): load the dataset itself.")
            if any(column.path == "truncated_cells" and column.filled for column in sample.columns)
            else ""
        ),
    ),
    # HelpSteer: a prompt and a response with its scores.
    "helpsteer": FileShape(
        _("HelpSteer"),
        ("prompt", "response", "helpfulness", "correctness|coherence", "complexity|verbosity"),
        {
            "prompt": Use.PROMPT,
            "response": Use.RESPONSE,
            "helpfulness|correctness|coherence|complexity|verbosity": Use.SCORE,
        },
        rater=FILE,
        judge=lambda sample: (
            _("Some of its prompts hold several turns, each after the mark <extra_id_1>.")
            if any(
                "<extra_id_1>" in str(value)
                for column in sample.columns
                if column.path == "prompt"
                for value in column.filled
            )
            else ""
        ),
    ),
    # Samples of an Inspect log.
    "inspect-ai": FileShape(
        _("samples of Inspect"),
        ("input", INSPECTED, r"(epoch|scores|target)(\W.*)?"),
        {
            "input": Use.PROMPT,
            INSPECTED: Use.RESPONSE,
            "output.model": Use.MODEL,
            # They say the same once more, or how the sample was run.
            r"(messages|events|attachments|store)(\W.*)?": Use.UNUSED,
        },
        judge=lambda sample: (
            _(
                "Its messages hold more than the input, such as a system prompt; choose which "
                "annotators see."
            )
            if _says_more(sample)
            else ""
        ),
        # A log in a ZIP gives each sample the model of its run, with the whole name.
        more=lambda sample: (
            {"output.model": Use.METADATA}
            if any(column.path == "model" for column in sample.columns)
            else {}
        ),
    ),
    # Label Studio's export in JSON: what was shown is under `data`.
    "label-studio": FileShape(
        _("an export of Label Studio"),
        (r"data\..*", r"(annotations|predictions|completions|total_annotations)(\W.*)?"),
        {
            r"annotations[*]\.completed_by(\.(email|id))?": Use.RATER,
            r"annotations[*]\.created_at": Use.TIME,
            r"annotations[*]\.result[*]\.from_name": Use.DIMENSION,
            r"annotations[*]\.result[*]\.value\.choices": Use.CHECK,
            r"annotations[*]\.result[*]\.value\..*": Use.SCORE,
        },
        root="data",
    ),
    # Langfuse's traces, observations and items of datasets.
    "langfuse": FileShape(
        _("an export of Langfuse"),
        (
            r"input(\W.*)?",
            r"output(\W.*)?",
            "sessionId|traceId|userId|datasetId|projectId|observations|sourceTraceId|trace_id"
            "|session_id",
        ),
        {
            r"input|input\.(messages|prompt|question|query|input|text)": Use.PROMPT,
            "output|output.(content|text|answer|response|output|completion|message.content)": (
                Use.RESPONSE
            ),
            "output.choices[*].message.content": Use.RESPONSE,
            "provided_model_name": Use.MODEL,
            r"expectedOutput(\.\w+)?": Use.REFERENCE,
            "scores[*].authorUserId": Use.RATER,
            "scores[*].name": Use.DIMENSION,
            "scores[*].value": Use.SCORE,
            "scores[*].comment": Use.COMMENT,
            "scores[*].timestamp": Use.TIME,
        },
    ),
    # Samples that lm-evaluation-harness logs of tasks that generate text.
    "lm-eval": FileShape(
        _("samples of lm-evaluation-harness"),
        ("doc_id", "resps", r"arguments(\W.*)?"),
        {r"arguments\.gen_args_0\.arg_0": Use.PROMPT, "resps": Use.RESPONSE},
        judge=lambda sample: (
            ""
            if any(
                fits(r"arguments\.gen_args_0\.arg_1\..*", column.name) for column in sample.columns
            )
            else _("It has no text that was generated: gen_args_0.arg_1 holds no options.")
        ),
    ),
    # MT-Bench's questions of two turns with the answers to them.
    "mt-bench": FileShape(
        _("MT-Bench questions and answers"),
        ("question_id", "turns|choices[*].turns"),
        {"turns": Use.PROMPT, "choices[*].turns": Use.RESPONSE},
    ),
    # Results of Mechanical Turk: what was shown is under `Input`.
    "mturk": FileShape(
        _("results of Mechanical Turk"),
        ("HITId", r"Input\..*"),
        # The pay and the clock of an assignment say nothing of the item.
        {
            "HITId": Use.METADATA,
            "WorkerId": Use.RATER,
            r"Answer\..*(comment|feedback|reason).*": Use.COMMENT,
            r"Answer\..*": Use.SCORE,
            ".*": Use.UNUSED,
        },
        root="Input",
    ),
    # The output of a batch API (OpenAI's, Anthropic's), perhaps with the requests put beside it.
    "openai-batch": FileShape(
        _("the output of a batch API"),
        ("custom_id", BATCH_ANSWER),
        {
            BATCH_INPUT: Use.PROMPT,
            BATCH_REQUEST: Use.CONVERSATION,
            r"(request\.)?(body\.instructions|params\.system)": Use.SYSTEM,
            BATCH_ANSWER: Use.RESPONSE,
            "response.body.model|result.message.model": Use.MODEL,
        },
        alone=True,
        judge=lambda sample: (
            ""
            if any(fits(BATCH_REQUEST, column.name) for column in sample.columns)
            else _("It has no prompts: they are in the batch’s input file, in body.messages.")
        ),
    ),
    # Our own export of the answers about a model's whole corpus, as docs/export.md describes it.
    "our-answers": FileShape(
        _("our own export of answers about all responses of a model"),
        ("project", "batch", "check", "answer", "annotator", "revision", "answered_at"),
        {
            "project": Use.UNUSED,
            "batch": Use.GROUP,
            "annotator": Use.RATER,
            "dimension": Use.DIMENSION,
            "answer": Use.CHECK,
            "check|revision|answered_at": Use.EXPORTED,
        },
        alone=True,
        said=lambda sample: {"answer": Said(check="answer")},
    ),
    # Our own export of scores or of ratings, as docs/export.md describes it.
    "our-export": FileShape(
        _("our own export of ratings"),
        ("project", "batch", "item", "unit", "annotator", "rubric_version", "attempt", "revision"),
        EXPORT_USES,
        alone=True,
        more=_rated_columns,
        said=_said_by_columns,
    ),
    # Our own shape, as docs/import.md describes it.
    "own": FileShape(
        _("our own shape"),
        ("id", r"(prompt|messages|history)(\W.*)?", r"responses?(\W.*)?"),
        {
            "id": Use.ID,
            "prompt": Use.PROMPT,
            r"(messages|history)(\W.*)?": Use.CONVERSATION,
            "persona": Use.PERSONA,
            "system": Use.SYSTEM,
            "context": Use.CONTEXT,
            "reference": Use.REFERENCE,
            "source": Use.SOURCE,
            "warning": Use.WARNING,
            "response|responses|responses[*].(text|response)": Use.RESPONSE,
            "model|responses[*].model": Use.MODEL,
        },
    ),
    # A prompt with numbered responses: response_a and response_b, output_1 and output_2.
    "pairs": FileShape(
        _("a prompt with numbered responses"),
        (ASKS, f"{NUMBERED}[ _-]?[aA1]", f"{NUMBERED}[ _-]?[bB2]"),
        {
            **ASKING,
            NUMBERED + r"[ _-]?(\d+|[a-zA-Z])": Use.RESPONSE,
            r"(model|model_name|generator)([ _-]?(\d+|[a-zA-Z]))?": Use.MODEL,
        },
    ),
    # A column for each model: the header is the model.
    "per-model": FileShape(
        _("a column for each model"),
        (ASKS,),
        ASKING,
        named=1,
        judge=lambda sample: (
            None
            if len(found := _models(sample)) < 2
            else ""
            if all(map(MODEL_NAME.search, found))
            else _("Its columns of long texts have no names of models.")
        ),
        more=_models,
    ),
    # Dialogues with a persona, such as PersonaChat and ConvAI2.
    "persona-dialogue": FileShape(
        _("dialogues with a persona"),
        ("persona|personality|personas|your_persona|bot_profile", DIALOGUE, DIALOGUE_ANSWER),
        {
            "persona|personality|personas|your_persona|bot_profile": Use.PERSONA,
            DIALOGUE: Use.CONVERSATION,
            DIALOGUE_ANSWER: Use.RESPONSE,
        },
        judge=lambda sample: (
            _("Of its candidates only the last may be the one that was said.")
            if any(column.name == "candidates" for column in sample.columns)
            else ""
        ),
    ),
    # A prompt or a conversation and one response in a row, under usual names.
    "plain": FileShape(
        _("a prompt and a response"), (ASKS, RESPONSE), {**ASKING, RESPONSE: Use.RESPONSE}
    ),
    # Preferences: chosen and rejected, as texts, as turns, or as transcripts (HH-RLHF).
    "preference": FileShape(
        _("preferences (chosen, rejected)"),
        ("chosen", "rejected"),
        {"chosen|rejected": Use.RESPONSE, "(chosen|rejected)[_-]model": Use.MODEL, **ASKING},
        named=1,
        # Where they are chats, the prompt stands in them once more, and perhaps the chosen one
        # beside.
        more=lambda sample: (
            {**dict.fromkeys(ASKS.split("|"), Use.METADATA), **found}
            if (found := chats(sample, "chosen|rejected"))
            else {}
        ),
    ),
    # Ratings of items whose texts are in another file, or in none.
    "ratings": FileShape(
        _("ratings without texts"), (), {"target": Use.METADATA}, alone=True, judge=_doubt
    ),
    # A prompt with a list of responses: of texts, or of objects that may name their model.
    "response-list": FileShape(
        _("a prompt with a list of responses"),
        (ASKS, LIST_TEXTS),
        {
            **ASKING,
            LIST_TEXTS: Use.RESPONSE,
            f"{LISTS}[*].(model|model_name|model_id|generator|name)": Use.MODEL,
            "models": Use.MODEL,
        },
        # A prompt may be a transcript that ends where the model is to go on.
        more=lambda sample: dict.fromkeys(chats(sample, PROMPT), Use.CONVERSATION),
    ),
    # ShareGPT's conversations (`from`, `value`), and those of WildChat and LMSYS-Chat.
    "sharegpt": FileShape(
        _("ShareGPT conversations"), ("conversations?",), {"conversations?": Use.CHAT}
    ),
}


@cache
def examples() -> Mapping[str, Path]:
    """Return an example file of each shape, by the shape's name."""
    folder = Path(__file__).parents[3] / "fixtures" / "shapes"
    return {file.stem: file for file in sorted(folder.iterdir()) if file.stem in SHAPES}
