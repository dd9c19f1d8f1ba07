"""Do the work in the background: files, lists, counts, agreement, e-mails.

It finds its work in the tables. So it may be stopped at any time, and several may run at once.
"""

import logging
import os
import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from threading import Event
from typing import TypeAlias

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection
from django.db.models import BigIntegerField, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.module_loading import import_string

from tasks.agreement import results
from tasks.api_tokens.emails import announce_ends
from tasks.exporting.worker import has_orders, make_next
from tasks.importing.upload_worker import is_waiting, work_on_next
from tasks.models import (
    AgreementResult,
    AnsweredCall,
    ApiUsage,
    ItemEntry,
    ItemList,
    Project,
    Rating,
    StoredExport,
    Upload,
)
from tasks.models.list_renewal import index_texts, renew_entries
from tasks.models.stored_figures import ScoreCounts, store_counts
from tasks.people.emails import send_invitations

AT_ONCE = 2  # processes that load and make files
PAUSE = 2  # seconds between two rounds when nothing is left to do
log = logging.getLogger(__name__)
# Its name in the log, and what it does at a time; it returns True if more is left.
Step: TypeAlias = tuple[str, Callable[[datetime], bool]]


class Command(BaseCommand):
    """Work until it is stopped, or until nothing is left to do."""

    help = __doc__
    # They would load all pages, into each process that reads a file, too.
    requires_system_checks: list[str] = []
    loaders: list[subprocess.Popen[bytes]] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="end when nothing is left to do")
        parser.add_argument(
            "--files", action="store_true", help="load and make what waits, and end"
        )
        parser.add_argument("--parent", type=int, help="end when this process, its parent, ended")

    def handle(
        self, *, once: bool, files: bool = False, parent: int | None = None, **_: object
    ) -> None:
        if files:
            while work_on_next(timezone.now()) or make_next(timezone.now()):
                pass
            return
        # Delete the results of other versions of the program.
        AgreementResult.objects.exclude(figures__form=results.FORM).delete()
        stop = Event()
        if not once:  # SIGTERM ends it between two steps
            signal.signal(signal.SIGTERM, lambda *_: stop.set())
        while not stop.is_set() and parent in (None, os.getppid()):
            has_more = _do_round(self._steps(once=once), stop, once=once)
            if not has_more and once:
                return
            if not has_more:
                connection.close()
                stop.wait(PAUSE)

    def _steps(self, *, once: bool) -> list[Step]:
        """Return the steps of a round: what is done for all, then for each project with news."""
        steps: list[Step] = [
            ("invitations", send_invitations),
            ("tokens", announce_ends),
            *_steps_of_accounts(),
            ("old files", Upload.objects.delete_old),
            ("old exports", StoredExport.objects.delete_old),
            ("old calls", ApiUsage.objects.delete_old),
            ("old answers", AnsweredCall.objects.delete_old),
        ]
        if once:
            steps.append(("files", work_on_next))
            steps.append(("exports", make_next))
        else:
            steps.append(("files", self._load_files))
        try:
            for project in projects_with_news():
                steps.append((project.slug, partial(_step, project)))
        except DatabaseError:  # while the database is away or starts again
            if once:
                raise
            log.exception("The next round tries again")
        return steps

    def _load_files(self, now: datetime) -> bool:
        """Have files that wait loaded or made by processes of their own: each may take long."""
        self.loaders = [process for process in self.loaders if process.poll() is None]
        if len(self.loaders) < AT_ONCE and (is_waiting(now) or has_orders(now)):
            command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "work", "--files"]
            self.loaders.append(subprocess.Popen(command))  # noqa: S603 - our own command
        return False


def _steps_of_accounts() -> list[Step]:
    """Return the steps that the settings name: this app knows nothing of passwords."""
    return [(name, import_string(path)) for name, path in settings.WORK_OF_ACCOUNTS.items()]


def _do_round(steps: Iterable[Step], stop: Event, *, once: bool) -> bool:
    """Do steps until `stop` is set. Return True if one of them has more to do.

    With `once` a fault ends the command; otherwise the next round tries the step again.
    """
    has_more = False
    for name, step in steps:
        if stop.is_set():
            break
        try:
            has_more |= step(timezone.now())
        except Exception:
            if once:
                raise
            log.exception("%s: the next round tries again", name)
    return has_more


def _step(project: Project, now: datetime) -> bool:
    """Do one step of a project's work. Return True if more is left."""
    results.renew(project, now)
    store_counts(project, now)
    # Last, because its mark tells what is news.
    has_more_entries = renew_entries(project, now=now)
    return index_texts(project) or has_more_entries


def projects_with_news() -> QuerySet[Project]:
    """Return the projects with ratings or texts that their lists lack, or with figures to make."""
    of_project = {"project": OuterRef("pk")}
    lists = ItemList.objects.filter(**of_project)
    marks = {}
    for name in ("upto", "indexed"):
        mark = Subquery(lists.values(name))
        marks[name] = Coalesce(mark, 0, output_field=BigIntegerField())
    acts = Subquery(ScoreCounts.objects.filter(**of_project).values("acts"))
    marks["acts"] = Coalesce(acts, 0, output_field=BigIntegerField())
    results_of_project = AgreementResult.objects.filter(**of_project)
    figures = results_of_project.filter(rubric=OuterRef("rubric"))
    outdated = figures.filter(first=False, sound=False, talk=False).exclude(acts=OuterRef("acts"))
    ratings = Rating.objects.filter(**of_project)
    items = ItemEntry.objects.filter(**of_project)
    has_new_ratings = Exists(ratings.filter(pk__gt=OuterRef("upto")))
    has_new_items = Exists(items.filter(item__gt=OuterRef("indexed")))
    lacks_figures = ~Exists(results_of_project)
    has_news = has_new_ratings | has_new_items | lacks_figures | Exists(outdated)
    return Project.objects.alias(**marks).filter(has_news).select_related("rubric")
