"""The table of rubrics with its trigger, before the first release."""

from pathlib import Path

from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Rubric",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80, verbose_name="Short name")),
                ("version", models.PositiveIntegerField(verbose_name="Version")),
                (
                    "status",
                    models.CharField(
                        choices=[("draft", "draft"), ("published", "published")],
                        default="draft",
                        max_length=12,
                        verbose_name="Status",
                    ),
                ),
                ("title", models.CharField(max_length=200, verbose_name="Title")),
                ("summary", models.TextField(verbose_name="Summary")),
                (
                    "language",
                    models.CharField(default="en", max_length=20, verbose_name="Language"),
                ),
                ("guidance", models.JSONField(blank=True, default=list, verbose_name="Guidance")),
                ("dimensions", models.JSONField(default=list)),
                ("clauses", models.JSONField(blank=True, default=list, verbose_name="Clauses")),
                ("created_at", models.DateTimeField(verbose_name="Created at")),
                (
                    "published_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="Published at"),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="Created by",
                    ),
                ),
            ],
            options={
                "verbose_name": "rubric",
                "verbose_name_plural": "rubrics",
                "ordering": ("slug", "-version"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("slug", "version"), name="a_rubric_version_is_numbered_once"
                    ),
                    models.CheckConstraint(
                        condition=Q(published_at__isnull=False, status="published")
                        | Q(published_at__isnull=True, status="draft"),
                        name="a_published_rubric_says_when",
                    ),
                ],
            },
        ),
        migrations.RunSQL((SQL / "published_rubrics.sql").read_text()),
    ]
