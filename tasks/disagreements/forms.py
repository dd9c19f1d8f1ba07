"""Forms of the disagreements: what the queue is asked for, and the decision on a case."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias, TypedDict

from django import forms
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

from rubrics.judging.kinds import Scope, Without
from rubrics.judging.scales import blank_key, digits, is_typed
from tasks.cases.case import BareCase, Case
from tasks.cases.deciding import Choice
from tasks.cases.final_score_form import ANEW, BLANK, FinalScoreForm
from tasks.models import Project, ScoreDecision
from tasks.models.case_kinds import CaseState
from tasks.models.decisions import LONGEST_REASON

from .case_view import LevelChoice
from .queue import QueueFilter

STATES = {
    CaseState.OPEN: pgettext_lazy("cases", "open"),
    CaseState.ASKED: pgettext_lazy("cases", "asked"),
    CaseState.DECIDED: pgettext_lazy("cases", "decided"),
    CaseState.CHANGED: gettext_lazy("changed since"),
    CaseState.INCOMPLETE: gettext_lazy("wants more ratings"),
    CaseState.SETTLED: gettext_lazy("settled by a correction"),
}
CAUSES = (
    (ScoreDecision.Cause.SLIP, gettext_lazy("slip"), "S"),
    (ScoreDecision.Cause.RUBRIC, gettext_lazy("rubric unclear"), "R"),
    (ScoreDecision.Cause.JUDGEMENT, gettext_lazy("judgement call"), "U"),
    (ScoreDecision.Cause.CONTEXT, gettext_lazy("context missing"), "X"),
    (ScoreDecision.Cause.ITEM, gettext_lazy("faulty item"), "T"),
)
LETTERS_WITH_KEYS = "ABCDEFGHI"  # J and K lead to other cases


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


@dataclass(frozen=True, slots=True)
class Radio:
    """One choice of the form of a case."""

    name: str
    value: str
    label: str
    is_chosen: bool
    key: str = ""  # that chooses it
    score: int | None = None
    level: LevelChoice | None = None

    @property
    def element(self) -> str:
        """The id of its element."""
        return f"{self.name}-{self.value}"


class CaseForm(FinalScoreForm):
    """The decision on a case. An answer is adopted by its letter: nobody's name is in the page."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=LONGEST_REASON, strip=True, required=False
    )

    def __init__(self, case: BareCase, *args: Any, is_blind: bool = False, **kwargs: Any) -> None:
        """`is_blind`: the answers are not shown yet, so that none can be adopted."""
        self.is_blind = is_blind
        self.is_outdated = False  # the case changed since the page was read
        kwargs.setdefault("auto_id", "decide-%s")
        super().__init__(case, *args, **kwargs)
        self.is_typed = is_typed(case.dimension)

    def _choices(self) -> Iterator[tuple[str, str]]:
        if not self.is_blind:
            for answer in self.case.answers:
                yield answer.letter, self.in_words(answer)
        for score in self.case.dimension.scores:
            yield str(score), str(score)
        yield ANEW, _("Another score")
        if self.case.dimension.blank:
            yield BLANK, self.case.dimension.blank

    def _person(self, choice: str) -> int:
        for answer in self.case.answers:
            if answer.letter == choice:
                return answer.person
        raise LookupError(choice)

    def clean_score(self) -> int | None:
        """Take a number that was entered as the choice, if nothing else was chosen."""
        score: int | None = self.cleaned_data["score"]
        if score is not None and "choice" not in self.data:
            self.cleaned_data["choice"] = ANEW
            self.errors.pop("choice", None)
        return score

    def clean(self) -> None:
        """Read a level as a score of one's own. The first score of all needs no reason."""
        choice = self.cleaned_data.get("choice", "")
        if choice.lstrip("-").isdecimal():
            self.cleaned_data |= {"choice": ANEW, "score": int(choice)}
        super().clean()
        if self.is_blind:  # to ask for one would tell that nobody gave the score
            self.errors.pop("reason", None)
            self.cleaned_data.setdefault("reason", "")

    def outdate(self) -> None:
        """Say that the case changed. A letter that may be somebody else's now is chosen no more."""
        _revision, number, _seen = f"{self.data.get('version', '')}::".split(":")[:3]
        super().outdate()
        self.is_outdated = True
        letters = [answer.letter for answer in self.case.answers]
        was_adopted = self.data.get("choice", "") not in ("", *self._offered_scores())
        if was_adopted and number != str(len(letters)):
            self.data = {**self.data, "choice": ""}

    def _offered_scores(self) -> list[str]:
        return [ANEW, BLANK, *map(str, self.case.dimension.scores)]

    @cached_property
    def chosen(self) -> str:
        """The choice as it was sent, else the one of the decision that stands."""
        return str(self["choice"].value() or "")

    @property
    def chosen_score(self) -> int | None:
        """The score of the choice."""
        for answer in self.case.answers:
            if self.chosen == answer.letter and not self.is_blind:
                return answer.value
        text = self.chosen
        if text == ANEW:
            text = str(self["score"].value() or "")
        try:
            return int(text)
        except ValueError:  # whatever was sent
            return None

    @property
    def answers(self) -> Iterator[Radio]:
        """The answers that can be adopted."""
        if self.is_blind:
            return
        for answer in self.case.answers:
            key = answer.letter if answer.letter in LETTERS_WITH_KEYS else ""
            yield Radio(
                name="choice",
                value=answer.letter,
                label=self.in_words(answer),
                is_chosen=self.chosen == answer.letter,
                key=key,
                score=answer.value,
            )

    def levels(self, choices: Iterable[LevelChoice]) -> list[Radio]:
        """Return the levels of the scale as choices, then the answer without a score."""
        dimension = self.case.dimension
        radios = []
        for level in choices:
            value = str(level.score)
            key = digits(dimension).get(level.score, "")
            radios.append(
                Radio("choice", value, value, self.chosen == value, key, level.score, level)
            )
        return radios

    @property
    def blank(self) -> Radio | None:
        """The answer without a score, if the dimension has one."""
        dimension = self.case.dimension
        if not dimension.blank:
            return None
        key = blank_key(dimension)
        return Radio("choice", BLANK, dimension.blank, self.chosen == BLANK, key)

    @property
    def causes(self) -> list[Radio]:
        """The causes, each with its key."""
        current = self["cause"].value()
        radios = []
        for code, label, key in CAUSES:
            radios.append(Radio("cause", code, str(label), current == code, key))
        return radios


def initial_of(case: Case, first_decision: ScoreDecision | None) -> Mapping[str, str | int | None]:
    """Return what the form of a case begins with: the decision that stands, else a first score."""
    initial: dict[str, str | int | None] = {"version": case.version}
    current = case.decision or first_decision
    if current is None:
        return initial
    initial |= {"cause": current.cause, "reason": current.reason}
    initial["choice"] = str(current.value)
    if current.value is None:
        initial["choice"] = BLANK if current.without == Without.BLANK else ""
    if is_typed(case.dimension) and current.value is not None:
        initial |= {"choice": ANEW, "score": current.value}
    for answer in case.answers:
        if current.adopted_id == answer.rating.pk:
            initial |= {"choice": answer.letter, "score": None}
    return initial


def first_score(form: CaseForm) -> Choice:
    """Return the score of a valid form of somebody who has not seen the answers."""
    choice = form.decided
    return Choice(None, choice.value, without=choice.without)
