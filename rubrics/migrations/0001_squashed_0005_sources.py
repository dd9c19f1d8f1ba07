"""The tables of rubrics with their trigger, before the first release."""

from pathlib import Path

from django.conf import settings
from django.db import migrations, models

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    replaces = [
        ("rubrics", "0001_baseline"),
        ("rubrics", "0002_checks_of_the_response"),
        ("rubrics", "0003_drafts"),
        ("rubrics", "0004_templates"),
        ("rubrics", "0005_sources"),
    ]

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
                ("title", models.CharField(max_length=200, verbose_name="Title")),
                ("summary", models.TextField(verbose_name="Summary")),
                (
                    "language",
                    models.CharField(default="en", max_length=20, verbose_name="Language"),
                ),
                ("guidance", models.JSONField(blank=True, default=list, verbose_name="Guidance")),
                ("dimensions", models.JSONField(default=list)),
                ("clauses", models.JSONField(blank=True, default=list, verbose_name="Clauses")),
                ("published_at", models.DateTimeField(verbose_name="Published at")),
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
                (
                    "checks",
                    models.JSONField(
                        blank=True, default=list, verbose_name="Checks of the whole response"
                    ),
                ),
                (
                    "changes",
                    models.CharField(
                        blank=True, default="", max_length=200, verbose_name="What changed"
                    ),
                ),
                (
                    "is_template",
                    models.BooleanField(
                        db_default=True, default=True, verbose_name="Template of new projects"
                    ),
                ),
                (
                    "sources",
                    models.JSONField(
                        blank=True, default=list, verbose_name="Sources of the clauses"
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
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RubricDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80, verbose_name="Short name")),
                ("content", models.JSONField()),
                ("readable", models.JSONField(null=True)),
                ("beside", models.JSONField(default=dict)),
                ("pasted", models.JSONField(default=list)),
                ("revision", models.PositiveIntegerField()),
                ("is_by_program", models.BooleanField(default=False)),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("made_at", models.DateTimeField()),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("changed_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("-changed_at",),
            },
        ),
        migrations.RunSQL((SQL / "published_rubrics.sql").read_text()),
    ]
