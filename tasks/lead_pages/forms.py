"""Parts of forms on the pages of leads."""

from collections.abc import Iterable
from typing import Any

from django import forms


class Segmented(forms.RadioSelect):
    """One of a few short choices, beside each other."""

    template_name = "django/forms/segmented.html"


class FormAmongOthers(forms.Form):
    """Base class of a form on a page with other forms."""

    def add_error(self, field: str | None, error: Any) -> None:
        """Make the browser scroll to the first error, which may be far down the page."""
        super().add_error(field, error)
        for name in self.errors:
            widget = self.fields[name].widget
            # A group of boxes would have it on each of them, and a page may have it only once.
            if not widget.use_fieldset and not widget.is_hidden:
                widget.attrs["autofocus"] = True
                return


def optional_choice(label: Any, field_choices: Iterable[Any], initial: str) -> forms.ChoiceField:
    """Return a field that a form made of a file's report has, for a choice that may be left out."""
    return forms.ChoiceField(
        label=label, choices=list(field_choices), initial=initial, required=False
    )


def optional_text(label: Any, initial: str, help_text: str = "") -> forms.CharField:
    """Return such a field for a text in one line."""
    return forms.CharField(
        label=label, initial=initial, required=False, help_text=help_text, max_length=500
    )
