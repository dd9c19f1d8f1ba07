"""Admissions: who may rate in a project that asks for practice first."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext_lazy as _

from config.web.people import User

from .projects import Project
from .ratings import Rating


class AdmissionQuerySet(models.QuerySet["Admission"]):
    def admit(
        self,
        project: Project,
        user: User,
        how: str,
        *,
        by: User | None = None,
        reason: str = "",
        now: datetime,
    ) -> bool:
        """Let someone rate. Return False if they may already."""
        values = {"how": how, "by": by, "reason": reason, "at": now}
        return self.get_or_create(project=project, annotator=user, defaults=values)[1]

    def holds(self, project: Project, user: User) -> bool:
        """Return True if someone gets items: nobody has to practise, or they may rate already."""
        if not project.asks_practice:
            return True
        if self.filter(project=project, annotator=user).exists():
            return True
        return Rating.objects.filter(project=project, annotator=user, rater=None).exists()

    def in_project(self, project: Project) -> "dict[int, Admission]":
        """Return the admissions by the annotator's key, with those by a rating of one's own."""
        first = Rating.objects.filter(project=project, annotator=OuterRef("annotator"), rater=None)
        first_at = Subquery(first.order_by("pk").values("submitted_at")[:1])
        at_work = project.batch_progress.filter(rated__gt=0).order_by().values_list("annotator")
        admissions: dict[int, Admission] = {}
        for key, at in at_work.annotate(at=first_at).distinct():
            how = Admission.How.RATED
            admissions[key] = Admission(project=project, annotator_id=key, how=how, at=at)
        for admission in self.filter(project=project).select_related("by", "annotator"):
            admissions[admission.annotator_id] = admission
        return admissions


class Admission(models.Model):
    """A row says that someone may rate in a project that asks for practice first.

    It outlives a removal. Whoever has rated there needs none.
    """

    class How(models.TextChoices):
        PASSED = "passed", _("passed the practice")
        LET_IN = "let_in", _("let in by a lead")
        RATED = "rated", _("has rated here")  # never stored: the rating says it

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="admissions")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    how = models.CharField(max_length=12, choices=How)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(blank=True, default="")
    at = models.DateTimeField()

    objects = AdmissionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "annotator"), name="one_is_admitted_once"),
        )
