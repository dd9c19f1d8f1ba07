"""Run `manage.py rubric load` under its former name."""

from .rubric import FormerCommand


class Command(FormerCommand):
    help = "The former name of `manage.py rubric load`; version 0.2 takes it away."
    verb = "load"
