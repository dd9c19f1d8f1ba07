"""The forms of the rows in a part of a draft: questions, rules and examples."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from rubrics.documents.plain_findings import EFFECTS
from rubrics.editor.fields import (
    AnswerFields,
    CheckRow,
    ConditionFields,
    ConditionLine,
    ExampleRow,
    RuleRow,
)
from rubrics.editor.findings import PartFinding
from rubrics.editor.rules import RuleEffects
from rubrics.judging.kinds import Kind

from .part_fields import (
    Choices,
    ChosenTexts,
    EntryForm,
    NeutralText,
    OptionalRubricText,
    RubricText,
    SentFields,
    TextArea,
    checkbox,
    forms_of_rows,
    more_field,
)

KINDS: Choices = [
    (Kind.TICK, _("tick")),
    (Kind.YES_NO, _("yes/no")),
    (Kind.ONE_OF, _("one of")),
    (Kind.DETECTED, _("seen by the program")),
]
OFFERED_KINDS = (Kind.TICK, Kind.YES_NO, Kind.ONE_OF)


HOWS: Choices = [
    ("all_of", _("all of")),
    ("any_of", _("any of")),
    ("none_of", _("none of")),
    ("of", _("at least … of")),
]


class LineForm(EntryForm):
    """A line of a condition: several facts, and how many of them."""

    how = NeutralText(widget=forms.Select({"class": "auto", "aria-label": _("How many")}, HOWS))
    facts = ChosenTexts()
    least = NeutralText(
        widget=forms.TextInput(
            {"class": "short least", "inputmode": "numeric", "aria-label": _("at least")}
        ),
    )


class ConditionForm(EntryForm):
    """A condition: one fact, or lines."""

    one = NeutralText()

    def __init__(self, sent: SentFields | None, condition: ConditionFields, prefix: str) -> None:
        super().__init__(sent, condition, prefix)
        self.lines = forms_of_rows(LineForm, sent, condition.lines, ConditionLine(), prefix)

    @property
    def is_several(self) -> bool:
        """True if it has more lines than the blank one."""
        return len(self.lines) > 1

    def posted(self) -> ConditionFields:
        """Return the condition."""
        lines = tuple(ConditionLine(**line.sent_values()) for line in self.lines)
        return ConditionFields(**self.sent_values(), lines=lines)


class CheckAnswerForm(EntryForm):
    """An answer to a question."""

    at = NeutralText(widget=forms.HiddenInput)
    wording = RubricText()

    def __init__(
        self, sent: SentFields | None, answer_fields: AnswerFields, prefix: str, lang: str
    ) -> None:
        super().__init__(sent, answer_fields, prefix, lang)
        label = gettext("Answer %(number)s") % {"number": int(self.number) + 1}
        self.fields["wording"].widget.attrs["aria-label"] = label


class RowForm(EntryForm):
    """A row of a list, with what is said of it."""

    findings: Sequence[PartFinding] = ()
    effects: RuleEffects | None = None
    is_blank = False

    @property
    def place(self) -> str:
        """The row that it changes; "" for a new one."""
        place: str = self.initial["at"]
        return place

    @property
    def code(self) -> str:
        """The code of what it changes; "" for a new row, and for an example."""
        return self.place

    def posted(self) -> Any:
        """Return the row as it was entered: the dataclass that the form stands for."""
        raise NotImplementedError


class CheckForm(RowForm):
    """A question or a tick."""

    at = NeutralText(widget=forms.HiddenInput)
    wording = RubricText(widget=forms.TextInput({"id": "wording-#"}))
    kind = NeutralText(
        widget=forms.Select({"id": "kind-#", "class": "auto", "aria-label": _("Kind")})
    )
    best = NeutralText(_("best"), widget=forms.Select({"class": "auto"}))
    help = RubricText(_("Help"), widget=TextArea(rows=1))
    is_of_response = checkbox(_("Ask it of the whole response"), value="response")
    more = more_field()

    def __init__(
        self, sent: SentFields | None, check_row: CheckRow, prefix: str, lang: str
    ) -> None:
        super().__init__(sent, check_row, prefix, lang)
        self.when = ConditionForm(sent, check_row.when, f"{prefix}.when")
        self.answers = forms_of_rows(
            CheckAnswerForm, sent, check_row.answers, AnswerFields(), f"{prefix}.answer", lang
        )
        kinds = [choice for choice in KINDS if choice[0] in (*OFFERED_KINDS, check_row.kind)]
        self.fields["kind"].widget.choices = kinds
        answers = [("", "–")]
        for answer in check_row.answers:
            if answer.at:
                answers.append((answer.at, answer.wording))
        self.fields["best"].widget.choices = answers

    @property
    def has_answers(self) -> bool:
        """True if the form shows answers."""
        return self.initial["kind"] in (Kind.YES_NO, Kind.ONE_OF)

    def add_prefix(self, field_name: str) -> str:
        """Return the name of a field; pages that are open now send this box as "of"."""
        return super().add_prefix("of" if field_name == "is_of_response" else field_name)

    def posted(self) -> CheckRow:
        """Return the row as it was entered."""
        answers = tuple(AnswerFields(**answer.sent_values()) for answer in self.answers)
        when = self.when.posted()
        return CheckRow(number=int(self.number), when=when, answers=answers, **self.sent_values())


class RuleForm(RowForm):
    """A rule."""

    at = NeutralText(widget=forms.HiddenInput)
    effect = NeutralText(
        widget=forms.Select(
            {"id": "effect-#", "class": "auto", "aria-label": _("Effect")}, [*EFFECTS.items()]
        ),
    )
    score = NeutralText()
    scores = ChosenTexts()
    against = ChosenTexts()
    reason = RubricText(_("Reason that annotators read"), widget=TextArea(id="reason-#", rows=1))
    clause = NeutralText(_("Clause"), widget=forms.TextInput({"class": "short"}))
    more = more_field()

    def __init__(self, sent: SentFields | None, rule_row: RuleRow, prefix: str, lang: str) -> None:
        super().__init__(sent, rule_row, prefix, lang)
        self.when = ConditionForm(sent, rule_row.when, f"{prefix}.when")
        self.needs = ConditionForm(sent, rule_row.needs, f"{prefix}.needs")
        self.scores_to_choose: list[tuple[str, str]] = []

    def offer_scores(self, scale_scores: Sequence[str]) -> None:
        """Offer the scores of the scale, and those that the rule has beside them."""
        others = [score for score in self.initial["scores"] if score not in scale_scores]
        self.scores_to_choose = [(score, score) for score in (*scale_scores, *others)]

    def posted(self) -> RuleRow:
        """Return the row as it was entered."""
        when = self.when.posted()
        needs = self.needs.posted()
        return RuleRow(number=int(self.number), when=when, needs=needs, **self.sent_values())


class ExampleForm(RowForm):
    """An example."""

    at = NeutralText(widget=forms.HiddenInput)
    prompt = RubricText(_("Prompt"), widget=TextArea(rows=2))
    response = OptionalRubricText(_("Response"), widget=TextArea(id="response-#", rows=3))
    checks = ChosenTexts()
    score = NeutralText()
    why = RubricText(_("Why"), widget=TextArea(rows=1))
    more = more_field()
    code = ""  # it has none

    def posted(self) -> ExampleRow:
        """Return the row as it was entered."""
        return ExampleRow(number=int(self.number), **self.sent_values())
