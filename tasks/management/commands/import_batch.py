"""Load a file of items, of ratings, or of both into a project.

Items may be in one file and their responses or ratings in another: name both.
It loads the whole file or nothing of it. With --take-good it loads what is good, and writes what is
wrong with the rest to a file. It stops with status 2 if it is not sure what the columns are.
"""

import json
import shutil
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from io import SEEK_END
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import Any, BinaryIO

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone, translation

from tasks.importing.batches.loading import BadLines, FileToLoad, Load
from tasks.importing.columns.mapping import Mapping
from tasks.importing.columns.mapping_yaml import read_mapping
from tasks.importing.columns.opening import open_file
from tasks.importing.columns.uses import Use
from tasks.importing.files.encodings import ENCODINGS
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.packing import NamedFile, archive_name, as_one_file
from tasks.importing.files.rows import ErrorsByKind, FileRefused
from tasks.importing.ratings.file_dimensions import with_all_scales
from tasks.importing.ratings.rating_loading import ImportResult, load_file
from tasks.importing.uploading import FaultsFile
from tasks.management.columns import UNSURE, FileColumns, as_yaml, choose, column_use, part_and_key
from tasks.management.projects import find_project
from tasks.models import Project
from tasks.models.loads import is_alone
from tasks.overview.partial_dimensions import partly_applied

ERASE = "\r\x1b[K"  # the line of a terminal
# The options with a text, and what it is.
TEXTS = {
    "batch": ("NAME", "the batch's name; else the file's"),
    "warning": ("TEXT", "what is said before each item of it is shown"),
    "part": ("NAME", "the sheet, or the list of a JSON document, to read"),
}
FLAGS = {
    "take_good": "load what is good, and write what is wrong with the rest to a file",
    "yes": "take what is likely of the columns; what is open needs --use or --mapping",
    "guess": "load nothing, and print as YAML what each column may be",
    "take_breaks": "take scores that break a rule of the rubric, with the rule's name",
    "make_rubric": "rate by a rubric that is made from the columns: dimensions and their scales",
    "create": "make the project where it is missing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The options of the command, by the names of its arguments."""

    project: str
    batch: str
    warning: str
    part: str
    take_good: bool
    yes: bool
    guess: bool
    take_breaks: bool
    make_rubric: bool
    create: bool
    faults_file: Path | None
    encoding: str
    delimiter: str
    join: tuple[str, str]
    header: int | None
    use: list[tuple[str, Use]]
    mapping: Path | None
    rubric: str | None
    wanted: int | None
    lead: str | None
    as_json: bool
    verbosity: int

    @property
    def reading(self) -> ReadingOptions:
        """How the file is read."""
        join, key = self.join
        return ReadingOptions.model_validate(
            {
                "encoding": self.encoding,
                "part": self.part,
                "join": join,
                "key": key,
                "delimiter": self.delimiter,
                "header": self.header,
            }
        )


def _add_loading(parser: ArgumentParser) -> None:
    """Add the options that say what is loaded, and where."""
    parser.add_argument("project", help="the project's short name, as in its address")
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="FILE",
        type=Path,
        help="CSV, TSV, JSON or JSON lines, also by gzip; XLSX, Parquet or a log of Inspect; "
        "several are read like an archive of them",
    )
    for name, (value, words) in TEXTS.items():
        parser.add_argument(f"--{name}", default="", metavar=value, help=words)
    for name, words in FLAGS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=words)
    parser.add_argument(
        "--faults",
        type=Path,
        metavar="FILE",
        dest="faults_file",
        help="with --take-good: where to write it, as CSV; else into DATA/faults",
    )


def _add_reading(parser: ArgumentParser) -> None:
    """Add the options that say how a file is written."""
    parser.add_argument(
        "--encoding",
        choices=[*ENCODINGS],
        default="",
        help="what the file is written in, where its bytes do not prove it",
    )
    parser.add_argument(
        "--delimiter", choices=[",", ";", "\t", "|"], default="", help="between two cells"
    )
    parser.add_argument(
        "--join",
        type=part_and_key,
        default=("", ""),
        metavar="PART=KEY",
        help="another part, whose columns the rows get, and the columns that name them in both",
    )
    parser.add_argument(
        "--header", type=int, metavar="LINE", help="the line with the names of columns, or 0"
    )


def _add_columns(parser: ArgumentParser) -> None:
    """Add the options that say what the columns are."""
    parser.add_argument(
        "--use",
        action="append",
        default=[],
        type=column_use,
        metavar="COLUMN=USE",
        help="what a column is; --guess prints the uses",
    )
    parser.add_argument("--mapping", type=Path, metavar="FILE", help="what each column is, in YAML")


def _add_creating(parser: ArgumentParser) -> None:
    """Add the options of a project that the command makes."""
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


class Command(BaseCommand):
    help = __doc__
    due = 0.0  # when the bar is drawn again; 0 if it was never drawn

    def add_arguments(self, parser: ArgumentParser) -> None:
        _add_loading(parser)
        _add_reading(parser)
        _add_columns(parser)
        _add_creating(parser)
        parser.add_argument(
            "--json",
            action="store_true",
            dest="as_json",
            help="print the outcome as {batch, items, responses, bad_rows}",
        )

    # One language in the terminal, and in the list of faults that it leads to. @no_translations
    # would not group the digits of numbers.
    @translation.override("en")
    def handle(self, *, paths: list[Path], **arguments: Any) -> None:
        names_of_options = [field.name for field in fields(ImportOptions)]
        options = ImportOptions(**{name: arguments[name] for name in names_of_options})
        if options.faults_file and not options.take_good:
            raise CommandError("--faults is of use with --take-good only.")
        names = [path.name for path in paths]
        name = names[0] if len(names) == 1 else archive_name(names)
        with TemporaryFile() as out:
            faults = FaultsFile(file=out)
            path = None  # of the list of faults
            try:
                # One transaction, so that a refused file rolls back the project created for it.
                with _content_of(paths) as content, transaction.atomic():
                    if options.guess:
                        self.stdout.write(as_yaml(content, name, options.reading), ending="")
                        return
                    load, sentences = self._load(content, name, faults, options)
                    # Before the commit: if the faults cannot be written, nothing is loaded.
                    path = _write(faults, name, options)
            except FileRefused as error:
                bad_rows = 0
                if isinstance(error, BadLines):
                    bad_rows = error.count
                    path = _write(faults, name, options)
                self._print_outcome(options, None, bad_rows)
                raise CommandError(str(error)) from error
            except CommandError as error:
                if error.returncode == UNSURE:
                    self._print_outcome(options, None, 0)
                raise
            except KeyboardInterrupt:
                # The exit code is that of a shell for Ctrl-C.
                raise CommandError("Interrupted: nothing was loaded.", returncode=130) from None
            except OSError as error:
                fault = error.strerror or "a pipe cannot be read twice; write it to a file first"
                where = error.filename or ", ".join(map(str, paths))
                raise CommandError(f"{where}: {fault}.") from error
            except UnicodeDecodeError as error:
                fault = f"{options.mapping}: it is not UTF-8; save it as UTF-8."
                raise CommandError(fault) from error
            finally:
                if self.due:
                    self.stderr.write(ERASE, str, ending="")
                self._list_faults(faults, name, path)
        self._print_outcome(options, load, faults.number)
        if options.verbosity and not options.as_json:
            self.stdout.write("\n".join(sentences))

    def _load(
        self, stream: BinaryIO, name: str, faults_file: FaultsFile, import_options: ImportOptions
    ) -> tuple[Load | None, list[str]]:
        """Load the file. Return its batch, if it has one, and what to say."""
        now = timezone.now()
        project = find_project(
            import_options.project,
            now=now,
            create=import_options.create,
            rubric=import_options.rubric,
            wanted=import_options.wanted,
            lead=import_options.lead,
        )
        mapping, sentences = _columns(stream, name, import_options)
        if not is_alone(project.pk):
            self.stderr.write("Waiting: another file is being loaded into this project.")
        size = stream.seek(0, SEEK_END)
        order = FileToLoad(
            project,
            stream,
            name,
            now,
            faults_file.add,
            mapping,
            reading=import_options.reading,
            batch_name=import_options.batch,
            warning=import_options.warning,
            take_good=import_options.take_good,
            takes_breaks=import_options.take_breaks,
            makes_rubric=import_options.make_rubric,
            tick=lambda rows: self._draw(stream.tell(), size, rows),
        )
        result = load_file(order)
        sentences += _outcome(project, result)
        if import_options.create and not project.memberships.exists():
            sentences.append(
                f'Only admins see project "{project.slug}", since nobody is in it; '
                "they add a lead on its page “People”."
            )
        return result.item_load, sentences

    def _print_outcome(
        self, import_options: ImportOptions, load: Load | None, bad_rows: int
    ) -> None:
        """Print what came in, if it is to be JSON."""
        if not import_options.as_json:
            return
        counts = {
            "batch": load.batch.name if load else None,
            "items": load.items if load else 0,
            "responses": load.responses if load else 0,
            "bad_rows": bad_rows,
        }
        self.stdout.write(json.dumps(counts, ensure_ascii=False))

    def _draw(self, position: int, size: int, rows: int) -> None:
        """Say on a terminal how much of a file is read, a few times a second at most."""
        if self.stderr.isatty() and monotonic() >= self.due:
            self.due = monotonic() + 0.3
            parts = 24 * position // max(size, 1)
            bar = "#" * parts
            read = position / 2**20
            total = size / 2**20
            line = f"{ERASE}[{bar:-<24}] {read:,.1f} of {total:,.1f} MB, {rows:,} rows"
            self.stderr.write(line, str, ending="")  # and not in the colour of errors

    def _list_faults(self, errors_by_kind: ErrorsByKind, name: str, path: Path | None) -> None:
        """Print the faults, kind by kind, and the path of the file that has all of them."""
        for kind in errors_by_kind.kinds:
            for error in kind.samples:
                self.stderr.write(f"{name}, {error}", self.style.ERROR)
            if kind.rest:
                self.stderr.write(f"{name}: {kind.rest}", self.style.ERROR)
        if errors_by_kind.others:
            self.stderr.write(f"{name}: {errors_by_kind.rest}", self.style.ERROR)
        if path:
            rows = _number(errors_by_kind.number, "bad row")
            are = "is" if errors_by_kind.number == 1 else "are"
            self.stderr.write(f"{name}: {rows} {are} left out, and listed in {path}.")
        elif errors_by_kind.is_cut:
            self.stderr.write(
                f"{name}: not every row is named here; --take-good writes a list of all of them."
            )


@contextmanager
def _content_of(paths: Sequence[Path]) -> Iterator[BinaryIO]:
    """Yield a file, or an archive of several. Raises FileRefused."""
    with ExitStack() as stack:
        files = [NamedFile(path.name, stack.enter_context(path.open("rb"))) for path in paths]
        yield stack.enter_context(as_one_file(files)).file


def _columns(
    stream: BinaryIO, name: str, import_options: ImportOptions
) -> tuple[Mapping | None, list[str]]:
    """Return what the columns are, None for our own shape, and what to say of it."""
    reading = import_options.reading
    uses = dict(import_options.use)
    if import_options.mapping:
        text = import_options.mapping.read_text("utf-8")
        columns = FileColumns(read_mapping(text).with_uses(uses))
    else:
        columns = choose(stream, name, reading, uses, yes=import_options.yes)
    mapping = columns.mapping
    if mapping and import_options.make_rubric:
        mapping, _scales = with_all_scales(mapping, open_file(stream, name, reading))
    return mapping, list(columns.sentences)


def _outcome(project: Project, result: ImportResult) -> Iterator[str]:
    """Yield sentences about what came in."""
    load, ratings = result
    if load:
        items = _number(load.items, "item")
        responses = _number(load.responses, "response")
        yield f'Batch "{load.batch}": {items}, {responses}.'
        yield from load.sentences
        yield from partly_applied(project, pk=load.batch.pk)
    if ratings:
        people = len(ratings.raters)
        origin = f"by {_number(people, 'person')}"
        if ratings.slots:
            origin = f"in {_number(people, 'slot')}"
        number = _number(ratings.ratings, "rating")
        scores = _number(ratings.scores, "score")
        yield f"{number} {origin}, {scores}."
        yield from ratings.sentences


def _number(count: int, noun: str) -> str:
    ending = "" if count == 1 else "s"
    return f"{count:,} {noun}{ending}"


def _write(faults_file: FaultsFile, name: str, import_options: ImportOptions) -> Path | None:
    """Write the faults to a file of their own, and return its path, if rows may be left out."""
    if not (faults_file.number and import_options.take_good):
        return None
    path: Path = import_options.faults_file or _unused_path(name)
    faults_file.file.seek(0)
    with path.open("wb") as copy:
        shutil.copyfileobj(faults_file.file, copy)
    return path.absolute()


def _unused_path(name: str) -> Path:
    """Return an unused path for a list of what is wrong with a file, under DATA.

    The folder of the file itself may not be writable.
    """
    folder = Path(settings.DATA) / "faults"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{Path(name).stem}-{timezone.now():%Y%m%d-%H%M%S-%f}.csv"
