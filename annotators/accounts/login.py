"""The log-in form."""

from typing import Any

from allauth.account.forms import LoginForm as AllauthLoginForm
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from .passwords import WithPassword

LONGEST_NAME = 254  # characters of an e-mail


class LoginForm(WithPassword, AllauthLoginForm):
    """allauth's form in Evenhand's words.

    It has labels, not placeholders: a placeholder is gone once one types.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name or e-mail")
        self.fields["login"].validators.append(MaxLengthValidator(LONGEST_NAME))
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autofocus": True}
        self.fields["password"].label = _("Password")
        # The page's template says where to go with a forgotten password.
        self.fields["password"].help_text = ""
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)

    def user_credentials(self) -> dict[str, str]:
        """Return what was entered as a name.

        The backend looks for an e-mail of this name by itself. Given both, it would try the
        password twice.
        """
        return {"username": self.cleaned_data["login"], "password": self.cleaned_data["password"]}
