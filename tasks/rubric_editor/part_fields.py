"""Building blocks of the forms in which one edits the parts of a draft.

Such a form refuses nothing (ADR 13): it hands on what was entered, and the document says what is
wrong with it. So no field is required, and `clean` accepts everything.

A form stands for a dataclass of `rubrics.editor.fields`, whose attributes have the names of the
form's fields. Each row of a list, such as a rule, is a form. The names of its fields begin with its
number, and those of the rows within it with that too:

    0.reason, 0.when.0.how, 0.when.1.how, 1.reason
"""

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Choices: TypeAlias = Sequence[tuple[str, str | Promise]]
Widget: TypeAlias = forms.Widget | type[forms.Widget]
RowValues = TypeVar("RowValues", bound="DataclassInstance")
RowFormType = TypeVar("RowFormType", bound="EntryForm")

# In the id of a widget, it stands for the number of the row.
ROW_NUMBER = "#"
MOST_DIGITS = 4  # of the number of a row; a longer one in a forged name is no number


class TextArea(forms.Textarea):
    """A box for a text of several lines, as wide as its column."""

    def __init__(self, **attrs: int | str | Promise) -> None:
        super().__init__(attrs)
        del self.attrs["cols"]


class MoreTextArea(TextArea):
    """The box of the field "More". It is small while it is empty."""

    def get_context(self, name: str, value: object, attrs: Any) -> dict[str, Any]:
        """Return what the widget's template draws it from."""
        context = super().get_context(name, value, attrs)
        context["widget"]["attrs"]["rows"] = 6 if value else 2
        return context


class PostedText(forms.Field):
    """A text as it was entered; its lines end as in the document."""

    def __init__(self, label: Any = "", *, widget: Widget = forms.TextInput) -> None:
        super().__init__(required=False, label=label, widget=widget)

    def clean(self, value: str | None) -> str | None:
        """Return the text; "" if the form did not send the field."""
        return (value or "").replace("\r\n", "\n")


class RubricText(PostedText):
    """A text in the rubric's language. `EntryForm` marks its element with the language."""


class OptionalRubricText(RubricText):
    """A text in the rubric's language that some rows have no field for."""

    def clean(self, value: str | None) -> str | None:
        """Return the text; None if the form did not send the field."""
        if value is None:
            return None
        return super().clean(value)


class NeutralText(PostedText):
    """A text that is in no language: a number, a name, a choice."""


class ChosenTexts(forms.Field):
    """Several texts: the values of the boxes that are ticked.

    Templates draw the boxes by hand, because they are many. The widget only reads what was sent.
    """

    widget = forms.SelectMultiple

    def __init__(self) -> None:
        super().__init__(required=False)

    def clean(self, value: Sequence[str]) -> tuple[str, ...]:
        """Return the texts, whatever they are."""
        return tuple(value)


def checkbox(label: Any, **attrs: str) -> forms.BooleanField:
    """Return a field that is a single checkbox, with these attributes of its element."""
    return forms.BooleanField(required=False, label=label, widget=forms.CheckboxInput(attrs))


def more_field() -> NeutralText:
    """Return the field "More": the other entries of a part, as YAML."""
    label = {"aria-label": _("More")}
    return NeutralText(widget=MoreTextArea(rows=2, spellcheck="false", **label))


class SentFields:
    """All that a page sent, and which rows it has."""

    def __init__(self, data: QueryDict) -> None:
        self.data = data
        self._rows_by_prefix: defaultdict[str, set[int]] = defaultdict(set)
        for name in data:
            parts = name.split(".")
            for place, part in enumerate(parts[:-1]):
                if part.isdecimal() and len(part) <= MOST_DIGITS:
                    prefix = ".".join(parts[:place])
                    self._rows_by_prefix[prefix].add(int(part))

    def row_numbers(self, prefix: str) -> list[int]:
        """Return the numbers of the rows in a list, in order.

        `prefix`: what the names of the list's fields begin with, without the last dot. In the
        example at the top, the list "0.when" has the rows 0 and 1, and the list "" has them too.
        """
        return sorted(self._rows_by_prefix.get(prefix, ()))


class EntryForm(forms.Form):
    """The fields of a part, or of a row in it.

    `sent`: what a page sent; None for a form to show, which then has `values`. `prefix`: what the
    names of its fields begin with, without the last dot; it ends in the number of the row. `lang`:
    the language of the rubric.
    """

    def __init__(
        self,
        sent: SentFields | None,
        values: "DataclassInstance",
        prefix: str = "",
        lang: str = "",
    ) -> None:
        super().__init__(
            sent.data if sent else None,
            initial=_attributes(values),
            prefix=prefix,
            auto_id=False,
            label_suffix="",
        )
        self.number = prefix.rpartition(".")[2]  # of the row; "" for a part
        for field in self.fields.values():
            attrs = field.widget.attrs
            if isinstance(field, RubricText):
                attrs["lang"] = lang
            if "id" in attrs:
                attrs["id"] = attrs["id"].replace(ROW_NUMBER, self.number)

    @property
    def slips(self) -> Sequence[str]:
        """The faults for which its text under "More" cannot be read."""
        slips: Sequence[str] = self.initial["slips"]
        return slips

    def add_prefix(self, field_name: str) -> str:
        """Return the name of a field, after the prefix and a dot (Django puts a hyphen)."""
        if not self.prefix:
            return field_name
        return f"{self.prefix}.{field_name}"

    def sent_values(self) -> Mapping[str, Any]:
        """Return what was entered, by the names of the fields.

        The values have the types of the dataclass, so that it is made of them.
        """
        self.is_valid()  # always: no field refuses anything. It fills cleaned_data.
        return self.cleaned_data


def _attributes(values: "DataclassInstance") -> MutableMapping[str, Any]:
    """Return the attributes of a dataclass by name, those that are dataclasses as they are."""
    return {field.name: getattr(values, field.name) for field in dataclasses.fields(values)}


def forms_of_rows(
    make_form: Callable[[SentFields | None, RowValues, str, str], RowFormType],
    sent: SentFields | None,
    document_rows: Iterable[RowValues],
    blank: RowValues,
    prefix: str,
    lang: str = "",
) -> list[RowFormType]:
    """Return a form for each row of a list.

    They are the rows that a page sent, else those of the document. `prefix` as in
    `SentFields.row_numbers`. `blank` has the values of a row that the document has not.
    """
    numbered_values: Iterable[tuple[int, RowValues]] = enumerate(document_rows)
    if sent:
        numbered_values = [(number, blank) for number in sent.row_numbers(prefix)]
    row_forms = []
    for number, row_values in numbered_values:
        row_prefix = f"{prefix}.{number}" if prefix else str(number)
        row_forms.append(make_form(sent, row_values, row_prefix, lang))
    return row_forms
