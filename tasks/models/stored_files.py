"""Files in the database: uploads, and exports that a worker makes, each until it is a day old.

A file is stored in blocks, so it is never in memory as a whole, and any host finds it. A worker
claims one by the lock on its row, so a worker that dies leaves it to the next.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import IO, Any, Self, TypeVar

from django.db import models, transaction

FileT = TypeVar("FileT", bound="StoredFile", covariant=True)
LIFETIME = timedelta(days=1)
BLOCK = 2**20  # bytes


class StoredFileQuerySet(models.QuerySet[FileT]):
    begins = ""  # the field with the time at which the life of a file begins

    def living(self, now: datetime) -> Self:
        """Return those that are not too old."""
        return self.filter(**{f"{self.begins}__gt": now - LIFETIME})

    def free(self) -> Self:
        """Lock and return those that nobody works on. Others are left out."""
        return self.select_for_update(skip_locked=True, of=("self",))

    def delete_old(self, now: datetime) -> bool:
        """Delete those that are too old and that nobody works on. Return False."""
        with transaction.atomic():
            old = self.filter(**{f"{self.begins}__lte": now - LIFETIME}).free()
            self.filter(pk__in=[file.pk for file in old]).delete()
        return False


class StoredFile(models.Model):
    """Base class of what has a file. Its blocks are a table of their own, `blocks`."""

    class Meta:
        abstract = True

    @property
    def is_worked_on(self) -> bool:
        with transaction.atomic():
            return not type(self).objects.filter(pk=self.pk).free()  # type: ignore[attr-defined]  # of the class

    def write_blocks(self, file: IO[bytes], **of_kind: Any) -> int:
        """Store a file from its beginning. Return its size."""
        file.seek(0)
        size = 0
        for place, block in enumerate(iter(partial(file.read, BLOCK), b"")):
            self.blocks.create(place=place, content=block, **of_kind)  # type: ignore[attr-defined]  # of the class
            size += len(block)
        return size

    def read_blocks(self, **of_kind: Any) -> Iterator[bytes]:
        """Yield a file, block by block."""
        blocks = self.blocks.filter(**of_kind)  # type: ignore[attr-defined]  # of the class
        for place in range(blocks.count()):
            yield bytes(blocks.get(place=place).content)


class FileBlock(models.Model):
    """Base class of a piece of a file."""

    place = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        abstract = True
