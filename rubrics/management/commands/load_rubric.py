"""Store a document as the next version of its rubric.

Usage: manage.py load_rubric FILE [--draft]

The command also prints rules without an effect and scores that no answers reach. They do not keep
a rubric from being stored.

A document equal to the newest published version changes nothing. Published versions never change,
because ratings refer to their text.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from rubrics.document import DocumentError, read
from rubrics.models import Rubric
from rubrics.proof import findings


class Command(BaseCommand):
    help = "Store a rubric's document as the next version, and publish it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the rubric as a YAML document")
        parser.add_argument("--draft", action="store_true", help="do not publish it")

    def handle(self, *args: object, file: Path, draft: bool, **options: Any) -> None:
        try:
            rubric = read(file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file}: {error}") from error
        except DocumentError as error:
            raise CommandError("\n".join(f"{file}: {fault}" for fault in error.faults)) from error
        for found in findings(rubric):
            self.stdout.write(f"{file}: {found.text}")
        version, is_new = Rubric.objects.load(rubric, now=timezone.now(), publish=not draft)
        name = f"{version.slug}, version {version.version}"
        if not is_new:
            self.stdout.write(f"{name} says the same already; nothing changed.")
        elif draft:
            self.stdout.write(f"{name} is stored as a draft.")
        else:
            self.stdout.write(f"{name} is published.")
