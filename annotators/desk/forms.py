"""Forms of the desk, except the rating form itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django import forms
from django.core.exceptions import BadRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from annotators.accounts.time_zones import zones
from tasks.models import Concern, DraftVersion

LONGEST_NOTE = 2_000  # characters
MOST_WORDS = 8  # of a search


@dataclass(frozen=True, slots=True)
class CorpusAsked:
    """The requested page of a corpus, from 1, and a search in the corpus."""

    page: int = 1
    query: str = ""


@dataclass(frozen=True, slots=True)
class RatingsAsked:
    """A search in one's own ratings, and where its page begins."""

    query: str = ""
    before: int | None = None  # only ratings older than this primary key

    @property
    def words(self) -> tuple[str, ...]:
        """The first few words of the query."""
        return tuple(self.query.split()[:MOST_WORDS])


class StartForm(forms.Form):
    """The browser's time zone. An unknown zone is ignored."""

    zone = forms.ChoiceField(required=False, choices=lambda: [(name, name) for name in zones()])

    @property
    def time_zone(self) -> str:
        return str(self.cleaned_data["zone"]) if self.is_valid() else ""


class CorpusForm(forms.Form):
    """The requested part of a corpus. Invalid values lead to the first page."""

    page = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    q = forms.CharField(required=False, max_length=200)

    @property
    def asked(self) -> CorpusAsked:
        if not self.is_valid():
            return CorpusAsked()
        return CorpusAsked(self.cleaned_data["page"] or 1, self.cleaned_data["q"])


class ConcernForm(forms.Form):
    """The reason for skipping or flagging an item."""

    reason = forms.ChoiceField(
        label=_("Reason"),
        choices=Concern.Reason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Say why, so that the lead can do something about it.")},
    )
    note = forms.CharField(
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        label=_("In your words"),
    )


@lru_cache(maxsize=16)
def unbound_concern(_language: str | None) -> SafeString:
    """Return the empty form, rendered once per process and language."""
    return ConcernForm().render()


class RatingsForm(forms.Form):
    """The requested part of one's own ratings: those with some words, older than one of them.

    Invalid values lead to the newest ratings.
    """

    q = forms.CharField(required=False, max_length=200)
    before = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    @property
    def asked(self) -> RatingsAsked:
        if not self.is_valid():
            return RatingsAsked()
        return RatingsAsked(self.cleaned_data["q"], self.cleaned_data["before"])


class CorrectionForm(forms.Form):
    """The revision that a correction was made from."""

    revision = forms.IntegerField(min_value=1, max_value=32_767)

    def is_outdated(self, latest: int) -> bool:
        """Return True if there is a later revision."""
        return self.is_valid() and self.cleaned_data["revision"] != latest


PAGE_BEFORE = r"[0-9a-f]{16}\.[0-9]{1,9}"  # its name, and the number of its last request
# Shared by all requests, since they store nothing. Django would copy declared fields for each form.
WRITING: dict[str, forms.Field] = {
    "draft_writer": forms.RegexField(r"^[0-9a-f]{16}$", required=False),
    "draft_number": forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1),
    "draft_revision": forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1),
    "draft_taken": forms.RegexField(
        rf"^{PAGE_BEFORE}( {PAGE_BEFORE})*$", required=False, max_length=600
    ),
    "join": forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1),
    "leave": forms.BooleanField(required=False),
    "discard": forms.BooleanField(required=False),
    "kept": forms.BooleanField(required=False),
}


class DraftVersionForm(forms.Form):
    """Hidden fields that identify the page that sends a form, and the draft it was shown."""

    def __init__(self, data: Mapping[str, str]) -> None:
        super().__init__(data)
        self.fields |= WRITING

    @property
    def leaves(self) -> bool:
        """True if the annotator wants to go where key B leads."""
        return self.is_valid() and bool(self.cleaned_data["leave"])

    @property
    def joins(self) -> bool:
        """True if the draft saved elsewhere is to be merged with the page's form."""
        return self.is_valid() and bool(self.cleaned_data["join"])

    @property
    def was_kept(self) -> bool:
        """True if the browser saved the form and resends it from whatever page is open."""
        return self.is_valid() and bool(self.cleaned_data["kept"])

    @property
    def gives_up(self) -> bool:
        """True if the draft of the correction is to be discarded."""
        return self.is_valid() and bool(self.cleaned_data["discard"])

    @property
    def writing(self) -> DraftVersion | None:
        """The page that sends the form, or None if no page has numbered it.

        Raise BadRequest if the numbers are invalid, because the form could not be saved.
        """
        if not self.is_valid():
            raise BadRequest(f"Of which page this is cannot be told: {', '.join(self.errors)}")
        if not self.cleaned_data["draft_writer"]:
            return None
        before = (page.split(".") for page in self.cleaned_data["draft_taken"].split())
        return DraftVersion(
            self.cleaned_data["draft_writer"],
            self.cleaned_data["draft_number"] or 0,
            self.cleaned_data["join"] or self.cleaned_data["draft_revision"] or 0,
            tuple((writer, int(number)) for writer, number in before),
        )
