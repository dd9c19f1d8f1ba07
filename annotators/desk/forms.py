"""Forms of the desk, except the rating form itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

from django import forms
from django.core.exceptions import BadRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tasks.answers.submission import DraftVersion
from tasks.models import Concern
from tasks.rating_form.fields import LONGEST_TEXT

LONGEST_NOTE = 2_000  # characters
MOST_WORDS = 8  # of a search


class CorpusQuery(NamedTuple):
    """A part of a corpus."""

    page: int = 1
    words: str = ""  # to search for


class CorpusForm(forms.Form):
    """The requested part of a corpus. Invalid values lead to the first page."""

    page = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    q = forms.CharField(required=False, max_length=200)

    @property
    def query(self) -> CorpusQuery:
        if not self.is_valid():
            return CorpusQuery()
        return CorpusQuery(self.cleaned_data["page"] or 1, self.cleaned_data["q"])


class PanelQuery(NamedTuple):
    """The item and the dimension on which a draft is tried."""

    number: int | None = None  # of the item, from 1
    dimension: str = ""  # its code


class PanelForm(forms.Form):
    """The item, by its number, and the dimension to try a draft on. Others lead to the first."""

    on = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    dimension = forms.CharField(required=False, max_length=200)

    @property
    def query(self) -> PanelQuery:
        if not self.is_valid():
            return PanelQuery()
        return PanelQuery(self.cleaned_data["on"], self.cleaned_data["dimension"])


# A text that is stored as it is typed.
_text_field = partial(
    forms.CharField,
    required=False,
    strip=False,
    max_length=LONGEST_TEXT,
    widget=forms.Textarea({"rows": 3, "dir": "auto"}),
)


class PasteForm(forms.Form):
    """A prompt and responses of the lead's own to try a draft on."""

    prompt = _text_field(label=_("Prompt"))
    first = _text_field(label=_("Response"))
    second = _text_field(label=_("Another response, if you like"))


class ConcernForm(forms.Form):
    """The reason for skipping or flagging an item."""

    reason = forms.ChoiceField(
        label=_("Reason"),
        choices=Concern.Reason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Say why, so the lead can act on it.")},
    )
    note = forms.CharField(
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        label=_("In your own words"),
    )


@lru_cache(maxsize=16)
def unbound_concern(_language: str | None) -> SafeString:
    """Return the empty form, rendered once per process and language."""
    return ConcernForm().render()


@dataclass(frozen=True)
class RatingsQuery:
    """A part of one's own ratings."""

    text: str = ""  # as it was typed
    not_sure: bool = False  # only those
    before: int | None = None  # primary key

    @property
    def words(self) -> list[str]:
        return self.text.split()[:MOST_WORDS]


class RatingsForm(forms.Form):
    """The requested part of one's own ratings: with some words, or not sure, older than one.

    Invalid values lead to the newest ratings.
    """

    q = forms.CharField(required=False, max_length=200)
    not_sure = forms.BooleanField(required=False)
    before = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    @property
    def query(self) -> RatingsQuery:
        if not self.is_valid():
            return RatingsQuery()
        values = self.cleaned_data
        return RatingsQuery(values["q"], values["not_sure"], values["before"])


class CorrectionForm(forms.Form):
    """The revision that a correction was made from, and the last question that its page showed."""

    revision = forms.IntegerField(min_value=1, max_value=32_767)
    question = forms.IntegerField(required=False, min_value=0, max_value=2**63 - 1)

    def is_outdated(self, latest: int) -> bool:
        """Return True if there is a later revision."""
        return self.is_valid() and self.cleaned_data["revision"] != latest


# Shared by all requests, since they store nothing. Django would copy declared fields for each form.
HEADER: dict[str, forms.Field] = {
    "draft_writer": forms.RegexField(r"^[0-9a-f]{16}$", required=False),
    "draft_number": forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1),
    "draft_shown": forms.RegexField(r"^[0-9a-f]{16}\.\d{1,10}$", required=False),
    "leave": forms.BooleanField(required=False),
    "discard": forms.BooleanField(required=False),
    "kept": forms.BooleanField(required=False),
}


@dataclass(frozen=True)
class DraftHeader:
    """The facts that a page sends about itself and its form."""

    version: DraftVersion | None  # None if no page has numbered the form, so that it is not saved
    leaves: bool  # the annotator goes where key B leads
    discards: bool  # the draft of a correction is given up
    is_recovered: bool  # the browser saved the form, and another page sends it now


class DraftHeaderForm(forms.Form):
    """Hidden fields that say which page sends a form, and what is to be done with its draft."""

    def __init__(self, data: Mapping[str, str]) -> None:
        super().__init__(data)
        self.fields |= HEADER

    @property
    def header(self) -> DraftHeader:
        """The fields' values. Raise BadRequest if they are invalid: the form could not be saved."""
        if not self.is_valid():
            raise BadRequest(f"These fields of the page are wrong: {', '.join(self.errors)}")
        values = self.cleaned_data
        version = None
        writer = values["draft_writer"]
        if writer:
            version = DraftVersion(writer, values["draft_number"] or 0, values["draft_shown"])
        return DraftHeader(version, values["leave"], values["discard"], values["kept"])
