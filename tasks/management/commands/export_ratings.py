"""Write what came out of a project to a file, with every text exactly as it is."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tasks.exporting.export import exported
from tasks.exporting.filters import Refused
from tasks.exporting.options import FLAGS, Delimiter, Format, Shape, read_options
from tasks.models import Project, Rating


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument(
            "-o", "--output", type=Path, metavar="FILE", help="where to; else standard output"
        )
        for name, settings in ARGUMENTS.items():
            parser.add_argument(FLAGS[name], dest=name, **settings)

    def handle(self, *, project: str, output: Path | None, **given: Any) -> None:
        try:
            options = read_options({name: given[name] for name in ARGUMENTS})
            blocks = exported(Project.objects.get(slug=project), options)
            _write(blocks, output)
        except Project.DoesNotExist as error:
            raise CommandError(f'There is no project "{project}".') from error
        except Refused as error:
            raise CommandError(f"{FLAGS[error.option]}: {error}") from error
        except ValueError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{output or 'standard output'}: {error.strerror}.") from error


def _write(blocks: Iterable[bytes], output: Path | None) -> None:
    if output is None:
        # Write bytes, so that no platform converts line ends or encoding.
        sys.stdout.buffer.writelines(blocks)
        sys.stdout.buffer.flush()
        return
    with output.open("wb") as file:
        file.writelines(blocks)


def _several(metavar: str, help_text: str) -> dict[str, Any]:
    return {"action": "append", "default": [], "metavar": metavar, "help": help_text}


def _switch(help_text: str) -> dict[str, Any]:
    return {"action": "store_true", "help": help_text}


def _one_of(
    choices: type[Shape] | type[Format] | type[Delimiter], help_text: str
) -> dict[str, Any]:
    return {"choices": list(choices), "default": str(next(iter(choices))), "help": help_text}


def _day(help_text: str) -> dict[str, Any]:
    return {"metavar": "YYYY-MM-DD", "help": help_text}


# By the names of the options.
ARGUMENTS = {
    "shape": _one_of(Shape, "what a row is"),
    "format": _one_of(Format, "how it is written"),
    "batches": _several("NAME", "only of this batch (repeat it for more)"),
    "models": _several("NAME", "only of this model (repeat it for more)"),
    "annotators": _several("NAME", "only by this annotator (repeat it for more)"),
    "kinds": {
        **_several("KIND", "only of this kind (repeat it for more): %(choices)s"),
        "choices": Rating.Kind.values,
    },
    "since": _day("only what was submitted on this day (UTC) or later"),
    "until": _day("only what was submitted on this day (UTC) or earlier"),
    "revisions": _switch("what was corrected since, too"),
    "texts": _switch("the texts of items and responses, too"),
    "pseudonyms": _switch("rater-1 and so on in place of user names"),
    "bom": _switch("CSV: begin with a byte order mark, for Excel"),
    "delimiter": _one_of(Delimiter, "CSV: what is between two cells"),
    "defused": _switch("CSV: an apostrophe before cells that a spreadsheet would run as a formula"),
}
