"""The form that filters and sorts the list of items.

The list, the page of an item (for the way back) and the export read the same query. A filter of the
page is a `Chip`: it folds one field or several, and says in words what they ask.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.choices import flatten_choices
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Scope
from rubrics.judging.parts import Check
from tasks.models import Batch, ItemEntry, Project
from tasks.models.imported import names_at_work
from tasks.models.item_list import KEYS, ItemFilter, Sort

LONGEST_SEARCH = 200
MODELS_HIDDEN = _("The models are hidden. Show them first.")


@dataclass(frozen=True)
class Chip:
    """A filter of the list, or several that belong together."""

    label: str
    fields: Sequence[forms.BoundField]
    value: str  # "" where nothing is asked
    without: str  # the query of the same list without it
    is_unfolded: bool  # its fields are shown, because one of them is wrong


class ItemFilterForm(forms.Form):
    """The items that a lead asks for, and their order. The list and the export read the same."""

    q = forms.CharField(
        label=_("Search prompts and responses"),
        max_length=LONGEST_SEARCH,
        required=False,
        widget=forms.TextInput({"type": "search", "dir": "auto", "placeholder": _("Search texts")}),
    )
    batch = forms.TypedMultipleChoiceField(
        label=_("Batch"), coerce=int, required=False, widget=forms.CheckboxSelectMultiple
    )
    dimension = forms.ChoiceField(label=_("Dimension"), required=False)
    low = forms.TypedChoiceField(label=_("From"), coerce=int, empty_value=None, required=False)
    high = forms.TypedChoiceField(label=_("To"), coerce=int, empty_value=None, required=False)
    model = forms.CharField(label=_("Model"), required=False, strip=False, widget=forms.Select)
    spread = forms.TypedChoiceField(
        label=_("At least"), coerce=int, empty_value=None, required=False
    )
    check = forms.ChoiceField(label=_("Ticked or answered"), required=False)
    annotator = forms.TypedChoiceField(
        label=_("Rated by"), coerce=int, empty_value=None, required=False
    )
    state = forms.ChoiceField(label=_("State"), required=False)
    flagged = forms.ChoiceField(
        label=_("Flagged or skipped"),
        required=False,
        choices=[("", _("any")), ("on", _("not decided")), ("ever", _("decided or not"))],
    )
    sort = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[(key, key) for key in KEYS],
        widget=forms.HiddenInput,
    )

    def __init__(
        self,
        project: Project,
        data: QueryDict,
        *,
        shows_models: bool,
        loaded_batches: Iterable[Batch] | None = None,
    ) -> None:
        """`shows_models`: this lead may filter by model. `loaded_batches`: those of the project."""
        super().__init__(data, auto_id="by_%s")
        self.project = project
        self.shows_models = shows_models
        self.dimensions = project.rubric.schema.dimensions
        if loaded_batches is None:
            loaded_batches = project.batches.only("name")
        batches = [(batch.pk, batch.name) for batch in loaded_batches]
        dimensions = [(part.code, part.title) for part in self.dimensions]
        scores = self._with_any((score, score) for score in self.listed_dimension.scores)
        lengths = [dimension.highest - dimension.lowest for dimension in self.dimensions]
        longest = max(lengths)
        spreads = self._with_any((spread, spread) for spread in range(longest + 1))
        self._offer("batch", batches)
        self._offer("dimension", dimensions)
        self._offer("low", scores)
        self._offer("high", scores)
        self._offer("spread", spreads)
        self._offer("check", self._with_any(self._checks()))
        self._offer("annotator", self._with_any(names_at_work(project).items()))
        self._offer("state", self._with_any(ItemEntry.State.choices))
        self.offer_models([])

    def _offer(self, name: str, field_choices: Sequence[tuple[Any, Any]]) -> None:
        self.fields[name].choices = field_choices  # type: ignore[attr-defined]

    @classmethod
    def is_sent(cls, data: QueryDict) -> bool:
        """Return True if an address asks for anything of the form."""
        return any(any(data.getlist(name)) for name in cls.base_fields)

    @staticmethod
    def _with_any(field_choices: Any) -> list[tuple[Any, Any]]:
        return [("", _("any")), *field_choices]

    def _checks(self) -> Iterator[tuple[str, str | list[tuple[str, str]]]]:
        """Yield the answers to the checks of each dimension."""
        for dimension in self.dimensions:
            answers = []
            for check in dimension.checks:
                if check.scope is Scope.TARGET:
                    for code, wording in _answers(check):
                        choice = f"{dimension.code}:{check.code}={code}"
                        answers.append((choice, wording))
            if len(self.dimensions) > 1:
                yield dimension.title, answers
            else:
                yield from answers

    @property
    def listed_dimension(self) -> Dimension:
        """The dimension that the list shows scores of."""
        for dimension in self.dimensions:
            if dimension.code == self.data.get("dimension"):
                return dimension
        return self.dimensions[0]

    def offer_models(self, models: Sequence[str]) -> None:
        """Let one of these models be chosen, and the one that is."""
        names = dict.fromkeys([*models, self.data.get("model")])
        choices = []
        for name in names:
            if name:
                choices.append((name, name))
        self.fields["model"].widget.choices = self._with_any(choices)

    def clean_model(self) -> str:
        model: str = self.cleaned_data["model"]
        if model and not self.shows_models:
            raise forms.ValidationError(MODELS_HIDDEN)
        return model

    def clean(self) -> None:
        low = self.cleaned_data.get("low")
        high = self.cleaned_data.get("high")
        if low is not None and high is not None and low > high:
            message = gettext("%(high)d is below %(low)d: choose a higher one.")
            self.add_error("high", message % {"high": high, "low": low})

    @property
    def order(self) -> str:
        return str(self.cleaned_data.get("sort") or Sort.ID)

    @cached_property
    def wanted(self) -> ItemFilter:
        """The filter that a valid form asks for."""
        values = self.cleaned_data
        scores = self._scores(values["low"], values["high"], values["model"])
        return ItemFilter(
            words=values["q"],
            batches=tuple(values["batch"]),
            dimension=self.listed_dimension.code,
            scores=scores,
            model=values["model"],
            spread=values["spread"],
            check=values["check"],
            annotator=values["annotator"],
            state=values["state"],
            flagged=values["flagged"],
        )

    def _scores(self, low: int | None, high: int | None, model: str) -> tuple[int, ...]:
        """Return the scores between two ends; all if only a model is chosen, () if nothing is."""
        if low is None and high is None and not model:
            return ()
        dimension = self.listed_dimension
        first = dimension.lowest if low is None else low
        last = dimension.highest if high is None else high
        return tuple(range(first, last + 1))

    @property
    def is_filtered(self) -> bool:
        """True if a valid form leaves anything out."""
        return not self.wanted.is_empty

    @property
    def query(self) -> str:
        """The end of an address from which one comes back to the same list."""
        query = self.query_without() if self.is_valid() else ""
        return f"?{query}" if query else ""

    def query_without(self, *names: str, **others: str) -> str:
        """Return the query without some of the fields, and with others."""
        query: dict[str, list[str] | str] = {}
        for name, value in self.cleaned_data.items():
            if name not in names:
                entries = value if isinstance(value, list) else [value]
                query[name] = [entry for entry in entries if entry not in ("", None)]
        query.update(others)
        return urlencode(query, doseq=True)

    @property
    def heads(self) -> dict[str, dict[str, str]]:
        """Return for each column the query that sorts by it, and how it is sorted, if it is."""
        heads = {}
        for sort in Sort:
            ascending = sort.value
            descending = f"-{sort}"
            first = descending
            other = ascending
            if sort == Sort.ID:
                first = ascending
                other = descending
            directions = {ascending: "ascending", descending: "descending"}
            direction = directions.get(self.order, "")
            next_order = other if self.order == first else first
            query = self.query_without("sort", sort=next_order)
            heads[sort.value] = {"query": query, "direction": direction}
        return heads

    @property
    def export_query(self) -> str:
        """The filter alone, without the order."""
        score = () if self.wanted.scores else ("dimension",)
        return self.query_without("sort", *score)

    @property
    def chips(self) -> list[Chip]:
        """The filters, each with what is asked. The first one with an error is open."""
        filters = [
            (_("Batch"), ["batch"], self._batches_in_words),
            (_("Score"), self._score_fields, self._scores_in_words),
            (_("Spread"), ["spread"], self._spread_in_words),
            (_("Checks"), ["check"], self._check_in_words),
            (_("Annotator"), ["annotator"], self._annotator_in_words),
            (_("More"), ["state", "flagged"], self._state_in_words),
        ]
        is_valid = self.is_valid()
        chips = []
        is_any_unfolded = False  # a browser unfolds only one
        for label, names, in_words in filters:
            is_wrong = not self.errors.keys().isdisjoint(names)
            is_unfolded = is_wrong and not is_any_unfolded
            is_any_unfolded |= is_unfolded
            chip = Chip(
                label=str(label),
                fields=[self[name] for name in names],
                value=in_words() if is_valid else "",
                without=self.query_without(*names) if is_valid else "",
                is_unfolded=is_unfolded,
            )
            chips.append(chip)
        return chips

    @property
    def in_words(self) -> list[str]:
        """The filters that are set, and the words that are searched for."""
        words = [f"“{self.wanted.words}”"] if self.wanted.words else []
        for chip in self.chips:
            if chip.value:
                words.append(f"{chip.label}: {chip.value}")
        return words

    @property
    def _score_fields(self) -> list[str]:
        names = ["dimension", "low", "high", "model"]
        if len(self.dimensions) == 1:
            names.remove("dimension")
        if not self.shows_models:
            names.remove("model")
        return names

    def _batches_in_words(self) -> str:
        return ", ".join(self._label("batch", pk) for pk in self.wanted.batches)

    def _scores_in_words(self) -> str:
        if not self.wanted.scores:
            return ""
        lowest = self.wanted.scores[0]
        highest = self.wanted.scores[-1]
        parts = [self.listed_dimension.title] if len(self.dimensions) > 1 else []
        parts.append(str(lowest) if lowest == highest else f"{lowest}–{highest}")
        if self.wanted.model:
            parts.append(self.wanted.model)
        return ", ".join(parts)

    def _spread_in_words(self) -> str:
        if self.wanted.spread is None:
            return ""
        return gettext("%(spread)s or more") % {"spread": self.wanted.spread}

    def _check_in_words(self) -> str:
        return self._label("check", self.wanted.check) if self.wanted.check else ""

    def _annotator_in_words(self) -> str:
        return self._label("annotator", self.wanted.annotator) if self.wanted.annotator else ""

    def _state_in_words(self) -> str:
        parts = [self._label("state", self.wanted.state)] if self.wanted.state else []
        if self.wanted.flagged:
            choice = self._label("flagged", self.wanted.flagged)
            parts.append(gettext("flagged or skipped, %(which)s") % {"which": choice})
        return ", ".join(parts)

    def _label(self, name: str, value: Any) -> str:
        choices = self.fields[name].choices  # type: ignore[attr-defined]
        labels = dict(flatten_choices(choices))
        return str(labels.get(value, value))

    @property
    def what_is_wrong(self) -> list[str]:
        """The errors, each with the name of its filter, or of its field."""
        labels = {name: field.label or name for name, field in self.fields.items()}
        for chip in self.chips:
            for field in chip.fields:
                labels[field.name] = chip.label
        sentences = []
        for name, errors in self.errors.items():
            sentences += [f"{labels[name]}: {error}" for error in errors]
        return sentences


def _answers(check: Check) -> list[tuple[str, str]]:
    """Return the answers to a check, by their codes; a tick has one."""
    if not check.needs_answer:
        return [("yes", check.wording)]
    answers = []
    for answer in check.answers:
        wording = f"{check.wording} {answer.wording}"
        answers.append((answer.code, wording))
    return answers
