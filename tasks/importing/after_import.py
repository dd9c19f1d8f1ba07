"""Changes of what imported ratings count for, of who they are by, and whether they stay."""

from datetime import datetime

from django.db import IntegrityError, transaction

from config.web.people import User
from config.web.raw_sql import run
from tasks.models import (
    AgreementResult,
    FactCheck,
    ImportedRater,
    Item,
    ItemEntry,
    ItemList,
    Placement,
    Project,
    RatingFile,
    Score,
    ScoreCounts,
)
from tasks.models.list_renewal import renew_all
from tasks.models.loads import wait_for_loads


@transaction.atomic
def recount(project: Project, *, now: datetime) -> None:
    """Have everything made anew that is kept of a project's ratings: others of them count now."""
    wait_for_loads(project.pk)
    AgreementResult.objects.filter(project=project).delete()
    items = project.ratings.imported().values("item")
    # Batches before counts and entries, as whoever changes settings or drops an item locks them.
    for batch in project.batches.filter(items__in=items).distinct():
        batch.apply_settings()
    ScoreCounts.objects.filter(project=project).delete()
    ItemEntry.objects.filter(item__in=items).update(latest=0)
    begun = {"upto": 0, "begun_at": now}
    ItemList.objects.update_or_create(begun, project=project)


@transaction.atomic
def let_count(project: Project, imported: str, *, now: datetime) -> None:
    """Change whether the imported ratings of a project count: a `Project.Imported`."""
    project.imported = imported
    project.save(update_fields=["imported"])
    recount(project, now=now)


def point(rater: ImportedRater, account: User | None, *, now: datetime) -> bool:
    """Say whose account a rater is, or nobody's. Return False if it is another rater's."""
    rater.account = account
    try:
        with transaction.atomic():
            rater.save(update_fields=["account"])
            recount(rater.project, now=now)
    except IntegrityError:
        return False
    return True


@transaction.atomic
def take_back(file: RatingFile, *, now: datetime) -> bool:
    """Delete the ratings of a file, and have its project as it was before they came.

    Return False, and change nothing, if somebody has rated from it. Whoever rates at this moment
    is waited for, or waits.
    """
    project = file.project
    project.hold()
    if file.is_rated_from:
        return False
    items = Item.objects.filter(ratings__file=file).order_by("pk").distinct()
    rated = dict(items.values_list("pk", "batch"))
    for rows in (Placement, FactCheck, Score):
        rows.objects.filter(rating__file=file).delete()
    run("DELETE FROM tasks_rating WHERE file_id = %s", [file.pk])
    file.answers.all().delete()
    file.remove_if_bare(now)
    for batch in project.batches.filter(pk__in=rated.values()):
        batch.follow_imports()
    recount(project, now=now)
    renew_all(project, [*rated])
    return True
