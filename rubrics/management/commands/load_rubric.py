"""Store a document as the next version of its rubric.

Usage: manage.py load_rubric FILE

The command also prints rules without an effect, scores that no answers reach, and what its author
should look at once more (`rubrics.looks`). None of it keeps a rubric from being stored.

A document equal to the newest published version changes nothing. Published versions never change,
because ratings refer to their text.
"""

import re
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone, translation

from rubrics import schema
from rubrics.document import read
from rubrics.looks import looks
from rubrics.models import Rubric
from rubrics.proof import findings
from rubrics.yaml_lines import DocumentError

_NAMES = re.compile(r'"[^"]*"|\([^)]*\)|\d+| and |, ')


class Command(BaseCommand):
    help = "Store a rubric's document as the next version, and publish it."

    def add_arguments(self, parser: ArgumentParser) -> None:
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


@translation.override("en")  # one language in the terminal
def read_file(file: Path) -> schema.Rubric:
    """Return the rubric of a document. Raises CommandError with all its faults."""
    try:
        return read(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file}: {error}") from error
    except DocumentError as error:
        raise CommandError("\n".join(f"{file}: {fault}" for fault in error.faults)) from error


@translation.override("en")
def remarks_on(rubric: schema.Rubric) -> list[str]:
    """Return what an author should know of a rubric that can be loaded."""
    remarks = [found.text for found in (*findings(rubric), *looks(rubric))]
    for dimension in rubric.dimensions:
        for check in dimension.lettered:
            if not check.key and check.kind is not schema.Kind.DETECTED:
                remarks.append(f"{dimension.code}.{check.code}: has no letter, none is free.")
    return list(_one_of_each_kind(remarks))


def _one_of_each_kind(remarks: Iterable[str]) -> Iterator[str]:
    """Yield the first remark of each kind, and how many more there are.

    Remarks are of one kind if they differ only in their place and in the names and scores in them.
    """
    kinds: dict[str, list[str]] = defaultdict(list)
    for remark in remarks:
        kind = _NAMES.sub("", remark.partition(": ")[2])
        kinds[kind].append(remark)
    for first, *others in kinds.values():
        yield f"{first} ({len(others)} more like this)" if others else first
