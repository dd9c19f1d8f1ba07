"""People. Every other app knows them as settings.AUTH_USER_MODEL only."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower


class User(AbstractUser):
    """Someone who rates, leads or administers. What they may do in a project is a `tasks.Membership`;
    only admin is global, and is `is_superuser`."""

    email = models.EmailField("e-mail", blank=True)

    class Meta(AbstractUser.Meta):
        constraints = (models.UniqueConstraint(Lower("username"), name="a_name_is_taken_whatever_its_case"),)
