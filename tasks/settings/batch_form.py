"""The form that sets up a batch."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.db import models
from django.utils.translation import gettext_lazy as _

from tasks.models import Batch, Membership

from .forms import SaveChangedOnly, within_limits


class BatchForm(SaveChangedOnly):
    """The settings of a batch: when its turn comes, and who may work on it."""

    annotators = forms.ModelMultipleChoiceField(
        label=_("Who may work on it"),
        queryset=get_user_model().objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("If you choose nobody, everybody may work on it."),
    )

    class Meta:
        model = Batch
        fields = ("status", "rank", "priority", "warning")
        formfield_callback = within_limits
        labels = {"status": _("Status of the batch")}
        help_texts = {
            "status": _(
                "A paused or closed batch hands out no items. Ratings in progress are still "
                "accepted. In a closed batch nobody can correct ratings. You can open it again."
            ),
            "priority": _("Higher comes first, if the project orders items by priority."),
            "warning": _(
                "Annotators read it before they see the texts, and may skip the item. It applies "
                "to items handed out from now on."
            ),
        }
        widgets = {
            "rank": forms.RadioSelect,
            "warning": forms.Textarea({"rows": 2, "dir": "auto"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = self.instance.project.memberships.filter(role=Membership.Role.ANNOTATOR)
        assigned = list(self.instance.assignments.values_list("annotator", flat=True))
        # Show assigned annotators who have left the project, too. Without them the batch would
        # look as if everybody could work on it.
        is_member = models.Q(pk__in=members.values("user"))
        is_assigned = models.Q(pk__in=assigned)
        users = get_user_model().objects
        people = users.filter(is_member | is_assigned).order_by("username")
        self.fields["annotators"].queryset = people  # type: ignore[attr-defined]
        self.fields["annotators"].initial = assigned
