"""Forms of an upload of items, of their list, and of the page of one."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.choices import flatten_choices
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy as _

from rubrics.schema import Check, Dimension, Scope
from tasks.models import Batch, ItemEntry, Project
from tasks.models.imported import names_at_work
from tasks.models.item_list import KEYS, ItemFilter, Sort

LONGEST_QUESTION = 2_000
LONGEST_SEARCH = 200
MODELS_HIDDEN = _("The models are hidden. Show them first.")


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
        batches: Iterable[Batch] | None = None,
    ) -> None:
        """`shows_models`: this lead may filter by model; `batches`: the project's, if loaded."""
        super().__init__(data, auto_id="by_%s")
        self.project, self.shows_models = project, shows_models
        self.dimensions = project.rubric.schema.dimensions
        batches = project.batches.only("name") if batches is None else batches
        widest = max(each.highest - each.lowest for each in self.dimensions)
        offered: dict[str, Sequence[tuple[Any, Any]]] = {
            "batch": [(batch.pk, batch.name) for batch in batches],
            "dimension": [(each.code, each.title) for each in self.dimensions],
            "low": self._with_any((score, score) for score in self.shown.scores),
            "high": self._with_any((score, score) for score in self.shown.scores),
            "spread": self._with_any((number, number) for number in range(widest + 1)),
            "check": self._with_any(self._checks()),
            "annotator": self._with_any(names_at_work(project).items()),
            "state": self._with_any(ItemEntry.State.choices),
        }
        for name, choices in offered.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        self.offer_models([])

    @classmethod
    def is_sent(cls, data: QueryDict) -> bool:
        """Return True if an address asks for anything of the form."""
        return any(any(data.getlist(name)) for name in cls.base_fields)

    @staticmethod
    def _with_any(choices: Any) -> list[tuple[Any, Any]]:
        return [("", _("any")), *choices]

    def _checks(self) -> Iterator[tuple[str, str | list[tuple[str, str]]]]:
        """Yield the answers to the checks of each dimension."""
        for dimension in self.dimensions:
            answers = [
                (f"{dimension.code}:{check.code}={code}", said)
                for check in dimension.checks
                if check.scope is Scope.TARGET
                for code, said in _answers(check)
            ]
            if len(self.dimensions) > 1:
                yield dimension.title, answers
            else:
                yield from answers

    @property
    def shown(self) -> Dimension:
        """The dimension that the list shows scores of."""
        code = self.data.get("dimension")
        return next((each for each in self.dimensions if each.code == code), self.dimensions[0])

    def offer_models(self, models: Sequence[str]) -> None:
        """Let one of these models be chosen, and the one that is."""
        names = dict.fromkeys(filter(None, [*models, self.data.get("model")]))
        self.fields["model"].widget.choices = self._with_any((each, each) for each in names)

    def clean_model(self) -> str:
        model: str = self.cleaned_data["model"]
        if model and not self.shows_models:
            raise forms.ValidationError(MODELS_HIDDEN)
        return model

    def clean(self) -> None:
        low, high = self.cleaned_data.get("low"), self.cleaned_data.get("high")
        if low is not None and high is not None and low > high:
            said = gettext("%(high)d is below %(low)d: choose a higher one.")
            self.add_error("high", said % {"high": high, "low": low})

    @property
    def order(self) -> str:
        return str(self.cleaned_data.get("sort") or Sort.ID)

    @cached_property
    def wanted(self) -> ItemFilter:
        """The filter that a valid form asks for."""
        said = self.cleaned_data
        scores: tuple[int, ...] = ()
        if said["low"] is not None or said["high"] is not None or said["model"]:
            low = self.shown.lowest if said["low"] is None else said["low"]
            high = self.shown.highest if said["high"] is None else said["high"]
            scores = tuple(range(low, high + 1))
        return ItemFilter(
            words=said["q"],
            batches=tuple(said["batch"]),
            dimension=self.shown.code,
            scores=scores,
            model=said["model"],
            spread=said["spread"],
            check=said["check"],
            annotator=said["annotator"],
            state=said["state"],
            flagged=said["flagged"],
        )

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
        said: dict[str, Any] = {}
        for name, value in self.cleaned_data.items():
            several = value if isinstance(value, list) else [value]
            said[name] = [each for each in several if each not in ("", None) and each is not False]
        for name in names:
            said.pop(name, None)
        return urlencode(said | others, doseq=True)

    @property
    def heads(self) -> dict[str, dict[str, str]]:
        """Return for each column the query that sorts by it, and how it is sorted, if it is."""
        found = {}
        for sort in Sort:
            first, other = (sort, f"-{sort}") if sort == Sort.ID else (f"-{sort}", sort)
            query = self.query_without("sort", sort=other if self.order == first else first)
            direction = "descending" if self.order.startswith("-") else "ascending"
            is_current = self.order.removeprefix("-") == sort
            found[sort.value] = {"query": query, "direction": direction if is_current else ""}
        return found

    @property
    def export_query(self) -> str:
        """The filter alone, without the order."""
        score = () if self.wanted.scores else ("dimension",)
        return self.query_without("sort", *score)

    @property
    def chips(self) -> list[dict[str, Any]]:
        """The filters, each with what is asked. The first one with an error is open."""
        score = ["dimension", "low", "high", "model"]
        if len(self.dimensions) == 1:
            score.remove("dimension")
        if not self.shows_models:
            score.remove("model")
        every = {
            _("Batch"): ["batch"],
            _("Score"): score,
            _("Spread"): ["spread"],
            _("Checks"): ["check"],
            _("Annotator"): ["annotator"],
            _("More"): ["state", "flagged"],
        }
        # A browser keeps one of them open.
        wrong = next((names for names in every.values() if self.errors.keys() & set(names)), None)
        return [self._chip(label, names, names is wrong) for label, names in every.items()]

    @property
    def in_words(self) -> list[str]:
        """The filters that are set, and the words that are searched for."""
        words = [f"“{self.wanted.words}”"] if self.wanted.words else []
        return words + [f"{chip['label']}: {chip['said']}" for chip in self.chips if chip["said"]]

    def _chip(self, label: Any, names: list[str], is_open: bool) -> dict[str, Any]:
        """Return a filter, or several that belong together: the fields, and what is asked."""
        return {
            "label": str(label),
            "fields": [self[name] for name in names],
            # "" where nothing is asked.
            "said": self._said(names[0] if names[0] != "dimension" else "low"),
            # The query of the same list without it.
            "without": self.query_without(*names) if self.is_valid() else "",
            "is_open": is_open,  # its fields are shown, because one of them is wrong
        }

    def _said(self, first: str) -> str:
        """Return what is asked of a chip, by its first field; "" for nothing, or nothing valid."""
        if not self.is_valid():
            return ""
        said, wanted = self.cleaned_data, self.wanted
        match first:
            case "batch":
                return ", ".join(self._label("batch", pk) for pk in wanted.batches)
            case "low" if wanted.scores:
                scores = "–".join(map(str, dict.fromkeys((wanted.scores[0], wanted.scores[-1]))))
                of = [self.shown.title] if len(self.dimensions) > 1 else []
                return ", ".join([*of, scores, *filter(None, [wanted.model])])
            case "spread" if wanted.spread is not None:
                return gettext("%(spread)s or more") % {"spread": wanted.spread}
            case "check" | "annotator" if said[first]:
                return self._label(first, said[first])
            case "state":
                parts = [self._label("state", wanted.state)] if wanted.state else []
                if wanted.flagged:
                    choice = self._label("flagged", wanted.flagged)
                    parts.append(gettext("flagged or skipped, %(which)s") % {"which": choice})
                return ", ".join(parts)
        return ""

    def _label(self, name: str, value: Any) -> str:
        choices = self.fields[name].choices  # type: ignore[attr-defined]
        return str(dict(flatten_choices(choices)).get(value, value))

    @property
    def what_is_wrong(self) -> list[str]:
        """The errors, each with the name of its filter, or of its field."""
        labels = {field.name: chip["label"] for chip in self.chips for field in chip["fields"]}
        return [
            f"{labels.get(name) or self.fields[name].label or name}: {error}"
            for name, errors in self.errors.items()
            for error in errors
        ]


def _answers(check: Check) -> list[tuple[str, str]]:
    """Return the answers to a check, by their codes; a tick has one."""
    if not check.asked:
        return [("yes", check.wording)]
    return [(each.code, f"{check.wording} {each.wording}") for each in check.answers]


class ListForm(forms.Form):
    """The page of the list of items. Any value that is no text counts as not asked."""

    last = forms.CharField(required=False)
    after = forms.CharField(required=False, strip=False)
    before = forms.CharField(required=False, strip=False)

    @property
    def asked(self) -> dict[str, str]:
        self.full_clean()
        return {name: self.cleaned_data.get(name, "") for name in self.fields}


class ShownForm(forms.Form):
    """The page on which the models are shown or hidden; an item, if it is the page of one."""

    page = forms.ChoiceField(
        required=False,
        choices=[(name, name) for name in ("items", "project", "agreement", "export")],
    )
    item = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)


class SendBackForm(forms.Form):
    """A rating to send back to its annotator, one response of it or all, and the question."""

    rating = forms.ChoiceField(
        label=_("Rating by"),
        error_messages={
            "invalid_choice": _(
                "You can’t send this rating back now. "
                "If it waits for an answer, ask again after the answer."
            )
        },
    )
    question = forms.CharField(
        label=_("Your question"),
        max_length=LONGEST_QUESTION,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_("The annotator reads it above the item, and answers with a correction."),
    )

    def __init__(self, ratings: list[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        """`ratings`: those that can be sent back, as "rating" or "rating-place"."""
        super().__init__(*args, **kwargs)
        self.fields["rating"].choices = ratings  # type: ignore[attr-defined]

    @property
    def asked(self) -> tuple[int, int]:
        """The rating's primary key and the response's place, which is 0 for the whole item."""
        rating, _dash, place = self.cleaned_data["rating"].partition("-")
        return int(rating), int(place or 0)


class DropForm(forms.Form):
    """The reason for which an item is dropped or taken back, and which of both."""

    why = forms.CharField(
        label=_("Reason"), max_length=LONGEST_QUESTION, widget=forms.TextInput({"dir": "auto"})
    )
    act = forms.ChoiceField(choices=[("drop", ""), ("take_back", "")], widget=forms.HiddenInput)
