"""The filters of the queue of disagreements, as an address has them, and the page of it."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias, TypedDict

from django import forms
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

from rubrics.judging.kinds import Scope
from tasks.models import Project
from tasks.models.case_kinds import CaseState

from .queue import QueueFilter

STATES = {
    CaseState.OPEN: pgettext_lazy("cases", "open"),
    CaseState.ASKED: pgettext_lazy("cases", "asked"),
    CaseState.DECIDED: pgettext_lazy("cases", "decided"),
    CaseState.CHANGED: gettext_lazy("changed since"),
    CaseState.INCOMPLETE: gettext_lazy("wants more ratings"),
    CaseState.SETTLED: gettext_lazy("settled by a correction"),
}
Choices: TypeAlias = Iterable[tuple[Any, Any]]


class PagePlace(TypedDict):
    """The page of a queue that is asked for, as `CaseQueue.page` takes it."""

    after: str
    before: str
    last: bool


class QueueForm(forms.Form):
    """The cases that the queue is asked for, and the page of it."""

    state = forms.ChoiceField(label=gettext_lazy("State"), required=False)
    batch = forms.TypedChoiceField(
        label=gettext_lazy("Batch"), coerce=int, empty_value=None, required=False
    )
    model = forms.ChoiceField(label=gettext_lazy("Model"), required=False)
    check = forms.ChoiceField(label=gettext_lazy("Check that differs"), required=False)
    spread = forms.TypedChoiceField(
        label=gettext_lazy("Spread at least"), coerce=int, empty_value=None, required=False
    )
    seen = forms.TypedChoiceField(
        label=gettext_lazy("Saw or concluded"),
        coerce=lambda value: value == "saw",
        empty_value=None,
        required=False,
        choices=[
            ("", gettext_lazy("any")),
            ("saw", gettext_lazy("saw different things")),
            ("concluded", gettext_lazy("concluded differently")),
        ],
    )
    mine = forms.BooleanField(label=gettext_lazy("Decided by me"), required=False)
    after = forms.CharField(required=False, widget=forms.HiddenInput)
    before = forms.CharField(required=False, widget=forms.HiddenInput)
    last = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, project: Project, data: QueryDict, models: Iterable[str] = ()) -> None:
        """`models`: those that can be asked for; none while they are hidden."""
        super().__init__(data, auto_id="by_%s")
        self.project = project
        longest = 0
        for dimension in project.rubric.schema.dimensions:
            longest = max(longest, dimension.highest - dimension.lowest)
        self._offer("state", list(STATES.items()))
        self._offer("batch", self._batches)
        self._offer("check", self._with_any(self._checks()))
        self._offer("spread", self._with_any((size, size) for size in range(1, longest + 1)))
        self._offer("model", self._with_any((model, model) for model in models))
        if not models:
            del self.fields["model"]
        self.is_valid()

    def _offer(self, name: str, choices: Choices | Callable[[], Choices]) -> None:
        """Offer choices; a function is called when they are looked at."""
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def _batches(self) -> Choices:
        return self._with_any(self.project.batches.values_list("pk", "name"))

    @staticmethod
    def _with_any(choices: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        return [("", _("any")), *choices]

    def _checks(self) -> Iterator[tuple[str, str]]:
        dimensions = self.project.rubric.schema.dimensions
        for dimension in dimensions:
            if not dimension.scores:
                continue
            for check in (*dimension.shared, *dimension.checks):
                if check.scope is Scope.TARGET:
                    code = f"{dimension.code}:{check.code}"
                    yield code, check.wording

    @property
    def wanted(self) -> QueueFilter:
        """The filter, without anything that the form does not offer."""
        values = self.cleaned_data
        return QueueFilter(
            state=values.get("state") or CaseState.OPEN,
            batch=values.get("batch"),
            model=values.get("model", ""),
            check=values.get("check", ""),
            spread=values.get("spread"),
            seen=values.get("seen"),
            is_mine=values.get("mine", False),
        )

    @property
    def place(self) -> PagePlace:
        """The page of the queue that is asked for."""
        values = self.cleaned_data
        after = values.get("after", "")
        before = values.get("before", "")
        return PagePlace(after=after, before=before, last=bool(values.get("last")))

    def query(self, **changes: str) -> dict[str, str]:
        """Return what an address has of the form; `changes` in place of what it has now."""
        query = {}
        for name in self.fields:
            value = changes.get(name, self.data.get(name, ""))
            if value and name not in self.errors:
                query[name] = value
        return query

    @property
    def address_query(self) -> str:
        """The form as an address has it, with its question mark."""
        query = urlencode(self.query())
        return f"?{query}" if query else ""

    @property
    def is_filtered(self) -> bool:
        """True if more than a state is asked for."""
        return self.wanted != QueueFilter(state=self.wanted.state)


@lru_cache(maxsize=256)
def unfiltered_form(
    project: Project, _rubric_key: int, _language: str | None, models: tuple[str, ...]
) -> QueueForm:
    """Return the form of who asks for nothing: one for all of them, since nothing changes in it."""
    return QueueForm(project, QueryDict(), models)
