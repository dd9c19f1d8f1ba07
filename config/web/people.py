"""The type of a person, for annotations in apps that may not import `annotators`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The only import of an app in `config.web`, for the type checker.
    from annotators.models import User
else:
    from django.contrib.auth.base_user import AbstractBaseUser as User

__all__ = ["User"]
