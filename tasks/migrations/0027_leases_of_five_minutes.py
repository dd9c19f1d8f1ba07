"""A lease lasts five minutes at least: the desk reports every two minutes that its annotator is at work.

Shorter ones are lifted first. The table of projects is small, so its check is added at once.
"""

import django.core.validators
from django.db import migrations, models
from django.db.models import Q

LIFT = "UPDATE tasks_project SET lease_minutes = 5 WHERE lease_minutes < 5"


class Migration(migrations.Migration):
    dependencies = [("tasks", "0026_attempts_of_an_annotator")]

    operations = [
        migrations.RunSQL(LIFT, migrations.RunSQL.noop, elidable=True),
        # No table with deferred checks that still wait can be altered.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop, elidable=True),
        migrations.AlterField(
            "project",
            "lease_minutes",
            models.PositiveSmallIntegerField(
                default=30,
                validators=[django.core.validators.MinValueValidator(5)],
                verbose_name="An item is lent for so many minutes",
            ),
        ),
        migrations.RemoveConstraint("project", "a_lease_lasts_a_minute_at_least"),
        migrations.AddConstraint(
            "project",
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=5), name="a_lease_lasts_five_minutes_at_least"
            ),
        ),
    ]
