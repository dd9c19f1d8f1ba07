"""Uploads: the files that leads add items from, each until it is imported or a day old.

A worker reads and imports them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import SEEK_END
from tempfile import TemporaryFile
from typing import BinaryIO, Self

from django.conf import settings
from django.db import models, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from config.web.people import User
from config.web.raw_sql import run

from .batches import Batch
from .imported import RatingFile
from .projects import Project
from .stored_files import FileBlock, StoredFile, StoredFileQuerySet

DOUBLE_DROP = timedelta(seconds=10)  # the same file again is no second one
PATIENCE = timedelta(seconds=8)  # after which a page doubts that there is a worker
BEFORE = {"bytes": 0, "rows": 0, "tries": 0, "cancelled": False}  # of work that nobody began


class UploadQuerySet(StoredFileQuerySet["Upload"]):
    begins = "stored_at"

    def of(self, user: User, now: datetime) -> Self:
        """Return a user's uploads to projects that she leads or to none, newest first."""
        led = Project.objects.led_by(user).values("pk")
        mine = self.living(now).filter(uploader=user).order_by("-pk")
        return mine.filter(models.Q(project=None) | models.Q(project__in=led))

    def unfinished(self, user: User, now: datetime) -> Self:
        """Return the uploads that a user has not imported."""
        waiting = self.of(user, now).filter(batch=None, rating_file=None)
        return waiting.select_related("project")

    def twin(self, file: BinaryIO, *, file_name: str, by: User, now: datetime) -> "Upload | None":
        """Return an upload that a user made a moment ago of the same file, if there is one.

        Until the transaction ends, the user's other requests wait here.
        """
        run("SELECT pg_advisory_xact_lock(hashtext('upload of ' || %s::text))", [by.pk])
        size = file.seek(0, SEEK_END)
        recent = self.filter(uploader=by, stored_at__gt=now - DOUBLE_DROP)
        likely = recent.filter(file_name=file_name[-255:], size=size)
        for upload in likely.order_by("-pk"):
            if upload.holds(file):
                return upload
        return None

    def store(
        self,
        file: BinaryIO,
        *,
        project: Project | None,
        file_name: str,
        by: User,
        now: datetime,
    ) -> "Upload":
        """Store a file, and delete the uploads that are too old."""
        with transaction.atomic():
            self.delete_old(now)
            upload = self.create(
                project=project,
                uploader=by,
                file_name=file_name[-255:],
                size=file.seek(0, SEEK_END),
                stored_at=now,
            )
            upload.put(Content.FILE, file)
        return upload


class Content(models.TextChoices):
    """The files of which an upload has blocks."""

    FILE = "file"
    FAULTS = "faults"  # as CSV


class Work(models.TextChoices):
    """Work on a file that its lead asked for, and that is not done."""

    NOTHING = ""
    READ = "read"
    IMPORT = "import"


class Upload(StoredFile):
    """A file, what was found in it, and what its lead chose. Only the uploader can see it."""

    # None until Import makes a project of the file, or its lead chooses one.
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    # What was made of it, once it is imported: a batch, ratings or both. The file itself is deleted
    # then.
    batch = models.ForeignKey(
        Batch, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    rating_file = models.ForeignKey(
        RatingFile, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    file_name = models.CharField(max_length=255)
    size = models.BigIntegerField(default=0, db_default=0)  # bytes
    asked = models.CharField(max_length=10, choices=Work, blank=True, default="", db_default="")
    choices = models.JSONField(default=dict)  # the fields of its form
    report = models.JSONField(default=dict)  # see `importing.report`
    language = models.CharField(max_length=10, default="en", db_default="en")  # of the report
    stored_at = models.DateTimeField()

    objects = UploadQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=("stored_at",), name="uploads_by_their_age"),)

    @property
    def address(self) -> str:
        """The address of its page."""
        if self.project is None:
            return reverse("tasks:upload_alone", args=[self.pk])
        return reverse("tasks:uploaded", args=[self.project.slug, self.pk])

    def ask(self, work: Work, *, choices: Mapping[str, object] | None = None) -> None:
        """Leave work to a worker, who speaks the language of this request.

        `choices`: of the lead, about this work; None for those that are stored. The project that
        the lead chose is stored, too.
        """
        self.asked = work
        if choices is not None:
            self.choices = choices
        self.language = get_language() or "en"
        with transaction.atomic():
            before = BEFORE | {"asked_at": timezone.now()}
            UploadProgress.objects.update_or_create(upload=self, defaults=before)
            self.save(update_fields=["asked", "choices", "language", "project"])

    def cancel(self) -> None:
        """Have a worker stop at once, or take back what none has begun."""
        UploadProgress.objects.filter(upload=self).update(cancelled=True)
        with transaction.atomic():
            for upload in Upload.objects.filter(pk=self.pk).free():
                upload.done()

    def done(self) -> None:
        """Store that nothing is asked any more."""
        self.asked = Work.NOTHING
        self.save(update_fields=["asked"])

    @property
    def is_imported(self) -> bool:
        return bool(self.batch_id or self.rating_file_id)

    @property
    def can_be_taken_back(self) -> bool:
        """True if it is imported, and nobody has worked on what came of it."""
        if self.batch:
            return self.batch.is_untouched
        return self.rating_file is not None and not self.rating_file.is_rated_from

    @property
    def has_no_worker(self) -> bool:
        """True if no worker has begun for so long that there may be none."""
        begin = self.progress.asked_at
        return bool(begin and timezone.now() - begin > PATIENCE)

    @property
    def earlier(self) -> "Upload | None":
        """The file that a worker is loading into the same project, if there is one."""
        if self.project is None:
            return None
        others = Upload.objects.filter(project=self.project).exclude(pk=self.pk)
        for upload in others.exclude(asked=""):
            if upload.is_worked_on:
                return upload
        return None

    def holds(self, file: BinaryIO) -> bool:
        """Return True if a file is this one, which is not imported yet."""
        if self.is_imported:
            return False
        file.seek(0)
        return all(block == file.read(len(block)) for block in self.read(Content.FILE))

    def put(self, content_kind: Content, file: BinaryIO) -> None:
        """Store a file from its beginning, in place of the one of this kind."""
        self.blocks.filter(kind=content_kind).delete()
        self.write_blocks(file, kind=content_kind)

    def read(self, content_kind: Content) -> Iterator[bytes]:
        """Yield the file of a kind, block by block."""
        return self.read_blocks(kind=content_kind)

    @contextmanager
    def as_file(self, tick: Callable[[int], object]) -> Iterator[BinaryIO]:
        """Yield the file, on this machine's disk; tell `tick` the bytes that are there."""
        with TemporaryFile() as copy:
            for block in self.read(Content.FILE):
                copy.write(block)
                tick(copy.tell())
            copy.seek(0)
            yield copy

    def report_as(self, report: Mapping[str, object]) -> None:
        """Store what a file holds, in the language of the request."""
        self.report = report
        self.language = get_language() or "en"
        self.save(update_fields=["report", "language"])


class UploadProgress(models.Model):
    """How far a worker is with a file.

    A row of its own, which a worker writes over a second connection, since its first one has a
    long transaction. Thus others can read it, and can ask the worker to stop.
    """

    upload = models.OneToOneField(
        Upload, on_delete=models.CASCADE, primary_key=True, related_name="progress"
    )
    bytes = models.BigIntegerField(default=0)
    rows = models.BigIntegerField(default=0)
    tries = models.PositiveIntegerField(default=0)  # of workers, each of which began
    cancelled = models.BooleanField(default=False)
    asked_at = models.DateTimeField(null=True)


class UploadBlock(FileBlock):
    """A piece of a file."""

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="blocks")
    kind = models.CharField(max_length=10, choices=Content)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("upload", "kind", "place"), name="blocks_of_an_upload_stand_in_one_order"
            ),
        )
