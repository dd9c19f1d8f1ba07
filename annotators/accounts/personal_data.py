"""Pages about personal data: what is kept of oneself, and the erasure of a person by an admin."""

from typing import Any

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from annotators.models import User
from config.web.access_log import note
from config.web.decorators import admins_only
from config.web.requests import Request

from .erasure import LastLeadError, erase_person, is_erased


class ErasePersonForm(forms.Form):
    """The name of the person who is to be erased."""

    name = forms.CharField(
        label=gettext_lazy("The name of the account"),
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )
    comments = forms.BooleanField(
        label=gettext_lazy("Delete what they wrote beside their scores, too"), required=False
    )

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_name(self) -> str:
        """Refuse any other name."""
        name: str = self.cleaned_data["name"]
        if name != self.person.username:
            text = _("This is not the name of the account. Enter “%(name)s”.")
            raise ValidationError(text % {"name": self.person.username})
        return name


@require_safe
def kept_data(request: Request) -> HttpResponse:
    """Say what is kept of the user, why and how long."""
    return render(request, "annotators/kept_data.html")


@require_http_methods(["GET", "HEAD", "POST"])
@admins_only
@reauthentication_required
def erase(request: Request, pk: int) -> HttpResponse:
    """Erase a person, once the name is typed in."""
    person = get_object_or_404(User, pk=pk)
    form = ErasePersonForm(person, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            if person == request.user:
                form.add_error(None, _("This is your own account. Another admin can erase it."))
            else:
                erase_person(person, comments=form.cleaned_data["comments"])
        except LastLeadError as error:
            text = _("Nobody else leads “%(project)s”. Make somebody its lead first.")
            form.add_error(None, text % {"project": error.project})
    if form.is_bound and form.is_valid():
        note("person erased", request, account=person)
        messages.success(request, _("Nothing tells any more who that was. The ratings stay."))
        return redirect("admin:annotators_user_changelist")
    context = {
        "person": person,
        "form": form,
        "is_erased": is_erased(person),
        "ratings": person.ratings.count(),
    }
    return render(request, "annotators/erase_person.html", context)
