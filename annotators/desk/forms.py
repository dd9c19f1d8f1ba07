"""Forms of the desk beside the rating itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django import forms
from django.core.exceptions import BadRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from annotators.accounts.time_zones import zones
from tasks.models import Concern, Writing

LONGEST_NOTE = 2_000  # characters
MOST_WORDS = 8  # of a search


@dataclass(frozen=True, slots=True)
class CorpusAsked:
    """Which page of a corpus, from 1, and what is searched in it."""

    page: int = 1
    query: str = ""


@dataclass(frozen=True, slots=True)
class RatingsAsked:
    """What is searched in one's own ratings, and the one after which to go on."""

    query: str = ""
    before: int | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Of the query, a few."""
        return tuple(self.query.split()[:MOST_WORDS])


class StartForm(forms.Form):
    """What the browser says of where its reader is. A zone that is none is passed over."""

    zone = forms.ChoiceField(required=False, choices=lambda: [(name, name) for name in zones()])

    @property
    def time_zone(self) -> str:
        return str(self.cleaned_data["zone"]) if self.is_valid() else ""


class CorpusForm(forms.Form):
    """What part of a corpus is looked at. A page or a search that makes no sense leads to the first
    page."""

    page = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    q = forms.CharField(required=False, max_length=200)

    @property
    def asked(self) -> CorpusAsked:
        if not self.is_valid():
            return CorpusAsked()
        return CorpusAsked(self.cleaned_data["page"] or 1, self.cleaned_data["q"])


class ConcernForm(forms.Form):
    """Why an item is skipped or flagged."""

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
    """The form as nobody has filled it in yet, drawn once in a process for each language."""
    return ConcernForm().render()


class RatingsForm(forms.Form):
    """Which of one's own ratings are looked at: those with some words in them, older than one of
    them. What makes no sense leads to the newest."""

    q = forms.CharField(required=False, max_length=200)
    before = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    @property
    def asked(self) -> RatingsAsked:
        if not self.is_valid():
            return RatingsAsked()
        return RatingsAsked(self.cleaned_data["q"], self.cleaned_data["before"])


class CorrectionForm(forms.Form):
    """Which revision a correction was made from."""

    revision = forms.IntegerField(min_value=1, max_value=32_767)

    def is_outdated(self, latest: int) -> bool:
        """Whether there is a later one."""
        return self.is_valid() and self.cleaned_data["revision"] != latest


PAGE_BEFORE = r"[0-9a-f]{16}\.[0-9]{1,9}"  # its name, and how much it had sent
# They hold nothing of a request; declared in the form, they would be copied for each.
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


class WritingForm(forms.Form):
    """Which page sends a form, and what it was shown; the page itself says so in hidden fields."""

    def __init__(self, data: Mapping[str, str]) -> None:
        super().__init__(data)
        self.fields |= WRITING

    @property
    def leaves(self) -> bool:
        """Whether its writer wants to go where key B leads."""
        return self.is_valid() and bool(self.cleaned_data["leave"])

    @property
    def joins(self) -> bool:
        """Whether what was saved elsewhere is to be put together with what stands on the page."""
        return self.is_valid() and bool(self.cleaned_data["join"])

    @property
    def was_kept(self) -> bool:
        """Whether it comes from a browser's keeping, sent from whatever page is open there now."""
        return self.is_valid() and bool(self.cleaned_data["kept"])

    @property
    def gives_up(self) -> bool:
        """Whether what was begun is to go."""
        return self.is_valid() and bool(self.cleaned_data["discard"])

    @property
    def writing(self) -> Writing | None:
        """None for what no page of ours has numbered. Raises BadRequest where the numbers are none
        that a page of ours has: what it brings could not be kept."""
        if not self.is_valid():
            raise BadRequest(f"Of which page this is cannot be told: {', '.join(self.errors)}")
        if not self.cleaned_data["draft_writer"]:
            return None
        before = (page.split(".") for page in self.cleaned_data["draft_taken"].split())
        return Writing(
            self.cleaned_data["draft_writer"],
            self.cleaned_data["draft_number"] or 0,
            self.cleaned_data["join"] or self.cleaned_data["draft_revision"] or 0,
            tuple((writer, int(number)) for writer, number in before),
        )
