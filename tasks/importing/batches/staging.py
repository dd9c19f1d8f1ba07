"""Put the rows of a file into a temporary table, `import_row`, by COPY.

A file passes through this process once. All that depends on other rows or on the project, queries
find afterwards (`row_places.py`).
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from json.encoder import encode_basestring as quoted
from typing import TypeAlias

from django.db import connection
from django.utils.translation import gettext as _

from config.web.raw_sql import run
from rubrics.judging.detectors import is_empty
from tasks.models import Batch
from tasks.text.excerpt import holds_file

from ..columns.items import NewItem
from ..files.rows import FileRefused, LineError
from .tables import copy_into, json_text

# Metadata names in a project. Each is a column of the export; PostgreSQL's limit is 1,664 columns.
MOST_NAMES = 1_000
# The columns of an item that come from its file.
ITEM_TEXTS = (
    *("external_id", "persona", "messages", "system", "context", "reference", "source", "warning"),
    *("metadata", "lacks_texts"),
)
FOLDED = ("messages", "system", "context", "reference")  # which annotators see with files folded
# A row has a line for each response. The first one has the item's texts as well, or the fault.
ROW_COLUMNS = (
    *("number", "line"),  # of the row in the file
    *("answer", "model", "text", "is_empty", "has_file"),  # of one of its responses, from 1
    *("answers", "answers_digest", "texts_digest", "files", "fault", *ITEM_TEXTS),
)

CREATE = """
DROP TABLE IF EXISTS pg_temp.import_row, pg_temp.import_place;
CREATE TEMP TABLE import_row (
  number integer, line integer, answer smallint, model text, text text, is_empty boolean,
  has_file boolean, answers smallint, answers_digest bigint, texts_digest bigint, files smallint,
  fault text, external_id text, persona jsonb, messages jsonb, system text, context text,
  reference text, source text, warning text, metadata jsonb, lacks_texts boolean,
  PRIMARY KEY (number, answer)
) ON COMMIT DROP;
CREATE INDEX ON import_row (number) WHERE is_empty;
CREATE INDEX ON import_row (number) WHERE has_file OR files > 0
"""
StagedRow: TypeAlias = Mapping[str, object]  # a line of `import_row`; a column may be missing


class UploadRefused(FileRefused):
    """The whole file is refused. The message names the file and gives the reason."""


def stage(
    batch: Batch, items_and_errors: Iterable[NewItem | LineError], tick: Callable[[int], object]
) -> None:
    """Put the rows of a batch's file into the temporary table. Raises UploadRefused.

    `tick` is called with the number of rows after each of them. If it raises, the COPY ends.
    """
    run(CREATE, [])
    names: set[str] = set()
    copying = copy_into("import_row", ROW_COLUMNS)
    with connection.cursor() as cursor, cursor.copy(copying) as copy:
        for number, entry in enumerate(items_and_errors, start=1):
            if isinstance(entry, LineError):
                staged_rows: Iterable[StagedRow] = [_bad_row(number, entry)]
            else:
                names.update(entry.metadata)
                _limit(names, batch)
                staged_rows = _rows(number, entry)
            for row in staged_rows:
                copy.write_row([row.get(column) for column in ROW_COLUMNS])
            tick(number)
    if names:
        _limit(names.union(batch.project.items.metadata_names()), batch)


def _limit(metadata_names: Collection[str], batch: Batch) -> None:
    """Refuse a file that gives the project too many names of metadata."""
    if len(metadata_names) > MOST_NAMES:
        raise UploadRefused(
            _(
                "%(file)s gives the project more than %(most)s metadata names. Each one "
                "becomes a column of the export; group some of them in one object."
            ),
            file=batch.file_name,
            most=MOST_NAMES,
        )


def _rows(number: int, item: NewItem) -> Iterator[StagedRow]:
    """Yield the lines of a good row of the file."""
    texts = _texts(item)
    of_item: StagedRow = {
        "answers": len(item.responses),
        "answers_digest": hash(item.responses),
        "texts_digest": hash(tuple(texts.values())),
        "files": sum(holds_file(texts[name]) for name in FOLDED),
        "external_id": item.external_id,
        **texts,
    }
    for answer, response in enumerate(item.responses, start=1):
        yield {
            "number": number,
            "line": item.line,
            "answer": answer,
            "model": response.model,
            "text": response.text,
            "is_empty": is_empty(response.text),
            "has_file": holds_file(response.text),
            **of_item,
        }
        of_item = {}  # the first line has it


def _bad_row(number: int, error: LineError) -> StagedRow:
    """Return the line of a row that is refused."""
    return {
        "number": number,
        "line": error.line,
        "answer": 1,
        "model": "",
        "text": "",
        "is_empty": False,
        "has_file": False,
        "answers": 0,
        "files": 0,
        "fault": json.dumps((error.column, error.value, error.reason, error.advice)),
        "external_id": error.item,
    }


def _texts(item: NewItem) -> dict[str, str]:
    """Return what must be the same in every row of an item, as it will be stored."""
    # Build this JSON by hand: starting the encoder takes several times as long.
    turns = [f'{{"role":{quoted(turn.role)},"text":{quoted(turn.text)}}}' for turn in item.messages]
    return {
        "persona": f"[{','.join(map(quoted, item.persona))}]",
        "messages": f"[{','.join(turns)}]",
        "system": item.system,
        "context": item.context,
        "reference": item.reference,
        "source": item.source,
        "warning": item.warning,
        "metadata": json_text(item.metadata),
        "lacks_texts": "t" if item.lacks_texts else "f",
    }
