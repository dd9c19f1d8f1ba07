"""Check a rubric's document, store it as a version, or judge by a rubric.

Usage: manage.py rubric check FILE
       manage.py rubric load FILE
       manage.py rubric judge RUBRIC DIMENSION [CHECK…]

Options that all commands have, such as `--traceback`, stand before the verb.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import translation

from ..check_document import CheckDocument
from ..files import NoRubric
from ..judge_checks import JudgeChecks
from ..load_document import LoadDocument

VERBS: dict[str, type[BaseCommand]] = {
    "check": CheckDocument,
    "load": LoadDocument,
    "judge": JudgeChecks,
}


class Command(BaseCommand):
    help = "Check a rubric's document, store it as a version, or judge by a rubric."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        for name, verb in VERBS.items():
            parser_of_verb = verbs.add_parser(name, help=verb.help, description=verb.help)
            verb().add_arguments(parser_of_verb)

    @translation.override("en")  # one language in the terminal
    def handle(self, *args: object, verb: str, **options: Any) -> None:
        command = VERBS[verb]()
        command.stdout = self.stdout
        command.stderr = self.stderr
        if verb == "load":  # the others store nothing
            command.check()
        try:
            command.handle(**options)
        except NoRubric as error:
            raise CommandError("\n".join(error.args)) from error


class FormerCommand(Command):
    """A verb of `manage.py rubric` as a command of its own, until version 0.2."""

    verb: str

    def add_arguments(self, parser: CommandParser) -> None:
        VERBS[self.verb]().add_arguments(parser)

    def handle(self, *args: object, **options: Any) -> None:
        super().handle(verb=self.verb, **options)
