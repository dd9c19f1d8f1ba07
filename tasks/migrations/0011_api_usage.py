"""Calls of the API are counted by token, operation, status and day."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0010_changes"),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiUsage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("operation", models.CharField(max_length=80)),
                ("status", models.PositiveSmallIntegerField()),
                ("day", models.DateField()),
                ("calls", models.PositiveIntegerField()),
                ("rows", models.BigIntegerField()),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("last", models.DateTimeField()),
                (
                    "token",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="usage",
                        to="tasks.apitoken",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("token", "operation", "status", "day"),
                        name="calls_of_a_kind_are_one_row",
                    )
                ],
            },
        ),
    ]
