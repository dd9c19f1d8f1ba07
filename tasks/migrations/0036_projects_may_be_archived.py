"""Closed projects may be archived."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics", "0004_dimensions_in_one_column"),
        ("tasks", "0035_ratings_of_a_project_by_index"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="archived_at",
            field=models.DateTimeField(
                blank=True, editable=False, null=True, verbose_name="Archived at"
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("archived_at", None), ("status", "closed"), _connector="OR"),
                name="an_archived_project_is_closed",
            ),
        ),
    ]
