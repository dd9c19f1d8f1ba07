"""Acts after which ratings count otherwise, or are gone, are stored for the API."""

from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0009_cursors"),
    ]

    operations = [
        migrations.CreateModel(
            name="RatingsChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("item", "Item"),
                            ("imported", "Imported"),
                            ("rater", "Rater"),
                            ("batch", "Batch"),
                            ("file", "File"),
                        ],
                        max_length=12,
                    ),
                ),
                ("subject", models.BigIntegerField(null=True)),
                ("name", models.TextField(blank=True, db_default="")),
                ("at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="tasks.project",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [models.Index(fields=["project", "id"], name="changes_of_a_project")],
            },
        ),
        migrations.RunSQL((SQL / "changes.sql").read_text(), migrations.RunSQL.noop),
    ]
