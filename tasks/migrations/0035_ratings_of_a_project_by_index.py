"""An index finds the ratings of a project since one of them. It replaces the index of the project alone."""

import django.db.models.deletion
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("tasks", "0034_counts_for_the_overview")]

    operations = [
        AddIndexConcurrently(
            "rating", models.Index(fields=["project", "id"], name="ratings_of_a_project")
        ),
        migrations.AlterField(
            "rating",
            "project",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="ratings",
                to="tasks.project",
                verbose_name="Project",
            ),
        ),
    ]
