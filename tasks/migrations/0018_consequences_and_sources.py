"""A project says when consequences show, and its leads may add the source's own texts."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0017_finished_batches"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="consequences",
            field=models.CharField(
                choices=[("always", "always"), ("after", "after answering"), ("never", "never")],
                db_default="always",
                default="always",
                max_length=12,
                verbose_name="Consequences",
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("consequences__in", ("always", "after", "never"))),
                name="consequences_show_always_after_or_never",
            ),
        ),
        migrations.CreateModel(
            name="ClauseText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("clause", models.CharField(max_length=80)),
                ("text", models.TextField(max_length=4000)),
                ("written_at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clause_texts",
                        to="tasks.project",
                    ),
                ),
                (
                    "written_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("project", "clause"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "clause"), name="a_clause_has_one_text_in_a_project"
                    )
                ],
            },
        ),
    ]
