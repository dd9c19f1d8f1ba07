"""The forms of the rows in a part of a draft: questions, rules and examples.

`part_forms` makes one for each row that a draft has, or that a page sent. A form stands for a row
of `rubrics.editor.fields`, whose attributes have the names of the form's fields. `posted` returns
that row, as it was entered:

    0.at=rude, 0.kind=tick, 0.wording=Rude   is   CheckRow(number=0, at="rude", kind="tick", …)
"""

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
    ROW_NUMBER,
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

OFFERED_KINDS: Choices = [
    (Kind.TICK, _("tick")),
    (Kind.YES_NO, _("yes/no")),
    (Kind.ONE_OF, _("one of")),
]
DETECTED = (Kind.DETECTED, _("seen by the program"))  # only where the check is one already
HOWS: Choices = [
    ("all_of", _("all of")),
    ("any_of", _("any of")),
    ("none_of", _("none of")),
    ("of", _("at least … of")),
]


class RowForm(EntryForm):
    """A row of a list, with what is said of it."""

    at = NeutralText(widget=forms.HiddenInput)

    findings: Sequence[PartFinding] = ()
    effects: RuleEffects | None = None  # of a rule
    is_blank = False  # the row to fill in

    @property
    def code(self) -> str:
        """The code of what the row changes, of an example its place; "" for a new row."""
        code: str = self.initial["at"]
        return code

    @property
    def first_field(self) -> forms.Field:
        """Return the field that a page shows first."""
        raise NotImplementedError

    def posted(self) -> Any:
        """Return the row as it was entered: the dataclass that the form stands for."""
        raise NotImplementedError


class CheckForm(RowForm):
    """A question or a tick."""

    wording = RubricText(widget=forms.TextInput({"id": f"wording-{ROW_NUMBER}"}))
    kind = NeutralText(
        widget=forms.Select({"id": f"kind-{ROW_NUMBER}", "class": "auto", "aria-label": _("Kind")}),
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
        kinds = [*OFFERED_KINDS]
        if check_row.kind == Kind.DETECTED:
            kinds.append(DETECTED)
        self.fields["kind"].widget.choices = kinds
        answers = [("", "–")]
        for answer in check_row.answers:
            if answer.at:
                answers.append((answer.at, answer.wording))
        self.fields["best"].widget.choices = answers

    @property
    def first_field(self) -> forms.Field:
        """Return the field of its words."""
        return self.fields["wording"]

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


class RuleForm(RowForm):
    """A rule."""

    effect = NeutralText(
        widget=forms.Select(
            {"id": f"effect-{ROW_NUMBER}", "class": "auto", "aria-label": _("Effect")},
            [*EFFECTS.items()],
        ),
    )
    score = NeutralText()
    scores = ChosenTexts()
    against = ChosenTexts()
    reason = RubricText(
        _("Reason that annotators read"), widget=TextArea(id=f"reason-{ROW_NUMBER}", rows=1)
    )
    clause = NeutralText(_("Clause"), widget=forms.TextInput({"class": "short"}))
    more = more_field()

    def __init__(self, sent: SentFields | None, rule_row: RuleRow, prefix: str, lang: str) -> None:
        super().__init__(sent, rule_row, prefix, lang)
        self.when = ConditionForm(sent, rule_row.when, f"{prefix}.when")
        self.needs = ConditionForm(sent, rule_row.needs, f"{prefix}.needs")
        self.scores_to_choose: list[tuple[str, str]] = []

    @property
    def first_field(self) -> forms.Field:
        """Return the menu of its condition."""
        return self.when.fields["one"]

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

    prompt = RubricText(_("Prompt"), widget=TextArea(rows=2))
    response = OptionalRubricText(
        _("Response"), widget=TextArea(id=f"response-{ROW_NUMBER}", rows=3)
    )
    checks = ChosenTexts()
    score = NeutralText()
    why = RubricText(_("Why"), widget=TextArea(rows=1))
    more = more_field()

    @property
    def first_field(self) -> forms.Field:
        """Return the field of the prompt."""
        return self.fields["prompt"]

    def posted(self) -> ExampleRow:
        """Return the row as it was entered."""
        return ExampleRow(number=int(self.number), **self.sent_values())


class ConditionForm(EntryForm):
    """A condition of a question or a rule: one fact, or lines of several."""

    one = NeutralText()

    def __init__(self, sent: SentFields | None, condition: ConditionFields, prefix: str) -> None:
        super().__init__(sent, condition, prefix)
        self.lines = forms_of_rows(LineForm, sent, condition.lines, ConditionLine(), prefix)

    @property
    def is_several(self) -> bool:
        """True if it has more lines than the blank one."""
        return len(self.lines) > 1

    def posted(self) -> ConditionFields:
        """Return the condition as it was entered."""
        lines = tuple(ConditionLine(**line.sent_values()) for line in self.lines)
        return ConditionFields(**self.sent_values(), lines=lines)


class LineForm(EntryForm):
    """A line of a condition: several facts, and how many of them."""

    how = NeutralText(widget=forms.Select({"class": "auto", "aria-label": _("How many")}, HOWS))
    facts = ChosenTexts()
    least = NeutralText(
        widget=forms.TextInput(
            {"class": "short least", "inputmode": "numeric", "aria-label": _("at least")}
        ),
    )
