"""Items that a program sends, for a batch that takes more until it is complete.

They are rows of our own shape, and loaded as those of a file.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import Self

from config.web.people import User
from tasks.models import Batch, Project

from ..columns.items import item_of
from ..files.rows import JsonObject, LineError, Source, SourceRow
from .loading import FileToLoad, NewItems, make_batch
from .staging import UploadRefused


class BatchIsComplete(UploadRefused):
    """A batch takes no more items."""


class SentRows(Source):
    """Rows that are read already."""

    hint = ""

    def __init__(self, contents: Sequence[JsonObject]) -> None:
        self.contents = contents

    def rows(self) -> Iterator[SourceRow]:
        for number, content in enumerate(self.contents, start=1):
            yield SourceRow(number, content)


@dataclass(frozen=True)
class SentItems(FileToLoad):
    """Items for the batch of a name, which is made if there is none. A line is an item's number."""

    contents: Sequence[JsonObject] = ()

    @classmethod
    def of(
        cls,
        contents: Sequence[JsonObject],
        faults: list[LineError],
        *,
        project: Project,
        batch_name: str,
        skips: bool,
        by: User,
        now: datetime,
    ) -> Self:
        """Return an order to load items, which adds what is wrong with them to `faults`."""
        return cls(
            project,
            BytesIO(),
            "",
            now,
            faults.append,
            batch_name=batch_name,
            by=by,
            waits=False,
            skips=skips,
            contents=contents,
        )

    @contextmanager
    def open(self) -> Iterator[Source]:
        """Yield the rows."""
        yield SentRows(self.contents)

    def new_items(self, source: Source) -> NewItems:
        """Return the items: they are in our own shape."""
        return map(item_of, source.rows()), ()

    def batch(self) -> Batch:
        """Return the batch of this name. Raises BatchIsComplete, unless items may be skipped."""
        batch = self.project.batches.filter(name=self.batch_name).first()
        if batch is None:
            digest = hashlib.sha256(f"batch {self.batch_name}".encode()).hexdigest()
            return make_batch(self, name=self.batch_name, digest=digest, complete=False)
        if batch.complete and not self.skips:
            raise BatchIsComplete("%(batch)s", batch=batch)
        batch.project = self.project
        return batch
