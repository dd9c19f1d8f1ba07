"""Write what came out of a project to a file, with every text exactly as it is.

Beside FILE it writes FILE.columns.csv, which says what the columns mean, and FILE.manifest.json,
from which --again makes the same export.
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypedDict

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tasks.exporting.export import Export
from tasks.exporting.filters import Refused
from tasks.exporting.forms import export_of
from tasks.exporting.options import (
    DEFAULT,
    FLAGS,
    Delimiter,
    Format,
    Options,
    Shape,
    options_from,
    read_manifest,
)
from tasks.models import Project, Rating
from tasks.models.ratings import CAME_AT


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "project", nargs="?", default="", help="the project's short name, as in its address"
        )
        parser.add_argument(
            "-o", "--output", type=Path, metavar="FILE", help="where to; else standard output"
        )
        parser.add_argument(
            "--again",
            type=Path,
            metavar="MANIFEST",
            help="make the export of this manifest again, instead of one of a PROJECT",
        )
        _add_options(parser)

    def handle(
        self, *, project: str, output: Path | None, again: Path | None, **arguments: Any
    ) -> None:
        options = _options(arguments)
        try:
            if again:
                self._make_again(again, project, options, output)
            elif project:
                _export(project, options, output)
            else:
                raise CommandError("Name a PROJECT, or with --again a manifest.")
        except Refused as error:
            raise CommandError(f"{FLAGS[error.option]}: {error}") from error
        except OSError as error:
            name = error.filename or output or "standard output"
            raise CommandError(f"{name}: {error.strerror}.") from error

    def _make_again(
        self, manifest: Path, project: str, options: Options, output: Path | None
    ) -> None:
        if project or options != DEFAULT or output is None:
            raise CommandError("--again takes a manifest and, with -o, a FILE, but nothing else.")
        try:
            before = read_manifest(manifest.read_bytes())
            parser = CommandParser(allow_abbrev=False)
            _add_options(parser)
            values = parser.parse_args(before.arguments)
            options = _options(vars(values))
        except (ValueError, CommandError) as error:
            raise CommandError(f"{manifest}: {error}") from error
        made = _export(before.project, options, output)
        if made.sha256 == before.sha256:
            self.stdout.write("The file is the same.")
            return
        since = before.taken_at
        ratings = made.project.ratings.alias(came=CAME_AT).filter(came__gt=since).count()
        answers = made.project.corpus_answers.filter(answered_at__gt=since).count()
        self.stdout.write(
            f"The file differs, by its SHA-256. Since {since:%Y-%m-%d %H:%M:%S %Z},"
            f" {ratings} ratings and {answers} corpus answers came."
        )
        if not ratings + answers:
            self.stdout.write(
                "So an item was dropped or taken back, a name or a warning changed, or the program"
                " itself."
            )


def _export(slug: str, options: Options, output: Path | None) -> Export:
    """Write an export and, if it goes to a file, what is beside it. Return it."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f'There is no project "{slug}".')
    export = export_of(project, options, now=timezone.now())
    if output is None:
        # Write bytes, so that no platform converts line ends or encoding.
        sys.stdout.buffer.writelines(export)
        sys.stdout.buffer.flush()
        return export
    blocks = iter(export)
    first = next(blocks)  # raises Refused, if it does, before there is a file
    with output.open("wb") as file:
        file.write(first)
        file.writelines(blocks)
    if output.is_file():  # not a pipe or a device
        for name, content in export.companion_files(output.name).items():
            output.with_name(name).write_bytes(content)
    return export


def _add_options(parser: ArgumentParser) -> None:
    for name, settings in ARGUMENTS.items():
        parser.add_argument(FLAGS[name], dest=name, **settings)


def _options(arguments: Mapping[str, Any]) -> Options:
    """Return the options that were parsed, each of the type of its default."""
    return options_from({name: arguments[name] for name in ARGUMENTS})


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no day such as 2026-03-02") from None


class ArgumentSettings(TypedDict, total=False):
    """The settings of an argument, by their names in argparse."""

    action: str
    choices: Sequence[str]
    default: str | list[str]
    help: str
    metavar: str
    type: Callable[[str], date]


def _several(metavar: str, help_text: str) -> ArgumentSettings:
    return {"action": "append", "default": [], "metavar": metavar, "help": help_text}


def _one_of(
    choice_class: type[Shape] | type[Format] | type[Delimiter], help_text: str
) -> ArgumentSettings:
    return {
        "choices": list(map(str, choice_class)),
        "default": str(next(iter(choice_class))),
        "help": help_text,
    }


# By the names of the options.
ARGUMENTS: Mapping[str, ArgumentSettings] = {
    "shape": _one_of(Shape, "what a row is"),
    "format": _one_of(Format, "how it is written"),
    "batches": _several("NAME", "only of this batch (repeat it for more)"),
    "models": _several("NAME", "only of this model (repeat it for more)"),
    "annotators": _several("NAME", "only by this annotator (repeat it for more)"),
    "kinds": {
        **_several("KIND", "only of this kind (repeat it for more): %(choices)s"),
        "choices": Rating.Kind.values,
    },
    "items": {
        "metavar": "QUERY",
        "default": "",
        "help": "only items that the list of items shows at this address: what follows its “?”",
    },
    "since": {
        "type": _day,
        "metavar": "YYYY-MM-DD",
        "help": "only what was submitted on this day (UTC) or later",
    },
    "until": {
        "type": _day,
        "metavar": "YYYY-MM-DD",
        "help": "only what was submitted on this day (UTC) or earlier",
    },
    "dropped": {"action": "store_true", "help": "dropped items too, with a column that says so"},
    "revisions": {"action": "store_true", "help": "what was corrected since, too"},
    "texts": {"action": "store_true", "help": "the texts of items and responses, too"},
    "pseudonyms": {"action": "store_true", "help": "rater-1 and so on in place of user names"},
    "open_median": {
        "action": "store_true",
        "help": "of items: the median as the final score where scores differ",
    },
    "delimiter": _one_of(Delimiter, "CSV: what is between two cells"),
}
