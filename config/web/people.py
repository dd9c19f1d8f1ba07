"""The type of a person, for annotations in apps that may not import `annotators`."""

from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.db import connection

if TYPE_CHECKING:
    # The only import of an app in `config.web`, for the type checker.
    from annotators.models import User
else:
    from django.contrib.auth.base_user import AbstractBaseUser as User

__all__ = ["User", "named_account"]


def named_account(key: int, username: str) -> User:
    """Return an account of which only the name is loaded: accounts have many columns."""
    return get_user_model().from_db(connection.alias, ("id", "username"), (key, username))
