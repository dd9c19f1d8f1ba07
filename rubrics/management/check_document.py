"""Read a document, and print which scores its checks leave open. Nothing is stored.

Usage: manage.py rubric check FILE

The table is that of the rubric's page (`rubrics.judging.open_scores`): each answer alone, then each
pair that together leaves other scores open than each alone.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from rubrics.judging.dimension import Dimension
from rubrics.judging.open_scores import MOST_WORK, OpenRow, open_scores
from rubrics.pages.score_tables import NOT_WHOLE

from .files import read_file
from .load_document import remarks_on


class CheckDocument(BaseCommand):
    help = "Read a rubric's document, and print which scores its checks leave open."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the rubric as a YAML document")

    def handle(self, *args: object, file: Path, **options: Any) -> None:
        rubric = read_file(file)
        work = MOST_WORK // len(rubric.dimensions)
        for dimension in rubric.dimensions:
            table = open_scores(dimension, work)
            lines = list(_table(dimension, table.open_rows))
            width = max((len(answers) for answers, _scores in lines), default=0)
            self.stdout.write(f"{dimension.code}, {dimension.lowest} to {dimension.highest}")
            self.stdout.write("\n".join(f"  {names:{width}}  {scores}" for names, scores in lines))
            if not table.is_whole:
                self.stdout.write(f"  {NOT_WHOLE}")
        self.stdout.write("\n".join([*remarks_on(rubric), f"{rubric.slug} can be loaded."]))


def _table(dimension: Dimension, open_rows: Sequence[OpenRow]) -> Iterator[tuple[str, str]]:
    """Yield the answers of each row and the scores that they leave open."""
    for row in open_rows:
        answers = [_answer(dimension, code, answer) for code, answer in row.answers.items()]
        yield " + ".join(answers) or "nothing ticked", _in_words(row.verdict.open)


def _answer(dimension: Dimension, code: str, answer: str) -> str:
    """Return an answer as "honest=no", a tick by its code alone."""
    return f"{code}={answer}" if dimension.check(code).needs_answer else code


def _in_words(scores: Sequence[int]) -> str:
    """Return scores as "none", "1, 4" or "1 to 3"."""
    if len(scores) > 1 and scores[-1] - scores[0] == len(scores) - 1:
        return f"{scores[0]} to {scores[-1]}"
    return ", ".join(map(str, scores)) or "none"
