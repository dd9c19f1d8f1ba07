"""Small forms of the list of items and of the page of one: a position, which models, a drop."""

from datetime import datetime

from django import forms
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from tasks.item_pages.listing import PagePosition
from tasks.models import Item
from tasks.models.dropping import decide_dropped
from tasks.models.questions import LONGEST_QUESTION
from tasks.models.replies import drop_item

PAGES_WITH_MODELS = ("items", "project", "disagreements", "agreement", "export")


class ListForm(forms.Form):
    """The page of the list of items that an address asks for."""

    last = forms.CharField(required=False)
    after = forms.CharField(required=False, strip=False)
    before = forms.CharField(required=False, strip=False)

    @property
    def position(self) -> PagePosition:
        """The position, also of a form that is not valid: a wrong value counts as none."""
        self.full_clean()
        return PagePosition(
            after=self.cleaned_data.get("after", ""),
            before=self.cleaned_data.get("before", ""),
            is_last=bool(self.cleaned_data.get("last")),
        )


class ModelVisibilityForm(forms.Form):
    """The page on which the models are shown or hidden; an item, if it is the page of one."""

    page = forms.ChoiceField(
        required=False,
        choices=[(name, name) for name in PAGES_WITH_MODELS],
    )
    item = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)


class DropForm(forms.Form):
    """The reason for which an item is dropped or taken back, and which of both."""

    why = forms.CharField(
        label=_("Reason"), max_length=LONGEST_QUESTION, widget=forms.TextInput({"dir": "auto"})
    )
    act = forms.ChoiceField(choices=[("drop", ""), ("take_back", "")], widget=forms.HiddenInput)

    def apply(self, item: Item, *, by: User, now: datetime) -> None:
        """Drop an item, or take it back, as a valid form says."""
        why = self.cleaned_data["why"]
        if self.cleaned_data["act"] == "drop":
            drop_item(item, why=why, by=by, now=now)
        else:
            decide_dropped(item, False, why=why, by=by, now=now)
