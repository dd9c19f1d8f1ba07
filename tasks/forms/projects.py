"""Forms for uploads, new projects, members and exports."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from rubrics.models import Rubric
from tasks.importing.encodings import WINDOWS
from tasks.importing.loading import LONGEST_NAME, LONGEST_WARNING
from tasks.importing.readers import FORMATS
from tasks.models import Membership
from tasks.models.projects import MOST_WANTED


class FormAmongOthers(forms.Form):
    """Base class of a form on a page with other forms."""

    def show_error(self) -> None:
        """Make the browser scroll to the first error, which may be far down the page."""
        for name in self.errors:
            self.fields[name].widget.attrs["autofocus"] = True
            return


class UploadForm(FormAmongOthers):
    """Upload of a file of items.

    With `too_large`, a file was sent, but dropped because of its size before it reached the form.
    """

    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV, TSV, JSON or JSON lines; rows with the same id are one item."),
        widget=forms.FileInput(attrs={"accept": ",".join(FORMATS)}),
    )
    batch = forms.CharField(
        label=_("Name of the batch"),
        help_text=_("If left empty, the file's name without its ending."),
        required=False,
        max_length=LONGEST_NAME,
    )
    warning = forms.CharField(
        label=_("Warning before every item of it"),
        help_text=_("If left empty, only items that bring a warning of their own have one."),
        required=False,
        max_length=LONGEST_WARNING,
    )
    encoding = forms.ChoiceField(
        label=_("Characters"),
        choices=[
            ("", _("UTF-8 or UTF-16, as the file shows")),
            (WINDOWS, _("Windows-1252 (Western Europe)")),
        ],
        required=False,
    )
    take_good = forms.BooleanField(
        label=_("Take the good rows if others are bad"),
        help_text=_(
            "Otherwise one bad row keeps the whole file out. An item comes in with all of its rows "
            "or with none."
        ),
        required=False,
    )

    def __init__(self, *args: Any, too_large: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if too_large:
            limit = filesizeformat(settings.UPLOAD_LIMIT)
            self.fields["file"].error_messages["required"] = _(
                "The file is larger than %(limit)s. Split it, or have it loaded by manage.py "
                "import_batch."
            ) % {"limit": limit}


class TextsForm(forms.Form):
    """Options for the texts of a downloaded file."""

    exact = forms.BooleanField(
        label=_("Leave every text exactly as it is"),
        help_text=_(
            "Otherwise a text that a spreadsheet would run as a formula (it begins with =, +, -, "
            "@, a tab, a carriage return or a line feed, and is no plain number) gets an "
            "apostrophe in front."
        ),
        required=False,
    )


class ExportForm(TextsForm):
    """Options for the export of ratings."""

    revisions = forms.BooleanField(
        label=_("Earlier revisions too"),
        help_text=_(
            "Of what was corrected; otherwise only what stands. The column “revision” tells them "
            "apart."
        ),
        required=False,
    )


class NewProjectForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=200)
    rubric = forms.ModelChoiceField(
        label=_("Rubric"),
        queryset=Rubric.objects.newest_published(),
        empty_label=None,
        widget=forms.Select,
    )
    wanted = forms.IntegerField(
        label=_("Ratings wanted of each item"), min_value=1, max_value=MOST_WANTED, initial=3
    )


class MemberForm(FormAmongOthers):
    """A person with an account, and their new role in the project."""

    name = forms.CharField(label=_("Name"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)

    def clean_name(self) -> User:
        people = get_user_model()
        name = self.cleaned_data["name"]
        try:
            return people.objects.get(**{f"{people.USERNAME_FIELD}__iexact": name})
        except people.DoesNotExist:
            raise forms.ValidationError(
                _("There is no account named “%(name)s”."), params={"name": name}
            ) from None
