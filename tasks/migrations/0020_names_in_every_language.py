"""Names of models for the admin's pages, to be translated. No table changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0019_which_page_submitted")]

    operations = [
        migrations.AlterModelOptions(
            "project",
            options={
                "ordering": ("title",),
                "verbose_name": "project",
                "verbose_name_plural": "projects",
            },
        ),
        migrations.AlterModelOptions(
            "membership", options={"verbose_name": "member", "verbose_name_plural": "members"}
        ),
        migrations.AlterModelOptions(
            "batch",
            options={
                "ordering": ("position",),
                "verbose_name": "batch",
                "verbose_name_plural": "batches",
            },
        ),
        migrations.AlterModelOptions(
            "item",
            options={
                "ordering": ("batch", "position"),
                "verbose_name": "item",
                "verbose_name_plural": "items",
            },
        ),
        migrations.AlterModelOptions(
            "response",
            options={
                "ordering": ("position",),
                "verbose_name": "response",
                "verbose_name_plural": "responses",
            },
        ),
        migrations.AlterModelOptions(
            "rating",
            options={
                "ordering": ("pk",),
                "verbose_name": "rating",
                "verbose_name_plural": "ratings",
            },
        ),
        migrations.AlterModelOptions(
            "score",
            options={"ordering": ("pk",), "verbose_name": "score", "verbose_name_plural": "scores"},
        ),
        migrations.AlterModelOptions(
            "lease",
            options={"ordering": ("pk",), "verbose_name": "lease", "verbose_name_plural": "leases"},
        ),
        migrations.AlterField(
            "score",
            "unit",
            models.CharField(
                "What is scored",
                choices=[("response", "response"), ("candidate_set", "candidate set")],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            "factcheck",
            "outcome",
            models.CharField(
                choices=[
                    ("holds", "it holds"),
                    ("refuted", "it is refuted"),
                    ("undetermined", "undetermined"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            "lease",
            "status",
            models.CharField(
                "Status",
                choices=[
                    ("live", "live"),
                    ("submitted", "submitted"),
                    ("expired", "expired"),
                    ("released", "given back"),
                ],
                default="live",
                max_length=12,
            ),
        ),
    ]
