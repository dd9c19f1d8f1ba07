"""The decision on a case as a form: an answer by its letter, a level, or a score of one's own.

The page of a case draws it radio by radio, because each has a key and a colour.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from rubrics.judging.kinds import Without
from rubrics.judging.scales import blank_key, digits, is_typed
from tasks.cases.case import BareCase, Case
from tasks.cases.deciding import Choice
from tasks.cases.final_score_form import ANEW, BLANK, FinalScoreForm
from tasks.models import ScoreDecision
from tasks.models.decisions import LONGEST_REASON

from .case_view import LevelChoice

CAUSES = (
    (ScoreDecision.Cause.SLIP, gettext_lazy("slip"), "S"),
    (ScoreDecision.Cause.RUBRIC, gettext_lazy("rubric unclear"), "R"),
    (ScoreDecision.Cause.JUDGEMENT, gettext_lazy("judgement call"), "U"),
    (ScoreDecision.Cause.CONTEXT, gettext_lazy("context missing"), "X"),
    (ScoreDecision.Cause.ITEM, gettext_lazy("faulty item"), "T"),
)
LETTERS_WITH_KEYS = "ABCDEFGHI"  # J and K lead to other cases


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
        # As in `BareCase.version`. The letters stay if as many answers count as before.
        _revision, number_of_answers, _seen = f"{self.data.get('version', '')}::".split(":")[:3]
        super().outdate()
        self.is_outdated = True
        scores = [ANEW, BLANK, *map(str, self.case.dimension.scores)]
        was_adopted = self.data.get("choice", "") not in ("", *scores)
        if was_adopted and number_of_answers != str(len(self.case.answers)):
            self.data = {**self.data, "choice": ""}

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
