"""Run `manage.py rubric check` under its former name."""

from .rubric import FormerCommand


class Command(FormerCommand):
    help = "The former name of `manage.py rubric check`; version 0.2 takes it away."
    verb = "check"
