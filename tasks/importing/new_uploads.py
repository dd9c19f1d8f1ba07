"""Files that came in, by a page or by a call: stored, and left to a worker."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from config.web.people import User
from tasks.models import Project, Upload
from tasks.models.uploads import Work

from .examination import provisional
from .files.packing import NamedFile, as_one_file
from .lead_choices import LeadChoices


def store_upload(
    files: Sequence[NamedFile],
    project: Project | None,
    *,
    by: User,
    now: datetime,
    choices: LeadChoices | None = None,
) -> Upload:
    """Store a file, or several as one, and have a worker read it.

    A page that sends the same twice stores it once. `choices`: those that came with a call.
    """
    with as_one_file(files) as (name, file), transaction.atomic():
        uploads = Upload.objects.filter(project=project)
        if not choices and (twin := uploads.twin(file, file_name=name, by=by, now=now)):
            return twin
        stored = Upload.objects.store(file, project=project, file_name=name, by=by, now=now)
    if choices:
        stored.choices = choices.as_json()
    elif project is None:
        stored.choices = {"rubric": "made"}
    stored.report_as(provisional(stored).as_json())
    stored.ask(Work.READ)
    return stored
