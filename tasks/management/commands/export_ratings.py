"""Write a project's ratings as CSV, a row for each score, with every text exactly as it is."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from tasks.exporting.ratings import ratings_csv
from tasks.models import Project


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument(
            "-o", "--output", type=Path, metavar="FILE", help="where to; else standard output"
        )
        parser.add_argument(
            "--revisions", action="store_true", help="what was corrected since, too"
        )

    def handle(self, *, project: str, output: Path | None, revisions: bool, **_: object) -> None:
        try:
            blocks = ratings_csv(Project.objects.get(slug=project), all_revisions=revisions)
        except Project.DoesNotExist as error:
            raise CommandError(f'There is no project "{project}".') from error
        try:
            if output is None:
                # Write bytes, so that no platform converts line ends or encoding.
                sys.stdout.buffer.writelines(blocks)
                sys.stdout.buffer.flush()
                return
            with output.open("wb") as file:
                file.writelines(blocks)
        except OSError as error:
            raise CommandError(f"{output or 'standard output'}: {error.strerror}.") from error
