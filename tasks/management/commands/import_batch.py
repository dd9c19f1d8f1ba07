"""Load a file of items, of ratings, or of both into a project.

It loads the whole file or nothing of it. With --take-good it loads what is good, and writes what is
wrong with the rest to a file. It stops with status 2 if it is not sure what the columns are.
"""

import json
import shutil
from argparse import ArgumentParser
from collections.abc import Iterator
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
from tasks.importing.files.encodings import ENCODINGS
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.rows import ErrorsByKind, FileRefused
from tasks.importing.ratings.rating_loading import ImportResult, load_file, with_all_scales
from tasks.importing.uploading import FaultsFile
from tasks.management.columns import (
    UNSURE,
    FileColumns,
    as_yaml,
    choose,
    column_use,
    part_and_key,
)
from tasks.management.projects import find_project
from tasks.models import Project
from tasks.models.loads import is_alone
from tasks.overview.asked import not_asked

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


class Command(BaseCommand):
    help = __doc__
    due = 0.0  # when the bar is drawn again; 0 if it was never drawn

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("project", help="the project's short name, as in its address")
        add(
            "file",
            type=Path,
            help="CSV, TSV, JSON or JSON lines, also by gzip; XLSX, Parquet or a log of Inspect",
        )
        for name, (value, words) in TEXTS.items():
            add(f"--{name}", default="", metavar=value, help=words)
        for name, words in FLAGS.items():
            add(f"--{name.replace('_', '-')}", action="store_true", help=words)
        add(
            "--faults",
            type=Path,
            metavar="FILE",
            dest="faults_file",
            help="with --take-good: where to write it, as CSV; else into DATA/faults",
        )
        add(
            "--encoding",
            choices=[*ENCODINGS],
            default="",
            help="what the file is written in, where its bytes do not prove it",
        )
        add("--delimiter", choices=[",", ";", "\t", "|"], default="", help="between two cells")
        add(
            "--join",
            type=part_and_key,
            default=("", ""),
            metavar="PART=KEY",
            help="another part, whose columns the rows get, and the columns that name them in both",
        )
        add("--header", type=int, metavar="LINE", help="the line with the names of columns, or 0")
        add(
            "--use",
            action="append",
            default=[],
            type=column_use,
            metavar="COLUMN=USE",
            help="what a column is; --guess prints the uses",
        )
        add("--mapping", type=Path, metavar="FILE", help="what each column is, in YAML")
        add("--rubric", metavar="SLUG", help="with --create: the rubric, in its newest version")
        add("--wanted", type=int, metavar="N", help="with --create: ratings for each item (3)")
        add(
            "--lead",
            metavar="NAME",
            help="with --create: who leads the project; else only admins see it",
        )
        add(
            "--json",
            action="store_true",
            dest="as_json",
            help="print the outcome as {batch, items, responses, bad_rows}",
        )

    # One language in the terminal, and in the list of faults that it leads to. @no_translations
    # would not group the digits of numbers.
    @translation.override("en")
    def handle(self, *, file: Path, **options: Any) -> None:
        if options["faults_file"] and not options["take_good"]:
            raise CommandError("--faults is of use with --take-good only.")
        with TemporaryFile() as out:
            faults = FaultsFile(file=out)
            path = None  # of the list of faults
            try:
                # One transaction, so that a refused file rolls back the project created for it.
                with file.open("rb") as content, transaction.atomic():
                    if options["guess"]:
                        self.stdout.write(as_yaml(content, file.name, _reading(options)), ending="")
                        return
                    load, sentences = self._load(content, file, faults, options)
                    # Before the commit: if the faults cannot be written, nothing is loaded.
                    path = _write(faults, file, options)
            except FileRefused as error:
                bad_rows = 0
                if isinstance(error, BadLines):
                    bad_rows = error.count
                    path = _write(faults, file, options)
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
                raise CommandError(f"{error.filename or file}: {fault}.") from error
            except UnicodeDecodeError as error:
                fault = f"{options['mapping']}: it is not UTF-8; save it as UTF-8."
                raise CommandError(fault) from error
            finally:
                if self.due:
                    self.stderr.write(ERASE, str, ending="")
                self._list_faults(faults, file.name, path)
        self._print_outcome(options, load, faults.number)
        if options["verbosity"] and not options["as_json"]:
            self.stdout.write("\n".join(sentences))

    def _load(
        self, content: BinaryIO, file: Path, faults: FaultsFile, options: dict[str, Any]
    ) -> tuple[Load | None, list[str]]:
        """Load the file. Return its batch, if it has one, and what to say."""
        now = timezone.now()
        choices = {key: options[key] for key in ("create", "rubric", "wanted", "lead")}
        project = find_project(options["project"], now=now, **choices)
        mapping, sentences = _columns(content, file.name, options)
        if not is_alone(project.pk):
            self.stderr.write("Waiting: another file is being loaded into this project.")
        size = file.stat().st_size
        order = FileToLoad(
            project,
            content,
            file.name,
            now,
            faults.add,
            mapping,
            reading=_reading(options),
            batch_name=options["batch"],
            warning=options["warning"],
            take_good=options["take_good"],
            takes_breaks=options["take_breaks"],
            makes_rubric=options["make_rubric"],
            tick=lambda rows: self._draw(content.tell(), size, rows),
        )
        result = load_file(order)
        sentences += _outcome(project, result)
        if options["create"] and not project.memberships.exists():
            sentences.append(
                f'Only admins see project "{project.slug}", since nobody is in it; '
                "they add a lead on its page “People”."
            )
        return result.items, sentences

    def _print_outcome(self, options: dict[str, Any], load: Load | None, bad_rows: int) -> None:
        """Print what came in, if it is to be JSON."""
        if options["as_json"]:
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
            bar = "#" * (24 * position // max(size, 1))
            read, total = position / 2**20, size / 2**20
            line = f"{ERASE}[{bar:-<24}] {read:,.1f} of {total:,.1f} MB, {rows:,} rows"
            self.stderr.write(line, str, ending="")  # and not in the colour of errors

    def _list_faults(self, faults: ErrorsByKind, name: str, path: Path | None) -> None:
        """Print the faults, kind by kind, and the path of the file that has all of them."""
        for kind in faults.kinds:
            for error in kind.samples:
                self.stderr.write(f"{name}, {error}", self.style.ERROR)
            if rest := kind.rest:
                self.stderr.write(f"{name}: {rest}", self.style.ERROR)
        if faults.others:
            self.stderr.write(f"{name}: {faults.rest}", self.style.ERROR)
        if path:
            rows = _number(faults.number, "bad row")
            are = "is" if faults.number == 1 else "are"
            self.stderr.write(f"{name}: {rows} {are} left out, and listed in {path}.")
        elif faults.is_cut:
            self.stderr.write(
                f"{name}: not every row is named here; --take-good writes a list of all of them."
            )


def _reading(options: dict[str, Any]) -> ReadingOptions:
    join, key = options["join"]
    return ReadingOptions.model_validate({**options, "join": join, "key": key})


def _columns(
    content: BinaryIO, name: str, options: dict[str, Any]
) -> tuple[Mapping | None, list[str]]:
    """Return what the columns are, None for our own shape, and what to say of it."""
    reading, uses = _reading(options), dict(options["use"])
    if path := options["mapping"]:
        columns = FileColumns(read_mapping(path.read_text("utf-8")).with_uses(uses))
    else:
        columns = choose(content, name, reading, uses, yes=options["yes"])
    mapping = columns.mapping
    if mapping and options["make_rubric"]:
        mapping, _scales = with_all_scales(mapping, open_file(content, name, reading))
    return mapping, [*columns.sentences]


def _outcome(project: Project, result: ImportResult) -> Iterator[str]:
    """Yield sentences about what came in."""
    load, ratings = result
    if load:
        items, responses = _number(load.items, "item"), _number(load.responses, "response")
        yield f'Batch "{load.batch}": {items}, {responses}.'
        yield from load.sentences
        yield from not_asked(project, pk=load.batch.pk)
    if ratings:
        people = "by " + _number(len(ratings.raters), "person")
        if ratings.slots:
            people = "in " + _number(len(ratings.raters), "slot")
        scores = _number(ratings.scores, "score")
        yield f"{_number(ratings.ratings, 'rating')} {people}, {scores}."
        yield from ratings.sentences


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _write(faults: FaultsFile, file: Path, options: dict[str, Any]) -> Path | None:
    """Write the faults to a file of their own, and return its path, if rows may be left out."""
    if not (faults.number and options["take_good"]):
        return None
    path: Path = options["faults_file"] or _unused_path(file)
    faults.file.seek(0)
    with path.open("wb") as copy:
        shutil.copyfileobj(faults.file, copy)
    return path.absolute()


def _unused_path(file: Path) -> Path:
    """Return an unused path for a list of what is wrong with a file, under DATA.

    The folder of the file itself may not be writable.
    """
    folder = Path(settings.DATA) / "faults"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{file.stem}-{timezone.now():%Y%m%d-%H%M%S-%f}.csv"
