"""The worker, in tests: one round of `manage.py work`."""

from __future__ import annotations

from datetime import timedelta
from unittest import mock

from django.core.management import call_command


def work() -> None:
    """Do all that is to do, figures of the last minute included."""
    with mock.patch("tasks.agreement.results.AGAIN", timedelta()):
        call_command("work", once=True)
