"""Work on uploaded files, by a worker: one file at a time, in one transaction.

`manage.py work` calls `work_on_next` again and again. A lead asks on a page that a file be read or
imported (`Upload.asked`), and the page shows how far the worker is (`UploadProgress`). The worker
writes that over a second connection, since nobody sees what it does until its transaction ends.
"""

from contextlib import closing
from datetime import datetime, timedelta
from time import monotonic

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
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
# Counts one more worker that begins.
BEGIN = """
UPDATE tasks_uploadprogress SET rows = 0, bytes = 0, tries = tries + 1
WHERE upload_id = %s RETURNING tries, cancelled
"""
# Stores how far the work is, and returns if it must stop.
REPORT = """
UPDATE tasks_uploadprogress SET rows = %s, bytes = %s WHERE upload_id = %s
RETURNING cancelled OR NOT (SELECT is_active FROM annotators_user WHERE id = %s)
"""
# Returns if the work must stop.
MUST_STOP = """
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
    with closing(second_connection()) as second, transaction.atomic():
        upload = _claimed(now)
        if upload is None:
            return False
        if not (_is_allowed(upload) and upload.uploader.is_active):
            upload.delete()  # nobody may see it any more
            return True
        with translation.override(upload.language), second.cursor() as cursor:
            try:
                _work_on(upload, _Watch(upload, cursor), now)
            except Cancelled:
                upload.refresh_from_db()
            else:
                _tell(upload)
        upload.done()
    return True


def _work_on(upload: Upload, watch: "_Watch", now: datetime) -> None:
    """Read or import a file, or report that it ended too many workers. Raises Cancelled."""
    # The worker that only looks if one waits does without what reads files: 15 MB.
    from . import uploading
    from .report import UploadReport

    tries = watch.begin()
    if tries > MOST_TRIES:
        upload.report_as(UploadReport(refused=str(TOO_OFTEN)).as_json())
        return
    with transaction.atomic():
        uploading.do(upload, upload.asked, now=now, tick=watch.tick)
        watch.check()  # after the last rows, too


class _Watch:
    """A watch over the work on an upload: it reports how far it is, and stops it.

    `cursor`: of the second connection.
    """

    def __init__(self, upload: Upload, cursor: CursorWrapper) -> None:
        self.upload = upload
        self.cursor = cursor
        self.reported_at = 0.0  # by the monotonic clock

    def begin(self) -> int:
        """Count this worker, and return how many began with the file. Raises Cancelled."""
        self.cursor.execute(BEGIN, [self.upload.pk])
        tries, is_cancelled = self.cursor.fetchone()
        if is_cancelled:
            raise Cancelled
        return int(tries)

    def tick(self, rows: int, bytes_read: int) -> None:
        """Report how far the work is, at most once in `EVERY` seconds. Raises Cancelled."""
        if monotonic() - self.reported_at < EVERY:
            return
        values = [rows, bytes_read, self.upload.pk, self.upload.uploader_id]
        self.cursor.execute(REPORT, values)
        self._raise_if_asked()
        self.reported_at = monotonic()

    def check(self) -> None:
        """Raise Cancelled if the work must stop."""
        self.cursor.execute(MUST_STOP, [self.upload.uploader_id, self.upload.pk])
        self._raise_if_asked()

    def _raise_if_asked(self) -> None:
        [must_stop] = self.cursor.fetchone()
        if must_stop:
            raise Cancelled


def _is_allowed(upload: Upload) -> bool:
    """Tell whether the uploader may still import the file."""
    if upload.project is None:
        return Project.objects.may_be_made_by(upload.uploader)
    return Project.objects.led_by(upload.uploader).filter(pk=upload.project.pk).exists()


def _tell(upload: Upload) -> None:
    """Tell the uploader that the work is done, if it took long: else the page was watched."""
    now = timezone.now()
    begin = upload.progress.asked_at
    if upload.project is None or begin is None or now - begin < LONG:
        return
    notice = Notice(
        user=upload.uploader,
        kind=Notice.Kind.UPLOAD,
        project=upload.project,
        upload=upload,
        created_at=now,
    )
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
