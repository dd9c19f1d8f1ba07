"""The CSV of ratings, read back."""

from __future__ import annotations

import csv
import io
from typing import Any

from tasks.exporting.ratings import ratings_csv
from tasks.models import Project


def text_of(project: Project, **options: Any) -> str:
    return b"".join(ratings_csv(project, **options)).decode()


def rows_of(project: Project, **options: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(project, **options), newline="")))
