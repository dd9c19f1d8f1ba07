"""Write what came out of a project to a file, with every text exactly as it is.

Beside FILE it writes FILE.columns.csv, which says what the columns mean, and FILE.manifest.json,
from which --again makes the same export.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from tasks.exporting.export import Export
from tasks.exporting.filters import Refused
from tasks.exporting.forms import export_of, options_in
from tasks.exporting.manifest import read_manifest
from tasks.models import Project
from tasks.models.ratings import CAME_AT


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "project", nargs="?", default="", help="the project's short name, as in its address"
        )
        parser.add_argument(
            "query",
            nargs="?",
            default="",
            help="options, as the address of the page Export has them after its “?”:"
            " 'shape=items&batches=one&batches=two&texts=on'; docs/export.md lists them",
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

    def handle(
        self, *, project: str, query: str, output: Path | None, again: Path | None, **_: Any
    ) -> None:
        try:
            if again:
                self._make_again(again, project, output)
            elif project:
                _export(project, query, output)
            else:
                raise CommandError("Name a PROJECT, or with --again a manifest.")
        except Refused as error:
            source = f"{again}: " if again else ""
            raise CommandError(f"{source}{error.option}: {error}") from error
        except OSError as error:
            name = error.filename or output or "standard output"
            raise CommandError(f"{name}: {error.strerror}.") from error

    def _make_again(self, manifest: Path, project: str, output: Path | None) -> None:
        if project or output is None:
            raise CommandError("--again takes a manifest and, with -o, a FILE, but nothing else.")
        try:
            before = read_manifest(manifest.read_bytes())
        except ValueError as error:
            raise CommandError(f"{manifest}: {error}") from error
        made = _export(before.project, before.query, output)
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


def _export(slug: str, query: str, output: Path | None) -> Export:
    """Write an export and, if it goes to a file, what is beside it. Return it."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f'There is no project "{slug}".')
    export = export_of(project, options_in(project, query), now=timezone.now())
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
