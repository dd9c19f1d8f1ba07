"""Acts after which other ratings of a project count, or some are gone.

Triggers store it with the act (`changes.sql`), for programs that ask what is new since their last
call. Acts of leads alone come here, so a submit pays nothing for it.
"""

from django.db import models

from .projects import Project


class RatingsChange(models.Model):
    """An act after which ratings of a project count otherwise, or are gone."""

    class Kind(models.TextChoices):
        ITEM = "item"  # dropped, or taken back: all ratings of it
        IMPORTED = "imported"  # the project lets imported ratings count, or not
        RATER = "rater"  # an imported rater is somebody's account, or not: all ratings by them
        # Gone, with all that was in it. `name` is its name.
        BATCH = "batch"
        FILE = "file"

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="changes", db_index=False
    )
    kind = models.CharField(max_length=12, choices=Kind)
    # The primary key of what it is about; nothing for IMPORTED. Some of it is gone.
    subject = models.BigIntegerField(null=True)
    name = models.TextField(blank=True, db_default="")
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("project", "id"), name="changes_of_a_project"),)
