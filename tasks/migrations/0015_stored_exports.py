"""Exports that a worker makes, with their files."""

import django.core.serializers.json
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0014_search_without_spaces"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredExport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "options",
                    models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("is_zipped", models.BooleanField()),
                ("language", models.CharField(max_length=10)),
                ("ordered_at", models.DateTimeField()),
                ("tries", models.PositiveIntegerField(default=0)),
                ("made_at", models.DateTimeField(blank=True, null=True)),
                ("rows", models.BigIntegerField(default=0)),
                ("size", models.BigIntegerField(default=0)),
                ("refused", models.TextField(blank=True, default="")),
                (
                    "lead",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tasks.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ExportBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "export",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="tasks.storedexport",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="storedexport",
            index=models.Index(fields=["ordered_at"], name="stored_exports_by_their_age"),
        ),
        migrations.AddConstraint(
            model_name="exportblock",
            constraint=models.UniqueConstraint(
                fields=("export", "place"), name="blocks_of_an_export_stand_in_one_order"
            ),
        ),
    ]
