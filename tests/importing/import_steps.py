"""Files to load, and what loading them led to."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from arro3.io import infer_json_schema, read_json, write_parquet
from django.core.files.uploadedfile import UploadedFile
from django.db import connection
from django.forms import RadioSelect
from django.test import Client
from django.utils import timezone
from hypothesis import strategies as st
from openpyxl import Workbook

from tasks.importing import upload_worker
from tasks.importing.batches import loading
from tasks.importing.batches.loading import FileToLoad, Load, UploadRefused, load_batch
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.rows import LineError
from tasks.importing.forms import ChoicesForm
from tasks.importing.uploading import report_of
from tasks.models import Batch, Project, Upload

from ..factories import NOW

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "import"

# Everything that JSON and PostgreSQL can both hold.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))

ODDITIES = [
    "NA",
    "null",
    "None",
    "nan",
    "001",
    "=IF(1,2)",
    "-1",
    "\u200b",
    "\ufeff",
    "👩‍👩‍👧 e\u0301",
    "<script>alert(1)</script>",
    'say "a,b;c"\ttab',
    "trailing blanks  \n\n",
    "\r\n",
    "line\u2028line\x85line\x0cline",
    "\\N",
    "\\.",
    "\\",
    "'",
    '"',
    '""',
    ",",
    ";",
    "\r",
    "\n",
    " ",
    "",
]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def table(*cells: list[str], **form: Any) -> bytes:
    """Rows as CSV, as a program writes it."""
    file = io.StringIO(newline="")
    csv.writer(file, **form).writerows(cells)
    return file.getvalue().encode()


def lines(*contents: object) -> bytes:
    """Values as JSON lines."""
    return "".join(json.dumps(content) + "\n" for content in contents).encode()


def workbook(*rows: list[Any], **sheets: list[list[Any]]) -> bytes:
    """A workbook as openpyxl writes it: rows of its first sheet, and further sheets."""
    book = Workbook()
    book.active.title = "Items"
    for title, content in {"Items": list(rows), **sheets}.items():
        sheet = book[title] if title in book.sheetnames else book.create_sheet(title)
        for row in content:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(*rows: dict[str, Any]) -> bytes:
    """Rows as Parquet, with lists and objects where JSON has them."""
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    out = io.BytesIO()
    write_parquet(read_json(io.BytesIO(text), infer_json_schema(io.BytesIO(text))), out)
    return out.getvalue()


def archive(files: dict[str, bytes]) -> bytes:
    """A ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files.items():
            written.writestr(name, content)
    return out.getvalue()


def item(**fields: Any) -> dict[str, Any]:
    """An item as it may stand in a file; None takes a key out."""
    content = {"id": "a", "prompt": "Why?", "response": "Because."} | fields
    return {key: value for key, value in content.items() if value is not None}


class Outcome:
    """What loading a file led to."""

    def __init__(
        self,
        project: Project,
        file: bytes,
        name: str = "items.csv",
        take_good: bool = False,
        encoding: str = "",
        part: str = "",
        **options: Any,
    ) -> None:
        self.errors: list[LineError] = []
        self.refused = ""
        self.loaded: Load | None = None
        try:
            self.loaded = load_batch(
                FileToLoad(
                    project,
                    io.BytesIO(file),
                    file_name=name,
                    now=NOW,
                    report=self.errors.append,
                    take_good=take_good,
                    reading=ReadingOptions(encoding=encoding, part=part),
                    **options,
                )
            )
        except UploadRefused as refused:
            self.refused = str(refused)

    @property
    def said(self) -> list[str]:
        return [str(error) for error in self.errors]


def pass_rows(
    monkeypatch: pytest.MonkeyPatch, through: Callable[[Iterable[Any]], Iterator[Any]]
) -> None:
    """Have the rows of each file pass through a generator, which may stop between them."""
    stage = loading.stage

    def paced(batch: Batch, entries: Iterable[Any], tick: Callable[[int], object]) -> None:
        stage(batch, through(entries), tick)

    monkeypatch.setattr(loading, "stage", paced)


def shown_in(upload: Upload) -> dict[str, str]:
    """What the form of a file's page sends as it stands."""
    form = ChoicesForm(upload, report_of(upload))
    sent = {}
    for name, field in form.fields.items():
        value = form[name].value()
        is_radio = isinstance(field.widget, RadioSelect)  # one of them may be chosen, or none
        if not is_radio or value in dict(field.widget.choices):
            sent[name] = "" if value is None or value is False else str(value)
    return sent


class SameConnection:
    """The connection of a test, in place of the second one of a worker."""

    def cursor(self) -> Any:
        return connection.cursor()

    def close(self) -> None:
        """Leave it open."""


def load_uploads() -> None:
    """Do all work on uploads, within the transaction of a test.

    A report of progress would wait for ever for the COPY on the same connection.
    """
    with (
        mock.patch.object(upload_worker, "second_connection", SameConnection),
        mock.patch.object(upload_worker, "EVERY", 600),
    ):
        while upload_worker.work_on_next(timezone.now()):
            pass


def bring(client: Client, address: str, file: UploadedFile, **fields: str) -> Upload:
    """Upload a file, and import it as its page stands with some fields changed."""
    client.post(address, {"file": file})
    load_uploads()
    upload = Upload.objects.latest("pk")
    client.post(upload.address, shown_in(upload) | {"act": "import"} | fields)
    load_uploads()
    upload.refresh_from_db()
    return upload
