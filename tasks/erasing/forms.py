"""The forms of what cannot be taken back: each has something typed in that says what goes."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from tasks.models import Item, Project
from tasks.models.questions import LONGEST_QUESTION

from .passages import SHORTEST, count_passages

LONGEST_PASSAGE = 2_000


class EraseProjectForm(forms.Form):
    """The title of the project that is to go."""

    title = forms.CharField(
        label=gettext_lazy("The title of the project"),
        widget=forms.TextInput({"autocomplete": "off", "dir": "auto"}),
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project

    def clean_title(self) -> str:
        """Refuse any other title."""
        title: str = self.cleaned_data["title"]
        if title != self.project.title.strip():
            text = _("This is not its title. Enter “%(title)s”.")
            raise ValidationError(text % {"title": self.project.title})
        return title


class RedactForm(forms.Form):
    """A passage of an item that is to go, and why."""

    passage = forms.CharField(
        label=gettext_lazy("The passage, exactly as in the text"),
        min_length=SHORTEST,
        max_length=LONGEST_PASSAGE,
        strip=False,
        widget=forms.Textarea({"rows": 3, "dir": "auto", "autocomplete": "off"}),
        help_text=gettext_lazy(
            "It is removed everywhere: from the texts, comments and drafts, and from what people "
            "wrote about the item."
        ),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_QUESTION,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=gettext_lazy("It is kept, so do not repeat the passage in it."),
    )

    def __init__(self, item: Item, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.item = item

    def clean_passage(self) -> str:
        """Return the passage with the line ends that texts have; refuse one that stands nowhere."""
        passage: str = self.cleaned_data["passage"].replace("\r\n", "\n").strip()
        if len(passage) < SHORTEST:
            text = _(
                "Enter at least %(number)s characters. A shorter text may be part of other words."
            )
            raise ValidationError(text % {"number": SHORTEST})
        if not count_passages(self.item, passage):
            raise ValidationError(
                _("The item does not have this. Copy it from the text, with its line ends.")
            )
        return passage

    def clean(self) -> None:
        """Refuse a reason that repeats the passage."""
        passage = self.cleaned_data.get("passage")
        if passage and passage in self.cleaned_data.get("reason", ""):
            self.add_error("reason", _("The reason repeats the passage. Say it in other words."))
