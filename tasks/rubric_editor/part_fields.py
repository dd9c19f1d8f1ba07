"""The fields of the forms of a draft: they bind what was entered, and refuse none of it (ADR 13).

The fields of a row have its number before their names: "2.reason", "2.when.0.how".
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Choices: TypeAlias = Sequence[tuple[str, str | Promise]]


class Area(forms.Textarea):
    """A text of several lines, as wide as its column."""

    def __init__(self, **attrs: int | str | Promise) -> None:
        super().__init__(attrs)
        del self.attrs["cols"]


class Text(forms.Field):
    """A text in the rubric's language, as it was entered; its lines end as in the document."""

    is_in_language = True

    def __init__(self, label: Any = "", widget: Any = forms.TextInput) -> None:
        super().__init__(required=False, label=label, widget=widget)

    def clean(self, value: str | None) -> str | None:
        """Return the text, whatever it is."""
        return (value or "").replace("\r\n", "\n")


class Word(Text):
    """A text that is in no language: a number, a name, a choice."""

    is_in_language = False


class OptionalText(Text):
    """A text that a row may not have."""

    def clean(self, value: str | None) -> str | None:
        """Return the text, None if the form had no field for it."""
        return None if value is None else super().clean(value)


class Texts(forms.Field):
    """Several texts: the boxes that are ticked. A template draws them, because they are many."""

    widget = forms.SelectMultiple

    def __init__(self) -> None:
        super().__init__(required=False)

    def clean(self, value: Sequence[str]) -> tuple[str, ...]:
        """Return the texts, whatever they are."""
        return tuple(value)


def box(label: Any, **attrs: str) -> forms.BooleanField:
    return forms.BooleanField(required=False, label=label, widget=forms.CheckboxInput(attrs))


class MoreArea(Area):
    """The text of a field "More". It is small while it is empty."""

    def get_context(self, name: str, value: object, attrs: Any) -> dict[str, Any]:
        """Return what the template draws it from."""
        context = super().get_context(name, value, attrs)
        context["widget"]["attrs"]["rows"] = 6 if value else 2
        return context


def more_field() -> Word:
    """Return the field "More"."""
    return Word("", MoreArea(rows=2, spellcheck="false", **{"aria-label": _("More")}))


class Sent:
    """The data that a form sent, and the numbers of its rows by the beginning of their names."""

    def __init__(self, data: QueryDict) -> None:
        self.data = data
        numbers: defaultdict[str, set[int]] = defaultdict(set)
        for name in data:
            pieces = name.split(".")
            for end, piece in enumerate(pieces[:-1]):
                if piece.isdecimal() and len(piece) <= 4:
                    numbers[".".join(pieces[:end])].add(int(piece))
        self.numbers: Mapping[str, Iterable[int]] = {
            prefix: sorted(those) for prefix, those in numbers.items()
        }


class EntryForm(forms.Form):
    """The fields of a part, or of a row in it."""

    def __init__(self, sent: Sent | None, values: object, prefix: str = "", lang: str = "") -> None:
        super().__init__(
            sent.data if sent else None,
            initial=vars(values),
            prefix=prefix,
            auto_id=False,
            label_suffix="",
        )
        self.number = prefix.rpartition(".")[2]
        for field in self.fields.values():
            attrs = field.widget.attrs
            if isinstance(field, Text) and field.is_in_language:
                attrs["lang"] = lang
            if "id" in attrs:
                attrs["id"] = attrs["id"].replace("#", self.number)

    @property
    def slips(self) -> Sequence[str]:
        """The faults for which its text under "More" cannot be read."""
        slips: Sequence[str] = self.initial["slips"]
        return slips

    def add_prefix(self, field_name: str) -> str:
        """Return the name of a field, after that of its row."""
        return f"{self.prefix}.{field_name}" if self.prefix else field_name

    def texts(self) -> Any:
        """Return what was entered, by the names of the fields: each of them is valid."""
        self.is_valid()
        return self.cleaned_data


def row_forms(
    form_class: type[Any],
    sent: Sent | None,
    values: Sequence[Any],
    blank: Any,
    prefix: str,
    lang: str = "",
) -> list[Any]:
    """Return a form for each row: those that were sent, or those with values."""
    numbered: Iterable[tuple[int, Any]] = enumerate(values)
    if sent:
        numbered = [(number, blank) for number in sent.numbers.get(prefix, ())]
    start = f"{prefix}." if prefix else ""
    return [form_class(sent, row, f"{start}{number}", lang) for number, row in numbered]
