"""The form by which a lead decides the final score of a target in a dimension."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from rubrics.judging.kinds import Without
from tasks.models import ScoreDecision
from tasks.models.decisions import LONGEST_REASON

from .case import BareCase, CaseAnswer
from .deciding import Barred, Choice

ANEW = "anew"
BLANK = "blank"


class FinalScoreForm(forms.Form):
    """A person's answer or a score of one's own, with the cause and the reason."""

    choice = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose an answer, or another score."),
            "invalid_choice": gettext_lazy("This answer does not count any more."),
        },
    )
    score = forms.IntegerField(label=gettext_lazy("Another score"), required=False)
    cause = forms.ChoiceField(
        label=gettext_lazy("Cause"),
        choices=[("", gettext_lazy("not said")), *ScoreDecision.Cause.choices],
        required=False,
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        required=False,
    )
    version = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, case: BareCase, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", f"{case.dimension.code}-%s")
        kwargs.setdefault("initial", {"version": case.version})
        super().__init__(*args, **kwargs)
        self.case = case
        self.fields["choice"].choices = list(self._choices())  # type: ignore[attr-defined]
        score = self.fields["score"]
        lowest = case.dimension.lowest
        highest = case.dimension.highest
        score.widget.attrs.update({"min": lowest, "max": highest})
        score.help_text = _("From %(lowest)s to %(highest)s.") % {
            "lowest": lowest,
            "highest": highest,
        }

    def _choices(self) -> Iterator[tuple[str, str]]:
        for answer in self.case.answers:
            words = {"name": answer.name, "score": self.in_words(answer)}
            yield str(answer.person), _("%(name)s: %(score)s") % words
        yield ANEW, _("Another score")
        if self.case.dimension.blank:
            yield BLANK, self.case.dimension.blank

    def _person(self, choice: str) -> int:
        """Return whose answer is adopted by a choice."""
        return int(choice)

    def in_words(self, answer: CaseAnswer) -> str:
        """Return the score of an answer, or why it has none."""
        if answer.value is not None:
            return str(answer.value)
        if answer.without == Without.BLANK:
            return self.case.dimension.blank
        return _("not asked")

    def clean(self) -> None:
        """Require a score of one's own where no answer is adopted, and a reason where it counts."""
        if "choice" not in self.cleaned_data:
            return
        score = self.cleaned_data.get("score")
        is_anew = self.cleaned_data["choice"] == ANEW
        if is_anew and "score" in self.cleaned_data and score not in self.case.dimension.scores:
            self.add_error("score", _("Enter a score of the scale."))
        if not is_anew and score is not None:
            message = _("Choose “Another score”, or leave this field empty.")
            self.add_error("score", message)
        is_unclear = self.cleaned_data.get("cause") == ScoreDecision.Cause.RUBRIC
        if (is_unclear or self._is_new()) and not self.cleaned_data.get("reason"):
            message = _("Say why: nobody gave this score, or the rubric is unclear.")
            self.add_error("reason", message)

    def _is_new(self) -> bool:
        """Return True if nobody gave the score, or the answer without one, that is chosen."""
        choice = self.cleaned_data["choice"]
        if choice == BLANK:
            reasons = [answer.without for answer in self.case.answers]
            return Without.BLANK.value not in reasons
        score = self.cleaned_data.get("score")
        values = [answer.value for answer in self.case.answers]
        return choice == ANEW and score is not None and score not in values

    @property
    def decided(self) -> Choice:
        """The decision of a valid form."""
        content = self.cleaned_data
        cause = content["cause"]
        reason = content["reason"]
        choice = content["choice"]
        if choice == ANEW:
            return Choice(None, content["score"], cause, reason)
        if choice == BLANK:
            return Choice(None, None, cause, reason, Without.BLANK.value)
        return Choice(self._person(choice), None, cause, reason)

    def refuse(self, refusal: Barred) -> None:
        """Say which rules bar the score under the checks that go with it."""
        field = "score" if self.cleaned_data["choice"] == ANEW else "choice"
        reasons = " ".join(reason.text for reason in refusal.reasons)
        if not reasons:
            reasons = _("The other answers leave this question out.")
        words = _("You can’t give %(score)s: %(reasons)s")
        self.add_error(field, words % {"score": refusal.score, "reasons": reasons})

    def outdate(self) -> None:
        """Say that the case changed. The entered values stay, and the next press counts."""
        self.fields["choice"].required = False  # nothing is asked of who takes a decision back
        self.add_error(
            None,
            _(
                "A rating or a decision came meanwhile. Look at it above, then decide again: what "
                "you entered is still here."
            ),
        )
        self.data = {**self.data.dict(), self.add_prefix("version"): self.case.version}  # type: ignore[attr-defined]
