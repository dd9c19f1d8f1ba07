"""The forms by which a lead chooses a spread, then settles the listed cases by their medians."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _, ngettext

from tasks.cases.medians import MOST, MedianCase
from tasks.models.decisions import LONGEST_REASON

# The token of a case and the version that the list showed, as a field has them.
LISTED = re.compile(r"([0-9a-f]{16})=(\d{1,6}:[0-9a-f]{32})")


class SpreadForm(forms.Form):
    """The spread whose cases are listed: the smallest one there is, if none is chosen."""

    spread = forms.TypedChoiceField(label=_("Spread"), coerce=int, required=False, empty_value=None)

    def __init__(self, numbers: dict[int, int], data: Any) -> None:
        super().__init__(data)
        choices = []
        for spread, number in numbers.items():
            words = ngettext(
                "%(spread)s (%(number)s case)", "%(spread)s (%(number)s cases)", number
            )
            choices.append((spread, words % {"spread": spread, "number": number}))
        self.fields["spread"].choices = choices  # type: ignore[attr-defined]
        self.smallest = min(numbers, default=None)
        self.initial = {"spread": self.chosen}

    @property
    def chosen(self) -> int | None:
        """The spread that is asked for, else the smallest."""
        if self.is_valid() and self.cleaned_data["spread"] is not None:
            spread: int = self.cleaned_data["spread"]
            return spread
        return self.smallest


class ListedCasesField(forms.Field):
    """The cases of a list with the versions that it showed, as `LISTED` has them."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: object) -> dict[str, str]:
        """Return the versions by the tokens of the cases."""
        lines = value if isinstance(value, list) else []
        versions = {}
        for line in lines[: MOST + 1]:
            match = LISTED.fullmatch(line)
            if match is None:
                raise forms.ValidationError(_("The list is not whole. Load the page again."))
            versions[match[1]] = match[2]
        return versions

    def validate(self, value: object) -> None:
        """Refuse no case, and more than are settled at once."""
        if not isinstance(value, dict) or not 0 < len(value) <= MOST:
            raise forms.ValidationError(_("The list is not whole. Load the page again."))


class MedianForm(forms.Form):
    """The listed cases, and a reason that goes with all of them."""

    cases = ListedCasesField()
    reason = forms.CharField(
        label=_("Reason (optional)"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        required=False,
    )

    @classmethod
    def listing(cls, offered: Sequence[MedianCase]) -> "MedianForm":
        """Return an empty form that has these cases."""
        return cls(initial={"cases": [f"{case.token}={case.version}" for case in offered]})
