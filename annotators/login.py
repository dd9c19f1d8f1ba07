"""The log-in form."""

from typing import Any

from allauth.account.forms import LoginForm as AllauthLoginForm
from django.utils.translation import gettext_lazy as _


class LoginForm(AllauthLoginForm):
    """allauth's form in Evenhand's words. Labels, not placeholders: a placeholder is gone once one types."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name or e-mail")
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autofocus": True}
        self.fields["password"].label = _("Password")
        # The page's template says where to go with a forgotten password.
        self.fields["password"].help_text = ""
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
