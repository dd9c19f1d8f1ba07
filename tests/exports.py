"""The CSV of ratings, read back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from tasks.exporting.forms import export_of
from tasks.exporting.options import Format, Options
from tasks.models import Project

from .factories import NOW


def text_of(project: Project, **options: Any) -> str:
    return b"".join(export_of(project, Options(**options), now=NOW)).decode()


def rows_of(project: Project, **options: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(project, **options), newline="")))


def objects_of(project: Project, **options: Any) -> list[dict[str, Any]]:
    text = text_of(project, format=Format.JSONL, **options)
    return [json.loads(line) for line in text.split("\n")[:-1]]


def zipped_scores(path: Path) -> list[dict[str, str]]:
    """The rows of the scores in a ZIP, as a browser got it."""
    with ZipFile(path) as archive:
        [name] = [each for each in archive.namelist() if each.endswith("-scores.csv")]
        text = archive.read(name).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))
