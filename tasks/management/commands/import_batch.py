"""Load a file of items, in any format that is read, into a project as a new batch.

It loads the whole file or nothing of it. With --take-good it loads the items that have only good
rows, and writes what is wrong with the others to a file.
"""

import json
import re
import shutil
from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone, translation

from rubrics.models import Rubric
from tasks.importing.batches.loading import BadLines, Load, load_batch
from tasks.importing.columns.mapping_yaml import read_mapping
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import propose
from tasks.importing.columns.table_cells import file_rows, open_file
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.readers import WINDOWS
from tasks.importing.files.rows import FileRefused, Gathered, LineError, Unreadable
from tasks.importing.uploading import FaultsFile
from tasks.models import Membership, Project
from tasks.models.loads import is_alone
from tasks.models.projects import MOST_WANTED, RESERVED_SLUGS
from tasks.overview.asked import not_asked

SLUG = re.compile(r"[A-Za-z0-9_-]{1,80}")
ERASE = "\r\x1b[K"  # the line of a terminal


class Command(BaseCommand):
    help = __doc__
    due = 0.0  # when the bar is drawn again; 0 if it was never drawn

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument(
            "file",
            type=Path,
            help="CSV, TSV, JSON or JSON lines, also by gzip; XLSX, Parquet or a log of Inspect",
        )
        parser.add_argument(
            "--batch", default="", metavar="NAME", help="the batch's name; else the file's"
        )
        parser.add_argument(
            "--part",
            default="",
            metavar="NAME",
            help="the sheet, or the list of a JSON document, to read",
        )
        parser.add_argument(
            "--warning",
            default="",
            metavar="TEXT",
            help="what is said before each item of it is shown",
        )
        parser.add_argument(
            "--take-good",
            action="store_true",
            help="load what is good, and write what is wrong with the rest to a file",
        )
        parser.add_argument(
            "--faults",
            type=Path,
            metavar="FILE",
            dest="faults_file",
            help="with --take-good: where to write it, as CSV; else into DATA/faults",
        )
        parser.add_argument(
            "--encoding",
            choices=[WINDOWS],
            default="",
            help="what the file is written in, where it is neither UTF-8 nor UTF-16",
        )
        parser.add_argument(
            "--guess",
            action="store_true",
            help="load nothing, and print as YAML what each column may be",
        )
        parser.add_argument(
            "--mapping", type=Path, metavar="FILE", help="what each column is, in YAML"
        )
        parser.add_argument(
            "--create", action="store_true", help="make the project where it is missing"
        )
        parser.add_argument(
            "--rubric", metavar="SLUG", help="with --create: the rubric, in its newest version"
        )
        parser.add_argument(
            "--wanted", type=int, metavar="N", help="with --create: ratings for each item (3)"
        )
        parser.add_argument(
            "--lead",
            metavar="NAME",
            help="with --create: who leads the project; else only admins see it",
        )
        parser.add_argument(
            "--json",
            action="store_true",
            dest="as_json",
            help="print the outcome as {batch, items, responses, bad_rows}",
        )

    # One language in the terminal, and in the list of faults that it leads to. @no_translations
    # would not group the digits of numbers.
    @translation.override("en")
    def handle(
        self,
        *,
        project: str,
        file: Path,
        batch: str,
        warning: str,
        take_good: bool,
        faults_file: Path | None,
        encoding: str,
        guess: bool,
        mapping: Path | None,
        part: str,
        create: bool,
        rubric: str | None,
        wanted: int | None,
        lead: str | None,
        as_json: bool,
        verbosity: int,
        **more: Any,
    ) -> None:
        if faults_file and not take_good:
            raise CommandError("--faults is of use with --take-good only.")
        now = timezone.now()
        reading = ReadingOptions(encoding=encoding, part=part)
        written: Path | None = None
        with TemporaryFile() as out:
            faults = FaultsFile(file=out)
            try:
                # One transaction, so that a refused file rolls back the project created for it.
                with file.open("rb") as opened, transaction.atomic():
                    if guess:
                        self.stdout.write(_guess(opened, file.name, reading), ending="")
                        return
                    into = _project(project, create, rubric, wanted, lead, now)
                    if not is_alone(into.pk):
                        self.stderr.write(
                            "Waiting: another file is being loaded into this project."
                        )
                    try:
                        loaded, told = self.load(
                            into,
                            opened,
                            more,
                            file_name=file.name,
                            batch_name=batch,
                            warning=warning,
                            reading=reading,
                            mapping=read_mapping(mapping.read_text("utf-8")) if mapping else None,
                            now=now,
                            report=faults.add,
                            take_good=take_good,
                            tick=lambda rows: self._draw(opened.tell(), file.stat().st_size, rows),
                        )
                    except BadLines:
                        if take_good:  # but no item is good
                            written = _write(out, faults_file or _unused_path(file))
                        raise
                    # Before the commit: if the faults cannot be written, nothing is loaded.
                    written = (
                        _write(out, faults_file or _unused_path(file)) if faults.number else None
                    )
            except KeyboardInterrupt:
                # The exit code is that of a shell for Ctrl-C.
                raise CommandError("Interrupted: nothing was loaded.", returncode=130) from None
            except OSError as error:
                raise CommandError(
                    f"{error.filename or file}: "
                    f"{error.strerror or 'a pipe cannot be read twice; write it to a file first'}."
                ) from error
            except UnicodeDecodeError as error:
                raise CommandError(f"{mapping}: it is not UTF-8; save it as UTF-8.") from error
            except FileRefused as error:
                if as_json:
                    self.stdout.write(
                        _outcome(None, error.count if isinstance(error, BadLines) else 0)
                    )
                raise CommandError(str(error)) from error
            finally:
                if self.due:
                    self.stderr.write(ERASE, str, ending="")
                self._say(faults, file.name, written)
        if as_json:
            self.stdout.write(_outcome(loaded, faults.number))
        elif verbosity:
            for sentence in told:
                self.stdout.write(sentence)
            if create and not into.memberships.exists():
                self.stdout.write(
                    f'Only admins see project "{project}", since nobody is in it; '
                    "they add a lead on its page “People”."
                )

    def load(
        self, into: Project, opened: BinaryIO, more: dict[str, Any], **options: Any
    ) -> tuple[Load | None, Sequence[str]]:
        """Load the file; return the batch, and what to say of it. Raises FileRefused."""
        loaded = load_batch(into, opened, **options)
        has_ratings = options["mapping"] and options["mapping"].repeats
        also = "Its ratings are left out; manage.py import_ratings takes them, too."
        told = [*loaded.told, *([also] if has_ratings else [])]
        return loaded, [said_of(loaded), *told, *not_asked(into, pk=loaded.batch.pk)]

    def _draw(self, read: int, size: int, rows: int) -> None:
        """Say on a terminal how much of a file is read, a few times a second at most."""
        if self.stderr.isatty() and monotonic() >= self.due:
            self.due = monotonic() + 0.3
            self.stderr.write(
                f"{ERASE}[{'#' * (24 * read // max(size, 1)):-<24}] "
                f"{read / 2**20:,.1f} of {size / 2**20:,.1f} MB, {rows:,} rows",
                str,  # and not in the colour of errors
                ending="",
            )

    def _say(self, faults: Gathered, name: str, written: Path | None) -> None:
        """Print the faults, kind by kind, and the path of the file that has all of them."""
        for kind in faults.kinds:
            for error in kind.samples:
                self.stderr.write(f"{name}, {error}", self.style.ERROR)
            if rest := kind.rest:
                self.stderr.write(f"{name}: {rest}", self.style.ERROR)
        if faults.others:
            self.stderr.write(f"{name}: {faults.rest}", self.style.ERROR)
        if written:
            rows, are = counted(faults.number, "bad row"), "is" if faults.number == 1 else "are"
            self.stderr.write(f"{name}: {rows} {are} left out, and listed in {written}.")
        elif faults.is_cut:
            self.stderr.write(
                f"{name}: not every row is named here; --take-good writes a list of all of them."
            )


def _guess(opened: BinaryIO, name: str, reading: ReadingOptions) -> str:
    """Return the likeliest mapping as YAML."""
    try:
        with open_file(opened, name, reading) as source:
            profile = Profile.of(file_rows(source))
            if not profile.sample.columns:
                raise CommandError(
                    next(
                        (
                            f"{name}, {each.content}."
                            for each in file_rows(source)
                            if isinstance(each.content, LineError)
                        ),
                        f"{name} holds no items; {source.hint}.",
                    )
                )
    except Unreadable as error:
        raise CommandError(f"{name} {error}") from error
    return propose(profile).as_yaml(profile)


def said_of(loaded: Load) -> str:
    """Return what a batch holds."""
    counts = f"{counted(loaded.items, 'item')}, {counted(loaded.responses, 'response')}"
    return f'Batch "{loaded.batch}": {counts}.'


def counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _unused_path(file: Path) -> Path:
    """Return an unused path for a list of what is wrong with a file, under DATA.

    The folder of the file itself may not be writable.
    """
    folder = Path(settings.DATA) / "faults"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{file.stem}-{timezone.now():%Y%m%d-%H%M%S-%f}.csv"


def _write(faults: BinaryIO, path: Path) -> Path:
    faults.seek(0)
    with path.open("wb") as file:
        shutil.copyfileobj(faults, file)
    return path.absolute()


def _outcome(loaded: Load | None, bad_rows: int) -> str:
    return json.dumps(
        {
            "batch": loaded.batch.name if loaded else None,
            "items": loaded.items if loaded else 0,
            "responses": loaded.responses if loaded else 0,
            "bad_rows": bad_rows,
        },
        ensure_ascii=False,
    )


def _project(
    slug: str,
    create: bool,
    rubric: str | None,
    wanted: int | None,
    lead: str | None,
    now: datetime,
) -> Project:
    """Return the project that the command line asks for."""
    if not create and (rubric, wanted, lead) != (None, None, None):
        raise CommandError("--rubric, --wanted and --lead are of use with --create only.")
    project = Project.objects.filter(slug=slug).select_related("rubric").first()
    if project is None and not create:
        raise CommandError(f'There is no project "{slug}"; --create --rubric SLUG makes it.')
    if project is None:
        return _new_project(slug, rubric, 3 if wanted is None else wanted, lead, now)
    leads = [
        *project.memberships.filter(role=Membership.Role.LEAD).values_list(
            "user__username", flat=True
        )
    ]
    if (
        rubric not in (None, project.rubric.slug)
        or wanted not in (None, project.wanted)
        or lead not in (None, *leads)
    ):
        raise CommandError(
            f'Project "{project.slug}" is there already, with rubric "{project.rubric.slug}", '
            f"{project.wanted} wanted and {', '.join(leads) or 'nobody'} as lead; "
            "leave out --create."
        )
    return project


def _new_project(
    slug: str, rubric_slug: str | None, wanted: int, lead: str | None, now: datetime
) -> Project:
    if not rubric_slug:
        raise CommandError(f"--create needs --rubric; there are: {_published()}.")
    if not SLUG.fullmatch(slug) or slug in RESERVED_SLUGS:
        raise CommandError(
            f'A project cannot be named "{slug}"; use letters, digits, - and _, 80 at most.'
        )
    if not 1 <= wanted <= MOST_WANTED:
        raise CommandError(f"--wanted is {wanted}; it goes from 1 to {MOST_WANTED:,}.")
    rubric = Rubric.objects.newest_of_each().filter(slug=rubric_slug).first()
    if rubric is None:
        raise CommandError(f'There is no rubric "{rubric_slug}"; there are: {_published()}.')
    by = get_user_model().objects.filter(username=lead).first()
    if by is None and lead is not None:
        raise CommandError(f'There is no account named "{lead}"; an admin makes one.')
    return Project.objects.start(
        slug=slug, title=slug, rubric=rubric, wanted=wanted, by=by, now=now
    )


def _published() -> str:
    return (
        ", ".join(Rubric.objects.newest_of_each().values_list("slug", flat=True))
        or "none; manage.py load_rubric FILE loads one"
    )
