"""Exports that a worker makes because a request would take too long."""

from datetime import datetime
from typing import IO, Self

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models, transaction
from django.utils.translation import get_language

from config.web.people import User
from config.web.raw_sql import run

from .projects import Project
from .stored_files import LIFETIME, FileBlock, StoredFile, StoredFileQuerySet

MOST_TRIES = 3  # of workers; what ended so many would end the next one, too
MOST_WAITING = 3  # of one person


class StoredExportQuerySet(StoredFileQuerySet["StoredExport"]):
    begins = "ordered_at"

    def of(self, user: User, project: Project, now: datetime) -> Self:
        """Return a lead's exports of a project, newest first."""
        return self.living(now).filter(project=project, lead=user).order_by("-pk")

    def waiting(self) -> Self:
        """Return those that are not made, and that a worker may make."""
        return self.filter(made_at=None, refused="").order_by("pk")

    def order(
        self,
        project: Project,
        *,
        options: str,
        file_name: str,
        is_zipped: bool,
        by: User,
        now: datetime,
    ) -> "StoredExport | None":
        """Leave an export to a worker. Return None if too many of this person wait already.

        If the same one waits, return that.
        """
        with transaction.atomic():
            # One order of a person after the other, else two would be counted at once.
            run("SELECT pg_advisory_xact_lock(hashtext('export of ' || %s::text))", [by.pk])
            waiting = self.filter(lead=by).waiting()
            same = waiting.filter(project=project, options=options, is_zipped=is_zipped).first()
            if same or waiting.count() >= MOST_WAITING:
                return same
            return self.create(
                project=project,
                lead=by,
                options=options,
                file_name=file_name,
                is_zipped=is_zipped,
                language=get_language() or "en",
                ordered_at=now,
            )


class StoredExport(StoredFile):
    """An export that a lead ordered, and its file once it is made. Only that lead can see it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    lead = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    # A query; older ones are a mapping: `exporting.options.stored_query`.
    options = models.JSONField(encoder=DjangoJSONEncoder)
    file_name = models.CharField(max_length=255)
    is_zipped = models.BooleanField()
    language = models.CharField(max_length=10)  # of the reason why it is refused
    ordered_at = models.DateTimeField()
    tries = models.PositiveIntegerField(default=0)  # of workers, each of which began
    made_at = models.DateTimeField(null=True, blank=True)
    rows = models.BigIntegerField(default=0)
    size = models.BigIntegerField(default=0)  # bytes
    refused = models.TextField(blank=True, default="")  # why there is no file

    objects = StoredExportQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=("ordered_at",), name="stored_exports_by_their_age"),)

    @property
    def is_waiting(self) -> bool:
        return not self.made_at and not self.refused

    @property
    def ends_at(self) -> datetime:
        """When the file is deleted."""
        return self.ordered_at + LIFETIME

    def refuse(self, reason: str) -> None:
        """Store why there is no file."""
        self.refused = reason
        self.save(update_fields=["refused"])

    def store(self, file: IO[bytes], *, rows: int, now: datetime) -> None:
        """Store a file that is made."""
        self.rows = rows
        self.size = self.write_blocks(file)
        self.made_at = now
        self.save(update_fields=["rows", "size", "made_at"])


class ExportBlock(FileBlock):
    """A piece of a file."""

    export = models.ForeignKey(StoredExport, on_delete=models.CASCADE, related_name="blocks")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("export", "place"), name="blocks_of_an_export_stand_in_one_order"
            ),
        )
