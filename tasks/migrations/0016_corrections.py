"""How long a rating may be corrected, and drafts of corrections, which belong to a rating and to no lease."""

from django.db import migrations, models
from django.db.models import PROTECT, Q


class Migration(migrations.Migration):
    dependencies = [("tasks", "0015_look_ups_are_timed")]

    operations = [
        migrations.AddField(
            "project",
            "correction_hours",
            models.PositiveSmallIntegerField(
                blank=True,
                null=True,
                verbose_name="Hours in which annotators may correct what they said",
            ),
        ),
        migrations.AlterField(
            "draft",
            "lease",
            models.ForeignKey(
                "tasks.lease", PROTECT, blank=True, db_index=False, null=True, related_name="+"
            ),
        ),
        migrations.AddField(
            "draft",
            "corrects",
            models.ForeignKey(
                "tasks.rating", PROTECT, blank=True, db_index=False, null=True, related_name="+"
            ),
        ),
        migrations.AddConstraint(
            "draft",
            models.CheckConstraint(
                condition=Q(lease__isnull=True, corrects__isnull=False)
                | Q(lease__isnull=False, corrects__isnull=True),
                name="a_draft_is_of_a_lease_or_of_a_correction",
            ),
        ),
    ]
