"""Leads are told that somebody joined by an invitation."""

from django.db import migrations, models
from django.db.models import Q

KINDS = ("added", "invitation", "decision", "returned", "batch", "raised", "revised", "finished")
NAME = "a_notice_points_to_what_it_is_about"


class Migration(migrations.Migration):
    dependencies = [("tasks", "0008_dropped_by_whom")]

    operations = [
        migrations.RemoveConstraint(model_name="notice", name=NAME),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[(kind, kind.capitalize()) for kind in (*KINDS, "upload", "joined")],
                max_length=12,
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=Q(
                    kind__in=("added", "invitation", "upload", "joined"),
                    concern=None,
                    returned=None,
                    batch=None,
                )
                | Q(kind__in=("decision", "raised"), concern__isnull=False)
                | Q(kind__in=("returned", "revised"), returned__isnull=False)
                | Q(kind__in=("batch", "finished"), batch__isnull=False),
                name=NAME,
            ),
        ),
        # On the way back the older constraint refuses these notices.
        migrations.RunSQL(migrations.RunSQL.noop, "DELETE FROM tasks_notice WHERE kind = 'joined'"),
    ]
