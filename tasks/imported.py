"""Changes of what imported ratings count for, and of who they are by."""

from datetime import datetime

from django.db import IntegrityError, transaction

from config.web.people import User
from tasks.models import AgreementResult, ImportedRater, ItemEntry, ItemList, Project, ScoreCounts
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
