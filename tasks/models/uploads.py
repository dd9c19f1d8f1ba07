"""Bad rows: the rows that an upload left out, stored for a while for the uploader."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, BinaryIO, ClassVar

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.utils.translation import get_language

from config.web.people import User

from .items import Batch
from .projects import Project

LIFETIME = timedelta(days=1)  # of bad rows
BLOCK = 2**20  # bytes


class BadRowsQuerySet(models.QuerySet["BadRows"]):
    def stored_for(self, user: User, project: Project, now: datetime) -> "BadRows | None":
        """Return the bad rows of a user's last upload to a project, if any."""
        return (
            self.filter(project=project, uploader=user, kept_at__gt=now - LIFETIME)
            .order_by("-pk")
            .first()
        )

    def store(
        self,
        file: BinaryIO,
        *,
        project: Project,
        file_name: str,
        number: int,
        shown: Sequence[dict[str, Any]],
        batch: Batch | None,
        by: User,
        now: datetime,
    ) -> None:
        """Store a file of bad rows, if there are any, in place of the one before.

        A user needs only those of the last upload. All that are too old are deleted, too.
        The file is stored in blocks, so it is never in memory as a whole.
        """
        with transaction.atomic():
            self.filter(Q(project=project, uploader=by) | Q(kept_at__lte=now - LIFETIME)).delete()
            if not number:
                return
            stored = self.create(
                project=project,
                uploader=by,
                file_name=file_name[-255:],
                number=number,
                shown=list(shown),
                language=get_language() or "en",
                batch=batch,
                kept_at=now,
            )
            file.seek(0)
            for place, block in enumerate(iter(partial(file.read, BLOCK), b"")):
                BadRowsBlock.objects.create(bad_rows=stored, place=place, content=block)


class BadRows(models.Model):
    """The bad rows of one upload, as a file in the format of the upload.

    Only the uploader can see it.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    # The batch made of the good rows, if they were imported.
    batch = models.ForeignKey(
        Batch, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    file_name = models.CharField(max_length=255)
    number = models.PositiveIntegerField()  # of bad rows
    shown = models.JSONField(default=list)  # the first error of each kind
    # The language of the errors, in `shown` and in the file.
    language = models.CharField(max_length=10, default="en", db_default="en")
    kept_at = models.DateTimeField()

    objects: ClassVar[BadRowsQuerySet] = BadRowsQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name_plural = "bad rows"
        indexes = (models.Index(fields=("kept_at",), name="bad_rows_by_their_age"),)

    def blocks(self) -> Iterator[bytes]:
        """Yield the file block by block."""
        for place in range(self.content.count()):
            yield bytes(self.content.get(place=place).content)


class BadRowsBlock(models.Model):
    """A piece of a file of bad rows."""

    bad_rows = models.ForeignKey(BadRows, on_delete=models.CASCADE, related_name="content")
    place = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ("place",)
        constraints = (
            models.UniqueConstraint(
                fields=("bad_rows", "place"), name="blocks_of_bad_rows_stand_in_one_order"
            ),
        )
