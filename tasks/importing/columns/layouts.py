"""All layouts of tools and data sets, by their names. No Django but its translations.

To add one, write its entry, in the order of the alphabet, and its fixtures. Patterns are of folded
names: `model_name` is `modelname`.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from .layout import Layout, fits
from .names import is_turns
from .sample import Sample
from .scoring import FILE, RatingKey, RatingKeys
from .tools import TOOLS
from .uses import Use

OWN = "own"  # our own shape
BY_HAND = "columns"  # columns of any kind
ALONE = "ratings"  # ratings without texts

# Samples of an Inspect log.
INSPECTED = "output.choices[*].message.(content|content[*].text)"


def _says_more(sample: Sample) -> bool:
    """Tell whether a solver asked the model more than the input, or otherwise."""
    values = {column.name: column.values for column in sample.columns}
    for turns, prompt in zip(values.get("messages", ()), values.get("input", ()), strict=False):
        questions = [turn.get("content") for turn in prompt] if is_turns(prompt) else [prompt]
        if is_turns(turns) and [turn.get("content") for turn in turns[:-1]] != questions:
            return True
    return False


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


def _rating_keys(sample: Sample) -> RatingKeys:
    names = [
        path.partition(".") for path, use in _rated_columns(sample).items() if use is Use.CHECK
    ]
    return {
        "checks": RatingKey(check="*"),
        "response_checks": RatingKey(dimension="response", check="*"),
        **{
            f"{dimension}.{check}": RatingKey("", dimension, check)
            for dimension, _dot, check in names
        },
    }


WIDE = r"[^ ]+ / .* / .+"  # dimension, response, person


def _wide_rating_keys(sample: Sample) -> RatingKeys:
    paths = [column.path for column in sample.columns if fits(WIDE, column.path)]
    columns = {}
    for path in paths:
        dimension, _mark, rest = path.partition(" / ")
        response, _mark, rater = rest.rpartition(" / ")
        columns[path] = RatingKey(rater, dimension, response=response)
    return columns


# Dialogues with a persona, such as PersonaChat and ConvAI2.
PERSONA = "persona|personality|personas|yourpersona|botprofile"
DIALOGUE = "history|dialog|dialogue|dialogs|utterances"
DIALOGUE_ANSWER = "response|responses|reply|utterance|candidates|labels|label"


def _has(sample: Sample, pattern: str) -> bool:
    return any(fits(pattern, column.name) for column in sample.columns)


def _holds(sample: Sample, name: str, text: str = "") -> bool:
    """Tell whether a text stands in a column's values."""
    values = [value for column in sample.columns if column.path == name for value in column.filled]
    return any(text in str(value) for value in values)


LAYOUTS: Mapping[str, Layout] = {
    **TOOLS,
    # Alpaca's instructions, and the outputs that AlpacaEval reads.
    "alpaca": Layout(
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
    # Argilla's records in JSON: what was shown is under `fields`.
    "argilla": Layout(
        _("an export of Argilla"),
        (r"fields\..*", r"(responses|suggestions|vectors|status)(\W.*)?"),
        {
            r"responses(\.[^.]+)?[*].userid": Use.RATER,
            r"responses\.[^.]+[*].value(\W.*)?": Use.SCORE,
            r"responses[*]\.values\.[^.]+\.value(\W.*)?": Use.SCORE,
        },
        root="fields",
    ),
    # Columns of any kind: what a file is read as that no other layout fits.
    BY_HAND: Layout(_("columns of any kind"), ()),
    # Rows as the Hugging Face dataset viewer gives them: each is under `row`.
    "datasets-server": Layout(
        _("rows of the dataset viewer"),
        ("rowidx", r"row\..*"),
        {"truncatedcells": Use.UNUSED},
        root="row",
        doubt=lambda sample: (
            _("Some of its cells are cut off (truncated_cells): load the dataset itself.")
            if _holds(sample, "truncated_cells")
            else ""
        ),
    ),
    # HelpSteer: a prompt and a response with its scores.
    "helpsteer": Layout(
        _("HelpSteer"),
        ("prompt", "response", "helpfulness", "correctness|coherence", "complexity|verbosity"),
        {
            "prompt": Use.PROMPT,
            "response": Use.RESPONSE,
            "helpfulness|correctness|coherence|complexity|verbosity": Use.SCORE,
        },
        rater=FILE,
        doubt=lambda sample: (
            _("Some of its prompts hold several turns, each after the mark <extra_id_1>.")
            if _holds(sample, "prompt", "<extra_id_1>")
            else ""
        ),
    ),
    # Samples of an Inspect log.
    "inspect-ai": Layout(
        _("samples of Inspect"),
        ("input", INSPECTED, r"(epoch|scores|target)(\W.*)?"),
        {
            "input": Use.PROMPT,
            INSPECTED: Use.RESPONSE,
            "output.model": Use.MODEL,
            # They say the same once more, or how the sample was run.
            r"(messages|events|attachments|store)(\W.*)?": Use.UNUSED,
        },
        doubt=lambda sample: (
            _(
                "Its messages hold more than the input, such as a system prompt; choose which "
                "annotators see."
            )
            if _says_more(sample)
            else ""
        ),
        # A log in a ZIP gives each sample the model of its run, with the whole name.
        more=lambda sample: {"output.model": Use.METADATA} if _has(sample, "model") else {},
    ),
    # Label Studio's export in JSON: what was shown is under `data`.
    "label-studio": Layout(
        _("an export of Label Studio"),
        (r"data\..*", r"(annotations|predictions|completions|totalannotations)(\W.*)?"),
        {
            r"annotations[*]\.completedby(\.(email|id))?": Use.RATER,
            r"annotations[*]\.createdat": Use.TIME,
            r"annotations[*]\.result[*]\.fromname": Use.DIMENSION,
            r"annotations[*]\.result[*]\.value\.choices": Use.CHECK,
            r"annotations[*]\.result[*]\.value\..*": Use.SCORE,
        },
        root="data",
    ),
    # Langfuse's traces, observations and items of datasets.
    "langfuse": Layout(
        _("an export of Langfuse"),
        (
            r"input(\W.*)?",
            r"output(\W.*)?",
            "sessionid|traceid|userid|datasetid|projectid|observations|sourcetraceid",
        ),
        {
            r"input|input\.(messages|prompt|question|query|input|text)": Use.PROMPT,
            "output|output.(content|text|answer|response|output|completion|message.content)": (
                Use.RESPONSE
            ),
            "output.choices[*].message.content": Use.RESPONSE,
            "providedmodelname": Use.MODEL,
            r"expectedoutput(\.\w+)?": Use.REFERENCE,
            "scores[*].authoruserid": Use.RATER,
            "scores[*].name": Use.DIMENSION,
            "scores[*].value": Use.SCORE,
            "scores[*].comment": Use.COMMENT,
            "scores[*].timestamp": Use.TIME,
        },
    ),
    # Samples that lm-evaluation-harness logs of tasks that generate text.
    "lm-eval": Layout(
        _("samples of lm-evaluation-harness"),
        ("docid", "resps", r"arguments(\W.*)?"),
        {
            r"arguments\.genargs0\.arg0": Use.PROMPT,
            "resps": Use.RESPONSE,
            "target": Use.REFERENCE,
            r"doc\..*|filteredresps": Use.METADATA,
        },
        doubt=lambda sample: (
            ""
            if _has(sample, r"arguments\.gen_args_0\.arg_1\..*")
            else _("It has no text that was generated: gen_args_0.arg_1 holds no options.")
        ),
    ),
    # MT-Bench's questions of two turns with the answers to them.
    "mt-bench": Layout(
        _("MT-Bench questions and answers"),
        ("questionid", "turns|choices[*].turns"),
        {"turns": Use.PROMPT, "choices[*].turns": Use.RESPONSE},
    ),
    # Results of Mechanical Turk: what was shown is under `Input`.
    "mturk": Layout(
        _("results of Mechanical Turk"),
        ("hitid", r"input\..*"),
        # The pay and the clock of an assignment say nothing of the item.
        {
            "hitid": Use.METADATA,
            "workerid": Use.RATER,
            r"answer\..*(comment|feedback|reason).*": Use.COMMENT,
            r"answer\..*": Use.SCORE,
            ".*": Use.UNUSED,
        },
        root="Input",
    ),
    # The output of a batch API (OpenAI's, Anthropic's), perhaps with the requests put beside it.
    "openai-batch": Layout(
        _("the output of a batch API"),
        ("customid", BATCH_ANSWER),
        {
            "customid": Use.ID,
            BATCH_INPUT: Use.PROMPT,
            BATCH_REQUEST: Use.CONVERSATION,
            r"(request\.)?(body\.instructions|params\.system)": Use.SYSTEM,
            BATCH_ANSWER: Use.RESPONSE,
            "response.body.model|result.message.model": Use.MODEL,
        },
        alone=True,
        doubt=lambda sample: (
            ""
            if _has(sample, BATCH_REQUEST)
            else _("It has no prompts: they are in the batch’s input file, in body.messages.")
        ),
    ),
    # Our own export of the answers about a model's whole corpus, as docs/export.md describes it.
    "our-answers": Layout(
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
        exact=True,
        alone=True,
        rating_keys=lambda sample: {"answer": RatingKey(check="answer")},
    ),
    # Our own export of scores or of ratings, as docs/export.md describes it.
    "our-export": Layout(
        _("our own export of ratings"),
        ("project", "batch", "item", "unit", "annotator", "rubric_version", "attempt", "revision"),
        EXPORT_USES,
        exact=True,
        alone=True,
        more=_rated_columns,
        rating_keys=_rating_keys,
    ),
    # Our own export with a column for each dimension, response and person.
    "our-wide": Layout(
        _("our own export in wide columns"),
        ("project", "batch", "item", WIDE),
        {"item": Use.GROUP, "project|batch": Use.UNUSED, WIDE: Use.SCORE},
        exact=True,
        alone=True,
        rating_keys=_wide_rating_keys,
    ),
    # Our own shape, as docs/import.md describes it.
    OWN: Layout(
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
        exact=True,
    ),
    # Dialogues with a persona, such as PersonaChat and ConvAI2.
    "persona-dialogue": Layout(
        _("dialogues with a persona"),
        (PERSONA, DIALOGUE, DIALOGUE_ANSWER),
        {
            PERSONA: Use.PERSONA,
            DIALOGUE: Use.CONVERSATION,
            DIALOGUE_ANSWER: Use.RESPONSE,
        },
        doubt=lambda sample: (
            _("Of its candidates only the last may be the one that was said.")
            if _has(sample, "candidates")
            else ""
        ),
    ),
    # Ratings of items whose texts are in another file, or in none.
    ALONE: Layout(_("ratings without texts"), (), alone=True),
}


@cache
def examples() -> Mapping[str, Path]:
    """Return an example file of each layout, by the layout's name."""
    folder = Path(__file__).parents[3] / "fixtures" / "shapes"
    return {file.stem: file for file in sorted(folder.iterdir()) if file.stem in LAYOUTS}
