"""Store a document as the next version of its rubric.

Usage: manage.py rubric load FILE

The command also prints rules without an effect, scores that no answers reach, and what its author
should look at once more (`rubrics.documents.advice`). None of it keeps a rubric from being stored.

A document equal to the newest published version changes nothing. Published versions never change,
because ratings refer to their text.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from rubrics.documents.advice import advice
from rubrics.documents.proof import findings
from rubrics.judging import schema
from rubrics.judging.kinds import Kind
from rubrics.models import Rubric

from .files import read_file

_NAMES = re.compile(r'"[^"]*"|\([^)]*\)|\d+| and |, ')


class LoadDocument(BaseCommand):
    help = "Store a rubric's document as the next version, and publish it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the rubric as a YAML document")

    def handle(self, *args: object, file: Path, **options: Any) -> None:
        rubric = read_file(file)
        version, is_new = Rubric.objects.load(rubric, now=timezone.now())
        name = f"{version.slug}, version {version.version}"
        if not is_new:
            self.stdout.write(f"{name} says the same already; nothing changed.")
        else:
            self.stdout.write(f"{name} is published.")
        for remark in remarks_on(rubric):
            self.stdout.write(remark)


def remarks_on(rubric: schema.Rubric) -> list[str]:
    """Return what an author should know of a rubric that can be loaded."""
    remarks = [finding.text for finding in (*findings(rubric), *advice(rubric))]
    for dimension in rubric.dimensions:
        for check in dimension.lettered_checks:
            if not check.key and check.kind is not Kind.DETECTED:
                remarks.append(f"{dimension.code}.{check.code}: has no letter, none is free.")
    return list(_first_by_kind(remarks))


def _first_by_kind(remark_texts: Iterable[str]) -> Iterator[str]:
    """Yield the first remark of each kind, and how many more there are.

    Remarks are of one kind if they differ only in their place and in the names and scores in them.
    """
    kinds: dict[str, list[str]] = defaultdict(list)
    for remark in remark_texts:
        kind = _NAMES.sub("", remark.partition(": ")[2])
        kinds[kind].append(remark)
    for first, *others in kinds.values():
        yield f"{first} ({len(others)} more like this)" if others else first
