"""The form of leads' pages on practice."""

from django import forms
from django.utils.translation import gettext_lazy as _


class LetInForm(forms.Form):
    """The reason for which someone rates without having passed."""

    reason = forms.CharField(label=_("Reason"), max_length=500)
