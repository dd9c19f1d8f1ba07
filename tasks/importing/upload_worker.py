"""Work on uploaded files, by a worker: one file at a time, in one transaction."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy

from tasks.models import Notice, Project, Upload
from tasks.models.loads import is_alone

TOO_OFTEN = gettext_lazy(
    "Workers ended while they had this file, again and again; their log says why. Split the file, "
    "or save it in another format."
)
EVERY = 1  # seconds between two reports of how far it is
LONG = timedelta(seconds=10)  # of work, whose end is told by a notice
MOST_TRIES = 3  # of workers; what ended so many would end the next one, too
BEGIN = """
UPDATE tasks_uploadprogress SET rows = 0, bytes = 0, tries = tries + 1
WHERE upload_id = %s RETURNING tries, cancelled
"""
GO_ON = """
UPDATE tasks_uploadprogress SET rows = %s, bytes = %s WHERE upload_id = %s
RETURNING cancelled OR NOT (SELECT is_active FROM annotators_user WHERE id = %s)
"""


WANTED = """
SELECT cancelled OR NOT (SELECT is_active FROM annotators_user WHERE id = %s)
FROM tasks_uploadprogress WHERE upload_id = %s
"""


class Cancelled(Exception):
    """The lead wants the work to stop, or has no account any more."""


def second_connection() -> BaseDatabaseWrapper:
    """Return a second connection, outside of the transaction of the work."""
    return connections.create_connection(DEFAULT_DB_ALIAS)


def is_waiting(now: datetime) -> bool:
    """Tell whether there is a file that a worker could begin with."""
    with transaction.atomic():
        return _claimed(now) is not None


def work_on_next(now: datetime) -> bool:
    """Do what is asked about the next file that nobody works on. Return False if there is none."""
    # The worker that only looks if one waits does without what reads files: 15 MB.
    from . import uploading
    from .report import UploadReport

    with closing(second_connection()) as second, transaction.atomic():
        upload = _claimed(now)
        if upload is None:
            return False
        if not (_is_allowed(upload) and upload.uploader.is_active):
            upload.delete()  # nobody may see it any more
            return True
        with translation.override(upload.language), second.cursor() as cursor:
            cursor.execute(BEGIN, [upload.pk])
            tries, is_cancelled = cursor.fetchone()
            try:
                if is_cancelled:
                    raise Cancelled
                if tries > MOST_TRIES:
                    upload.report_as(UploadReport(refused=str(TOO_OFTEN)).as_json())
                else:
                    with transaction.atomic():
                        uploading.do(upload, upload.asked, now=now, tick=_watched(upload, cursor))
                        cursor.execute(
                            WANTED, [upload.uploader_id, upload.pk]
                        )  # after the last rows, too
                        if cursor.fetchone()[0]:
                            raise Cancelled
            except Cancelled:
                upload.refresh_from_db()
            else:
                _tell(upload)
        upload.done()
    return True


def _is_allowed(upload: Upload) -> bool:
    """Tell whether the uploader may still import the file."""
    if upload.project is None:
        return Project.objects.may_be_made_by(upload.uploader)
    return Project.objects.led_by(upload.uploader).filter(pk=upload.project.pk).exists()


def _tell(upload: Upload) -> None:
    """Tell the uploader that the work is done, if it took long: else the page was watched."""
    now, begin = timezone.now(), upload.progress.asked_at
    if upload.project and begin and now - begin >= LONG:
        kind = Notice.Kind.UPLOAD
        notice = Notice(user=upload.uploader, kind=kind, upload=upload, created_at=now)
        notice.project = upload.project
        Notice.objects.tell(notice)


def _claimed(now: datetime) -> Upload | None:
    """Lock the next upload that something is asked about, and its project against other loads."""
    waiting = Upload.objects.living(now).exclude(asked="").order_by("pk")
    for pk, project in waiting.values_list("pk", "project"):
        with transaction.atomic():  # which keeps no lock of a file that it passes over
            upload = waiting.filter(pk=pk).free().first()
            if upload and (project is None or is_alone(project)):
                return upload
            transaction.set_rollback(True)
    return None


def _watched(upload: Upload, cursor: Any) -> Callable[[int, int], None]:
    """Return what reports how far the work is, and raises Cancelled if the lead wants it."""
    last = 0.0

    def tick(rows: int, bytes_read: int) -> None:
        nonlocal last
        if monotonic() - last < EVERY:
            return
        cursor.execute(GO_ON, [rows, bytes_read, upload.pk, upload.uploader_id])
        if cursor.fetchone()[0]:
            raise Cancelled
        last = monotonic()

    return tick
