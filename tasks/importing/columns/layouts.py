"""All layouts of tools and data sets, by their names. No Django but its translations.

A layout is how one tool names its columns, and what each of them is. `layouts.yaml` has them.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from django.utils.translation import gettext, gettext_lazy as _
from pydantic import BaseModel, ConfigDict, TypeAdapter

from rubrics.documents.yaml_lines import values

from ..files.rows import Text
from .sample import Sample
from .scoring import RatingKey, RatingKeys
from .spelling import folded_path
from .turn_keys import is_turns
from .uses import ASKING, Use

OWN = "own"  # our own shape
BY_HAND = "columns"  # columns of any kind
ALONE = "ratings"  # ratings without texts
# Columns of our export in wide columns: dimension, response, person.
WIDE = re.compile(r"(?P<dimension>[^ ]+?) / (?P<response>.*) / (?P<rater>.+?)")
LABELS: Mapping[str, Text] = {
    "braintrust": _("an experiment of Braintrust"),
    "deepeval": _("test cases of DeepEval"),
    "gemini-batch": _("the output of a batch of Gemini"),
    "helm": _("a scenario of HELM"),
    "langsmith": _("runs of LangSmith"),
    "mlflow": _("an evaluation of MLflow"),
    "openai-eval-run": _("a run of OpenAI’s evals"),
    "openai-evals": _("a log of OpenAI’s evals"),
    "opik": _("traces of Opik"),
    "phoenix": _("spans of Phoenix"),
    "prism": _("utterances of PRISM"),
    "prometheus": _("judged answers of Prometheus"),
    "promptfoo": _("results of promptfoo"),
    "toloka": _("assignments of Toloka"),
    "wildbench": _("results of WildBench"),
    "alpaca": _("Alpaca or AlpacaEval"),
    "argilla": _("an export of Argilla"),
    "columns": _("columns of any kind"),
    "datasets-server": _("rows of the dataset viewer"),
    "helpsteer": _("HelpSteer"),
    "inspect-ai": _("samples of Inspect"),
    "label-studio": _("an export of Label Studio"),
    "langfuse": _("an export of Langfuse"),
    "lm-eval": _("samples of lm-evaluation-harness"),
    "mt-bench": _("MT-Bench questions and answers"),
    "mturk": _("results of Mechanical Turk"),
    "open-assistant": _("message trees of Open-Assistant"),
    "openai-batch": _("the output of a batch API"),
    "our-answers": _("our own export of answers about all responses of a model"),
    "our-export": _("our own export of ratings"),
    "our-wide": _("our own export in wide columns"),
    "own": _("our own shape"),
    "persona-dialogue": _("dialogues with a persona"),
    "ratings": _("ratings without texts"),
}


class Layout(BaseModel):
    """A layout, as `layouts.yaml` has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = ""
    needs: tuple[str, ...] = ()
    uses: dict[str, Use] = {}
    exact: bool = False
    alone: bool = False
    root: str = ""
    rater: str = ""

    @property
    def label(self) -> Text:
        """The layout in words."""
        return LABELS[self.name]

    def fits(self, pattern: str, path: str) -> bool:
        """Tell whether a column has one of a pattern's names."""
        name = path if self.exact else folded_path(path)
        pattern = pattern.replace("[*]", r"\[\*\]")
        return bool(re.fullmatch(pattern, name))

    def use(self, path: str) -> Use | None:
        """Return what a column is, or None if the layout does not know it."""
        for pattern, use in self.uses.items():
            if self.fits(pattern, path):
                return use
        return None

    def has_all(self, sample: Sample) -> bool:
        """Tell whether a sample has all columns that the layout needs."""
        names = [column.name for column in sample.columns]
        return all(self._fits_any(need, names) for need in self.needs)

    def _fits_any(self, pattern: str, paths: Sequence[str]) -> bool:
        return any(self.fits(pattern, path) for path in paths)

    def doubt(self, sample: Sample) -> str:
        """Return what speaks against a sample, or ""."""
        names = [column.name for column in sample.columns]
        match self.name:
            case "datasets-server" if _holds(sample, "truncated_cells"):
                return gettext(
                    "Some of its cells are cut off (truncated_cells): load the dataset itself."
                )
            case "helpsteer" if _holds(sample, "prompt", "<extra_id_1>"):
                return gettext(
                    "Some of its prompts hold several turns, each after the mark <extra_id_1>."
                )
            case "inspect-ai" if _says_more(sample):
                return gettext(
                    "Its messages hold more than the input, such as a system prompt; choose which "
                    "annotators see."
                )
            case "lm-eval" if not any("gen_args_0.arg_1." in name for name in names):
                return gettext(
                    "It has no text that was generated: gen_args_0.arg_1 holds no options."
                )
            case "openai-batch" if not any(self.use(name) in ASKING for name in names):
                return gettext(
                    "It has no prompts: they are in the batch’s input file, in body.messages."
                )
            case "persona-dialogue" if "candidates" in names:
                return gettext("Of its candidates only the last may be the one that was said.")
        return ""

    def more_uses(self, sample: Sample) -> dict[str, Use]:
        """Return uses that are read off a sample."""
        names = [column.name for column in sample.columns]
        match self.name:
            # A log in a ZIP gives each sample the model of its run, with the whole name.
            case "inspect-ai" if "model" in names:
                return {"output.model": Use.METADATA}
            case "our-export":
                return {path: _exported_use(path) for path in self._rated(sample)}
            # The history is the conversation where no column has it as turns.
            case "wildbench" if "conversation_input" not in names:
                return {"chat_history": Use.CONVERSATION}
        return {}

    def rating_keys(self, sample: Sample) -> RatingKeys:
        """Return the keys of ratings in the columns of our own exports."""
        keys_by_column: dict[str, RatingKey] = {}
        match self.name:
            case "our-answers":
                keys_by_column["answer"] = RatingKey(check="answer")
            case "our-export":
                keys_by_column["checks"] = RatingKey(check="*")
                keys_by_column["response_checks"] = RatingKey(dimension="response", check="*")
                for path in self._rated(sample):
                    dimension, _dot, check = path.partition(".")
                    if check:
                        keys_by_column[path] = RatingKey(dimension=dimension, check=check)
            case "our-wide":
                for column in sample.columns:
                    if parts := WIDE.fullmatch(column.path):
                        keys_by_column[column.path] = RatingKey(**parts.groupdict())
        return keys_by_column

    def _rated(self, sample: Sample) -> list[str]:
        """Return the columns of the rubric's dimensions and checks."""
        return [column.path for column in sample.columns if not self.use(column.path)]


def _exported_use(path: str) -> Use:
    return Use.CHECK if "." in path else Use.SCORE


def _says_more(sample: Sample) -> bool:
    """Tell whether a solver asked the model more than the input, or otherwise."""
    columns = {column.name: column.first_values for column in sample.columns}
    messages = columns.get("messages", ())
    prompts = columns.get("input", ())
    for turns, prompt in zip(messages, prompts, strict=False):
        if not is_turns(turns):
            continue
        before = turns[:-1]
        questions = _contents(prompt) if is_turns(prompt) else [prompt]
        if _contents(before) != questions:
            return True
    return False


def _contents(turns: Sequence[Mapping[str, object]]) -> list[object]:
    return [turn.get("content") for turn in turns]


def _holds(sample: Sample, path: str, text: str = "") -> bool:
    """Tell whether a text stands in a column's values."""
    for column in sample.columns:
        if column.path == path:
            return any(text in str(value) for value in column.filled)
    return False


def _layouts() -> dict[str, Layout]:
    file = Path(__file__).with_name("layouts.yaml")
    entries = values(file.read_text("utf-8"))
    layouts = TypeAdapter(dict[str, Layout]).validate_python(entries)
    for name, layout in layouts.items():
        layouts[name] = layout.model_copy(update={"name": name})
    return layouts


LAYOUTS: Mapping[str, Layout] = _layouts()


@cache
def examples() -> Mapping[str, Path]:
    """Return an example file of each layout, by the layout's name."""
    folder = Path(__file__).parents[3] / "fixtures" / "shapes"
    files = sorted(folder.iterdir())
    return {file.stem: file for file in files if file.stem in LAYOUTS}
