from pathlib import Path
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SQL = Path(__file__).parent / "sql"
COLUMNS = ("slug", "title", "summary", "language", "guidance", "dimensions", "clauses", "checks")


def move_drafts(apps: Any, schema_editor: Any) -> None:
    """Move drafts to their own table. One without a maker becomes the first admin's."""
    rubrics = apps.get_model("rubrics", "Rubric").objects.filter(status="draft")
    admin = apps.get_model("annotators", "User").objects.filter(is_superuser=True).first()
    for rubric in rubrics.select_related("created_by"):
        if maker := rubric.created_by or admin:
            content = {name: getattr(rubric, name) for name in COLUMNS}
            apps.get_model("rubrics", "RubricDraft").objects.create(
                slug=rubric.slug,
                content=content,
                readable=content,
                revision=1,
                made_by=maker,
                made_at=rubric.created_at,
                changed_by=maker,
                changed_at=rubric.created_at,
            )
    rubrics.delete()


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics", "0002_checks_of_the_response"),
        ("annotators", "0001_baseline"),
    ]

    operations = [
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
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("made_at", models.DateTimeField()),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("changed_at", models.DateTimeField()),
            ],
            options={"ordering": ("-changed_at",)},
        ),
        migrations.RunPython(move_drafts, migrations.RunPython.noop),
        migrations.RemoveConstraint(model_name="rubric", name="a_published_rubric_says_when"),
        migrations.RemoveField(model_name="rubric", name="created_at"),
        migrations.RemoveField(model_name="rubric", name="status"),
        migrations.AddField(
            model_name="rubric",
            name="changes",
            field=models.CharField(
                blank=True, default="", max_length=200, verbose_name="What changed"
            ),
        ),
        migrations.AlterField(
            model_name="rubric",
            name="published_at",
            field=models.DateTimeField(verbose_name="Published at"),
        ),
        migrations.RunSQL((SQL / "published_rubrics_stay.sql").read_text(), migrations.RunSQL.noop),
    ]
