"""The form of a dimension in a draft: its texts, its scale, and a line for each of its levels."""

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from rubrics.editor.fields import LevelLine, ScaleFields
from rubrics.editor.scale import CLASSES, OWN

from .part_fields import (
    Choices,
    EntryForm,
    NeutralText,
    RubricText,
    SentFields,
    TextArea,
    checkbox,
    forms_of_rows,
    more_field,
)

PRESETS: Choices = [
    ("1–5", "1–5"),
    ("0–4", "0–4"),
    ("1–7", "1–7"),
    ("1–10", "1–10"),
    ("yes/no", _("yes/no")),
    (CLASSES, _("classes")),
    (OWN, _("own")),
]
NUMBER = {"class": "short", "inputmode": "numeric"}


class LevelForm(EntryForm):
    """A score with its texts."""

    score = NeutralText(widget=forms.HiddenInput)
    label = RubricText(widget=forms.TextInput({"id": "label-#"}))
    definition = RubricText(widget=TextArea(id="meaning-#", rows=1))

    def __init__(
        self, sent: SentFields | None, level_line: LevelLine, prefix: str, lang: str
    ) -> None:
        super().__init__(sent, level_line, prefix, lang)
        score = {"score": self.initial["score"]}
        names = {
            "label": gettext("On the button of %(score)s") % score,
            "definition": gettext("Meaning of %(score)s") % score,
        }
        for name, words in names.items():
            self.fields[name].widget.attrs["aria-label"] = words


class NewLevelForm(EntryForm):
    """A line in which one adds a score to a long scale."""

    score = NeutralText(widget=forms.TextInput({"inputmode": "numeric", "aria-label": _("Score")}))
    label = RubricText(widget=forms.TextInput({"aria-label": _("On its button")}))
    definition = RubricText(widget=TextArea(rows=1, **{"aria-label": _("Meaning")}))


class ScaleForm(EntryForm):
    """The texts of a dimension, its scale and its levels."""

    title = RubricText(_("Title"), widget=forms.TextInput({"id": "title"}))
    question = RubricText(
        _("Question that annotators read"), widget=forms.TextInput({"id": "question"})
    )
    preset = NeutralText(widget=forms.RadioSelect(choices=PRESETS))
    lowest = NeutralText(_("from"), widget=forms.TextInput({"id": "lowest", **NUMBER}))
    highest = NeutralText(_("to"), widget=forms.TextInput({"id": "highest", **NUMBER}))
    same = NeutralText(_("Levels"), widget=forms.Select({"id": "same", "class": "auto"}))
    ends = checkbox(
        _("only the ends are described"), value="yes", id="ends", **{"class": "ends-only"}
    )
    better = NeutralText()
    may_not_apply = checkbox(_("May not apply"), value="yes")
    blank = RubricText(widget=forms.TextInput({"aria-label": _("What its button says")}))
    more = more_field()

    def __init__(self, sent: SentFields | None, scale_fields: ScaleFields, lang: str) -> None:
        super().__init__(sent, scale_fields, "", lang)
        self.code = scale_fields.code
        self.levels = forms_of_rows(
            LevelForm, sent, scale_fields.levels, LevelLine(), "level", lang
        )
        self.new_level = NewLevelForm(None, LevelLine(), f"level.{len(self.levels)}", lang)
        others = [("", gettext("its own"))]
        for code, title in scale_fields.others:
            others.append((code, gettext("same as %(title)s") % {"title": title}))
        self.fields["same"].widget.choices = others
        self.initial["blank"] = self.initial["blank"] or gettext("Not applicable")

    def posted(self) -> ScaleFields:
        """Return the texts as they were entered."""
        levels = tuple(LevelLine(**level.sent_values()) for level in self.levels)
        return ScaleFields(levels=levels, **self.sent_values())
