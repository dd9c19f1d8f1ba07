"""Load a file of ratings that were made elsewhere, with their items if the file has them.

It takes a spreadsheet with a column for each rater, a row for each rating, the exports of other
tools, and our own export. It loads the whole file or nothing of it; with --take-good all ratings
that are good.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from functools import partial
from typing import Any, BinaryIO

from tasks.importing.batches.loading import Load, UploadRefused
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import propose
from tasks.importing.columns.table_cells import file_rows, open_file
from tasks.importing.ratings.rating_loading import load_ratings, with_all_scales
from tasks.models import Project

from . import import_batch
from .import_batch import counted, said_of


class Command(import_batch.Command):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--take-breaks",
            action="store_true",
            help="take scores that break a rule of the rubric, with the rule's name",
        )
        parser.add_argument(
            "--make-rubric",
            action="store_true",
            help="rate by a rubric that is made from the columns: dimensions and their scales",
        )

    def load(
        self, into: Project, opened: BinaryIO, more: dict[str, Any], **options: Any
    ) -> tuple[Load | None, Sequence[str]]:
        """Load the file; return its batch if it has one, and what to say. Raises FileRefused."""
        file = partial(open_file, opened, options["file_name"], options["reading"])
        if options["mapping"] is None:
            with file() as source:
                found = propose(Profile.of(file_rows(source)))
            if not found.mapping.repeats or found.open:
                raise UploadRefused(
                    "%(file)s: it is unclear what its columns are. manage.py import_ratings "
                    "--guess prints what each may be, for --mapping.",
                    file=options["file_name"],
                )
            options["mapping"] = found.mapping
        if more["make_rubric"]:
            options["mapping"], _found = with_all_scales(options["mapping"], file())
        load, ratings = load_ratings(
            into,
            opened,
            takes_breaks=more["take_breaks"],
            makes_rubric=more["make_rubric"],
            **options,
        )
        said = (
            f"{counted(ratings.ratings, 'rating')} by {counted(len(ratings.raters), 'person')}, "
            f"{counted(ratings.scores, 'score')}."
        )
        return load, [*([said_of(load)] if load else []), said, *ratings.told]
