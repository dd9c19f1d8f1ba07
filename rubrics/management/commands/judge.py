"""Run `manage.py rubric judge` under its former name."""

from .rubric import FormerCommand


class Command(FormerCommand):
    help = "The former name of `manage.py rubric judge`; version 0.2 takes it away."
    verb = "judge"
